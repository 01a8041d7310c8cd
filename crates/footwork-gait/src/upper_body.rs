//! Spine, head and arms: the trunk rotates against the pelvis, the arms swing against the legs, the head turns into the path.

use crate::body::joint;
use crate::gestures::Bearing;
use crate::path::PathPoint;
use crate::pelvis::Trunk;
use footwork::advanced::math::{lerp, sin};
use footwork::math::Quat;
use glam::Vec3;
use std::f32::consts::TAU;

/// Inputs of the upper body in addition to the state of the trunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attention {
    pub time_s: f32,
    /// Yaw of the head relative to the facing, in radians.
    pub gaze: f32,
    /// Rotations that a gesture adds.
    pub bearing: Bearing,
}

/// 18 breaths a minute (adults: 12 to 20, answers.com/t/respiratory-rate).
const BREATHS_HZ: f32 = 0.3;
/// Amplitude of the shoulder joint at a stride of 1 m, radians, walking and running: an arc of 25 to 30 degrees at a normal walk
/// (24.6, discovery.researcher.life 556c2ee5; 30, Perry).
const ARM_SWING_RAD: [f32; 2] = [0.40, 0.62];
/// Elbow flexion of a standing, a walking and a running person, radians: nearly straight in a walk, square in a run (J. Exp.
/// Biol. 222:jeb197228).
const ELBOW_RAD: [f32; 3] = [0.22, 0.34, 1.5];

/// Elbow flexion in a crouch, and the angle of the upper arms ahead of the leaning trunk, radians: the hands are in front of the
/// body.
const CROUCHED_ELBOW_RAD: f32 = 1.25;
const CROUCHED_ARM_RAD: f32 = 0.62;

/// Writes the local rotations of all joints above the pelvis into `local`.
pub(crate) fn pose(p: &PathPoint, trunk: &Trunk, i: usize, attention: Attention, local: &mut [Quat]) {
    let (run, moving) = (trunk.run[i], trunk.moving[i]);
    // Saturates: in a turn at full run, the feet are further apart than in any stride.
    let stride = trunk.stride[i];
    let stride = stride / (1.0 + 0.4 * stride * stride).sqrt();
    let breath = trunk.idle[i] * sin(TAU * attention.time_s * BREATHS_HZ);
    let lively = 1.0 + 0.09 * trunk.arms[i];

    // The chest rotates against the pelvis and otherwise faces forward.
    let counter = lerp(0.07, 0.13, run) * stride * moving * lively;
    let bearing = attention.bearing;
    let chest = Quat::from_rotation_y(counter + 0.15 * p.twist + 0.12 * attention.gaze + bearing.chest.x)
        * Quat::from_rotation_vector(trunk.lean[i] + Vec3::new(0.012 * breath + bearing.chest.y, 0.0, 0.0));
    let third = (trunk.rotation[i].inverse() * chest).to_rotation_vector() * (1.0 / 3.0);
    let part = Quat::from_rotation_vector(third);
    for j in [joint::SPINE, joint::SPINE1, joint::SPINE2] {
        local[j] = part;
    }

    // The head is level, with a nod in each step, and turns in advance of the body.
    let nod = 0.012 * moving * (1.0 - 2.0 * trunk.support[i].abs());
    let gaze = Quat::from_rotation_y(attention.gaze + bearing.gaze.x)
        * Quat::from_rotation_x(0.03 * moving + nod + bearing.gaze.y);
    let neck = (chest.inverse() * gaze).to_rotation_vector();
    local[joint::NECK] = Quat::from_rotation_vector(neck * 0.45);
    local[joint::HEAD] = local[joint::NECK].inverse() * (chest.inverse() * gaze);

    // Arms swing against the legs, wider in the run, with bent elbows.
    let swing =
        lerp(ARM_SWING_RAD[0], ARM_SWING_RAD[1], run) * stride * moving * lively * lerp(0.5, 1.0, p.along.abs());
    // The forearm follows the upper arm: it lags by about a tenth of a stride.
    let late = trunk.stride[i.saturating_sub(trunk.lag)];
    let late = late / (1.0 + 0.4 * late * late).sqrt() * moving * lively;
    for side in [1.0f32, -1.0] {
        let [shoulder, arm, fore_arm, hand] = if side > 0.0 {
            [joint::LEFT_SHOULDER, joint::LEFT_ARM, joint::LEFT_FORE_ARM, joint::LEFT_HAND]
        } else {
            [joint::RIGHT_SHOULDER, joint::RIGHT_ARM, joint::RIGHT_FORE_ARM, joint::RIGHT_HAND]
        };
        // The left arm moves forward when the left leg is behind.
        let quiet = 1.0 - 0.5 * p.crouch;
        let forward = -side * swing * quiet + lerp(0.03 * moving, -0.15, run) + CROUCHED_ARM_RAD * p.crouch;
        let elbow = lerp(lerp(ELBOW_RAD[0], ELBOW_RAD[1], moving), ELBOW_RAD[2], run);
        let elbow = lerp(elbow, CROUCHED_ELBOW_RAD, p.crouch) - side * late * lerp(0.28, 0.35, run) * quiet;
        let hang = lerp(1.40, 1.33, run) - 0.02 * breath - 0.12 * p.crouch;
        local[shoulder] = Quat::from_rotation_y(-0.1 * forward) * Quat::from_rotation_z(side * 0.02 * breath);
        local[arm] = Quat::from_rotation_x(-forward)
            * Quat::from_rotation_z(-side * hang)
            * Quat::from_rotation_x(lerp(0.25, 0.4, run));
        local[fore_arm] = Quat::from_rotation_y(-side * elbow.max(0.08));
        local[hand] = Quat::from_rotation_y(-side * lerp(0.15, 0.05, run));
    }
}
