//! Angular velocity of a joint: a rotation vector per second in root axes.

use crate::frames::JointIndex;
use crate::schema::source::{DebugShape, FeatureSource};
use glam::Vec3;

/// Angular velocity of a joint in the world: x, y, z in radians per second along the root's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointAngularVelocity {
    /// Joint.
    pub joint: JointIndex,
}

impl JointAngularVelocity {
    /// Number of columns.
    pub const WIDTH: usize = 3;
    /// Signs of the columns when mirrored: a rotation vector is a pseudovector.
    pub const MIRROR: [f32; 3] = [1.0, -1.0, -1.0];

    /// Writes the values of a database frame or a live pose.
    pub fn extract(&self, source: &FeatureSource, out: &mut [f32]) {
        out.copy_from_slice(&source.motion.angular_velocities[self.joint.at()].to_array());
    }

    /// Draws the values: the axis, 0.1 m per radian per second.
    pub fn draw(&self, source: &FeatureSource, values: &[f32], out: &mut dyn FnMut(DebugShape)) {
        let from = source.motion.positions[self.joint.at()];
        out(DebugShape::Arrow { from, vector: Vec3::from_slice(values) * 0.1 });
    }
}
