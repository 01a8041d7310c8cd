//! Requests of the course: ranges of kinds, sizes, speeds, angles, distances and times. They are drawn without asking the planner.

use footwork::advanced::math::Random;
use footwork::database::{Database, NameError};
use footwork::input::{ActionContact, ActionKind, ActionRequest};
use footwork::math::{Facing, Transform};
use glam::Vec3;
use std::f32::consts::PI;

/// The kinds of the course.
pub const KINDS: [&str; 13] = [
    "jump",
    "hurdle",
    "vault",
    "mantle",
    "climb",
    "drop",
    "step_up",
    "step_down",
    "sit",
    "get_up",
    "pick_up",
    "push",
    "handshake",
];

/// Frames from one steering instant to the next: 1/6 s.
pub const STEER_FRAMES: u32 = 10;
/// Frames of the run-up: 2.5 s.
pub const RUN_UP_FRAMES: u32 = 150;
/// Frames after which a request that is not over counts as not met: 20 s.
pub const LONGEST_FRAMES: u32 = 1200;

/// Distance of the toe joints from the edge of a gap, at the take-off and at the landing, in metres.
const TOES_M: [f32; 2] = [0.09, 0.21];
/// Distance of the toe joints behind the edge of a step up, and beyond that of a step down, in metres.
const ON_STEP_M: [f32; 2] = [0.12, 0.25];
/// Height of the hips of a seated body over the seat, and their distance behind its edge, in metres.
const SEATED_M: [f32; 2] = [0.12, 0.16];
/// Distance of the wrists behind an edge on which hands lie, and their height over it, in metres.
const HAND_M: [f32; 2] = [0.05, 0.03];
/// Height of a usual seat, in metres.
const SEAT_M: f32 = 0.45;
/// Height of a partner's hand, in metres.
const SHAKE_M: f32 = 1.05;

/// A request before the position of the character is known.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub kind: &'static str,
    /// True if it lies within what the kind allows.
    pub reachable: bool,
    /// Speed of the run-up, in m/s.
    pub speed_mps: f32,
    /// Height at which the character starts, in metres.
    pub start_m: f32,
    angle_rad: f32,
    distance_m: f32,
    size_m: f32,
    /// Time from the request to the requested instant, in seconds.
    instant_s: Option<f32>,
    broken: Option<Broken>,
}

/// A defect of a request beside its size.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Broken {
    Name,
    NotANumber,
}

impl Asked {
    /// Draws request number `k` of a course with this seed.
    pub fn draw(seed: u64, k: usize, reachable: bool) -> Self {
        let mut random = Random(Random::sub_seed(seed, k as u64));
        let kind = random.pick(&KINDS);
        let speed_mps = random.between(0.0, 4.0);
        let angle_rad = random.between(-25.0, 25.0).to_radians();
        let distance_m = random.between(0.4 + 0.4 * speed_mps, 6.0);
        // A request out of reach is too large, too far, too soon, or has no number or no known name.
        let way = if reachable { 1.0 } else { random.unit() };
        let [low, high] = sizes_m(kind, speed_mps);
        let size_m =
            if way >= 0.5 { random.between(low, high) } else { random.between(1.6 * high + 0.4, 3.0 * high + 1.0) };
        let mps = if ends_at_rest(kind) { 1.2 } else { speed_mps.max(1.2) };
        let named_s = if ends_at_rest(kind) { 1.2 } else { 0.3 } + distance_m / mps * random.between(1.0, 1.4);
        let instant_s = (random.unit() < 0.5).then_some(named_s);
        let start_m = if matches!(kind, "drop" | "step_down") { size_m } else { 0.0 };
        let asked =
            Self { kind, reachable, speed_mps, start_m, angle_rad, distance_m, size_m, instant_s, broken: None };
        match way {
            _ if reachable => asked,
            0.5..0.7 => Self { distance_m: random.between(12.0, 40.0), ..asked },
            0.7..0.8 => Self { instant_s: Some(-random.between(0.1, 3.0)), ..asked },
            0.8..0.9 => {
                Self { distance_m: random.between(4.0, 6.0), instant_s: Some(random.between(0.05, 0.4)), ..asked }
            }
            0.9..0.95 => Self { broken: Some(Broken::NotANumber), ..asked },
            0.95.. => Self { broken: Some(Broken::Name), ..asked },
            _ => asked,
        }
    }

    /// Returns the request for the seat from which a body is to get up: straight ahead of the start.
    pub fn seat(self) -> Self {
        Self {
            kind: "sit",
            reachable: true,
            speed_mps: 0.0,
            angle_rad: 0.0,
            distance_m: 1.5,
            size_m: SEAT_M,
            instant_s: None,
            broken: None,
            ..self
        }
    }

    /// Returns the request of a character whose root is at `root` and whose hips are at `hips` (world, in metres).
    ///
    /// # Errors
    /// Returns [`NameError`] for a kind that the database does not have.
    pub fn request(
        &self,
        db: &Database,
        id: u16,
        root: Transform,
        hips: Vec3,
        now_s: f64,
    ) -> Result<ActionRequest, NameError> {
        let name = if self.broken == Some(Broken::Name) { "somersault" } else { self.kind };
        let kind: ActionKind = db.action_kind(name)?;
        let ahead = Facing::from_rotation(root.rotation);
        let facing = ahead.turned(self.angle_rad);
        let along = facing.direction();
        let edge = root.translation + ahead.direction() * self.distance_m;
        let up = Vec3::Y * self.size_m;
        let contact = |position: Vec3, facing: Facing| ActionContact { position, facing };
        let on_top = edge + up + along * HAND_M[0] + Vec3::Y * HAND_M[1];
        let (mut first, second) = match self.kind {
            "vault" | "mantle" | "climb" => (contact(on_top, facing), None),
            "drop" => (contact(edge - along * TOES_M[0], facing), None),
            "jump" => {
                let far = edge + along * (self.size_m + TOES_M[1]);
                (contact(edge - along * TOES_M[0], facing), Some(contact(far, facing)))
            }
            "step_up" => (contact(edge + up + along * ON_STEP_M[0], facing), None),
            "step_down" => (contact(edge - up + along * ON_STEP_M[1], facing), None),
            "sit" => {
                let hips = edge + up + along * SEATED_M[1] + Vec3::Y * SEATED_M[0];
                (contact(hips, facing.turned(PI)), None)
            }
            // The hips leave the seat where they are; out of reach, somewhere else.
            "get_up" if self.reachable => (contact(hips, ahead), None),
            "get_up" => (contact(edge + up, facing), None),
            "handshake" => (contact(edge + up + Vec3::Y * SHAKE_M, facing), None),
            _ => (contact(edge + up, facing), None),
        };
        if self.broken == Some(Broken::NotANumber) {
            first.position.x = f32::NAN;
        }
        let landing_m = (self.kind == "drop").then_some(root.translation.y - self.size_m);
        let instant_s = self.instant_s.filter(|_| self.kind != "get_up" || !self.reachable);
        let window_s = instant_s.map(|s| [now_s + f64::from(s); 2]);
        let request = ActionRequest::new(id, kind, first);
        Ok(ActionRequest { contacts: [Some(first), second], landing_m, window_s, ..request })
    }
}

/// Returns true for kinds that are entered at a halt.
fn ends_at_rest(kind: &str) -> bool {
    matches!(kind, "sit" | "get_up" | "pick_up" | "push" | "handshake" | "mantle" | "climb" | "step_up" | "step_down")
}

/// Returns the range of sizes of a kind, in metres: height of an obstacle, a seat, an object or a panel; width of a gap.
fn sizes_m(kind: &str, speed_mps: f32) -> [f32; 2] {
    match kind {
        "hurdle" => [0.4, 0.8],
        "vault" => [0.8, 1.2],
        "mantle" => [1.0, 1.6],
        "climb" => [1.6, 2.2],
        "drop" => [0.5, 1.8],
        "jump" if speed_mps >= 3.0 => [1.0, 3.0],
        "jump" => [1.0, 1.8],
        "step_up" | "step_down" => [0.15, 0.45],
        "sit" => [0.38, 0.52],
        "push" => [1.0, 1.3],
        "handshake" => [-0.05, 0.05],
        // Height of an object; any for getting up.
        _ => [0.0, 1.2],
    }
}
