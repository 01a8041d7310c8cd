//! Position of a character: written to its `Transform`, or given to physics.

use crate::components::{MotionCharacter, MotionKind, MotionOutput, MotionPaused, MotionState, RootDriver, RootMotion};
use crate::components::{lift_m, shown_root};
use crate::convert::{from_matcher, from_quat, from_vec};
use crate::model::MotionModel;
use crate::plugin_state::PluginState;
use crate::pose::{Overstep, between};
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_transform::components::Transform;

/// Accumulates the displacement of a step.
pub(crate) fn track_roots(mut characters: Query<(&MotionKind, &MotionOutput, &mut RootMotion), Without<MotionPaused>>) {
    for (kind, output, mut motion) in &mut characters {
        let (root, velocity) = (output.0.pose.world_from_root(), &output.0.velocity);
        let delta = output.0.root_delta;
        motion.by_action = output.0.owns_root;
        motion.velocity = from_matcher(root.direction(velocity.linear[0]), kind.scale);
        motion.yaw_rate_radps = velocity.angular[0].y;
        let step = motion.rotation * from_matcher(delta.translation, kind.scale);
        motion.translation += step;
        motion.rotation = (motion.rotation * from_quat(delta.rotation)).normalize();
    }
}

/// Writes the `Transform` of characters that the animation moves.
pub(crate) fn write_roots(mut characters: Query<Written, Without<MotionPaused>>) {
    for ((character, kind, state), (mut transform, mut plugin_state), model) in &mut characters {
        let root = model.map_or_else(|| shown_root(kind, state), |m| place(m, lift_m(kind, state), 1.0));
        write(character, root, &mut transform, &mut plugin_state);
    }
}

/// Interpolates characters between two fixed steps.
pub(crate) fn interpolate_roots(mut characters: Query<Written, Without<MotionPaused>>, overstep: Res<Overstep>) {
    if overstep.0 >= 1.0 {
        return;
    }
    for ((character, kind, state), (mut transform, mut plugin_state), model) in &mut characters {
        let Some(model) = model else { continue };
        write(character, place(model, lift_m(kind, state), overstep.0), &mut transform, &mut plugin_state);
    }
}

/// Components for writing roots.
type Written<'a> = (
    (&'a MotionCharacter, &'a MotionKind, &'a MotionState),
    (&'a mut Transform, &'a mut PluginState),
    Option<&'a MotionModel>,
);

fn place(model: &MotionModel, lift_m: f32, alpha: f32) -> Transform {
    let root = between(&model.previous, &model.pose, 0, alpha);
    let translation = from_vec(root.translation) + Vec3::Y * lift_m;
    Transform::from_translation(translation).with_rotation(from_quat(root.rotation))
}

fn write(character: &MotionCharacter, root: Transform, transform: &mut Mut<Transform>, plugin_state: &mut PluginState) {
    if character.root == RootDriver::Transform {
        (transform.translation, transform.rotation) = (root.translation, root.rotation);
        plugin_state.written = Some(**transform);
    }
}
