//! What a blend space remembers of a character.

use crate::frames::ClipIndex;

/// A blend space as it plays, at a control tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BlendState {
    /// Strides since the left foot touched down at 0, below [`super::BlendSpace::strides`]; with `sync = "time"` shares of the
    /// length, with `sync = "none"` seconds. A multiple of 2^-30.
    pub phase: f64,
    /// Where the parameters are. The second is 0 where there is one.
    pub parameters: [f32; 2],
    /// Per second.
    pub velocity: [f32; 2],
    /// Where they are drawn to until the next tick.
    pub target: [f32; 2],
}

impl BlendState {
    /// Floats of a state in a character's memory: `[phase, rest of the phase, parameters x 2, velocity x 2, target x 2]`. The phase
    /// is the sum of the first two.
    pub const MEMORY: usize = 8;

    /// From memory.
    ///
    /// # Panics
    /// Fewer than [`BlendState::MEMORY`] floats.
    pub fn read(memory: &[f32]) -> Self {
        let pair = |i: usize| [memory[i], memory[i + 1]];
        let phase = f64::from(memory[0]) + f64::from(memory[1]);
        Self { phase, parameters: pair(2), velocity: pair(4), target: pair(6) }
    }

    /// Into memory; reads back the same.
    ///
    /// # Panics
    /// Fewer than [`BlendState::MEMORY`] floats.
    pub fn write(&self, memory: &mut [f32]) {
        memory[0] = self.phase as f32;
        memory[1] = (self.phase - f64::from(memory[0])) as f32;
        for (i, pair) in [self.parameters, self.velocity, self.target].iter().enumerate() {
            memory[2 + 2 * i..4 + 2 * i].copy_from_slice(pair);
        }
    }
}

/// What the heaviest sample plays of its clip between two moments. Spans of moments that follow one another join without a gap or
/// an overlap while the heaviest sample stays the same: an event at `t` fires in the span with `from <= t < to`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeaderSpan {
    /// Clip.
    pub clip: ClipIndex,
    /// As in a mirror.
    pub mirrored: bool,
    /// Seconds from the clip's first frame at the first moment; in a loop, within its round.
    pub from_s: f64,
    /// The same at the last moment.
    pub to_s: f64,
    /// Times that the end of the loop is passed.
    pub rounds: u32,
    /// Seconds of a round; of a clip that ends, its length.
    pub seconds: f64,
}

impl LeaderSpan {
    /// Times of the clip, from and to, in the order in which they are passed.
    pub fn parts(&self) -> impl Iterator<Item = (f64, f64)> + use<> {
        let Self { from_s, to_s, rounds, seconds, .. } = *self;
        (0..=rounds).map(move |k| (if k == 0 { from_s } else { 0.0 }, if k == rounds { to_s } else { seconds }))
    }
}
