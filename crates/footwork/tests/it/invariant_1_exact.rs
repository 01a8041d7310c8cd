//! Invariant 1: every search returns the result of brute force, with the same row and the same bits of cost, and brute force
//! returns the result of the definition: order by cost, then the playing row, then unmirrored rows, then the lowest row.

use crate::common;

use common::cases::{Bits, Question, bits, by_definition, cases, tag_query};
use common::{Random, random_stick, tiny, unsteered};
use footwork::advanced::database::TagCosts;
use footwork::advanced::search::Explanation;
use footwork::advanced::search::SearchIndex;
use footwork::advanced::search::explain::Outcome;
use footwork::advanced::search::{Candidates, Match, SearchQuery};
use footwork::build::BuildConfig;
use footwork::clip::RawClip;
use footwork::database::{Database, MirrorMode, TagCost, TagSpan};
use footwork::frames::{FrameIndex, RowIndex};
use footwork::matcher::Backend;
use footwork::matcher::Character;
use footwork::matcher::{MatcherConfig, MotionMatcher, SearchConfig, step};
use footwork::math::Transform;
use footwork::schema::Residual;
use proptest::prelude::*;
use std::sync::Arc;

/// A database with all exact indices.
struct Indexed {
    db: Arc<Database>,
    indices: Vec<(Backend, SearchIndex)>,
}

impl Indexed {
    fn new(db: impl Into<Arc<Database>>) -> Self {
        let db = db.into();
        let indices = Backend::EXACT.iter().map(|b| (*b, SearchIndex::build(&db, *b))).collect();
        Self { db, indices }
    }
}

impl std::ops::Deref for Indexed {
    type Target = Database;
    fn deref(&self) -> &Database {
        &self.db
    }
}

/// Returns the result of all searches, after checking that they agree.
fn search(db: &Indexed, query: &SearchQuery) -> Result<Option<Match>, TestCaseError> {
    prop_assert_eq!(query.validate(db), Ok(()));
    let defined = by_definition(db, query).first().copied();
    for (backend, index) in &db.indices {
        let found = index.search(db, query);
        prop_assert_eq!(found.map(bits), defined.map(bits), "{} against the definition", backend.name());
    }
    Ok(defined)
}

/// Sizes near those of boxes, and clips that are completely covered by the end exclusion.
const SIZES: &[usize] = &[1, 2, 15, 16, 17, 63, 64, 65, 129, 200];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_search_returns_what_the_definition_says_on_any_data(case in cases(SIZES, &[0, 1, 2, 3])) {
        let mut r = Random(case.seed);
        let db = Indexed::new(Database::new(case.content(&mut r)).unwrap());
        for _ in 0..12 {
            let q = Question::draw(&db, case.data, &mut r);
            let Some(best) = search(&db, &q.ask())? else { continue };
            // The playing row costs the same as the best row, one step of f32 less or more, or a random amount.
            for cost in [best.cost, best.cost.next_down(), best.cost.next_up(), r.between(0.0, 4.0)] {
                if let Some(q) = q.while_playing(&db, cost, &mut r) {
                    let found = search(&db, &q.ask())?;
                    prop_assert!(cost > best.cost || found.is_some_and(|m| m.continuing), "what plays wins ties");
                }
            }
        }
    }

    #[test]
    fn many_queries_at_once_find_what_each_finds_alone(case in cases(SIZES, &[0, 1, 2, 3])) {
        let mut r = Random(case.seed);
        let db = Indexed::new(Database::new(case.content(&mut r)).unwrap());
        let questions: Vec<Question> = (0..5).map(|_| Question::draw(&db, case.data, &mut r)).collect();
        let asked: Vec<SearchQuery> = questions.iter().map(Question::ask).collect();
        let unseen = Some(Match::default());
        for &backend in Backend::EXACT.iter().chain(Backend::APPROXIMATE) {
            let index = SearchIndex::build(&db, backend);
            for room in [0, 3, 5, 7] {
                let mut out = vec![unseen; room];
                index.search_many(&db, &asked, &mut out);
                for (i, found) in out.iter().enumerate() {
                    let alone = asked.get(i).map_or(unseen, |q| index.search(&db, q));
                    prop_assert_eq!(found.map(bits), alone.map(bits), "{}", backend.name());
                }
            }
        }
    }

    #[test]
    fn a_mirrored_query_and_stored_mirror_images_find_the_same_to_the_bit(mut case in cases(SIZES, &[0, 1, 2, 3])) {
        case.mirror = true;
        let mut r = Random(case.seed);
        let content = case.content(&mut r);
        let query_db = Indexed::new(Database::new(content.clone()).unwrap());
        let stored_db = Indexed::new(Database::new(tiny::stored(&content, &query_db.mirror_columns)).unwrap());
        for _ in 0..6 {
            let q = Question::draw(&query_db, case.data, &mut r);
            let mut s = q.clone();
            let shift = |range: (usize, usize)| {
                let by = if q.candidates.near_mirrored { query_db.rows() } else { 0 };
                (range.0 + by, range.1 + by)
            };
            s.candidates.near = q.candidates.near.map(shift);
            s.candidates.near_mirrored = false;
            let by_query = search(&query_db, &q.ask())?;
            prop_assert_eq!(search(&stored_db, &s.ask())?.map(bits), as_stored(&query_db, by_query));
        }
    }
}

/// Converts a match of a `query` database to the numbering of the `stored` one.
fn as_stored(query_db: &Database, m: Option<Match>) -> Option<Bits> {
    m.map(bits).map(|(row, mirrored, cost, continuing)| {
        (if mirrored { row + query_db.rows() as u32 } else { row }, false, cost, continuing)
    })
}

/// Calls `with` for the queries of a character during a run, with its playing row.
fn real_queries(db: &std::sync::Arc<Database>, updates: usize, mut with: impl FnMut(&Question)) {
    let config =
        MatcherConfig { search: SearchConfig { interval_s: 1.0 / 60.0, ..Default::default() }, ..Default::default() };
    let character = Character::new(db.clone(), config).unwrap();
    let mut states = [character.state_at(Transform::IDENTITY).unwrap()];
    let (mut scratch, mut outputs) = (character.scratch(), [character.output()]);
    for k in 0..updates {
        let time_s = k as f64 / 60.0;
        let input = if k % 600 > 540 { unsteered() } else { random_stick(7, time_s) };
        step(&character, &[input], 1.0 / 60.0, &mut states, &mut scratch, &mut outputs).unwrap();
        let playing = states[0].header.playback.playing;
        let clip = &db.clips[playing.clip.at()];
        let row = (playing.time_s * f64::from(db.search_rate_hz)) as usize % clip.rows.max(1) as usize;
        let rows = clip.row_range();
        let near = ((rows.start + row).saturating_sub(10).max(rows.start), (rows.start + row + 10).min(rows.end));
        let mut r = Random(k as u64);
        let columns = db.features.columns;
        let multipliers = match k % 3 {
            0 => vec![1.0; columns],
            1 => (0..columns).map(|_| r.between(0.0, 2.0)).collect(),
            _ => (0..columns).map(|c| if c % 4 == 0 { 0.0 } else { 1.5 }).collect(),
        };
        let question = Question {
            transition_cost: r.pick(&[0.0, 0.02, 1.0]),
            candidates: Candidates {
                end_exclusion_rows: r.pick(&[0, 10]),
                near: [near, (0, 0)],
                near_mirrored: playing.mirrored && db.mirror == MirrorMode::Query,
                tags: if k % 5 < 3 { db.accepted(&tag_query(db, &mut r)) } else { Default::default() },
                ahead: None,
            },
            tag_costs: match k % 7 {
                0 => TagCosts::of(db, &[TagCost { tags: tag_query(db, &mut r), cost: r.between(-1.0, 1.0) }]),
                _ => TagCosts::default(),
            },
            continuing: scratch.last_search().and_then(|s| {
                let cost = s.continuing?.cost;
                Some(Match { row: RowIndex::new(rows.start + row), mirrored: false, cost, continuing: true })
            }),
            ..Question::new(scratch.last_query().to_vec(), multipliers)
        };
        with(&question);
    }
}

#[test]
fn every_search_agrees_on_the_built_in_data_with_the_queries_of_a_moving_character() {
    for (mirror, updates) in [(MirrorMode::Off, 240), (MirrorMode::Stored, 100), (MirrorMode::Query, 100)] {
        let db = Indexed::new(common::gait(mirror));
        real_queries(&db.db, updates, |q| {
            search(&db, &q.ask()).unwrap();
            let continuing = None;
            search(&db, &SearchQuery { continuing, ..q.ask() }).unwrap();
        });
    }
}

#[test]
fn every_search_agrees_over_more_sets_of_tags_than_there_are_bits_for() {
    // Each row has a different set of tags; in the index, several sets share a bit.
    let rows = 700;
    let mut r = Random(11);
    let all: Vec<f32> = (0..rows * 10).map(|_| r.between(-1.0, 1.0)).collect();
    let value = |row: usize, c: usize| all[row * 10 + c];
    let mut content = tiny::content(&[(rows, false)], &tiny::channels(0, Residual::Squared), MirrorMode::Query, value);
    content.tags = (0..10).map(|tag| format!("t{tag}")).collect();
    content.tag_spans.clear();
    for (row, tag) in
        (0..rows).flat_map(|row| (0..10).map(move |tag| (row, tag))).filter(|(row, tag)| row >> tag & 1 == 1)
    {
        let (start, end) = (FrameIndex::new(row), FrameIndex::new(row + 1));
        content.tag_spans.push(TagSpan { tag, start, end });
    }
    let db = Indexed::new(Database::new(content).unwrap());
    let mut few = 0;
    for k in 0..600 {
        let mut q = Question::new((0..10).map(|_| r.between(-1.0, 1.0)).collect(), vec![1.0; 10]);
        // Every second query accepts few rows.
        let [a, b, c] = [0; 3].map(|_| r.below(10));
        let rare = db.tag_query(&format!("t{a} & t{b} & !t{c}")).unwrap();
        let tags = tag_query(&db, &mut r);
        q.candidates.tags = db.accepted(&if k % 2 == 0 { tags } else { tags.and(&rare).unwrap() });
        let accepted = (0..rows).filter(|row| db.accepts(&q.candidates.tags, *row)).count();
        assert_eq!(q.candidates.tags.rows(), accepted);
        few += usize::from((1..=rows / 8).contains(&accepted));
        let costs: Vec<TagCost> =
            (0..r.below(4)).map(|_| TagCost { tags: tag_query(&db, &mut r), cost: r.between(-3.0, 3.0) }).collect();
        q.tag_costs = TagCosts::of(&db, &costs);
        let found = search(&db, &q.ask()).unwrap();
        assert!(found.is_none_or(|m| db.accepts(&q.candidates.tags, m.row.at())));
    }
    assert!(few > 60, "{few} queries with few candidates");
}

#[test]
fn the_boxes_agree_under_the_absolute_residuals_of_the_o3de_preset() {
    let config = footwork::build::BuildConfig {
        schema: footwork::build::SchemaConfig { preset: Some(footwork::schema::Preset::O3de), ..Default::default() },
        mirror: MirrorMode::Query,
        ..Default::default()
    };
    let db = Indexed::new(common::built(common::clips(), &config).0);
    assert!(db.residuals.iter().all(|r| *r == Residual::Absolute));
    real_queries(&db.db, 80, |q| {
        search(&db, &q.ask()).unwrap();
    });
}

#[test]
fn the_best_of_a_mirrored_query_are_those_of_stored_images_on_the_built_in_data() {
    const K: usize = 40;
    // Without the clips that are mirror images of others: they would win every tie, being unmirrored.
    let one_sided: Vec<RawClip> = common::clips().iter().filter(|c| !c.name.ends_with("_right")).cloned().collect();
    let database = |mirror| common::built(&one_sided, &BuildConfig { mirror, ..Default::default() }).0;
    let [query_db, stored_db] = [MirrorMode::Query, MirrorMode::Stored].map(|m| Indexed::new(database(m)));
    assert_eq!(stored_db.rows(), 2 * query_db.rows());
    let mut mirrored_best = 0;
    real_queries(&query_db.db, 60, |q| {
        let q = Question {
            continuing: None,
            candidates: Candidates { near: Default::default(), near_mirrored: false, ..q.candidates },
            ..q.clone()
        };
        let best =
            |db: &Database| Explanation::of(db, &q.ask(), &[], Outcome { winner: None, jumped: false }, K).candidates;
        let by_query: Vec<(u32, u32)> = best(&query_db)
            .iter()
            .map(|c| (c.row.0 + if c.mirrored { query_db.rows() as u32 } else { 0 }, c.cost.to_bits()))
            .collect();
        let by_store: Vec<(u32, u32)> = best(&stored_db).iter().map(|c| (c.row.0, c.cost.to_bits())).collect();
        assert_eq!(by_query.len(), K);
        assert_eq!(by_query, by_store);
        let found = search(&query_db, &q.ask()).unwrap();
        mirrored_best += usize::from(found.is_some_and(|m| m.mirrored));
        assert_eq!(search(&stored_db, &q.ask()).unwrap().map(bits), as_stored(&query_db, found));
    });
    assert!(mirrored_best > 5, "the mirrored side must take part in earnest: {mirrored_best}");
}

#[test]
fn of_equals_what_plays_wins_then_the_unmirrored_then_the_lowest_row() {
    let content =
        tiny::content(&[(40, false), (90, true)], &tiny::channels(1, Residual::Squared), MirrorMode::Query, |_, _| 0.0);
    let db = Indexed::new(Database::new(content).unwrap());
    let columns = db.features.columns;
    let mut q = Question {
        candidates: Candidates { end_exclusion_rows: 5, near: [(0, 20), (38, 60)], ..Candidates::default() },
        ..Question::new(vec![0.0; columns], vec![1.0; columns])
    };
    // Unmirrored rows 0..20 are excluded: the lowest unmirrored row left wins over the mirrored row 0.
    assert_eq!(search(&db, &q.ask()).unwrap().map(bits), Some((20, false, 0, false)));
    q.candidates.near = [(0, 200), (0, 0)];
    assert_eq!(search(&db, &q.ask()).unwrap().map(bits), Some((0, true, 0, false)));
    q.continuing = Some(Match { row: RowIndex(77), mirrored: true, cost: 0.0, continuing: true });
    assert_eq!(search(&db, &q.ask()).unwrap().map(bits), Some((77, true, 0, true)));
    q.candidates.near = [(0, 0), (0, 0)];
    q.continuing = Some(Match { row: RowIndex(77), mirrored: true, cost: f32::MIN_POSITIVE, continuing: true });
    assert_eq!(search(&db, &q.ask()).unwrap().map(bits), Some((0, false, 0, false)));
}

#[test]
fn the_character_moves_the_same_whatever_it_searches_with() {
    for mirror in [MirrorMode::Off, MirrorMode::Query] {
        let db = common::gait(mirror);
        let run = |backend| {
            let config = MatcherConfig { search: SearchConfig { backend, ..Default::default() }, ..Default::default() };
            let mut m = MotionMatcher::new(db.clone(), config).unwrap();
            for k in 0..900 {
                m.update(&random_stick(3, f64::from(k) / 60.0), 1.0 / 60.0).unwrap();
            }
            common::bits(m.state())
        };
        let brute = run(Backend::Brute);
        Backend::EXACT.iter().for_each(|b| assert_eq!(run(*b), brute, "{}", b.name()));
    }
}
