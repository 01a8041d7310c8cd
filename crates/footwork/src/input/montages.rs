//! Montage calls: requests of a game to the montages of a state machine.

use super::error::InputError;
use std::ops::Range;

/// A call of a montage, created by [`crate::machine::MontageCalls`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MontageCall {
    /// Number of the call: counts from 1 to 65,535, then from 0. A character executes each number once.
    pub number: u16,
    /// The montage to act on: the number of the call that started it.
    pub handle: MontageHandle,
    /// The action.
    pub action: MontageAction,
}

/// A montage that a call started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MontageHandle(pub u16);

/// The action of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MontageAction {
    /// Plays a montage. It interrupts a montage of its layer whose priority is not higher. If one with a higher priority plays,
    /// the call has no effect.
    Play {
        /// Index in [`crate::machine::Machine::montage_names`].
        montage: u16,
        /// Index of the initial section.
        section: u16,
        /// Start time in the clip, in seconds, within the section; `None`: the section's start.
        start_s: Option<f32>,
        /// Play rate; `None`: the rate of its specification. Range: 0.05 to 10.
        rate: Option<f32>,
        /// Blend-in time, in seconds; `None`: the time of its specification. Range: 0 to 1e5.
        blend_in_s: Option<f32>,
    },
    /// Continues at the start of a section.
    Jump {
        /// Index of the section.
        section: u16,
    },
    /// Interrupts the montage.
    Stop {
        /// Blend-out time, in seconds; `None`: the time of its specification. Range: 0 to 1e5.
        blend_out_s: Option<f32>,
    },
}

impl Default for MontageAction {
    fn default() -> Self {
        Self::Stop { blend_out_s: None }
    }
}

impl MontageCall {
    /// Checks all numbers.
    ///
    /// # Errors
    /// Returns [`InputError`] for the first invalid number.
    pub(super) fn validate(&self) -> Result<(), InputError> {
        let within = |field, value: Option<f32>, range: Range<f32>| match value {
            Some(value) if !(range.start..=range.end).contains(&value) => Err(InputError::NotUsable { field, value }),
            _ => Ok(()),
        };
        match self.action {
            MontageAction::Play { start_s, rate, blend_in_s, .. } => {
                within("montages.start_s", start_s, SECONDS)?;
                within("montages.rate", rate, RATES)?;
                within("montages.blend_in_s", blend_in_s, SECONDS)
            }
            MontageAction::Jump { .. } => Ok(()),
            MontageAction::Stop { blend_out_s } => within("montages.blend_out_s", blend_out_s, SECONDS),
        }
    }
}

/// Range of times and blends of montages and state machines, in seconds.
pub(crate) const SECONDS: Range<f32> = 0.0..1e5;
/// Range of play rates in a state machine.
pub(crate) const RATES: Range<f32> = 0.05..10.0;
