//! Clips as they were read, with messages about them.

use crate::note::{Fix, Note};
use crate::take::{Origin, Take};
use crate::units::Units;
use footwork::clip::RawClip;

/// Imported clips, and messages about them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// Clips sorted by name; on one skeleton wherever names and hierarchy allow it.
    pub clips: Vec<RawClip>,
    /// Messages about files and clips that were left out, adjusted or look doubtful, in the order of the files.
    pub notes: Vec<Note>,
    /// Automatic fixes: turned axes, unusual units. To accept only unchanged clips, reject clips that have a fix.
    pub fixes: Vec<Fix>,
    /// Takes as stored in their files, in the order of the files. Empty if sidecars are not read.
    pub takes: Vec<Take>,
    /// `[clips]` part of a take that each clip comes from. Empty if sidecars are not read.
    pub origins: Vec<Origin>,
    /// Unit of the BVH files: the given one, or the one that most of them suggest. [`Units::Auto`] without BVH files.
    pub units: Units,
}
