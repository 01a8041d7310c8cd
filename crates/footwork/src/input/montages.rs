//! Montages by call: what a game asks of a state machine's montages.

use super::error::InputError;
use std::ops::Range;

/// A call of a montage. [`crate::machine::MontageCalls`] makes them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MontageCall {
    /// Counts calls from 1 to 65,535, then from 0 on: a character obeys each number once.
    pub number: u16,
    /// The montage that it is about: the number of the call that played it.
    pub handle: MontageHandle,
    /// The action.
    pub action: MontageAction,
}

/// A montage that a call played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MontageHandle(pub u16);

/// The action of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MontageAction {
    /// Plays a montage. It breaks off one of its layer whose priority is not higher; where one with a higher priority plays, it does
    /// nothing.
    Play {
        /// Its place among [`crate::machine::Machine::montage_names`].
        montage: u16,
        /// The section to begin in, by its place.
        section: u16,
        /// Seconds of the clip at which it begins, within the section; `None`: the section's begin.
        start_s: Option<f32>,
        /// Play rate; `None`: as its specification says. Range: 0.05 to 10.
        rate: Option<f32>,
        /// Seconds in which it comes in; `None`: as its specification says. Range: 0 to 1e5.
        blend_in_s: Option<f32>,
    },
    /// Goes on at the begin of a section.
    Jump {
        /// The section, by its place.
        section: u16,
    },
    /// Breaks it off.
    Stop {
        /// Seconds in which it goes out; `None`: as its specification says. Range: 0 to 1e5.
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
    /// The first one that is not usable.
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

/// Times and blends of montages and state machines, seconds.
pub(crate) const SECONDS: Range<f32> = 0.0..1e5;
/// Motion of a state machine plays no faster, and no slower.
pub(crate) const RATES: Range<f32> = 0.05..10.0;
