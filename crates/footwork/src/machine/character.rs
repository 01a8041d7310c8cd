//! Characters with a state machine.

use super::{Machine, MachineError, MachineView};
use crate::matcher::MotionMatcher;
use crate::matcher::character::Character;
use crate::matcher::director::{Director, Plain};
use crate::matcher::state::MatcherState;
use std::any::Any;
use std::sync::Arc;

/// Returns the state machine that a director is; `None` for any other.
pub(super) fn as_machine(director: &dyn Director) -> Option<&Machine> {
    (director as &dyn Any).downcast_ref()
}

impl Character {
    /// Returns the same character with a state machine that was built for its database, or without one. States with motion
    /// matching search like this character; a machine with one such state moves like the character without a machine.
    ///
    /// # Errors
    /// Returns [`MachineError`] if the machine was built for other clips, or if the character plays networks.
    pub fn with_machine(&self, machine: Option<Arc<Machine>>) -> Result<Self, MachineError> {
        let Some(machine) = machine else { return Ok(self.clone().directed_by(Arc::new(Plain))) };
        let own = self.database.as_ref().filter(|_| self.plays_clips());
        if own.is_none_or(|db| db.content_hash() != machine.database().content_hash()) {
            let what = "it was made for another database than the one whose clips the character plays";
            return Err(MachineError::new("machine", what));
        }
        Ok(self.clone().directed_by(machine))
    }

    /// Returns its state machine.
    pub fn machine(&self) -> Option<&Machine> {
        as_machine(&*self.undirected)
    }

    /// Returns its state machine, shared.
    pub(crate) fn shared_machine(&self) -> Option<Arc<Machine>> {
        let director: Arc<dyn Any + Send + Sync> = self.undirected.clone();
        director.downcast().ok()
    }

    /// Returns a view of its state machine; `None` without one, and for a state of another character.
    pub fn machine_view(&self, state: &MatcherState) -> Option<MachineView<'_>> {
        self.machine_in(state).map(|(machine, memory)| machine.view(memory))
    }

    /// Returns the state machine's current state as an index in [`Machine::state_names`]. Allocates nothing. `None` as for
    /// [`Character::machine_view`].
    pub fn machine_state(&self, state: &MatcherState) -> Option<usize> {
        self.machine_in(state).map(|(machine, memory)| machine.state(memory))
    }

    /// Returns the state machine and its memory in a state of any origin; `None` if they do not fit.
    pub(super) fn machine_in<'s>(&self, state: &'s MatcherState) -> Option<(&Machine, &'s [f32])> {
        let (director, memory) = self.directed_in(state);
        as_machine(director).map(|machine| (machine, memory))
    }

    /// Returns the number of the last montage call that a state has executed; 0 for none, and without a state machine.
    pub(super) fn obeyed_calls(&self, state: &MatcherState) -> u16 {
        self.machine_in(state).map_or(0, |(machine, memory)| machine.layout.head(memory).obeyed as u16)
    }
}

impl MotionMatcher {
    /// Returns the view of the state machine; `None` without one.
    pub fn machine_view(&self) -> Option<MachineView<'_>> {
        self.character().machine_view(self.state())
    }
}
