//! Choosing by search: the row of a database whose features fit best, and to which a transition is cheap.

use super::character::{Character, Choice, Chooser, Update};
use super::config::{ConfigError, MatcherConfig};
use super::foreseen::{self, Wanted};
use super::model::Model;
use super::playing::Playing;
use super::predict::prediction;
use super::scratch::{LastSearch, Scratch};
use super::source::{Clips, nearest_row, wrapped_s};
use super::state::MatcherState;
use super::weights::shortlist_multipliers;
use crate::database::{Database, MirrorMode, TagFilter};
use crate::foresight::Foresight;
use crate::frames::RowIndex;
use crate::input::{Gait, Goal, MotionInput, Stick};
use crate::math::Transform;
use crate::schema::{ChannelKind, SourceBuffers};
use crate::search::explain::{Outcome, channel_costs};
use crate::search::moments::Moments;
use crate::search::{
    Candidates, Explanation, Match, OwnedQuery, PerColumn, PlainColumns, SearchIndex, SearchQuery, row_cost,
};
use std::sync::Arc;

/// Searches a database.
#[derive(Debug)]
struct Search {
    db: Arc<Database>,
    index: Arc<SearchIndex>,
    /// Where `search.foresight_cost` asks for it.
    foresight: Option<Arc<Foresight>>,
}

impl Search {
    /// Builds what these settings ask for.
    pub fn new(db: Arc<Database>, model: &Model, config: &MatcherConfig) -> Self {
        let (index, foresight) = (index(&db, model, config), foresight(&db, model, config, None));
        Self { db, index, foresight }
    }

    /// The moments that fit best, into `scratch.best`; returns how many, and which candidates were looked at. What costs more
    /// than `max_cost` is left out. A clip that is over (`may_continue` is false) looks most like its own last
    /// moments: going back there would be a stutter. Only where there is nothing else may the jump be short.
    fn search(&self, update: &mut Update, may_continue: bool, max_cost: f32, rest_cost: f32) -> (usize, Candidates) {
        let (db, config) = (&*self.db, &update.character.config);
        let near_s = config.search.near_exclusion_s;
        let nears = [near_s.max(db.schema.horizon_s().1), near_s, 0.0];
        let nears = if may_continue { &nears[1..2] } else { &nears[..] };
        let scratch = &mut *update.scratch;
        let room = &mut scratch.best[..config.search.candidates];
        let (mut kept, mut looked_at) = (0, Candidates::default());
        for near_s in nears {
            looked_at = candidates(db, config, update.input, &update.state.header.playing, *near_s);
            let ask = SearchQuery {
                transition_cost: config.search.transition_cost,
                rest_cost,
                shown: &scratch.shown_rows,
                max_cost,
                candidates: looked_at,
                ..SearchQuery::new(&scratch.query, &update.character.resolved.shortlist_multipliers)
            };
            kept = self.index.search_moments(db, &ask, room);
            if kept > 0 {
                break;
            }
        }
        (kept, looked_at)
    }

    /// The row that plays, and what letting the clip play on costs by its features.
    fn continuing(&self, update: &mut Update, rest_cost: f32) -> Option<Match> {
        let db = &*self.db;
        let p = update.state.header.playing;
        let row = nearest_row(db, &p)?;
        update.continuing_features(db.features.row(row));
        let cost = self.cost_of_playing(update, &update.character.resolved.multipliers, row, rest_cost);
        let by_query = p.mirrored && db.mirror == MirrorMode::Query;
        Some(Match { row, mirrored: by_query, cost, continuing: true })
    }

    /// What letting the clip play on, at this row, costs by its features with these `[columns]` weights.
    fn cost_of_playing(&self, update: &Update, multipliers: &[f32], row: RowIndex, rest_cost: f32) -> f32 {
        let (db, scratch) = (&*self.db, &*update.scratch);
        let cost = row_cost(&scratch.query, multipliers, &scratch.continuing, &PlainColumns, &PerColumn(&db.residuals));
        // What is too far to be told stays a number, which is all that a search asks of it.
        (cost + SearchQuery::extra_cost_of_playing(db, row, rest_cost)).min(f32::MAX)
    }

    /// Of the best `kept` candidates by features the one that is best when the transition counts too, and its whole cost.
    fn best(&self, update: &mut Update, wanted: &Wanted, kept: usize) -> Option<(Match, f32)> {
        let db = &*self.db;
        if kept == 0 || update.character.config.search.candidates == 1 {
            return (kept == 1).then(|| update.scratch.best[0]).map(|m| (m, m.cost));
        }
        update.prepare_transition_costs(db);
        let ask = update.character.last_query(update.scratch)?;
        let mut best = (Match::default(), f32::INFINITY);
        for k in 0..kept {
            let Match { row, mirrored, .. } = update.scratch.best[k];
            if let Some(cost) = SearchIndex::row_cost(db, &ask, row, mirrored) {
                best = cheaper(update, db, wanted, Match { row, mirrored, cost, continuing: false }, best);
            }
        }
        // The moment is chosen; now the row of it, by the same costs.
        let found = best.0;
        for row in Moments::new(db).rows(found.row).map(RowIndex::new).filter(|row| *row != found.row) {
            if let Some(cost) = SearchIndex::row_cost(db, &ask, row, found.mirrored) {
                best = cheaper(update, db, wanted, Match { row, cost, ..found }, best);
            }
        }
        Some(best)
    }
}

/// The index for the weights that a configuration makes.
fn index(db: &Database, model: &Model, config: &MatcherConfig) -> Arc<SearchIndex> {
    Arc::new(SearchIndex::build_for(db, config.search.backend, &shortlist_multipliers(model, config)))
}

/// The table that a configuration asks for: `before`, if that was made for the same.
fn foresight(
    db: &Database,
    model: &Model,
    config: &MatcherConfig,
    before: Option<&Arc<Foresight>>,
) -> Option<Arc<Foresight>> {
    if config.search.foresight_cost == 0.0 || config.search.candidates == 1 {
        return None;
    }
    let spec = foreseen::spec(db, model, config);
    let same = before.filter(|table| *table.spec() == spec);
    Some(same.cloned().unwrap_or_else(|| Arc::new(Foresight::bake(db, spec))))
}

/// The cheaper of a candidate and the best one so far; the first of equals.
fn cheaper(update: &Update, db: &Database, wanted: &Wanted, to: Match, best: (Match, f32)) -> (Match, f32) {
    let cost = update.transition_cost(db, wanted, &to, best.1);
    if cost < best.1 { (to, cost) } else { best }
}

impl Chooser for Search {
    fn foresight(&self) -> Option<&Foresight> {
        self.foresight.as_deref()
    }

    fn for_config(&self, model: &Model, now: &MatcherConfig, next: &MatcherConfig) -> Option<Arc<dyn Chooser>> {
        let index = match next.search.backend == now.search.backend {
            true => self.index.clone(),
            false => index(&self.db, model, next),
        };
        let foresight = foresight(&self.db, model, next, self.foresight.as_ref());
        Some(Arc::new(Self { db: self.db.clone(), index, foresight }))
    }

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
        let tags = db.accepted(TagFilter::default());
        let candidates =
            Candidates { end_exclusion_rows: end_rows(db, &character.config), tags, ..Candidates::default() };
        let ask = SearchQuery { candidates, ..SearchQuery::new(&query, &multipliers) };
        let row = self.index.search(db, &ask).map_or(RowIndex(0), |m| m.row);
        playing_at(db, row, false)
    }

    fn enter(&self, update: &mut Update) -> Playing {
        let (db, character) = (&*self.db, update.character);
        update.query_of(true);
        let candidates = Candidates {
            end_exclusion_rows: end_rows(db, &character.config),
            tags: db.accepted(update.input.tags),
            ..Candidates::default()
        };
        let query = SearchQuery::new(&update.scratch.query, &character.resolved.multipliers);
        let found = self.index.search(db, &SearchQuery { candidates, ..query });
        found.map_or_else(|| self.rest(character), |m| playing_at(db, m.row, m.mirrored))
    }

    fn choose(&self, update: &mut Update, may_continue: bool) -> Choice {
        update.query();
        let config = &update.character.config.search;
        let db = &*self.db;
        let rest_cost = config.rest_cost * update.state.header.rests(&update.character.config);
        let continuing = if may_continue { self.continuing(update, rest_cost) } else { None };
        let accepted = db.accepted(update.input.tags);
        let allowed = continuing.filter(|c| accepted.allows(db.row_tags(c.row.at())));
        if allowed.is_some_and(|c| c.cost < config.keep_playing_within) {
            update.state.header.stranded = false;
            return Choice::Continue;
        }
        let wanted = update.wanted(self.foresight.as_deref());
        let playing_cost = allowed.map(|c| match config.candidates {
            1 => c.cost,
            _ => (c.cost + update.future_cost(db, &wanted, &c, &update.state.header.playing)).min(f32::MAX),
        });
        update.state.header.shown_rows(db, &mut update.scratch.shown_rows);
        // What fits worse than what plays is no choice, unless what plays is not allowed: then it counts whether there is one.
        let weights = &update.character.resolved.shortlist_multipliers;
        let max_cost = allowed.map_or(f32::INFINITY, |c| {
            let cost = self.cost_of_playing(update, weights, c.row, rest_cost);
            wanted.foresight.as_ref().map_or(cost, |foresight| (cost + foresight.cost(db, &c)).min(f32::MAX))
        });
        let (kept, candidates) = self.search(update, may_continue, max_cost, rest_cost);
        update.scratch.last = Some(LastSearch { found: continuing, continuing, jumped: false, candidates, rest_cost });
        update.state.header.stranded = allowed.is_none() && kept == 0;
        let found = self.best(update, &wanted, kept);
        let enough = |cost: f32| playing_cost.is_none_or(|playing| cost < playing * (1.0 - config.minimum_improvement));
        let jump = found.filter(|(_, cost)| enough(*cost)).map(|(m, _)| m);
        update.state.header.searches += 1;
        update.output.searches += 1;
        if let Some(last) = &mut update.scratch.last {
            (last.found, last.jumped) = (found.map(|(m, _)| m).or(continuing), jump.is_some());
        }
        jump.map_or(Choice::Continue, |m| Choice::Transition(playing_at(db, m.row, m.mirrored)))
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
        tags: db.accepted(input.tags),
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
    /// A character that plays clips of a database. Builds the search index, and the table of foresight where
    /// [`SearchConfig::foresight_cost`](super::SearchConfig) is above 0.
    ///
    /// # Errors
    /// Returns [`ConfigError`] if a setting is out of range, or names a channel or joint that the database does not have.
    pub fn new(database: Arc<Database>, config: MatcherConfig) -> Result<Self, ConfigError> {
        let model = Arc::new(Model::of(&database));
        config.validate_for(&model)?;
        let chooser = Arc::new(Search::new(database.clone(), &model, &config));
        let character = Self::from_parts(model, Arc::new(Clips(database.clone())), chooser, config)?;
        Ok(Self { database: Some(database), ..character })
    }

    /// The same character with other settings. Reuses the search index unless `search.backend` changes; it stays fastest for the
    /// weights that it was built with. Reuses the table of foresight unless speeds, weights of the pose or exclusions change.
    ///
    /// # Errors
    /// As [`Character::new`].
    pub fn with_config(&self, config: MatcherConfig) -> Result<Self, ConfigError> {
        config.validate_for(&self.model)?;
        let other = self.chooser.for_config(&self.model, &self.config, &config);
        let chooser = other.unwrap_or_else(|| self.chooser.clone());
        let (model, source) = (self.model.clone(), self.source.clone());
        Ok(Self { database: self.database.clone(), ..Self::from_parts(model, source, chooser, config)? })
    }

    /// The same character, searching its database by another index, such as one with forced instructions
    /// ([`Setting`](crate::search::structures::Setting)): for tests and measurements. `None` for networks.
    pub fn with_index(&self, index: SearchIndex) -> Option<Self> {
        let db = self.database.clone().filter(|db| db.content_hash() as u64 == self.model.hash)?;
        let foresight = foresight(&db, &self.model, &self.config, None);
        Some(Self { chooser: Arc::new(Search { db, index: Arc::new(index), foresight }), ..self.clone() })
    }

    /// The last search made with a scratch, as it was asked. `None` before the first.
    pub fn last_query<'a>(&'a self, scratch: &'a Scratch) -> Option<SearchQuery<'a>> {
        let last = scratch.last?;
        Some(SearchQuery {
            continuing: last.continuing,
            transition_cost: self.config.search.transition_cost,
            rest_cost: last.rest_cost,
            shown: &scratch.shown_rows,
            candidates: last.candidates,
            ..SearchQuery::new(&scratch.query, &self.resolved.multipliers)
        })
    }

    /// Takes the last search made with a scratch apart: the `k` best rows, and why each won or lost. Slow; allocates. `None`
    /// before the first search, and for a character without a database.
    pub fn explain(&self, scratch: &Scratch, k: usize) -> Option<Explanation> {
        let (last, ask) = (scratch.last?, self.last_query(scratch)?);
        let outcome = Outcome { winner: last.found, jumped: last.jumped };
        Some(Explanation::of(self.database()?, &ask, &scratch.continuing, outcome, k))
    }

    /// `[channels]` what the last search made with a scratch says that its choice costs, per channel; returns the whole cost.
    /// Allocates nothing. `None` before the first search, and for a character without a database: `out` is as it was.
    pub fn chosen_costs(&self, scratch: &Scratch, out: &mut [f32]) -> Option<f32> {
        let (last, ask, db) = (scratch.last?, self.last_query(scratch)?, self.database()?);
        let chosen = last.chosen()?;
        channel_costs(db, &ask, &chosen, &scratch.continuing, out);
        Some(chosen.cost)
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
