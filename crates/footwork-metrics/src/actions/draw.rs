//! What is asked for: ranges of heights, widths, speeds, angles and distances.

use footwork::database::Database;
use footwork::input::{ActionContact, ActionKind, ActionRequest};
use footwork::math::{Facing, Transform};
use glam::Vec3;

/// The kinds of the course.
const KINDS: [&str; 9] = ["hurdle", "vault", "mantle", "climb", "drop", "jump", "step_up", "sit", "pick_up"];
/// How far before the edge of a gap a toe joint leaves, and how far behind the other it lands, metres: toes and heel have room.
const TOES_M: [f32; 2] = [0.09, 0.21];
/// How far behind the edge of a step a toe joint stands, metres.
const ON_STEP_M: f32 = 0.12;
/// How high the hips of a seated body are over the seat, and how far behind its edge, metres.
const SEATED_M: [f32; 2] = [0.12, 0.16];
/// How far behind an edge hands lie on it, and how high the wrist is, metres.
const HAND_M: [f32; 2] = [0.05, 0.03];

/// Random numbers.
pub(super) struct Draw(u64);

/// A request, before it is known where the character is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub kind: &'static str,
    /// Speed of the run-up.
    pub speed_mps: f32,
    /// Height at which the character starts.
    pub start_m: f32,
    angle_rad: f32,
    distance_m: f32,
    size_m: f32,
    /// Seconds from the request to its instant.
    instant_s: Option<f32>,
    broken: Option<Broken>,
}

/// What makes a request impossible beside its size.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Broken {
    Name,
    NotANumber,
}

impl Draw {
    pub fn new(seed: u64, k: usize) -> Self {
        let mut draw = Self(seed ^ (k as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        draw.unit();
        draw
    }

    fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1u64 << 24) as f32
    }

    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// The size of something that is reachable, or well outside.
    fn size(&mut self, kind: &str, reachable: bool, speed_mps: f32) -> f32 {
        let (low, high) = match kind {
            "hurdle" => (0.4, 0.8),
            "vault" => (0.8, 1.2),
            "mantle" => (1.0, 1.6),
            "climb" => (1.6, 2.2),
            "drop" => (0.5, 1.8),
            "jump" if speed_mps >= 3.0 => (1.0, 3.0),
            "jump" => (1.0, 1.8),
            "step_up" => (0.15, 0.45),
            "sit" => (0.38, 0.52),
            _ => (0.0, 1.2),
        };
        if reachable { self.between(low, high) } else { self.between(1.6 * high + 0.4, 3.0 * high + 1.0) }
    }

    pub fn ask(&mut self, reachable: bool) -> Asked {
        let kind = KINDS[(self.unit() * KINDS.len() as f32) as usize % KINDS.len()];
        let speed_mps = self.between(0.0, 4.0);
        let angle_rad = self.between(-25.0, 25.0).to_radians();
        let distance_m = self.between(0.4 + 0.4 * speed_mps, 6.0);
        // Of what is out of reach: too large, too far, too soon, no number, no name.
        let way = if reachable { 1.0 } else { self.unit() };
        let size_m = self.size(kind, reachable || way >= 0.5, speed_mps);
        let ends_at_rest = matches!(kind, "sit" | "pick_up" | "mantle" | "climb" | "step_up");
        let mps = if ends_at_rest { 1.2 } else { speed_mps.max(1.2) };
        let named_s = if ends_at_rest { 1.2 } else { 0.3 } + distance_m / mps * self.between(1.0, 1.4);
        let instant_s = (self.unit() < 0.5).then_some(named_s);
        let start_m = if kind == "drop" { size_m } else { 0.0 };
        let asked = Asked { kind, speed_mps, start_m, angle_rad, distance_m, size_m, instant_s, broken: None };
        match way {
            _ if reachable => asked,
            0.5..0.7 => Asked { distance_m: self.between(12.0, 40.0), ..asked },
            0.7..0.8 => Asked { instant_s: Some(-self.between(0.1, 3.0)), ..asked },
            0.8..0.9 => Asked { distance_m: self.between(4.0, 6.0), instant_s: Some(self.between(0.05, 0.4)), ..asked },
            0.9..0.95 => Asked { broken: Some(Broken::NotANumber), ..asked },
            0.95.. => Asked { broken: Some(Broken::Name), ..asked },
            _ => asked,
        }
    }
}

impl Asked {
    /// The request of a character whose root is there; `None` where its name is unknown.
    pub fn request(&self, db: &Database, root: Transform, now_s: f64) -> Option<ActionRequest> {
        let name = if self.broken == Some(Broken::Name) { "somersault" } else { self.kind };
        let kind: ActionKind = db.action_kind(name).ok()?;
        let ahead = Facing::from_rotation(root.rotation);
        let facing = ahead.turned(self.angle_rad);
        let along = facing.direction();
        let edge = root.translation + ahead.direction() * self.distance_m;
        let up = Vec3::Y * self.size_m;
        let contact = |position: Vec3, facing: Facing| Some(ActionContact { position, facing });
        let lie = along * HAND_M[0] + Vec3::Y * HAND_M[1];
        let mut contacts = match self.kind {
            "hurdle" => [contact(edge + up, facing), None],
            "vault" | "mantle" | "climb" => [contact(edge + up + lie, facing), None],
            "drop" => [contact(edge - along * TOES_M[0], facing), None],
            "jump" => {
                let far = edge + along * (self.size_m + TOES_M[1]);
                [contact(edge - along * TOES_M[0], facing), contact(far, facing)]
            }
            "step_up" => [contact(edge + up + along * ON_STEP_M, facing), None],
            "sit" => {
                let hips = edge + up + along * SEATED_M[1] + Vec3::Y * SEATED_M[0];
                [contact(hips, facing.turned(std::f32::consts::PI)), None]
            }
            _ => [contact(edge + up, facing), None],
        };
        if self.broken == Some(Broken::NotANumber)
            && let Some(first) = &mut contacts[0]
        {
            first.position.x = f32::NAN;
        }
        let landing_m = (self.kind == "drop").then(|| root.translation.y - self.size_m);
        let window_s = self.instant_s.map(|s| [now_s + f64::from(s); 2]);
        Some(ActionRequest { kind, contacts, landing_m, window_s })
    }
}
