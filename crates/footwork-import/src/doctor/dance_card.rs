//! Coverage: how much motion there is, by speed, turn and direction of travel.

use super::patient::level;
use footwork::clip::RawClip;
use footwork::math::{Facing, wrap_angle};
use glam::Vec3;
use serde::Serialize;

/// Bounds of the speeds, m/s, and their names.
pub const SPEEDS: [f32; 5] = [0.3, 1.0, 2.0, 3.0, 6.0];
/// Bounds of the turn of the direction of travel, degrees per second, and their names.
const TURNS: [f32; 6] = [-300.0, -90.0, -30.0, 30.0, 90.0, 300.0];
/// Directions of travel, seen from the facing.
pub const DIRECTIONS: [&str; 4] = ["ahead", "to the left", "backward", "to the right"];
/// Direction of travel and facing are taken over this, seconds: steps make both sway.
const SMOOTH_S: f32 = 0.3;
/// How much there is of one kind of motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DanceCardCell {
    /// Bounds of the speed, m/s.
    pub speed_mps: [f32; 2],
    /// Bounds of the rate at which the way turns, degrees/s, positive to the left.
    pub turn_deg_s: [f32; 2],
    /// Where to, seen from the facing: `ahead`, `to the left`, `backward`, `to the right`.
    pub travel: &'static str,
    /// How much of it there is, seconds.
    pub have_s: f32,
    /// A stick can ask for it: within the speeds of `matcher.speeds.run`.
    pub asked: bool,
}

/// The table: cells by speed, turn, direction.
pub fn dance_card(clips: &[RawClip], run_mps: [f32; 3]) -> Vec<DanceCardCell> {
    let mut have = [[[0.0f32; 4]; 5]; 4];
    for clip in clips {
        let (joints, n) = (clip.skeleton.len(), clip.frames());
        let half = ((0.5 * SMOOTH_S * clip.rate_hz) as usize).max(1);
        let at = |f: usize| level(clip.translations[f * joints]);
        let velocity = |f: usize| {
            let (a, b) = (f.saturating_sub(half), (f + half).min(n - 1));
            (at(b) - at(a)) * (clip.rate_hz / (b - a).max(1) as f32)
        };
        for f in half..n.saturating_sub(half) {
            let (before, now, after) = (velocity(f - half), velocity(f), velocity(f + half));
            let facing = Facing::from_rotation(clip.rotations[f * joints]);
            let of = |v: Vec3| Facing::from_direction(v);
            let (Some(a), Some(b), Some(travel)) = (of(before), of(after), of(now)) else { continue };
            let turn = a.angle_to(b).to_degrees() / (2.0 * half as f32 / clip.rate_hz);
            let off = wrap_angle(facing.angle_to(travel)).to_degrees();
            let slot = |edges: &[f32], v: f32| edges.windows(2).position(|e| e[0] <= v && v < e[1]);
            let direction = ((off + 405.0) / 90.0) as usize % 4;
            if let (Some(s), Some(t)) = (slot(&SPEEDS, now.length()), slot(&TURNS, turn)) {
                have[s][t][direction] += 1.0 / clip.rate_hz;
            }
        }
    }
    let [ahead, side, back] = run_mps;
    let fastest = [ahead, side, back, side];
    let mut card = Vec::new();
    for s in 0..4 {
        for t in 0..5 {
            for d in 0..4 {
                card.push(DanceCardCell {
                    speed_mps: [SPEEDS[s], SPEEDS[s + 1]],
                    turn_deg_s: [TURNS[t], TURNS[t + 1]],
                    travel: DIRECTIONS[d],
                    have_s: have[s][t][d],
                    // Who goes sideways or back turns with a stick's pace, not on the spot.
                    asked: SPEEDS[s] + 0.3 < fastest[d] && (d == 0 || (1..4).contains(&t)),
                });
            }
        }
    }
    card
}
