//! Models that stand neither in their rest pose nor in their bind pose: their own animation shows how the body is built.

use bevy_ecs::prelude::*;
use footwork::frames::JointIndex;
use footwork::math::Transform;
use footwork::pose::Pose;
use footwork::roles::JointRoles;
use footwork::skeleton::Skeleton;
use glam::Vec3;

/// Marks a character whose model stands neither in its rest pose nor in its bind pose. Its poses are collected while Bevy's animation
/// moves it, until they show how the body is built.
#[derive(Component, Debug, Default)]
pub struct UnknownBody {
    /// `[frames]` observed poses, in the space of the character.
    pub poses: Vec<Pose>,
}

impl UnknownBody {
    /// The fit is tried after so many poses, and again after each such number: a second at 60 Hz.
    pub const EVERY: usize = 60;
    /// After so many poses the last error is reported.
    pub const MOST: usize = 600;
}

/// Returns the positions of the joints in some of the poses: `[poses]` `[joints]`, metres.
pub fn places(skeleton: &Skeleton, poses: &[Pose]) -> Vec<Vec<Vec3>> {
    const SOME: usize = 16;
    let place = |pose: &Pose| {
        let mut world = Vec::new();
        pose.world(skeleton, &mut world);
        world.iter().map(|t| t.translation).collect()
    };
    poses.iter().step_by(poses.len().div_ceil(SOME)).map(place).collect()
}

/// Returns the poses with a root that travels so that the lower foot stays in place: animations are often made in place, and planted
/// feet are recognised by their rest.
pub fn with_travel(skeleton: &Skeleton, roles: &JointRoles, poses: &[Pose]) -> Vec<Pose> {
    let foot = |side: &str| {
        let role = |part: &str| roles.get(&format!("{side}_{part}"));
        role("toe").or_else(|| role("foot")).map(JointIndex::at)
    };
    let feet: Vec<usize> = ["left", "right"].into_iter().filter_map(foot).collect();
    let (mut before, mut world, mut travel): (Vec<Transform>, Vec<Transform>, Vec3) = Default::default();
    let mut travelled = Vec::with_capacity(poses.len());
    for pose in poses {
        pose.world(skeleton, &mut world);
        let lower = feet.iter().copied().min_by(|a, b| world[*a].translation.y.total_cmp(&world[*b].translation.y));
        // The first pose has none before it.
        if let Some((foot, before)) = lower.and_then(|foot| Some((foot, before.get(foot)?))) {
            travel -= (world[foot].translation - before.translation) * Vec3::new(1.0, 0.0, 1.0);
        }
        before.clone_from(&world);
        let mut pose = pose.clone();
        pose.translations[0] += travel;
        travelled.push(pose);
    }
    travelled
}
