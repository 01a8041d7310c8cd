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
    let local = |j: usize| {
        let local = poses.local(skeleton, frame, JointIndex::new(j));
        if j == 0 { Transform { translation: local.translation - from, ..local } } else { local }
    };
    skeleton.place(local, world);
}
