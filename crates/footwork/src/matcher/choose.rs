//! Choosing: at search instants, and when the playing clip is over.

use super::character::{Choice, Update};
use super::state::CONTROL_S;

impl Update<'_> {
    /// Runs the chooser and carries out its decision.
    pub(super) fn choose(&mut self) {
        let character = self.character;
        let may_continue = !character.is_over(&self.state.header.playing, CONTROL_S);
        self.scratch.last = None;
        let choice = match self.choice_of_state() {
            Some(choice) => choice,
            None => character.chooser.choose(self, may_continue),
        };
        let h = &mut self.state.header;
        (h.searched_velocity, h.searched_facing) = (h.desired.velocity, h.desired.facing);
        if let Choice::Transition(next) = choice {
            self.output.transitions += 1;
            self.transition(next);
        }
    }
}
