//! Sources of motion.
//!
//! A character plays a [`Playing`] clip and time of a [`MotionSource`]. Every stage samples the source there: pose, root,
//! contacts, features. [`Clips`], the poses of a database, is one source; a decompressor and a blend space are others.
//!
//! A source may need memory per character, such as a latent vector or a phase. It is part of the character's state:
//! [`MotionSource::memory_width`] floats, which the source advances at control ticks and a chooser sets at transitions.

use super::memo::Memo;
use super::output::SAME_INSTANT_S;
use super::playing::Playing;
use super::roots::{Root, Roots};
use crate::database::{Database, DatabaseEvent, TagMask};
use crate::frames::{ClipIndex, EventId, RowIndex};
use crate::math::Transform;
use crate::pose::{Pose, PoseVelocity};
use crate::schema::{SourceBuffers, TrajectorySample};
use crate::search::kernels::prefetch;
use glam::Vec3;
use std::any::Any;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

/// A clip and time of a source, with the source's memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Playhead<'a> {
    /// Clip and time.
    pub playing: Playing,
    /// `[memory_width]` memory of the source for the character.
    pub memory: &'a [f32],
}

impl Playhead<'_> {
    /// Returns another time of the same clip.
    pub fn at(self, time_s: f64) -> Self {
        Self { playing: Playing { time_s, ..self.playing }, ..self }
    }

    /// Returns the same clip, `by_s` seconds later.
    pub fn later(self, by_s: f64) -> Self {
        self.at(self.playing.time_s + by_s)
    }
}

/// Length of a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    /// Length, in seconds: of a loop, one cycle. Infinite for motion without an end.
    pub seconds: f64,
    /// True if the clip loops.
    pub looping: bool,
}

/// Working space of a source. Its content changes the speed of the source, never its results.
pub(crate) struct SourceScratch(Box<dyn Any + Send + Sync>);

impl SourceScratch {
    /// Returns working space of a source's own type.
    pub fn new(of_a_kind: impl Any + Send + Sync) -> Self {
        Self(Box::new(of_a_kind))
    }

    /// Returns the content, if it has this type.
    pub fn of<T: Any>(&mut self) -> Option<&mut T> {
        self.0.downcast_mut()
    }

    /// Returns the content for reading, if it has this type.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

impl Debug for SourceScratch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("SourceScratch")
    }
}

/// Source of pose, root, contacts and features at any clip and time. Allocates nothing.
pub(crate) trait MotionSource: Debug + Send + Sync {
    /// Returns working space, one per thread.
    fn scratch(&self) -> SourceScratch {
        SourceScratch::new(())
    }

    /// Returns true if the working space belongs to this kind of source.
    fn owns_scratch(&self, _room: &SourceScratch) -> bool {
        true
    }

    /// Returns an empty memo of a character.
    fn memo(&self) -> Memo {
        Memo::default()
    }

    /// Exchanges the memo of a character with that in the working space: before an update, and back after it. Does nothing for a memo of
    /// another kind of source.
    fn exchange(&self, _memo: &mut Memo, _room: &mut SourceScratch) {}

    /// Returns the number of floats that the source keeps in the state of each character.
    fn memory_width(&self) -> usize {
        0
    }

    /// Writes the memory of a character at rest to `memory`.
    fn init_memory(&self, _memory: &mut [f32]) {}

    /// Clears the parts of `memory` that the playing clip and time do not use, so that equal motion gives equal bytes.
    fn clear_unused(&self, _playing: &Playing, _memory: &mut [f32]) {}

    /// Advances `memory` by a control tick. It belongs to the playing clip and time.
    fn tick(&self, _playing: &Playing, _memory: &mut [f32], _room: &mut SourceScratch) {}

    /// Returns the source that a director's source is made over; `None` for any other source.
    fn undirected(&self) -> Option<Arc<dyn MotionSource>> {
        None
    }

    /// Returns the maximum number of events at one instant.
    fn most_events_at_once(&self) -> usize {
        0
    }

    /// Begins to load the frames of a clip and time, which may be any, into the cache: changes the speed alone.
    fn prefetch(&self, _playing: &Playing) {}

    /// Returns false for a memory that no tick can leave for this clip and time.
    fn is_memory(&self, _playing: &Playing, _memory: &[f32]) -> bool {
        true
    }

    /// Returns features and latent variables; `None` if the motion has none or does not store them.
    fn code<'a>(&self, _at: Playhead<'a>) -> Option<&'a [f32]> {
        None
    }

    /// Returns the clip and time of the database that are shown; of a blended clip, those with the greatest weight.
    fn captured(&self, at: Playhead) -> Playing {
        at.playing
    }

    /// Returns the name of a clip; `None` for motion without clips.
    fn clip_name(&self, _clip: ClipIndex) -> Option<&str> {
        None
    }

    /// Returns true if the clip exists and, for a mirrored one, mirroring is possible.
    fn has(&self, playing: &Playing) -> bool;

    /// Returns the length of a clip.
    fn span(&self, clip: ClipIndex) -> Span;

    /// Returns the velocity of the root along its own axes, in m/s.
    fn root_velocity(&self, at: Playhead, room: &mut SourceScratch) -> Vec3;

    /// Returns the root at `to_s`, another time of the clip within a control tick, relative to the root at `at`.
    fn displacement(&self, at: Playhead, room: &mut SourceScratch, to_s: f64) -> Transform;

    /// Samples local transforms and their velocities. Joint 0 is the root in the space of the clip.
    fn pose(&self, at: Playhead, room: &mut SourceScratch, pose: &mut Pose, velocity: &mut PoseVelocity);

    /// As [`MotionSource::pose`], of the joints whose `wanted` is true (`[joints]`). The others may keep their old values.
    fn some_joints(
        &self,
        at: Playhead,
        room: &mut SourceScratch,
        wanted: &[bool],
        pose: &mut Pose,
        velocity: &mut PoseVelocity,
    );

    /// Returns the root `ahead_s` seconds later (negative: before), relative to the root at `at`.
    fn trajectory(&self, at: Playhead, room: &mut SourceScratch, ahead_s: f32) -> TrajectorySample;

    /// Writes the inputs of the body's features to `buffers`, with accelerations if `accelerations` is true.
    fn features(&self, at: Playhead, room: &mut SourceScratch, accelerations: bool, buffers: &mut SourceBuffers);

    /// Writes `[contact joints]` to `out`: 1 for each that touches the ground, else 0.
    fn contacts(&self, at: Playhead, room: &mut SourceScratch, out: &mut [u8]);

    /// Returns the time until a contact joint touches the ground, in seconds (0: now, infinite: not within
    /// [`Database::CONTACT_HORIZON_S`]), and the duration of that contact, in seconds.
    fn next_contact_s(&self, at: Playhead, room: &mut SourceScratch, slot: usize) -> (f32, f32);

    /// Writes the values of the curves, `[curves]`, to `out`.
    fn curves(&self, at: Playhead, room: &mut SourceScratch, out: &mut [f32]);

    /// Returns the tags at this clip and time.
    fn tags(&self, at: Playhead) -> TagMask;

    /// Reports the events of the playing clip after `from_s` (exclusive, a time of that clip) up to now, each with its time.
    fn events(&self, at: Playhead, from_s: f64, report: &mut dyn FnMut(f64, EventId));
}

/// Frames that are loaded ahead: those of an update from its begin to its end, with their neighbours.
const PREFETCHED: usize = 5;

/// The clips of a database.
#[derive(Debug)]
pub(crate) struct Clips(pub Arc<Database>);

impl Clips {
    /// Returns the root with its velocity along its own axes, from the working space if that belongs to clips.
    fn root(&self, at: &Playhead, room: &mut SourceScratch) -> Root {
        match room.of::<Roots>() {
            Some(roots) => roots.at(&self.0, &at.playing),
            None => self.0.view(at.playing.clip, at.playing.mirrored).root(at.playing.time_s),
        }
    }
}

impl MotionSource for Clips {
    fn scratch(&self) -> SourceScratch {
        SourceScratch::new(Roots::new(self.0.clone()))
    }

    fn clip_name(&self, clip: ClipIndex) -> Option<&str> {
        Some(self.0.clips[clip.at()].name.as_str())
    }

    fn most_events_at_once(&self) -> usize {
        let events = &self.0.events;
        let together = |i: usize| {
            let near =
                |e: &&DatabaseEvent| e.clip == events[i].clip && e.time_s - events[i].time_s <= SAME_INSTANT_S as f32;
            events[i..].iter().take_while(near).count()
        };
        (0..events.len()).map(together).max().unwrap_or(0)
    }

    fn has(&self, playing: &Playing) -> bool {
        playing.clip.at() < self.0.clips.len() && (!playing.mirrored || self.0.mirror_table.is_some())
    }

    fn span(&self, clip: ClipIndex) -> Span {
        Span { seconds: self.0.view(clip, false).seconds(), looping: self.0.clips[clip.at()].looping() }
    }

    fn root_velocity(&self, at: Playhead, room: &mut SourceScratch) -> Vec3 {
        self.root(&at, room).1
    }

    fn prefetch(&self, playing: &Playing) {
        if let Some(clip) = self.0.clips.get(playing.clip.at()) {
            let rows = clip.frame_range();
            let now = (playing.time_s * f64::from(self.0.pose_rate_hz)) as usize;
            let first = rows.start + now.saturating_sub(1).min(rows.len() - 1);
            let joints = self.0.poses.joints;
            prefetch(&self.0.poses.rotations[first * joints..(first + PREFETCHED).min(rows.end) * joints]);
        }
    }

    fn displacement(&self, at: Playhead, room: &mut SourceScratch, to_s: f64) -> Transform {
        self.root(&at, room).0.inverse() * self.root(&at.at(to_s), room).0
    }

    fn pose(&self, at: Playhead, room: &mut SourceScratch, pose: &mut Pose, velocity: &mut PoseVelocity) {
        let (p, root) = (at.playing, self.root(&at, room));
        self.0.view(p.clip, p.mirrored).sample_around(root, p.time_s, |_| true, pose, velocity);
    }

    fn some_joints(
        &self,
        at: Playhead,
        room: &mut SourceScratch,
        wanted: &[bool],
        pose: &mut Pose,
        velocity: &mut PoseVelocity,
    ) {
        let (p, root) = (at.playing, self.root(&at, room));
        self.0.view(p.clip, p.mirrored).sample_around(root, p.time_s, |j| wanted[j], pose, velocity);
    }

    fn trajectory(&self, at: Playhead, room: &mut SourceScratch, ahead_s: f32) -> TrajectorySample {
        let (p, (now, ..)) = (at.playing, self.root(&at, room));
        let view = self.0.view(p.clip, p.mirrored);
        let (position, facing, velocity) = view.trajectory_from(now, p.time_s, ahead_s);
        TrajectorySample { position, facing, velocity }
    }

    fn features(&self, at: Playhead, _room: &mut SourceScratch, accelerations: bool, buffers: &mut SourceBuffers) {
        let p = at.playing;
        buffers.gather_body(&self.0.view(p.clip, p.mirrored), p.time_s, accelerations);
    }

    fn contacts(&self, at: Playhead, _room: &mut SourceScratch, out: &mut [u8]) {
        let p = at.playing;
        self.0.contacts_at(p.clip, p.mirrored, p.time_s, out);
    }

    fn next_contact_s(&self, at: Playhead, _room: &mut SourceScratch, slot: usize) -> (f32, f32) {
        let p = at.playing;
        self.0.next_contact_s(p.clip, p.mirrored, slot, p.time_s)
    }

    fn curves(&self, at: Playhead, _room: &mut SourceScratch, out: &mut [f32]) {
        self.0.curves_at(at.playing.clip, at.playing.time_s, out);
    }

    fn tags(&self, at: Playhead) -> TagMask {
        nearest_row(&self.0, &at.playing).map_or(TagMask::default(), |row| *self.0.row_tags(row.at()))
    }

    fn events(&self, at: Playhead, from_s: f64, report: &mut dyn FnMut(f64, EventId)) {
        let (clip, to_s) = (at.playing.clip, at.playing.time_s);
        let span = self.span(clip);
        for e in events_of(&self.0, clip) {
            let mut at_s = f64::from(e.time_s);
            if !span.looping {
                if from_s < at_s && at_s <= to_s {
                    report(at_s, e.name);
                }
                continue;
            }
            // A loop may pass an event several times.
            at_s += (((from_s - at_s) / span.seconds).floor() + 1.0) * span.seconds;
            while at_s <= to_s {
                report(at_s, e.name);
                at_s += span.seconds;
            }
        }
    }
}

/// Returns the events of a clip in order of time. Mirrored clips share those of their original.
pub(crate) fn events_of(db: &Database, clip: ClipIndex) -> &[DatabaseEvent] {
    let clip = clip.at() % db.originals().max(1);
    let events = &db.events;
    let first = events.partition_point(|e| e.clip.at() < clip);
    &events[first..][..events[first..].partition_point(|e| e.clip.at() == clip)]
}

/// Returns the clip and time of a row.
pub(crate) fn playing_at(db: &Database, row: RowIndex, mirrored: bool) -> Playing {
    let clip = db.row_clips[row.at()];
    Playing { clip, mirrored: mirrored || db.clips[clip.at()].mirrored, time_s: db.row_time_s(row) }
}

/// Returns the row nearest to a time of a clip; `None` for a clip without rows.
pub(crate) fn nearest_row(db: &Database, p: &Playing) -> Option<RowIndex> {
    let rows = db.clips.get(p.clip.at())?.row_range();
    if rows.is_empty() {
        return None;
    }
    let index = (wrapped_s(db, p) * f64::from(db.search_rate_hz)).round() as usize;
    Some(RowIndex::new(rows.start + index.min(rows.len() - 1)))
}

/// Returns the time within the clip, with whole cycles of a loop subtracted.
pub(crate) fn wrapped_s(db: &Database, p: &Playing) -> f64 {
    let seconds = db.view(p.clip, false).seconds();
    if db.clips[p.clip.at()].looping() { p.time_s.rem_euclid(seconds) } else { p.time_s.max(0.0) }
}
