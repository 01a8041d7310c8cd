//! A character that goes to the entry of its action by itself: the goal of its steering replaces that of the game.

use crate::actions::{Action, Place};
use crate::adjust::root::RootMode;
use crate::input::{Goal, MotionInput};
use crate::matcher::acted::Acted;
use crate::matcher::character::Character;
use crate::matcher::state::MatcherState;
use crate::math::{Facing, flat};
use std::borrow::Cow;

/// Runs a control tick of the way to an action: steers a character whose request waits and says [`go`]. Where one arrives, its facing
/// is the desired one until the game names another.
///
/// [`go`]: crate::input::ActionRequest::go
pub fn go(character: &Character, input: &MotionInput, state: &mut MatcherState) {
    let Some(acting) = character.acting.as_deref() else { return };
    let arrives =
        acting.played(Acted::split(state.director(&character.resolved.layout)).0).is_some_and(Action::arrives);
    if arrives {
        state.header.goal.desired.facing = state.header.root.simulation.facing;
    }
    let acted = Acted::split(state.director(&character.resolved.layout)).0;
    let waits = acted.waits > 0.0 && !acted.plays() && character.config.root.mode != RootMode::External;
    let request = input.action.filter(|request| request.go && waits && acted.answers(request.id));
    let goal = request.and_then(|request| character.goal_of_approach(state, &request).ok());
    let acted = Acted::of_mut(state.director_mut(&character.resolved.layout));
    (acted.goes, acted.way) = match goal {
        Some(Goal::Velocity { velocity, facing: Some(facing) }) => {
            (1.0, Place { position: flat(velocity), yaw_rad: facing.yaw() })
        }
        _ => (0.0, Place::default()),
    };
}

/// Returns the input of a character: with the goal of its own steering while it goes to an action.
pub fn steered<'a, 'b>(
    character: &Character,
    input: &'b MotionInput<'a>,
    state: &MatcherState,
) -> Cow<'b, MotionInput<'a>> {
    match character.memory_of_actions(state).filter(|acted| acted.goes > 0.0) {
        Some(Acted { way: Place { position, yaw_rad }, .. }) => {
            let goal = Goal::Velocity { velocity: *position, facing: Some(Facing::from_yaw(*yaw_rad)) };
            Cow::Owned(MotionInput { goal, ..*input })
        }
        None => Cow::Borrowed(input),
    }
}
