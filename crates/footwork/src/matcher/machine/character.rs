//! Characters with a state machine.

use super::{Machine, MachineError, MachineView};
use crate::frames::EventId;
use crate::matcher::character::Character;
use crate::matcher::state::{CONTROL_S, MatcherState};
use crate::matcher::{FiredEvent, Output};
use std::sync::Arc;

impl Character {
    /// Returns the same character with a state machine that was built for its database, or without one. States with motion
    /// matching search like this character; a machine with one such state moves like the character without a machine.
    ///
    /// # Errors
    /// Returns [`MachineError`] if the machine was built for other clips, or if the character plays networks.
    pub fn with_machine(&self, machine: Option<Arc<Machine>>) -> Result<Self, MachineError> {
        let Some(machine) = machine else {
            let source = self.source.without_machine().unwrap_or_else(|| self.source.clone());
            return Ok(Self { machine: None, ..self.clone() }.with_source(self.model.clone(), source));
        };
        let own = self.database.as_ref().filter(|_| self.plays_clips());
        if own.is_none_or(|db| db.content_hash() != machine.database().content_hash()) {
            let what = "it was made for another database than the one whose clips the character plays";
            return Err(MachineError::new("machine", what));
        }
        Ok(self.clone().run_by(machine))
    }

    /// Returns the same character with a machine for its database.
    pub(in crate::matcher) fn run_by(self, machine: Arc<Machine>) -> Self {
        let base = self.source.without_machine().unwrap_or_else(|| self.source.clone());
        let (model, source) = (self.model.clone(), machine.clone().source(base));
        Self { machine: Some(machine), ..self }.with_source(model, source)
    }

    /// Returns its state machine.
    pub fn machine(&self) -> Option<&Machine> {
        self.machine.as_deref()
    }

    /// Returns a view of its state machine; `None` without one, and for a state of another character.
    pub fn machine_view(&self, state: &MatcherState) -> Option<MachineView<'_>> {
        self.remembered(state).map(|(machine, memory)| machine.view(memory))
    }

    /// Returns the state machine's current state as an index in [`Machine::state_names`]. Allocates nothing. `None` as for
    /// [`Character::machine_view`].
    pub fn machine_state(&self, state: &MatcherState) -> Option<usize> {
        self.remembered(state).map(|(machine, memory)| machine.state(memory))
    }

    /// Returns the state machine and its memory in a state of any origin; `None` if they do not fit.
    fn remembered<'s>(&self, state: &'s MatcherState) -> Option<(&Machine, &'s [f32])> {
        let memory = state.block.get(self.resolved.layout.machine.clone())?;
        self.machine().zip(Some(memory)).filter(|(machine, memory)| machine.is_memory(memory))
    }

    /// Returns the number of the last montage call that a state has executed; 0 for none, and without a state machine.
    pub(in crate::matcher) fn obeyed_calls(&self, state: &MatcherState) -> u16 {
        self.remembered(state).map_or(0, |(machine, memory)| machine.layout.head(memory).obeyed as u16)
    }

    /// Returns the name of an event of the clips or of the state machine.
    pub fn event_name(&self, event: EventId) -> Option<&str> {
        let names = self.machine.as_ref().map_or(&*self.model.events, |machine| machine.event_names());
        names.get(event.at()).map(String::as_str)
    }

    /// Continues the state machine where that of another character was, by names ([`Machine::go_on`]). `state` is a new state.
    pub(in crate::matcher) fn go_on_from(&self, state: &mut MatcherState, other: &Self, from: &MatcherState) {
        let Some(machine) = &self.machine else { return };
        let memory = &mut state.block[self.resolved.layout.machine.clone()];
        let since_tick_s = from.header.since_control_s().min(CONTROL_S) as f32;
        match other.remembered(from) {
            Some(old) => machine.go_on(memory, old, since_tick_s),
            None => machine.take_triggers(memory, None),
        }
    }

    /// Reports the ends of open windows in a state of another character, for montages that do not continue in `state`. Events
    /// that this character does not have by name are omitted.
    pub(in crate::matcher) fn end_windows_of(
        &self,
        state: &MatcherState,
        (other, from): (&Self, &MatcherState),
        output: &mut Output,
    ) {
        let (Some((machine, memory)), Some((old, before))) = (self.remembered(state), other.remembered(from)) else {
            return;
        };
        for (layer, montage, event) in old.all_open_windows(before) {
            if machine.goes_on(memory, old, (layer, montage)) {
                continue;
            }
            let event = machine.events.iter().position(|name| *name == old.events[event.at()]).map(EventId::new);
            let layer = machine.layers.iter().position(|l| l.name == old.layers[layer].name).map(|l| l as u16);
            if let (Some(event), Some(layer)) = (event, layer) {
                output.fire(FiredEvent::broken_off(event, 0.0, layer));
            }
        }
    }

    /// Returns its state machine, shared.
    pub(crate) fn shared_machine(&self) -> Option<&Arc<Machine>> {
        self.machine.as_ref()
    }

    /// Returns the maximum speed that the state machine allows, in m/s.
    pub(in crate::matcher) fn max_speed_mps(&self, state: &MatcherState) -> f32 {
        let Some(machine) = &self.machine else { return f32::INFINITY };
        machine.states()[machine.state(state.machine(&self.resolved.layout))].max_speed_mps
    }

    /// Returns the index of the weights that the character uses in this state.
    pub(crate) fn weights_of(&self, state: &MatcherState) -> usize {
        let Some(machine) = &self.machine else { return 0 };
        self.resolved.weights_of_states[machine.state(state.machine(&self.resolved.layout))]
    }
}
