//! Characters of a database: how they are made, and what their last search did.

use super::character::Character;
use super::config::{ConfigError, MatcherConfig};
use super::database_search::{Search, candidates, foresight};
use super::model::Model;
use super::playing::Playing;
use super::scratch::Scratch;
use super::source::Clips;
use super::stage::predict::prediction;
use super::state::MatcherState;
use crate::actions::Actions;
use crate::database::Database;
use crate::frames::RowIndex;
use crate::input::{Gait, Goal, MotionInput, Stick};
use crate::math::Transform;
use crate::schema::SourceBuffers;
use crate::search::explain::{Outcome, channel_costs};
use crate::search::{Explanation, Match, OwnedQuery, PerColumn, PlainColumns, SearchIndex, SearchQuery, row_cost};
use std::sync::Arc;

/// Returns the actions of a database, with its arrivals if they are wanted.
fn actions(db: &Database, config: &MatcherConfig) -> Arc<Actions> {
    let actions = Actions::of(db);
    Arc::new(if config.actions.arrives { actions.with_arrivals(db) } else { actions })
}

impl Character {
    /// Returns a character that plays clips of a database. Builds the search index, and the foresight table if
    /// [`SearchConfig::foresight_cost`](super::SearchConfig) is above 0.
    ///
    /// # Errors
    /// Returns [`ConfigError`] if a setting is out of range, or names a channel or joint that the database does not have.
    pub fn new(database: Arc<Database>, config: MatcherConfig) -> Result<Self, ConfigError> {
        let model = Arc::new(Model::of(&database));
        config.validate_for(&model)?;
        let chooser = Arc::new(Search::new(database.clone(), &model, &config));
        let actions = actions(&database, &config);
        let character = Self::from_parts(model, Arc::new(Clips(database.clone())), chooser, config)?;
        let director = character.undirected.clone();
        Ok(Self { database: Some(database), actions, ..character }.directed_by(director))
    }

    /// Returns the same character with other settings. Reuses the search index unless `search.backend` changes; it stays fastest
    /// for the weights that it was built with. Reuses the foresight table unless speeds, weights of the pose or exclusions
    /// change.
    ///
    /// # Errors
    /// As [`Character::new`].
    pub fn with_config(&self, config: MatcherConfig) -> Result<Self, ConfigError> {
        config.validate_for(&self.model)?;
        let other = self.chooser.for_config(&self.model, &self.config, &config);
        let chooser = other.unwrap_or_else(|| self.chooser.clone());
        let (model, source) = (self.model.clone(), self.source.clone());
        let read_again = config.actions.arrives != self.config.actions.arrives;
        let database = self.database.clone();
        let actions = match &database {
            Some(db) if read_again => actions(db, &config),
            _ => self.actions.clone(),
        };
        let character = Self { database, actions, ..Self::from_parts(model, source, chooser, config)? };
        Ok(character.directed_by(self.undirected.clone()))
    }

    /// Returns the same character with another index over its database, which `other` makes from its own: one that is watched, or one with
    /// forced instructions (feature `classics`). For tools, tests and measurements. `None` for networks.
    pub fn with_index(&self, other: impl FnOnce(&Arc<SearchIndex>) -> SearchIndex) -> Option<Self> {
        let db = self.database.clone().filter(|db| db.content_hash() as u64 == self.model.hash)?;
        let index = Arc::new(other(self.chooser.index()?));
        let foresight = foresight(&db, &self.model, &self.config, None);
        Some(Self { chooser: Arc::new(Search { db, index, foresight }), ..self.clone() })
    }

    /// Returns the query of the last search made with a scratch. `None` before the first.
    pub fn last_query<'a>(&'a self, scratch: &'a Scratch) -> Option<SearchQuery<'a>> {
        let last = scratch.last?;
        Some(SearchQuery {
            continuing: last.continuing,
            transition_cost: self.config.search.transition_cost,
            tag_costs: Some(&scratch.tag_costs),
            max_cost: self.config.search.max_cost.unwrap_or(f32::INFINITY),
            rest_cost: last.rest_cost,
            shown: &scratch.shown_rows,
            blocked: scratch.blocked(),
            candidates: last.candidates,
            ..SearchQuery::new(&scratch.query, &self.weights(last.weights).multipliers)
        })
    }

    /// Explains the last search made with a scratch: the `k` best rows, and why each won or lost. Slow; allocates. `None` before
    /// the first search, and for a character without a database.
    pub fn explain(&self, scratch: &Scratch, k: usize) -> Option<Explanation> {
        let (last, ask) = (scratch.last?, self.last_query(scratch)?);
        let outcome = Outcome { winner: last.found, jumped: last.jumped };
        Some(Explanation::of(self.database()?, &ask, &scratch.continuing, outcome, k))
    }

    /// Writes the costs of the last choice made with a scratch, per channel (`[channels]`), to `out`. Returns the total cost.
    /// Allocates nothing. Returns `None` before the first search, and for a character without a database; `out` is then
    /// unchanged.
    pub fn chosen_costs(&self, scratch: &Scratch, out: &mut [f32]) -> Option<f32> {
        let (last, ask, db) = (scratch.last?, self.last_query(scratch)?, self.database()?);
        let chosen = last.chosen()?;
        channel_costs(db, &ask, &chosen, &scratch.continuing, out);
        Some(chosen.cost)
    }

    /// Returns the query of a character that plays exactly this row and moves as its clip does, with the exclusions, weights and
    /// costs of a game. The desired trajectory is the clip's own future with [`Goal::None`], else that of the goal. For tools;
    /// allocates. `None` for a character without a database.
    pub fn query_at_row(&self, input: &MotionInput, row: RowIndex) -> Option<OwnedQuery> {
        let (db, config) = (self.database()?, &self.config);
        let mut features = db.features.row(row).to_vec();
        if !matches!(input.goal, Goal::None) {
            self.steer(db, input, row, &mut features);
        }
        let multipliers = self.weights(0).multipliers.clone();
        // The clip's own row, as stored: not mirrored.
        let playing = Playing { clip: db.row_clips[row.at()], mirrored: false, time_s: db.row_time_s(row) };
        let costs = &PerColumn(&db.residuals);
        let cost = row_cost(&features, &multipliers, db.features.row(row), &PlainColumns, costs);
        Some(OwnedQuery {
            continuing: Some(Match { row, mirrored: false, cost, continuing: true }),
            transition_cost: config.search.transition_cost,
            max_cost: config.search.max_cost.unwrap_or(f32::INFINITY),
            candidates: candidates(db, config, db.accepted(&input.tags), &playing, config.search.near_exclusion_s),
            features,
            multipliers,
        })
    }

    /// Replaces the clip's future in `features` by the trajectory of the goal.
    fn steer(&self, db: &Database, input: &MotionInput, row: RowIndex, features: &mut [f32]) {
        let (view, time_s) = (db.view(db.row_clips[row.at()], false), db.row_time_s(row));
        let mut buffers = SourceBuffers::new(&db.schema, &db.skeleton, db.rig.contact_joints.len());
        buffers.gather_trajectory(&view, time_s, &db.schema.times_s);
        let (_, _, velocity) = view.trajectory(time_s, 0.0);
        let gait = if matches!(input.goal, Goal::Stick(Stick { gait: Gait::Walk, .. })) { 0.0 } else { 1.0 };
        let mut state = MatcherState::new(&self.model, &self.resolved.layout, Transform::IDENTITY, self.resting());
        let (simulation, desired) = (&mut state.header.root.simulation, &mut state.header.goal.desired);
        (simulation.velocity, simulation.gait) = (velocity, gait);
        (desired.velocity, desired.gait) = (velocity, gait);
        prediction(self, input, &state).run(&db.schema.times_s, &mut buffers.trajectory);
        let mut wanted = vec![0.0; features.len()];
        let channels = || db.schema.channels.iter().filter(|c| c.kind.is_trajectory());
        for channel in channels() {
            channel.kind.extract(&buffers.source(), &mut wanted[channel.columns.clone()]);
        }
        db.features.normalize(&mut wanted);
        for channel in channels() {
            features[channel.columns.clone()].copy_from_slice(&wanted[channel.columns.clone()]);
        }
    }
}
