//! A joint's rotation as two axes: continuous everywhere, unlike angles and quaternions.

use crate::frames::JointIndex;
use crate::math::Quat;
use crate::schema::source::{DebugShape, FeatureSource};
use glam::Vec3;

/// Rotation of a joint relative to its rest pose: directions of the rest pose's X and Y axes in root space, 6 columns.
///
/// Source of the two-axis form: Zhou et al., "On the Continuity of Rotation Representations in Neural Networks" (2019).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointRotation {
    /// Joint.
    pub joint: JointIndex,
    /// Inverse of the joint's rotation in the rest pose's model space.
    pub rest_inverse: Quat,
}

impl JointRotation {
    /// Number of columns.
    pub const WIDTH: usize = 6;

    /// Writes the values of a database frame or a live pose.
    pub fn extract(&self, source: &FeatureSource, out: &mut [f32]) {
        let turned = source.motion.rotations[self.joint.at()] * self.rest_inverse;
        out[..3].copy_from_slice(&(turned * Vec3::X).to_array());
        out[3..].copy_from_slice(&(turned * Vec3::Y).to_array());
    }

    /// Returns the signs of the columns when mirrored, for a rest pose that is symmetric in the plane with this normal.
    pub fn mirror(rest_normal: Vec3) -> [f32; 6] {
        // The half turn about the normal keeps an axis that is the normal and flips one that is not;
        // the half turn about +X then gives (x, -y, -z).
        let (sx, sy) = (2.0 * rest_normal.x - 1.0, 2.0 * rest_normal.y - 1.0);
        [sx, -sx, -sx, sy, -sy, -sy]
    }

    /// Draws the values: the two axes, 0.1 m long.
    pub fn draw(&self, source: &FeatureSource, values: &[f32], out: &mut dyn FnMut(DebugShape)) {
        let from = source.motion.positions[self.joint.at()];
        out(DebugShape::Arrow { from, vector: Vec3::from_slice(values) * 0.1 });
        out(DebugShape::Arrow { from, vector: Vec3::from_slice(&values[3..]) * 0.1 });
    }
}
