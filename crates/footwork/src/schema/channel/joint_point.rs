//! A point fixed to a joint, or an attachment point, relative to the root or to another joint.

use crate::frames::JointIndex;
use crate::math::Transform;
use crate::schema::source::FeatureSource;
use glam::Vec3;

/// A joint, or a point fixed to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointPoint {
    /// Joint.
    pub joint: JointIndex,
    /// Offset along the joint's axes, metres: zero for the joint itself, that of an attachment point otherwise.
    pub offset: Vec3,
    /// The joint in whose space the feature is; `None` for root space.
    pub relative_to: Option<JointIndex>,
}

impl JointPoint {
    /// Returns the transform from the space of the feature to root space.
    fn frame(&self, source: &FeatureSource) -> Transform {
        self.relative_to.map_or(Transform::IDENTITY, |r| {
            Transform::new(source.motion.positions[r.at()], source.motion.rotations[r.at()])
        })
    }

    /// Returns the position, in the space of the feature.
    pub fn position(&self, source: &FeatureSource) -> Vec3 {
        let (p, _) = source.motion.point(self.joint, self.offset);
        self.frame(source).inverse_point(p)
    }

    /// Returns the velocity: in the world for root space, else relative to the other joint.
    pub fn velocity(&self, source: &FeatureSource) -> Vec3 {
        let (p, v) = source.motion.point(self.joint, self.offset);
        let Some(r) = self.relative_to else { return v };
        let arm = p - source.motion.positions[r.at()];
        let carried = source.motion.velocities[r.at()] + source.motion.angular_velocities[r.at()].cross(arm);
        self.frame(source).inverse_direction(v - carried)
    }

    /// Returns the acceleration of the joint in the world (without the offset), along the axes of the feature's space.
    pub fn acceleration(&self, source: &FeatureSource) -> Vec3 {
        self.frame(source).inverse_direction(source.accelerations[self.joint.at()])
    }

    /// Returns the start of drawings.
    pub fn anchor(&self, source: &FeatureSource) -> Vec3 {
        source.motion.point(self.joint, self.offset).0
    }

    /// Maps a position of the feature's space into the root's.
    pub fn root_point(&self, source: &FeatureSource, p: Vec3) -> Vec3 {
        self.frame(source).point(p)
    }

    /// Maps a direction of the feature's space into the root's.
    pub fn root_direction(&self, source: &FeatureSource, v: Vec3) -> Vec3 {
        self.frame(source).direction(v)
    }
}
