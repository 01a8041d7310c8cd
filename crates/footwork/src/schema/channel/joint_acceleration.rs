//! Acceleration of a joint: x, y, z in m/s2, by differences of velocity one pose frame to either side.

use super::JointPoint;
use crate::schema::source::{DebugShape, FeatureSource};
use glam::Vec3;

/// Acceleration of a joint: x, y, z in m/s2, by differences of velocity one pose frame to either side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointAcceleration(pub JointPoint);

impl JointAcceleration {
    /// Number of columns.
    pub const WIDTH: usize = 3;
    /// Signs of the columns when mirrored.
    pub const MIRROR: [f32; 3] = [-1.0, 1.0, 1.0];

    /// Writes the values of a database frame or a live pose.
    pub fn extract(&self, source: &FeatureSource, out: &mut [f32]) {
        out.copy_from_slice(&self.0.acceleration(source).to_array());
    }

    /// Draws the values: an arrow, 0.05 m per m/s2.
    pub fn draw(&self, source: &FeatureSource, values: &[f32], out: &mut dyn FnMut(DebugShape)) {
        out(DebugShape::Arrow {
            from: self.0.anchor(source),
            vector: self.0.root_direction(source, Vec3::from_slice(values)) * 0.05,
        });
    }
}
