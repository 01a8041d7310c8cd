//! Cost biases by tags, and the maximum cost of a match.

use crate::common;

use common::random_stick;
use footwork::advanced::database::TagCosts;
use footwork::build::{BuildConfig, ClipRule, TagSpec};
use footwork::database::{Database, TagCost};
use footwork::input::MotionInput;
use footwork::matcher::{MatcherConfig, MotionMatcher, SearchConfig};
use std::sync::Arc;

const DT_S: f32 = 1.0 / 60.0;

/// Returns the built-in clips; half of them have the tag `tired`.
fn tired() -> Arc<Database> {
    let tag = |pattern: &str| ClipRule {
        name: pattern.into(),
        tags: vec![TagSpec { name: "tired".into(), start_s: Some(0.25), end_s: None }],
        ..ClipRule::default()
    };
    let config = BuildConfig { clips: vec![tag("*_left*"), tag("walk_*")], ..BuildConfig::default() };
    Arc::new(common::built(common::clips(), &config).0)
}

fn matcher(db: &Arc<Database>, search: SearchConfig) -> MotionMatcher {
    MotionMatcher::new(db.clone(), MatcherConfig { search, ..MatcherConfig::default() }).unwrap()
}

/// Returns the share of a minute of a random stick in which tagged motion plays, at this cost bias.
fn share(db: &Arc<Database>, cost: f32, candidates: usize) -> f32 {
    let tags = db.tag_query("tired").unwrap();
    let mut m = matcher(db, SearchConfig { candidates, ..SearchConfig::default() });
    let mut played = 0;
    for k in 0..3600u32 {
        let tag_costs = &[TagCost { tags, cost }];
        m.update(&MotionInput { tag_costs, ..random_stick(6, f64::from(k) / 60.0) }, DT_S).unwrap();
        let is_tired = |row: usize| db.tag_names(*db.row_tags(row)).any(|tag| tag == "tired");
        played += u32::from(db.tag_names(m.character().tags(m.state())).any(|tag| tag == "tired"));
        if k % 300 == 0 && m.output().searches > 0 {
            for c in m.explain(6).unwrap().candidates {
                assert_eq!(c.tags, if is_tired(c.row.at()) { cost } else { 0.0 }, "{c:?}");
                let sum: f32 = c.channels.iter().map(|c| c.1).sum::<f32>() + c.beside + c.tags;
                assert!((sum - c.cost).abs() < 1e-3 * c.cost.abs().max(1.0), "{sum} {c:?}");
            }
        }
    }
    played as f32 / 3600.0
}

#[test]
fn costs_of_tags_draw_and_repel() {
    let db = tired();
    for candidates in [1, 24] {
        let [drawn, plain, repelled] = [-6.0, 0.0, 6.0].map(|cost| share(&db, cost, candidates));
        println!("candidates {candidates}: {drawn:.2} {plain:.2} {repelled:.2}");
        assert!(drawn > plain + 0.1 && plain > repelled + 0.1, "{candidates}: {drawn} {plain} {repelled}");
    }
}

#[test]
fn costs_that_cost_nothing_change_nothing() {
    let db = tired();
    let query = |text| db.tag_query(text).unwrap();
    let none = [TagCost { tags: query("tired"), cost: 0.0 }, TagCost { tags: query("tired & !tired"), cost: 5.0 }];
    let run = |tag_costs: &[TagCost]| {
        let mut m = matcher(&db, SearchConfig::default());
        for k in 0..600u32 {
            m.update(&MotionInput { tag_costs, ..random_stick(2, f64::from(k) / 60.0) }, DT_S).unwrap();
        }
        common::bits(m.state())
    };
    assert_eq!(run(&none), run(&[]));
    let every = TagCosts::of(&db, &none);
    assert!((0..db.rows()).all(|row| every.of_row(&db, row) == 0.0));
}

#[test]
fn what_costs_more_than_the_limit_is_not_played() {
    let db = tired();
    for candidates in [1, 24] {
        let run = |max_cost: Option<f32>| {
            let mut m = matcher(&db, SearchConfig { max_cost, candidates, ..SearchConfig::default() });
            let (mut jumps, mut stranded) = (Vec::new(), 0);
            for k in 0..1800u32 {
                m.update(&random_stick(4, f64::from(k) / 60.0), DT_S).unwrap();
                stranded += u32::from(m.output().stranded);
                let last = m.last_search().filter(|_| m.output().transitions > 0);
                jumps.extend(last.and_then(|last| last.found).map(|found| found.cost));
            }
            (common::bits(m.state()), jumps, stranded)
        };
        let (bits, mut jumps, stranded) = run(None);
        assert_eq!(stranded, 0);
        assert_eq!(run(Some(1e6)).0, bits);
        jumps.sort_by(f32::total_cmp);
        let limit = jumps[jumps.len() / 2];
        let (_, limited, stranded) = run(Some(limit));
        assert!(limited.iter().all(|cost| *cost <= limit), "{limit} {limited:?}");
        assert!(stranded > 0 && !limited.is_empty(), "candidates {candidates}: {stranded} {}", limited.len());
        let (_, jumps, stranded) = run(Some(0.0));
        assert!(jumps.is_empty() && stranded > 1000, "candidates {candidates}: {} {stranded}", jumps.len());
    }
}
