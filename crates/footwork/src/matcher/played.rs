//! What was played before.

use crate::frames::ClipIndex;

/// Stretches that are remembered: nearly all that regular searches can begin within a second.
pub const REMEMBERED: usize = 8;

/// A stretch of a clip that was played.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Played {
    /// Clip.
    pub clip: ClipIndex,
    /// As in a mirror.
    pub mirrored: bool,
    /// Time of the clip at which it began, seconds; before the clip's start where a loop was played for several cycles.
    pub from_s: f64,
    /// Time of the clip at which it ended, seconds. The default, which ends where it began, is no stretch.
    pub to_s: f64,
    /// When it ended, in the character's time, seconds.
    pub ended_s: f64,
}
