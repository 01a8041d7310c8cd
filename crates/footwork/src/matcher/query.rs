//! From a character's state to a query, from a query to a decision.

use super::config::{MatcherConfig, QueryPose};
use super::play;
use super::scratch::{LastSearch, Scratch};
use super::seam;
use super::state::{MatcherState, Playing};
use crate::database::{Database, MirrorMode};
use crate::frames::{ClipIndex, RowIndex};
use crate::schema::TrajectorySample;
use crate::search::query_sets::RecordedQuery;
use crate::search::{Candidates, Match, PerColumn, PlainColumns, SearchQuery, row_cost};
use crate::trajectory::predict::Prediction;
use crate::trajectory::{Goal, MotionInput};

/// The moment at which a character at rest starts: the entry row whose trajectory moves least.
pub fn resting(db: &Database, config: &MatcherConfig) -> Playing {
    let mut query: Vec<f32> = vec![0.0; db.features.columns];
    let mut multipliers = vec![0.0; db.features.columns];
    for c in db.schema.channels.iter().filter(|c| c.kind.is_trajectory()) {
        multipliers[c.columns.clone()].fill(1.0);
        if let crate::schema::ChannelKind::TrajectoryFacing(_) = c.kind {
            query[c.columns.clone()].chunks_exact_mut(2).for_each(|v| v.copy_from_slice(&[0.0, 1.0]));
        }
    }
    db.features.normalize(&mut query);
    let candidates = Candidates { end_exclusion_rows: end_rows(db, config), ..Candidates::default() };
    let ask = SearchQuery { candidates, ..SearchQuery::new(&query, &multipliers) };
    let row = db.search_index(config.search.backend).search(db, &ask).map_or(RowIndex(0), |m| m.row);
    playing_at(db, row, false)
}

/// Playback from a row.
pub fn playing_at(db: &Database, row: RowIndex, mirrored: bool) -> Playing {
    let clip = db.row_clips[row.at()];
    Playing { clip, mirrored: mirrored || db.clips[clip.at()].mirrored, time_s: db.row_time_s(row) }
}

fn end_rows(db: &Database, config: &MatcherConfig) -> usize {
    (config.search.end_exclusion_s * db.search_rate_hz).round() as usize
}

/// Asks and decides; `may_continue` is false where the playing clip is over. Returns where to jump, if anywhere. Where what
/// plays fits so well that nothing is searched, `scratch` holds no search afterwards.
pub fn search(
    db: &Database,
    config: &MatcherConfig,
    input: &MotionInput,
    state: &mut MatcherState,
    scratch: &mut Scratch,
    may_continue: bool,
) -> Option<Playing> {
    if config.search.query_pose == QueryPose::Shown {
        play::shown_body(db, config, state, scratch);
    }
    gather(db, config, input, state, scratch);
    db.schema.extract(&scratch.buffers.source(), &mut scratch.query);
    db.features.normalize(&mut scratch.query);
    config.multipliers(db, &mut scratch.multipliers);
    let continuing = may_continue.then(|| continuing(db, config, state, scratch)).flatten();
    state.header.searched_velocity = state.header.desired.velocity;
    state.header.searched_facing = state.header.desired.facing;
    if continuing.is_some_and(|c| c.cost < config.search.keep_playing_within) {
        scratch.last = None;
        return None;
    }
    let near_s = config.search.near_exclusion_s;
    let ask = |near_s: f32| SearchQuery {
        continuing,
        transition_cost: config.search.transition_cost,
        candidates: candidates(db, config, input, &state.header.playing, near_s),
        ..SearchQuery::new(&scratch.query, &scratch.multipliers)
    };
    let index = db.search_index(config.search.backend);
    let mut ask_now = ask(near_s);
    let mut kept = 0;
    if may_continue {
        kept = index.search_k(db, &ask_now, &mut scratch.best[..config.search.candidates]);
    } else {
        // A clip that is over looks most like its own last moments: going back there would be a stutter. Only where there
        // is nothing else may the jump be short.
        for near_s in [near_s.max(db.schema.horizon_s().1), near_s, 0.0] {
            ask_now = ask(near_s);
            kept = index.search_k(db, &ask_now, &mut scratch.best[..config.search.candidates]);
            if kept > 0 {
                break;
            }
        }
    }
    let candidates = ask_now.candidates;
    let jump = choose(db, config, input, state, scratch, kept, continuing);
    let found = jump.map(|(m, _)| m);
    let jump = jump.filter(|(_, jumps)| *jumps).map(|(m, _)| m);
    state.header.searches += 1;
    scratch.last = Some(LastSearch {
        found,
        continuing_cost: continuing.map(|c| c.cost),
        jumped: jump.is_some(),
        candidates,
        continuing,
        transition_cost: config.search.transition_cost,
    });
    jump.map(|m| playing_at(db, m.row, m.mirrored))
}

/// Of the best `kept` rows by features the one that is best when the jump counts too, and whether it is worth a jump.
fn choose(
    db: &Database,
    config: &MatcherConfig,
    input: &MotionInput,
    state: &MatcherState,
    scratch: &mut Scratch,
    kept: usize,
    continuing: Option<Match>,
) -> Option<(Match, bool)> {
    if config.search.candidates > 1 {
        seam::add_costs(db, config, input, state, scratch, kept);
    } else {
        scratch.whole_costs[0] = scratch.best[0].cost;
    }
    let costed = || scratch.best[..kept].iter().zip(&scratch.whole_costs);
    // The first of equals: what search prefers.
    let (best, cost) = costed().reduce(|a, b| if b.1 < a.1 { b } else { a })?;
    let enough = |playing: f32| *cost < playing * (1.0 - config.search.minimum_improvement);
    let playing = match config.search.candidates {
        1 => continuing.map(|c| c.cost),
        // What plays and is not among the best has lost.
        _ => costed().find(|(m, _)| m.continuing).map(|(_, cost)| *cost),
    };
    Some((*best, !best.continuing && playing.is_none_or(enough)))
}

/// Body from the playing clip, trajectory from prediction and history, contacts and user values.
fn gather(db: &Database, config: &MatcherConfig, input: &MotionInput, state: &mut MatcherState, scratch: &mut Scratch) {
    let p = state.header.playing;
    let view = db.view(p.clip, p.mirrored);
    let b = &mut scratch.buffers;
    b.gather_body(&view, p.time_s, db.schema.needs_accelerations);
    if config.search.query_pose == QueryPose::Shown {
        b.gather_pose(&db.skeleton, &scratch.shown.pose, &scratch.shown.velocity);
    }
    db.contacts_at(p.clip, p.mirrored, p.time_s, &mut b.contacts);
    b.user.copy_from_slice(input.user);
    let root = state.header.shown_root(&config.transition);
    prediction(config, input, state).run(&db.schema.times_s, &mut b.trajectory);
    if matches!(input.goal, Goal::None) {
        for (s, t) in b.trajectory.iter_mut().zip(&db.schema.times_s).filter(|(_, t)| **t > 0.0) {
            let (position, facing, velocity) = view.trajectory(p.time_s, *t);
            *s = blend(*s, TrajectorySample { position, facing, velocity }, config.unsteered_clip_blend);
        }
    }
    let now_s = state.header.time_s;
    let history = state.history(&scratch.layout);
    for (s, t) in b.trajectory.iter_mut().zip(&db.schema.times_s).filter(|(_, t)| **t < 0.0) {
        *s = history.look_back(root, now_s, -t);
    }
}

/// The look ahead of a character, seen from where its root is shown.
pub fn prediction<'a>(config: &'a MatcherConfig, input: &'a MotionInput<'a>, state: &MatcherState) -> Prediction<'a> {
    Prediction {
        input,
        simulation: state.header.simulation,
        desired: state.header.desired,
        progress: state.header.path,
        speeds: &config.speeds,
        config: &config.simulation,
        prediction: &config.prediction,
        world_from_root: state.header.shown_root(&config.transition),
    }
}

fn blend(a: TrajectorySample, b: TrajectorySample, t: f32) -> TrajectorySample {
    TrajectorySample {
        position: a.position + (b.position - a.position) * t,
        facing: a.facing.turned(a.facing.angle_to(b.facing) * t),
        velocity: a.velocity + (b.velocity - a.velocity) * t,
    }
}

/// What a character would ask that plays exactly this row and wants these (normalised) features: exclusions, weights and
/// costs as in a game. For tools; allocates.
pub fn query_at_row(
    db: &Database,
    config: &MatcherConfig,
    input: &MotionInput,
    row: RowIndex,
    features: Vec<f32>,
) -> RecordedQuery {
    let mut multipliers = vec![1.0; db.features.columns];
    config.multipliers(db, &mut multipliers);
    // The clip's own row, seen as it is stored.
    let playing = Playing { clip: db.row_clips[row.at()], mirrored: false, time_s: db.row_time_s(row) };
    let costs = &PerColumn(&db.residuals);
    let cost = row_cost(&features, &multipliers, db.features.row(row), &PlainColumns, costs);
    RecordedQuery {
        continuing: Some(Match { row, mirrored: false, cost, continuing: true }),
        transition_cost: config.search.transition_cost,
        candidates: candidates(db, config, input, &playing, config.search.near_exclusion_s),
        features,
        multipliers,
    }
}

/// What letting the clip play on costs: where its own body was asked for that fits exactly, and only its trajectory (and user
/// values) can differ.
fn continuing(db: &Database, config: &MatcherConfig, state: &MatcherState, scratch: &mut Scratch) -> Option<Match> {
    let p = state.header.playing;
    let view = db.view(p.clip, p.mirrored);
    let row = nearest_row(db, &p)?;
    // Trajectory and user values of the query give way to the clip's; the body is still the same, or was that which is shown.
    if config.search.query_pose == QueryPose::Shown {
        scratch.buffers.gather_body(&view, p.time_s, db.schema.needs_accelerations);
    }
    std::mem::swap(&mut scratch.buffers.trajectory, &mut scratch.clip_trajectory);
    scratch.buffers.gather_trajectory(&view, p.time_s, &db.schema.times_s);
    db.schema.extract(&scratch.buffers.source(), &mut scratch.continuing);
    std::mem::swap(&mut scratch.buffers.trajectory, &mut scratch.clip_trajectory);
    db.features.normalize(&mut scratch.continuing);
    let stored = db.features.row(row);
    for c in &db.schema.channels {
        if let crate::schema::ChannelKind::User(_) = c.kind {
            scratch.continuing[c.columns.clone()].copy_from_slice(&stored[c.columns.clone()]);
        }
    }
    let costs = &PerColumn(&db.residuals);
    // What is too far to be told stays a number, which is all that a search asks of it.
    let cost = row_cost(&scratch.query, &scratch.multipliers, &scratch.continuing, &PlainColumns, costs).min(f32::MAX);
    let by_query = p.mirrored && db.mirror == MirrorMode::Query;
    Some(Match { row, mirrored: by_query, cost, continuing: true })
}

/// The row nearest to a time of a clip; `None` for a clip without rows.
pub(super) fn nearest_row(db: &Database, p: &Playing) -> Option<RowIndex> {
    let clip = &db.clips[p.clip.at()];
    let rows = clip.row_range();
    if rows.is_empty() {
        return None;
    }
    let index = (wrapped_s(db, p) * f64::from(db.search_rate_hz)).round() as usize;
    Some(RowIndex::new(rows.start + index.min(rows.len() - 1)))
}

/// Time within the clip, rounds of a loop taken off.
fn wrapped_s(db: &Database, p: &Playing) -> f64 {
    let view = db.view(p.clip, false);
    if db.clips[p.clip.at()].looping() { p.time_s.rem_euclid(view.seconds()) } else { p.time_s.max(0.0) }
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
    let seam = if low < 0 {
        (clamp(n as i64 + low), rows.end)
    } else if high > n as i64 {
        (rows.start, clamp(high - n as i64))
    } else {
        (0, 0)
    };
    [inside, seam]
}

/// The clip a playing moment belongs to is over when less than this is left, seconds.
pub fn is_over(db: &Database, p: &Playing, within_s: f64) -> bool {
    let clip: ClipIndex = p.clip;
    !db.clips[clip.at()].looping() && p.time_s + within_s >= db.view(clip, false).seconds()
}
