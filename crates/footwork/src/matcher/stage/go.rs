//! A character that goes to the entry of its action by itself: the goal of its steering replaces that of the game.

use crate::actions::{Action, Approach, Place};
use crate::adjust::root::RootMode;
use crate::input::{ActionRequest, Goal, MotionInput};
use crate::matcher::acted::Acted;
use crate::matcher::character::Character;
use crate::matcher::state::MatcherState;
use crate::math::{Facing, flat};
use std::borrow::Cow;

/// Values of [`Acted::goes`]: to the entry, and back from it.
const TO: f32 = 1.0;
const BACK: f32 = 2.0;
/// Distance to an entry within which a body that rests counts as there, and up to which it goes back, in metres.
const THERE_M: f32 = 0.2;
const BACK_M: f32 = 0.6;
/// Speed back from an entry, in m/s, and speed below which a body rests.
const BACK_MPS: f32 = 1.0;
const RESTS_MPS: f32 = 0.05;

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
    let way = request.and_then(|request| way(character, state, &request));
    let acted = Acted::of_mut(state.director_mut(&character.resolved.layout));
    (acted.goes, acted.way) = way.unwrap_or_default();
}

/// Returns where a character goes that waits for an action, with its velocity for a position.
fn way(character: &Character, state: &MatcherState, request: &ActionRequest) -> Option<(f32, Place)> {
    let approach = character.approach(state, request).ok()?;
    if goes_back(character, state, &approach) {
        let facing = Facing::from_yaw(approach.to.yaw_rad);
        return Some((BACK, Place { position: -BACK_MPS * facing.direction(), yaw_rad: approach.to.yaw_rad }));
    }
    let (velocity, facing) = character.steer_to(state, request, &approach);
    Some((TO, Place { position: flat(velocity), yaw_rad: facing.yaw() }))
}

/// Returns true for a body that rests at its entry with a foot that was dragged there. Such a foot stays where no action begins, so the
/// body steps back and comes again.
fn goes_back(character: &Character, state: &MatcherState, approach: &Approach) -> bool {
    let layout = &character.resolved.layout;
    let root = state.world_from_root(&character.config).translation;
    let way_m = flat(approach.to.position - root).length();
    if Acted::split(state.director(layout)).0.goes == BACK {
        return way_m < BACK_M;
    }
    let rests = flat(state.header.root.simulation.velocity).length() < RESTS_MPS && way_m < THERE_M;
    approach.stands() && rests && state.feet(layout).iter().any(|foot| foot.was_dragged(&character.config.feet))
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
