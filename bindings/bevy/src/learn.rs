//! Fits models that do not stand at rest, once they have moved for a while.

use crate::components::MotionKind;
use crate::model::{MotionRoles, Nodes, fit, show_on, skeleton_of};
use crate::unknown_body::UnknownBody;
use bevy_ecs::prelude::*;
use footwork::pose::Pose;
use tracing::error;

/// Collects poses of models that are not fitted yet, and fits them once the poses suffice.
pub fn learn_bodies(
    mut commands: Commands,
    mut unknown: Query<(Entity, &mut UnknownBody, &mut MotionKind, Option<&MotionRoles>)>,
    nodes: Nodes,
) {
    for (entity, mut body, mut kind, roles) in &mut unknown {
        let Some(nodes) = nodes.read(entity) else { continue };
        let Ok(skeleton) = skeleton_of(&nodes, false) else { continue };
        let pose = Pose::rest(&skeleton);
        match body.poses.last() {
            Some(last) if *last == pose => continue,
            // Another model has taken the place of the first.
            Some(last) if last.rotations.len() != pose.rotations.len() => body.poses.clear(),
            _ => {}
        }
        body.poses.push(pose);
        if !body.poses.len().is_multiple_of(UnknownBody::EVERY) {
            continue;
        }
        let given = roles.map(|r| r.0.clone()).unwrap_or_default();
        match fit(&kind.character, &nodes, &given, &body.poses) {
            Ok(fitted) => show_on(&mut commands, entity, &mut kind, &nodes, fitted),
            Err(_) if body.poses.len() < UnknownBody::MOST => continue,
            Err(e) => error!("{entity}: its model stays as it is: {e}"),
        }
        commands.entity(entity).remove::<UnknownBody>();
    }
}
