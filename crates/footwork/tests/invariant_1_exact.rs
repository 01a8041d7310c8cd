//! Invariant 1: every search returns what brute force returns, the same row and the same bits of cost, and brute force
//! returns what the definition says: cost, then what plays, then unmirrored, then the lowest row.

mod common;

use common::{Random, random_stick, tiny, unsteered};
use footwork::build::BuildConfig;
use footwork::clip::RawClip;
use footwork::database::{Database, DatabaseContent, MirrorMode, RowFlags, TagSpan};
use footwork::frames::{FrameIndex, RowIndex};
use footwork::matcher::{MatcherConfig, MotionMatcher, Output, Scratch, SearchConfig, step};
use footwork::schema::Residual;
use footwork::search::explain::explain;
use footwork::search::{Backend, Candidates, Match, SearchQuery, TagFilter};
use proptest::prelude::*;
use std::sync::Arc;

/// The definition, written without looking at the library's own oracle.
fn by_definition(db: &Database, query: &SearchQuery) -> Option<Match> {
    let mut all: Vec<Match> = query.continuing.into_iter().collect();
    let sides: &[bool] = if db.mirror == MirrorMode::Query { &[false, true] } else { &[false] };
    for mirrored in sides.iter().copied() {
        for row in 0..db.rows() {
            let clip = &db.clips[db.row_clips[row].at()];
            let left = clip.row_range().end - row;
            let c = &query.candidates;
            let tags = db.row_tags[row];
            let near = c.near.iter().any(|(a, b)| (*a..*b).contains(&row)) && mirrored == c.near_mirrored;
            let too_late = clip.loop_delta.is_none() && left <= c.end_exclusion_rows;
            let tagged = c.tags.required & !tags == 0
                && (c.tags.any == 0 || c.tags.any & tags != 0)
                && c.tags.forbidden & tags == 0;
            if near || too_late || !tagged || db.row_flags[row].0 & RowFlags::NO_ENTRY != 0 {
                continue;
            }
            let values = db.features.row(RowIndex::new(row));
            let mut cost = 0.0f32;
            for i in 0..values.len() {
                let x = match db.mirror_columns.get(i).filter(|_| mirrored) {
                    Some(m) => m.sign * values[m.column],
                    None => values[i],
                };
                let d = (query.features[i] - x) * query.multipliers[i];
                cost += if db.residuals[i] == Residual::Squared { d * d } else { d.abs() };
            }
            cost += query.transition_cost;
            // A cost that overflows is no match: nothing could be said about it.
            if cost.is_finite() {
                all.push(Match { row: RowIndex::new(row), mirrored, cost, continuing: false });
            }
        }
    }
    all.into_iter().min_by(|a, b| {
        let order = |m: &Match| (!m.continuing, m.mirrored, m.row);
        a.cost.total_cmp(&b.cost).then(order(a).cmp(&order(b)))
    })
}

/// Row, side, bits of the cost, continuing.
type Found = Option<(u32, bool, u32, bool)>;

fn exactly(m: Option<Match>) -> Found {
    m.map(|m| (m.row.0, m.mirrored, m.cost.to_bits(), m.continuing))
}

/// What all searches return, after checking that they agree.
fn search(db: &Database, query: &SearchQuery) -> Result<Option<Match>, TestCaseError> {
    prop_assert_eq!(query.validate(db), Ok(()));
    let defined = by_definition(db, query);
    for backend in Backend::ALL {
        let found = db.search_index(backend).search(db, query);
        prop_assert_eq!(exactly(found), exactly(defined), "{} against the definition", backend.name());
    }
    Ok(defined)
}

/// How feature values are drawn.
#[derive(Clone, Copy, Debug)]
enum Data {
    Random,
    /// A handful of different rows, many times each.
    Duplicated,
    /// All rows are the same.
    Constant,
    /// Magnitudes from 1e-38 to 1e18: squares reach both ends of f32.
    Wild,
    /// Values at the very end of f32: costs overflow.
    Overflowing,
    /// Whole numbers: sums are exact, ties are everywhere.
    Grid,
}

const DATA: [Data; 6] = [Data::Random, Data::Duplicated, Data::Constant, Data::Wild, Data::Overflowing, Data::Grid];

fn wild(r: &mut Random) -> f32 {
    let digits = r.between(-1.0, 1.0);
    digits * r.pick(&[1e-38, 1e-30, 1e-20, 1e-8, 1.0, 1e4, 1e9, 1e18])
}

fn values(data: Data, rows: usize, columns: usize, r: &mut Random) -> Vec<f32> {
    let mut draw = |n: usize, f: &mut dyn FnMut(&mut Random) -> f32| (0..n).map(|_| f(r)).collect::<Vec<f32>>();
    let n = rows * columns;
    match data {
        Data::Random => draw(n, &mut |r| r.between(-2.0, 2.0)),
        Data::Constant => {
            let row = draw(columns, &mut |r| r.between(-2.0, 2.0));
            row.repeat(rows)
        }
        Data::Duplicated => {
            let few = draw(4 * columns, &mut |r| r.between(-2.0, 2.0));
            (0..rows).flat_map(|_| few[r.below(4) * columns..][..columns].to_vec()).collect()
        }
        Data::Wild => draw(n, &mut wild),
        Data::Overflowing => draw(n, &mut |r| r.pick(&[f32::MAX, f32::MIN, 1e30, -1e30, 1.0, 0.0])),
        Data::Grid => draw(n, &mut |r| r.below(3) as f32 - 1.0),
    }
}

#[derive(Clone, Debug)]
struct Case {
    clips: Vec<(usize, bool)>,
    user_width: usize,
    absolute: bool,
    mirror: bool,
    data: Data,
    seed: u64,
}

fn cases() -> impl Strategy<Value = Case> {
    // Around the sizes of boxes, and clips of which the end exclusion leaves nothing.
    let rows = prop::sample::select(vec![1usize, 2, 15, 16, 17, 63, 64, 65, 129, 200]);
    let clips = prop::collection::vec((rows, any::<bool>()), 1..6);
    let data = prop::sample::select(DATA.to_vec());
    (clips, 0usize..4, any::<bool>(), any::<bool>(), data, any::<u64>()).prop_map(
        |(clips, user_width, absolute, mirror, data, seed)| Case { clips, user_width, absolute, mirror, data, seed },
    )
}

impl Case {
    fn content(&self, r: &mut Random) -> DatabaseContent {
        let residual = if self.absolute { Residual::Absolute } else { Residual::Squared };
        let channels = tiny::channels(self.user_width, residual);
        let columns = 10 + self.user_width;
        let rows = self.clips.iter().map(|c| c.0).sum();
        let all = values(self.data, rows, columns, r);
        let mirror = if self.mirror { MirrorMode::Query } else { MirrorMode::Off };
        let mut content = tiny::content(&self.clips, &channels, mirror, |row, c| all[row * columns + c]);
        for flags in &mut content.row_flags {
            flags.0 = if r.unit() < 0.1 { RowFlags::NO_ENTRY } else { 0 };
        }
        for _ in 0..r.below(6) {
            let (a, b) = (r.below(rows + 1), r.below(rows + 1));
            let (start, end) = (FrameIndex::new(a.min(b)), FrameIndex::new(a.max(b)));
            content.tag_spans.push(TagSpan { tag: r.below(3) as u32, start, end });
        }
        content
    }
}

/// The numbers of a query; [`SearchQuery`] borrows them.
#[derive(Debug)]
struct Question {
    features: Vec<f32>,
    multipliers: Vec<f32>,
    transition_cost: f32,
    candidates: Candidates,
    continuing: Option<Match>,
}

impl Question {
    fn draw(db: &Database, data: Data, r: &mut Random) -> Self {
        let columns = db.features.columns;
        let row = |r: &mut Random| db.features.row(RowIndex::new(r.below(db.rows()))).to_vec();
        let features = match r.below(4) {
            // Exactly a row: the cost is 0, and ties with all its copies.
            0 => row(r),
            1 => row(r).iter().map(|v| v + r.between(-0.1, 0.1)).collect(),
            2 if matches!(data, Data::Wild | Data::Overflowing) => (0..columns).map(|_| wild(r)).collect(),
            _ => (0..columns).map(|_| r.between(-2.0, 2.0)).collect(),
        };
        let multipliers = match r.below(4) {
            0 => vec![0.0; columns],
            1 => vec![1.0; columns],
            _ => (0..columns).map(|_| if r.unit() < 0.2 { 0.0 } else { r.between(0.0, 3.0) }).collect(),
        };
        let bits = |r: &mut Random| if r.unit() < 0.6 { 0 } else { r.next() & 0b111 };
        let range = |r: &mut Random| {
            let (a, b) = (r.below(db.rows() + 1), r.below(db.rows() + 1));
            (a.min(b), a.max(b))
        };
        let candidates = Candidates {
            end_exclusion_rows: r.pick(&[0, 0, 1, 10, 16, 70]),
            near: [if r.unit() < 0.5 { range(r) } else { (0, 0) }, if r.unit() < 0.3 { range(r) } else { (0, 0) }],
            near_mirrored: db.mirror == MirrorMode::Query && r.unit() < 0.5,
            tags: TagFilter { required: bits(r), any: bits(r), forbidden: bits(r) },
        };
        let transition_cost = r.pick(&[0.0, 0.02, 0.5, 3.0]);
        Self { features, multipliers, transition_cost, candidates, continuing: None }
    }

    fn ask(&self) -> SearchQuery<'_> {
        SearchQuery {
            continuing: self.continuing,
            transition_cost: self.transition_cost,
            candidates: self.candidates,
            ..SearchQuery::new(&self.features, &self.multipliers)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_search_returns_what_the_definition_says_on_any_data(case in cases()) {
        let mut r = Random(case.seed);
        let db = Database::new(case.content(&mut r)).unwrap();
        for _ in 0..12 {
            let mut q = Question::draw(&db, case.data, &mut r);
            let Some(best) = search(&db, &q.ask())? else { continue };
            // What plays costs the same as the best, a hair less, a hair more, or anything.
            for cost in [best.cost, best.cost.next_down().max(0.0), best.cost.next_up(), r.between(0.0, 4.0)] {
                let row = RowIndex::new(r.below(db.rows()));
                let mirrored = db.mirror == MirrorMode::Query && r.unit() < 0.5;
                if cost.is_finite() {
                    q.continuing = Some(Match { row, mirrored, cost, continuing: true });
                    let found = search(&db, &q.ask())?;
                    prop_assert!(cost > best.cost || found.is_some_and(|m| m.continuing), "what plays wins ties");
                }
            }
        }
    }

    #[test]
    fn a_mirrored_query_and_stored_mirror_images_find_the_same_to_the_bit(case in cases()) {
        let case = Case { mirror: true, ..case };
        let mut r = Random(case.seed);
        let content = case.content(&mut r);
        let query_db = Database::new(content.clone()).unwrap();
        let stored_db = Database::new(tiny::stored(&content, &query_db.mirror_columns)).unwrap();
        for _ in 0..6 {
            let q = Question::draw(&query_db, case.data, &mut r);
            let mut s = Question { features: q.features.clone(), multipliers: q.multipliers.clone(), ..q };
            let shift = |range: (usize, usize)| {
                let by = if q.candidates.near_mirrored { query_db.rows() } else { 0 };
                (range.0 + by, range.1 + by)
            };
            s.candidates.near = q.candidates.near.map(shift);
            s.candidates.near_mirrored = false;
            let by_query = search(&query_db, &q.ask())?;
            prop_assert_eq!(exactly(search(&stored_db, &s.ask())?), as_stored(&query_db, by_query));
        }
    }
}

/// A match of a `query` database as the `stored` one numbers it.
fn as_stored(query_db: &Database, m: Option<Match>) -> Found {
    exactly(m).map(|(row, mirrored, cost, continuing)| {
        (if mirrored { row + query_db.rows() as u32 } else { row }, false, cost, continuing)
    })
}

/// Queries as a character really asks them, with what it really played.
fn real_queries(db: &std::sync::Arc<Database>, updates: usize, mut with: impl FnMut(&Question)) {
    let config =
        MatcherConfig { search: SearchConfig { interval_s: 1.0 / 60.0, ..Default::default() }, ..Default::default() };
    let mut states = [MotionMatcher::new(db.clone(), config.clone()).unwrap().state().clone()];
    let (mut scratch, mut outputs) = (Scratch::new(db), [Output::new(db)]);
    for k in 0..updates {
        let time_s = k as f64 / 60.0;
        let input = if k % 600 > 540 { unsteered() } else { random_stick(7, time_s) };
        step(db, &config, &[input], 1.0 / 60.0, &mut states, &mut scratch, &mut outputs).unwrap();
        let playing = states[0].header.playing;
        let clip = &db.clips[playing.clip.at()];
        let row = (playing.time_s * f64::from(db.search_rate_hz)) as usize % clip.rows.max(1) as usize;
        let rows = clip.row_range();
        let near = ((rows.start + row).saturating_sub(10).max(rows.start), (rows.start + row + 10).min(rows.end));
        let mut r = Random(k as u64);
        let columns = db.features.columns;
        let question = Question {
            features: scratch.last_query().to_vec(),
            multipliers: match k % 3 {
                0 => vec![1.0; columns],
                1 => (0..columns).map(|_| r.between(0.0, 2.0)).collect(),
                _ => (0..columns).map(|c| if c % 4 == 0 { 0.0 } else { 1.5 }).collect(),
            },
            transition_cost: r.pick(&[0.0, 0.02, 1.0]),
            candidates: Candidates {
                end_exclusion_rows: r.pick(&[0, 10]),
                near: [near, (0, 0)],
                near_mirrored: playing.mirrored && db.mirror == MirrorMode::Query,
                tags: match k % 5 {
                    0 => TagFilter { required: 1 << r.below(db.tags.len()), ..Default::default() },
                    1 => TagFilter { any: r.next() & ((1 << db.tags.len()) - 1), ..Default::default() },
                    2 => TagFilter { forbidden: 1 << r.below(db.tags.len()), ..Default::default() },
                    _ => TagFilter::default(),
                },
            },
            continuing: scratch.last_search().and_then(|s| {
                let cost = s.continuing_cost?;
                Some(Match { row: RowIndex::new(rows.start + row), mirrored: false, cost, continuing: true })
            }),
        };
        with(&question);
    }
}

#[test]
fn every_search_agrees_on_the_built_in_data_with_the_queries_of_a_moving_character() {
    for (mirror, updates) in [(MirrorMode::Off, 240), (MirrorMode::Stored, 100), (MirrorMode::Query, 100)] {
        let db = common::gait(mirror);
        real_queries(&db, updates, |q| {
            search(&db, &q.ask()).unwrap();
            let continuing = None;
            search(&db, &SearchQuery { continuing, ..q.ask() }).unwrap();
        });
    }
}

#[test]
fn the_boxes_agree_under_the_absolute_residuals_of_the_o3de_preset() {
    let config = footwork::build::BuildConfig {
        schema: footwork::build::SchemaConfig { preset: Some(footwork::schema::Preset::O3de), ..Default::default() },
        mirror: MirrorMode::Query,
        ..Default::default()
    };
    let db = std::sync::Arc::new(common::built(common::clips(), &config).0);
    assert!(db.residuals.iter().all(|r| *r == Residual::Absolute));
    real_queries(&db, 80, |q| {
        search(&db, &q.ask()).unwrap();
    });
}

#[test]
fn the_best_of_a_mirrored_query_are_those_of_stored_images_on_the_built_in_data() {
    const K: usize = 40;
    // Without the clips that are mirror images of others: those win every tie, being unmirrored.
    let one_sided: Vec<RawClip> = common::clips().iter().filter(|c| !c.name.ends_with("_right")).cloned().collect();
    let database = |mirror| common::built(&one_sided, &BuildConfig { mirror, ..Default::default() }).0;
    let (query_db, stored_db) = (Arc::new(database(MirrorMode::Query)), database(MirrorMode::Stored));
    assert_eq!(stored_db.rows(), 2 * query_db.rows());
    let mut mirrored_best = 0;
    real_queries(&query_db, 60, |q| {
        let q = Question {
            features: q.features.clone(),
            multipliers: q.multipliers.clone(),
            continuing: None,
            candidates: Candidates { near: Default::default(), near_mirrored: false, ..q.candidates },
            ..*q
        };
        let best = |db: &Database| explain(db, &q.ask(), &[], None, false, K).candidates;
        let by_query: Vec<(u32, u32)> = best(&query_db)
            .iter()
            .map(|c| (c.row.0 + if c.mirrored { query_db.rows() as u32 } else { 0 }, c.cost.to_bits()))
            .collect();
        let by_store: Vec<(u32, u32)> = best(&stored_db).iter().map(|c| (c.row.0, c.cost.to_bits())).collect();
        assert_eq!(by_query.len(), K);
        assert_eq!(by_query, by_store);
        let found = search(&query_db, &q.ask()).unwrap();
        mirrored_best += usize::from(found.is_some_and(|m| m.mirrored));
        assert_eq!(exactly(search(&stored_db, &q.ask()).unwrap()), as_stored(&query_db, found));
    });
    assert!(mirrored_best > 5, "the mirrored side must take part in earnest: {mirrored_best}");
}

#[test]
fn of_equals_what_plays_wins_then_the_unmirrored_then_the_lowest_row() {
    let content =
        tiny::content(&[(40, false), (90, true)], &tiny::channels(1, Residual::Squared), MirrorMode::Query, |_, _| 0.0);
    let db = Database::new(content).unwrap();
    let columns = db.features.columns;
    let mut q = Question {
        features: vec![0.0; columns],
        multipliers: vec![1.0; columns],
        transition_cost: 0.0,
        candidates: Candidates { end_exclusion_rows: 5, near: [(0, 20), (38, 60)], ..Candidates::default() },
        continuing: None,
    };
    // Rows 0..20 unmirrored are excluded: the lowest unmirrored one wins all the same, over mirrored row 0.
    assert_eq!(exactly(search(&db, &q.ask()).unwrap()), Some((20, false, 0, false)));
    q.candidates.near = [(0, 200), (0, 0)];
    assert_eq!(exactly(search(&db, &q.ask()).unwrap()), Some((0, true, 0, false)));
    q.continuing = Some(Match { row: RowIndex(77), mirrored: true, cost: 0.0, continuing: true });
    assert_eq!(exactly(search(&db, &q.ask()).unwrap()), Some((77, true, 0, true)));
    q.candidates.near = [(0, 0), (0, 0)];
    q.continuing = Some(Match { row: RowIndex(77), mirrored: true, cost: f32::MIN_POSITIVE, continuing: true });
    assert_eq!(exactly(search(&db, &q.ask()).unwrap()), Some((0, false, 0, false)));
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
        Backend::ALL.into_iter().for_each(|b| assert_eq!(run(b), brute, "{}", b.name()));
    }
}
