//! One pose: local transforms, and the same in root space with velocities.

use crate::frames::JointIndex;
use crate::math::{AngularVelocity, Quat, Transform};
use crate::skeleton::Skeleton;
use glam::Vec3;

/// A pose in local space, struct of arrays. Joint 0 is `world_from_root`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// `[joints]` translations to the parent, metres.
    pub translations: Vec<Vec3>,
    /// `[joints]` rotations to the parent.
    pub rotations: Vec<Quat>,
}

impl Pose {
    /// The rest pose of a skeleton.
    pub fn rest(skeleton: &Skeleton) -> Self {
        Self {
            translations: skeleton.rest().iter().map(|t| t.translation).collect(),
            rotations: skeleton.rest().iter().map(|t| t.rotation).collect(),
        }
    }

    /// Becomes another pose of as many joints; allocates nothing, unlike a derived `clone_from`.
    pub fn copy_from(&mut self, other: &Self) {
        self.translations.copy_from_slice(&other.translations);
        self.rotations.copy_from_slice(&other.rotations);
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.rotations.len()
    }

    /// True for a pose of nothing.
    pub fn is_empty(&self) -> bool {
        self.rotations.is_empty()
    }

    /// Joint 0: where the character stands and faces.
    pub fn world_from_root(&self) -> Transform {
        Transform::new(self.translations[0], self.rotations[0])
    }

    /// Moves the character.
    pub fn set_world_from_root(&mut self, t: Transform) {
        self.translations[0] = t.translation;
        self.rotations[0] = t.rotation;
    }

    /// A joint's local transform.
    pub fn local(&self, joint: JointIndex) -> Transform {
        Transform::new(self.translations[joint.at()], self.rotations[joint.at()])
    }

    /// A joint in root space, up its chain of parents; allocates nothing.
    pub fn in_root(&self, skeleton: &Skeleton, joint: JointIndex) -> Transform {
        skeleton.in_root(joint, |j| self.local(j))
    }

    /// A joint's parent in root space; allocates nothing.
    pub fn parent_in_root(&self, skeleton: &Skeleton, joint: JointIndex) -> Transform {
        skeleton.parents()[joint.at()].map_or(Transform::IDENTITY, |p| self.in_root(skeleton, p))
    }

    /// Puts a joint (not the root), and all below it, where `root_from_joint` says; allocates nothing.
    pub fn set_in_root(&mut self, skeleton: &Skeleton, joint: JointIndex, root_from_joint: Transform) {
        let local = self.parent_in_root(skeleton, joint).inverse() * root_from_joint;
        (self.translations[joint.at()], self.rotations[joint.at()]) = (local.translation, local.rotation);
    }

    /// All joints in the world: `[joints]` into `world`, which is resized.
    pub fn world(&self, skeleton: &Skeleton, world: &mut Vec<Transform>) {
        skeleton.place(|j| Transform::new(self.translations[j], self.rotations[j]), world);
    }
}

/// Rates of change of a [`Pose`], struct of arrays.
///
/// For joint 0 both are in root axes; for the others in the parent's axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseVelocity {
    /// `[joints]` metres per second.
    pub linear: Vec<Vec3>,
    /// `[joints]` radians per second.
    pub angular: Vec<AngularVelocity>,
}

impl PoseVelocity {
    /// Becomes other velocities of as many joints; allocates nothing.
    pub fn copy_from(&mut self, other: &Self) {
        self.linear.copy_from_slice(&other.linear);
        self.angular.copy_from_slice(&other.angular);
    }

    /// Faster by a factor.
    pub fn scale(&mut self, factor: f32) {
        self.linear.iter_mut().chain(&mut self.angular).for_each(|v| *v *= factor);
    }

    /// Becomes `(self - other) * factor`.
    pub fn difference(&mut self, other: &Self, factor: f32) {
        let both = self.linear.iter_mut().zip(&other.linear).chain(self.angular.iter_mut().zip(&other.angular));
        both.for_each(|(a, b)| *a = (*a - *b) * factor);
    }

    /// Becomes the rates from one pose to the next, `dt_s` seconds later; at rest where no time passes. Allocates nothing.
    ///
    /// # Panics
    /// Poses of other numbers of joints.
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

    /// At rest.
    pub fn zero(joints: usize) -> Self {
        Self { linear: vec![Vec3::ZERO; joints], angular: vec![Vec3::ZERO; joints] }
    }
}

/// Velocity of a joint relative to the world, along the root's axes, up its chain of parents; allocates nothing.
pub(crate) fn velocity_in_root(skeleton: &Skeleton, pose: &Pose, velocity: &PoseVelocity, joint: JointIndex) -> Vec3 {
    // Seen from each parent in turn: where the joint is, and how it moves.
    let (mut at, mut v) = (Vec3::ZERO, Vec3::ZERO);
    let mut next = Some(joint);
    while let Some(j) = next.filter(|j| j.at() > 0) {
        let (local, k) = (pose.local(j), j.at());
        let arm = local.rotation * at;
        v = velocity.linear[k] + velocity.angular[k].cross(arm) + local.rotation * v;
        at = local.translation + arm;
        next = skeleton.parents()[k];
    }
    velocity.linear[0] + velocity.angular[0].cross(at) + v
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
    /// Space for a skeleton of that many joints.
    pub fn zero(joints: usize) -> Self {
        Self {
            positions: vec![Vec3::ZERO; joints],
            rotations: vec![Quat::IDENTITY; joints],
            velocities: vec![Vec3::ZERO; joints],
            angular_velocities: vec![Vec3::ZERO; joints],
        }
    }

    /// Forward kinematics with velocities; allocates nothing.
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

    /// Position and velocity of a point fixed to a joint.
    pub fn point(&self, joint: JointIndex, offset: Vec3) -> (Vec3, Vec3) {
        let j = joint.at();
        let arm = self.rotations[j] * offset;
        (self.positions[j] + arm, self.velocities[j] + self.angular_velocities[j].cross(arm))
    }
}
