//! How a joint's motion changes: x, y, z in m/s2, by differences of velocity one pose frame to either side.

use super::JointPoint;
use crate::schema::source::{DebugShape, FeatureSource};
use glam::Vec3;

/// How a joint's motion changes: x, y, z in m/s2, by differences of velocity one pose frame to either side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointAcceleration(pub JointPoint);

impl JointAcceleration {
    /// Columns.
    pub const WIDTH: usize = 3;
    /// Signs of the columns in a mirror.
    pub const MIRROR: [f32; 3] = [-1.0, 1.0, 1.0];

    /// The values, from a database frame or a live pose alike.
    pub fn extract(&self, source: &FeatureSource, out: &mut [f32]) {
        out.copy_from_slice(&self.0.acceleration(source).to_array());
    }

    /// What the values look like.
    pub fn draw(&self, source: &FeatureSource, values: &[f32], out: &mut dyn FnMut(DebugShape)) {
        out(DebugShape::Arrow {
            from: self.0.anchor(source),
            vector: self.0.root_direction(source, Vec3::from_slice(values)) * 0.05,
        });
    }
}
