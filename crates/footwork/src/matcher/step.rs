//! One step of any number of characters of a kind.

use super::character::Character;
use super::character::Update;
use super::output::Output;
use super::scratch::Scratch;
use super::state::MatcherState;
use super::update::Turn;
use crate::adjust::root::RootMode;
use crate::input::{InputError, MotionInput};

/// Longest time step, seconds.
pub(crate) const LONGEST_STEP_S: f32 = 10.0;

/// The characters of a step, and room to work in.
#[derive(Debug)]
pub struct Crowd<'a> {
    /// `[characters]` what each remembers.
    pub states: &'a mut [MatcherState],
    /// Room to work in.
    pub scratch: &'a mut Scratch,
    /// `[characters]` what each shows.
    pub outputs: &'a mut [Output],
}

/// Moves characters of one kind by `dt_s` seconds (0 to 10). All slices have one length; one character is a slice of one. To use
/// several threads, split the slices and give each part a scratch of its own: the bits are the same. Allocates nothing.
///
/// # Errors
/// Returns [`InputError`] for slices of different lengths, and for a time step, an input, a state or an output that does not
/// fit the character; then no character has moved.
pub fn step(
    character: &Character,
    inputs: &[MotionInput],
    dt_s: f32,
    states: &mut [MatcherState],
    scratch: &mut Scratch,
    outputs: &mut [Output],
) -> Result<(), InputError> {
    advance(character, inputs, dt_s, Crowd { states, scratch, outputs }, |_| Turn::Regular)
}

/// As [`step`]; `[characters]` `turns` tells when each searches, as [`super::SearchScheduler::plan`] returns it.
///
/// # Errors
/// As [`step`].
pub fn step_in_turns(
    character: &Character,
    inputs: &[MotionInput],
    turns: &[Turn],
    dt_s: f32,
    crowd: Crowd,
) -> Result<(), InputError> {
    let characters = crowd.states.len();
    if turns.len() != characters {
        return Err(InputError::Characters { what: "turns", expected: characters, found: turns.len() });
    }
    advance(character, inputs, dt_s, crowd, |i| turns[i])
}

fn advance(
    character: &Character,
    inputs: &[MotionInput],
    dt_s: f32,
    crowd: Crowd,
    turn: impl Fn(usize) -> Turn,
) -> Result<(), InputError> {
    crowd.check(character, inputs, dt_s)?;
    let Crowd { states, scratch, outputs } = crowd;
    for (i, ((input, state), output)) in inputs.iter().zip(states).zip(outputs).enumerate() {
        let end_s = state.header.time_s + f64::from(dt_s);
        Update { character, input: *input, goal: input.goal, end_s, state, scratch, output }.run(dt_s, turn(i));
    }
    Ok(())
}

impl Crowd<'_> {
    /// Refuses what does not fit, before anybody moves.
    fn check(&self, character: &Character, inputs: &[MotionInput], dt_s: f32) -> Result<(), InputError> {
        let characters = self.states.len();
        for (what, found) in [("inputs", inputs.len()), ("outputs", self.outputs.len())] {
            if found != characters {
                return Err(InputError::Characters { what, expected: characters, found });
            }
        }
        if !(0.0..=LONGEST_STEP_S).contains(&dt_s) {
            return Err(InputError::TimeStep { dt_s });
        }
        if !character.owns(self.scratch) {
            return Err(InputError::Foreign { what: "scratch", character: 0 });
        }
        for (i, (input, state)) in inputs.iter().zip(self.states.iter()).enumerate() {
            input.validate(character.model.schema.user_width)?;
            if let Some(machine) = character.machine() {
                machine.check(input.variables)?;
            }
            if input.body.is_none() && character.config.root.mode == RootMode::External {
                return Err(InputError::NoBody);
            }
            if let Some(tag) = character.model.missing_tag(&input.tags) {
                return Err(InputError::MissingTag { tag });
            }
            state.check(character, i)?;
            if !self.outputs[i].fits(&character.model, character.resolved.events_at_once) {
                return Err(InputError::Foreign { what: "output", character: i });
            }
        }
        Ok(())
    }
}
