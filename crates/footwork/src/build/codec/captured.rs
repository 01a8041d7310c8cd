//! The poses to encode.

use crate::frames::JointIndex;
use crate::math::Transform;
use crate::motion::PosePool;
use crate::skeleton::Skeleton;
use glam::Vec3;

/// The poses to encode.
#[derive(Clone, Copy)]
pub struct Captured<'a> {
    pub skeleton: &'a Skeleton,
    pub poses: &'a PosePool,
    pub contact_joints: &'a [JointIndex],
}

/// Writes the places of all joints in a frame of a pool, relative to `from`.
pub fn place(skeleton: &Skeleton, poses: &PosePool, frame: usize, from: Vec3, world: &mut Vec<Transform>) {
    let rotations = &poses.rotations[frame * poses.joints..][..poses.joints];
    let translations = &poses.translations[frame * poses.translated.len()..][..poses.translated.len()];
    world.clear();
    let mut next = 0;
    for (j, parent) in skeleton.parents().iter().enumerate() {
        let moves = poses.translated.get(next).is_some_and(|t| t.at() == j);
        let at = if moves { translations[next] } else { skeleton.rest()[j].translation };
        next += usize::from(moves);
        let local = Transform::new(at, rotations[j]);
        world.push(parent.map_or(Transform::new(at - from, rotations[j]), |p| world[p.at()] * local));
    }
}
