//! Gap and displacement of one cycle of a loop.

use crate::math::Transform;
use serde::Serialize;

/// Maximum gap that is closed: rotation of a joint in degrees, displacement in metres.
const WIDEST_DEG: f32 = 40.0;
const WIDEST_M: f32 = 0.2;

/// Difference between the end of a cycle and its start.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Gap {
    /// Name of the joint that rotates most.
    pub joint: String,
    /// Rotation of that joint, in degrees.
    pub deg: f32,
    /// Maximum displacement of a joint relative to its parent, or of the body vertically, in metres.
    pub metres: f32,
}

impl Gap {
    /// Returns true if the gap is too large for a loop.
    pub fn absurd(&self) -> bool {
        self.deg > WIDEST_DEG || self.metres > WIDEST_M
    }
}

/// Displacement over the ground and turn about the vertical of one cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// Joint that moves the body through the world: joint 0, or a joint below it if joint 0 never moves.
    pub joint: usize,
    /// World transform: frame `k + frames` is this times frame `k`.
    pub world: Transform,
    /// The same transform for the joint's local transforms.
    pub in_parent: Transform,
    /// True if the transform is measured, not estimated: the clip repeats its first frame, or the loop stays in place.
    pub exact: bool,
}
