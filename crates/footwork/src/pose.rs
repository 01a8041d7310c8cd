//! Poses: local transforms, and the same in root space with velocities.

use crate::frames::JointIndex;
use crate::math::{AngularVelocity, Quat, Transform};
use crate::skeleton::Skeleton;
use glam::Vec3;

/// A pose in local space, struct of arrays. Joint 0 is `world_from_root`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// `[joints]` translations relative to the parent, metres.
    pub translations: Vec<Vec3>,
    /// `[joints]` rotations relative to the parent.
    pub rotations: Vec<Quat>,
}

impl Pose {
    /// Returns the rest pose of a skeleton.
    pub fn rest(skeleton: &Skeleton) -> Self {
        Self {
            translations: skeleton.rest().iter().map(|t| t.translation).collect(),
            rotations: skeleton.rest().iter().map(|t| t.rotation).collect(),
        }
    }

    /// Copies another pose with the same number of joints. Allocates nothing, unlike a derived `clone_from`.
    pub fn copy_from(&mut self, other: &Self) {
        self.translations.copy_from_slice(&other.translations);
        self.rotations.copy_from_slice(&other.rotations);
    }

    /// Returns the number of joints.
    pub fn len(&self) -> usize {
        self.rotations.len()
    }

    /// Returns true for a pose without joints.
    pub fn is_empty(&self) -> bool {
        self.rotations.is_empty()
    }

    /// Returns joint 0: position and facing of the character in the world.
    pub fn world_from_root(&self) -> Transform {
        Transform::new(self.translations[0], self.rotations[0])
    }

    /// Sets joint 0 and thereby moves the character.
    pub fn set_world_from_root(&mut self, t: Transform) {
        self.translations[0] = t.translation;
        self.rotations[0] = t.rotation;
    }

    /// Returns a joint's local transform.
    pub fn local(&self, joint: JointIndex) -> Transform {
        Transform::new(self.translations[joint.at()], self.rotations[joint.at()])
    }

    /// Returns a joint in root space, computed along its chain of parents. Allocates nothing.
    pub fn in_root(&self, skeleton: &Skeleton, joint: JointIndex) -> Transform {
        skeleton.in_root(joint, |j| self.local(j))
    }

    /// Returns a joint's parent in root space. Allocates nothing.
    pub fn parent_in_root(&self, skeleton: &Skeleton, joint: JointIndex) -> Transform {
        skeleton.parents()[joint.at()].map_or(Transform::IDENTITY, |p| self.in_root(skeleton, p))
    }

    /// Moves a joint (not the root) and its descendants to `root_from_joint`. Allocates nothing.
    pub fn set_in_root(&mut self, skeleton: &Skeleton, joint: JointIndex, root_from_joint: Transform) {
        let local = self.parent_in_root(skeleton, joint).inverse() * root_from_joint;
        (self.translations[joint.at()], self.rotations[joint.at()]) = (local.translation, local.rotation);
    }

    /// Writes the world transforms of all joints to `world`, `[joints]`, which is resized.
    pub fn world(&self, skeleton: &Skeleton, world: &mut Vec<Transform>) {
        skeleton.place(|j| Transform::new(self.translations[j], self.rotations[j]), world);
    }
}

/// Rates of change of a [`Pose`], struct of arrays.
///
/// Joint 0 is in root axes, the other joints are in their parent's axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseVelocity {
    /// `[joints]` metres per second.
    pub linear: Vec<Vec3>,
    /// `[joints]` radians per second.
    pub angular: Vec<AngularVelocity>,
}

impl PoseVelocity {
    /// Copies other velocities with the same number of joints. Allocates nothing.
    pub fn copy_from(&mut self, other: &Self) {
        self.linear.copy_from_slice(&other.linear);
        self.angular.copy_from_slice(&other.angular);
    }

    /// Multiplies the velocities by a factor.
    pub fn scale(&mut self, factor: f32) {
        self.linear.iter_mut().chain(&mut self.angular).for_each(|v| *v *= factor);
    }

    /// Sets the velocities to `(self - other) * factor`.
    pub fn difference(&mut self, other: &Self, factor: f32) {
        let both = self.linear.iter_mut().zip(&other.linear).chain(self.angular.iter_mut().zip(&other.angular));
        both.for_each(|(a, b)| *a = (*a - *b) * factor);
    }

    /// Sets the velocities to the rates from one pose to the next, `dt_s` seconds later; zero if `dt_s` is 0. Allocates nothing.
    ///
    /// # Panics
    /// Panics if the poses have fewer joints than the velocities.
    pub fn between(&mut self, before: &Pose, after: &Pose, dt_s: f32) {
        let per_s = if dt_s > 0.0 { dt_s.recip() } else { 0.0 };
        for j in 0..self.linear.len() {
            let (a, b) = (before.rotations[j], after.rotations[j]);
            let turn = (b.towards(a) * a.inverse()).to_rotation_vector();
            let moved = after.translations[j] - before.translations[j];
            let root = if j == 0 { b.inverse() } else { Quat::IDENTITY };
            (self.linear[j], self.angular[j]) = (root * moved * per_s, root * turn * per_s);
        }
    }

    /// Returns velocities of zero.
    pub fn zero(joints: usize) -> Self {
        Self { linear: vec![Vec3::ZERO; joints], angular: vec![Vec3::ZERO; joints] }
    }
}

/// Returns the velocity of a joint relative to the world, along the root's axes, computed along its chain of parents. Allocates
/// nothing.
pub(crate) fn velocity_in_root(skeleton: &Skeleton, pose: &Pose, velocity: &PoseVelocity, joint: JointIndex) -> Vec3 {
    let (at, v) = motion_in_root(skeleton, pose, velocity, joint);
    velocity.linear[0] + velocity.angular[0].cross(at) + v
}

/// Returns position and velocity of a joint relative to the root, in root space, computed along its chain of parents. Allocates
/// nothing.
pub(crate) fn motion_in_root(
    skeleton: &Skeleton,
    pose: &Pose,
    velocity: &PoseVelocity,
    joint: JointIndex,
) -> (Vec3, Vec3) {
    // Position and velocity of the joint relative to each parent in turn.
    let (mut at, mut v) = (Vec3::ZERO, Vec3::ZERO);
    let mut next = Some(joint);
    while let Some(j) = next.filter(|j| j.at() > 0) {
        let (local, k) = (pose.local(j), j.at());
        let arm = local.rotation * at;
        v = velocity.linear[k] + velocity.angular[k].cross(arm) + local.rotation * v;
        at = local.translation + arm;
        next = skeleton.parents()[k];
    }
    (at, v)
}

/// All joints in root space, with velocities relative to the world along the root's axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RootMotion {
    /// `[joints]` metres.
    pub positions: Vec<Vec3>,
    /// `[joints]` root from joint.
    pub rotations: Vec<Quat>,
    /// `[joints]` metres per second.
    pub velocities: Vec<Vec3>,
    /// `[joints]` radians per second.
    pub angular_velocities: Vec<AngularVelocity>,
}

impl RootMotion {
    /// Returns a buffer for a skeleton with that number of joints.
    pub fn zero(joints: usize) -> Self {
        Self {
            positions: vec![Vec3::ZERO; joints],
            rotations: vec![Quat::IDENTITY; joints],
            velocities: vec![Vec3::ZERO; joints],
            angular_velocities: vec![Vec3::ZERO; joints],
        }
    }

    /// Computes forward kinematics with velocities. Allocates nothing.
    pub fn from_pose(&mut self, skeleton: &Skeleton, pose: &Pose, velocity: &PoseVelocity) {
        self.positions[0] = Vec3::ZERO;
        self.rotations[0] = Quat::IDENTITY;
        self.velocities[0] = velocity.linear[0];
        self.angular_velocities[0] = velocity.angular[0];
        for j in 1..pose.len() {
            let p = skeleton.parents()[j].map_or(0, JointIndex::at);
            let arm = self.rotations[p] * pose.translations[j];
            self.positions[j] = self.positions[p] + arm;
            self.rotations[j] = (self.rotations[p] * pose.rotations[j]).renormalize();
            self.velocities[j] =
                self.velocities[p] + self.angular_velocities[p].cross(arm) + self.rotations[p] * velocity.linear[j];
            self.angular_velocities[j] = self.angular_velocities[p] + self.rotations[p] * velocity.angular[j];
        }
    }

    /// Returns the position and velocity of a point fixed to a joint.
    pub fn point(&self, joint: JointIndex, offset: Vec3) -> (Vec3, Vec3) {
        let j = joint.at();
        let arm = self.rotations[j] * offset;
        (self.positions[j] + arm, self.velocities[j] + self.angular_velocities[j].cross(arm))
    }
}
