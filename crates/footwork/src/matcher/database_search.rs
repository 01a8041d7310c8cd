//! Choosing by search: the row of a database whose features fit best, and to which a transition is cheap.

use super::character::{Character, Choice, Chooser, Update};
use super::config::{ConfigError, MatcherConfig};
use super::model::Model;
use super::playing::Playing;
use super::predict::prediction;
use super::scratch::{LastSearch, Scratch};
use super::source::{Clips, nearest_row, wrapped_s};
use super::state::MatcherState;
use crate::database::{Database, MirrorMode};
use crate::frames::RowIndex;
use crate::input::{Gait, Goal, MotionInput, Stick};
use crate::math::Transform;
use crate::schema::{ChannelKind, SourceBuffers};
use crate::search::explain::{self, Outcome};
use crate::search::{
    Backend, Candidates, Explanation, Match, OwnedQuery, PerColumn, PlainColumns, SearchIndex, SearchQuery, row_cost,
};
use std::sync::Arc;

/// Searches a database.
#[derive(Debug)]
struct Search {
    db: Arc<Database>,
    index: SearchIndex,
}

impl Search {
    /// Builds the index.
    pub fn new(db: Arc<Database>, backend: Backend) -> Self {
        let index = SearchIndex::build(&db, backend);
        Self { db, index }
    }

    /// The best candidates of a query, into `scratch.best`; returns how many, and which candidates were looked at. A clip that
    /// is over looks most like its own last moments: going back there would be a stutter. Only where there is nothing else may
    /// the jump be short.
    fn search(&self, update: &mut Update, continuing: Option<Match>, may_continue: bool) -> (usize, Candidates) {
        let (db, config) = (&*self.db, &update.character.config);
        let near_s = config.search.near_exclusion_s;
        let nears = [near_s.max(db.schema.horizon_s().1), near_s, 0.0];
        let nears = if may_continue { &nears[1..2] } else { &nears[..] };
        let scratch = &mut *update.scratch;
        let (mut kept, mut looked_at) = (0, Candidates::default());
        for near_s in nears {
            looked_at = candidates(db, config, update.input, &update.state.header.playing, *near_s);
            let ask = SearchQuery {
                continuing,
                transition_cost: config.search.transition_cost,
                candidates: looked_at,
                ..SearchQuery::new(&scratch.query, &update.character.resolved.multipliers)
            };
            kept = self.index.search_k(db, &ask, &mut scratch.best[..config.search.candidates]);
            if kept > 0 {
                break;
            }
        }
        (kept, looked_at)
    }

    /// What letting the clip play on costs.
    fn continuing(&self, update: &mut Update) -> Option<Match> {
        let db = &*self.db;
        let p = update.state.header.playing;
        let row = nearest_row(db, &p)?;
        update.continuing_features(db.features.row(row));
        let (scratch, costs) = (&*update.scratch, &PerColumn(&db.residuals));
        let multipliers = &update.character.resolved.multipliers;
        // What is too far to be told stays a number, which is all that a search asks of it.
        let cost = row_cost(&scratch.query, multipliers, &scratch.continuing, &PlainColumns, costs).min(f32::MAX);
        let by_query = p.mirrored && db.mirror == MirrorMode::Query;
        Some(Match { row, mirrored: by_query, cost, continuing: true })
    }

    /// Of the best `kept` rows by features the one that is best when the jump counts too, and whether it is worth a jump.
    fn best(&self, update: &mut Update, kept: usize, continuing: Option<Match>) -> Option<(Match, bool)> {
        let config = &update.character.config.search;
        if config.candidates > 1 {
            update.add_transition_costs(&self.db, kept);
        } else {
            update.scratch.whole_costs[0] = update.scratch.best[0].cost;
        }
        let scratch = &*update.scratch;
        let costed = || scratch.best[..kept].iter().zip(&scratch.whole_costs);
        // The first of equals: what search prefers.
        let (best, cost) = costed().reduce(|a, b| if b.1 < a.1 { b } else { a })?;
        let enough = |playing: f32| *cost < playing * (1.0 - config.minimum_improvement);
        let playing = match config.candidates {
            1 => continuing.map(|c| c.cost),
            // What plays and is not among the best has lost.
            _ => costed().find(|(m, _)| m.continuing).map(|(_, cost)| *cost),
        };
        Some((*best, !best.continuing && playing.is_none_or(enough)))
    }
}

impl Chooser for Search {
    /// The row whose trajectory moves least.
    fn rest(&self, character: &Character) -> Playing {
        let db = &*self.db;
        let mut query: Vec<f32> = vec![0.0; db.features.columns];
        let mut multipliers = vec![0.0; db.features.columns];
        for c in db.schema.channels.iter().filter(|c| c.kind.is_trajectory()) {
            multipliers[c.columns.clone()].fill(1.0);
            if let ChannelKind::TrajectoryFacing(_) = c.kind {
                query[c.columns.clone()].chunks_exact_mut(2).for_each(|v| v.copy_from_slice(&[0.0, 1.0]));
            }
        }
        db.features.normalize(&mut query);
        let candidates = Candidates { end_exclusion_rows: end_rows(db, &character.config), ..Candidates::default() };
        let ask = SearchQuery { candidates, ..SearchQuery::new(&query, &multipliers) };
        let row = self.index.search(db, &ask).map_or(RowIndex(0), |m| m.row);
        playing_at(db, row, false)
    }

    fn enter(&self, update: &mut Update) -> Playing {
        let (db, character) = (&*self.db, update.character);
        update.query_of(true);
        let candidates = Candidates {
            end_exclusion_rows: end_rows(db, &character.config),
            tags: update.input.tags,
            ..Candidates::default()
        };
        let query = SearchQuery::new(&update.scratch.query, &character.resolved.multipliers);
        let found = self.index.search(db, &SearchQuery { candidates, ..query });
        found.map_or_else(|| self.rest(character), |m| playing_at(db, m.row, m.mirrored))
    }

    fn choose(&self, update: &mut Update, may_continue: bool) -> Choice {
        update.query();
        let continuing = if may_continue { self.continuing(update) } else { None };
        let config = &update.character.config.search;
        if continuing.is_some_and(|c| c.cost < config.keep_playing_within) {
            return Choice::Continue;
        }
        let (kept, candidates) = self.search(update, continuing, may_continue);
        let found = self.best(update, kept, continuing);
        let jump = found.filter(|(_, jumps)| *jumps).map(|(m, _)| m);
        update.state.header.searches += 1;
        update.output.searches += 1;
        update.scratch.last = Some(LastSearch {
            found: found.map(|(m, _)| m),
            continuing_cost: continuing.map(|c| c.cost),
            jumped: jump.is_some(),
            candidates,
            continuing,
            transition_cost: config.transition_cost,
        });
        jump.map_or(Choice::Continue, |m| Choice::Transition(playing_at(&self.db, m.row, m.mirrored)))
    }
}

/// Playback from a row.
pub(super) fn playing_at(db: &Database, row: RowIndex, mirrored: bool) -> Playing {
    let clip = db.row_clips[row.at()];
    Playing { clip, mirrored: mirrored || db.clips[clip.at()].mirrored, time_s: db.row_time_s(row) }
}

fn end_rows(db: &Database, config: &MatcherConfig) -> usize {
    (config.search.end_exclusion_s * db.search_rate_hz).round() as usize
}

fn candidates(db: &Database, config: &MatcherConfig, input: &MotionInput, p: &Playing, near_s: f32) -> Candidates {
    Candidates {
        end_exclusion_rows: end_rows(db, config),
        near: near_rows(db, p, near_s),
        near_mirrored: p.mirrored && db.mirror == MirrorMode::Query,
        tags: input.tags,
    }
}

/// Rows within `seconds` of what plays; in a loop the range may come out of the other end.
fn near_rows(db: &Database, p: &Playing, seconds: f32) -> [(usize, usize); 2] {
    let rows = db.clips[p.clip.at()].row_range();
    let n = rows.len();
    let rate = f64::from(db.search_rate_hz);
    let (middle, reach) = (wrapped_s(db, p) * rate, f64::from(seconds) * rate);
    let low = (middle - reach).ceil() as i64;
    let high = (middle + reach).floor() as i64 + 1;
    let clamp = |i: i64| rows.start + i.clamp(0, n as i64) as usize;
    let inside = (clamp(low), clamp(high));
    if !db.clips[p.clip.at()].looping() {
        return [inside, (0, 0)];
    }
    let around = if low < 0 {
        (clamp(n as i64 + low), rows.end)
    } else if high > n as i64 {
        (rows.start, clamp(high - n as i64))
    } else {
        (0, 0)
    };
    [inside, around]
}

impl Character {
    /// A character that plays clips of a database. Builds the search index.
    ///
    /// # Errors
    /// Returns [`ConfigError`] if a setting is out of range, or names a channel or joint that the database does not have.
    pub fn new(database: Arc<Database>, config: MatcherConfig) -> Result<Self, ConfigError> {
        let model = Arc::new(Model::of(&database));
        config.validate_for(&model)?;
        let chooser = Arc::new(Search::new(database.clone(), config.search.backend));
        let character = Self::from_parts(model, Arc::new(Clips(database.clone())), chooser, config)?;
        Ok(Self { database: Some(database), ..character })
    }

    /// The same character with other settings. Reuses the search index unless `search.backend` changes.
    ///
    /// # Errors
    /// As [`Character::new`].
    pub fn with_config(&self, config: MatcherConfig) -> Result<Self, ConfigError> {
        config.validate_for(&self.model)?;
        let chooser = match &self.database {
            Some(db) if config.search.backend != self.config.search.backend => {
                Arc::new(Search::new(db.clone(), config.search.backend))
            }
            _ => self.chooser.clone(),
        };
        let (model, source) = (self.model.clone(), self.source.clone());
        Ok(Self { database: self.database.clone(), ..Self::from_parts(model, source, chooser, config)? })
    }

    /// The last search made with a scratch, as it was asked. `None` before the first.
    pub fn last_query<'a>(&'a self, scratch: &'a Scratch) -> Option<SearchQuery<'a>> {
        let last = scratch.last?;
        Some(SearchQuery {
            continuing: last.continuing,
            transition_cost: last.transition_cost,
            candidates: last.candidates,
            ..SearchQuery::new(&scratch.query, &self.resolved.multipliers)
        })
    }

    /// Takes the last search made with a scratch apart: the `k` best rows, and why each won or lost. Slow; allocates. `None`
    /// before the first search, and for a character without a database.
    pub fn explain(&self, scratch: &Scratch, k: usize) -> Option<Explanation> {
        let (last, ask) = (scratch.last?, self.last_query(scratch)?);
        let outcome = Outcome { winner: last.found, jumped: last.jumped };
        Some(explain::explain(self.database()?, &ask, &scratch.continuing, outcome, k))
    }

    /// The query of a character that plays exactly this row and moves as its clip does: exclusions, weights and costs as in a
    /// game. With [`Goal::None`] it asks for the clip's own future, else for the goal's. For tools; allocates. `None` for a
    /// character without a database.
    pub fn query_at_row(&self, input: &MotionInput, row: RowIndex) -> Option<OwnedQuery> {
        let (db, config) = (self.database()?, &self.config);
        let mut features = db.features.row(row).to_vec();
        if !matches!(input.goal, Goal::None) {
            self.steer(db, input, row, &mut features);
        }
        let multipliers = self.resolved.multipliers.clone();
        // The clip's own row, seen as it is stored.
        let playing = Playing { clip: db.row_clips[row.at()], mirrored: false, time_s: db.row_time_s(row) };
        let costs = &PerColumn(&db.residuals);
        let cost = row_cost(&features, &multipliers, db.features.row(row), &PlainColumns, costs);
        Some(OwnedQuery {
            continuing: Some(Match { row, mirrored: false, cost, continuing: true }),
            transition_cost: config.search.transition_cost,
            candidates: candidates(db, config, input, &playing, config.search.near_exclusion_s),
            features,
            multipliers,
        })
    }

    /// Puts the trajectory of a goal in the place of the clip's own future.
    fn steer(&self, db: &Database, input: &MotionInput, row: RowIndex, features: &mut [f32]) {
        let (view, time_s) = (db.view(db.row_clips[row.at()], false), db.row_time_s(row));
        let mut buffers = SourceBuffers::new(&db.schema, &db.skeleton, db.rig.contact_joints.len());
        buffers.gather_trajectory(&view, time_s, &db.schema.times_s);
        let (_, _, velocity) = view.trajectory(time_s, 0.0);
        let gait = if matches!(input.goal, Goal::Stick(Stick { gait: Gait::Walk, .. })) { 0.0 } else { 1.0 };
        let mut state = MatcherState::new(&self.model, &self.resolved.layout, Transform::IDENTITY, self.resting());
        let h = &mut state.header;
        (h.simulation.velocity, h.simulation.gait) = (velocity, gait);
        (h.desired.velocity, h.desired.gait) = (velocity, gait);
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
