//! The search chooser: picks the row with the lowest cost of features and transition.

use super::character::{Character, Choose};
use super::character::{Choice, Chooser};
use super::config::MatcherConfig;
use super::model::Model;
use super::playing::Playing;
use super::scratch::{LastSearch, Scratch};
use super::source::{nearest_row, playing_at, wrapped_s};
use super::stage::cost::Costs;
use super::stage::foreseen::{self, Wanted};
use super::stage::predict::around;
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
    fn search(&self, at: &mut Choose, ask: &Ask) -> (usize, Candidates) {
        let Ask { may_continue, max_cost, rest_cost, ahead } = *ask;
        let (db, config) = (&*self.db, &at.character.config);
        let weights = at.character.weights_of(at.state);
        let near_s = config.search.near_exclusion_s;
        let nears = [near_s.max(db.schema.horizon_s().1), near_s, 0.0];
        let nears = if may_continue { &nears[1..2] } else { &nears[..] };
        let tags = if ahead.is_some() { AcceptedTags::default() } else { at.accepted(db) };
        let scratch = &mut *at.scratch;
        let room = &mut scratch.best[..config.search.candidates];
        let (mut kept, mut looked_at) = (0, Candidates::default());
        for near_s in nears {
            looked_at =
                Candidates { ahead, ..candidates(db, config, tags, &at.state.header.playback.playing, *near_s) };
            let ask = SearchQuery {
                transition_cost: config.search.transition_cost,
                tag_costs: Some(&scratch.tag_costs),
                rest_cost,
                shown: &scratch.shown_rows,
                blocked: Some(&scratch.blocked).filter(|blocked| !blocked.is_empty()),
                max_cost,
                candidates: looked_at,
                ..SearchQuery::new(&scratch.query, &at.character.weights(weights).shortlist)
            };
            kept = self.index.search_moments(db, &ask, room);
            if kept > 0 {
                break;
            }
        }
        (kept, looked_at)
    }

    /// Returns the playing row and the cost of continuing; `None` if the clip has no rows.
    fn continuing(&self, at: &mut Choose, rest_cost: f32) -> Option<Match> {
        let db = &*self.db;
        let p = at.state.header.playback.playing;
        let row = nearest_row(db, &p)?;
        at.query().continuing(db.features.row(row));
        let weights = at.character.weights(at.character.weights_of(at.state));
        let cost = self.cost_of_playing(at, &weights.multipliers, row, rest_cost);
        let by_query = p.mirrored && db.mirror == MirrorMode::Query;
        Some(Match { row, mirrored: by_query, cost, continuing: true })
    }

    /// Returns the cost of continuing at this row (features, rest, tags) with these `[columns]` weights.
    fn cost_of_playing(&self, at: &Choose, multipliers: &[f32], row: RowIndex, rest_cost: f32) -> f32 {
        let (db, scratch) = (&*self.db, &*at.scratch);
        let cost = row_cost(&scratch.query, multipliers, &scratch.continuing, &PlainColumns, &PerColumn(&db.residuals));
        let way = (&scratch.blocked, &scratch.continuing[..]);
        let beside =
            SearchQuery::extra_cost_of_playing(db, row, rest_cost, way) + scratch.tag_costs.of_row(db, row.at());
        // A search needs a finite cost.
        (cost + beside).min(f32::MAX)
    }

    /// Returns the best of the first `kept` candidates with the cost of the transition included, and its total cost.
    fn best(&self, at: &mut Choose, wanted: &Wanted, kept: usize) -> Option<(Match, f32)> {
        let db = &*self.db;
        if kept == 0 || at.character.config.search.candidates == 1 {
            return (kept == 1).then(|| at.scratch.best[0]).map(|m| (m, m.cost));
        }
        at.write_shown_bodies(db);
        let (at, character) = (&*at, at.character);
        let ask = character.last_query(at.scratch)?;
        let costs = Costs { character, body: at.state.header.commanded(), db, wanted };
        let mut best = (Match::default(), f32::INFINITY);
        // The rows are spread over memory: a few are loaded while another is compared.
        let found = &at.scratch.best[..kept];
        found.iter().for_each(|found| costs.prefetch_roots(found.row));
        for (k, Match { row, mirrored, .. }) in found.iter().copied().enumerate() {
            if let Some(later) = found.get(k + 2) {
                costs.prefetch_body(later.row);
            }
            if let Some(cost) = SearchIndex::row_cost(db, &ask, row, mirrored) {
                best = cheaper(&costs, at.scratch, Match { row, mirrored, cost, continuing: false }, best);
            }
        }
        if best.1 == f32::INFINITY {
            return None;
        }
        // The best segment is known. Compare the rows within it by the same costs.
        let found = best.0;
        for row in Moments::new(db).rows(found.row).map(RowIndex::new).filter(|row| *row != found.row) {
            if let Some(cost) = SearchIndex::row_cost(db, &ask, row, found.mirrored) {
                best = cheaper(&costs, at.scratch, Match { row, cost, ..found }, best);
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
fn cheaper(costs: &Costs, scratch: &Scratch, to: Match, best: (Match, f32)) -> (Match, f32) {
    let cost = costs.transition(scratch, &to, best.1);
    if cost < best.1 { (to, cost) } else { best }
}

impl Chooser for Search {
    fn index(&self) -> Option<&Arc<SearchIndex>> {
        Some(&self.index)
    }

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

    fn enter(&self, at: &mut Choose) -> Playing {
        let (db, character) = (&*self.db, at.character);
        at.query().run_with(true);
        let candidates = Candidates {
            end_exclusion_rows: end_rows(db, &character.config),
            tags: at.accepted(db),
            ..Candidates::default()
        };
        at.scratch.tag_costs.set(db, at.input.tag_costs);
        let tag_costs = Some(&at.scratch.tag_costs);
        let multipliers = &character.weights(character.weights_of(at.state)).multipliers;
        let query = SearchQuery::new(&at.scratch.query, multipliers);
        let found = self.index.search(db, &SearchQuery { tag_costs, candidates, ..query });
        found.map_or_else(|| self.rest(character), |m| playing_at(db, m.row, m.mirrored))
    }

    fn choose(&self, at: &mut Choose, may_continue: bool) -> Choice {
        at.query().run();
        let config = &at.character.config.search;
        let db = &*self.db;
        at.scratch.tag_costs.set(db, at.input.tag_costs);
        let root = at.state.header.shown_root(&at.character.config.transition);
        at.scratch.blocked.set(db, around(at.character, at.input, at.state), root);
        let rest_cost = config.rest_cost * at.state.header.commanded().rests(&at.character.config);
        let continuing = if may_continue { self.continuing(at, rest_cost) } else { None };
        let accepted = at.accepted(db);
        let most = config.max_cost.unwrap_or(f32::INFINITY);
        let ahead = at.ahead(db);
        let leads = |c: &Match| ahead.is_some_and(|(_, on_the_way)| on_the_way.holds(db, c.row.at()));
        let on_the_way = continuing.is_some_and(|c| leads(&c));
        let allowed = continuing.filter(|c| (on_the_way || db.accepts(&accepted, c.row.at())) && c.cost <= most);
        // Tags may lower costs below 0: compare with the lowest cost of tags.
        if allowed.is_some_and(|c| c.cost - at.scratch.tag_costs.least() < config.keep_playing_within) {
            at.state.header.choice.stranded = false;
            return Choice::Continue;
        }
        let wanted = at.wanted(self.foresight.as_deref());
        let playing_cost = allowed.map(|c| match config.candidates {
            1 => c.cost,
            _ => {
                let header = &at.state.header;
                let costs = Costs { character: at.character, body: header.commanded(), db, wanted: &wanted };
                (c.cost + costs.future(&c, &header.playback.playing)).min(f32::MAX)
            }
        });
        let now_s = at.state.header.clock.time_s;
        at.state.header.playback.shown_rows(db, now_s, &mut at.scratch.shown_rows);
        // A candidate must cost less than continuing. If continuing is not allowed, candidates have no limit.
        let which = at.character.weights_of(at.state);
        let weights = &at.character.weights(which).shortlist;
        let max_cost = allowed.map_or(f32::INFINITY, |c| {
            let cost = self.cost_of_playing(at, weights, c.row, rest_cost);
            wanted.foresight.as_ref().map_or(cost, |foresight| (cost + foresight.cost(db, &c)).min(f32::MAX))
        });
        // With several candidates, `best` applies the limit `most`, by the plain feature weights.
        let max_cost = if config.candidates == 1 { max_cost.min(most) } else { max_cost };
        let ask = Ask { may_continue, max_cost, rest_cost, ahead: None };
        // Rows that lead to the later tags (`input.later`) in time go first. If the playing row leads there, too, a candidate
        // must cost less than it.
        let way = ahead.map(|(wanted, _)| Ask { ahead: Some(wanted), ..ask });
        let way = way.map(|way| if on_the_way { way } else { Ask { max_cost: f32::INFINITY, ..way } });
        let found_way = way.map(|way| self.search(at, &way)).filter(|(kept, _)| on_the_way || *kept > 0);
        let (allowed, playing_cost) = match (&found_way, on_the_way) {
            (Some(_), false) => (None, None),
            _ => (allowed, playing_cost),
        };
        let (kept, candidates) = found_way.unwrap_or_else(|| self.search(at, &ask));
        at.scratch.last =
            Some(LastSearch { found: continuing, continuing, jumped: false, candidates, rest_cost, weights: which });
        let found = self.best(at, &wanted, kept);
        at.state.header.choice.stranded = allowed.is_none() && found.is_none();
        let enough = |cost: f32| playing_cost.is_none_or(|playing| config.is_enough(cost, playing));
        let jump = found.filter(|(_, cost)| enough(*cost)).map(|(m, _)| m);
        at.state.header.choice.searches += 1;
        at.output.searches += 1;
        if let Some(last) = &mut at.scratch.last {
            (last.found, last.jumped) = (found.map(|(m, _)| m).or(continuing), jump.is_some());
        }
        jump.map_or(Choice::Continue, |m| Choice::Transition(playing_at(db, m.row, m.mirrored)))
    }
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
