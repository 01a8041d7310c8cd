//! The stretches of clips that were played before.

use crate::frames::ClipIndex;

/// Number of stretches that are remembered: nearly all that regular searches can begin within a second.
pub const REMEMBERED: usize = 8;

/// A stretch of a clip that was played.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Played {
    /// Clip.
    pub clip: ClipIndex,
    /// True if the clip was mirrored.
    pub mirrored: bool,
    /// Time of the clip at which the stretch began, in seconds; before the start of the clip if a loop was played for several
    /// cycles.
    pub from_s: f64,
    /// Time of the clip at which the stretch ended, in seconds. An entry with `from_s` equal to `to_s`, such as the default, is
    /// empty.
    pub to_s: f64,
    /// Time at which the stretch ended, in the character's time, in seconds.
    pub ended_s: f64,
}
