//! Future and past facings of the root: unit vectors on the ground, root space.

use crate::schema::source::{DebugShape, FeatureSource};
use glam::Vec3;

/// Future and past facings of the root: two columns (x, z) per time.
#[derive(Clone, Debug, PartialEq)]
pub struct TrajectoryFacing {
    /// Indices in [`FeatureSource::trajectory`].
    pub slots: Vec<usize>,
}

impl TrajectoryFacing {
    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        2 * self.slots.len()
    }

    /// Returns the signs of the columns when mirrored.
    pub fn mirror(&self) -> Vec<f32> {
        [-1.0, 1.0].repeat(self.slots.len())
    }

    /// Writes the values, from the clip's own root or from prediction and history.
    pub fn extract(&self, source: &FeatureSource, out: &mut [f32]) {
        for (slot, o) in self.slots.iter().zip(out.chunks_exact_mut(2)) {
            let facing = source.trajectory[*slot].facing;
            o.copy_from_slice(&[facing.x, facing.z]);
        }
    }

    /// Draws the values: arrows, 0.3 m long.
    pub fn draw(&self, source: &FeatureSource, values: &[f32], out: &mut dyn FnMut(DebugShape)) {
        for (slot, v) in self.slots.iter().zip(values.chunks_exact(2)) {
            let from = source.trajectory[*slot].position;
            out(DebugShape::Arrow { from, vector: Vec3::new(v[0], 0.0, v[1]) * 0.3 });
        }
    }
}
