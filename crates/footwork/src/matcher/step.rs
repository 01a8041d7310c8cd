//! One step of any number of characters.
//!
//! A step is cut at the instants that matter (control ticks at multiples of 1/60 s, searches at multiples of their
//! interval, new goals). What is seen in between is computed from the last such instant and leaves no trace: the same
//! decisions are made from the same bits whatever the frame rate.

use super::config::MatcherConfig;
use super::output::Output;
use super::play;
use super::query;
use super::scratch::Scratch;
use super::state::{BlockLayout, CONTROL_S, MatcherState, STATE_VERSION};
use crate::database::Database;
use crate::trajectory::control::desired;
use crate::trajectory::{InputError, MotionInput};

/// Instants closer than this are the same: sums of `dt` never meet them exactly.
const SAME_S: f64 = 1e-5;

/// Moves characters that share a database by `dt_s` seconds (0 to 10). All slices are as long as `states`; one is a slice
/// of one. Allocates nothing, provided that the search structure exists ([`Database::search_index`]).
///
/// # Errors
/// Slices of different lengths, a time step, input or state that cannot be: no character has moved.
pub fn step(
    db: &Database,
    config: &MatcherConfig,
    inputs: &[MotionInput],
    dt_s: f32,
    states: &mut [MatcherState],
    scratch: &mut Scratch,
    outputs: &mut [Output],
) -> Result<(), InputError> {
    check(db, inputs, dt_s, states, scratch, outputs)?;
    for ((input, state), output) in inputs.iter().zip(states).zip(outputs) {
        step_one(db, config, input, f64::from(dt_s), state, scratch, output, Turn::Regular);
    }
    Ok(())
}

/// When a character searches, beside when its clip is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// At regular instants, and when the desire jumps.
    Regular,
    /// At the beginning of this step.
    Now,
    /// Not in this step.
    Later,
}

/// As [`step`], but for who searches when.
pub(super) fn step_in_turns(
    db: &Database,
    config: &MatcherConfig,
    inputs: &[MotionInput],
    dt_s: f32,
    states: &mut [MatcherState],
    scratch: &mut Scratch,
    outputs: &mut [Output],
    now: &[bool],
) -> Result<(), InputError> {
    check(db, inputs, dt_s, states, scratch, outputs)?;
    for (((input, state), output), now) in inputs.iter().zip(states).zip(outputs).zip(now) {
        let turn = if *now { Turn::Now } else { Turn::Later };
        step_one(db, config, input, f64::from(dt_s), state, scratch, output, turn);
    }
    Ok(())
}

/// Refuses what cannot be, before anybody moves.
fn check(
    db: &Database,
    inputs: &[MotionInput],
    dt_s: f32,
    states: &[MatcherState],
    scratch: &Scratch,
    outputs: &[Output],
) -> Result<(), InputError> {
    let characters = states.len();
    for (what, found) in [("inputs", inputs.len()), ("outputs", outputs.len())] {
        if found != characters {
            return Err(InputError::Characters { what, expected: characters, found });
        }
    }
    if !(0.0..=10.0).contains(&dt_s) {
        return Err(InputError::TimeStep { dt_s });
    }
    for (i, (input, state)) in inputs.iter().zip(states.iter()).enumerate() {
        input.validate(db.schema.user_width)?;
        check_state(db, state, &scratch.layout, i)?;
    }
    Ok(())
}

/// Refuses states of another database or version.
pub(super) fn check_state(
    db: &Database,
    state: &MatcherState,
    layout: &BlockLayout,
    character: usize,
) -> Result<(), InputError> {
    let h = &state.header;
    let fits = h.version == STATE_VERSION
        && h.database == db.content_hash() as u64
        && state.block.len() == layout.history.end
        && h.playing.clip.at() < db.clips.len()
        && h.animated_root.is_finite()
        && h.simulation.position.is_finite()
        && h.playing.time_s.is_finite();
    if fits { Ok(()) } else { Err(InputError::ForeignState { character }) }
}

fn step_one(
    db: &Database,
    config: &MatcherConfig,
    input: &MotionInput,
    dt_s: f64,
    state: &mut MatcherState,
    scratch: &mut Scratch,
    output: &mut Output,
    turn: Turn,
) {
    (output.searches, output.transitions) = (0, 0);
    output.events.clear();
    let end_s = state.header.time_s + dt_s;
    let search_interval_s = f64::from(config.search.interval_s);
    let mut goal_is_new = notice_goal(input, state);
    let mut turn_now = turn == Turn::Now;
    loop {
        let h = &mut state.header;
        let tick = take_due(&mut h.next_control, h.time_s, CONTROL_S);
        let regular = take_due(&mut h.next_search, h.time_s, search_interval_s);
        let search = if turn == Turn::Regular { regular } else { turn_now.then_some(h.time_s) };
        turn_now = false;
        if let Some(at_s) = tick.or(search).or(goal_is_new.then_some(h.time_s)) {
            play::settle(db, config, state, &scratch.layout, at_s);
            let desire_is_new = tick.is_some() || goal_is_new;
            if desire_is_new {
                control(config, input, state);
            }
            if tick.is_some() {
                play::tick_rate(db, config, state, CONTROL_S as f32);
            }
            decide(db, config, input, state, scratch, output, search.is_some(), desire_is_new, turn);
            if tick.is_some() {
                play::tick_body(db, config, input, state, scratch, CONTROL_S as f32);
            }
        }
        goal_is_new = false;
        let next_control_s = state.header.next_control as f64 * CONTROL_S;
        let next_search_s = state.header.next_search as f64 * search_interval_s;
        let next_s = next_control_s.min(next_search_s);
        // An instant a hair away from the end is the end: what is seen there must not depend on the input that follows.
        let to_s = if next_s <= end_s + SAME_S { next_s } else { end_s };
        play::advance(db, config, input, state, output, to_s);
        if to_s + SAME_S >= end_s {
            state.header.time_s = end_s;
            break;
        }
    }
    play::show(db, config, state, &scratch.layout, output, Some((input, dt_s as f32)));
}

/// True when the user asks for something else than before.
fn notice_goal(input: &MotionInput, state: &mut MatcherState) -> bool {
    let signature = input.signature();
    let new = signature != Some(state.header.goal_signature);
    state.header.goal_signature = signature.unwrap_or(0);
    new
}

/// The instant number `next`, if it has come; counts on to the first one that lies ahead. Instants are exact multiples:
/// sums of `dt` are off by a hair. An interval that was changed in between starts afresh, now.
fn take_due(next: &mut u64, now_s: f64, interval_s: f64) -> Option<f64> {
    let here = ((now_s + SAME_S) / interval_s).floor();
    let due = *next <= here as u64;
    *next = here as u64 + 1;
    let exact_s = here * interval_s;
    due.then_some(if (exact_s - now_s).abs() <= 2.0 * SAME_S { exact_s } else { now_s })
}

fn control(config: &MatcherConfig, input: &MotionInput, state: &mut MatcherState) {
    let h = &mut state.header;
    let half_life = config.simulation.velocity_half_life_s;
    h.desired = desired(input, &h.simulation, &h.desired, &mut h.path, &config.speeds, half_life, 0.0);
}

/// Searches when it is time, when the desire has jumped, or when the clip is over.
fn decide(
    db: &Database,
    config: &MatcherConfig,
    input: &MotionInput,
    state: &mut MatcherState,
    scratch: &mut Scratch,
    output: &mut Output,
    due: bool,
    desire_is_new: bool,
    turn: Turn,
) {
    let h = &state.header;
    let asked = (h.searched_velocity, h.searched_facing);
    let sudden =
        turn == Turn::Regular && desire_is_new && config.is_sudden(asked, (h.desired.velocity, h.desired.facing));
    let over = desire_is_new && query::is_over(db, &h.playing, CONTROL_S);
    if !(due || sudden || over) {
        return;
    }
    let may_continue = !query::is_over(db, &h.playing, CONTROL_S);
    let next = query::search(db, config, input, state, scratch, may_continue);
    output.searches += u32::from(scratch.last.is_some());
    if let Some(next) = next {
        output.transitions += 1;
        play::transition(db, config, state, scratch, next);
    }
}
