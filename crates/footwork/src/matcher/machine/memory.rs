//! What a machine remembers of a character: floats of the character's state, so that one copy of it saves and restores all.

use crate::matcher::state::CONTROL_S;
use std::ops::Range;

/// Seconds of a control tick.
pub(super) const TICK_S: f32 = CONTROL_S as f32;
/// No event of the control tick was reported, not even those at its begin.
pub(super) const NOTHING: f32 = -1.0;
/// Floats count up to here without a gap.
pub(super) const MOST: f32 = 16_777_216.0;

/// The fixed part.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Head {
    /// The state.
    pub state: f32,
    /// Control ticks in it, at most [`MOST`].
    pub ticks: f32,
    /// States entered so far; begins anew at [`MOST`].
    pub entries: f32,
    /// Which of its clips was picked last.
    pub picked: f32,
    /// A bit for each event that conditions ask for: passed since the last control tick.
    pub events: f32,
    /// Events of layers are reported up to and including this time, seconds since the last control tick; [`NOTHING`] before the
    /// first of them.
    pub reported_s: f32,
    /// Seconds in the state before which only transitions that interrupt are taken.
    pub held_s: f32,
    /// Seconds in which the transition into the state is blended out; 0: the time of the settings.
    pub blend_s: f32,
    /// The number of the last call of a montage that was obeyed.
    pub obeyed: f32,
    /// Velocity that the goal requests, without the maximum speed of the state, world x and z, m/s.
    pub requested: [f32; 2],
}

/// A trigger.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Trigger {
    /// Number of times it was fired, as of the last control tick that was given its count; counts up to [`TRIGGER_COUNTS`].
    pub seen: f32,
    /// Seconds for which it still waits to be used.
    pub waits_s: f32,
}

/// Counts of triggers, and numbers of calls, begin anew here.
pub(crate) const TRIGGER_COUNTS: f32 = 65_536.0;
/// Calls of montages that a game passes at once, at most.
pub(crate) const MOST_CALLS: usize = 16;

impl Trigger {
    /// A trigger that takes over the first count that it is given.
    pub const UNCOUNTED: Self = Self { seen: -1.0, waits_s: 0.0 };

    /// Takes a count over; true where it was fired since the last one. A lower count, such as that of variables that were made
    /// anew, is taken over without firing.
    pub fn count_up_to(&mut self, count: f32) -> bool {
        let more = (count - self.seen).rem_euclid(TRIGGER_COUNTS);
        let counted = self.seen != Self::UNCOUNTED.seen;
        self.seen = count;
        counted && more > 0.0 && more < 0.5 * TRIGGER_COUNTS
    }
}

/// A montage as it plays on a layer; all zeros is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Voice {
    /// 1 + the montage; 0 for none.
    pub montage: f32,
    /// Section.
    pub section: f32,
    /// Seconds of the clip.
    pub time_s: f32,
    /// How far it has come in, 0 to 1.
    pub progress: f32,
    /// One of [`COMES_IN`], [`GOES_OUT`], [`BROKEN_OFF`].
    pub way: f32,
    /// 1 where it leaves the section at its end.
    pub leaves: f32,
    /// 1 before its first control tick.
    pub fresh: f32,
    /// Play rate.
    pub rate: f32,
    /// Seconds in which it comes in.
    pub blend_in_s: f32,
    /// Seconds in which it goes out.
    pub blend_out_s: f32,
    /// The call that played it; -1: a condition.
    pub handle: f32,
}

/// The handle of a montage that a condition played.
pub(super) const BY_CONDITION: f32 = -1.0;
/// Comes in, or is in.
pub(super) const COMES_IN: f32 = 0.0;
/// Goes out since it ends.
pub(super) const GOES_OUT: f32 = 1.0;
/// Goes out since it was broken off; its events are reported no more.
pub(super) const BROKEN_OFF: f32 = 2.0;

impl Voice {
    /// The montage that plays.
    pub fn montage(&self) -> Option<usize> {
        (self.montage >= 1.0).then(|| self.montage as usize - 1)
    }

    /// The montage that plays and was not broken off.
    pub fn leads(&self) -> Option<usize> {
        self.montage().filter(|_| self.way != BROKEN_OFF)
    }
}

/// The montages of a layer: the one that was asked for last, and the one that it replaces.
pub(super) type Voices = [Voice; 2];

/// Floats of a plain struct.
pub(super) const fn width<T>() -> usize {
    size_of::<T>() / size_of::<f32>()
}

/// Where in the memory what lies.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MemoryLayout {
    triggers: Range<usize>,
    /// `[montages]` 1 where the condition to start holds and was obeyed.
    started: Range<usize>,
    /// `[layers]`.
    voices: Range<usize>,
    /// `[layers]` weight of what a layer plays while no montage does, then what that remembers.
    own: Vec<Range<usize>>,
}

impl MemoryLayout {
    /// `own` holds the floats that each layer's own motion remembers, its weight included.
    pub fn new(triggers: usize, montages: usize, own: &[usize]) -> Self {
        let triggers = width::<Head>()..width::<Head>() + triggers * width::<Trigger>();
        let started = triggers.end..triggers.end + montages;
        let voices = started.end..started.end + own.len() * width::<Voices>();
        let mut end = voices.end;
        let own = own.iter().map(|n| {
            end += n;
            end - n..end
        });
        Self { own: own.collect(), triggers, started, voices }
    }

    /// Floats in all.
    pub fn len(&self) -> usize {
        self.own.last().map_or(self.voices.end, |own| own.end)
    }

    pub fn head<'a>(&self, memory: &'a [f32]) -> &'a Head {
        bytemuck::from_bytes(bytemuck::cast_slice(&memory[..width::<Head>()]))
    }

    pub fn head_mut<'a>(&self, memory: &'a mut [f32]) -> &'a mut Head {
        bytemuck::from_bytes_mut(bytemuck::cast_slice_mut(&mut memory[..width::<Head>()]))
    }

    pub fn triggers<'a>(&self, memory: &'a [f32]) -> &'a [Trigger] {
        bytemuck::cast_slice(&memory[self.triggers.clone()])
    }

    pub fn triggers_mut<'a>(&self, memory: &'a mut [f32]) -> &'a mut [Trigger] {
        bytemuck::cast_slice_mut(&mut memory[self.triggers.clone()])
    }

    pub fn started<'a>(&self, memory: &'a [f32]) -> &'a [f32] {
        &memory[self.started.clone()]
    }

    pub fn started_mut<'a>(&self, memory: &'a mut [f32]) -> &'a mut [f32] {
        &mut memory[self.started.clone()]
    }

    /// `[layers]`.
    pub fn voices<'a>(&self, memory: &'a [f32]) -> &'a [Voices] {
        bytemuck::cast_slice(&memory[self.voices.clone()])
    }

    /// `[layers]`.
    pub fn voices_mut<'a>(&self, memory: &'a mut [f32]) -> &'a mut [Voices] {
        bytemuck::cast_slice_mut(&mut memory[self.voices.clone()])
    }

    /// Weight of a layer's own motion, and what that remembers.
    pub fn own<'a>(&self, memory: &'a [f32], layer: usize) -> (f32, &'a [f32]) {
        let own = &memory[self.own[layer].clone()];
        own.split_first().map_or((0.0, own), |(weight, rest)| (*weight, rest))
    }

    /// Weight of a layer's own motion, and what that remembers. Only for layers that have motion of their own.
    pub fn own_mut<'a>(&self, memory: &'a mut [f32], layer: usize) -> Option<(&'a mut f32, &'a mut [f32])> {
        memory[self.own[layer].clone()].split_first_mut()
    }
}
