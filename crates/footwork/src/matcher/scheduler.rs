//! The scheduler: distributes a limited number of searches per frame among many characters.
//!
//! [`SearchScheduler::step`] moves a crowd as [`super::step`] does, with a budget. The character with the longest wait, weighted
//! by its significance, goes first. An abrupt change of the desired velocity or facing counts as a four times longer wait. A
//! character whose clip is over searches in any case; searches beyond the budget are taken off the next frame's budget. A
//! character that has waited for [`SearchScheduler::longest_wait_s`] goes before all that have not, the longest wait first.
//!
//! The times of searches depend on the frames, and so does motion (without a scheduler, it does not). The same frames give the
//! same motion: keep the scheduler with the states.

use super::character::Character;
use super::config::MatcherConfig;
use super::state::StateHeader;
use super::step::{Crowd, step_in_turns};
use super::update::Turn;
use crate::input::{InputError, MotionInput};

/// Lower significances count as this one.
const LEAST_SIGNIFICANCE: f32 = 1e-3;
/// Factor on the wait of a character whose desired velocity or facing has changed abruptly.
const URGENCY: f32 = 4.0;
/// Rounding error of sums of time steps, in seconds.
const SAME_S: f32 = 1e-4;

/// Decides which characters of a crowd search. Allocates when made, and when the crowd grows beyond that size.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchScheduler {
    /// Searches per frame. Values below 1 count as 1.
    pub searches_per_frame: usize,
    /// Wait after which a character goes before all others, in seconds. Default: 1.
    pub longest_wait_s: f32,
    /// `[characters]` seconds since the last search, or since the last turn without a need for one.
    waited_s: Vec<f32>,
    /// `[characters]` decision for the coming frame.
    turns: Vec<Turn>,
    /// Characters that need a search, in no order.
    waiting: Vec<Waiting>,
    /// Searches of the last frame beyond its budget.
    owed: usize,
}

/// A character that needs a search.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Waiting {
    /// True if it has waited for `longest_wait_s`.
    late: bool,
    priority: f32,
    character: usize,
}

impl SearchScheduler {
    /// Returns a scheduler for this number of characters, none of which has searched.
    pub fn new(characters: usize, searches_per_frame: usize) -> Self {
        Self {
            searches_per_frame,
            longest_wait_s: 1.0,
            waited_s: vec![f32::INFINITY; characters],
            turns: vec![Turn::Later; characters],
            waiting: Vec::with_capacity(characters),
            owed: 0,
        }
    }

    /// Returns the number of characters.
    pub fn characters(&self) -> usize {
        self.waited_s.len()
    }

    /// Changes the number of characters. New ones are added at the end and have never searched.
    pub fn resize(&mut self, characters: usize) {
        self.waited_s.resize(characters, f32::INFINITY);
        self.turns.resize(characters, Turn::Later);
        self.waiting.reserve(characters.saturating_sub(self.waiting.len()));
    }

    /// Removes a character; the last one takes its place, as in `Vec::swap_remove`.
    pub fn swap_remove(&mut self, character: usize) {
        self.waited_s.swap_remove(character);
        self.turns.swap_remove(character);
    }

    /// Returns the seconds since a character's last search, or since the last turn without a need for one; infinite before the
    /// first.
    pub fn waited_s(&self, character: usize) -> f32 {
        self.waited_s[character]
    }

    /// Moves the characters as [`super::step`] does. The budget limits the number of searches, apart from those of characters
    /// whose clip is over. `significance` is a factor on the frequency of searches: 1 searches at the configured interval, 0.5
    /// half as often. Values above 1 count as 1. Values below 0.001, and NaN, count as 0.001: such a character searches only
    /// after an abrupt change or the longest wait.
    ///
    /// # Errors
    /// As [`super::step`]; also for another number of characters than the scheduler has. Then no character has moved.
    pub fn step(
        &mut self,
        character: &Character,
        inputs: &[MotionInput],
        significance: &[f32],
        dt_s: f32,
        crowd: Crowd,
    ) -> Result<(), InputError> {
        let Crowd { states, scratch, outputs } = crowd;
        let turns = self.plan(&character.config, states.iter().map(|s| &s.header), significance)?;
        let crowd = Crowd { states, scratch, outputs: &mut *outputs };
        step_in_turns(character, inputs, turns, dt_s, crowd)?;
        self.record(dt_s, outputs.iter().map(|o| o.searches));
        Ok(())
    }

    /// Returns `[characters]` when each searches in the coming frame. Callers that use it move the characters themselves with
    /// [`super::step_in_turns`] and call [`SearchScheduler::record`] afterwards. `headers` are those of their states.
    ///
    /// # Errors
    /// Returns [`InputError`] for another number of headers or significances than the scheduler has.
    pub fn plan<'a>(
        &mut self,
        config: &MatcherConfig,
        headers: impl ExactSizeIterator<Item = &'a StateHeader>,
        significance: &[f32],
    ) -> Result<&[Turn], InputError> {
        for (what, found) in [("significance", significance.len()), ("states", headers.len())] {
            if found != self.characters() {
                return Err(InputError::Characters { what, expected: self.characters(), found });
            }
        }
        self.choose(config, headers, significance);
        Ok(&self.turns)
    }

    /// Records a planned frame: its time step, and `[characters]` the number of searches of each ([`super::Output::searches`]).
    pub fn record(&mut self, dt_s: f32, searches: impl Iterator<Item = u32>) {
        let mut all = 0;
        for ((waited_s, turn), searches) in self.waited_s.iter_mut().zip(&self.turns).zip(searches) {
            all += searches as usize;
            *waited_s = if *turn == Turn::Now || searches > 0 { dt_s } else { *waited_s + dt_s };
        }
        self.owed = all.saturating_sub(self.budget());
    }

    /// Returns the remaining budget of this frame, at least 1.
    fn budget(&self) -> usize {
        self.searches_per_frame.saturating_sub(self.owed).max(1)
    }

    fn choose<'a>(
        &mut self,
        config: &MatcherConfig,
        headers: impl Iterator<Item = &'a StateHeader>,
        significance: &[f32],
    ) {
        self.waiting.clear();
        self.turns.fill(Turn::Later);
        for (character, (h, waited_s)) in headers.zip(&self.waited_s).enumerate() {
            let sudden = h.choice.is_sudden(config, &h.goal.desired);
            let s = significance[character];
            let weight = if s >= LEAST_SIGNIFICANCE { s.min(1.0) } else { LEAST_SIGNIFICANCE };
            let late = waited_s + SAME_S >= self.longest_wait_s;
            let urgency = if sudden { URGENCY } else { 1.0 };
            if late || sudden || (waited_s + SAME_S) * weight >= config.search.interval_s {
                let priority = if late { *waited_s } else { waited_s * weight * urgency };
                self.waiting.push(Waiting { late, priority, character });
            }
        }
        let budget = self.budget();
        let order = |a: &Waiting, b: &Waiting| {
            b.late.cmp(&a.late).then(b.priority.total_cmp(&a.priority)).then(a.character.cmp(&b.character))
        };
        if budget < self.waiting.len() {
            self.waiting.select_nth_unstable_by(budget, order);
            self.waiting.truncate(budget);
        }
        for w in &self.waiting {
            self.turns[w.character] = Turn::Now;
        }
    }
}
