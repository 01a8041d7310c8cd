//! Comparison of the exact searches on the query sets of `footwork_metrics::query_sets`, with a check that they agree. To use
//! your own database:
//!
//! ```sh
//! FOOTWORK_DB=/path/to/mocap.fwdb cargo bench -p footwork --bench search_sets
//! ```
//!
//! Times are in microseconds. The time of each query is the median of three rounds over all queries.

#[path = "../tests/common/mod.rs"]
mod common;

use footwork::advanced::search::OwnedQuery;
use footwork::advanced::search::classics::{Setting, Touched};
use footwork::advanced::search::{Kernel, Match, SearchIndex, SearchQuery};
use footwork::database::{Database, DatabaseContent, TagSpan};
use footwork::frames::FrameIndex;
use footwork::matcher::Backend;
use footwork_metrics::query_sets::{QuerySet, queries};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const QUERIES: usize = 2000;
const ROUNDS: usize = 3;

struct Times {
    median: f64,
    mean: f64,
    p99: f64,
}

fn main() {
    let db = match std::env::var("FOOTWORK_DB") {
        Ok(path) => Arc::new(Database::load(std::path::Path::new(&path)).unwrap_or_else(|e| panic!("{e}"))),
        Err(_) => common::gait_full(),
    };
    let started = Instant::now();
    let tree = SearchIndex::build(&db, Backend::Tree);
    let build_ms = started.elapsed().as_secs_f64() * 1e3;
    let features = db.features.values.len();
    println!(
        "{} rows, {} columns; tree: {} bytes ({:.2} of f16 + f32 features), built in {build_ms:.0} ms",
        db.rows(),
        db.features.columns,
        tree.bytes(),
        tree.bytes() as f64 / (6 * features) as f64,
    );
    let boxes = SearchIndex::build(&db, Backend::Boxes);
    let mut indices = vec![("boxes".to_owned(), boxes)];
    for kernel in Kernel::ALL.into_iter().filter(|k| k.is_available()) {
        let tree = SearchIndex::build_with(&db, &Setting::Tree(kernel)).expect("available");
        indices.push((format!("tree {}", kernel.name()), tree));
    }
    // Searches in which only some rows may be entered: a tenth or a hundredth, in ranges of 100 frames or singly.
    let tagged = [("  a tag of 10 %", 1000, 100), ("  1 %, ranges", 10_000, 100), ("  1 %, scattered", 1, 0)].map(
        |(name, period, length)| {
            let db = tagged(&db, period, length);
            let indices = [Backend::Boxes, Backend::Tree].map(|backend| SearchIndex::build(&db, backend));
            (name, db, indices)
        },
    );
    for set in QuerySet::ALL {
        let queries = queries(&db, set, QUERIES, 1).unwrap_or_else(|e| panic!("{e}"));
        let (expected, boxes) = run(&db, &indices[0].1, &queries);
        let found = expected.iter().flatten().filter(|m| !m.continuing).count();
        print(set, &indices[0].0, &boxes, 1.0);
        for (name, index) in &indices[1..] {
            let (found, times) = run(&db, index, &queries);
            assert_eq!(found, expected, "{name} does not agree");
            print(set, name, &times, boxes.median / times.median);
        }
        // Each query has its own multipliers; the index is not rebuilt.
        let mut r = common::Random(2);
        let weighed: Vec<OwnedQuery> = queries.iter().map(|q| weighed(&db, q.clone(), &mut r)).collect();
        let (expected, boxes) = run(&db, &indices[0].1, &weighed);
        let (found_weighed, times) = run(&db, &indices[1].1, &weighed);
        assert_eq!(found_weighed, expected, "with multipliers");
        print(set, "  multipliers", &times, boxes.median / times.median);
        for (name, tagged, [boxes, tree]) in &tagged {
            let asked: Vec<OwnedQuery> = queries.iter().cloned().map(|q| under_the_tag(tagged, q)).collect();
            let (expected, boxes) = run(tagged, boxes, &asked);
            let (found, times) = run(tagged, tree, &asked);
            assert_eq!(found, expected, "{name} does not agree");
            print(set, name, &times, boxes.median / times.median);
            let (_, untagged) = run(tagged, tree, &queries);
            println!("    {:.2} of the time without tags", times.mean / untagged.mean);
        }
        for (name, by_row) in [("  all at once", false), ("  by what plays", true)] {
            println!("{} {name:15} mean {:8.2}", set.name(), many(&db, &indices[1].1, &queries, by_row));
        }
        let touched: Vec<Touched> = queries.iter().map(|q| indices[1].1.touched(&db, &q.ask())).collect();
        let mean = |of: fn(&Touched) -> usize| touched.iter().map(of).sum::<usize>() as f64 / QUERIES as f64;
        let (nodes, rows) = (mean(|t| t.nodes), mean(|t| t.rows));
        println!("    {found} of {QUERIES} jump; the tree bounds {nodes:.1} nodes and compares {rows:.1} rows");
    }
}

/// Returns the mean time of a search among many, in their order or in the order of the playing rows. Similar rows are close in
/// memory.
fn many(db: &Database, index: &SearchIndex, queries: &[OwnedQuery], by_row: bool) -> f64 {
    let mut asked: Vec<SearchQuery> = queries.iter().map(OwnedQuery::ask).collect();
    if by_row {
        asked.sort_by_key(|q| q.continuing.map(|playing| playing.row));
    }
    let mut found = vec![None; asked.len()];
    let mut rounds = [0.0; ROUNDS].map(|_: f64| {
        let started = Instant::now();
        index.search_many(db, black_box(&asked), &mut found);
        black_box(&found);
        started.elapsed().as_secs_f64() * 1e6 / asked.len() as f64
    });
    rounds.sort_by(f64::total_cmp);
    rounds[ROUNDS / 2]
}

/// Returns the query with multipliers from 0.5 to 2, which also apply to the playing row.
fn weighed(db: &Database, mut q: OwnedQuery, r: &mut common::Random) -> OwnedQuery {
    q.multipliers.iter_mut().for_each(|m| *m = r.between(0.5, 2.0));
    if let Some(playing) = &mut q.continuing {
        playing.cost = SearchQuery::new(&q.features, &q.multipliers).distance(db, playing.row, false);
    }
    q
}

/// Returns the database with a tag on `length` of every `period` frames; if `length` is 0, on a random hundredth of the frames.
fn tagged(db: &Database, period: usize, length: usize) -> Database {
    let mut content: DatabaseContent = (**db).clone();
    (content.tags, content.tag_spans) = (vec!["rare".to_owned()], Vec::new());
    let mut r = common::Random(3);
    for start in (0..db.frames().saturating_sub(length)).step_by(period) {
        if length > 0 || r.below(100) == 0 {
            let (start, end) = (FrameIndex::new(start), FrameIndex::new(start + length.max(1)));
            content.tag_spans.push(TagSpan { tag: 0, start, end });
        }
    }
    Database::new(content).unwrap_or_else(|e| panic!("{e}"))
}

fn under_the_tag(db: &Database, mut q: OwnedQuery) -> OwnedQuery {
    q.candidates.tags = db.accepted(&db.tag_query("rare").expect("the tag is there"));
    q
}

fn print(set: QuerySet, name: &str, times: &Times, ratio: f64) {
    let Times { median, mean, p99 } = times;
    println!("{} {name:15} median {median:8.2}  mean {mean:8.2}  p99 {p99:8.2}  ratio {ratio:5.1}", set.name());
}

fn run(db: &Database, index: &SearchIndex, queries: &[OwnedQuery]) -> (Vec<Option<Match>>, Times) {
    let mut rounds = vec![[0.0; ROUNDS]; queries.len()];
    let mut found = Vec::new();
    for round in 0..ROUNDS {
        found.clear();
        for (i, q) in queries.iter().enumerate() {
            let query = q.ask();
            let started = Instant::now();
            found.push(black_box(index.search(db, black_box(&query))));
            rounds[i][round] = started.elapsed().as_secs_f64() * 1e6;
        }
    }
    let mut times: Vec<f64> = rounds
        .iter_mut()
        .map(|r| {
            r.sort_by(f64::total_cmp);
            r[ROUNDS / 2]
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    (found, Times { median: times[times.len() / 2], mean, p99: times[times.len() * 99 / 100] })
}
