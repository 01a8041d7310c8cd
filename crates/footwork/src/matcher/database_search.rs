//! The search chooser: picks the row with the lowest cost of features and transition.

use super::character::{Character, Choice, Chooser, Update};
use super::config::MatcherConfig;
use super::foreseen::{self, Wanted};
use super::model::Model;
use super::playing::Playing;
use super::scratch::LastSearch;
use super::source::{nearest_row, wrapped_s};
use super::weights::shortlist_multipliers;
use crate::database::{AcceptedTags, Database, MirrorMode, TagQuery};
use crate::foresight::Foresight;
use crate::frames::RowIndex;
use crate::schema::ChannelKind;
use crate::search::moments::Moments;
use crate::search::{Ahead, Candidates, Match, PerColumn, PlainColumns, SearchIndex, SearchQuery, row_cost};
use std::sync::Arc;

/// Limits of a search, beside the query.
#[derive(Clone, Copy)]
struct Ask {
    /// False if the playing clip is over.
    may_continue: bool,
    max_cost: f32,
    rest_cost: f32,
    /// Accepts only rows that lead to certain tags in time, instead of rows with accepted tags.
    ahead: Option<Ahead>,
}

/// Searches a database.
#[derive(Debug)]
pub(super) struct Search {
    pub db: Arc<Database>,
    pub index: Arc<SearchIndex>,
    /// `None` if `search.foresight_cost` is 0 or only one candidate is compared.
    pub foresight: Option<Arc<Foresight>>,
}

impl Search {
    /// Builds index and foresight table for these settings.
    pub fn new(db: Arc<Database>, model: &Model, config: &MatcherConfig) -> Self {
        let (index, foresight) = (index(&db, model, config), foresight(&db, model, config, None));
        Self { db, index, foresight }
    }

    /// Writes the best candidates to `scratch.best`, one for each segment of a tenth of a second. Returns their number and the
    /// candidates that were searched. Rows that cost more than `max_cost` are left out.
    /// A clip that is over (`may_continue` is false) resembles its own last frames most, and a transition to these would be a
    /// stutter. The search therefore excludes the neighbourhood of the playing time up to the horizon, and reduces the exclusion
    /// only if it finds nothing.
    fn search(&self, update: &mut Update, ask: &Ask) -> (usize, Candidates) {
        let Ask { may_continue, max_cost, rest_cost, ahead } = *ask;
        let (db, config) = (&*self.db, &update.character.config);
        let weights = update.character.weights_of(update.state);
        let near_s = config.search.near_exclusion_s;
        let nears = [near_s.max(db.schema.horizon_s().1), near_s, 0.0];
        let nears = if may_continue { &nears[1..2] } else { &nears[..] };
        let tags = if ahead.is_some() { AcceptedTags::default() } else { update.accepted(db) };
        let scratch = &mut *update.scratch;
        let room = &mut scratch.best[..config.search.candidates];
        let (mut kept, mut looked_at) = (0, Candidates::default());
        for near_s in nears {
            looked_at = Candidates { ahead, ..candidates(db, config, tags, &update.state.header.playing, *near_s) };
            let ask = SearchQuery {
                transition_cost: config.search.transition_cost,
                tag_costs: Some(&scratch.tag_costs),
                rest_cost,
                shown: &scratch.shown_rows,
                max_cost,
                candidates: looked_at,
                ..SearchQuery::new(&scratch.query, &update.character.weights(weights).shortlist)
            };
            kept = self.index.search_moments(db, &ask, room);
            if kept > 0 {
                break;
            }
        }
        (kept, looked_at)
    }

    /// Returns the playing row and the cost of continuing; `None` if the clip has no rows.
    fn continuing(&self, update: &mut Update, rest_cost: f32) -> Option<Match> {
        let db = &*self.db;
        let p = update.state.header.playing;
        let row = nearest_row(db, &p)?;
        update.continuing_features(db.features.row(row));
        let weights = update.character.weights(update.character.weights_of(update.state));
        let cost = self.cost_of_playing(update, &weights.multipliers, row, rest_cost);
        let by_query = p.mirrored && db.mirror == MirrorMode::Query;
        Some(Match { row, mirrored: by_query, cost, continuing: true })
    }

    /// Returns the cost of continuing at this row (features, rest, tags) with these `[columns]` weights.
    fn cost_of_playing(&self, update: &Update, multipliers: &[f32], row: RowIndex, rest_cost: f32) -> f32 {
        let (db, scratch) = (&*self.db, &*update.scratch);
        let cost = row_cost(&scratch.query, multipliers, &scratch.continuing, &PlainColumns, &PerColumn(&db.residuals));
        let beside = SearchQuery::extra_cost_of_playing(db, row, rest_cost) + scratch.tag_costs.of_row(db, row.at());
        // A search needs a finite cost.
        (cost + beside).min(f32::MAX)
    }

    /// Returns the best of the first `kept` candidates with the cost of the transition included, and its total cost.
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
        if best.1 == f32::INFINITY {
            return None;
        }
        // The best segment is known. Compare the rows within it by the same costs.
        let found = best.0;
        for row in Moments::new(db).rows(found.row).map(RowIndex::new).filter(|row| *row != found.row) {
            if let Some(cost) = SearchIndex::row_cost(db, &ask, row, found.mirrored) {
                best = cheaper(update, db, wanted, Match { row, cost, ..found }, best);
            }
        }
        Some(best)
    }
}

/// Builds the index for the shortlist weights of a configuration.
fn index(db: &Database, model: &Model, config: &MatcherConfig) -> Arc<SearchIndex> {
    Arc::new(SearchIndex::build_for(db, config.search.backend, &shortlist_multipliers(model, config)))
}

/// Returns the foresight table of a configuration: `before`, if it has the same specification. `None` if the settings use none.
pub(super) fn foresight(
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

/// Returns the cheaper of a candidate and the best one so far; on a tie, the best one so far.
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

    /// Returns the row whose trajectory moves least.
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
        let tags = db.accepted(&TagQuery::default());
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
            tags: update.accepted(db),
            ..Candidates::default()
        };
        update.scratch.tag_costs.set(db, update.input.tag_costs);
        let tag_costs = Some(&update.scratch.tag_costs);
        let multipliers = &character.weights(character.weights_of(update.state)).multipliers;
        let query = SearchQuery::new(&update.scratch.query, multipliers);
        let found = self.index.search(db, &SearchQuery { tag_costs, candidates, ..query });
        found.map_or_else(|| self.rest(character), |m| playing_at(db, m.row, m.mirrored))
    }

    fn choose(&self, update: &mut Update, may_continue: bool) -> Choice {
        update.query();
        let config = &update.character.config.search;
        let db = &*self.db;
        update.scratch.tag_costs.set(db, update.input.tag_costs);
        let rest_cost = config.rest_cost * update.state.header.rests(&update.character.config);
        let continuing = if may_continue { self.continuing(update, rest_cost) } else { None };
        let accepted = update.accepted(db);
        let most = config.max_cost.unwrap_or(f32::INFINITY);
        let ahead = update.ahead(db);
        let leads = |c: &Match| ahead.is_some_and(|(_, on_the_way)| on_the_way.holds(db, c.row.at()));
        let on_the_way = continuing.is_some_and(|c| leads(&c));
        let allowed = continuing.filter(|c| (on_the_way || db.accepts(&accepted, c.row.at())) && c.cost <= most);
        // Tags may lower costs below 0: compare with the lowest cost of tags.
        if allowed.is_some_and(|c| c.cost - update.scratch.tag_costs.least() < config.keep_playing_within) {
            update.state.header.stranded = false;
            return Choice::Continue;
        }
        let wanted = update.wanted(self.foresight.as_deref());
        let playing_cost = allowed.map(|c| match config.candidates {
            1 => c.cost,
            _ => (c.cost + update.future_cost(db, &wanted, &c, &update.state.header.playing)).min(f32::MAX),
        });
        update.state.header.shown_rows(db, &mut update.scratch.shown_rows);
        // A candidate must cost less than continuing. If continuing is not allowed, candidates have no limit.
        let which = update.character.weights_of(update.state);
        let weights = &update.character.weights(which).shortlist;
        let max_cost = allowed.map_or(f32::INFINITY, |c| {
            let cost = self.cost_of_playing(update, weights, c.row, rest_cost);
            wanted.foresight.as_ref().map_or(cost, |foresight| (cost + foresight.cost(db, &c)).min(f32::MAX))
        });
        // With several candidates, `best` applies the limit `most`, by the plain feature weights.
        let max_cost = if config.candidates == 1 { max_cost.min(most) } else { max_cost };
        let ask = Ask { may_continue, max_cost, rest_cost, ahead: None };
        // Rows that lead to the later tags (`input.later`) in time go first. If the playing row leads there, too, a candidate
        // must cost less than it.
        let way = ahead.map(|(wanted, _)| Ask { ahead: Some(wanted), ..ask });
        let way = way.map(|way| if on_the_way { way } else { Ask { max_cost: f32::INFINITY, ..way } });
        let found_way = way.map(|way| self.search(update, &way)).filter(|(kept, _)| on_the_way || *kept > 0);
        let (allowed, playing_cost) = match (&found_way, on_the_way) {
            (Some(_), false) => (None, None),
            _ => (allowed, playing_cost),
        };
        let (kept, candidates) = found_way.unwrap_or_else(|| self.search(update, &ask));
        update.scratch.last =
            Some(LastSearch { found: continuing, continuing, jumped: false, candidates, rest_cost, weights: which });
        let found = self.best(update, &wanted, kept);
        update.state.header.stranded = allowed.is_none() && found.is_none();
        let enough = |cost: f32| playing_cost.is_none_or(|playing| config.is_enough(cost, playing));
        let jump = found.filter(|(_, cost)| enough(*cost)).map(|(m, _)| m);
        update.state.header.searches += 1;
        update.output.searches += 1;
        if let Some(last) = &mut update.scratch.last {
            (last.found, last.jumped) = (found.map(|(m, _)| m).or(continuing), jump.is_some());
        }
        jump.map_or(Choice::Continue, |m| Choice::Transition(playing_at(db, m.row, m.mirrored)))
    }
}

/// Maximum and minimum time by which a candidate reaches the later tags early, in seconds. Rows and play rates are not exact, and
/// a clip that arrives late would need another transition.
const EARLY_S: [f32; 2] = [0.12, 0.03];
/// Tolerance, early or late, of a playing clip that leads to the later tags, in seconds.
const OFF_S: f32 = 0.2;

impl Update<'_> {
    /// Returns the rows that lead to the later tags in time, and those that still count as leading there while they play. `None`
    /// without later tags, when their time has come, and when it is further away than the longest clip.
    fn ahead(&self, db: &Database) -> Option<(Ahead, Ahead)> {
        let later = self.input.later?;
        let left_s = (later.at_s - self.state.header.time_s) as f32;
        if !(left_s > 0.0 && left_s < db.longest_clip_s()) {
            return None;
        }
        let tags = db.accepted(&later.tags);
        let rows = |seconds: f32| (seconds.max(0.0) * db.search_rate_hz).round() as usize;
        let within = |early_s: f32, late_s: f32| Ahead {
            tags,
            not_yet_rows: rows(left_s - early_s),
            then_rows: rows(left_s + late_s).max(1),
        };
        Some((within(EARLY_S[0], -EARLY_S[1]), within(OFF_S, OFF_S)))
    }
}

/// Returns the clip and time of a row.
pub(super) fn playing_at(db: &Database, row: RowIndex, mirrored: bool) -> Playing {
    let clip = db.row_clips[row.at()];
    Playing { clip, mirrored: mirrored || db.clips[clip.at()].mirrored, time_s: db.row_time_s(row) }
}

fn end_rows(db: &Database, config: &MatcherConfig) -> usize {
    (config.search.end_exclusion_s * db.search_rate_hz).round() as usize
}

pub(super) fn candidates(
    db: &Database,
    config: &MatcherConfig,
    tags: AcceptedTags,
    p: &Playing,
    near_s: f32,
) -> Candidates {
    Candidates {
        end_exclusion_rows: end_rows(db, config),
        near: near_rows(db, p, near_s),
        near_mirrored: p.mirrored && db.mirror == MirrorMode::Query,
        tags,
        ahead: None,
    }
}

/// Returns the rows within `seconds` of the playing time. In a loop the range may wrap around.
fn near_rows(db: &Database, p: &Playing, seconds: f32) -> [(usize, usize); 2] {
    // A clip index beyond the database's clips has no rows.
    let Some(clip) = db.clips.get(p.clip.at()) else { return [(0, 0); 2] };
    let rows = clip.row_range();
    let n = rows.len();
    let rate = f64::from(db.search_rate_hz);
    let (middle, reach) = (wrapped_s(db, p) * rate, f64::from(seconds) * rate);
    let low = (middle - reach).ceil() as i64;
    let high = (middle + reach).floor() as i64 + 1;
    let clamp = |i: i64| rows.start + i.clamp(0, n as i64) as usize;
    let inside = (clamp(low), clamp(high));
    if !clip.looping() {
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
