//! [`Bvh`] to [`RawClip`]: metres and quaternions.

use super::error::{BvhError, BvhProblem};
use super::units::{Units, metres_per_unit};
use super::{Axis, Bvh, BvhJoint, Channel};
use footwork::clip::{Annotations, RawClip};
use footwork::frames::JointIndex;
use footwork::math::{Quat, Transform};
use footwork::skeleton::Skeleton;
use glam::Vec3;

/// Joints per value of the motion block beyond which a small file would blow up into a huge clip.
const MOST_JOINTS_PER_VALUE: usize = 4;
/// Below this many transforms nobody minds.
const ALWAYS_ALLOWED: usize = 1 << 20;

impl Bvh {
    /// The motion in metres, +Y up as in the file, local translations and rotations; rest pose: offsets, no rotations.
    ///
    /// A joint's translation is its position channels, components without a channel coming from its `OFFSET`; its
    /// rotation the product of its rotation channels, the first listed outermost. Joint 0 is the `ROOT`, whatever it is.
    /// The rate is [`Bvh::rate_hz`]; End Sites are left out.
    ///
    /// # Errors
    /// Units that cannot be guessed or used; numbers that leave the range of `f32`; a hand-made `Bvh` that breaks what
    /// [`parse`](super::parse) guarantees.
    pub fn to_clip(&self, name: &str, source: &str, units: Units) -> Result<RawClip, BvhError> {
        let fail = |problem| BvhError { file: source.to_owned(), line: None, problem };
        let scale = metres_per_unit(self, units).map_err(fail)?;
        let skeleton = self.skeleton(scale).map_err(fail)?;
        let count = self.frames.saturating_mul(self.joints.len());
        if count > ALWAYS_ALLOWED && count / MOST_JOINTS_PER_VALUE > self.values.len() {
            let (joints, frames, values) = (self.joints.len(), self.frames, self.values.len());
            return Err(fail(BvhProblem::TooLarge { joints, frames, values }));
        }
        let mut clip = RawClip {
            name: name.to_owned(),
            source: source.to_owned(),
            skeleton,
            rate_hz: self.rate_hz(),
            looping: false,
            translations: Vec::with_capacity(count),
            rotations: Vec::with_capacity(count),
            annotations: Annotations::default(),
        };
        for row in self.values.chunks_exact(self.channels().max(1)).take(self.frames) {
            let mut rest = row;
            for joint in &self.joints {
                let (own, others) = rest.split_at(joint.channels.len());
                rest = others;
                let local = local_transform(joint, own, scale);
                clip.translations.push(local.translation);
                clip.rotations.push(local.rotation);
            }
        }
        clip.validate().map_err(|e| fail(e.into()))?;
        Ok(clip)
    }

    fn skeleton(&self, scale: f32) -> Result<Skeleton, BvhProblem> {
        let names = self.joints.iter().map(|j| j.name.clone()).collect();
        let parents = self.joints.iter().map(|j| j.parent.map(JointIndex::new)).collect();
        let rest = self.joints.iter().map(|j| Transform::new(j.offset * scale, Quat::IDENTITY)).collect();
        Ok(Skeleton::new(names, parents, rest)?)
    }
}

/// A joint's transform in one frame, from its `[channels]` values.
fn local_transform(joint: &BvhJoint, values: &[f32], scale: f32) -> Transform {
    const RAD_PER_DEG: f32 = std::f32::consts::PI / 180.0;
    let mut translation = joint.offset.to_array();
    let mut rotation: Option<Quat> = None;
    for (channel, value) in joint.channels.iter().zip(values) {
        match channel {
            Channel::Position(axis) => translation[axis.at()] = *value,
            Channel::Rotation(axis) => {
                let q = about(*axis, *value * RAD_PER_DEG);
                rotation = Some(rotation.map_or(q, |outer| outer * q));
            }
        }
    }
    let rotation = rotation.map_or(Quat::IDENTITY, Quat::normalize);
    Transform::new(Vec3::from_array(translation) * scale, rotation)
}

/// A rotation about one axis.
pub(super) fn about(axis: Axis, rad: f32) -> Quat {
    match axis {
        Axis::X => Quat::from_rotation_x(rad),
        Axis::Y => Quat::from_rotation_y(rad),
        Axis::Z => Quat::from_rotation_z(rad),
    }
}
