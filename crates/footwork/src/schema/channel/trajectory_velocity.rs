//! Future and past velocities of the root: metres per second, root space.

use super::Trajectory;
use crate::schema::source::{DebugShape, FeatureSource};

/// Future and past velocities of the root: m/s, root space. Two columns per time on the ground (x, z), three in space (x, y, z).
#[derive(Clone, Debug, PartialEq)]
pub struct TrajectoryVelocity(pub Trajectory);

impl TrajectoryVelocity {
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
        self.0.extract(source, out, |s| s.velocity);
    }

    /// Draws the values as arrows.
    pub fn draw(&self, source: &FeatureSource, values: &[f32], out: &mut dyn FnMut(DebugShape)) {
        for (slot, v) in self.0.slots.iter().zip(self.0.vectors(values)) {
            out(DebugShape::Arrow { from: source.trajectory[*slot].position, vector: v });
        }
    }
}
