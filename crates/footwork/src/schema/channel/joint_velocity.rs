//! Velocity of a joint: x, y, z in metres per second. Zero for a planted foot.

use super::JointPoint;
use crate::schema::source::{DebugShape, FeatureSource};
use glam::Vec3;

/// Velocity of a joint: x, y, z in metres per second. Zero for a planted foot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointVelocity(pub JointPoint);

impl JointVelocity {
    /// Number of columns.
    pub const WIDTH: usize = 3;
    /// Signs of the columns when mirrored.
    pub const MIRROR: [f32; 3] = [-1.0, 1.0, 1.0];

    /// Writes the values of a database frame or a live pose.
    pub fn extract(&self, source: &FeatureSource, out: &mut [f32]) {
        out.copy_from_slice(&self.0.velocity(source).to_array());
    }

    /// Draws the values as an arrow.
    pub fn draw(&self, source: &FeatureSource, values: &[f32], out: &mut dyn FnMut(DebugShape)) {
        out(DebugShape::Arrow {
            from: self.0.anchor(source),
            vector: self.0.root_direction(source, Vec3::from_slice(values)),
        });
    }
}
