//! Coverage: how much motion the database has, by speed, turn rate and direction of travel, compared with what a stick needs.

use super::{Desired, Simulation, SimulationConfig};
use crate::math::{Facing, Transform, wrap_angle};
use crate::motion::{PaceSpeeds, StickSpeeds};
use glam::Vec3;
use serde::Serialize;

/// Bounds of the speeds, in m/s.
pub const SPEEDS_MPS: [f32; 5] = [0.3, 1.0, 2.0, 3.0, 6.0];
/// Bounds of the turn rate of the direction of travel, in degrees/s, positive to the left.
pub const TURNS_DEG_S: [f32; 6] = [-300.0, -90.0, -30.0, 30.0, 90.0, 300.0];
/// Directions of travel, relative to the facing.
pub const DIRECTIONS: [&str; 4] = ["ahead", "to the left", "backward", "to the right"];
/// Time over which direction of travel and facing are averaged, seconds: both sway with each step.
const SMOOTH_S: f32 = 0.3;
/// Duration of the random stick input, minutes, and its frame rate.
const WALK_MIN: f32 = 10.0;
const WALK_HZ: f32 = 30.0;

/// Coverage of one kind of motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DanceCardCell {
    /// Bounds of the speed, m/s.
    pub speed_mps: [f32; 2],
    /// Bounds of the turn rate of the path, degrees/s, positive to the left.
    pub turn_deg_s: [f32; 2],
    /// Direction of travel, relative to the facing: `ahead`, `to the left`, `backward`, `to the right`.
    pub travel: &'static str,
    /// Duration in the database, seconds.
    pub have_s: f32,
    /// Whether a stick can request it: within the speeds of `matcher.speeds.run`.
    pub asked: bool,
    /// Share that a random stick requests, seconds per minute.
    pub asked_s_per_min: f32,
}

/// Seconds by speed, turn, direction: `[speed][turn][direction]` in the order of [`SPEEDS_MPS`], [`TURNS_DEG_S`], [`DIRECTIONS`].
pub type TravelSeconds = [[[f32; 4]; 5]; 4];

fn level(v: Vec3) -> Vec3 {
    Vec3::new(v.x, 0.0, v.z)
}

/// Returns the cell `[speed, turn, direction]` of a motion, if it lies within the card. Angles are in degrees; `off_deg` is
/// the angle from the facing to the direction of travel.
fn travel_cell(speed_mps: f32, turn_deg_s: f32, off_deg: f32) -> Option<[usize; 3]> {
    let slot = |edges: &[f32], v: f32| edges.windows(2).position(|e| e[0] <= v && v < e[1]);
    let direction = ((off_deg + 405.0) / 90.0) as usize % 4;
    Some([slot(&SPEEDS_MPS, speed_mps)?, slot(&TURNS_DEG_S, turn_deg_s)?, direction])
}

/// Returns the duration of root motion per cell; `ways` holds the frame rate and `world_from_root` of each frame.
pub fn travel_seconds(ways: impl Iterator<Item = (f32, Vec<Transform>)>) -> TravelSeconds {
    let mut have = [[[0.0f32; 4]; 5]; 4];
    for (rate_hz, roots) in ways {
        let n = roots.len();
        let half = ((0.5 * SMOOTH_S * rate_hz) as usize).max(1);
        let at = |f: usize| level(roots[f].translation);
        let velocity = |f: usize| {
            let (a, b) = (f.saturating_sub(half), (f + half).min(n - 1));
            (at(b) - at(a)) * (rate_hz / (b - a).max(1) as f32)
        };
        for f in half..n.saturating_sub(half) {
            let (before, now, after) = (velocity(f - half), velocity(f), velocity(f + half));
            let facing = Facing::from_rotation(roots[f].rotation);
            let of = |v: Vec3| Facing::from_direction(v);
            let (Some(a), Some(b), Some(travel)) = (of(before), of(after), of(now)) else { continue };
            let turn = a.angle_to(b).to_degrees() / (2.0 * half as f32 / rate_hz);
            let off = wrap_angle(facing.angle_to(travel)).to_degrees();
            if let Some([s, t, d]) = travel_cell(now.length(), turn, off) {
                have[s][t][d] += 1.0 / rate_hz;
            }
        }
    }
    have
}

/// Returns the table, by speed, then turn rate, then direction, of the coverage and of a stick's requests.
pub fn dance_card(have: &TravelSeconds, stick: &StickSpeeds) -> Vec<DanceCardCell> {
    let asked = travel_seconds(std::iter::once((WALK_HZ, random_walk(stick))));
    let PaceSpeeds { forward_mps: ahead, side_mps: side, back_mps: back } = stick.run;
    let fastest = [ahead, side, back, side];
    let mut card = Vec::new();
    for s in 0..4 {
        for t in 0..5 {
            for d in 0..4 {
                card.push(DanceCardCell {
                    speed_mps: [SPEEDS_MPS[s], SPEEDS_MPS[s + 1]],
                    turn_deg_s: [TURNS_DEG_S[t], TURNS_DEG_S[t + 1]],
                    travel: DIRECTIONS[d],
                    have_s: have[s][t][d],
                    asked_s_per_min: asked[s][t][d] / WALK_MIN,
                    // A character that moves sideways or backward turns at a stick's pace, not in place.
                    asked: SPEEDS_MPS[s] + 0.3 < fastest[d] && (d == 0 || (1..4).contains(&t)),
                });
            }
        }
    }
    card
}

/// Returns the root of a simulated character that follows a random stick: a third of the time at rest, a third walking, a third
/// running, in any direction, for 0.5 to 2 s; a fifth of it strafing.
fn random_walk(stick: &StickSpeeds) -> Vec<Transform> {
    // Multiples of the golden ratio and its generalisations are spread evenly: Roberts, "The unreasonable effectiveness of
    // quasirandom sequences".
    let spread = |k: u32, by: f64| (0.5 + f64::from(k) * by).fract() as f32;
    let (mut now, mut desired) = (Simulation::default(), Desired::default());
    let (mut k, mut until_s) = (0u32, 0.0);
    let mut direction = Vec3::ZERO;
    let mut roots = Vec::new();
    for f in 0..(60.0 * WALK_MIN * WALK_HZ) as usize {
        if f as f32 / WALK_HZ >= until_s {
            let [hold, pace, way, look, strafe] =
                [0.865_674, 0.749_392, 0.648_729, 0.561_588, 0.486_152].map(|by| spread(k, by));
            let facing = |turn: f32| Facing::from_yaw(std::f32::consts::TAU * turn);
            direction = if pace < 1.0 / 3.0 { Vec3::ZERO } else { facing(way).direction() };
            desired.gait = if pace > 2.0 / 3.0 { 1.0 } else { 0.0 };
            desired.facing = match (strafe < 0.2, direction == Vec3::ZERO) {
                (true, _) => facing(look),
                (false, true) => desired.facing,
                (false, false) => facing(way),
            };
            until_s += 0.5 + 1.5 * hold;
            k += 1;
        }
        desired.velocity = stick.velocity(direction, now.facing, now.gait);
        now.advance(&desired, &SimulationConfig::default(), 1.0 / WALK_HZ);
        roots.push(Transform::new(now.position, now.facing.rotation()));
    }
    roots
}
