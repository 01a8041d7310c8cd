//! Gestures: motion of head, chest and arms, without the legs. Aim poses, a wave, a reload, a look around.
//!
//! Arms are given by the positions of the hands relative to the chest; the elbows follow by the cosine rule. A gesture begins and
//! ends with the arms of a standing body; an aim pose is held instead.

use crate::body::{Side, joint, offset};
use crate::shapes::{Knots, minimum_jerk, ramp};
use footwork::advanced::math::{acos, sin};
use footwork::clip::{ClipEvent, Curve};
use footwork::math::Quat;
use glam::{Vec2, Vec3};
use std::f32::consts::{PI, TAU};

const DEG: f32 = PI / 180.0;

/// A gesture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Gesture {
    /// Both hands aim; yaw (left positive) and pitch (down positive), in radians.
    Aim { yaw: f32, pitch: f32 },
    /// The left hand waves.
    Wave,
    /// The right hand holds a weapon; the left one changes its magazine.
    Reload,
    /// The head looks over one shoulder, then over the other.
    LookAround,
}

/// Rotation of head and chest: yaw and pitch relative to the facing, in radians.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Bearing {
    pub gaze: Vec2,
    pub chest: Vec2,
}

/// Position of a hand in the axes of the chest, relative to its joint (`Spine2`), in metres.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    pub wrist: Vec3,
    /// Direction of the elbow.
    pub elbow: Vec3,
    /// Rotation of the hand, and its weight; the rest follows the forearm.
    pub hand: Quat,
    pub held: f32,
}

/// Shares of an aim's yaw and pitch that the trunk takes; the shoulders take the rest.
const AIM_CHEST: [f32; 2] = [0.55, 0.35];
/// Distance of the hands that hold a weapon from the chest: when aiming, and with both hands busy.
const AIM_M: f32 = 0.47;
const READY_M: Vec3 = Vec3::new(-0.03, 0.03, 0.33);
/// Distance between the hands on a weapon, metres.
const GRIP_M: f32 = 0.035;

/// Times of a wave, in seconds: the hand begins to rise, is up, begins to lower, is down. Then: swings of the hand per second.
const WAVE_S: [f32; 4] = [0.1, 0.7, 2.2, 2.9];
const WAVE_HZ: f32 = 2.0;
/// Times of a reload, in seconds: hands begin to rise, are up; magazine out; at the belt; magazine in; slide back; both hands
/// hold; hands begin to lower, are down.
const RELOAD_S: [f32; 9] = [0.1, 0.55, 0.65, 1.05, 1.6, 2.05, 2.3, 2.4, 2.9];

impl Gesture {
    /// Returns the length of the take, in seconds.
    pub(crate) fn seconds(self) -> f32 {
        match self {
            Self::Aim { .. } => 0.2,
            Self::Wave | Self::Reload => 3.0,
            Self::LookAround => 4.4,
        }
    }

    /// Returns the tag of the take.
    pub(crate) fn tag(self) -> &'static str {
        match self {
            Self::Aim { .. } => "aim",
            Self::Wave => "wave",
            Self::Reload => "reload",
            Self::LookAround => "look_around",
        }
    }

    /// Returns the events of the take.
    pub(crate) fn events(self) -> Vec<ClipEvent> {
        let events: &[(&str, f32)] = match self {
            Self::Wave => &[("wave_begin", WAVE_S[1]), ("wave_end", WAVE_S[2])],
            Self::Reload => &[
                ("reload_magazine_out", RELOAD_S[2]),
                ("reload_magazine_in", RELOAD_S[4]),
                ("reload_slide", RELOAD_S[5]),
            ],
            Self::Aim { .. } | Self::LookAround => &[],
        };
        events.iter().map(|(name, time_s)| ClipEvent { name: (*name).to_owned(), time_s: *time_s }).collect()
    }

    /// Returns the curves of the take.
    pub(crate) fn curves(self, seconds: f32) -> Vec<Curve> {
        if self != Self::Reload {
            return Vec::new();
        }
        // From the grip to the belt and back: a game's inverse kinematics must release the hand for that time.
        let times_s = vec![0.0, RELOAD_S[2], RELOAD_S[2] + 0.1, RELOAD_S[4] - 0.1, RELOAD_S[4], seconds];
        vec![Curve { name: "left_hand_free".into(), width: 1, times_s, values: vec![0.0, 0.0, 1.0, 1.0, 0.0, 0.0] }]
    }

    /// Returns the rotation of head and chest at a time.
    pub(crate) fn bearing(self, time_s: f32) -> Bearing {
        match self {
            Self::Aim { yaw, pitch } => {
                let chest = Vec2::new(AIM_CHEST[0] * yaw, AIM_CHEST[1] * pitch);
                Bearing { gaze: Vec2::new(yaw, pitch), chest }
            }
            Self::Wave => {
                let up = rise(time_s, WAVE_S[0], WAVE_S[1], WAVE_S[2], WAVE_S[3]);
                Bearing { gaze: Vec2::new(0.0, -0.06) * up, chest: Vec2::new(-0.08, 0.0) * up }
            }
            Self::Reload => {
                let down = rise(time_s, 0.2, 0.7, 2.1, 2.8);
                let belt = rise(time_s, RELOAD_S[2], RELOAD_S[3], RELOAD_S[3], RELOAD_S[4]);
                Bearing { gaze: Vec2::new(0.04 * down + 0.1 * belt, 0.32 * down), chest: Vec2::new(-0.07, 0.05) * down }
            }
            Self::LookAround => {
                let yaw =
                    Knots::new([(0.25, 0.0), (1.05, 62.0), (1.6, 66.0), (2.75, -62.0), (3.3, -66.0), (4.15, 0.0)]);
                let pitch = Knots::new([(0.25, 0.0), (0.6, 5.0), (1.1, -2.0), (2.1, 6.0), (2.8, -2.0), (4.1, 0.0)]);
                let gaze = Vec2::new(yaw.at(time_s), pitch.at(time_s)) * DEG;
                // The chest follows the head.
                let chest = Vec2::new(0.28 * yaw.at(time_s - 0.12) * DEG, 0.0);
                Bearing { gaze, chest }
            }
        }
    }

    /// Poses the arms in the local rotations of a body whose legs, trunk and head are posed.
    pub(crate) fn arms(self, time_s: f32, local: &mut [Quat]) {
        for side in Side::BOTH {
            let Some((weight, reach)) = self.reach(side, time_s) else { continue };
            let posed = reach.solve(side);
            let first = [joint::LEFT_SHOULDER, joint::RIGHT_SHOULDER][side.at()];
            for (own, new) in local[first..first + 4].iter_mut().zip(posed) {
                *own = own.slerp(new.towards(*own), weight);
            }
        }
    }

    /// Returns the position of a hand, and its weight; `None` if the arm does not take part.
    fn reach(self, side: Side, time_s: f32) -> Option<(f32, Reach)> {
        let s = side.sign();
        match self {
            Self::Aim { yaw, pitch } => {
                let rest = |k: usize| 1.0 - AIM_CHEST[k];
                let turn = Quat::from_rotation_y(rest(0) * yaw) * Quat::from_rotation_x(rest(1) * pitch);
                let hand = turn * pointing(side, Vec3::Z, Vec3::Y);
                let wrist = Vec3::Y * 0.13 + turn * Vec3::new(s * GRIP_M, 0.02, AIM_M);
                Some((1.0, Reach { wrist, elbow: turn * Vec3::new(0.5 * s, -1.0, 0.0), hand, held: 1.0 }))
            }
            Self::Wave => {
                let weight = rise(time_s, WAVE_S[0], WAVE_S[1], WAVE_S[2], WAVE_S[3]);
                if side == Side::Right {
                    // The other arm moves slightly, too.
                    let (wrist, hand) = (Vec3::new(-0.2, -0.1, 0.3), pointing(side, Vec3::Z, Vec3::Y));
                    return Some((0.07 * weight, Reach { wrist, elbow: Vec3::NEG_Y, hand, held: 1.0 }));
                }
                let waves = ramp(time_s, WAVE_S[1] - 0.3, WAVE_S[1]) * (1.0 - ramp(time_s, WAVE_S[2], WAVE_S[2] + 0.3));
                let swing = 0.34 * waves * sin(TAU * WAVE_HZ * (time_s - WAVE_S[1]));
                // The forearm swings about the elbow, palm forward.
                let elbow = Vec3::new(0.40, 0.02, 0.20);
                let (sin, cos) = footwork::advanced::math::sin_cos(0.12 + swing);
                let up = Vec3::new(sin, cos, 0.08);
                let hand = pointing(side, up.normalize(), Vec3::new(-cos, sin, 0.0).normalize());
                Some((weight, Reach { wrist: elbow + up * 0.25, elbow: Vec3::new(1.0, -1.2, -0.1), hand, held: 1.0 }))
            }
            Self::Reload => {
                let weight = rise(time_s, RELOAD_S[0], RELOAD_S[1], RELOAD_S[7], RELOAD_S[8]);
                let elbow = Vec3::new(s, -1.0, -0.2);
                if side == Side::Right {
                    return Some((
                        weight,
                        Reach { wrist: READY_M, elbow, hand: pointing(side, Vec3::Z, Vec3::Y), held: 1.0 },
                    ));
                }
                // The fingers enclose those of the other hand.
                let around = pointing(side, Vec3::new(-0.6, 0.0, 0.8), Vec3::Y);
                let grip = READY_M + Vec3::new(2.2 * GRIP_M, -0.01, 0.01);
                let [.., out, belt, within, slide, hold, _, _] = RELOAD_S;
                let wrist = along(
                    time_s,
                    &[
                        (out, grip),
                        (belt, Vec3::new(0.22, -0.32, 0.09)),
                        (belt + 0.1, Vec3::new(0.22, -0.32, 0.09)),
                        (within - 0.1, READY_M + Vec3::new(0.06, -0.13, -0.01)),
                        (within, READY_M + Vec3::new(0.06, -0.08, 0.0)),
                        (slide - 0.2, READY_M + Vec3::new(0.08, 0.05, 0.03)),
                        (slide, READY_M + Vec3::new(0.09, 0.05, -0.08)),
                        (hold, grip),
                    ],
                );
                let away = rise(time_s, out, belt - 0.1, belt + 0.1, within - 0.1);
                Some((weight, Reach { wrist, elbow, hand: around, held: 1.0 - away }))
            }
            Self::LookAround => None,
        }
    }
}

impl Reach {
    /// Returns the local rotations of shoulder, upper arm, forearm and hand.
    pub(crate) fn solve(&self, side: Side) -> [Quat; 4] {
        let s = side.sign();
        let first = [joint::LEFT_SHOULDER, joint::RIGHT_SHOULDER][side.at()];
        let shoulder = offset(first) + offset(first + 1);
        let (upper, fore) = (offset(first + 2).length(), offset(first + 3).length());
        let to = self.wrist - shoulder;
        // Elbows are limited to short of straight and of folded.
        let distance = to.length().clamp(0.45 * (upper + fore), 0.985 * (upper + fore));
        let way = to.normalize();
        let along = (upper * upper + distance * distance - fore * fore) / (2.0 * distance);
        let out = (upper * upper - along * along).max(0.0).sqrt();
        let pole = (self.elbow - way * self.elbow.dot(way)).normalize();
        let elbow = way * along + pole * out;
        let (arm, fore_arm) = (elbow * (1.0 / upper), (way * distance - elbow) * (1.0 / fore));
        // Forearms bend towards +Z of their upper arm, which extends along X.
        let bend = (fore_arm - arm * fore_arm.dot(arm)).normalize();
        let turned = Quat::from_axes(arm * s, bend.cross(arm * s), bend);
        let flexion = Quat::from_rotation_y(-s * acos(arm.dot(fore_arm).clamp(-1.0, 1.0)));
        let hand = ((turned * flexion).inverse() * self.hand).towards(Quat::IDENTITY);
        [Quat::IDENTITY, turned, flexion, Quat::IDENTITY.slerp(hand, self.held)]
    }
}

/// Returns the rotation of a hand whose fingers point along `fingers` and whose thumb is towards `thumb`. Both are unit vectors
/// at a right angle.
pub(crate) fn pointing(side: Side, fingers: Vec3, thumb: Vec3) -> Quat {
    let x = fingers * side.sign();
    Quat::from_axes(x, thumb.cross(x), thumb)
}

/// Returns 0, then 1 between `up` and `down`, then 0 again, with smooth transitions.
fn rise(t: f32, from: f32, up: f32, down: f32, to: f32) -> f32 {
    minimum_jerk((t - from) / (up - from)) * (1.0 - minimum_jerk((t - down) / (to - down)))
}

/// Returns the position of a point that moves from knot to knot and stops at each.
fn along(t: f32, knots: &[(f32, Vec3)]) -> Vec3 {
    let k = knots.partition_point(|k| k.0 <= t);
    match (k.checked_sub(1).map(|k| knots[k]), knots.get(k)) {
        (Some((a, from)), Some((b, to))) => from + (*to - from) * minimum_jerk((t - a) / (b - a)),
        (Some((_, last)), None) => last,
        (None, _) => knots[0].1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the wrist of a solved arm, in the axes of the chest.
    fn wrist(side: Side, [shoulder, arm, fore_arm, _]: [Quat; 4]) -> Vec3 {
        let first = [joint::LEFT_SHOULDER, joint::RIGHT_SHOULDER][side.at()];
        let elbow = offset(first) + shoulder * (offset(first + 1) + arm * offset(first + 2));
        elbow + shoulder * arm * fore_arm * offset(first + 3)
    }

    #[test]
    fn hands_get_where_they_reach() {
        for side in Side::BOTH {
            let s = side.sign();
            for (x, y, z) in [(0.1, 0.1, 0.4), (0.3, 0.4, 0.2), (0.2, -0.3, 0.1), (-0.03, 0.0, 0.35)] {
                let at = Vec3::new(x * s, y, z);
                let reach = Reach { wrist: at, elbow: Vec3::new(s, -1.0, -0.2), hand: Quat::IDENTITY, held: 0.0 };
                let posed = reach.solve(side);
                assert!((wrist(side, posed) - at).length() < 1e-4, "{side:?} {at}");
                assert!(posed[2].y * s < 0.0, "elbows bend ahead");
            }
        }
    }

    #[test]
    fn gestures_begin_and_end_at_rest() {
        for g in [Gesture::Wave, Gesture::Reload, Gesture::LookAround] {
            for t in [0.0, g.seconds()] {
                assert_eq!(g.bearing(t), Bearing::default(), "{g:?}");
                assert!(Side::BOTH.iter().all(|s| g.reach(*s, t).is_none_or(|(weight, _)| weight == 0.0)), "{g:?}");
            }
            assert!(g.events().iter().all(|e| e.time_s < g.seconds()));
        }
    }
}
