//! How a joint turns: a rotation vector per second in root axes.

use crate::frames::JointIndex;
use crate::schema::source::{DebugShape, FeatureSource};
use glam::Vec3;

/// How a joint turns against the world: x, y, z in radians per second along the root's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointAngularVelocity {
    /// Joint.
    pub joint: JointIndex,
}

impl JointAngularVelocity {
    /// Columns.
    pub const WIDTH: usize = 3;
    /// Signs of the columns in a mirror: a rotation vector is no ordinary vector.
    pub const MIRROR: [f32; 3] = [1.0, -1.0, -1.0];

    /// The values, from a database frame or a live pose alike.
    pub fn extract(&self, source: &FeatureSource, out: &mut [f32]) {
        out.copy_from_slice(&source.motion.angular_velocities[self.joint.at()].to_array());
    }

    /// What the values look like: the axis, a tenth of a metre per radian per second.
    pub fn draw(&self, source: &FeatureSource, values: &[f32], out: &mut dyn FnMut(DebugShape)) {
        let from = source.motion.positions[self.joint.at()];
        out(DebugShape::Arrow { from, vector: Vec3::from_slice(values) * 0.1 });
    }
}
