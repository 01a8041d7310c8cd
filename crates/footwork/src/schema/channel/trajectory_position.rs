//! Where the root will be and was: metres, root space.

use super::Trajectory;
use crate::schema::source::{DebugShape, FeatureSource};

/// Where the root will be and was: metres, root space. Two columns per time on the ground (x, z), three in space (x, y, z).
#[derive(Clone, Debug, PartialEq)]
pub struct TrajectoryPosition(pub Trajectory);

impl TrajectoryPosition {
    /// Columns.
    pub fn width(&self) -> usize {
        self.0.width()
    }

    /// Signs of the columns in a mirror.
    pub fn mirror(&self) -> Vec<f32> {
        self.0.mirror()
    }

    /// The values, from the clip's own root or from prediction and history alike.
    pub fn extract(&self, source: &FeatureSource, out: &mut [f32]) {
        self.0.extract(source, out, |s| s.position);
    }

    /// What the values look like.
    pub fn draw(&self, _: &FeatureSource, values: &[f32], out: &mut dyn FnMut(DebugShape)) {
        for v in self.0.vectors(values) {
            out(DebugShape::Point(v));
        }
    }
}
