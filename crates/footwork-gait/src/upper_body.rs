//! Spine, head and arms: the trunk turns against the pelvis, arms against the legs, the head looks where it goes.

use crate::body::joint;
use crate::path::PathPoint;
use crate::pelvis::Trunk;
use footwork::math::{Quat, lerp, sin};
use glam::Vec3;
use std::f32::consts::TAU;

/// Writes the local rotations of all joints above the pelvis into `local`.
pub(crate) fn pose(p: &PathPoint, trunk: &Trunk, i: usize, time_s: f32, local: &mut [Quat]) {
    let (run, moving) = (trunk.run[i], trunk.moving[i]);
    // Saturates: in a turn at full run the feet are further apart than in any stride.
    let stride = trunk.stride[i];
    let stride = stride / (1.0 + 0.4 * stride * stride).sqrt();
    let breath = trunk.idle[i] * sin(TAU * time_s * 0.3);

    // The chest answers the pelvis the other way round and otherwise faces ahead.
    let counter = lerp(0.08, 0.16, run) * stride * moving;
    let chest = Quat::from_rotation_y(counter + 0.15 * p.twist)
        * Quat::from_rotation_vector(trunk.lean[i] + Vec3::new(0.01 * breath, 0.0, 0.0));
    let third = (trunk.rotation[i].inverse() * chest).to_rotation_vector() * (1.0 / 3.0);
    let part = Quat::from_rotation_vector(third);
    for j in [joint::SPINE, joint::SPINE1, joint::SPINE2] {
        local[j] = part;
    }

    // Gaze is level and turns ahead of the body.
    let lead = (0.12 * p.yaw_rate) / (1.0 + 0.2 * p.yaw_rate.abs());
    let gaze = Quat::from_rotation_y(lead);
    let neck = (chest.inverse() * gaze).to_rotation_vector();
    local[joint::NECK] = Quat::from_rotation_vector(neck * 0.45);
    local[joint::HEAD] = local[joint::NECK].inverse() * (chest.inverse() * gaze);

    // Arms swing against the legs, wider in the run, with bent elbows.
    let swing = lerp(0.55, 0.75, run) * stride * moving * lerp(0.5, 1.0, p.along.abs());
    for side in [1.0f32, -1.0] {
        let [shoulder, arm, fore_arm, hand] = if side > 0.0 {
            [joint::LEFT_SHOULDER, joint::LEFT_ARM, joint::LEFT_FORE_ARM, joint::LEFT_HAND]
        } else {
            [joint::RIGHT_SHOULDER, joint::RIGHT_ARM, joint::RIGHT_FORE_ARM, joint::RIGHT_HAND]
        };
        // The left arm goes ahead when the left leg is behind.
        let forward = -side * swing - 0.12 * run;
        let elbow = lerp(lerp(0.22, 0.38, moving), 1.45, run) + 0.45 * forward * lerp(moving, 0.6, run);
        let hang = lerp(1.38, 1.30, run);
        local[shoulder] = Quat::from_rotation_z(side * 0.015 * breath);
        local[arm] = Quat::from_rotation_x(-forward)
            * Quat::from_rotation_z(-side * hang)
            * Quat::from_rotation_x(lerp(0.25, 0.4, run));
        local[fore_arm] = Quat::from_rotation_y(-side * elbow);
        local[hand] = Quat::from_rotation_y(-side * 0.1);
    }
}
