//! Explanation of a search: why a row was chosen, and another not.

use super::blocked::Blocked;
use super::candidates::Exclusion;
use super::cost::{ColumnCost, ColumnOrder, MirroredColumns, PerColumn, PlainColumns, row_cost};
use super::matched::Match;
use super::query::SearchQuery;
use crate::database::{Database, MirrorMode};
use crate::frames::{ClipIndex, RowIndex};
use serde::Serialize;

/// Outcome for a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The search returned it, and playback changed to it.
    Chosen,
    /// It was the playing row, and playback continued.
    Continued,
    /// The search returned it, but its improvement over the playing row was below the minimum.
    TooLittleBetter,
    /// Its features match better than those of the chosen row, by this cost, but the transition to it was worse (settings
    /// `search.discontinuity_cost`, `search.slide_cost`, `search.path_cost` and `search.foresight_cost`).
    HarderToReach(f32),
    /// Another row was cheaper by this cost.
    CostlierBy(f32),
    /// It was not a candidate.
    Excluded(Exclusion),
}

impl Verdict {
    /// Returns the verdict on a row that was not chosen; `margin` is its cost less that of the chosen row and may be negative.
    fn beside(margin: f32) -> Self {
        if margin < 0.0 { Self::HarderToReach(-margin) } else { Self::CostlierBy(margin) }
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Chosen => f.write_str("chosen"),
            Self::Continued => f.write_str("plays on"),
            Self::TooLittleBetter => f.write_str("best, but too little better than playing on"),
            Self::HarderToReach(margin) => write!(f, "fits better by {margin:.3}, but is harder to jump to"),
            Self::CostlierBy(margin) => write!(f, "lost by {margin:.3}"),
            Self::Excluded(why) => write!(f, "left out: {why}"),
        }
    }
}

/// One candidate of a past search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CandidateReport {
    /// Row of the feature matrix.
    pub row: RowIndex,
    /// Whether the row is mirrored.
    pub mirrored: bool,
    /// Name of its clip.
    pub clip: String,
    /// Time in the clip, seconds.
    pub time_s: f64,
    /// Cost: that of all channels, plus `beside` and `tags`.
    pub cost: f32,
    /// `[channels]` label and share of the cost.
    pub channels: Vec<(String, f32)>,
    /// The share for the transition, for the row itself, for unrest at rest, and for a path into obstacles.
    pub beside: f32,
    /// The share for the row's tags ([`MotionInput::tag_costs`](crate::input::MotionInput)); negative where they attract.
    pub tags: f32,
    /// Outcome for this candidate.
    pub verdict: Verdict,
}

/// Explanation of a past search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// Cheapest first: the best rows, whether candidates or not; the winner and the playing row are always included.
    pub candidates: Vec<CandidateReport>,
    /// Number of rows considered (mirrored ones counted again).
    pub rows: usize,
    /// Number of rows that each rule excluded.
    pub excluded: Vec<(Exclusion, usize)>,
}

/// Result of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Row that the search returned.
    pub winner: Option<Match>,
    /// True if playback changed to it.
    pub jumped: bool,
}

impl Explanation {
    /// Repeats a search slowly and keeps the `k` best rows. `playing` holds the `[columns]` features of the playing pose, which
    /// mostly lies between rows. Allocates: for tools, not for every frame.
    pub fn of(
        db: &Database,
        query: &SearchQuery,
        playing: &[f32],
        Outcome { winner, jumped }: Outcome,
        k: usize,
    ) -> Self {
        let mut seen: Vec<(f32, RowIndex, bool, Option<Exclusion>)> = Vec::new();
        let sides: &[bool] = if db.mirror == MirrorMode::Query { &[false, true] } else { &[false] };
        let mut excluded = Vec::new();
        for mirrored in sides.iter().copied() {
            for clip in 0..db.clips.len() {
                let playable = query.candidates.clip_rows(db, clip);
                for row in db.clips[clip].row_range() {
                    let why = if playable.contains(&row) {
                        query.candidates.exclusion(db, row, mirrored)
                    } else {
                        Some(Exclusion::EndOfClip)
                    };
                    let row = RowIndex::new(row);
                    let cost = cost_of(db, query, row, mirrored) + query.extra_cost(db, row.at(), mirrored);
                    let why = why.or((cost > query.max_cost).then_some(Exclusion::Cost));
                    if let Some(why) = why {
                        count(&mut excluded, why);
                    }
                    seen.push((cost, row, mirrored, why));
                }
            }
        }
        let rows = seen.len();
        let order = |a: &(f32, RowIndex, bool, Option<Exclusion>), b: &(f32, RowIndex, bool, Option<Exclusion>)| {
            a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)).then(a.1.cmp(&b.1))
        };
        seen.sort_by(order);
        let is =
            |m: Option<Match>, row: RowIndex, mirrored: bool| m.is_some_and(|m| m.row == row && m.mirrored == mirrored);
        let won = winner.filter(|w| !w.continuing);
        let mut candidates: Vec<CandidateReport> = seen
            .iter()
            .enumerate()
            .filter(|(i, (_, row, mirrored, _))| *i < k || is(won, *row, *mirrored))
            // The playing row is reported only once, as the playing one.
            .filter(|(_, (_, row, mirrored, _))| !is(query.continuing, *row, *mirrored))
            .map(|(_, (cost, row, mirrored, why))| {
                let verdict = match why {
                    _ if is(won, *row, *mirrored) && jumped => Verdict::Chosen,
                    _ if is(won, *row, *mirrored) => Verdict::TooLittleBetter,
                    Some(why) => Verdict::Excluded(*why),
                    None => Verdict::beside(cost - winner.map_or(*cost, |w| w.cost)),
                };
                let beside = query.extra_cost(db, row.at(), *mirrored) - query.tag_cost(db, row.at());
                report(db, query, stored_values(db, *row, *mirrored), (*row, *mirrored), (*cost, beside), verdict)
            })
            .collect();
        if let Some(c) = query.continuing {
            let verdict = match winner {
                Some(w) if jumped => Verdict::beside(c.cost - w.cost),
                _ => Verdict::Continued,
            };
            let at = candidates.partition_point(|other| other.cost < c.cost);
            let open = Blocked::default();
            let way = (query.blocked.unwrap_or(&open), playing);
            let cost = (c.cost, SearchQuery::extra_cost_of_playing(db, c.row, query.rest_cost, way));
            candidates.insert(at, report(db, query, playing.to_vec(), (c.row, c.mirrored), cost, verdict));
        }
        Self { candidates, rows, excluded }
    }
}

impl Explanation {
    /// Keeps the `k` best candidates and the playing row; with `excluded` also as many excluded rows of similar cost.
    pub fn keep_best(&mut self, k: usize, excluded: bool) {
        let (mut open, mut closed) = (0, 0);
        self.candidates.retain(|c| match c.verdict {
            Verdict::Excluded(_) => {
                closed += 1;
                excluded && open < k && closed <= k
            }
            Verdict::Continued => true,
            _ => {
                open += 1;
                open <= k
            }
        });
    }
}

fn count(excluded: &mut Vec<(Exclusion, usize)>, why: Exclusion) {
    match excluded.iter_mut().find(|e| e.0 == why) {
        Some(e) => e.1 += 1,
        None => excluded.push((why, 1)),
    }
}

pub(super) fn cost_of(db: &Database, query: &SearchQuery, row: RowIndex, mirrored: bool) -> f32 {
    let (values, costs) = (db.features.row(row), &PerColumn(&db.residuals));
    if mirrored && db.mirror == MirrorMode::Query {
        row_cost(query.features, query.multipliers, values, &MirroredColumns(&db.mirror_columns), costs)
    } else {
        row_cost(query.features, query.multipliers, values, &PlainColumns, costs)
    }
}

/// Returns the features of a row as compared with the query.
fn stored_values(db: &Database, row: RowIndex, mirrored: bool) -> Vec<f32> {
    let values = db.features.row(row);
    let by_query = mirrored && db.mirror == MirrorMode::Query;
    let value = |c: usize| {
        if by_query { MirroredColumns(&db.mirror_columns).value(values, c) } else { PlainColumns.value(values, c) }
    };
    (0..values.len()).map(value).collect()
}

/// Returns the share of a channel in the cost of a row whose features are `value`.
fn channel_cost(db: &Database, query: &SearchQuery, channel: usize, value: &dyn Fn(usize) -> f32) -> f32 {
    let columns = db.schema.channels[channel].columns.clone();
    columns.map(|c| PerColumn(&db.residuals).cost(c, query.features[c] - value(c), query.multipliers[c])).sum()
}

/// Writes the cost of a row per channel, `[channels]`; `playing` holds the features of the playing pose, for a match that
/// continues. Allocates nothing.
pub(crate) fn channel_costs(db: &Database, query: &SearchQuery, of: &Match, playing: &[f32], out: &mut [f32]) {
    let values = if of.continuing { playing } else { db.features.row(of.row) };
    let by_query = of.mirrored && !of.continuing && db.mirror == MirrorMode::Query;
    let value = |c: usize| match by_query {
        true => MirroredColumns(&db.mirror_columns).value(values, c),
        false => PlainColumns.value(values, c),
    };
    for (k, cost) in out.iter_mut().enumerate().take(db.schema.channels.len()) {
        *cost = channel_cost(db, query, k, &value);
    }
}

fn report(
    db: &Database,
    query: &SearchQuery,
    values: Vec<f32>,
    (row, mirrored): (RowIndex, bool),
    (cost, beside): (f32, f32),
    verdict: Verdict,
) -> CandidateReport {
    let labels = db.schema.channels.iter().enumerate();
    let channels = labels.map(|(k, ch)| (ch.label.clone(), channel_cost(db, query, k, &|c| values[c]))).collect();
    let clip: ClipIndex = db.row_clips[row.at()];
    CandidateReport {
        row,
        mirrored: mirrored || db.clips[clip.at()].mirrored,
        clip: db.clips[clip.at()].name.clone(),
        time_s: db.row_time_s(row),
        cost,
        channels,
        beside,
        tags: query.tag_cost(db, row.at()),
        verdict,
    }
}
