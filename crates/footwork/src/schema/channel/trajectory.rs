//! Common parts of positions and velocities along a trajectory.

use crate::schema::source::{FeatureSource, TrajectorySample};
use glam::Vec3;

/// Vectors of the root at several times, on the ground or in space.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// Indices in [`FeatureSource::trajectory`].
    pub slots: Vec<usize>,
    /// 2: x and z; 3: x, y and z.
    pub dimensions: usize,
}

impl Trajectory {
    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        self.dimensions * self.slots.len()
    }

    /// Returns the signs of the columns when mirrored.
    pub fn mirror(&self) -> Vec<f32> {
        let one: &[f32] = if self.dimensions == 2 { &[-1.0, 1.0] } else { &[-1.0, 1.0, 1.0] };
        one.repeat(self.slots.len())
    }

    /// Writes one vector per time.
    pub fn extract(&self, source: &FeatureSource, out: &mut [f32], value: impl Fn(&TrajectorySample) -> Vec3) {
        for (slot, o) in self.slots.iter().zip(out.chunks_exact_mut(self.dimensions)) {
            let v = value(&source.trajectory[*slot]);
            match self.dimensions {
                2 => o.copy_from_slice(&[v.x, v.z]),
                _ => o.copy_from_slice(&v.to_array()),
            }
        }
    }

    /// Converts the values back to vectors.
    pub fn vectors<'a>(&self, values: &'a [f32]) -> impl Iterator<Item = Vec3> + use<'a> {
        let dimensions = self.dimensions;
        values.chunks_exact(dimensions).map(move |v| match dimensions {
            2 => Vec3::new(v[0], 0.0, v[1]),
            _ => Vec3::from_slice(v),
        })
    }
}
