//! The content of a database: plain data, as stored in a file.

use super::features::{Features, RowFlags};
use crate::choices;
use crate::frames::{ClipIndex, EventId, FrameIndex};
use crate::math::Transform;
use crate::motion::{ClipView, PosePool, StickSpeeds};
use crate::rig::Rig;
use crate::schema::{FeatureSchema, Normalization};
use crate::skeleton::Skeleton;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A clip of a database.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clip {
    /// Unique name.
    pub name: String,
    /// First frame in the pose pool.
    pub first_frame: u32,
    /// Number of frames, at least 1. A mirrored clip shares the frames of its original.
    pub frames: u32,
    /// First row of the feature matrix.
    pub first_row: u32,
    /// Number of rows; 0 if no frame can be entered.
    pub rows: u32,
    /// Displacement of the root over one cycle of a loop, relative to its start; `None` for a non-looping clip.
    pub loop_delta: Option<Transform>,
    /// True for a stored mirror image.
    pub mirrored: bool,
    /// Time of the first frame in the source file, in seconds. Clips that were cut by excluded ranges start later.
    pub source_start_s: f32,
}

impl Clip {
    /// Returns the clip for sampling, without its mirror image. `skeleton`, `poses` and `rate_hz` are those of its database.
    pub(crate) fn view<'a>(&self, skeleton: &'a Skeleton, poses: &'a PosePool, rate_hz: f32) -> ClipView<'a> {
        let range = self.frame_range();
        let (start, frames) = (range.start, range.len());
        ClipView { skeleton, poses, start, frames, rate_hz, loop_delta: self.loop_delta, mirror: None }
    }

    /// Returns the range of frames in the pose pool.
    pub fn frame_range(&self) -> Range<usize> {
        self.first_frame as usize..(self.first_frame + self.frames) as usize
    }

    /// Returns the frame of the pose pool `n` frames after `frame`; `None` after the end of a clip that does not loop.
    pub(crate) fn frame_after(&self, frame: usize, n: usize) -> Option<usize> {
        let range = self.frame_range();
        match frame + n {
            inside if inside < range.end => Some(inside),
            beyond => self.looping().then(|| range.start + (beyond - range.start) % range.len()),
        }
    }

    /// Returns the range of rows in the feature matrix.
    pub fn row_range(&self) -> Range<usize> {
        self.first_row as usize..(self.first_row + self.rows) as usize
    }

    /// Returns true if the last frame leads back to the first.
    pub fn looping(&self) -> bool {
        self.loop_delta.is_some()
    }
}

choices! {
    /// Use of mirror images.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum MirrorMode = Off {
        /// The search does not use mirror images.
        Off = "off",
        /// Mirror images are rows of their own, after all originals: twice the rows. Poses are stored once.
        Stored = "stored",
        /// The query is mirrored as well: no memory, twice the search.
        Query = "query",
    }
}

/// A tag over a range of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagSpan {
    /// Index in [`DatabaseContent::tags`].
    pub tag: u32,
    /// First frame.
    pub start: FrameIndex,
    /// First frame after the range.
    pub end: FrameIndex,
}

/// A named event at a time of a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DatabaseEvent {
    /// Event name, by identifier.
    pub name: EventId,
    /// Clip. Never a stored mirror image, because those share the events of their original.
    pub clip: ClipIndex,
    /// Time from the clip's first frame, in seconds.
    pub time_s: f32,
}

/// The content of a database, as stored in a `.fwdb` file. Plain data; [`super::Database::new`] checks it.
#[derive(Clone, Debug)]
pub struct DatabaseContent {
    /// Joints; joint 0 is the root.
    pub skeleton: Skeleton,
    /// Columns of the feature matrix.
    pub schema: FeatureSchema,
    /// Speeds at full deflection of the stick.
    pub stick: StickSpeeds,
    /// Normalisation of the raw features.
    pub normalization: Normalization,
    /// Originals first, then stored mirror images in the same order.
    pub clips: Vec<Clip>,
    /// All poses.
    pub poses: PosePool,
    /// Poses per second.
    pub pose_rate_hz: f32,
    /// Rows per second.
    pub search_rate_hz: f32,
    /// Joint roles, legs, soles and the standing pose.
    pub rig: Rig,
    /// `[frames x contact joints]`: 1 if the joint touches, else 0.
    pub contacts: Vec<u8>,
    /// Names of the float curves.
    pub curve_names: Vec<String>,
    /// `[frames x curves]`.
    pub curves: Vec<f32>,
    /// Feature matrix.
    pub features: Features,
    /// `[rows]` frame of each row.
    pub row_frames: Vec<FrameIndex>,
    /// `[rows]`.
    pub row_flags: Vec<RowFlags>,
    /// `[rows]` cost added to a transition to the row, 0 or more. Empty if all are 0.
    pub row_costs: Vec<f32>,
    /// Names of the tags, at most 512.
    pub tags: Vec<String>,
    /// Frame ranges of the tags.
    pub tag_spans: Vec<TagSpan>,
    /// Names of the events.
    pub event_names: Vec<String>,
    /// Events, sorted by clip and time.
    pub events: Vec<DatabaseEvent>,
    /// Use of mirror images.
    pub mirror: MirrorMode,
    /// Joint pairs set by the user, by name.
    pub mirror_pairs: Vec<[String; 2]>,
}
