//! The playing clip and time.

use crate::frames::ClipIndex;

/// A clip and a time in it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Playing {
    /// Clip.
    pub clip: ClipIndex,
    /// True if the clip is mirrored.
    pub mirrored: bool,
    /// Time since the clip's first frame, in seconds. In a loop, whole cycles are subtracted at control ticks.
    pub time_s: f64,
}
