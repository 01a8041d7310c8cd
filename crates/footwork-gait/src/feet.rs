//! Foot in contact: it lands on the heel, is flat, rises over the ball and leaves over the tips of the toes.

use crate::body::{ANKLE_M, FOOT_M, HEEL_M, TOE_HEIGHT_M, TOE_M};
use crate::footsteps::Stance;
use footwork::advanced::math::{acos, atan2};
use footwork::math::Quat;
use glam::Vec3;

/// State of a foot, world space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FootState {
    pub ankle: Vec3,
    /// Foot yaw, unwrapped.
    pub yaw: f32,
    /// Rise of the heel against the horizontal, radians; negative is toe up.
    pub pitch: f32,
    /// Pitch of the toes against the horizontal, radians.
    pub toe_pitch: f32,
    /// True if the toe joint is planted.
    pub planted: bool,
    /// True if heel or toes touch the ground.
    pub loaded: bool,
}

/// Returns the axes of the ground under a stance, with the yaw of the foot.
fn sole(s: &Stance) -> Quat {
    Quat::from_rotation_y(s.yaw) * Quat::from_rotation_x(s.slope)
}

/// Returns the toe joint of a planted foot whose toes have risen by `tip` over their tips.
pub(crate) fn toe_joint(s: &Stance, tip: f32) -> Vec3 {
    let turn = sole(s);
    let pivot = Vec3::new(0.0, 0.0, TOE_M);
    s.toe + turn * (pivot + Quat::from_rotation_x(tip) * Vec3::new(0.0, TOE_HEIGHT_M, -TOE_M))
}

/// Returns the ankle of a foot in contact. With positive pitch, it rotates about the toe joint; with negative pitch, about the
/// heel. `pitch` is relative to the ground.
pub(crate) fn ankle_in_contact(s: &Stance, tip: f32, pitch: f32) -> Vec3 {
    let turn = sole(s) * Quat::from_rotation_x(pitch);
    if pitch >= 0.0 {
        toe_joint(s, tip) + turn * Vec3::new(0.0, ANKLE_M - TOE_HEIGHT_M, -FOOT_M)
    } else {
        s.toe + sole(s) * Vec3::new(0.0, 0.0, -FOOT_M - HEEL_M) + turn * Vec3::new(0.0, ANKLE_M, HEEL_M)
    }
}

/// Returns the rise of the heel from the ground at which the ankle is `reach_m` from the hip, radians; negative if no rise is
/// needed.
pub(crate) fn needed_pitch(hip: Vec3, s: &Stance, tip: f32, reach_m: f32) -> f32 {
    let local = sole(s).inverse() * (hip - toe_joint(s, tip));
    let in_plane = (local.y * local.y + local.z * local.z).sqrt();
    let up = ANKLE_M - TOE_HEIGHT_M;
    let radius = (FOOT_M * FOOT_M + up * up).sqrt();
    let c = (in_plane * in_plane + radius * radius + local.x * local.x - reach_m * reach_m) / (2.0 * radius * in_plane);
    // Angles about the toe, measured from the ground behind it: of the hip, and of the ankle in a flat foot.
    atan2(local.y, -local.z) - acos(c.clamp(-1.0, 1.0)) - atan2(up, FOOT_M)
}

/// Returns the positions of heel, ball and tip of a foot in the air: distances below the ankle and ahead of it, metres.
pub(crate) fn lowest(pitch: f32, toe_pitch: f32) -> [(f32, f32); 3] {
    let foot = Quat::from_rotation_x(pitch);
    let heel = foot * Vec3::new(0.0, -ANKLE_M, -HEEL_M);
    let joint = foot * Vec3::new(0.0, TOE_HEIGHT_M - ANKLE_M, FOOT_M);
    let toes = Quat::from_rotation_x(toe_pitch);
    let ball = joint + toes * Vec3::new(0.0, -TOE_HEIGHT_M, 0.0);
    let tip = joint + toes * Vec3::new(0.0, -TOE_HEIGHT_M, TOE_M);
    [heel, ball, tip].map(|p| (-p.y, p.z))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stance() -> Stance {
        Stance {
            heel_s: 0.0,
            flat_s: 0.1,
            tip_s: 0.5,
            end_s: 0.6,
            toe: Vec3::new(0.1, 0.0, 0.3),
            yaw: 0.2,
            slope: 0.0,
            vary: Default::default(),
        }
    }

    #[test]
    fn the_pivots_agree_where_the_foot_is_flat() {
        let s = stance();
        let (a, b) = (ankle_in_contact(&s, 0.0, 1e-6), ankle_in_contact(&s, 0.0, -1e-6));
        assert!((a - b).length() < 1e-5 && (a.y - ANKLE_M).abs() < 1e-5);
        assert!((toe_joint(&s, 0.0) - Vec3::new(0.1, TOE_HEIGHT_M, 0.3)).length() < 1e-6);
    }

    #[test]
    fn the_heel_rises_only_where_the_leg_is_too_short() {
        let s = Stance { yaw: 0.0, ..stance() };
        let near = Vec3::new(0.1, 0.85, 0.2);
        assert!(needed_pitch(near, &s, 0.0, 0.855) < 0.0);
        let far = Vec3::new(0.1, 0.88, 0.65);
        let pitch = needed_pitch(far, &s, 0.0, 0.85);
        assert!(pitch > 0.3);
        assert!(((ankle_in_contact(&s, 0.0, pitch) - far).length() - 0.85).abs() < 1e-4);
    }

    #[test]
    fn the_sole_of_a_flat_foot_is_level() {
        for (down, _) in lowest(0.0, 0.0) {
            assert!((down - ANKLE_M).abs() < 1e-6);
        }
        let [heel, ball, tip] = lowest(0.5, 0.0).map(|p| p.0);
        assert!(heel < ball && (ball - tip).abs() < 1e-6);
    }
}
