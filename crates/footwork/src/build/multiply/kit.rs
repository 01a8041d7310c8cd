//! Body whose clips are made.

use crate::frames::JointIndex;
use crate::math::{Facing, Quat, atan2};
use crate::pose::Pose;
use crate::rig::{Leg, Rig};
use crate::skeleton::Skeleton;
use glam::Vec3;

/// A body on two legs.
#[derive(Clone, Copy, Debug)]
pub struct Kit<'a> {
    pub skeleton: &'a Skeleton,
    pub hips: JointIndex,
    /// Legs: left, right.
    pub legs: [Leg; 2],
    /// Index of the contact joint of each leg.
    pub slots: [usize; 2],
    pub contact_joints: usize,
}

impl<'a> Kit<'a> {
    /// Creates the kit. Returns `None` for bodies without exactly one left and one right leg.
    pub fn new(skeleton: &'a Skeleton, rig: &Rig) -> Option<Self> {
        let body = rig.body.as_ref()?;
        let [Some(a), Some(b)] = body.legs[..] else { return None };
        let left = rig.roles.get("left_up_leg").or(rig.roles.get("left_foot"))?;
        let hangs_from = |leg: &Leg| skeleton.chain(leg.toe).any(|j| j == left);
        let (legs, slots) = if hangs_from(&a) { ([a, b], [0, 1]) } else { ([b, a], [1, 0]) };
        Some(Self { skeleton, hips: body.hips, legs, slots, contact_joints: 2 })
    }

    /// Returns the position of the contact joint and the rotation of the ankle in root space, and the rotation of the toes
    /// in the ankle's space.
    pub fn foot(&self, pose: &Pose, side: usize) -> (Vec3, Quat, Quat) {
        let leg = self.legs[side];
        let ankle = pose.in_root(self.skeleton, leg.ankle);
        if leg.toe == leg.ankle {
            return (ankle.translation, ankle.rotation, Quat::IDENTITY);
        }
        let toe = pose.local(leg.toe);
        ((ankle * toe).translation, ankle.rotation, toe.rotation)
    }

    /// Returns the direction of a flat foot, in radians from root forward.
    pub fn foot_yaw_rad(&self, pose: &Pose, side: usize) -> f32 {
        let leg = self.legs[side];
        let (toe, ankle, _) = self.foot(pose, side);
        let along = toe - pose.in_root(self.skeleton, leg.ankle).translation;
        let facing = Facing::from_direction(along).filter(|_| leg.toe != leg.ankle);
        facing.unwrap_or_else(|| Facing::from_rotation(ankle.yaw_twist())).yaw()
    }
}

/// Returns the angle between two directions in radians, 0 to pi.
pub fn angle_rad(a: Vec3, b: Vec3) -> f32 {
    atan2(a.cross(b).length(), a.dot(b))
}

/// Compresses an excess (0 or more) smoothly to stay below `most`. Small values stay almost unchanged.
pub fn less_and_less(excess: f32, most: f32) -> f32 {
    most * excess / (most + excess)
}

/// Blends a share `t` of another pose into `pose`.
pub fn mix_in(pose: &mut Pose, other: &Pose, t: f32) {
    for j in 0..pose.len() {
        pose.translations[j] = pose.translations[j].lerp(other.translations[j], t);
        pose.rotations[j] = Quat::nlerp(pose.rotations[j], other.rotations[j], t);
    }
}

/// Closes a cycle: distributes the difference between the pose that follows `poses` and their first one over them. Joint 0 stays.
pub fn close_gap(poses: &mut [Pose], after: &Pose) {
    let first = poses[0].clone();
    let n = poses.len() as f32;
    for (k, pose) in poses.iter_mut().enumerate() {
        let share = k as f32 / n;
        for j in 1..pose.len() {
            let gap = (after.rotations[j].inverse() * first.rotations[j]).to_rotation_vector();
            pose.translations[j] += (first.translations[j] - after.translations[j]) * share;
            pose.rotations[j] = (pose.rotations[j] * Quat::from_rotation_vector(gap * share)).renormalize();
        }
    }
}
