//! One step of any number of characters of one kind.

use super::character::Character;
use super::output::Output;
use super::scratch::Scratch;
use super::state::MatcherState;
use super::update::{Turn, Update};
use crate::adjust::root::RootMode;
use crate::input::{CheckedHooks, CollisionHook, Goal, GroundHook, InputError, MotionInput, Stick};
use std::slice::{from_mut, from_ref};

/// Longest time step, in seconds.
pub(crate) const LONGEST_STEP_S: f32 = 10.0;

/// The characters of a step, and working space.
#[derive(Debug)]
pub struct Crowd<'a> {
    /// `[characters]` states.
    pub states: &'a mut [MatcherState],
    /// Working space.
    pub scratch: &'a mut Scratch,
    /// `[characters]` outputs.
    pub outputs: &'a mut [Output],
}

/// The parts of one character, for programs that manage them themselves.
#[derive(Debug)]
pub struct One<'a> {
    /// State of the character.
    pub state: &'a mut MatcherState,
    /// Temporary buffers.
    pub scratch: &'a mut Scratch,
    /// Output of the character.
    pub output: &'a mut Output,
}

impl One<'_> {
    /// Advances the character, as [`step_in_turns`] does.
    ///
    /// # Errors
    /// Returns the errors of [`step_in_turns`]; then the state is unchanged.
    pub fn step(self, character: &Character, input: &MotionInput, turn: Turn, dt_s: f32) -> Result<(), InputError> {
        let Self { state, scratch, output } = self;
        let crowd = Crowd { states: from_mut(state), scratch, outputs: from_mut(output) };
        step_in_turns(character, from_ref(input), &[turn], dt_s, crowd)
    }
}

/// Advances characters of one kind by `dt_s` seconds (0 to 10). All slices have one length; one character is a slice of one. To
/// use several threads, split the slices and give each part a scratch of its own: the results are the same bits. Allocates
/// nothing.
///
/// # Errors
/// Returns [`InputError`] for slices of different lengths, for a time step out of range, and for a scratch of other characters.
/// Then no character has moved. Returns the first [`InputError`] of an input, a state or an output that does not fit its
/// character. Then all others have moved, and [`Output::refused`] names the reason for each that has not.
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

/// As [`step`]. `turns` (`[characters]`) sets when each searches, as [`super::SearchScheduler::plan`] returns it.
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
    let mut first = Ok(());
    for (i, (input, output)) in inputs.iter().zip(outputs).enumerate() {
        if let Some(next) = states.get(i + 1) {
            character.source.prefetch(&next.header.playback.playing);
        }
        let state = &mut states[i];
        let fits = fits(character, i, (input, state, output));
        output.refused = fits.clone().err();
        if fits.is_err() {
            first = first.and(fits);
            continue;
        }
        let hooks = CheckedHooks::new(input.ground, input.collide);
        let (ground, collide) = (|at| hooks.ground(at), |from, to| hooks.collide(from, to));
        // Networks have no captured clip to continue: without a goal, they get a stick at rest.
        let plays_networks = character.source.code(state.playhead(character.layout())).is_some();
        let rests = matches!(input.goal, Goal::None) && plays_networks;
        let end_s = state.header.clock.time_s + f64::from(dt_s);
        let input = &MotionInput {
            goal: if rests { Goal::Stick(Stick::default()) } else { input.goal },
            ground: input.ground.map(|_| &ground as &GroundHook),
            collide: input.collide.map(|_| &collide as &CollisionHook),
            obstacles: input.obstacles.at(end_s),
            ..*input
        };
        character.source.exchange(&mut output.memo, &mut scratch.source);
        Update { character, input, end_s, state, scratch, output }.run(dt_s, turn(i));
        character.source.exchange(&mut output.memo, &mut scratch.source);
        output.unusable_answers = hooks.unusable();
    }
    first
}

/// Checks the input, the state and the output of the character with index `i`.
fn fits(
    character: &Character,
    i: usize,
    (input, state, output): (&MotionInput, &MatcherState, &Output),
) -> Result<(), InputError> {
    character.check_input(input)?;
    state.check_running(character, i)?;
    if !output.fits(&character.model, character.resolved.events_at_once) {
        return Err(InputError::Foreign { what: "output", character: i });
    }
    Ok(())
}

impl Character {
    /// Checks an input as [`step`] does, for callers that move all characters or none. Allocates nothing.
    ///
    /// # Errors
    /// Returns the [`InputError`] with which [`step`] would reject the input.
    pub fn check_input(&self, input: &MotionInput) -> Result<(), InputError> {
        input.validate(self.model.schema.user_width)?;
        self.director.check(input)?;
        if input.action.is_some() && self.actions.is_empty() {
            return Err(InputError::NoActions);
        }
        if input.body.is_none() && self.config.root.mode == RootMode::External {
            return Err(InputError::NoBody);
        }
        match self.model.missing_tag(&input.tags) {
            Some(tag) => Err(InputError::MissingTag { tag }),
            None => Ok(()),
        }
    }
}

impl Crowd<'_> {
    /// Checks everything that the characters share, before one of them moves.
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
        Ok(())
    }
}
