//! The character: predict -> query -> search -> play -> blend out the discontinuity -> keep root and simulation together.
//!
//! [`Character`] holds what characters of one kind share: body, motion, search index, checked settings. [`MotionMatcher`] is one
//! character with everything it needs. [`step`] does the same for slices of characters: crowds, servers, bindings.

mod acted;
mod acting;
mod action_view;
pub(crate) mod character;
mod config;
mod database_search;
pub(crate) mod director;
mod levers;
mod meeting;
pub(crate) mod memo;
pub(crate) mod model;
mod of_database;
mod output;
pub(crate) mod played;
mod playing;
mod rest;
mod roots;
mod scheduler;
pub(crate) mod scratch;
mod single;
mod slide;
pub(crate) mod source;
pub(crate) mod stage;
pub(crate) mod state;
mod state_check;
pub(crate) mod state_groups;
pub(crate) mod step;
mod update;
pub(crate) mod warp;
pub(crate) mod weights;

#[cfg(test)]
pub(crate) mod tests;

pub use crate::search::Backend;
pub use action_view::ActionView;
pub use character::Character;
pub use config::{ConfigError, MatcherConfig, QueryPose, SearchConfig};
pub use meeting::{Meeting, MeetingStep};
pub use output::{
    ActionEvent, ActionStep, EndCause, EventKind, FiredEvent, FootContact, Footstep, Output, StateChange,
};
pub use playing::Playing;
pub use scheduler::SearchScheduler;
pub(crate) use scratch::LastSearch;
pub use scratch::Scratch;
pub use state::MatcherState;
pub(crate) use state::StateHeader;
use step::One;
pub use step::{Crowd, step, step_in_turns};
pub use update::Turn;

use crate::database::Database;
use crate::input::{InputError, MotionInput};
use crate::math::Transform;
use crate::pose::{Pose, PoseVelocity};
use crate::search::{Explanation, SearchQuery};
use std::sync::Arc;

/// One character with everything it needs. Allocates when made, never in [`MotionMatcher::update`].
#[derive(Debug)]
pub struct MotionMatcher {
    character: Arc<Character>,
    state: MatcherState,
    scratch: Scratch,
    output: Output,
    /// Identifies this character, together with the number of its changes: a recorder need not compare states.
    identity: Arc<()>,
    revision: u64,
}

impl MotionMatcher {
    /// Returns a character at the world's origin, facing +Z, at rest. Builds a search index: for several characters over one
    /// database, make one [`Character`] and use [`MotionMatcher::of`].
    ///
    /// # Errors
    /// As [`Character::new`].
    pub fn new(db: Arc<Database>, config: MatcherConfig) -> Result<Self, ConfigError> {
        Self::of(Arc::new(Character::new(db, config)?), Transform::IDENTITY)
    }

    /// Returns a character at rest at `world_from_root`.
    ///
    /// # Errors
    /// Returns [`ConfigError`] if the transform is not finite.
    pub fn of(character: Arc<Character>, world_from_root: Transform) -> Result<Self, ConfigError> {
        let state = character.state_at(world_from_root)?;
        let (scratch, output) = (character.scratch(), character.output());
        let mut matcher = Self { character, state, scratch, output, identity: Arc::new(()), revision: 0 };
        matcher.show();
        Ok(matcher)
    }

    /// Advances the character by `dt_s` seconds (0 to 10) and returns its pose: local transforms, joint 0 in world space.
    ///
    /// # Errors
    /// Returns [`InputError`] for NaN, infinity, or user values that do not fit. The state is unchanged.
    pub fn update(&mut self, input: &MotionInput, dt_s: f32) -> Result<&Pose, InputError> {
        let Self { character, state, scratch, output, revision, .. } = self;
        One { state, scratch, output }.step(character, input, Turn::Regular, dt_s)?;
        *revision += 1;
        Ok(&self.output.pose)
    }

    /// Returns the pose of the last update.
    pub fn pose(&self) -> &Pose {
        &self.output.pose
    }

    /// Returns pose, contacts, curves, events and statistics of the last update.
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// Returns the shared part of the character: body, motion, chooser, settings.
    pub fn character(&self) -> &Arc<Character> {
        &self.character
    }

    /// Returns the settings.
    pub fn config(&self) -> &MatcherConfig {
        self.character.config()
    }

    /// Changes the settings from the next update on. Allocates; builds only what [`Character::with_config`] cannot reuse.
    ///
    /// # Errors
    /// As [`Character::with_config`]. The old settings stay.
    pub fn set_config(&mut self, config: MatcherConfig) -> Result<(), ConfigError> {
        self.character = Arc::new(self.character.with_config(config)?);
        Ok(())
    }

    /// Returns the state. Copy it to save the character.
    pub fn state(&self) -> &MatcherState {
        &self.state
    }

    /// Continues from a saved state, bit for bit.
    ///
    /// # Errors
    /// Returns [`InputError`] for a state of another character or version, or a damaged one. The character is unchanged.
    pub fn restore(&mut self, state: &MatcherState) -> Result<(), InputError> {
        state.check(&self.character, 0)?;
        self.state.clone_from(state);
        self.revision += 1;
        self.show();
        Ok(())
    }

    /// Moves the character elsewhere. Motion continues.
    ///
    /// # Errors
    /// Returns [`InputError`] if the transform is not finite. The character stays.
    pub fn teleport(&mut self, world_from_root: Transform) -> Result<(), InputError> {
        self.character.teleport(world_from_root, &mut self.state)?;
        self.revision += 1;
        self.show();
        Ok(())
    }

    /// Continues from a pose of any origin; see [`Character::enter`].
    ///
    /// # Errors
    /// Returns [`InputError`] if the pose has other joints or is not finite. The character is unchanged.
    pub fn enter(&mut self, pose: &Pose, velocity: &PoseVelocity) -> Result<(), InputError> {
        let Self { character, state, scratch, output, revision, .. } = self;
        *revision += 1;
        character.enter((pose, velocity), state, scratch, output)
    }

    /// Becomes a character of another kind over the same skeleton in mid-motion, such as one with other clips. It plays the best
    /// match of the shown pose, and blends the pose out. Time starts at 0.
    ///
    /// If both have state machines, the new one continues in the state of the same name, with the triggers, montages and layer
    /// weights that it also has. Without such a state it restarts. A trigger that was used does not fire again. Windows of
    /// montages that do not continue end. [`MotionMatcher::output`] reports these ends if the new machine has an event of that
    /// name.
    ///
    /// # Errors
    /// Returns [`InputError::OtherSkeleton`] if the skeletons differ. The character is unchanged.
    pub fn switch_to(&mut self, character: Arc<Character>) -> Result<(), InputError> {
        let mut scratch = character.scratch();
        let (state, output) = character.take_over((&self.character, &self.state, &self.output), &mut scratch)?;
        *self = Self { character, state, scratch, output, identity: Arc::new(()), revision: 0 };
        Ok(())
    }

    /// Returns `[columns + latents]` features and latent variables of the playing motion; `None` for a character that plays
    /// clips.
    pub fn code(&self) -> Option<&[f32]> {
        let character = &self.character;
        character.source.code(self.state.playhead(&character.resolved.layout))
    }

    /// Returns the clip and time of the database that are shown; of a blend space, those with the greatest weight.
    pub fn captured(&self) -> Playing {
        let character = &self.character;
        character.source.captured(self.state.playhead(&character.resolved.layout))
    }

    /// Returns the name of the playing clip; `None` for motion without clips.
    pub fn clip_name(&self) -> Option<&str> {
        self.character.clip_name(self.state.header.playback.playing.clip)
    }

    /// Returns its action, or the request that waits; see [`Character::action_view`].
    pub fn action_view(&self) -> Option<ActionView> {
        self.character.action_view(&self.state)
    }

    /// Writes the output of the current state.
    fn show(&mut self) {
        let Self { character, state, scratch, output, .. } = self;
        character.show_unchecked(state, scratch, output);
    }

    /// Returns the identity of this character and the number of its changes.
    pub(crate) fn changes(&self) -> (&Arc<()>, u64) {
        (&self.identity, self.revision)
    }

    /// Returns its parts, for callers that step it themselves and count the change with [`MotionMatcher::count_change`].
    pub(crate) fn parts_mut(&mut self) -> (&Character, &mut MatcherState, &mut Scratch, &mut Output) {
        let Self { character, state, scratch, output, .. } = self;
        (character, state, scratch, output)
    }

    pub(crate) fn count_change(&mut self) {
        self.revision += 1;
    }

    /// Continues as another character over the same data, with other settings or another chooser.
    ///
    /// # Errors
    /// Returns [`InputError`] if the state does not belong to that character. This character is unchanged.
    pub(crate) fn become_like(&mut self, character: &Arc<Character>) -> Result<(), InputError> {
        self.state.check_running(character, 0)?;
        if !character.owns(&self.scratch) {
            self.scratch = character.scratch();
        }
        self.character = Arc::clone(character);
        Ok(())
    }

    /// Clears the last search, as before the first one.
    pub(crate) fn forget_search(&mut self) {
        self.scratch.last = None;
    }

    /// Returns the last search; `None` before the first.
    pub fn last_search(&self) -> Option<&LastSearch> {
        self.scratch.last_search()
    }

    /// Returns the query of the last search; `None` before the first.
    pub fn last_query(&self) -> Option<SearchQuery<'_>> {
        self.character.last_query(&self.scratch)
    }

    /// Writes the costs of the last choice per channel to `out`; see [`Character::chosen_costs`].
    pub fn chosen_costs(&self, out: &mut [f32]) -> Option<f32> {
        self.character.chosen_costs(&self.scratch, out)
    }

    /// Explains the last search: the `k` best rows and why each won or lost. Slow; for tools.
    pub fn explain(&self, k: usize) -> Option<Explanation> {
        self.character.explain(&self.scratch, k)
    }
}
