//! Ground contact of a joint.

use crate::frames::JointIndex;
use crate::schema::source::{DebugShape, FeatureSource};

/// 1 while a contact joint touches the ground, else 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Joint.
    pub joint: JointIndex,
    /// Index among the database's contact joints.
    pub slot: usize,
}

impl Contact {
    /// Number of columns.
    pub const WIDTH: usize = 1;
    /// Signs of the columns when mirrored.
    pub const MIRROR: [f32; 1] = [1.0];

    /// Writes the value of a database frame or a live pose.
    pub fn extract(&self, source: &FeatureSource, out: &mut [f32]) {
        out[0] = f32::from(source.contacts[self.slot]);
    }

    /// Draws the value: a point at the joint while it is in contact.
    pub fn draw(&self, source: &FeatureSource, values: &[f32], out: &mut dyn FnMut(DebugShape)) {
        if values[0] > 0.5 {
            out(DebugShape::Point(source.motion.positions[self.joint.at()]));
        }
    }
}
