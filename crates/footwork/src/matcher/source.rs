//! What gives motion at a moment.
//!
//! A character plays a [`Playing`] moment of a [`MotionSource`], and every stage asks the source about it: pose, root, contacts,
//! features. [`Clips`], the poses of a database, is one; a decompressor, a blend space and a warped action are others. What a
//! source must remember of a character (a latent vector, a phase) is the character's: floats of [`MotionSource::memory_width`]
//! in its state, which the source moves on at control ticks and a chooser sets at transitions.

use super::output::SAME_INSTANT_S;
use super::playing::Playing;
use crate::database::{Database, DatabaseEvent, TagMask};
use crate::frames::{ClipIndex, EventId, RowIndex};
use crate::math::Transform;
use crate::pose::{Pose, PoseVelocity};
use crate::schema::{SourceBuffers, TrajectorySample};
use glam::Vec3;
use std::any::Any;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

/// A moment of motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment<'a> {
    /// Clip and time.
    pub playing: Playing,
    /// `[memory_width]` what the source remembers of the character that plays it.
    pub memory: &'a [f32],
}

impl Moment<'_> {
    /// Another time of the same clip.
    pub fn at(self, time_s: f64) -> Self {
        Self { playing: Playing { time_s, ..self.playing }, ..self }
    }

    /// The same clip, `by_s` later.
    pub fn later(self, by_s: f64) -> Self {
        self.at(self.playing.time_s + by_s)
    }
}

/// How long a clip is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    /// Seconds; of a loop, one cycle. Infinite for motion without an end.
    pub seconds: f64,
    /// The end leads back to the start.
    pub looping: bool,
}

/// Room that a source works in: what it finds there changes how fast it is, never what it gives.
pub(crate) struct Room(Box<dyn Any + Send + Sync>);

impl Room {
    /// Room of a source's own kind.
    pub fn new(of_a_kind: impl Any + Send + Sync) -> Self {
        Self(Box::new(of_a_kind))
    }

    /// As the kind it was made as.
    pub fn of<T: Any>(&mut self) -> Option<&mut T> {
        self.0.downcast_mut()
    }

    /// As the kind it was made as, to be looked at.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

impl Debug for Room {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("Room")
    }
}

/// Gives poses, roots, contacts and features at any moment. Allocates nothing.
pub(crate) trait MotionSource: Debug + Send + Sync {
    /// Room to work in, one per thread.
    fn room(&self) -> Room {
        Room::new(())
    }

    /// True when the room is this source's.
    fn is_room(&self, _room: &Room) -> bool {
        true
    }

    /// Floats that a source keeps in the state of each character.
    fn memory_width(&self) -> usize {
        0
    }

    /// What it remembers of a character at rest, into `memory`.
    fn begin(&self, _memory: &mut [f32]) {}

    /// Clears what `memory` holds for another frame than this one, so that states that move alike are equal bytes.
    fn clear_unused(&self, _playing: &Playing, _memory: &mut [f32]) {}

    /// A control tick: `memory` belongs to the moment that plays now.
    fn tick(&self, _playing: &Playing, _memory: &mut [f32], _room: &mut Room) {}

    /// What a state machine's source is made over; `None` for any other.
    fn without_machine(&self) -> Option<Arc<dyn MotionSource>> {
        None
    }

    /// Events that fall on one instant, at most.
    fn most_events_at_once(&self) -> usize {
        0
    }

    /// False where no tick leaves such a memory of what plays.
    fn is_memory(&self, _playing: &Playing, _memory: &[f32]) -> bool {
        true
    }

    /// Features and latent variables of a moment; `None` where motion has none, or does not remember them.
    fn code<'a>(&self, _at: Moment<'a>) -> Option<&'a [f32]> {
        None
    }

    /// The moment of the database's clips that is shown; of a blend the one with the greatest weight.
    fn captured(&self, at: Moment) -> Playing {
        at.playing
    }

    /// Name of a clip; `None` for motion without clips.
    fn clip_name(&self, _clip: ClipIndex) -> Option<&str> {
        None
    }

    /// True when there is such a moment: the clip exists, and may be seen in a mirror if it is.
    fn has(&self, playing: &Playing) -> bool;

    /// How long a clip is.
    fn span(&self, clip: ClipIndex) -> Span;

    /// Velocity of the root along its own axes, m/s.
    fn root_velocity(&self, at: Moment, room: &mut Room) -> Vec3;

    /// Where the root is at `to_s`, another time of the clip within a control tick, seen from where it is at the moment.
    fn way(&self, at: Moment, room: &mut Room, to_s: f64) -> Transform;

    /// Local transforms and their velocities; joint 0 is the root in the space of the clip.
    fn pose(&self, at: Moment, room: &mut Room, pose: &mut Pose, velocity: &mut PoseVelocity);

    /// As [`MotionSource::pose`], of the joints for which `wanted` says true (`[joints]`); the others may keep what they have.
    fn some_joints(&self, at: Moment, room: &mut Room, wanted: &[bool], pose: &mut Pose, velocity: &mut PoseVelocity);

    /// The root `ahead_s` from the moment (negative: before), seen from the root at the moment.
    fn trajectory(&self, at: Moment, room: &mut Room, ahead_s: f32) -> TrajectorySample;

    /// The body as features see it, into `buffers`; accelerations where `accelerations` says so.
    fn features(&self, at: Moment, room: &mut Room, accelerations: bool, buffers: &mut SourceBuffers);

    /// `[contact joints]` 1 where one touches.
    fn contacts(&self, at: Moment, room: &mut Room, out: &mut [u8]);

    /// In how many seconds a contact joint touches (0: now, infinite: not within
    /// [`Database::CONTACT_HORIZON_S`]), and for how many.
    fn next_contact_s(&self, at: Moment, room: &mut Room, slot: usize) -> (f32, f32);

    /// `[curves]` values of the curves.
    fn curves(&self, at: Moment, room: &mut Room, out: &mut [f32]);

    /// Tags of the moment.
    fn tags(&self, at: Moment) -> TagMask;

    /// Reports the events that playback has passed since `from_s` (exclusive), a time of what plays: each with its time.
    fn passed(&self, at: Moment, from_s: f64, report: &mut dyn FnMut(f64, EventId));
}

/// The clips of a database.
#[derive(Debug)]
pub(crate) struct Clips(pub Arc<Database>);

impl MotionSource for Clips {
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

    fn root_velocity(&self, at: Moment, _room: &mut Room) -> Vec3 {
        let p = at.playing;
        self.0.view(p.clip, p.mirrored).root(p.time_s).1
    }

    fn way(&self, at: Moment, _room: &mut Room, to_s: f64) -> Transform {
        let view = self.0.view(at.playing.clip, at.playing.mirrored);
        let root = |time_s: f64| view.root(time_s).0;
        root(at.playing.time_s).inverse() * root(to_s)
    }

    fn pose(&self, at: Moment, _room: &mut Room, pose: &mut Pose, velocity: &mut PoseVelocity) {
        let p = at.playing;
        self.0.view(p.clip, p.mirrored).sample(p.time_s, pose, velocity);
    }

    fn some_joints(&self, at: Moment, _room: &mut Room, wanted: &[bool], pose: &mut Pose, velocity: &mut PoseVelocity) {
        let p = at.playing;
        self.0.view(p.clip, p.mirrored).sample_some(p.time_s, |j| wanted[j], pose, velocity);
    }

    fn trajectory(&self, at: Moment, _room: &mut Room, ahead_s: f32) -> TrajectorySample {
        let p = at.playing;
        let (position, facing, velocity) = self.0.view(p.clip, p.mirrored).trajectory(p.time_s, ahead_s);
        TrajectorySample { position, facing, velocity }
    }

    fn features(&self, at: Moment, _room: &mut Room, accelerations: bool, buffers: &mut SourceBuffers) {
        let p = at.playing;
        buffers.gather_body(&self.0.view(p.clip, p.mirrored), p.time_s, accelerations);
    }

    fn contacts(&self, at: Moment, _room: &mut Room, out: &mut [u8]) {
        let p = at.playing;
        self.0.contacts_at(p.clip, p.mirrored, p.time_s, out);
    }

    fn next_contact_s(&self, at: Moment, _room: &mut Room, slot: usize) -> (f32, f32) {
        let p = at.playing;
        self.0.next_contact_s(p.clip, p.mirrored, slot, p.time_s)
    }

    fn curves(&self, at: Moment, _room: &mut Room, out: &mut [f32]) {
        self.0.curves_at(at.playing.clip, at.playing.time_s, out);
    }

    fn tags(&self, at: Moment) -> TagMask {
        nearest_row(&self.0, &at.playing).map_or(TagMask::default(), |row| *self.0.row_tags(row.at()))
    }

    fn passed(&self, at: Moment, from_s: f64, report: &mut dyn FnMut(f64, EventId)) {
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
            // A loop may be passed several times.
            at_s += (((from_s - at_s) / span.seconds).floor() + 1.0) * span.seconds;
            while at_s <= to_s {
                report(at_s, e.name);
                at_s += span.seconds;
            }
        }
    }
}

/// Events of a clip, by time. Mirror images share their original's.
pub(crate) fn events_of(db: &Database, clip: ClipIndex) -> &[DatabaseEvent] {
    let clip = clip.at() % db.originals().max(1);
    let events = &db.events;
    let first = events.partition_point(|e| e.clip.at() < clip);
    &events[first..][..events[first..].partition_point(|e| e.clip.at() == clip)]
}

/// The row nearest to a time of a clip; `None` for a clip without rows.
pub(crate) fn nearest_row(db: &Database, p: &Playing) -> Option<RowIndex> {
    let rows = db.clips.get(p.clip.at())?.row_range();
    if rows.is_empty() {
        return None;
    }
    let index = (wrapped_s(db, p) * f64::from(db.search_rate_hz)).round() as usize;
    Some(RowIndex::new(rows.start + index.min(rows.len() - 1)))
}

/// Time within the clip, cycles of a loop taken off.
pub(crate) fn wrapped_s(db: &Database, p: &Playing) -> f64 {
    let seconds = db.view(p.clip, false).seconds();
    if db.clips[p.clip.at()].looping() { p.time_s.rem_euclid(seconds) } else { p.time_s.max(0.0) }
}
