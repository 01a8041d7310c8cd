//! Future and past positions of the root: metres, root space.

use super::Trajectory;
use crate::schema::source::{DebugShape, FeatureSource};

/// Future and past positions of the root: m, root space. Two columns per time on the ground (x, z), three in space (x, y, z).
#[derive(Clone, Debug, PartialEq)]
pub struct TrajectoryPosition(pub Trajectory);

impl TrajectoryPosition {
    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        self.0.width()
    }

    /// Returns the signs of the columns when mirrored.
    pub fn mirror(&self) -> Vec<f32> {
        self.0.mirror()
    }

    /// Writes the values, from the clip's own root or from prediction and history.
    pub fn extract(&self, source: &FeatureSource, out: &mut [f32]) {
        self.0.extract(source, out, |s| s.position);
    }

    /// Draws the values as points.
    pub fn draw(&self, _: &FeatureSource, values: &[f32], out: &mut dyn FnMut(DebugShape)) {
        for v in self.0.vectors(values) {
            out(DebugShape::Point(v));
        }
    }
}
