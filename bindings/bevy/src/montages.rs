//! Montages that a game plays by calls.

use bevy_ecs::prelude::*;
use footwork::machine::MontageCalls;
use footwork::matcher::{Character, MatcherState};
use std::ops::{Deref, DerefMut};

/// Calls to the montages of a character's state machine: [`MontageCalls::play`], [`MontageCalls::jump`], [`MontageCalls::stop`].
/// The plugin inserts it for every character with a state machine, once its files are loaded.
///
/// Each call takes effect once, at the next control tick. After a change of character, calls and handles refer to the montages of
/// the same names. For rollback, restore it together with [`crate::MotionState`].
#[derive(Component, Clone, Debug, PartialEq)]
pub struct MotionMontages(pub MontageCalls);

impl MotionMontages {
    /// Returns calls for a character that continue those of the previous character. `None` without a state machine.
    pub(crate) fn going_on(before: Option<&Self>, character: &Character, state: &MatcherState) -> Option<Self> {
        character.machine()?;
        let mut calls = character.montage_calls(state);
        if let Some(before) = before {
            calls.take_over(&before.0);
        }
        Some(Self(calls))
    }
}

impl Deref for MotionMontages {
    type Target = MontageCalls;

    fn deref(&self) -> &MontageCalls {
        &self.0
    }
}

impl DerefMut for MotionMontages {
    fn deref_mut(&mut self) -> &mut MontageCalls {
        &mut self.0
    }
}
