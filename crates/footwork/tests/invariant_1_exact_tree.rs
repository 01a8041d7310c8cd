//! Invariant 1 for the tree, under everything that a game does while it runs: with every kernel it returns what the
//! definition says, the k best of it, to the bit.

mod common;

use common::{Random, tiny};
use footwork::database::{Database, DatabaseContent, MirrorMode, RowFlags, TagSpan};
use footwork::frames::{FrameIndex, RowIndex};
use footwork::schema::{ChannelSpec, ChannelType, Residual};
use footwork::search::query_sets::{QuerySet, queries};
use footwork::search::{Backend, Candidates, Kernel, Match, QueryError, SearchIndex, SearchQuery, TagFilter, Tree};
use proptest::prelude::*;

/// Everything that may be an answer, in order, written without looking at the library.
fn by_definition(db: &Database, query: &SearchQuery) -> Vec<Match> {
    let mut all: Vec<Match> = query.continuing.into_iter().collect();
    let sides: &[bool] = if db.mirror == MirrorMode::Query { &[false, true] } else { &[false] };
    for mirrored in sides.iter().copied() {
        for row in (0..db.rows()).filter(|row| is_candidate(db, &query.candidates, *row, mirrored)) {
            let (values, row_index) = (db.features.row(RowIndex::new(row)), RowIndex::new(row));
            let mut cost = 0.0f32;
            for c in 0..values.len() {
                let x = match db.mirror_columns.get(c).filter(|_| mirrored) {
                    Some(m) => m.sign * values[m.column],
                    None => values[c],
                };
                let d = (query.features[c] - x) * query.multipliers[c];
                cost += if db.residuals[c] == Residual::Squared { d * d } else { d.abs() };
            }
            let mut extra = query.transition_cost;
            for (tag, more) in query.tag_costs.iter().enumerate() {
                extra += if db.row_tags[row] & (1 << tag) != 0 { *more } else { 0.0 };
            }
            all.push(Match { row: row_index, mirrored, cost: cost + extra, continuing: false });
        }
    }
    all.retain(|m| m.cost.is_finite() && m.cost <= query.max_cost);
    all.sort_by(|a, b| {
        let place = |m: &Match| (!m.continuing, m.mirrored, m.row);
        a.cost.partial_cmp(&b.cost).unwrap().then(place(a).cmp(&place(b)))
    });
    all
}

fn is_candidate(db: &Database, c: &Candidates, row: usize, mirrored: bool) -> bool {
    let clip = &db.clips[db.row_clips[row].at()];
    let tags = db.row_tags[row];
    let near = c.near.iter().any(|(a, b)| (*a..*b).contains(&row)) && mirrored == c.near_mirrored;
    let too_late = clip.loop_delta.is_none() && clip.row_range().end - row <= c.end_exclusion_rows;
    let tagged =
        c.tags.required & !tags == 0 && (c.tags.any == 0 || c.tags.any & tags != 0) && c.tags.forbidden & tags == 0;
    !near && !too_late && tagged && db.row_flags[row].0 & RowFlags::NO_ENTRY == 0
}

fn bits(found: &[Match]) -> Vec<(u32, bool, u32, bool)> {
    // -0 and 0 are the same cost.
    found.iter().map(|m| (m.row.0, m.mirrored, (m.cost + 0.0).to_bits(), m.continuing)).collect()
}

/// Every structure that may be asked.
fn structures(db: &Database) -> Vec<(String, SearchIndex)> {
    let mut all = vec![("brute".to_owned(), SearchIndex::build(db, Backend::Brute))];
    all.push(("boxes".to_owned(), SearchIndex::build(db, Backend::Boxes)));
    for kernel in Kernel::ALL.into_iter().filter(|k| k.is_available()) {
        let tree = Tree::build(db).with_kernel(kernel).unwrap();
        assert_eq!(tree.kernel(), kernel);
        all.push((format!("tree, {}", kernel.name()), SearchIndex::Tree(tree)));
    }
    all
}

/// All structures against the definition, for the best and the k best. Returns the best.
fn check(db: &Database, all: &[(String, SearchIndex)], query: &SearchQuery, k: usize) -> Option<Match> {
    assert_eq!(query.validate(db), Ok(()));
    let mut expected = by_definition(db, query);
    let best = expected.first().copied();
    expected.truncate(k);
    let mut room = vec![Match::default(); k];
    for (name, index) in all {
        let one = index.search(db, query);
        assert_eq!(bits(&one.into_iter().collect::<Vec<_>>()), bits(&best.into_iter().collect::<Vec<_>>()), "{name}");
        let found = index.search_k(db, query, &mut room);
        assert_eq!(bits(&room[..found]), bits(&expected), "{name}: the {k} best");
    }
    best
}

/// How feature values are drawn.
#[derive(Clone, Copy, Debug)]
enum Data {
    /// Clips that wander, as motion does.
    Wandering,
    Random,
    /// A handful of different rows, many times each.
    Duplicated,
    Constant,
    /// Magnitudes from 1e-38 to 1e18.
    Wild,
    /// Values at the very end of f32.
    Overflowing,
    /// Whole numbers: ties are everywhere, and values lie on the borders of codes.
    Grid,
    /// One row far away from all others: the codes of the rest are nearly the same.
    Outlier,
    /// Rows one step of f32 apart: no code can tell them apart, and costs differ in their last bits.
    Hairs,
    /// Values half-way between codes, where all columns are rounded as wrongly as can be, the query the other way.
    Halves,
}

const DATA: [Data; 10] = [
    Data::Wandering,
    Data::Random,
    Data::Duplicated,
    Data::Constant,
    Data::Wild,
    Data::Overflowing,
    Data::Grid,
    Data::Outlier,
    Data::Hairs,
    Data::Halves,
];

fn wild(r: &mut Random) -> f32 {
    r.between(-1.0, 1.0) * r.pick(&[1e-38, 1e-30, 1e-20, 1e-8, 1.0, 1e4, 1e9, 1e18])
}

fn values(data: Data, rows: usize, columns: usize, r: &mut Random) -> Vec<f32> {
    let middle: Vec<f32> = (0..columns).map(|_| r.between(-2.0, 2.0)).collect();
    let few: Vec<f32> = (0..4 * columns).map(|_| r.between(-2.0, 2.0)).collect();
    let far = r.below(rows);
    let mut at = middle.clone();
    let mut all = Vec::with_capacity(rows * columns);
    for row in 0..rows {
        let copied = r.below(4) * columns;
        for c in 0..columns {
            all.push(match data {
                Data::Wandering => {
                    at[c] += r.between(-0.1, 0.1) - 0.02 * at[c];
                    at[c]
                }
                Data::Random => r.between(-2.0, 2.0),
                Data::Duplicated => few[copied + c],
                Data::Constant => middle[c],
                Data::Wild => wild(r),
                Data::Overflowing => r.pick(&[f32::MAX, f32::MIN, 1e30, -1e30, 1.0, 0.0]),
                Data::Grid => r.below(3) as f32 - 1.0,
                Data::Outlier if row == far => 1e12,
                Data::Outlier => r.between(-1.0, 1.0),
                // 13 bits of codes, one unit wide, for 10 to 14 columns.
                Data::Halves if row < 2 => row as f32 * 8191.0,
                Data::Halves => r.below(8191) as f32 + 0.5,
                Data::Hairs => f32::from_bits(middle[c].to_bits() + r.below(3) as u32),
            });
        }
    }
    all
}

#[derive(Clone, Copy, Debug)]
enum Residuals {
    Squared,
    Absolute,
    /// Feet squared, the trajectory absolute.
    Mixed,
    /// One foot squared, the other absolute: a mirror maps one onto the other.
    Crossed,
}

#[derive(Clone, Debug)]
struct Case {
    clips: Vec<(usize, bool)>,
    user_width: usize,
    residuals: Residuals,
    mirror: bool,
    data: Data,
    seed: u64,
}

fn cases(sizes: &'static [usize]) -> impl Strategy<Value = Case> {
    let clips = prop::collection::vec((prop::sample::select(sizes.to_vec()), any::<bool>()), 1..6);
    let residuals = [Residuals::Squared, Residuals::Squared, Residuals::Absolute, Residuals::Mixed, Residuals::Crossed];
    let residuals = prop::sample::select(residuals.to_vec());
    let data = prop::sample::select(DATA.to_vec());
    (clips, 0usize..4, residuals, any::<bool>(), data, any::<u64>()).prop_map(
        |(clips, user_width, residuals, mirror, data, seed)| Case { clips, user_width, residuals, mirror, data, seed },
    )
}

impl Case {
    fn channels(&self) -> Vec<ChannelSpec> {
        let mut channels = tiny::channels(self.user_width, Residual::Squared);
        let absolute: &[usize] = match self.residuals {
            Residuals::Squared => &[],
            Residuals::Absolute => &[0, 1, 2, 3],
            Residuals::Mixed => &[2],
            Residuals::Crossed => &[1],
        };
        for i in absolute.iter().filter(|i| **i < channels.len()).copied().collect::<Vec<_>>() {
            channels[i].residual = Residual::Absolute;
        }
        channels
    }

    fn content(&self, r: &mut Random) -> DatabaseContent {
        let (columns, rows) = (10 + self.user_width, self.clips.iter().map(|c| c.0).sum::<usize>());
        let all = values(self.data, rows, columns, r);
        let mirror = if self.mirror { MirrorMode::Query } else { MirrorMode::Off };
        let mut content = tiny::content(&self.clips, &self.channels(), mirror, |row, c| all[row * columns + c]);
        let shut = r.pick(&[0.0, 0.1, 0.1, 1.0]);
        for flags in &mut content.row_flags {
            flags.0 = if r.unit() < shut { RowFlags::NO_ENTRY } else { 0 };
        }
        for _ in 0..r.below(8) {
            let (a, b) = (r.below(rows + 1), r.below(rows + 1));
            let (start, end) = (FrameIndex::new(a.min(b)), FrameIndex::new(a.max(b)));
            content.tag_spans.push(TagSpan { tag: r.below(3) as u32, start, end });
        }
        content
    }
}

/// The numbers of a query; [`SearchQuery`] borrows them.
struct Question {
    features: Vec<f32>,
    multipliers: Vec<f32>,
    tag_costs: Vec<f32>,
    transition_cost: f32,
    max_cost: f32,
    candidates: Candidates,
    continuing: Option<Match>,
}

impl Question {
    fn draw(db: &Database, data: Data, r: &mut Random) -> Self {
        let columns = db.features.columns;
        let row = |r: &mut Random| db.features.row(RowIndex::new(r.below(db.rows()))).to_vec();
        let features = match r.below(5) {
            0 => row(r),
            1 => row(r).iter().map(|v| v + r.between(-0.1, 0.1)).collect(),
            2 if matches!(data, Data::Wild | Data::Overflowing) => (0..columns).map(|_| wild(r)).collect(),
            2 if matches!(data, Data::Halves) => row(r).iter().map(|v| v - 0.002).collect(),
            // Beyond all rows.
            3 => (0..columns).map(|_| r.between(-20.0, 20.0)).collect(),
            _ => (0..columns).map(|_| r.between(-2.0, 2.0)).collect(),
        };
        let multipliers = match r.below(6) {
            0 => vec![0.0; columns],
            1 | 2 => vec![1.0; columns],
            3 => vec![-3.5; columns],
            4 if matches!(data, Data::Wild) => (0..columns).map(|_| wild(r)).collect(),
            _ => (0..columns).map(|_| if r.unit() < 0.2 { 0.0 } else { r.between(-2.0, 3.0) }).collect(),
        };
        let tags = |r: &mut Random| if r.unit() < 0.6 { 0 } else { r.next() & 0b111 };
        let range = |r: &mut Random| {
            let (a, b) = (r.below(db.rows() + 1), r.below(db.rows() + 1));
            if r.unit() < 0.5 { (a.min(b), a.max(b)) } else { (0, 0) }
        };
        Self {
            features,
            multipliers,
            tag_costs: match r.below(4) {
                0 => (0..r.below(4)).map(|_| r.between(-1.0, 1.0)).collect(),
                1 => (0..3).map(|_| r.pick(&[0.0, 0.5, -0.5, 1e9, -1e9, 1e-9])).collect(),
                _ => vec![],
            },
            transition_cost: r.pick(&[0.0, 0.02, 3.0, -1.0]),
            max_cost: r.pick(&[f32::INFINITY, f32::INFINITY, 1.0, 0.0, -0.5]),
            candidates: Candidates {
                end_exclusion_rows: r.pick(&[0, 0, 1, 10, 16, 70]),
                near: [range(r), range(r)],
                near_mirrored: db.mirror == MirrorMode::Query && r.unit() < 0.5,
                tags: TagFilter { required: tags(r), any: tags(r), forbidden: tags(r) },
            },
            continuing: None,
        }
    }

    fn ask(&self) -> SearchQuery<'_> {
        SearchQuery {
            continuing: self.continuing,
            transition_cost: self.transition_cost,
            tag_costs: &self.tag_costs,
            max_cost: self.max_cost,
            candidates: self.candidates,
            ..SearchQuery::new(&self.features, &self.multipliers)
        }
    }
}

fn check_case(case: &Case, questions: usize) {
    let mut r = Random(case.seed);
    let db = Database::new(case.content(&mut r)).unwrap();
    let all = structures(&db);
    for _ in 0..questions {
        let mut q = Question::draw(&db, case.data, &mut r);
        let k = r.pick(&[0, 1, 2, 7, 40, 1000]);
        let Some(best) = check(&db, &all, &q.ask(), k) else { continue };
        // The best just so, and just not, within what a match may cost.
        for max_cost in [best.cost, best.cost.next_down()] {
            let limited = SearchQuery { max_cost, ..q.ask() };
            assert_eq!(check(&db, &all, &limited, k).is_some(), max_cost == best.cost);
        }
        let row = RowIndex::new(r.below(db.rows()));
        let mirrored = db.mirror == MirrorMode::Query && r.unit() < 0.5;
        for cost in [best.cost, best.cost.next_up(), r.between(0.0, 4.0)] {
            q.continuing = Some(Match { row, mirrored, cost, continuing: true }).filter(|_| cost.is_finite());
            check(&db, &all, &q.ask(), k);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn small_databases_around_the_sizes_of_leaves(case in cases(&[1, 2, 15, 16, 17, 63, 255, 257])) {
        check_case(&case, 6);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn trees_of_several_levels(case in cases(&[300, 900, 3839, 4096, 4097])) {
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

/// More columns than bounds look at.
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
    assert_eq!(refused(SearchQuery { tag_costs: &[0.0, f32::INFINITY], ..good }), "tag_costs");
    assert_eq!(refused(SearchQuery { tag_costs: &[0.0; 65], ..good }), "tag_costs");
    assert_eq!(good.validate(&db), Ok(()));
}
