//! A thousand characters that each search ten times a second, on one core: what a frame of 1/60 s costs, and how much of it
//! is search. On a database of your own:
//!
//! ```sh
//! FOOTWORK_DB=/path/to/mocap.fwdb cargo bench -p footwork --bench crowd
//! ```
//!
//! Searches are timed by asking again, frame by frame, what the characters asked: a sixth of them in each frame.

#[path = "../tests/common/mod.rs"]
mod common;

use footwork::database::Database;
use footwork::matcher::{MatcherConfig, MatcherState, MotionMatcher, Output, Scratch, SearchScheduler, step};
use footwork::search::SearchQuery;
use footwork::search::query_sets::RecordedQuery;
use footwork::trajectory::MotionInput;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const CHARACTERS: usize = 1000;
const DT_S: f32 = 1.0 / 60.0;
/// Ten searches a second are one in six frames.
const TURNS: usize = 6;
const FRAMES: usize = 360;

fn main() {
    let db = match std::env::var("FOOTWORK_DB") {
        Ok(path) => Arc::new(Database::load(std::path::Path::new(&path)).unwrap_or_else(|e| panic!("{e}"))),
        Err(_) => common::gait_full(),
    };
    println!("{} rows, {CHARACTERS} characters at 10 searches a second", db.rows());
    print("searches", &searches(&db));
    print("everything", &frames(&db));
}

fn print(what: &str, ms: &[f64]) {
    let mut sorted = ms.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mean = ms.iter().sum::<f64>() / ms.len() as f64;
    let (median, p99) = (sorted[ms.len() / 2], sorted[ms.len() * 99 / 100]);
    println!("{what:10} ms per frame: median {median:.3}  mean {mean:.3}  p99 {p99:.3}");
}

/// Milliseconds of search in each frame.
fn searches(db: &Arc<Database>) -> Vec<f64> {
    let asked: Vec<Vec<RecordedQuery>> = (0..CHARACTERS).map(|i| asked(db, i)).collect();
    let index = db.search_index(MatcherConfig::default().search.backend);
    let mut found = vec![None; CHARACTERS];
    let frame = |k: usize| {
        let turn = asked.iter().skip(k % TURNS).step_by(TURNS);
        let queries: Vec<SearchQuery> = turn.map(|queries| queries[k / TURNS % queries.len()].ask()).collect();
        let started = Instant::now();
        index.search_many(db, black_box(&queries), &mut found);
        black_box(&found);
        started.elapsed().as_secs_f64() * 1e3
    };
    (0..FRAMES).map(frame).collect()
}

/// What one character asks.
fn asked(db: &Arc<Database>, character: usize) -> Vec<RecordedQuery> {
    let mut states = [MotionMatcher::new(db.clone(), MatcherConfig::default()).expect("a character").state().clone()];
    let (mut scratch, mut outputs) = (Scratch::new(db), [Output::new(db)]);
    let mut asked = Vec::new();
    for k in 0..FRAMES {
        let input = [common::random_stick(character as u64, k as f64 / 60.0)];
        step(db, &MatcherConfig::default(), &input, DT_S, &mut states, &mut scratch, &mut outputs).expect("a step");
        if outputs[0].searches > 0 {
            asked.extend(scratch.last_ask().as_ref().map(RecordedQuery::of));
        }
    }
    asked
}

/// Milliseconds of each frame: prediction, search, playback, blending.
fn frames(db: &Arc<Database>) -> Vec<f64> {
    let config = MatcherConfig::default();
    let first = MotionMatcher::new(db.clone(), config.clone()).expect("a character").state().clone();
    let mut states: Vec<MatcherState> = vec![first; CHARACTERS];
    let mut outputs: Vec<Output> = (0..CHARACTERS).map(|_| Output::new(db)).collect();
    let mut scratch = Scratch::new(db);
    let mut scheduler = SearchScheduler::new(CHARACTERS, CHARACTERS.div_ceil(TURNS));
    let significance = vec![1.0; CHARACTERS];
    let mut frame = |k: usize| {
        let input = |i| common::random_stick(i as u64, k as f64 / 60.0);
        let inputs: Vec<MotionInput> = (0..CHARACTERS).map(input).collect();
        let started = Instant::now();
        let (states, outputs) = (&mut states, &mut outputs);
        scheduler.step(db, &config, &inputs, &significance, DT_S, states, &mut scratch, outputs).expect("a step");
        started.elapsed().as_secs_f64() * 1e3
    };
    // The first second sorts the crowd: nobody has searched yet.
    (0..60 + FRAMES).map(&mut frame).skip(60).collect()
}
