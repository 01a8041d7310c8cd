//! Many characters, so many searches per frame: who searches now.
//!
//! [`SearchScheduler::step`] moves a crowd as [`super::step`] does, with a budget: who has waited longest, weighed by its
//! significance, goes first. Whose desire has jumped goes before others that have waited as long; whose clip is over
//! searches in any case, and what that costs is taken off the next frame's budget. Nobody starves: who has waited for
//! [`SearchScheduler::longest_wait_s`] goes before all that have not, the longest wait first.
//!
//! Who searches when depends on the frames, so motion does too (without a scheduler it does not). The same frames give the
//! same motion: keep the scheduler with the states.

use super::character::Character;
use super::config::MatcherConfig;
use super::state::StateHeader;
use super::step::{Crowd, step_in_turns};
use super::update::Turn;
use crate::input::{InputError, MotionInput};

/// Characters of less significance count as this one.
const LEAST_SIGNIFICANCE: f32 = 1e-3;
/// A jump of the desire counts as so many times the wait.
const URGENCY: f32 = 4.0;
/// Sums of time steps are off by a hair.
const SAME_S: f32 = 1e-4;

/// Decides who of a crowd searches. Allocates when made, and where the crowd grows beyond what it was made for.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchScheduler {
    /// Searches per frame. At least 1: of 0 nobody would ever search.
    pub searches_per_frame: usize,
    /// Whoever has waited so long goes before all others, seconds. Default 1.
    pub longest_wait_s: f32,
    /// `[characters]` seconds since the last search, or the last turn at which none was needed.
    waited_s: Vec<f32>,
    /// `[characters]` whose turn it is.
    turns: Vec<Turn>,
    /// Who would search, in no order.
    waiting: Vec<Waiting>,
    /// Searches of the last frame beyond its budget.
    owed: usize,
}

/// A character that would search.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Waiting {
    /// Has waited too long.
    late: bool,
    priority: f32,
    character: usize,
}

impl SearchScheduler {
    /// A scheduler for so many characters, none of which has searched.
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

    /// Characters.
    pub fn characters(&self) -> usize {
        self.waited_s.len()
    }

    /// Another number of characters; new ones, at the end, have never searched.
    pub fn resize(&mut self, characters: usize) {
        self.waited_s.resize(characters, f32::INFINITY);
        self.turns.resize(characters, Turn::Later);
        self.waiting.reserve(characters.saturating_sub(self.waiting.len()));
    }

    /// A character is gone and the last one takes its place, as in `Vec::swap_remove`.
    pub fn swap_remove(&mut self, character: usize) {
        self.waited_s.swap_remove(character);
        self.turns.swap_remove(character);
    }

    /// Seconds since a character's last search, or since the last turn at which it needed none; infinite before the first.
    pub fn waited_s(&self, character: usize) -> f32 {
        self.waited_s[character]
    }

    /// Moves the characters as [`super::step`] does; at most so many search as the budget allows, beside those whose clip
    /// is over. `significance`: 1 searches at the configured interval, 0.5 half as often, and so on; of 0, negative or NaN
    /// only when the longest wait is over.
    ///
    /// # Errors
    /// As [`super::step`]; or another number of characters than this was made for. No character has moved.
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

    /// Returns `[characters]` when each searches in the coming frame: for those who move the characters themselves, by
    /// [`super::step_in_turns`], and tell [`SearchScheduler::record`] afterwards. `headers` are those of their states.
    ///
    /// # Errors
    /// Another number of headers or significances than this was made for.
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

    /// A planned frame is over: its time step, and `[characters]` how many searches each made ([`super::Output::searches`]).
    pub fn record(&mut self, dt_s: f32, searches: impl Iterator<Item = u32>) {
        let mut all = 0;
        for ((waited_s, turn), searches) in self.waited_s.iter_mut().zip(&self.turns).zip(searches) {
            all += searches as usize;
            *waited_s = if *turn == Turn::Now || searches > 0 { dt_s } else { *waited_s + dt_s };
        }
        self.owed = all.saturating_sub(self.budget());
    }

    /// What is left for this frame, never nothing.
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
            let asked = (h.searched_velocity, h.searched_facing);
            let sudden = config.is_sudden(asked, (h.desired.velocity, h.desired.facing));
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
