//! The motion database: poses, features, annotations. Immutable, struct of arrays, shared by any number of characters.

mod check;
mod file;
mod stands;
mod tag_costs;
mod tag_query;
mod tag_sets;
mod tags;

use crate::error::{cut_quotes, nearest, quoted};
pub use file::FileError;
pub use tag_costs::{TagCost, TagCosts};
pub use tag_query::TagQuery;
pub use tag_sets::AcceptedTags;
pub(crate) use tag_sets::SetBits;
pub use tags::TagMask;

use crate::choices;
use crate::frames::{ClipIndex, EventId, FrameIndex, JointIndex, RowIndex};
use crate::math::Transform;
use crate::motion::{ClipView, MirrorError, MirrorTable, PosePool, StickSpeeds};
use crate::pose::{Pose, PoseVelocity};
use crate::rig::Rig;
use crate::schema::{FeatureSchema, MirrorColumn, Normalization, Residual};
use crate::skeleton::Skeleton;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::OnceLock;

/// A clip of a database.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clip {
    /// Unique name.
    pub name: String,
    /// First frame in the pool.
    pub first_frame: u32,
    /// Frames, at least 1. A mirrored clip shares the frames of its original.
    pub frames: u32,
    /// First row of the feature matrix.
    pub first_row: u32,
    /// Rows; 0 where no frame can be jumped to.
    pub rows: u32,
    /// Where one round of a loop takes the root, seen from where it began; `None` for a clip that ends.
    pub loop_delta: Option<Transform>,
    /// True for a stored mirror image.
    pub mirrored: bool,
    /// Time in the source file of the first frame, seconds: clips cut by discarded ranges start later.
    pub source_start_s: f32,
}

impl Clip {
    /// Frames of the pool.
    pub fn frame_range(&self) -> Range<usize> {
        self.first_frame as usize..(self.first_frame + self.frames) as usize
    }

    /// Rows of the feature matrix.
    pub fn row_range(&self) -> Range<usize> {
        self.first_row as usize..(self.first_row + self.rows) as usize
    }

    /// True when the last frame leads back to the first.
    pub fn looping(&self) -> bool {
        self.loop_delta.is_some()
    }
}

/// The feature matrix: normalised, weights included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Features {
    /// Columns.
    pub columns: usize,
    /// `[rows x columns]`: (raw - offset) / scale.
    pub values: Vec<f32>,
    /// `[columns]`.
    pub offset: Vec<f32>,
    /// `[columns]`, positive: spread divided by weight.
    pub scale: Vec<f32>,
}

impl Features {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.values.len() / self.columns.max(1)
    }

    /// One row, `[columns]`.
    pub fn row(&self, row: RowIndex) -> &[f32] {
        &self.values[row.at() * self.columns..][..self.columns]
    }

    /// Normalises raw values in place.
    pub fn normalize(&self, raw: &mut [f32]) {
        for (v, (o, s)) in raw.iter_mut().zip(self.offset.iter().zip(&self.scale)) {
            *v = (*v - o) / s;
        }
    }

    /// A normalised value as the raw one.
    pub fn denormalize(&self, column: usize, value: f32) -> f32 {
        value * self.scale[column] + self.offset[column]
    }
}

/// What is special about a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowFlags(pub u8);

impl RowFlags {
    /// Must not be jumped to.
    pub const NO_ENTRY: u8 = 1;
    /// Its future (or past) trajectory runs beyond the clip and was extrapolated.
    pub const EXTRAPOLATED: u8 = 2;

    /// True when it must not be jumped to.
    pub fn no_entry(self) -> bool {
        self.0 & Self::NO_ENTRY != 0
    }

    /// True when its trajectory was extrapolated.
    pub fn extrapolated(self) -> bool {
        self.0 & Self::EXTRAPOLATED != 0
    }
}

choices! {
    /// How mirror images take part.
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
    /// Place in [`DatabaseContent::tags`].
    pub tag: u32,
    /// First frame.
    pub start: FrameIndex,
    /// First frame after.
    pub end: FrameIndex,
}

/// A named moment of a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DatabaseEvent {
    /// Which event.
    pub name: EventId,
    /// Clip (never a stored mirror image: those share their original's events).
    pub clip: ClipIndex,
    /// Seconds from the clip's first frame.
    pub time_s: f32,
}

/// What a database holds and a `.fwdb` file stores. Plain data; [`Database::new`] checks it.
#[derive(Clone, Debug)]
pub struct DatabaseContent {
    /// Joints; joint 0 is the root.
    pub skeleton: Skeleton,
    /// Columns of the feature matrix.
    pub schema: FeatureSchema,
    /// What a full stick stands for.
    pub stick: StickSpeeds,
    /// How raw features were made comparable.
    pub normalization: Normalization,
    /// Originals first, then stored mirror images in the same order.
    pub clips: Vec<Clip>,
    /// All poses.
    pub poses: PosePool,
    /// Poses per second.
    pub pose_rate_hz: f32,
    /// Rows per second.
    pub search_rate_hz: f32,
    /// Roles, legs, soles and how the body stands.
    pub rig: Rig,
    /// `[frames x contact joints]`: 1 touches, 0 does not.
    pub contacts: Vec<u8>,
    /// Names of the float curves.
    pub curve_names: Vec<String>,
    /// `[frames x curves]`.
    pub curves: Vec<f32>,
    /// Feature matrix.
    pub features: Features,
    /// `[rows]` the frame of each row.
    pub row_frames: Vec<FrameIndex>,
    /// `[rows]`.
    pub row_flags: Vec<RowFlags>,
    /// `[rows]` added to the cost of jumping there, 0 or more; empty where nothing is added anywhere.
    pub row_costs: Vec<f32>,
    /// Names of the tags, at most 512.
    pub tags: Vec<String>,
    /// Where they hold.
    pub tag_spans: Vec<TagSpan>,
    /// Names of the events.
    pub event_names: Vec<String>,
    /// When they happen, by clip and time.
    pub events: Vec<DatabaseEvent>,
    /// How mirror images take part.
    pub mirror: MirrorMode,
    /// Joint pairs given by hand, by name.
    pub mirror_pairs: Vec<[String; 2]>,
}

/// All that a character needs to move: checked content and what follows from it. Build one with `build::build`, load one
/// with [`Database::load`]; share it with `Arc`. Its content is read through it (`database.clips`).
#[derive(Debug)]
pub struct Database {
    content: DatabaseContent,
    /// Present unless `mirror` is off.
    pub mirror_table: Option<MirrorTable>,
    /// `[columns]` where each column comes from in a mirror; empty where `mirror` is off.
    pub mirror_columns: Vec<MirrorColumn>,
    /// `[columns]` how differences become cost.
    pub residuals: Vec<Residual>,
    /// All sets of tags that rows have.
    tag_sets: tag_sets::TagSets,
    /// `[rows]` the clip of each row.
    pub row_clips: Vec<ClipIndex>,
    /// `[rows]` transitions per second that a character at rest needs if it enters a clip there: 0 where the clip stands for
    /// ever, 1 / seconds where it stands for that long (at most 1), 2 where it does not come to stand.
    pub row_unrest: Vec<f32>,
    /// `[contact joints]` counterpart slots in a mirror.
    contact_pairs: Vec<usize>,
    hash: OnceLock<u128>,
}

impl std::ops::Deref for Database {
    type Target = DatabaseContent;
    fn deref(&self) -> &DatabaseContent {
        &self.content
    }
}

/// Why content is no database.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DatabaseError {
    /// Nothing can be played or matched.
    #[error("the database has no {what}")]
    Empty {
        /// What is missing.
        what: &'static str,
    },
    /// An array whose length does not follow from the others.
    #[error("`{array}` has {found} values, expected {expected}")]
    Shape {
        /// Array.
        array: &'static str,
        /// Values that the rest calls for.
        expected: usize,
        /// Values given.
        found: usize,
    },
    /// A range or index that leaves its array.
    #[error("{what} points outside of the data: {detail}", what = cut_quotes(.what), detail = cut_quotes(.detail))]
    Range {
        /// Which.
        what: String,
        /// Numbers.
        detail: String,
    },
    /// NaN, infinity, a number too large to be meant, a scale that is no spread, or a negative cost.
    #[error("`{array}`, value {index}: {value} is not usable")]
    Value {
        /// Array.
        array: &'static str,
        /// Place.
        index: usize,
        /// Value.
        value: f32,
    },
    /// The skeleton cannot be mirrored though `mirror` says so.
    #[error(transparent)]
    Mirror(#[from] MirrorError),
    /// A channel cannot be mirrored though `mirror` says so.
    #[error(transparent)]
    Schema(#[from] crate::schema::SchemaError),
    /// A joint named by pairs or contacts is missing.
    #[error(transparent)]
    Skeleton(#[from] crate::skeleton::SkeletonError),
}

impl Database {
    /// How far ahead [`Database::next_contact_s`] looks, seconds.
    pub const CONTACT_HORIZON_S: f64 = 0.5;

    /// Maximum number of tags of a database.
    pub const MAX_TAGS: usize = TagMask::CAPACITY;

    /// Tag of motion that is no locomotion: a fall, a seat, an attack. Queries leave it out, unless they ask for a tag that only
    /// such motion has: see [`Database::accepted`].
    pub const NO_LOCOMOTION: &str = "no_locomotion";

    /// The tag of rows that no one captured: the build made them out of others.
    pub const MADE: &str = "made";

    /// Checks all of it and derives the rest.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn new(content: DatabaseContent) -> Result<Self, DatabaseError> {
        check::check(&content)?;
        let c = &content;
        let (mut mirror_table, mut mirror_columns) = (None, Vec::new());
        if c.mirror != MirrorMode::Off {
            let table = mirror_table_of(&c.skeleton, &c.mirror_pairs, &c.poses.translated)?;
            mirror_columns = c.schema.mirror_columns(&table)?;
            mirror_table = Some(table);
        }
        let residuals = c.schema.channels.iter().flat_map(|ch| ch.columns.clone().map(|_| ch.residual)).collect();
        let mut row_clips = vec![ClipIndex(0); c.row_frames.len()];
        for (i, clip) in c.clips.iter().enumerate() {
            row_clips[clip.row_range()].fill(ClipIndex::new(i));
        }
        let contact_joints = &c.rig.contact_joints;
        let contact_pairs = (0..contact_joints.len())
            .map(|slot| {
                let pair = mirror_table.as_ref().map(|t| t.pairs[contact_joints[slot].at()]);
                pair.and_then(|p| contact_joints.iter().position(|j| *j == p)).unwrap_or(slot)
            })
            .collect();
        Ok(Self {
            mirror_table,
            mirror_columns,
            residuals,
            tag_sets: tag_sets::TagSets::new(c),
            row_clips,
            row_unrest: stands::unrest(&content),
            contact_pairs,
            hash: OnceLock::new(),
            content,
        })
    }

    /// The same once more.
    pub fn clone_of(other: &Self) -> Self {
        // What was a database is one.
        Self::new(other.content.clone()).unwrap_or_else(|error| unreachable!("{error}"))
    }

    /// Rows of the feature matrix.
    pub fn rows(&self) -> usize {
        self.row_frames.len()
    }

    /// Poses held.
    pub fn frames(&self) -> usize {
        self.poses.frames()
    }

    /// Clips that are no mirror images; these come first.
    pub fn originals(&self) -> usize {
        self.clips.partition_point(|c| !c.mirrored)
    }

    /// Seconds of original motion (mirror images not counted twice).
    pub fn seconds(&self) -> f64 {
        self.frames() as f64 / f64::from(self.pose_rate_hz)
    }

    /// Bytes of features and poses in memory.
    pub fn bytes(&self) -> usize {
        size_of_val(self.features.values.as_slice()) + self.poses.bytes()
    }

    /// A clip to be sampled; `mirrored` plays it as in a mirror (needs `mirror` not off).
    pub fn view(&self, clip: ClipIndex, mirrored: bool) -> ClipView<'_> {
        let c = &self.clips[clip.at()];
        ClipView {
            skeleton: &self.skeleton,
            poses: &self.poses,
            start: c.first_frame as usize,
            frames: c.frames as usize,
            rate_hz: self.pose_rate_hz,
            loop_delta: c.loop_delta,
            mirror: self.mirror_table.as_ref().filter(|_| mirrored),
        }
    }

    /// The one door to stored poses: the pose `alpha` (0..1) of the way from a frame to the next of its clip, with its
    /// velocities. Allocates nothing.
    pub fn sample_pose(&self, frame: FrameIndex, alpha: f32, pose: &mut Pose, velocity: &mut PoseVelocity) {
        let clip = self.clip_of_frame(frame);
        let view = self.view(clip, false);
        let time_s = (frame.at() - view.start) as f64 + f64::from(alpha);
        view.sample(time_s / f64::from(self.pose_rate_hz), pose, velocity);
    }

    /// The (original) clip that a frame belongs to.
    pub fn clip_of_frame(&self, frame: FrameIndex) -> ClipIndex {
        let after = self.clips[..self.originals()].partition_point(|c| c.first_frame <= frame.0);
        ClipIndex::new(after.saturating_sub(1))
    }

    /// The longest clip, seconds.
    pub fn longest_clip_s(&self) -> f32 {
        let frames = self.clips.iter().map(|c| c.frames).max().unwrap_or(0);
        frames as f32 / self.pose_rate_hz
    }

    /// Seconds from the start of its clip to a row's frame.
    pub fn row_time_s(&self, row: RowIndex) -> f64 {
        let clip = &self.clips[self.row_clips[row.at()].at()];
        f64::from(self.row_frames[row.at()].0 - clip.first_frame) / f64::from(self.pose_rate_hz)
    }

    /// Contact labels at a time of a clip (the nearest frame's), `[contact joints]` into `out`.
    pub fn contacts_at(&self, clip: ClipIndex, mirrored: bool, time_s: f64, out: &mut [u8]) {
        let c = &self.clips[clip.at()];
        let n = self.rig.contact_joints.len();
        let frame = nearest_frame(c, self.pose_rate_hz, time_s);
        let row = &self.contacts[frame * n..][..n];
        for (slot, o) in out.iter_mut().enumerate().take(n) {
            *o = row[if mirrored { self.contact_pairs[slot] } else { slot }];
        }
    }

    /// True where a contact joint touches at a time of a clip (the nearest frame's label).
    pub fn touches_at(&self, clip: ClipIndex, mirrored: bool, slot: usize, time_s: f64) -> bool {
        let frame = nearest_frame(&self.clips[clip.at()], self.pose_rate_hz, time_s);
        let slot = if mirrored { self.contact_pairs[slot] } else { slot };
        self.contacts[frame * self.rig.contact_joints.len() + slot] == 1
    }

    /// The next touch-down of a contact joint after a time of a clip: in how many seconds (0 where it touches now, infinite
    /// where that is further than [`Database::CONTACT_HORIZON_S`]), and for how long it touches then (at most the same).
    pub fn next_contact_s(&self, clip: ClipIndex, mirrored: bool, slot: usize, time_s: f64) -> (f32, f32) {
        let c = &self.clips[clip.at()];
        let slot = if mirrored { self.contact_pairs[slot] } else { slot };
        let rate = f64::from(self.pose_rate_hz);
        let first = (time_s * rate).round();
        let horizon = (Self::CONTACT_HORIZON_S * rate).ceil() as usize;
        let n = self.rig.contact_joints.len();
        let at_s = |k: usize| (first + k as f64) / rate;
        let touches = |k: usize| self.contacts[frame_at(c, first as i64 + k as i64) * n + slot] == 1;
        let Some(down) = (0..=horizon).find(|k| touches(*k)) else { return (f32::INFINITY, 0.0) };
        let up = (down..=down + horizon).find(|k| !touches(*k)).unwrap_or(down + horizon);
        ((at_s(down) - time_s).max(0.0) as f32, ((up - down) as f64 / rate) as f32)
    }

    /// Curve values at a time of a clip, linear between frames, `[curves]` into `out`.
    pub fn curves_at(&self, clip: ClipIndex, time_s: f64, out: &mut [f32]) {
        let c = &self.clips[clip.at()];
        let k = self.curve_names.len();
        let x = (time_s * f64::from(self.pose_rate_hz)).max(0.0);
        let at = |i: usize| {
            let i = if c.looping() { i % c.frames as usize } else { i.min(c.frames as usize - 1) };
            &self.curves[(c.first_frame as usize + i) * k..][..k]
        };
        let (a, b, t) = (at(x as usize), at(x as usize + 1), (x - x.floor()) as f32);
        for (i, o) in out.iter_mut().enumerate().take(k) {
            *o = crate::math::lerp(a[i], b[i], t);
        }
    }

    /// The set of one tag.
    ///
    /// # Errors
    /// Returns [`NameError`] with the nearest name if the database has no such tag.
    pub fn tag_mask(&self, tag: &str) -> Result<TagMask, NameError> {
        position("tag", &self.tags, tag).map(TagMask::of)
    }

    /// The identifier that fired events carry for a name.
    ///
    /// # Errors
    /// Returns [`NameError`] with the nearest name if the database has no such event.
    pub fn event_id(&self, event: &str) -> Result<EventId, NameError> {
        position("event", &self.event_names, event).map(EventId::new)
    }

    /// Names of the tags over all of a clip or a part of it, in the order of [`DatabaseContent::tags`].
    pub fn clip_tags(&self, clip: &Clip) -> Vec<&str> {
        let frames = clip.frame_range();
        let over = |s: &&TagSpan| s.start.at() < frames.end && s.end.at() > frames.start;
        let mut tags: Vec<usize> = self.tag_spans.iter().filter(over).map(|s| s.tag as usize).collect();
        tags.sort_unstable();
        tags.dedup();
        tags.into_iter().map(|tag| self.tags[tag].as_str()).collect()
    }

    /// Names of the tags in a set, in the order of [`DatabaseContent::tags`].
    pub fn tag_names(&self, tags: TagMask) -> impl Iterator<Item = &str> {
        tags.iter().filter_map(|tag| self.tags.get(tag)).map(String::as_str)
    }

    /// With the hash that a file was just checked against.
    fn with_content_hash(self, hash: u128) -> Self {
        // Fresh from `new`: nobody has asked for the hash yet.
        let _ = self.hash.set(hash);
        self
    }

    /// Hash of all content: equal content, equal hash. Computed on first use.
    pub fn content_hash(&self) -> u128 {
        *self.hash.get_or_init(|| file::content_hash(&self.content))
    }
}

/// A name that the database does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the database has no {kind} `{name}`{}",
    .nearest.as_ref().map(|n| format!("; the nearest is `{n}`")).unwrap_or_default(), name = quoted(.name)
)]
pub struct NameError {
    /// `tag` or `event`.
    pub kind: &'static str,
    /// The name that was looked up.
    pub name: String,
    /// The most similar name that exists.
    pub nearest: Option<String>,
}

fn position(kind: &'static str, names: &[String], name: &str) -> Result<usize, NameError> {
    names.iter().position(|n| n == name).ok_or_else(|| NameError {
        kind,
        name: name.to_owned(),
        nearest: nearest(name, names.iter().map(String::as_str)),
    })
}

/// The frame of the pool nearest to a time of a clip.
fn nearest_frame(clip: &Clip, rate_hz: f32, time_s: f64) -> usize {
    frame_at(clip, (time_s * f64::from(rate_hz)).round() as i64)
}

/// The frame of the pool that is number `i` of a clip; the nearest there is, or round a loop, outside of it.
fn frame_at(clip: &Clip, i: i64) -> usize {
    let n = i64::from(clip.frames);
    let i = if clip.looping() { i.rem_euclid(n) } else { i.clamp(0, n - 1) };
    clip.first_frame as usize + i as usize
}

/// The mirror table of a skeleton with pairs given by name.
pub(crate) fn mirror_table_of(
    skeleton: &Skeleton,
    pairs: &[[String; 2]],
    translated: &[JointIndex],
) -> Result<MirrorTable, DatabaseError> {
    let mut given = Vec::with_capacity(pairs.len());
    for [a, b] in pairs {
        given.push((skeleton.require(a)?, skeleton.require(b)?));
    }
    Ok(MirrorTable::new(skeleton, &given, translated)?)
}
