//! A machine's memory of a character. It consists of floats in the character's state, so one copy of the state saves and restores
//! all.

use crate::matcher::state_groups::CONTROL_S;
use std::ops::Range;

/// Duration of a control tick, in seconds.
pub(super) const TICK_S: f32 = CONTROL_S as f32;
/// Value of `reported_s` before any event of the control tick was reported, including those at its begin.
pub(super) const NOTHING: f32 = -1.0;
/// Largest number up to which floats represent all integers.
pub(super) const MOST: f32 = 16_777_216.0;

/// The part of fixed size.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Head {
    /// Index of the state.
    pub state: f32,
    /// Control ticks in the state, at most [`MOST`].
    pub ticks: f32,
    /// Number of states entered so far; wraps to 0 at [`MOST`].
    pub entries: f32,
    /// Index of the clip of the state that was picked last.
    pub picked: f32,
    /// One bit for each watched event: 1 if it was passed since the last control tick.
    pub events: f32,
    /// Time up to which (inclusive) events of layers are reported, in seconds since the last control tick; [`NOTHING`] before the
    /// first of them.
    pub reported_s: f32,
    /// Time in the state before which only transitions that interrupt are taken, in seconds.
    pub held_s: f32,
    /// Time in which the transition into the state is blended out, in seconds; 0: the time of the settings.
    pub blend_s: f32,
    /// Number of the last montage call that was executed.
    pub obeyed: f32,
    /// Velocity that the goal requests, not limited to the maximum speed of the state: world x and z, m/s.
    pub requested: [f32; 2],
}

/// A trigger.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Trigger {
    /// Number of times that it was fired, as of the last control tick that received its count; wraps at [`TRIGGER_COUNTS`].
    pub seen: f32,
    /// Remaining time for which it stays pending, in seconds.
    pub waits_s: f32,
}

/// Modulus of trigger counts and call numbers.
pub(crate) const TRIGGER_COUNTS: f32 = 65_536.0;
/// Maximum number of montage calls that a game passes at once.
pub(crate) const MOST_CALLS: usize = 16;

impl Trigger {
    /// A trigger that adopts the first count that it receives without firing.
    pub const UNCOUNTED: Self = Self { seen: -1.0, waits_s: 0.0 };

    /// Adopts a count. Returns true if the trigger was fired since the last one. A lower count, for example after the variables
    /// were recreated, does not fire.
    pub fn count_up_to(&mut self, count: f32) -> bool {
        let more = (count - self.seen).rem_euclid(TRIGGER_COUNTS);
        let counted = self.seen != Self::UNCOUNTED.seen;
        self.seen = count;
        counted && more > 0.0 && more < 0.5 * TRIGGER_COUNTS
    }
}

/// The playing montage of a layer; all zeros means none.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Voice {
    /// 1 + the index of the montage; 0 for none.
    pub montage: f32,
    /// Index of the section.
    pub section: f32,
    /// Time in the clip, in seconds.
    pub time_s: f32,
    /// Blend-in progress, 0 to 1.
    pub progress: f32,
    /// One of [`COMES_IN`], [`GOES_OUT`], [`BROKEN_OFF`].
    pub way: f32,
    /// 1 if it leaves the section at its end.
    pub leaves: f32,
    /// 1 before its first control tick, else 0.
    pub fresh: f32,
    /// Play rate.
    pub rate: f32,
    /// Blend-in time, in seconds.
    pub blend_in_s: f32,
    /// Blend-out time, in seconds.
    pub blend_out_s: f32,
    /// Number of the call that started it; -1: a condition.
    pub handle: f32,
}

/// Handle of a montage that a condition started.
pub(super) const BY_CONDITION: f32 = -1.0;
/// Blends in, or is fully blended in.
pub(super) const COMES_IN: f32 = 0.0;
/// Blends out because it ends.
pub(super) const GOES_OUT: f32 = 1.0;
/// Blends out because it was interrupted. Its events are no longer reported.
pub(super) const BROKEN_OFF: f32 = 2.0;

impl Voice {
    /// Returns the index of the playing montage.
    pub fn montage(&self) -> Option<usize> {
        (self.montage >= 1.0).then(|| self.montage as usize - 1)
    }

    /// Returns the index of the playing montage if it was not interrupted.
    pub fn leads(&self) -> Option<usize> {
        self.montage().filter(|_| self.way != BROKEN_OFF)
    }
}

/// The montages of a layer: the one that was started last, and the one that it replaces.
pub(super) type Voices = [Voice; 2];

/// Returns the number of floats of a plain struct.
pub(super) const fn width<T>() -> usize {
    size_of::<T>() / size_of::<f32>()
}

/// Layout of the memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MemoryLayout {
    triggers: Range<usize>,
    /// `[montages]` 1 if the start condition is true and has started the montage.
    started: Range<usize>,
    /// `[layers]`.
    voices: Range<usize>,
    /// `[layers]` weight of the layer's own motion (shown while no montage plays), then the memory of that motion.
    own: Vec<Range<usize>>,
}

impl MemoryLayout {
    /// Creates the layout. `own` is the number of floats for the own motion of each layer, including its weight.
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

    /// Returns the total number of floats.
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

    /// Returns the weight of a layer's own motion, and the memory of that motion.
    pub fn own<'a>(&self, memory: &'a [f32], layer: usize) -> (f32, &'a [f32]) {
        let own = &memory[self.own[layer].clone()];
        own.split_first().map_or((0.0, own), |(weight, rest)| (*weight, rest))
    }

    /// Returns the weight of a layer's own motion, and the memory of that motion; `None` for a layer without motion of its own.
    pub fn own_mut<'a>(&self, memory: &'a mut [f32], layer: usize) -> Option<(&'a mut f32, &'a mut [f32])> {
        memory[self.own[layer].clone()].split_first_mut()
    }
}
