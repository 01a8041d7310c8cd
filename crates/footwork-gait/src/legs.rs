//! Legs: the heel rises where the leg would be too short, then hip, knee and ankle follow by the cosine rule.

use crate::body::{ANKLE_M, FOOT_M, SHANK_M, THIGH_M, TOE_HEIGHT_M};
use crate::feet::{FootState, ankle};
use crate::shapes::{ramp, smooth_max};
use footwork::math::{Quat, acos, atan2, lerp};
use glam::Vec3;

/// The longest hip-to-ankle distance that is planned for, metres: a knee flexed by about 13 degrees, for near full
/// extension the knee would have to turn faster than any knee can.
pub(crate) const REACH_M: f32 = 0.9935 * (THIGH_M + SHANK_M);
/// Rounding of the heel's rise, on the ground and in the air. Rounder than this a standing heel leaves the ground
/// visibly before it must; sharper, and the knee of a swinging leg snaps to a stop.
const HEEL_BLEND_RAD: [f32; 2] = [0.06, 0.22];

/// Rotations of one leg; `thigh` and `foot` in root space, `shank` and `foot_local` and `toe` to their parents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LegPose {
    pub thigh: Quat,
    pub shank: Quat,
    pub foot_local: Quat,
    pub toe: Quat,
}

/// The highest that a hip joint may be over a foot, metres, with the heel as high as its limit allows.
pub(crate) fn hip_limit(hip: Vec3, foot: &FootState) -> f32 {
    let a = ankle(foot.toe, Quat::from_rotation_y(foot.yaw), foot.pitch_limit);
    let (dx, dz) = (hip.x - a.x, hip.z - a.z);
    a.y + (REACH_M * REACH_M - dx * dx - dz * dz).max(0.25).sqrt()
}

/// How far the heel must rise for the ankle to be within reach of the hip, radians; negative where it need not.
fn needed_pitch(hip: Vec3, foot: &FootState) -> f32 {
    let local = Quat::from_rotation_y(-foot.yaw) * (hip - foot.toe);
    let in_plane = (local.y * local.y + local.z * local.z).sqrt();
    let radius = (FOOT_M * FOOT_M + (ANKLE_M - TOE_HEIGHT_M) * (ANKLE_M - TOE_HEIGHT_M)).sqrt();
    let c = (in_plane * in_plane + radius * radius + local.x * local.x - REACH_M * REACH_M) / (2.0 * radius * in_plane);
    // Angles about the toe from the horizontal behind it: of the hip, and of the ankle in a flat foot.
    let hip_angle = atan2(local.y, -local.z);
    let ankle_angle = atan2(ANKLE_M - TOE_HEIGHT_M, FOOT_M);
    hip_angle - acos(c) - ankle_angle
}

/// Where the ankle goes, and the pitch of the foot that takes it there.
pub(crate) fn ankle_target(hip: Vec3, foot: &FootState) -> (Vec3, f32) {
    let in_air = ramp(foot.toe.y - TOE_HEIGHT_M, 0.0, 0.04);
    let blend = lerp(HEEL_BLEND_RAD[0], HEEL_BLEND_RAD[1], in_air);
    let pitch = smooth_max(foot.pitch, needed_pitch(hip, foot), blend);
    (ankle(foot.toe, Quat::from_rotation_y(foot.yaw), pitch), pitch)
}

/// Solves a leg in root space. `knee_yaw` is where the knee points.
pub(crate) fn solve(hip: Vec3, foot: &FootState, knee_yaw: f32) -> LegPose {
    let (target, pitch) = ankle_target(hip, foot);
    let yaw = Quat::from_rotation_y(foot.yaw);
    let to = target - hip;
    let distance = to.length().clamp(0.2, 0.9999 * (THIGH_M + SHANK_M));
    let down = to * (1.0 / to.length());
    let pole = Quat::from_rotation_y(knee_yaw) * Vec3::Z;
    // The hinge lies across the plane of leg and knee direction; +X for a knee that points ahead.
    let hinge = pole.cross(down).normalize();
    let ahead = down.cross(hinge);
    let along = (THIGH_M * THIGH_M + distance * distance - SHANK_M * SHANK_M) / (2.0 * distance);
    let out = (THIGH_M * THIGH_M - along * along).max(0.0).sqrt();
    let knee = down * along + ahead * out;
    let (thigh_down, shank_down) = (knee * (1.0 / THIGH_M), (down * distance - knee) * (1.0 / SHANK_M));
    let bone = |direction: Vec3| Quat::from_axes(hinge, -direction, hinge.cross(-direction));
    let thigh = bone(thigh_down);
    let shank = bone(shank_down);
    let foot_world = yaw * Quat::from_rotation_x(pitch);
    // On the ground toes lie flat under a risen heel; in the air they follow the foot.
    let flat = 1.0 - ramp(foot.toe.y - TOE_HEIGHT_M, 0.0, 0.06);
    let toe_pitch = if pitch > 0.0 { -pitch * flat } else { 0.0 };
    LegPose {
        thigh,
        shank: thigh.inverse() * shank,
        foot_local: shank.inverse() * foot_world,
        toe: Quat::from_rotation_x(toe_pitch),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn foot(x: f32, z: f32) -> FootState {
        let toe = Vec3::new(x, TOE_HEIGHT_M, z);
        FootState { toe, yaw: 0.0, pitch: 0.0, pitch_limit: 1.0, planted: true, loaded: true }
    }

    #[test]
    fn the_ankle_is_met_and_the_knee_points_ahead() {
        let hip = Vec3::new(0.09, 0.86, 0.0);
        for f in [foot(0.09, 0.1), foot(0.15, -0.3), foot(0.0, 0.35), foot(0.3, 0.1)] {
            let leg = solve(hip, &f, 0.0);
            let knee = hip + leg.thigh * Vec3::new(0.0, -THIGH_M, 0.0);
            let shank = leg.thigh * leg.shank;
            let ankle = knee + shank * Vec3::new(0.0, -SHANK_M, 0.0);
            let toe = ankle + (shank * leg.foot_local) * Vec3::new(0.0, TOE_HEIGHT_M - ANKLE_M, FOOT_M);
            assert!((toe - f.toe).length() < 1e-4, "{toe} {}", f.toe);
            assert!(leg.shank.x > 0.0 && leg.shank.y.abs() < 1e-3, "flexion about +X");
            assert!(knee.z > 0.5 * (hip.z + ankle.z));
        }
    }

    #[test]
    fn the_heel_rises_only_where_the_leg_is_too_short() {
        let hip = Vec3::new(0.09, 0.88, 0.0);
        assert!(needed_pitch(hip, &foot(0.09, 0.1)) < 0.0);
        assert!(needed_pitch(hip, &foot(0.09, -0.3)) > 0.3);
    }
}
