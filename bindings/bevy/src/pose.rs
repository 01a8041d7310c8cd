//! Conversion of poses from the clips' skeleton to the model's entities, and back.

use crate::components::{MotionKind, MotionOutput, MotionPaused, MotionState};
use crate::convert::{from_quat, from_vec, into_quat, into_root, into_vec};
use crate::model::{Fit, MotionJoint, MotionModel};
use crate::plugin_state::PluginState;
use bevy_ecs::prelude::*;
use bevy_reflect::prelude::*;
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;
use footwork::math;
use footwork::pose::Pose;
use tracing::warn;

/// Weights of motion matching for parts of a model; Bevy's animation gets the rest, for waving arms or a face. Default: full
/// weight.
///
/// Joints with a weight below 1 need an animation that writes them every frame.
#[derive(Component, Clone, Debug, PartialEq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
pub struct MotionMask {
    /// Role (`spine`, `left_up_arm`) or name of a joint, and the weight of motion matching from there downwards, 0 to 1.
    /// Later entries override earlier ones.
    pub joints: Vec<(String, f32)>,
    /// Factor of all weights, 0 to 1. Default: 1.
    pub weight: f32,
}

impl Default for MotionMask {
    fn default() -> Self {
        Self::of_weight(1.0)
    }
}

impl MotionMask {
    /// Returns a mask that leaves joints, and all joints below them, to Bevy's animation.
    pub fn without(joints: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { joints: joints.into_iter().map(|j| (j.into(), 0.0)).collect(), weight: 1.0 }
    }

    /// Returns a mask with the same weight for all joints.
    pub fn of_weight(weight: f32) -> Self {
        Self { joints: Vec::new(), weight }
    }
}

/// Sets the weights of joints from masks.
pub(crate) fn apply_masks(
    masked: Query<(&MotionModel, &MotionMask), Or<(Changed<MotionMask>, Added<MotionModel>)>>,
    mut unmasked: RemovedComponents<MotionMask>,
    models: Query<&MotionModel>,
    mut joints: Query<&mut MotionJoint>,
) {
    for model in unmasked.read().filter_map(|e| models.get(e).ok()) {
        set_weights(model, &vec![1.0; model.skeleton.len()], &mut joints);
    }
    for (model, mask) in &masked {
        let mut weights = vec![1.0; model.skeleton.len()];
        for (name, weight) in &mask.joints {
            let Some(from) = model.joint(name) else {
                warn!("motion mask: neither a role nor a joint of the model: `{name}`");
                continue;
            };
            let mut below = vec![false; weights.len()];
            for j in 0..weights.len() {
                below[j] = j == from.at() || model.skeleton.parents()[j].is_some_and(|p| below[p.at()]);
            }
            weights.iter_mut().zip(&below).filter(|(_, b)| **b).for_each(|(w, _)| *w = *weight);
        }
        weights.iter_mut().for_each(|w| *w = (*w * mask.weight).clamp(0.0, 1.0));
        set_weights(model, &weights, &mut joints);
    }
}

fn set_weights(model: &MotionModel, weights: &[f32], joints: &mut Query<&mut MotionJoint>) {
    for (entity, weight) in model.entities.iter().zip(weights) {
        if let Ok(mut joint) = joints.get_mut(*entity) {
            joint.weight = *weight;
        }
    }
}

/// Converts the clips' poses to the models, in parallel.
pub(crate) fn pose_models(
    mut models: Query<(&MotionOutput, &mut MotionModel), Without<MotionPaused>>,
    time: Res<Time>,
) {
    let dt_s = time.delta_secs();
    models.par_iter_mut().for_each(|(output, mut model)| {
        let model = &mut *model;
        model.previous.copy_from(&model.pose);
        let touching = model.contacts.map(|c| c.is_some_and(|c| output.0.contacts[c].touching));
        model.fit.show(&output.0.pose, touching, dt_s, &mut model.feet, &mut model.pose);
        if !std::mem::replace(&mut model.shown, true) {
            model.previous.copy_from(&model.pose);
        }
    });
}

/// Position of the frame between the last two fixed steps, 0 to 1; 1 if every frame is a step.
#[derive(Resource, Clone, Copy, Debug)]
pub(crate) struct Overstep(pub f32);

pub(crate) fn read_overstep(mut overstep: ResMut<Overstep>, time: Option<Res<Time<Fixed>>>) {
    overstep.0 = time.map_or(1.0, |t| t.overstep_fraction());
}

/// Writes the joints of all models, in parallel.
pub(crate) fn write_joints(
    mut joints: Query<(&MotionJoint, &mut Transform), Without<MotionModel>>,
    models: Query<(&MotionModel, &MotionKind, &Transform), Without<MotionPaused>>,
    overstep: Res<Overstep>,
) {
    let alpha = overstep.0;
    joints.par_iter_mut().for_each(|(joint, mut transform)| {
        if joint.weight == 0.0 {
            return;
        }
        let Ok((model, _, at)) = models.get(joint.character) else { return };
        let mut local = between(&model.previous, &model.pose, joint.joint, alpha);
        if let Some(entity_from_parent) = joint.top {
            let root = between(&model.previous, &model.pose, 0, alpha);
            let moved = into_root(at, 1.0).inverse() * root;
            local = entity_from_parent.inverse() * moved * entity_from_parent * local;
        }
        let translation = from_vec(local.translation) * joint.per_metre;
        let rotation = from_quat(local.rotation);
        if joint.weight >= 1.0 {
            (transform.translation, transform.rotation) = (translation, rotation);
        } else {
            transform.translation = transform.translation.lerp(translation, joint.weight);
            transform.rotation = transform.rotation.slerp(rotation, joint.weight);
        }
    });
}

/// Interpolates a joint between two poses.
pub(crate) fn between(a: &Pose, b: &Pose, joint: usize, alpha: f32) -> math::Transform {
    let to = math::Transform::new(b.translations[joint], b.rotations[joint]);
    if alpha >= 1.0 {
        return to;
    }
    let from = a.translations[joint];
    math::Transform::new(from + (to.translation - from) * alpha, a.rotations[joint].nlerp(to.rotation, alpha))
}

/// Tracks the poses of paused models, so that motion can continue from them.
pub(crate) fn watch_paused(
    mut models: Query<(&Transform, &mut MotionModel), With<MotionPaused>>,
    joints: Query<(&MotionJoint, &Transform), Without<MotionModel>>,
    time: Res<Time>,
) {
    for (at, mut model) in &mut models {
        let MotionModel { entities, watched, fit, skeleton, .. } = &mut *model;
        watched.model.set_world_from_root(into_root(at, 1.0));
        for (j, entity) in entities.iter().enumerate().skip(1) {
            let Ok((joint, transform)) = joints.get(*entity) else { continue };
            let translation = into_vec(transform.translation / joint.per_metre);
            (watched.model.translations[j], watched.model.rotations[j]) = (translation, into_quat(transform.rotation));
        }
        if let Fit::Retargeted(maps) = fit {
            stand_over_hips(skeleton, maps[0].target.roles.get("hips"), &mut watched.model);
        }
        std::mem::swap(&mut watched.before, &mut watched.now);
        fit.read(&watched.model, &mut watched.now);
        watched.frames += 1;
        if watched.frames > 1 {
            watched.velocity.between(&watched.before, &watched.now, time.delta_secs());
        }
    }
}

/// Moves the root below the hips, because a ragdoll does not move its entity.
fn stand_over_hips(
    skeleton: &footwork::skeleton::Skeleton,
    hips: Option<footwork::frames::JointIndex>,
    pose: &mut Pose,
) {
    const FAR_M: f32 = 0.5;
    let Some(hips) = hips else { return };
    let root = pose.world_from_root();
    let at = pose.in_root(skeleton, hips).translation;
    let aside = glam::Vec3::new(at.x, 0.0, at.z);
    if aside.length() < FAR_M {
        return;
    }
    pose.set_world_from_root(math::Transform::new(root.point(aside), root.rotation));
    for j in (1..skeleton.len()).filter(|j| skeleton.parents()[*j].is_some_and(|p| p.at() == 0)) {
        pose.translations[j] -= aside;
    }
}

/// Marks a character whose motion is no longer paused, so that it continues from the pose shown.
pub(crate) fn mark_entering(paused: On<Remove, MotionPaused>, mut characters: Query<&mut PluginState>) {
    if let Ok(mut plugin_state) = characters.get_mut(paused.entity) {
        plugin_state.enters = true;
    }
}

pub(crate) fn enter_shown(
    mut characters: Query<(
        &MotionKind,
        &mut MotionState,
        &mut MotionOutput,
        &mut PluginState,
        Option<&mut MotionModel>,
    )>,
) {
    for (kind, mut state, mut output, mut plugin_state, model) in &mut characters {
        if !std::mem::take(&mut plugin_state.enters) {
            continue;
        }
        let Some(mut model) = model.filter(|m| m.watched.frames > 0) else { continue };
        let watched = &mut model.watched;
        watched.frames = 0;
        let shown = (&watched.now, &watched.velocity);
        let entered = kind.character.enter(shown, &mut state.0, &mut kind.character.scratch(), &mut output.0);
        plugin_state.result = entered.err();
        plugin_state.written = None;
        (model.feet, model.shown) = (Default::default(), false);
    }
}
