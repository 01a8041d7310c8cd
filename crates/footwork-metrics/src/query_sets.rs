//! Queries for measuring searches, made from a database. The same seed gives the same queries on every machine.
//!
//! Each query has a playing row with its cost, and the exclusions of a game at default settings. As in a game, the search
//! therefore starts with a good match.

use footwork::advanced::math::{Random, cos, sin};
use footwork::advanced::search::{Candidates, Match, OwnedQuery, SearchQuery};
use footwork::database::Database;
use footwork::frames::RowIndex;
use footwork::input::{Gait, MotionInput, Stick};
use footwork::matcher::{ConfigError, MatcherConfig, MotionMatcher, SearchConfig};
use glam::Vec2;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A kind of queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuerySet {
    /// Random rows, with noise of 0.3 standard deviations on the trajectory columns. The row itself is the playing row.
    A,
    /// Consecutive rows of a clip, whose trajectory is blended, with increasing weight, with that of another time of the same
    /// clip. The row itself is the playing row.
    B,
    /// Normal noise with the mean and standard deviation of each column: queries unlike any motion. A random row is the playing
    /// row.
    C,
    /// Queries of a character that follows a random stick, as in a game.
    D,
}

impl QuerySet {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::A, Self::B, Self::C, Self::D];

    /// Returns its name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
            Self::C => "c",
            Self::D => "d",
        }
    }
}

/// Returns `count` queries of a kind.
///
/// # Errors
/// Returns [`ConfigError`] for [`QuerySet::D`] if the schema has user columns, which only the game can fill.
pub fn queries(db: &Arc<Database>, set: QuerySet, count: usize, seed: u64) -> Result<Vec<OwnedQuery>, ConfigError> {
    let mut random = Random(seed);
    let spread = Spread::of(db);
    Ok(match set {
        QuerySet::A => (0..count).map(|_| perturbed(db, &spread, &mut random)).collect(),
        QuerySet::B => blended(db, count, &mut random),
        QuerySet::C => (0..count).map(|_| normal(db, &spread, &mut random)).collect(),
        QuerySet::D => played(db, &MatcherConfig::default(), count, seed)?,
    })
}

fn perturbed(db: &Database, spread: &Spread, random: &mut Random) -> OwnedQuery {
    let row = random.below(db.rows());
    let mut features = db.features.row(RowIndex::new(row)).to_vec();
    for c in trajectory_columns(db) {
        features[c] += 0.3 * spread.deviation[c] * random.normal();
    }
    while_playing(db, features, row)
}

fn blended(db: &Database, count: usize, random: &mut Random) -> Vec<OwnedQuery> {
    /// Number of queries over which the blend increases from a clip's own trajectory to the other one.
    const ROUND: usize = 60;
    let mut out = Vec::with_capacity(count);
    while out.len() < count {
        let clip = db.clips[db.row_clips[random.below(db.rows())].at()].row_range();
        let other = clip.start + random.below(clip.len());
        let start = clip.start + random.below(clip.len());
        for (i, row) in (start..clip.end).take(ROUND.min(count - out.len())).enumerate() {
            let mut features = db.features.row(RowIndex::new(row)).to_vec();
            let goal = db.features.row(RowIndex::new((other + i).min(clip.end - 1)));
            let share = (i + 1) as f32 / ROUND as f32;
            for c in trajectory_columns(db) {
                features[c] += share * (goal[c] - features[c]);
            }
            out.push(while_playing(db, features, row));
        }
    }
    out
}

fn normal(db: &Database, spread: &Spread, random: &mut Random) -> OwnedQuery {
    let features = (0..db.features.columns).map(|c| spread.mean[c] + spread.deviation[c] * random.normal()).collect();
    while_playing(db, features, random.below(db.rows()))
}

/// Returns queries of a character that follows a random stick, one per search.
///
/// # Errors
/// Returns [`ConfigError`] for invalid settings, and for a schema with user columns.
pub fn played(
    db: &Arc<Database>,
    config: &MatcherConfig,
    count: usize,
    seed: u64,
) -> Result<Vec<OwnedQuery>, ConfigError> {
    let user_values = || ConfigError { key: "queries".into(), what: "the schema has user columns to be filled".into() };
    let mut random = Random(seed);
    let mut character = MotionMatcher::new(db.clone(), config.clone())?;
    let mut out = Vec::with_capacity(count);
    let mut stick = Stick::default();
    let mut ticks_left = 0;
    while out.len() < count {
        if ticks_left == 0 {
            (stick, ticks_left) = (random_stick(&mut random), 20 + random.below(80));
        }
        ticks_left -= 1;
        let searches = character.state().header.choice.searches;
        character.update(&MotionInput::stick(stick), 1.0 / 60.0).map_err(|_| user_values())?;
        if let Some(query) = character.last_query().filter(|_| character.state().header.choice.searches > searches) {
            out.push(OwnedQuery::of(&query));
        }
    }
    Ok(out)
}

fn random_stick(random: &mut Random) -> Stick {
    if random.unit() < 0.15 {
        return Stick::default();
    }
    let (yaw, push) = (random.unit() * std::f32::consts::TAU, 0.3 + 0.7 * random.unit());
    let gait = if random.unit() < 0.5 { Gait::Run } else { Gait::Walk };
    let strafe = random.unit() < 0.25;
    Stick { movement: Vec2::new(sin(yaw), cos(yaw)) * push, gait, strafe, ..Stick::default() }
}

/// Returns the query of a character whose playing row is this one.
fn while_playing(db: &Database, features: Vec<f32>, row: usize) -> OwnedQuery {
    let search = SearchConfig::default();
    let rows_of = |seconds: f32| (seconds * db.search_rate_hz).round() as usize;
    let (clip, near) = (db.clips[db.row_clips[row].at()].row_range(), rows_of(search.near_exclusion_s));
    let multipliers = vec![1.0; db.features.columns];
    let index = RowIndex::new(row);
    let cost = SearchQuery::new(&features, &multipliers).distance(db, index, false);
    OwnedQuery {
        features,
        multipliers,
        continuing: Some(Match { row: index, mirrored: false, cost, continuing: true }),
        transition_cost: search.transition_cost,
        max_cost: f32::INFINITY,
        candidates: Candidates {
            end_exclusion_rows: rows_of(search.end_exclusion_s),
            near: [(row.saturating_sub(near).max(clip.start), (row + near + 1).min(clip.end)), (0, 0)],
            ..Candidates::default()
        },
    }
}

fn trajectory_columns(db: &Database) -> impl Iterator<Item = usize> {
    db.schema.channels.iter().filter(|c| c.kind.is_trajectory()).flat_map(|c| c.columns.clone())
}

/// Mean and standard deviation of each column.
struct Spread {
    mean: Vec<f32>,
    deviation: Vec<f32>,
}

impl Spread {
    fn of(db: &Database) -> Self {
        let of_column = |c: usize| {
            let values = || db.features.values.iter().skip(c).step_by(db.features.columns).map(|v| f64::from(*v));
            let n = db.rows() as f64;
            let mean = values().sum::<f64>() / n;
            let variance = values().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
            (mean as f32, variance.sqrt() as f32)
        };
        let (mean, deviation) = (0..db.features.columns).map(of_column).unzip();
        Self { mean, deviation }
    }
}
