//! Standard search structures. The exact ones return the result of brute force. The approximate ones do so when set to visit all
//! rows; they never return an excluded row or a wrong cost, and reach a recall of 0.99.

use crate::common;

use common::cases::{Data, Question, all_bits, bits, by_definition, cases};
use common::{Random, random_stick, tiny};
use footwork::advanced::search::classics::Columns;
use footwork::advanced::search::classics::{Setting, Touched, clusters, flat, kdtree, pca, voxel};
use footwork::advanced::search::{Candidates, Match, SearchIndex, SearchQuery};
use footwork::database::{Database, MirrorMode};
use footwork::frames::RowIndex;
use footwork::matcher::Backend;
use footwork::matcher::Character;
use footwork::matcher::{MatcherConfig, step};
use footwork::math::Transform;
use footwork::schema::Residual;
use proptest::prelude::*;
use std::sync::Arc;

/// Returns the `k` best matches.
fn search_k(index: &SearchIndex, db: &Database, query: &SearchQuery, k: usize) -> Vec<Match> {
    let mut out = vec![Match::default(); k];
    let found = index.search_k(db, query, &mut out);
    out.truncate(found);
    out
}

/// Returns settings that are exact or visit all rows.
fn everywhere() -> Vec<Setting> {
    let kd = kdtree::Settings::default();
    let far = voxel::Settings {
        position_m: f32::INFINITY,
        position_per_speed_s: 0.0,
        speed_share: 0.0,
        speed_mps: f32::INFINITY,
        ..Default::default()
    };
    let all = clusters::Settings { nearest: usize::MAX, ..Default::default() };
    vec![
        Setting::Flat(flat::Settings::default()),
        Setting::Flat(flat::Settings { small_rows: 3 }),
        Setting::KdTree(kd),
        Setting::KdTree(kdtree::Settings { min_leaf_rows: 1, ..kd }),
        Setting::KdTree(kdtree::Settings { columns: Columns::Trajectory, min_leaf_rows: 4, ..kd }),
        Setting::KdTree(kdtree::Settings { leaves: 0, min_leaf_rows: 5, ..kdtree::Settings::o3de() }),
        Setting::KdTree(kdtree::Settings { leaves: 256, min_leaf_rows: 20, ..kd }),
        Setting::Pca(pca::Settings { candidates: 2048, ..Default::default() }),
        Setting::Voxels(far),
        Setting::Clusters(all),
        Setting::Clusters(clusters::Settings { clusters: 7, columns: Columns::All, ..all }),
    ]
}

/// Returns settings that visit few rows.
fn somewhere() -> Vec<Setting> {
    vec![
        Setting::KdTree(kdtree::Settings { min_leaf_rows: 8, ..kdtree::Settings::o3de() }),
        Setting::KdTree(kdtree::Settings { leaves: 2, min_leaf_rows: 4, ..Default::default() }),
        Setting::Pca(pca::Settings { components: 2, candidates: 5, ..Default::default() }),
        Setting::Voxels(voxel::Settings { position_m: 0.05, run_rows: 2, ..Default::default() }),
        Setting::Clusters(clusters::Settings { clusters: 8, nearest: 1, ..Default::default() }),
    ]
}

/// Sizes near those of boxes.
const SIZES: &[usize] = &[1, 2, 15, 16, 17, 63, 64, 65, 129, 300];
/// Up to more columns than principal components.
const WIDTHS: &[usize] = &[0, 1, 3, 17, 17, 100];

/// Returns the queries of a case, with playing rows at costs near the best.
fn questions(db: &Database, data: Data, r: &mut Random) -> Vec<Question> {
    let mut all = Vec::new();
    for _ in 0..8 {
        let q = Question::draw(db, data, r);
        all.push(q.clone());
        let Some(best) = by_definition(db, &q.ask()).first().copied() else { continue };
        for cost in [best.cost, best.cost.next_down(), best.cost.next_up(), r.between(0.0, 4.0)] {
            if let Some(mut q) = q.while_playing(db, cost, r) {
                q.max_cost = r.pick(&[f32::INFINITY, best.cost, best.cost.next_down(), best.cost * 1.5]);
                all.push(q);
            }
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_looks_everywhere_returns_what_brute_force_returns(case in cases(SIZES, WIDTHS)) {
        let mut r = Random(case.seed);
        let db = Database::new(case.content(&mut r)).unwrap();
        let built: Vec<_> = everywhere().into_iter().map(|s| (s, SearchIndex::build_with(&db, &s).unwrap())).collect();
        for q in questions(&db, case.data, &mut r) {
            let wanted = all_bits(by_definition(&db, &q.ask()));
            for k in [1, 7] {
                for (setting, structure) in &built {
                    let found = search_k(structure, &db, &q.ask(), k);
                    prop_assert_eq!(all_bits(found), &wanted[..k.min(wanted.len())], "{:?}", setting);
                }
            }
        }
    }

    #[test]
    fn what_looks_at_little_returns_true_costs_of_rows_that_may_be_jumped_to(case in cases(SIZES, WIDTHS)) {
        let mut r = Random(case.seed);
        let db = Database::new(case.content(&mut r)).unwrap();
        let built: Vec<_> = somewhere().into_iter().map(|s| (s, SearchIndex::build_with(&db, &s).unwrap())).collect();
        for q in questions(&db, case.data, &mut r) {
            let query = q.ask();
            let best = by_definition(&db, &query).first().copied();
            for (setting, structure) in &built {
                let found = structure.search(&db, &query);
                let Some(m) = found else {
                    // Overflowing or limited costs may exclude all visited rows.
                    let limited = q.max_cost < f32::INFINITY || case.data.overflows();
                    prop_assert!(best.is_none() || limited, "{:?} found nothing", setting);
                    continue;
                };
                prop_assert!(best.is_some_and(|b| b.cost <= m.cost), "{:?} found a cost below the least", setting);
                if m.continuing {
                    prop_assert_eq!(Some(bits(m)), q.continuing.map(bits));
                    continue;
                }
                let row = m.row.at();
                prop_assert!(q.candidates.clip_rows(&db, db.row_clips[row].at()).contains(&row));
                prop_assert!(q.candidates.allow(&db, row, m.mirrored), "{:?}", setting);
                let sum = query.distance(&db, m.row, m.mirrored);
                let cost = sum + query.extra_cost(&db, row, m.mirrored);
                prop_assert_eq!(cost.to_bits(), m.cost.to_bits(), "{:?}", setting);
            }
        }
    }
}

#[test]
fn settings_out_of_range_are_moved_into_it() {
    let content =
        tiny::content(&[(3, false)], &tiny::channels(0, Residual::Squared), MirrorMode::Off, |r, c| (r * c) as f32);
    let db = Database::new(content).unwrap();
    let odd = [
        Setting::Flat(flat::Settings { small_rows: 0 }),
        Setting::KdTree(kdtree::Settings {
            max_depth: usize::MAX,
            min_leaf_rows: 0,
            leaves: usize::MAX,
            ..Default::default()
        }),
        Setting::KdTree(kdtree::Settings { max_depth: 0, ..Default::default() }),
        Setting::Pca(pca::Settings { components: 0, candidates: 0, leaf_rows: 0 }),
        Setting::Pca(pca::Settings { components: usize::MAX, candidates: usize::MAX, leaf_rows: usize::MAX }),
        Setting::Voxels(voxel::Settings {
            voxel_m: 0.0,
            poses_per_voxel: 0,
            run_rows: 0,
            position_m: f32::NAN,
            ..Default::default()
        }),
        Setting::Clusters(clusters::Settings {
            clusters: 0,
            nearest: 0,
            iterations: usize::MAX,
            training_rows: 0,
            ..Default::default()
        }),
        Setting::Clusters(clusters::Settings { clusters: usize::MAX, ..Default::default() }),
    ];
    let (features, ones) = (db.features.row(RowIndex(2)).to_vec(), vec![1.0; db.features.columns]);
    for setting in odd {
        let found =
            SearchIndex::build_with(&db, &setting).unwrap().search(&db, &SearchQuery::new(&features, &ones)).unwrap();
        assert_eq!((found.row.0, found.cost), (2, 0.0), "{setting:?}");
    }
}

#[test]
fn every_node_and_row_that_a_search_looks_at_is_counted() {
    // All rows are equal: none may be skipped. The second clip does not fill a box.
    for (mirror, sides) in [(MirrorMode::Off, 1), (MirrorMode::Query, 2)] {
        let clips = [(128, false), (20, false)];
        let db =
            Database::new(tiny::content(&clips, &tiny::channels(0, Residual::Squared), mirror, |_, _| 0.0)).unwrap();
        let (zeros, ones) = (vec![0.0; 10], vec![1.0; 10]);
        let expected = [
            (Setting::Brute, 0),
            // 2 and 1 large boxes, 8 and 2 small ones.
            (Setting::Boxes, 13),
            (Setting::Flat(flat::Settings::default()), 13),
            // 148 rows are 10 leaves below one node.
            (Setting::of(Backend::Tree), 10),
            // Two branches at each of 15 divisions.
            (Setting::KdTree(kdtree::Settings::default()), 30),
            (Setting::Clusters(clusters::Settings { nearest: usize::MAX, ..Default::default() }), 0),
        ];
        for (setting, nodes) in expected {
            let found = SearchIndex::build_with(&db, &setting).unwrap().touched(&db, &SearchQuery::new(&zeros, &ones));
            assert_eq!(found, Touched { nodes: sides * nodes, rows: sides * 148 }, "{setting:?}");
        }
    }
}

#[test]
fn structures_are_built_alike_each_time() {
    let db = smooth(3000, 2);
    let q: Vec<f32> = db.features.row(RowIndex(1234)).iter().map(|v| v + 0.2).collect();
    let ones = vec![1.0; db.features.columns];
    for setting in somewhere() {
        let find = || {
            let built = SearchIndex::build_with(&db, &setting).unwrap();
            (built.search(&db, &SearchQuery::new(&q, &ones)).map(bits), built.bytes())
        };
        assert_eq!(find(), find(), "{setting:?}");
    }
}

/// Returns a database similar to motion features: a few smooth signals, mixed into 27 columns, with a small individual part.
fn smooth(rows_per_clip: usize, clips: usize) -> Database {
    const LATENT: usize = 7;
    let user_width = 17;
    let columns = 10 + user_width;
    let mut r = Random(5);
    let mix: Vec<f32> = (0..columns * LATENT).map(|_| r.between(-1.0, 1.0)).collect();
    let mut values = Vec::with_capacity(rows_per_clip * clips * columns);
    for _ in 0..clips {
        // Each signal consists of two sines of random frequency and phase, and a slow drift between gaits.
        let waves: Vec<[f32; 6]> = (0..LATENT)
            .map(|i| {
                let speed = 1.0 + i as f32 * 0.37;
                let mut phase = || r.between(0.0, 6.0);
                let phases = [phase(), phase(), phase()];
                let mut rate = || speed * r.between(0.7, 1.4);
                [rate(), rate(), rate() * 0.05, phases[0], phases[1], phases[2]]
            })
            .collect();
        for t in 0..rows_per_clip {
            let time_s = t as f32 / 30.0;
            let sine = |w: f32, phase: f32| footwork::advanced::math::sin(w * time_s + phase);
            let latent: Vec<f32> = waves
                .iter()
                .map(|w| (1.0 + 0.7 * sine(w[2], w[5])) * (sine(w[0], w[3]) + 0.4 * sine(2.0 * w[1], w[4])))
                .collect();
            for c in 0..columns {
                let signal: f32 = latent.iter().zip(&mix[c * LATENT..]).map(|(l, m)| l * m).sum();
                values.push(0.7 * signal + 0.05 * r.between(-1.0, 1.0));
            }
        }
    }
    let channels = tiny::channels(user_width, Residual::Squared);
    let clips = vec![(rows_per_clip, false); clips];
    let content = tiny::content(&clips, &channels, MirrorMode::Off, |row, c| values[row * columns + c]);
    Database::new(content).unwrap()
}

/// Returns queries with the pose of a row and a changed trajectory, while another row plays.
fn changed_trajectories(db: &Database, count: usize, seed: u64) -> Vec<Question> {
    let trajectory = Columns::Trajectory.of(db);
    let columns = db.features.columns;
    let mut r = Random(seed);
    let spread: Vec<f32> = (0..columns).map(|c| spread(db, c)).collect();
    let ones = vec![1.0; columns];
    (0..count)
        .map(|_| {
            let row = r.below(db.rows());
            let mut features = db.features.row(RowIndex::new(row)).to_vec();
            for c in &trajectory {
                // The sum of three uniform numbers is approximately normal, with a variance of 1.
                features[*c] += 0.3 * spread[*c] * (0..3).map(|_| r.between(-1.0, 1.0)).sum::<f32>();
            }
            playing(db, features, ones.clone(), row)
        })
        .collect()
}

fn spread(db: &Database, column: usize) -> f32 {
    let values = || db.features.values.iter().skip(column).step_by(db.features.columns).map(|v| f64::from(*v));
    let n = db.rows() as f64;
    let mean = values().sum::<f64>() / n;
    (values().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n).sqrt() as f32
}

/// Returns the query of a character that plays a row, as in a game: near rows are excluded, and transitions have a cost.
fn playing(db: &Database, features: Vec<f32>, multipliers: Vec<f32>, row: usize) -> Question {
    let cost = SearchQuery::new(&features, &multipliers).distance(db, RowIndex::new(row), false);
    let rows = db.clips[db.row_clips[row].at()].row_range();
    let candidates = Candidates {
        end_exclusion_rows: 20,
        near: [(row.saturating_sub(20).max(rows.start), (row + 20).min(rows.end)), (0, 0)],
        ..Candidates::default()
    };
    let continuing = Some(Match { row: RowIndex::new(row), mirrored: false, cost, continuing: true });
    Question { candidates, continuing, ..Question::new(features, multipliers) }
}

/// Returns the share of queries for which the least cost was found.
fn recall(db: &Database, structure: &SearchIndex, questions: &[Question], wanted: &[Option<Match>]) -> f64 {
    let found = answers(db, structure, questions);
    let hits = found.iter().zip(wanted).filter(|(f, w)| f.map(|m| m.cost) == w.map(|m| m.cost));
    hits.count() as f64 / questions.len() as f64
}

fn wanted(db: &Database, questions: &[Question]) -> Vec<Option<Match>> {
    answers(db, &SearchIndex::build(db, Backend::Boxes), questions)
}

fn answers(db: &Database, structure: &SearchIndex, questions: &[Question]) -> Vec<Option<Match>> {
    let asked: Vec<SearchQuery> = questions.iter().map(Question::ask).collect();
    let mut found = vec![None; asked.len()];
    structure.search_many(db, &asked, &mut found);
    found
}

#[test]
fn many_boxes_are_searched_group_by_group() {
    let db = smooth(2500, 8);
    let questions = changed_trajectories(&db, 100, 4);
    let right = wanted(&db, &questions);
    // 5000 large boxes of 4 rows: more than are sorted together.
    for setting in [Setting::Flat(flat::Settings { small_rows: 1 }), Setting::KdTree(kdtree::Settings::default())] {
        let built = SearchIndex::build_with(&db, &setting).unwrap();
        for (found, right) in answers(&db, &built, &questions).iter().zip(&right) {
            assert_eq!(found.map(bits), right.map(bits));
        }
    }
}

#[test]
fn each_approximate_structure_reaches_a_recall_of_99_percent_at_a_setting_of_its_own() {
    let db = smooth(2500, 8);
    let mut questions = changed_trajectories(&db, 400, 3);
    // Without a playing row, which would be the result too often to test the search.
    questions.iter_mut().for_each(|q| q.continuing = None);
    let right = wanted(&db, &questions);
    let settings = [
        Setting::KdTree(kdtree::Settings { min_leaf_rows: 250, leaves: 16, ..kdtree::Settings::o3de() }),
        Setting::KdTree(kdtree::Settings { leaves: 128, ..Default::default() }),
        Setting::Pca(pca::Settings { components: 5, candidates: 200, ..Default::default() }),
        Setting::Voxels(voxel::Settings { position_m: 5.0, speed_mps: 10.0, ..Default::default() }),
        Setting::Clusters(clusters::Settings::trajectory()),
        Setting::Clusters(clusters::Settings::default()),
    ];
    let all = settings.map(|s| (recall(&db, &SearchIndex::build_with(&db, &s).unwrap(), &questions, &right), s));
    all.iter().for_each(|(reached, setting)| println!("{reached:.4} {setting:?}"));
    for (reached, setting) in all {
        assert!(reached >= 0.99, "{reached} {setting:?}");
    }
}

/// Returns consecutive rows of a clip with a trajectory that changes gradually into that of another time.
fn blended_trajectories(db: &Database, count: usize, seed: u64) -> Vec<Question> {
    let trajectory = Columns::Trajectory.of(db);
    let ones = vec![1.0; db.features.columns];
    let mut r = Random(seed);
    let mut all = Vec::new();
    while all.len() < count {
        let clip = &db.clips[r.below(db.clips.len())];
        if clip.rows < 400 {
            continue;
        }
        let (start, other) = (r.below(clip.rows as usize - 300), r.below(clip.rows as usize - 300));
        for k in 0..25 {
            let at = |start: usize| RowIndex::new(clip.first_row as usize + start + 6 * k);
            let mut features = db.features.row(at(start)).to_vec();
            for c in &trajectory {
                features[*c] =
                    footwork::advanced::math::lerp(features[*c], db.features.row(at(other))[*c], k as f32 / 24.0);
            }
            all.push(playing(db, features, ones.clone(), at(start).at()));
        }
    }
    all.truncate(count);
    all
}

/// Returns the queries of a character steered by a random stick.
fn steered(db: &Arc<Database>, count: usize, seed: u64) -> Vec<Question> {
    let config = MatcherConfig::default();
    let character = Character::new(db.clone(), config).unwrap();
    let mut states = [character.state_at(Transform::IDENTITY).unwrap()];
    let (mut scratch, mut outputs) = (character.scratch(), [character.output()]);
    let ones = vec![1.0; db.features.columns];
    let (mut all, mut last) = (Vec::<Question>::new(), Vec::new());
    for k in 0..count * 12 {
        let before = states[0].header.playback.playing;
        let input = random_stick(seed, k as f64 / 60.0);
        step(&character, &[input], 1.0 / 60.0, &mut states, &mut scratch, &mut outputs).unwrap();
        if scratch.last_query() == last || all.len() == count {
            continue;
        }
        last = scratch.last_query().to_vec();
        let clip = &db.clips[before.clip.at()];
        let row = ((before.time_s * f64::from(db.search_rate_hz)) as usize).min(clip.rows as usize - 1);
        all.push(playing(db, last.clone(), ones.clone(), clip.first_row as usize + row));
    }
    all
}

/// Returns the median time of a search, microseconds: for each query the median of three runs.
fn median_us(questions: &[Question], mut search: impl FnMut(&SearchQuery) -> Option<Match>) -> f64 {
    let mut of_queries: Vec<f64> = questions
        .iter()
        .map(|q| {
            let mut three = [0, 1, 2].map(|_| {
                let start = std::time::Instant::now();
                std::hint::black_box(search(&q.ask()));
                start.elapsed().as_secs_f64() * 1e6
            });
            three.sort_by(f64::total_cmp);
            three[1]
        })
        .collect();
    of_queries.sort_by(f64::total_cmp);
    of_queries[of_queries.len() / 2]
}

/// `FOOTWORK_DB=<file.fwdb> cargo test --release -p footwork --test it search_classics -- --ignored --nocapture`
#[test]
#[ignore = "measures a database given by FOOTWORK_DB"]
fn how_long_each_takes_on_a_database() {
    let path = std::env::var_os("FOOTWORK_DB").expect("FOOTWORK_DB names a .fwdb file");
    let db = Arc::new(Database::load(std::path::Path::new(&path)).unwrap());
    let count = 400;
    let mut r = Random(4);
    let weighed = steered(&db, count, 3).into_iter().map(|q| {
        let multipliers: Vec<f32> = q.multipliers.iter().map(|_| r.between(0.25, 2.0)).collect();
        let row = q.continuing.map_or(0, |m| m.row.at());
        playing(&db, q.features, multipliers, row)
    });
    let sets = [
        ("A", changed_trajectories(&db, count, 1)),
        ("B", blended_trajectories(&db, count, 2)),
        ("D", steered(&db, count, 3)),
        ("D weighed", weighed.collect()),
    ];
    println!(
        "{} rows, {} columns; us median (recall, and recall where nothing plays) of {count} queries each",
        db.rows(),
        db.features.columns
    );
    let right: Vec<_> = sets.iter().map(|(_, q)| wanted(&db, q)).collect();
    let without: Vec<Vec<Question>> =
        sets.iter().map(|(_, q)| q.iter().map(|q| Question { continuing: None, ..q.clone() }).collect()).collect();
    let right_without: Vec<_> = without.iter().map(|q| wanted(&db, q)).collect();
    for ((name, _), right) in sets.iter().zip(&right) {
        let jumps = right.iter().flatten().filter(|m| !m.continuing).count();
        println!("{name}: {jumps} of {count} jump");
    }
    for &backend in Backend::EXACT {
        let index = SearchIndex::build(&db, backend);
        let us =
            sets.each_ref().map(|(n, q)| format!("{n} {:8.1}       ", median_us(q, |query| index.search(&db, query))));
        println!("{} {}", us.join(" "), backend.name());
    }
    let kd = kdtree::Settings::default();
    let o3de = kdtree::Settings::o3de();
    let c = clusters::Settings::default();
    let v = voxel::Settings::default();
    let mut settings = vec![Setting::Flat(flat::Settings::default()), Setting::KdTree(kd)];
    for leaves in [1, 4, 24, 32] {
        settings.push(Setting::KdTree(kdtree::Settings { leaves, ..o3de }));
    }
    for leaves in [32, 128, 256] {
        settings.push(Setting::KdTree(kdtree::Settings { leaves, min_leaf_rows: 16, ..kd }));
    }
    for (components, candidates) in [(4, 200), (6, 200), (8, 200), (10, 200), (12, 100)] {
        settings.push(Setting::Pca(pca::Settings { components, candidates, ..Default::default() }));
    }
    for nearest in [8, 16, 32] {
        settings.push(Setting::Clusters(clusters::Settings { nearest, ..clusters::Settings::trajectory() }));
        settings.push(Setting::Clusters(clusters::Settings { nearest, ..c }));
    }
    for (position_m, speed_mps) in [(0.1, 0.5), (0.2, 1.0), (0.4, 2.0)] {
        settings.push(Setting::Voxels(voxel::Settings { position_m, speed_mps, ..v }));
    }
    for setting in settings {
        let start = std::time::Instant::now();
        let built = SearchIndex::build_with(&db, &setting).unwrap();
        let build_ms = start.elapsed().as_secs_f64() * 1e3;
        let cells = (0..sets.len()).map(|i| {
            let (name, questions) = &sets[i];
            let us = median_us(questions, |query| built.search(&db, query));
            let (playing, alone) =
                (recall(&db, &built, questions, &right[i]), recall(&db, &built, &without[i], &right_without[i]));
            format!("{name} {us:6.1} ({playing:.3}, {alone:.3})")
        });
        let cells: Vec<String> = cells.collect();
        let kib = built.bytes() / 1024;
        println!("{} {setting:?} {kib} KiB, built in {build_ms:.0} ms", cells.join(" "));
    }
}
