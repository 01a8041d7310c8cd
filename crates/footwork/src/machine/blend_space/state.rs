//! Memory of a blend space for a character.

use crate::frames::ClipIndex;

/// The state of a playing blend space at a control tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BlendState {
    /// Strides since the left foot touched down at 0, below [`super::BlendSpace::strides`]. With `sync = "time"`: share of the
    /// length; with `sync = "none"`: seconds. A multiple of 2^-30.
    pub phase: f64,
    /// Current parameters. The second is 0 if the space has one parameter.
    pub parameters: [f32; 2],
    /// Velocity of the parameters, per second.
    pub velocity: [f32; 2],
    /// Values that the parameters approach until the next tick.
    pub target: [f32; 2],
}

impl BlendState {
    /// Number of floats of a state in a character's memory: `[phase, remainder of the phase, parameters x 2, velocity x 2, target
    /// x 2]`. The phase is the sum of the first two.
    pub const MEMORY: usize = 8;

    /// Reads the state from memory.
    ///
    /// # Panics
    /// Panics on fewer than [`BlendState::MEMORY`] floats.
    pub fn read(memory: &[f32]) -> Self {
        let pair = |i: usize| [memory[i], memory[i + 1]];
        let phase = f64::from(memory[0]) + f64::from(memory[1]);
        Self { phase, parameters: pair(2), velocity: pair(4), target: pair(6) }
    }

    /// Writes the state to memory; [`BlendState::read`] returns the same state.
    ///
    /// # Panics
    /// Panics on fewer than [`BlendState::MEMORY`] floats.
    pub fn write(&self, memory: &mut [f32]) {
        memory[0] = self.phase as f32;
        memory[1] = (self.phase - f64::from(memory[0])) as f32;
        for (i, pair) in [self.parameters, self.velocity, self.target].iter().enumerate() {
            memory[2 + 2 * i..4 + 2 * i].copy_from_slice(pair);
        }
    }
}

/// Range of the heaviest sample's clip between two times. Consecutive spans join without a gap or an overlap while the heaviest
/// sample stays the same: an event at `t` fires in the span with `from <= t < to`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeaderSpan {
    /// Clip of the heaviest sample.
    pub clip: ClipIndex,
    /// True for the mirror image of the clip.
    pub mirrored: bool,
    /// Start, in seconds from the clip's first frame; in a loop, wrapped to one cycle.
    pub from_s: f64,
    /// End, in seconds from the clip's first frame; in a loop, wrapped to one cycle.
    pub to_s: f64,
    /// Number of times that the end of the loop is passed.
    pub rounds: u32,
    /// Duration of a cycle, in seconds; for a non-looping clip, its length.
    pub seconds: f64,
}

impl LeaderSpan {
    /// Returns the parts of the range as start and end times of the clip, in the order of playback.
    pub fn parts(&self) -> impl Iterator<Item = (f64, f64)> + use<> {
        let Self { from_s, to_s, rounds, seconds, .. } = *self;
        (0..=rounds).map(move |k| (if k == 0 { from_s } else { 0.0 }, if k == rounds { to_s } else { seconds }))
    }
}
