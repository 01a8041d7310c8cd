//! Who chooses what plays next.
//!
//! A [`Chooser`] is asked at every search instant, and when a clip is over. [`Search`] finds the best row of a database; a
//! learned projector, an action or a state machine may decide instead.

mod search;

pub(super) use search::{Search, playing_at};

use super::character::Character;
use super::state::{CONTROL_S, Playing};
use super::update::Update;
use std::fmt::Debug;

/// What is to play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Choice {
    /// What plays goes on.
    Continue,
    /// Something else. The chooser leaves in `scratch.memory` what the source is to remember there.
    Transition(Playing),
}

/// Decides what plays next. Allocates nothing.
pub(crate) trait Chooser: Debug + Send + Sync {
    /// The moment at which a character at rest starts.
    fn rest(&self, character: &Character) -> Playing;

    /// Chooses for a character. `may_continue` is false where what plays is over.
    fn choose(&self, update: &mut Update, may_continue: bool) -> Choice;
}

impl Update<'_> {
    /// Asks the chooser, and does what it says.
    pub(super) fn choose(&mut self) {
        let character = self.character;
        let may_continue = !character.is_over(&self.state.header.playing, CONTROL_S);
        self.scratch.last = None;
        let choice = character.chooser.choose(self, may_continue);
        let h = &mut self.state.header;
        (h.searched_velocity, h.searched_facing) = (h.desired.velocity, h.desired.facing);
        if let Choice::Transition(next) = choice {
            self.output.transitions += 1;
            self.transition(next);
        }
    }
}
