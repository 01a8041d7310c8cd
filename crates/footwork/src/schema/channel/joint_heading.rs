//! Heading of a joint on the ground.

use crate::frames::JointIndex;
use crate::math::Facing;
use crate::schema::source::{DebugShape, FeatureSource};
use glam::Vec3;

/// The ground direction of one of a joint's axes: x, z of a unit vector in root space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointHeading {
    /// Joint.
    pub joint: JointIndex,
    /// The axis, in the joint's own space. If the schema does not set it, the builder takes the one that on average points in
    /// the direction of the root's facing.
    pub axis: Vec3,
}

impl JointHeading {
    /// Number of columns.
    pub const WIDTH: usize = 2;
    /// Signs of the columns when mirrored.
    pub const MIRROR: [f32; 2] = [-1.0, 1.0];

    /// Writes the values of a database frame or a live pose.
    pub fn extract(&self, source: &FeatureSource, out: &mut [f32]) {
        let axis = source.motion.rotations[self.joint.at()] * self.axis;
        let facing = Facing::from_direction(axis).unwrap_or_default();
        out.copy_from_slice(&[facing.x, facing.z]);
    }

    /// Draws the values: an arrow, 0.3 m long.
    pub fn draw(&self, source: &FeatureSource, values: &[f32], out: &mut dyn FnMut(DebugShape)) {
        let from = source.motion.positions[self.joint.at()];
        out(DebugShape::Arrow { from, vector: Vec3::new(values[0], 0.0, values[1]) * 0.3 });
    }
}
