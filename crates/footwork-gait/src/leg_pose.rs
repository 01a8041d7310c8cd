//! Pose of one leg: hip, knee and ankle follow from hip and foot by the cosine rule.

use crate::body::{SHANK_M, THIGH_M};
use crate::feet::FootState;
use footwork::advanced::math::lerp;
use footwork::math::Quat;
use glam::Vec3;

/// Rotations of one leg: `thigh` in root space, the others relative to their parents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LegPose {
    pub thigh: Quat,
    pub shank: Quat,
    pub foot: Quat,
    pub toe: Quat,
}

/// Returns the yaw of the knee, between those of pelvis and foot: hip and ankle share the rotation of the foot. In a crouch (1)
/// the knee is over the toes, within the outward rotation of a bent hip.
pub(crate) fn knee_yaw(pelvis_yaw: f32, foot_yaw: f32, crouch: f32) -> f32 {
    let turn = (foot_yaw - pelvis_yaw) * 2.3;
    lerp(pelvis_yaw, foot_yaw, lerp(0.45, 0.8 / (1.0 + turn * turn).sqrt(), crouch))
}

/// Returns the directions of a leg from hip to ankle: (hinge, thigh, shank), both bones pointing down.
fn bones(hip: Vec3, ankle: Vec3, knee_yaw: f32) -> (Vec3, Vec3, Vec3) {
    let to = ankle - hip;
    let distance = to.length().clamp(0.2, 0.9999 * (THIGH_M + SHANK_M));
    let down = to * (1.0 / to.length());
    let pole = Quat::from_rotation_y(knee_yaw) * Vec3::Z;
    // The hinge is perpendicular to the plane of leg and knee direction; +X for a knee that points forward.
    let hinge = pole.cross(down).normalize();
    let ahead = down.cross(hinge);
    let along = (THIGH_M * THIGH_M + distance * distance - SHANK_M * SHANK_M) / (2.0 * distance);
    let out = (THIGH_M * THIGH_M - along * along).max(0.0).sqrt();
    let knee = down * along + ahead * out;
    (hinge, knee * (1.0 / THIGH_M), (down * distance - knee) * (1.0 / SHANK_M))
}

/// Returns the position of the knee.
pub(crate) fn knee(hip: Vec3, ankle: Vec3, knee_yaw: f32) -> Vec3 {
    hip + bones(hip, ankle, knee_yaw).1 * THIGH_M
}

/// Solves a leg with a given yaw of the knee. Hip, foot and yaw are in one space, which is also that of the thigh's rotation.
pub(crate) fn solve(hip: Vec3, foot: &FootState, knee_yaw: f32) -> LegPose {
    let (hinge, thigh_down, shank_down) = bones(hip, foot.ankle, knee_yaw);
    let bone = |direction: Vec3| Quat::from_axes(hinge, -direction, hinge.cross(-direction));
    let thigh = bone(thigh_down);
    let shank = bone(shank_down);
    let sole = Quat::from_rotation_y(foot.yaw) * Quat::from_rotation_x(foot.pitch);
    LegPose {
        thigh,
        shank: thigh.inverse() * shank,
        foot: shank.inverse() * sole,
        toe: Quat::from_rotation_x(foot.toe_pitch - foot.pitch),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{ANKLE_M, FOOT_M, TOE_HEIGHT_M};
    use crate::stride::leg_length_m;

    #[test]
    fn the_ankle_is_met_and_the_knee_points_ahead() {
        let hip = Vec3::new(0.09, 0.86, 0.0);
        for (x, z) in [(0.09, 0.0), (0.15, -0.3), (0.0, 0.25), (0.3, 0.1)] {
            let ankle = Vec3::new(x, ANKLE_M, z);
            let foot = FootState { ankle, yaw: 0.0, pitch: 0.0, toe_pitch: 0.0, planted: true, loaded: true };
            let leg = solve(hip, &foot, 0.0);
            let knee = hip + leg.thigh * Vec3::new(0.0, -THIGH_M, 0.0);
            let shank = leg.thigh * leg.shank;
            assert!((knee + shank * Vec3::new(0.0, -SHANK_M, 0.0) - ankle).length() < 1e-4);
            let toe = ankle + (shank * leg.foot) * Vec3::new(0.0, TOE_HEIGHT_M - ANKLE_M, FOOT_M);
            assert!((toe.y - TOE_HEIGHT_M).abs() < 1e-4, "{toe}");
            assert!(leg.shank.x > 0.0 && leg.shank.y.abs() < 1e-3, "flexion about +X");
            assert!(knee.z > 0.5 * (hip.z + ankle.z));
        }
    }

    #[test]
    fn a_leg_is_as_long_as_its_knee_lets_it() {
        assert!((leg_length_m(0.0) - THIGH_M - SHANK_M).abs() < 1e-5);
        assert!(leg_length_m(1.0) < leg_length_m(0.5));
    }
}
