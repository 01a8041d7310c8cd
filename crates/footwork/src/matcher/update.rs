//! One character, one step: the order of the stages.
//!
//! A step is cut at decision instants: control ticks at multiples of 1/60 s, searches at multiples of their interval, and new
//! goals. Frames in between are computed from the last instant and are not stored. The same decisions are therefore made from the
//! same bits at every frame rate.

use super::acted::Acted;
use super::character::{Character, Choose};
use super::output::Output;
use super::scratch::Scratch;
use super::stage::act::Act;
use super::stage::blend::Transition;
use super::stage::go::{go, steered};
use super::stage::legs::Legs;
use super::stage::play::Play;
use super::stage::predict::{Predict, around};
use super::stage::settle::settle;
use super::stage::show::Show;
use super::stage::tick::Tick;
use super::state::{MatcherState, StateHeader};
use super::state_groups::CONTROL_S;
use crate::adjust::root::RootMode;
use crate::input::{Goal, MotionInput};
use glam::Vec3;

/// Instants closer than this are the same, in seconds: sums of `dt` never meet them exactly.
const SAME_S: f64 = 1e-5;

/// Schedule of a character's searches in a step. A clip that is over causes a search in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Turn {
    #[default]
    /// At regular instants, and when the desired velocity or facing changes abruptly.
    Regular,
    /// At the beginning of this step.
    Now,
    /// Not in this step.
    Later,
}

/// A decision instant.
#[derive(Clone, Copy, Debug)]
struct Instant {
    at_s: f64,
    /// A control tick.
    tick: bool,
    /// A search is due.
    search: bool,
    /// The goal has changed.
    goal: bool,
}

/// One update of a character.
pub(super) struct Update<'a> {
    pub character: &'a Character,
    pub input: &'a MotionInput<'a>,
    /// The character's time at the end of the step, in seconds.
    pub end_s: f64,
    pub state: &'a mut MatcherState,
    pub scratch: &'a mut Scratch,
    pub output: &'a mut Output,
}

impl Update<'_> {
    /// Advances the character by `dt_s` seconds.
    pub fn run(mut self, dt_s: f32, turn: Turn) {
        self.output.begin();
        let before = self.state.header.shown_root(&self.character.config.transition);
        let (begin_s, end_s) = (self.state.header.clock.time_s, self.end_s);
        let mut goal_is_new = self.notice_goal();
        let mut turn_now = turn == Turn::Now;
        self.output.consumed_s = dt_s;
        loop {
            if let Some(instant) = self.take_instant(turn, turn_now, goal_is_new) {
                self.decide(instant, turn);
            }
            (goal_is_new, turn_now) = (false, false);
            let to_s = self.next_instant_s(end_s);
            let whole = self.play(to_s);
            if whole && to_s + SAME_S >= end_s {
                self.state.header.clock.time_s = end_s;
                break;
            }
            if !whole || !self.output.has_room() {
                self.output.consumed_s = (self.state.header.clock.time_s - begin_s) as f32;
                break;
            }
        }
        let Self { character, input, state, scratch, output, .. } = self;
        output.stranded = state.header.choice.stranded;
        let consumed_s = output.consumed_s;
        Show { character, input, state, scratch, output: &mut *output }.run(Some(consumed_s));
        output.root_delta = before.inverse() * output.pose.world_from_root();
    }

    /// Runs the stages of a decision instant.
    fn decide(&mut self, instant: Instant, turn: Turn) {
        let Self { character, input, state, scratch, output, .. } = self;
        let character: &Character = character;
        settle(character, state, instant.at_s);
        if instant.tick {
            go(character, input, state);
        }
        let input = &*steered(character, input, state);
        let desire_is_new = instant.tick || instant.goal;
        let requested = if desire_is_new {
            let max_speed_mps = character.max_speed_mps(state);
            let around = around(character, input, state);
            let StateHeader { root, choice, goal, .. } = &mut state.header;
            let (simulation, stranded) = (&root.simulation, choice.stranded);
            let tick = instant.tick;
            let predict = Predict { character, input, max_speed_mps, simulation, around, tick, stranded, goal };
            predict.run()
        } else {
            Vec3::ZERO
        };
        let entered = instant.tick && Tick { character, input, requested, state, scratch, output }.run();
        let acts = instant.tick && Act { character, input, state, scratch, output }.run();
        if !acts && (entered || self.must_choose(instant.search, desire_is_new, turn)) {
            self.choose();
        }
        if instant.tick {
            let Self { state, scratch, .. } = self;
            let input = &*steered(character, self.input, state);
            Legs { character, input, state, scratch }.run(CONTROL_S as f32);
        }
    }

    /// Chooses the next clip and time, and begins a transition to it.
    fn choose(&mut self) {
        let Self { character, input, state, scratch, output, .. } = self;
        let input = &*steered(character, input, state);
        let next = Choose { character, input, state, scratch, output }.run();
        if let Some(next) = next {
            output.transitions += 1;
            let rate = state.header.playback.play_rate;
            Transition { character, state, scratch, rate }.run(next);
        }
    }

    /// Advances the character to `to_s` without decisions; returns as [`Play::run`].
    fn play(&mut self, to_s: f64) -> bool {
        let Self { character, input, end_s, state, scratch, output } = self;
        let input = &*steered(character, input, state);
        Play { character, input, end_s: *end_s, state, scratch: &mut scratch.source, output }.run(to_s)
    }

    /// Returns true if the goal has changed since the last update.
    fn notice_goal(&mut self) -> bool {
        let signature = self.input.signature();
        let last = &mut self.state.header.goal.signature;
        let new = signature != Some(*last);
        *last = signature.unwrap_or(0);
        new
    }

    /// Returns the instant that is due now, if there is one.
    fn take_instant(&mut self, turn: Turn, turn_now: bool, goal: bool) -> Option<Instant> {
        let search_interval_s = f64::from(self.character.config.search.interval_s);
        let clock = &mut self.state.header.clock;
        let tick = take_due(&mut clock.next_control, clock.time_s, CONTROL_S);
        let regular = take_due(&mut clock.next_search, clock.time_s, search_interval_s);
        let search = if turn == Turn::Regular { regular } else { turn_now.then_some(clock.time_s) };
        let at_s = tick.or(search).or(goal.then_some(clock.time_s))?;
        Some(Instant { at_s, tick: tick.is_some(), search: search.is_some(), goal })
    }

    /// Returns the time of the next instant, at most `end_s`. An instant within rounding of the end counts as the end: the frame
    /// there must not depend on the input that follows.
    fn next_instant_s(&self, end_s: f64) -> f64 {
        let clock = &self.state.header.clock;
        let next_control_s = clock.next_control as f64 * CONTROL_S;
        let next_search_s = clock.next_search as f64 * f64::from(self.character.config.search.interval_s);
        let next_s = next_control_s.min(next_search_s);
        if next_s <= end_s + SAME_S { next_s } else { end_s }
    }

    /// Returns true if a search is due, the desired velocity or facing has changed abruptly, or the clip is over.
    fn must_choose(&self, due: bool, desire_is_new: bool, turn: Turn) -> bool {
        let h = &self.state.header;
        let over = desire_is_new && self.character.is_over(&h.playback.playing, CONTROL_S);
        if self.plays_as_captured() {
            return over;
        }
        let regular = turn == Turn::Regular && desire_is_new;
        let wishes = due || (regular && h.choice.is_sudden(&self.character.config, &h.goal.desired));
        // While an entry is near, its cost is compared from tick to tick in the same clip.
        let nears = self.character.memory_of_actions(&*self.state).is_some_and(Acted::is_near);
        wishes && !nears || over
    }

    /// Returns true if the character is not steered: the clip plays to its end.
    fn plays_as_captured(&self) -> bool {
        let config = &self.character.config;
        let external = self.input.body.is_some() && config.root.mode == RootMode::External;
        matches!(steered(self.character, self.input, &*self.state).goal, Goal::None)
            && !external
            && config.unsteered_clip_blend == 1.0
    }
}

/// Returns the time of instant number `next` if it has come, and sets `next` to the first instant that lies ahead. Instants are
/// exact multiples of the interval, because sums of `dt` have rounding errors. If the interval was changed in between, the
/// instant is now.
fn take_due(next: &mut u64, now_s: f64, interval_s: f64) -> Option<f64> {
    let here = ((now_s + SAME_S) / interval_s).floor();
    let due = *next <= here as u64;
    *next = here as u64 + 1;
    let exact_s = here * interval_s;
    due.then_some(if (exact_s - now_s).abs() <= 2.0 * SAME_S { exact_s } else { now_s })
}
