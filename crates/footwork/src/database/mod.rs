//! The motion database: poses, features, annotations. Immutable, a struct of arrays, shared by any number of characters.

mod accepted;
mod check;
mod content;
mod error;
mod features;
mod file;
mod parts;
mod stands;
mod steadiness;
pub(crate) mod tag_costs;
mod tag_query;
pub(crate) mod tag_sets;
mod tags;
mod tensors;

pub use content::{Clip, DatabaseContent, DatabaseEvent, MirrorMode, TagSpan};
use error::position;
pub use error::{DatabaseError, NameError};
pub use features::{Features, RowFlags};
pub(crate) use steadiness::MOTION_LASTS_S;
pub use tag_costs::TagCost;
pub(crate) use tag_costs::TagCosts;
pub use tag_query::TagQuery;
pub(crate) use tag_sets::{AcceptedTags, SetBits};
pub use tags::TagMask;

pub use crate::container::{FileError, FileFault};
use crate::frames::{ClipIndex, EventId, FrameIndex, JointIndex, RowIndex};
use crate::motion::codec::EncodedPoses;
use crate::motion::{ClipView, MirrorTable};
use crate::pose::{Pose, PoseVelocity};
use crate::schema::{MirrorColumn, Residual};
use crate::skeleton::Skeleton;
use std::sync::OnceLock;

/// A motion database: checked content and derived data. Build one with `build::build` or load one with [`Database::load`]; share
/// it with `Arc`. It dereferences to its content (`database.clips`).
#[derive(Debug)]
pub struct Database {
    content: DatabaseContent,
    /// Present unless `mirror` is off.
    pub mirror_table: Option<MirrorTable>,
    /// `[columns]` source of each column in a mirror; empty if `mirror` is off.
    pub mirror_columns: Vec<MirrorColumn>,
    /// `[columns]` conversion of differences to cost.
    pub residuals: Vec<Residual>,
    /// All distinct sets of tags of rows.
    tag_sets: tag_sets::TagSets,
    /// `[rows]` clip of each row.
    pub row_clips: Vec<ClipIndex>,
    /// `[rows]` transitions per second that an idle character needs after entering a clip at the row: 0 if the clip stands
    /// indefinitely, 1 / seconds if it stands for a limited time (at most 1), 2 if it does not come to stand.
    pub row_unrest: Vec<f32>,
    /// `[rows]` transitions per second that a character under a steady command needs after entering a clip at the row, less those of 1
    /// per 4 s: 0 where the motion continues for at least 4 s, as in a loop of steady motion, at most 1.75.
    pub row_unsteadiness: Vec<f32>,
    /// `[contact joints]` slot of the counterpart in a mirror.
    contact_pairs: Vec<usize>,
    /// The same poses as bits. Set before the first use of `hash`.
    pub(crate) encoded_poses: Option<EncodedPoses>,
    hash: OnceLock<u128>,
}

impl std::ops::Deref for Database {
    type Target = DatabaseContent;
    fn deref(&self) -> &DatabaseContent {
        &self.content
    }
}

/// Begin of the names of curves of contacts; the name of a joint follows.
const CONTACT_CURVE: &str = "contact.";

impl Database {
    /// Look-ahead of [`Database::next_contact_s`], in seconds.
    pub const CONTACT_HORIZON_S: f64 = 0.5;

    /// Maximum number of tags of a database.
    pub const MAX_TAGS: usize = TagMask::CAPACITY;

    /// Tag of motion that is not locomotion: a fall, a seat, an attack. Queries exclude such rows, unless they request a tag that
    /// only such motion has; see [`Database::accepted`].
    pub const NO_LOCOMOTION: &str = tags::NO_LOCOMOTION;

    /// Tag of rows that were not captured: the build generated them from others.
    pub const MADE: &str = "made";

    /// Checks the content and derives the other data.
    ///
    /// # Errors
    /// Returns the first [`DatabaseError`] that is found.
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
            row_unsteadiness: steadiness::unsteadiness(&content),
            contact_pairs,
            encoded_poses: None,
            hash: OnceLock::new(),
            content,
        })
    }

    /// Returns a copy of a database.
    pub fn clone_of(other: &Self) -> Self {
        // The content of a database is always valid.
        let copy = Self::new(other.content.clone()).unwrap_or_else(|error| unreachable!("{error}"));
        Self { encoded_poses: other.encoded_poses.clone(), ..copy }
    }

    /// Returns the poses as bits, as a file holds them; `None` for poses as captured.
    pub fn encoded_poses(&self) -> Option<&EncodedPoses> {
        self.encoded_poses.as_ref()
    }

    /// Returns the number of rows of the feature matrix.
    pub fn rows(&self) -> usize {
        self.row_frames.len()
    }

    /// Returns the number of stored poses.
    pub fn frames(&self) -> usize {
        self.poses.frames()
    }

    /// Returns the number of clips that are not mirror images. They precede the mirror images.
    pub fn originals(&self) -> usize {
        self.clips.partition_point(|c| !c.mirrored)
    }

    /// Returns the duration of the original motion, in seconds. Mirror images are not counted.
    pub fn seconds(&self) -> f64 {
        self.frames() as f64 / f64::from(self.pose_rate_hz)
    }

    /// Returns the size of features and poses in memory, in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.features.values.as_slice()) + self.poses.bytes()
    }

    /// Returns a clip for sampling. `mirrored` plays its mirror image and requires that `mirror` is not off.
    pub fn view(&self, clip: ClipIndex, mirrored: bool) -> ClipView<'_> {
        let mirror = self.mirror_table.as_ref().filter(|_| mirrored);
        ClipView { mirror, ..self.clips[clip.at()].view(&self.skeleton, &self.poses, self.pose_rate_hz) }
    }

    /// Samples the stored poses between a frame (`alpha` 0) and the next frame of its clip (`alpha` 1), with velocities.
    /// Allocates nothing.
    pub fn sample_pose(&self, frame: FrameIndex, alpha: f32, pose: &mut Pose, velocity: &mut PoseVelocity) {
        let clip = self.clip_of_frame(frame);
        let view = self.view(clip, false);
        let time_s = (frame.at() - view.start) as f64 + f64::from(alpha);
        view.sample(time_s / f64::from(self.pose_rate_hz), pose, velocity);
    }

    /// Returns the (original) clip of a frame.
    pub fn clip_of_frame(&self, frame: FrameIndex) -> ClipIndex {
        let after = self.clips[..self.originals()].partition_point(|c| c.first_frame <= frame.0);
        ClipIndex::new(after.saturating_sub(1))
    }

    /// Returns the length of the longest clip, in seconds.
    pub fn longest_clip_s(&self) -> f32 {
        let frames = self.clips.iter().map(|c| c.frames).max().unwrap_or(0);
        frames as f32 / self.pose_rate_hz
    }

    /// Returns the time of a row's frame in its clip, in seconds.
    pub fn row_time_s(&self, row: RowIndex) -> f64 {
        let clip = &self.clips[self.row_clips[row.at()].at()];
        f64::from(self.row_frames[row.at()].0 - clip.first_frame) / f64::from(self.pose_rate_hz)
    }

    /// Returns a clip by its name, or by its number as text.
    ///
    /// # Errors
    /// Returns [`NameError`] with the nearest name if the database has no such clip.
    pub fn clip_named(&self, name: &str) -> Result<ClipIndex, NameError> {
        let named = self.clips.iter().position(|clip| clip.name == name);
        let numbered = || name.parse().ok().filter(|index| *index < self.clips.len());
        let missing = || NameError {
            kind: "clip",
            name: name.to_owned(),
            nearest: crate::error::nearest(name, self.clips.iter().map(|clip| clip.name.as_str())),
        };
        named.or_else(numbered).map(ClipIndex::new).ok_or_else(missing)
    }

    /// Returns the row nearest to a time of a clip, in seconds; `None` for a clip without rows.
    pub fn row_at(&self, clip: ClipIndex, time_s: f64) -> Option<RowIndex> {
        let rows = self.clips[clip.at()].row_range();
        let place = (time_s * f64::from(self.search_rate_hz)).round() as usize;
        let last = rows.len().checked_sub(1)?;
        Some(RowIndex::new(rows.start + place.min(last)))
    }

    /// Returns the slot of each contact joint's counterpart in a mirror, `[contact joints]`.
    pub(crate) fn contact_pairs(&self) -> &[usize] {
        &self.contact_pairs
    }

    /// Writes the contact labels at a time of a clip to `out`, `[contact joints]`; they are those of the nearest frame.
    pub fn contacts_at(&self, clip: ClipIndex, mirrored: bool, time_s: f64, out: &mut [u8]) {
        let c = &self.clips[clip.at()];
        let n = self.rig.contact_joints.len();
        let frame = nearest_frame(c, self.pose_rate_hz, time_s);
        let row = &self.contacts[frame * n..][..n];
        for (slot, o) in out.iter_mut().enumerate().take(n) {
            *o = row[if mirrored { self.contact_pairs[slot] } else { slot }];
        }
    }

    /// Returns true if a contact joint touches at a time of a clip, by the label of the nearest frame.
    pub fn touches_at(&self, clip: ClipIndex, mirrored: bool, slot: usize, time_s: f64) -> bool {
        let frame = nearest_frame(&self.clips[clip.at()], self.pose_rate_hz, time_s);
        let slot = if mirrored { self.contact_pairs[slot] } else { slot };
        self.contacts[frame * self.rig.contact_joints.len() + slot] == 1
    }

    /// Returns the next touch-down of a contact joint after a time of a clip: the time until it (0 if the joint touches now,
    /// infinite beyond [`Database::CONTACT_HORIZON_S`]) and the duration of the contact (at most the same horizon), in seconds.
    pub fn next_contact_s(&self, clip: ClipIndex, mirrored: bool, slot: usize, time_s: f64) -> (f32, f32) {
        let c = &self.clips[clip.at()];
        let slot = if mirrored { self.contact_pairs[slot] } else { slot };
        let rate = f64::from(self.pose_rate_hz);
        let first = (time_s * rate).round();
        let horizon = (Self::CONTACT_HORIZON_S * rate).ceil() as usize;
        let n = self.rig.contact_joints.len();
        let at_s = |k: usize| (first + k as f64) / rate;
        let mut frames = frames_from(c, first as i64).map(|frame| self.contacts[frame * n + slot] == 1).zip(0..);
        let Some((_, down)) = frames.by_ref().take(horizon + 1).find(|(touches, _)| *touches) else {
            return (f32::INFINITY, 0.0);
        };
        let up = frames.take(horizon).find(|(touches, _)| !touches).map_or(down + horizon, |(_, k)| k);
        ((at_s(down) - time_s).max(0.0) as f32, ((up - down) as f64 / rate) as f32)
    }

    /// Returns the name of the curve that is 1 while a joint touches something in an action.
    #[cfg(feature = "build")]
    pub(crate) fn contact_curve(joint: &str) -> String {
        format!("{CONTACT_CURVE}{joint}")
    }

    /// Returns the joint whose contacts a curve names.
    pub(crate) fn joint_of_contact_curve(name: &str) -> Option<&str> {
        name.strip_prefix(CONTACT_CURVE)
    }

    /// Writes the curve values at a time of a clip to `out`, `[curves]`; they are linear between frames.
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

    /// Returns the set that contains one tag.
    ///
    /// # Errors
    /// Returns [`NameError`] with the nearest name if the database has no such tag.
    pub fn tag_mask(&self, tag: &str) -> Result<TagMask, NameError> {
        position("tag", &self.tags, tag).map(TagMask::of)
    }

    /// Returns the identifier of an event name, as in fired events.
    ///
    /// # Errors
    /// Returns [`NameError`] with the nearest name if the database has no such event.
    pub fn event_id(&self, event: &str) -> Result<EventId, NameError> {
        position("event", &self.event_names, event).map(EventId::new)
    }

    /// Returns the names of the tags of all or part of a clip, in the order of [`DatabaseContent::tags`].
    pub fn clip_tags(&self, clip: &Clip) -> Vec<&str> {
        let frames = clip.frame_range();
        let over = |s: &&TagSpan| s.start.at() < frames.end && s.end.at() > frames.start;
        let mut tags: Vec<usize> = self.tag_spans.iter().filter(over).map(|s| s.tag as usize).collect();
        tags.sort_unstable();
        tags.dedup();
        tags.into_iter().map(|tag| self.tags[tag].as_str()).collect()
    }

    /// Returns true if the build generated a clip from others: all or part of it has the tag [`Self::MADE`].
    pub fn is_made(&self, clip: &Clip) -> bool {
        self.clip_tags(clip).contains(&Self::MADE)
    }

    /// Returns the names of the tags in a set, in the order of [`DatabaseContent::tags`].
    pub fn tag_names(&self, tags: TagMask) -> impl Iterator<Item = &str> {
        tags.iter().filter_map(|tag| self.tags.get(tag)).map(String::as_str)
    }

    /// Sets the hash that was just verified for a file.
    fn with_content_hash(self, hash: u128) -> Self {
        // `new` leaves the hash unset.
        let _ = self.hash.set(hash);
        self
    }

    /// Returns the hash of all content. Equal content has an equal hash. Computed on first use.
    pub fn content_hash(&self) -> u128 {
        *self.hash.get_or_init(|| tensors::content_hash(&self.content, self.encoded_poses.as_ref()))
    }
}

/// Returns the frame of the pool that is nearest to a time of a clip.
fn nearest_frame(clip: &Clip, rate_hz: f32, time_s: f64) -> usize {
    frame_at(clip, (time_s * f64::from(rate_hz)).round() as i64)
}

/// Returns the frame of the pool for frame `i` of a clip. An `i` outside of the clip is wrapped in a loop, else clamped.
fn frame_at(clip: &Clip, i: i64) -> usize {
    let n = i64::from(clip.frames);
    let i = if clip.looping() { i.rem_euclid(n) } else { i.clamp(0, n - 1) };
    clip.first_frame as usize + i as usize
}

/// Returns the frames of the pool from frame `i` of a clip on, without end, as [`frame_at`].
fn frames_from(clip: &Clip, i: i64) -> impl Iterator<Item = usize> {
    let (start, end) = (clip.first_frame as usize, clip.first_frame as usize + clip.frames as usize);
    // Before its start, a clip that does not loop stays at its first frame.
    let (mut before, mut at) = (if clip.looping() { 0 } else { i.min(0).unsigned_abs() }, frame_at(clip, i));
    let after_last = if clip.looping() { start } else { end - 1 };
    std::iter::from_fn(move || {
        let frame = at;
        if before > 0 {
            before -= 1;
        } else {
            at = if at + 1 < end { at + 1 } else { after_last };
        }
        Some(frame)
    })
}

/// Returns the mirror table of a skeleton with pairs given by name.
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
