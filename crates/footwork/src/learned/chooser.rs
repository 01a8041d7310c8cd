//! Choice of transitions by projector.

use super::decompression::DecompressionScratch;
use super::networks::Networks;
use super::source::{Decompressed, begin, correction};
use crate::database::Database;
use crate::frames::ClipIndex;
use crate::matcher::character::{Character, Choose};
use crate::matcher::character::{Choice, Chooser};
use crate::matcher::model::Model;
use crate::matcher::stage::cost::discontinuity_cost;
use crate::matcher::weights::shortlist_multipliers;
use crate::matcher::{LastSearch, MatcherConfig, Playing};
use crate::schema::ChannelKind;
use crate::search::{Candidates, SearchIndex, SearchQuery};
use std::sync::Arc;

/// Chooser that projects queries onto the motion of the networks.
#[derive(Debug)]
pub(super) struct Projection {
    networks: Arc<Networks>,
    source: Arc<Decompressed>,
    exact: Option<ExactSearch>,
}

/// Exact search, used if the projector's result is not trusted.
#[derive(Debug)]
pub(super) struct ExactSearch {
    pub db: Arc<Database>,
    pub index: SearchIndex,
    /// `[rows x latents]`.
    pub latents: Vec<f32>,
}

/// Share of the difference between the playing code and the projector's result that each step corrects: four tenths of it
/// until the next search. Where the difference is longer than the distance of a transition, the share is taken of that
/// distance.
const CORRECTION: f32 = 0.15;
/// Clip index of all motion of networks, which have no clips.
const MOTION: ClipIndex = ClipIndex(0);

impl Projection {
    pub fn new(networks: Arc<Networks>, source: Arc<Decompressed>, exact: Option<ExactSearch>) -> Self {
        Self { networks, source, exact }
    }

    /// Writes the code that fits the query into the room's `found`. Returns true if exact search was used.
    fn project(&self, at: &mut Choose) -> bool {
        let Some(room) = at.scratch.source.of::<DecompressionScratch>() else { return false };
        let query = &at.scratch.query;
        let multipliers = &at.character.weights(0).shortlist;
        self.networks.project(query, &mut room.found, &mut room.networks);
        let trusted = self.networks.calibration.trusted_distance;
        let Some(exact) = self.exact.as_ref().filter(|_| distance(query, &room.found) > trusted) else { return false };
        let (db, config) = (&*exact.db, at.character.config());
        let end_exclusion_rows = (config.search.end_exclusion_s * db.search_rate_hz).round() as usize;
        let candidates = Candidates { end_exclusion_rows, tags: db.accepted(&at.input.tags), ..Candidates::default() };
        at.scratch.tag_costs.set(db, at.input.tag_costs);
        let ask = SearchQuery {
            tag_costs: Some(&at.scratch.tag_costs),
            candidates,
            ..SearchQuery::new(&at.scratch.query, multipliers)
        };
        let Some(found) = exact.index.search(db, &ask) else { return false };
        let latents = self.networks.latents();
        let (features, rest) = room.found.split_at_mut(db.features.columns);
        features.copy_from_slice(db.features.row(found.row));
        rest.copy_from_slice(&exact.latents[found.row.at() * latents..][..latents]);
        true
    }

    /// Stores the code that was found in `scratch.memory`.
    fn remember(&self, at: &mut Choose) {
        let scratch = &mut *at.scratch;
        let Some(room) = scratch.source.of::<DecompressionScratch>() else { return };
        begin(&self.networks, &room.found, &mut scratch.memory, &mut room.networks);
    }

    /// Corrects the next steps towards the code that was found, so that they stay near the data.
    fn correct(&self, at: &mut Choose, share: f32) {
        let layout = at.character.layout();
        let Some(room) = at.scratch.source.of::<DecompressionScratch>() else { return };
        let by = correction(&mut at.state.block[layout.memory.clone()], room.now.len());
        for ((by, now), found) in by.iter_mut().zip(&room.now).zip(&room.found) {
            *by = share * (found - now);
        }
    }

    /// Writes the accelerations of the playing code into the query, because those of the displayed pose are unknown.
    fn take_accelerations(&self, at: &mut Choose) {
        let Some(room) = at.scratch.source.of::<DecompressionScratch>() else { return };
        for c in &self.networks.character().schema.channels {
            if let ChannelKind::JointAcceleration(_) = c.kind {
                at.scratch.query[c.columns.clone()].copy_from_slice(&room.now[c.columns.clone()]);
            }
        }
    }
}

/// Returns the weights for the training of a projector, `[columns]`: those of default settings, with an approximation of
/// the cost that [`SearchConfig::path_cost`](crate::matcher::SearchConfig) adds for the path.
pub fn choice_weights(db: &Database) -> Vec<f32> {
    shortlist_multipliers(&Model::of(db), &MatcherConfig::default())
}

/// Returns the distance between features. Values beyond the shorter slice are ignored.
fn distance(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
}

/// Returns the cost of features for a query.
fn cost(query: &[f32], multipliers: &[f32], features: &[f32]) -> f32 {
    let columns = query.iter().zip(multipliers).zip(features);
    columns.map(|((q, m), x)| ((q - x) * m) * ((q - x) * m)).sum()
}

impl Chooser for Projection {
    fn rest(&self, _character: &Character) -> Playing {
        Playing { clip: MOTION, mirrored: false, time_s: 0.0 }
    }

    fn enter(&self, at: &mut Choose) -> Playing {
        at.query().run_with(true);
        self.source.note_code(at.character, at.state, at.scratch);
        self.take_accelerations(at);
        self.project(at);
        self.remember(at);
        self.rest(at.character)
    }

    fn choose(&self, at: &mut Choose, _may_continue: bool) -> Choice {
        at.query().run();
        self.source.note_code(at.character, at.state, at.scratch);
        self.take_accelerations(at);
        let exact = self.project(at);
        at.output.searches += 1;
        at.output.exact_searches += u32::from(exact);
        let (character, h) = (at.character, &mut at.state.header);
        h.choice.searches += 1;
        h.choice.stranded = false;
        let Some(room) = at.scratch.source.of::<DecompressionScratch>() else { return Choice::Continue };
        let (calibration, search) = (&self.networks.calibration, &character.config().search);
        let (query, multipliers) = (&at.scratch.query, &character.weights(0).shortlist);
        let [now, found] = [&room.now, &room.found].map(|code| cost(query, multipliers, code));
        let enough = now * (1.0 - search.minimum_improvement);
        let apart = distance(&room.now[..query.len()], &room.found);
        let other = apart >= calibration.transition_distance;
        let overdue = h.transition.since_s >= calibration.longest_step_s;
        let next = Playing { clip: MOTION, mirrored: false, time_s: h.clock.since_control_s() };
        let may = (found < enough && now >= search.keep_playing_within && other) || overdue;
        if may {
            self.remember(at);
        }
        let jumped = may && (overdue || found + discontinuity_cost(character, at.state, at.scratch, next) < enough);
        let Some(room) = at.scratch.source.of::<DecompressionScratch>() else { return Choice::Continue };
        let columns = at.scratch.query.len();
        at.scratch.continuing.copy_from_slice(&room.now[..columns]);
        at.scratch.last = self.exact.as_ref().map(|exact| LastSearch {
            found: None,
            continuing: None,
            jumped,
            candidates: Candidates { tags: exact.db.accepted(&at.input.tags), ..Candidates::default() },
            rest_cost: 0.0,
            weights: 0,
        });
        if !jumped {
            self.correct(at, CORRECTION * (calibration.transition_distance / apart).min(1.0));
            return Choice::Continue;
        }
        Choice::Transition(next)
    }
}
