//! What plays: a time of a clip.

use crate::frames::ClipIndex;

/// What plays.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Playing {
    /// Clip.
    pub clip: ClipIndex,
    /// As in a mirror.
    pub mirrored: bool,
    /// Seconds from the clip's first frame; in a loop, rounds are taken off now and then.
    pub time_s: f64,
}
