//! Cost of a frame of 1/60 s with a thousand characters that each search ten times a second, on one core, and the share of the
//! searches. To use your own database:
//!
//! ```sh
//! FOOTWORK_DB=/path/to/mocap.fwdb cargo bench -p footwork --bench crowd
//! ```
//!
//! Search times are measured by repeating the characters' queries frame by frame: a sixth of the characters in each frame.

#[path = "../tests/common/mod.rs"]
mod common;

use footwork::advanced::search::OwnedQuery;
use footwork::advanced::search::SearchIndex;
use footwork::advanced::search::SearchQuery;
use footwork::database::Database;
use footwork::input::MotionInput;
use footwork::matcher::Character;
use footwork::matcher::Crowd;
use footwork::matcher::{MatcherConfig, MatcherState, Output, SearchScheduler, step};
use footwork::math::Transform;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const CHARACTERS: usize = 1000;
const DT_S: f32 = 1.0 / 60.0;
/// Ten searches per second are one search in six frames.
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

/// Returns the search time of each frame, in milliseconds.
fn searches(db: &Arc<Database>) -> Vec<f64> {
    let asked: Vec<Vec<OwnedQuery>> = (0..CHARACTERS).map(|i| asked(db, i)).collect();
    let index = SearchIndex::build(db, MatcherConfig::default().search.backend);
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

/// Returns the queries of one character.
fn asked(db: &Arc<Database>, player: usize) -> Vec<OwnedQuery> {
    let character = Character::new(db.clone(), MatcherConfig::default()).expect("a character");
    let mut states = [character.state_at(Transform::IDENTITY).expect("a state")];
    let (mut scratch, mut outputs) = (character.scratch(), [character.output()]);
    let mut asked = Vec::new();
    for k in 0..FRAMES {
        let input = [common::random_stick(player as u64, k as f64 / 60.0)];
        step(&character, &input, DT_S, &mut states, &mut scratch, &mut outputs).expect("a step");
        if outputs[0].searches > 0 {
            asked.extend(character.last_query(&scratch).as_ref().map(OwnedQuery::of));
        }
    }
    asked
}

/// Returns the time of each frame (prediction, search, playback, blending), in milliseconds.
fn frames(db: &Arc<Database>) -> Vec<f64> {
    let character = Character::new(db.clone(), MatcherConfig::default()).expect("a character");
    let first = character.state_at(Transform::IDENTITY).expect("a state");
    let mut states: Vec<MatcherState> = vec![first; CHARACTERS];
    let mut outputs: Vec<Output> = (0..CHARACTERS).map(|_| character.output()).collect();
    let mut scratch = character.scratch();
    let mut scheduler = SearchScheduler::new(CHARACTERS, CHARACTERS.div_ceil(TURNS));
    let significance = vec![1.0; CHARACTERS];
    let mut frame = |k: usize| {
        let input = |i| common::random_stick(i as u64, k as f64 / 60.0);
        let inputs: Vec<MotionInput> = (0..CHARACTERS).map(input).collect();
        let started = Instant::now();
        let (states, outputs) = (&mut states, &mut outputs);
        let crowd = Crowd { states, scratch: &mut scratch, outputs };
        scheduler.step(&character, &inputs, &significance, DT_S, crowd).expect("a step");
        started.elapsed().as_secs_f64() * 1e3
    };
    // The first second is skipped: it distributes the first searches of the crowd over the frames.
    (0..60 + FRAMES).map(&mut frame).skip(60).collect()
}
