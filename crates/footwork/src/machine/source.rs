//! Motion source of a machine: the clips of the database, followed by its blend spaces.

use super::Machine;
use super::blend_space::{BlendMoment, BlendScratch, BlendState};
use crate::database::{Database, DatabaseEvent, TagMask};
use crate::frames::{ClipIndex, EventId};
use crate::matcher::Playing;
use crate::matcher::director::Directed;
use crate::matcher::memo::Memo;
use crate::matcher::source::{MotionSource, Playhead, SourceScratch, Span, nearest_row};
use crate::math::Transform;
use crate::pose::{Pose, PoseVelocity};
use crate::schema::{SourceBuffers, TrajectorySample};
use glam::Vec3;
use std::ops::Range;
use std::sync::Arc;

/// The database's clips and a machine's blend spaces. The memory ends with [`BLEND_WIDTH`] floats of the playing blend space.
#[derive(Debug)]
pub(super) struct MachineSource {
    machine: Arc<Machine>,
    base: Arc<dyn MotionSource>,
}

/// Number of floats of a playing blend space: its state, then the time of its last tick as a sum of two floats.
const BLEND_WIDTH: usize = BlendState::MEMORY + 2;

/// Temporary buffers.
pub(super) struct MachineScratch {
    base: SourceScratch,
    pub blend: BlendScratch,
}

/// Returns the range of the playing blend space in a memory.
pub(super) fn blend_memory(width: usize) -> Range<usize> {
    width - BLEND_WIDTH..width
}

/// A blend space and the time of its last tick.
struct Ticked {
    state: BlendState,
    tick_s: f64,
}

impl Ticked {
    fn read(memory: &[f32]) -> Self {
        let (state, tick) = memory[blend_memory(memory.len())].split_at(BlendState::MEMORY);
        Self { state: BlendState::read(state), tick_s: f64::from(tick[0]) + f64::from(tick[1]) }
    }

    fn write(&self, memory: &mut [f32]) {
        let place = blend_memory(memory.len());
        let (state, tick) = memory[place].split_at_mut(BlendState::MEMORY);
        self.state.write(state);
        tick[0] = self.tick_s as f32;
        tick[1] = (self.tick_s - f64::from(tick[0])) as f32;
    }
}

/// Writes the initial memory of a blend space to `memory`.
pub(super) fn begin_blend(state: BlendState, memory: &mut [f32]) {
    Ticked { state, tick_s: 0.0 }.write(memory);
}

impl MachineSource {
    pub fn new(machine: Arc<Machine>, base: Arc<dyn MotionSource>) -> Self {
        Self { machine, base }
    }

    fn db(&self) -> &Database {
        &self.machine.db
    }

    /// Returns the motion of the playing blend space; `None` if a clip plays.
    fn blend(&self, at: &Playhead) -> Option<BlendMoment<'_>> {
        let place = self.machine.blend_of(at.playing.clip)?;
        let Ticked { state, tick_s } = Ticked::read(at.memory);
        Some(self.machine.blend_spaces[place].0.at(self.db(), &state, at.playing.time_s - tick_s))
    }

    /// Returns the same value for the source of the database's clips.
    fn base<'a>(&self, at: Playhead<'a>) -> Playhead<'a> {
        Playhead { memory: &at.memory[..self.base.memory_width()], ..at }
    }
}

/// Returns the buffers with their concrete type.
fn rooms(room: &mut SourceScratch) -> &mut MachineScratch {
    room.of().expect("a character's scratch has its source's room")
}

impl Machine {
    /// Returns the index of the blend space for this clip index; `None` for a clip of the database.
    pub(super) fn blend_of(&self, clip: ClipIndex) -> Option<usize> {
        clip.at().checked_sub(self.db.clips.len()).filter(|k| *k < self.blend_spaces.len())
    }
}

impl Machine {
    /// Runs a control tick of the playing blend space.
    pub(super) fn tick_blend(&self, at: &mut Directed) {
        let playing = at.playback.playing;
        let Some(place) = self.blend_of(playing.clip) else { return };
        let mut ticked = Ticked::read(at.source_memory);
        let (space, parameters) = &self.blend_spaces[place];
        let target = self.place(parameters, at.input.variables, Some(at.body));
        space.tick(&mut ticked.state, playing.time_s - ticked.tick_s, target);
        ticked.tick_s = playing.time_s;
        ticked.write(at.source_memory);
    }
}

impl MotionSource for MachineSource {
    fn scratch(&self) -> SourceScratch {
        SourceScratch::new(MachineScratch { base: self.base.scratch(), blend: BlendScratch::new(self.db()) })
    }

    fn owns_scratch(&self, room: &SourceScratch) -> bool {
        room.get::<MachineScratch>().is_some_and(|r| self.base.owns_scratch(&r.base) && r.blend.fits(self.db()))
    }

    fn undirected(&self) -> Option<Arc<dyn MotionSource>> {
        Some(self.base.clone())
    }

    fn most_events_at_once(&self) -> usize {
        self.base.most_events_at_once()
    }

    fn memory_width(&self) -> usize {
        self.base.memory_width() + BLEND_WIDTH
    }

    fn init_memory(&self, memory: &mut [f32]) {
        memory.fill(0.0);
        self.base.init_memory(&mut memory[..self.base.memory_width()]);
        if let Some((space, parameters)) = self.machine.blend_at_start() {
            begin_blend(space.enter(self.machine.place(parameters, &[], None), 0.0), memory);
        }
    }

    fn clear_unused(&self, playing: &Playing, memory: &mut [f32]) {
        if self.machine.blend_of(playing.clip).is_none() {
            memory[self.base.memory_width()..].fill(0.0);
        }
    }

    fn memo(&self) -> Memo {
        self.base.memo()
    }

    fn exchange(&self, memo: &mut Memo, room: &mut SourceScratch) {
        self.base.exchange(memo, &mut rooms(room).base);
    }

    fn tick(&self, playing: &Playing, memory: &mut [f32], room: &mut SourceScratch) {
        if self.machine.blend_of(playing.clip).is_none() {
            self.base.tick(playing, &mut memory[..self.base.memory_width()], &mut rooms(room).base);
        }
    }

    fn is_memory(&self, playing: &Playing, memory: &[f32]) -> bool {
        let ticked = Ticked::read(memory);
        let blends = self.machine.blend_of(playing.clip).is_none_or(|place| {
            let since_s = playing.time_s - ticked.tick_s;
            self.machine.blend_spaces[place].0.is_state(&ticked.state) && (-1.0..=1.0).contains(&since_s)
        });
        blends && self.base.is_memory(playing, &memory[..self.base.memory_width()])
    }

    fn code<'a>(&self, at: Playhead<'a>) -> Option<&'a [f32]> {
        if self.machine.blend_of(at.playing.clip).is_some() { None } else { self.base.code(self.base(at)) }
    }

    fn captured(&self, at: Playhead) -> Playing {
        self.blend(&at).map_or_else(|| self.base.captured(self.base(at)), |blend| blend.leader())
    }

    fn clip_name(&self, clip: ClipIndex) -> Option<&str> {
        match self.machine.blend_of(clip) {
            Some(place) => Some(self.machine.blend_spaces[place].0.name()),
            None => self.base.clip_name(clip),
        }
    }

    fn has(&self, playing: &Playing) -> bool {
        if self.machine.blend_of(playing.clip).is_some() { !playing.mirrored } else { self.base.has(playing) }
    }

    fn span(&self, clip: ClipIndex) -> Span {
        match self.machine.blend_of(clip) {
            Some(_) => Span { seconds: f64::INFINITY, looping: false },
            None => self.base.span(clip),
        }
    }

    fn root_velocity(&self, at: Playhead, room: &mut SourceScratch) -> Vec3 {
        match self.blend(&at) {
            Some(blend) => blend.root_velocity().0,
            None => self.base.root_velocity(self.base(at), &mut rooms(room).base),
        }
    }

    fn displacement(&self, at: Playhead, room: &mut SourceScratch, to_s: f64) -> Transform {
        match self.blend(&at) {
            Some(blend) => blend.way_to(to_s - Ticked::read(at.memory).tick_s),
            None => self.base.displacement(self.base(at), &mut rooms(room).base, to_s),
        }
    }

    fn pose(&self, at: Playhead, room: &mut SourceScratch, pose: &mut Pose, velocity: &mut PoseVelocity) {
        let room = rooms(room);
        match self.blend(&at) {
            Some(blend) => blend.pose(&mut room.blend, pose, velocity),
            None => self.base.pose(self.base(at), &mut room.base, pose, velocity),
        }
    }

    fn some_joints(
        &self,
        at: Playhead,
        room: &mut SourceScratch,
        wanted: &[bool],
        pose: &mut Pose,
        velocity: &mut PoseVelocity,
    ) {
        let room = rooms(room);
        match self.blend(&at) {
            Some(blend) => blend.some_joints(&mut room.blend, |j| wanted[j], pose, velocity),
            None => self.base.some_joints(self.base(at), &mut room.base, wanted, pose, velocity),
        }
    }

    fn trajectory(&self, at: Playhead, room: &mut SourceScratch, ahead_s: f32) -> TrajectorySample {
        match self.blend(&at) {
            Some(blend) => blend.trajectory(ahead_s),
            None => self.base.trajectory(self.base(at), &mut rooms(room).base, ahead_s),
        }
    }

    fn features(&self, at: Playhead, room: &mut SourceScratch, accelerations: bool, buffers: &mut SourceBuffers) {
        let room = rooms(room);
        match self.blend(&at) {
            Some(blend) => blend.features(&mut room.blend, accelerations, buffers),
            None => self.base.features(self.base(at), &mut room.base, accelerations, buffers),
        }
    }

    fn contacts(&self, at: Playhead, room: &mut SourceScratch, out: &mut [u8]) {
        match self.blend(&at) {
            Some(blend) => blend.contacts(out),
            None => self.base.contacts(self.base(at), &mut rooms(room).base, out),
        }
    }

    fn next_contact_s(&self, at: Playhead, room: &mut SourceScratch, slot: usize) -> (f32, f32) {
        match self.blend(&at) {
            Some(blend) => blend.next_contact_s(slot),
            None => self.base.next_contact_s(self.base(at), &mut rooms(room).base, slot),
        }
    }

    fn curves(&self, at: Playhead, room: &mut SourceScratch, out: &mut [f32]) {
        let room = rooms(room);
        match self.blend(&at) {
            Some(blend) => blend.curves(&mut room.blend, out),
            None => self.base.curves(self.base(at), &mut room.base, out),
        }
    }

    fn tags(&self, at: Playhead) -> TagMask {
        match self.blend(&at) {
            Some(blend) => {
                nearest_row(self.db(), &blend.leader()).map_or(TagMask::default(), |row| *self.db().row_tags(row.at()))
            }
            None => self.base.tags(self.base(at)),
        }
    }

    fn events(&self, at: Playhead, from_s: f64, report: &mut dyn FnMut(f64, EventId)) {
        let Some(_) = self.blend(&at) else { return self.base.events(self.base(at), from_s, report) };
        let Some(from) = self.blend(&at.at(from_s)) else { return };
        let span = from.leader_span(at.playing.time_s - Ticked::read(at.memory).tick_s);
        let played_s: f64 = span.parts().map(|(a, b)| b - a).sum();
        if played_s <= 0.0 {
            return;
        }
        // Within a tick, the clip is assumed to play at a constant rate.
        let per_s = (at.playing.time_s - from_s) / played_s;
        let mut gone_s = 0.0;
        for (part_from_s, part_to_s) in span.parts() {
            for e in self.base_events(span.clip) {
                let time_s = f64::from(e.time_s);
                if (part_from_s..part_to_s).contains(&time_s) {
                    report(from_s + (gone_s + time_s - part_from_s) * per_s, e.name);
                }
            }
            gone_s += part_to_s - part_from_s;
        }
    }
}

impl MachineSource {
    fn base_events(&self, clip: ClipIndex) -> &[DatabaseEvent] {
        crate::matcher::source::events_of(self.db(), clip)
    }
}
