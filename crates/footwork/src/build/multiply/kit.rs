//! What is known of the body whose clips are made.

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
    /// Left, right.
    pub legs: [Leg; 2],
    /// Which contact joint each leg ends in.
    pub slots: [usize; 2],
    pub contact_joints: usize,
}

impl<'a> Kit<'a> {
    /// `None` for bodies that do not go on a left and a right leg.
    pub fn new(skeleton: &'a Skeleton, rig: &Rig) -> Option<Self> {
        let body = rig.body.as_ref()?;
        let [Some(a), Some(b)] = body.legs[..] else { return None };
        let left = rig.roles.get("left_up_leg").or(rig.roles.get("left_foot"))?;
        let hangs_from =
            |leg: &Leg| std::iter::successors(Some(leg.toe), |j| skeleton.parents()[j.at()]).any(|j| j == left);
        let (legs, slots) = if hangs_from(&a) { ([a, b], [0, 1]) } else { ([b, a], [1, 0]) };
        Some(Self { skeleton, hips: body.hips, legs, slots, contact_joints: 2 })
    }

    /// The touching joint and the ankle's rotation in root space, the toes' in the ankle's.
    pub fn foot(&self, pose: &Pose, side: usize) -> (Vec3, Quat, Quat) {
        let leg = self.legs[side];
        let ankle = pose.in_root(self.skeleton, leg.ankle);
        if leg.toe == leg.ankle {
            return (ankle.translation, ankle.rotation, Quat::IDENTITY);
        }
        let toe = pose.local(leg.toe);
        ((ankle * toe).translation, ankle.rotation, toe.rotation)
    }

    /// Where a flat foot points, radians from root forward.
    pub fn foot_yaw_rad(&self, pose: &Pose, side: usize) -> f32 {
        let leg = self.legs[side];
        let (toe, ankle, _) = self.foot(pose, side);
        let along = toe - pose.in_root(self.skeleton, leg.ankle).translation;
        let facing = Facing::from_direction(along).filter(|_| leg.toe != leg.ankle);
        facing.unwrap_or_else(|| Facing::from_rotation(ankle.yaw_twist())).yaw()
    }
}

/// Between two directions, radians, 0 to pi.
pub fn angle_rad(a: Vec3, b: Vec3) -> f32 {
    atan2(a.cross(b).length(), a.dot(b))
}

/// What is left of an excess (0 or more) that never gets to `most`: all of it at first, then less and less.
pub fn less_and_less(excess: f32, most: f32) -> f32 {
    most * excess / (most + excess)
}
