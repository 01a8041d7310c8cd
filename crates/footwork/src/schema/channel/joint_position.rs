//! Position of a joint: x, y, z in metres.

use super::JointPoint;
use crate::schema::source::{DebugShape, FeatureSource};
use glam::Vec3;

/// Position of a joint: x, y, z in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointPosition(pub JointPoint);

impl JointPosition {
    /// Number of columns.
    pub const WIDTH: usize = 3;
    /// Signs of the columns when mirrored.
    pub const MIRROR: [f32; 3] = [-1.0, 1.0, 1.0];

    /// Writes the values of a database frame or a live pose.
    pub fn extract(&self, source: &FeatureSource, out: &mut [f32]) {
        out.copy_from_slice(&self.0.position(source).to_array());
    }

    /// Draws the values as a point.
    pub fn draw(&self, source: &FeatureSource, values: &[f32], out: &mut dyn FnMut(DebugShape)) {
        out(DebugShape::Point(self.0.root_point(source, Vec3::from_slice(values))));
    }
}
