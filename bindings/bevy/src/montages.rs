//! Montages that a game plays by call.

use bevy_ecs::prelude::*;
use footwork::machine::MontageCalls;
use footwork::matcher::{Character, MatcherState};
use std::ops::{Deref, DerefMut};

/// Plays, steers and stops montages of a character's state machine: [`MontageCalls::play`], [`MontageCalls::jump`],
/// [`MontageCalls::stop`]. The plugin gives it to every character that has a state machine, once its files are loaded.
///
/// Each call is obeyed once, at the next control tick. After a change of character, calls and handles stand for the montages of the
/// same names. A rollback puts it back together with [`crate::MotionState`].
#[derive(Component, Clone, Debug, PartialEq)]
pub struct MotionMontages(pub MontageCalls);

impl MotionMontages {
    /// Calls of a character in this state that go on where those of the character before it were. `None` without a state machine.
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
