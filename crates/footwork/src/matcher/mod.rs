//! The character: predict -> query -> search -> play -> hide the seam -> keep root and simulation together.
//!
//! [`MotionMatcher`] is one character with everything it needs. [`step`] is the same for slices of characters that share
//! a database: crowds, servers, bindings.

pub mod config;
mod corrections;
mod output;
mod play;
mod query;
pub mod scheduler;
mod scratch;
mod seam;
pub mod state;
mod step;
pub mod warp;

pub use config::{ConfigError, MatcherConfig, QueryPose, SearchConfig};
pub use corrections::Corrections;
pub use output::{FiredEvent, Output};
pub use query::query_at_row;
pub use scheduler::SearchScheduler;
pub use scratch::{LastSearch, Scratch};
pub use state::{MatcherState, Playing, StateHeader};
pub use step::step;

use crate::database::Database;
use crate::math::Transform;
use crate::pose::Pose;
use crate::search::{Explanation, SearchQuery};
use crate::trajectory::{InputError, MotionInput};
use std::sync::Arc;

/// One character. Allocates when made; never in [`MotionMatcher::update`].
#[derive(Debug)]
pub struct MotionMatcher {
    db: Arc<Database>,
    config: MatcherConfig,
    state: MatcherState,
    scratch: Scratch,
    output: Output,
}

impl MotionMatcher {
    /// A character at the world's origin, facing +Z, at rest.
    ///
    /// # Errors
    /// A setting that cannot be.
    pub fn new(db: Arc<Database>, config: MatcherConfig) -> Result<Self, ConfigError> {
        Self::at(db, config, Transform::IDENTITY)
    }

    /// A character at rest at `world_from_root`: it starts in the row whose trajectory moves least.
    ///
    /// # Errors
    /// A setting, or a place, that cannot be.
    pub fn at(db: Arc<Database>, config: MatcherConfig, world_from_root: Transform) -> Result<Self, ConfigError> {
        config.validate(&db)?;
        if !world_from_root.is_finite() {
            return Err(ConfigError { key: "world_from_root".into(), what: "not a finite transform".into() });
        }
        // Made here and not on the first update, which must not allocate.
        db.search_index(config.search.backend);
        let scratch = Scratch::new(&db);
        let mut state = MatcherState::new(&db, world_from_root, query::resting(&db, &config));
        let mut output = Output::new(&db);
        play::show(&db, &config, &mut state, scratch.layout(), &mut output, None);
        Ok(Self { db, config, state, scratch, output })
    }

    /// Moves the character by `dt_s` seconds (0 to 10) and returns its pose: local transforms, joint 0 in the world.
    ///
    /// # Errors
    /// NaN, infinity, or user values that do not fit: the state is as it was.
    pub fn update(&mut self, input: &MotionInput, dt_s: f32) -> Result<&Pose, InputError> {
        step(
            &self.db,
            &self.config,
            std::slice::from_ref(input),
            dt_s,
            std::slice::from_mut(&mut self.state),
            &mut self.scratch,
            std::slice::from_mut(&mut self.output),
        )?;
        Ok(&self.output.pose)
    }

    /// The pose as of the last update.
    pub fn pose(&self) -> &Pose {
        &self.output.pose
    }

    /// Pose, contacts, curves, events and what the last update did.
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// The database.
    pub fn database(&self) -> &Arc<Database> {
        &self.db
    }

    /// The settings.
    pub fn config(&self) -> &MatcherConfig {
        &self.config
    }

    /// Changes the settings from the next update on. Allocates where the search structure was never used before.
    ///
    /// # Errors
    /// A setting that cannot be; the old ones stay.
    pub fn set_config(&mut self, config: MatcherConfig) -> Result<(), ConfigError> {
        config.validate(&self.db)?;
        self.db.search_index(config.search.backend);
        self.config = config;
        Ok(())
    }

    /// What must survive: copy it to save.
    pub fn state(&self) -> &MatcherState {
        &self.state
    }

    /// Continues from a saved state, bit for bit.
    ///
    /// # Errors
    /// A state of another database or version; the character is as it was.
    pub fn restore(&mut self, state: &MatcherState) -> Result<(), InputError> {
        step::check_state(&self.db, state, self.scratch.layout(), 0)?;
        self.state.clone_from(state);
        play::show(&self.db, &self.config, &mut self.state, self.scratch.layout(), &mut self.output, None);
        Ok(())
    }

    /// Puts the character elsewhere; motion goes on.
    ///
    /// # Errors
    /// A place that is not finite: the character stays.
    pub fn teleport(&mut self, world_from_root: Transform) -> Result<(), InputError> {
        if !world_from_root.is_finite() {
            return Err(InputError::NotUsable { field: "world_from_root", value: f32::NAN });
        }
        play::teleport(&self.config, &mut self.state, self.scratch.layout(), world_from_root);
        play::show(&self.db, &self.config, &mut self.state, self.scratch.layout(), &mut self.output, None);
        Ok(())
    }

    /// The last search, once there was one.
    pub fn last_search(&self) -> Option<&LastSearch> {
        self.scratch.last_search()
    }

    /// The last search as it was asked, once there was one.
    pub fn last_query(&self) -> Option<SearchQuery<'_>> {
        self.scratch.last_ask()
    }

    /// Takes the last search apart: the `k` best rows and why each won or lost. Slow; for tools.
    pub fn explain(&self, k: usize) -> Option<Explanation> {
        self.scratch.explain(&self.db, k)
    }
}
