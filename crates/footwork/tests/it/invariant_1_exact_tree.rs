//! Invariant 1 for the tree, under the conditions of a running game: with every kernel it returns the best row and the k best
//! rows of the definition, to the bit.

use crate::common;

use common::cases::{Case, Data, Question, all_bits, bits, by_definition, cases};
use common::{Random, tiny};
use footwork::advanced::database::TagCosts;
use footwork::advanced::search::classics::Setting;
use footwork::advanced::search::{Kernel, Match, QueryError, SearchIndex, SearchQuery};
use footwork::database::{Database, MirrorMode, RowFlags, TagCost};
use footwork::matcher::Backend;
use footwork::schema::{ChannelSpec, ChannelType, Residual};
use footwork_metrics::query_sets::{QuerySet, queries};
use proptest::prelude::*;

/// Returns the multipliers for which one of the trees is built: some are 0, some equal, some far apart.
fn weights(db: &Database) -> Vec<f32> {
    let mut r = Random(db.rows() as u64);
    (0..db.features.columns).map(|_| r.pick(&[0.0, 1.0, 1.0, 0.3, -2.5, 40.0])).collect()
}

/// Returns every structure under test.
fn structures(db: &Database) -> Vec<(String, SearchIndex)> {
    let mut all = vec![("brute".to_owned(), SearchIndex::build(db, Backend::Brute))];
    all.push(("boxes".to_owned(), SearchIndex::build(db, Backend::Boxes)));
    for kernel in Kernel::ALL.into_iter().filter(|k| k.is_available()) {
        let tree = SearchIndex::build_with(db, &Setting::Tree(kernel)).unwrap();
        all.push((format!("tree, {}", kernel.name()), tree));
    }
    all.push(("weighted tree".to_owned(), SearchIndex::build_for(db, Backend::Tree, &weights(db))));
    all
}

/// Compares all structures with the definition, for the best row and the k best. Returns the best.
fn check(db: &Database, all: &[(String, SearchIndex)], query: &SearchQuery, k: usize) -> Option<Match> {
    assert_eq!(query.validate(db), Ok(()));
    let mut expected = by_definition(db, query);
    let best = expected.first().copied();
    expected.truncate(k);
    let mut room = vec![Match::default(); k];
    for (name, index) in all {
        assert_eq!(index.search(db, query).map(bits), best.map(bits), "{name}");
        let found = index.search_k(db, query, &mut room);
        assert_eq!(all_bits(room[..found].to_vec()), all_bits(expected.clone()), "{name}: the {k} best");
    }
    check_moments(db, all, query, k);
    best
}

/// Compares the best rows of segments with those of a sorted list of all candidates. The playing row belongs to no segment.
fn check_moments(db: &Database, all: &[(String, SearchIndex)], query: &SearchQuery, k: usize) {
    let length = ((0.1 * db.search_rate_hz).round() as usize).max(1);
    let segment = |m: &Match| {
        let clip = db.row_clips[m.row.at()];
        (clip, m.mirrored, (m.row.at() - db.clips[clip.at()].row_range().start) / length)
    };
    let mut seen = std::collections::BTreeSet::new();
    let mut expected = by_definition(db, query);
    expected.retain(|m| m.continuing || seen.insert(segment(m)));
    for k in [k, 24] {
        let mut room = vec![Match::default(); k];
        for (name, index) in all {
            let found = index.search_moments(db, query, &mut room);
            let expected = expected[..expected.len().min(k)].to_vec();
            assert_eq!(all_bits(room[..found].to_vec()), all_bits(expected), "{name}: the {k} best moments");
        }
    }
}

fn check_case(case: &Case, questions: usize) {
    let mut r = Random(case.seed);
    let db = Database::new(case.content(&mut r)).unwrap();
    let all = structures(&db);
    for _ in 0..questions {
        let q = Question::draw(&db, case.data, &mut r);
        let k = r.pick(&[0, 1, 2, 7, 40, 1000]);
        check(&db, &all, &SearchQuery { multipliers: &weights(&db), ..q.ask() }, k);
        let Some(best) = check(&db, &all, &q.ask(), k) else { continue };
        // The maximum cost includes the best row, or just excludes it.
        for max_cost in [best.cost, best.cost.next_down()] {
            let limited = SearchQuery { max_cost, ..q.ask() };
            assert_eq!(check(&db, &all, &limited, k).is_some(), max_cost == best.cost);
        }
        for cost in [best.cost, best.cost.next_up(), r.between(0.0, 4.0)] {
            if let Some(q) = q.while_playing(&db, cost, &mut r) {
                check(&db, &all, &q.ask(), k);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn small_databases_around_the_sizes_of_leaves(case in cases(&[1, 2, 15, 16, 17, 63, 255, 257], &[0, 1, 2, 3])) {
        check_case(&case, 6);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn trees_of_several_levels(case in cases(&[300, 900, 3839, 4096, 4097], &[0, 1, 2, 3])) {
        check_case(&case, 4);
    }
}

#[test]
fn the_tree_agrees_on_the_built_in_data_on_all_query_sets() {
    for mirror in [MirrorMode::Off, MirrorMode::Query] {
        let db = common::gait(mirror);
        let all = structures(&db);
        for set in QuerySet::ALL {
            let asked = queries(&db, set, 30, 5).unwrap();
            assert_eq!(asked, queries(&db, set, 30, 5).unwrap(), "the same seed, the same queries");
            for q in &asked {
                check(&db, &all, &q.ask(), 20);
                check(&db, &all, &SearchQuery { continuing: None, ..q.ask() }, 3);
            }
        }
    }
}

/// More columns than bounds use.
#[test]
fn three_hundred_columns_are_searched_exactly() {
    for residual in [Residual::Squared, Residual::Absolute] {
        let mut channels = vec![ChannelSpec::joint(ChannelType::JointPosition, "LeftFoot", 1.0)];
        channels[0].residual = residual;
        channels
            .extend(["much", "more"].map(|name| ChannelSpec::user(name, if name == "much" { 256 } else { 41 }, 1.0)));
        let mut r = Random(3);
        let content =
            tiny::content(&[(700, false), (100, true)], &channels, MirrorMode::Off, |_, _| r.between(-1.0, 1.0));
        let db = Database::new(content).unwrap();
        assert_eq!(db.features.columns, 300);
        let all = structures(&db);
        for _ in 0..40 {
            let mut q = Question::draw(&db, Data::Random, &mut r);
            q.max_cost = f32::INFINITY;
            check(&db, &all, &q.ask(), 5);
        }
    }
}

#[test]
fn a_database_that_may_not_be_entered_gives_no_match() {
    let mut content = tiny::content(&[(50, false)], &tiny::channels(0, Residual::Squared), MirrorMode::Off, |_, _| 0.0);
    content.row_flags.fill(RowFlags(RowFlags::NO_ENTRY));
    let db = Database::new(content).unwrap();
    let (features, multipliers) = (vec![0.0; 10], vec![1.0; 10]);
    assert_eq!(check(&db, &structures(&db), &SearchQuery::new(&features, &multipliers), 9), None);
}

#[test]
fn a_query_that_cannot_be_asked_is_refused_by_name() {
    let content = tiny::content(&[(50, false)], &tiny::channels(0, Residual::Squared), MirrorMode::Off, |_, _| 0.0);
    let db = Database::new(content).unwrap();
    let (features, multipliers) = (vec![0.0; 10], vec![1.0; 10]);
    let good = SearchQuery::new(&features, &multipliers);
    let refused = |q: SearchQuery| match q.validate(&db) {
        Err(QueryError::Width { what, .. } | QueryError::NotFinite { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(SearchQuery { max_cost: f32::NAN, ..good }), "costs");
    for costs in [&[0.0, f32::INFINITY][..], &[f32::NAN], &[f32::MAX, f32::MAX]] {
        let costs: Vec<TagCost> = costs.iter().map(|cost| TagCost { cost: *cost, ..TagCost::default() }).collect();
        let tag_costs = TagCosts::of(&db, &costs);
        assert_eq!(refused(SearchQuery { tag_costs: Some(&tag_costs), ..good }), "tag_costs");
    }
    assert_eq!(good.validate(&db), Ok(()));
}
