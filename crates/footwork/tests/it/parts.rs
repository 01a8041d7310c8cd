//! Parts of a database: together they are the whole, and searches of all of them find what a search of the whole finds.

use crate::common;

use common::{Random, tiny};
use footwork::advanced::search::{Backend, Candidates, Match, SearchIndex, SearchQuery};
use footwork::build::{BuildConfig, ClipRule, TagSpec};
use footwork::database::{Database, MirrorMode, TagSpan};
use footwork::frames::{ClipIndex, FrameIndex, RowIndex};
use footwork::schema::Residual;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

/// Returns all of a clip as text, with the bits of each number; rows and frames are counted from the clip's first.
fn told(db: &Database, clip: usize) -> String {
    fn bits<T: Debug + bytemuck::Pod>(values: &[T]) -> Vec<u32> {
        bytemuck::cast_slice::<T, f32>(values).iter().map(|v| v.to_bits()).collect()
    }
    let c = &db.clips[clip];
    let (frames, rows) = (c.frame_range(), c.row_range());
    let cut = |width: usize| frames.start * width..frames.end * width;
    let tags: Vec<Vec<&str>> = rows.clone().map(|row| db.tag_names(*db.row_tags(row)).collect()).collect();
    let spans: Vec<String> = (db.tag_spans.iter())
        .map(|s| (s.tag, s.start.at().max(frames.start), s.end.at().min(frames.end)))
        .filter(|(_, start, end)| start < end)
        .map(|(tag, start, end)| format!("{tag} {} {}", start - frames.start, end - frames.start))
        .collect();
    let events = db.events.iter().filter(|e| e.clip.at() == clip);
    let events: Vec<String> = events.map(|e| format!("{} {}", db.event_names[e.name.at()], e.time_s)).collect();
    let row_frames: Vec<usize> = db.row_frames[rows.clone()].iter().map(|f| f.at() - frames.start).collect();
    let features: Vec<Vec<u32>> = rows.clone().map(|row| bits(db.features.row(RowIndex::new(row)))).collect();
    let costs = if db.row_costs.is_empty() { vec![] } else { bits(&db.row_costs[rows.clone()]) };
    format!(
        "{} {} {} {:?} {} {:?} | {:?} {:?} {:?} {:?} | {row_frames:?} {features:?} {:?} {costs:?} {tags:?} {:?} {:?} | {spans:?} {events:?}",
        c.name,
        c.frames,
        c.rows,
        c.loop_delta,
        c.mirrored,
        c.source_start_s,
        bits(&db.poses.rotations[cut(db.poses.joints)]),
        bits(&db.poses.translations[cut(db.poses.translated.len())]),
        &db.contacts[cut(db.rig.contact_joints.len())],
        bits(&db.curves[cut(db.curve_names.len())]),
        &db.row_flags[rows.clone()],
        bits(&db.row_unrest[rows.clone()]),
        bits(&db.row_unsteadiness[rows]),
    )
}

/// Returns the parts of a database with the clip of the whole for each of their clips, as they are after a file.
fn parts(db: &Database, count: usize) -> Vec<(Database, Vec<ClipIndex>)> {
    let cuts = db.cuts(count).unwrap();
    assert_eq!(cuts.len(), count);
    let part = |originals: std::ops::Range<usize>| {
        let (part, clips) = db.part(&originals.collect::<Vec<_>>()).unwrap();
        let read = Database::from_bytes(&part.to_bytes().unwrap(), Path::new("part")).unwrap();
        assert_eq!(read.content_hash(), part.content_hash());
        assert_eq!(part.encoded_poses().is_some(), db.encoded_poses().is_some());
        (read.setting_aside(db.set_aside()), clips)
    };
    cuts.into_iter().map(part).collect()
}

/// Returns a database with the spans of tags of each clip in one order: those that several clips share are cut at their ends.
fn in_order(db: &Database) -> Database {
    let mut content = (**db).clone();
    let clips: Vec<_> = content.clips.iter().filter(|clip| !clip.mirrored).map(|clip| clip.frame_range()).collect();
    let cut = |clip: &std::ops::Range<usize>| {
        let (start, end) = (FrameIndex::new(clip.start), FrameIndex::new(clip.end));
        let inside =
            content.tag_spans.iter().map(move |s| TagSpan { start: s.start.max(start), end: s.end.min(end), ..*s });
        inside.filter(|s| s.start < s.end).collect::<Vec<_>>()
    };
    let mut spans: Vec<TagSpan> = clips.iter().flat_map(cut).collect();
    spans.sort_by_key(|s| (s.start, s.end, s.tag));
    content.tag_spans = spans;
    Database::new(content).unwrap()
}

/// Returns databases of each mirror mode, of encoded poses, and of tags over parts of clips.
fn databases() -> Vec<Database> {
    let rule = ClipRule {
        name: "*_left*".into(),
        tags: vec![TagSpec { name: "tired".into(), start_s: Some(0.25), end_s: None }],
        ..ClipRule::default()
    };
    let clips = super::codec::some_clips();
    let built =
        |mirror| common::built(&clips, &BuildConfig { mirror, clips: vec![rule.clone()], ..BuildConfig::default() }).0;
    let mut all: Vec<_> = [MirrorMode::Off, MirrorMode::Stored, MirrorMode::Query].into_iter().map(built).collect();
    all.push(super::codec::encoded(&clips, 0.5));
    all
}

#[test]
fn the_parts_of_a_database_are_the_whole() {
    for db in databases() {
        let whole: Vec<String> = (0..db.clips.len()).map(|clip| told(&db, clip)).collect();
        for count in [1, 2, 5, db.originals()] {
            let joined: Vec<Database> = parts(&db, count).into_iter().map(|(part, _)| part).collect();
            let joined = Database::join(&joined.iter().collect::<Vec<_>>()).unwrap();
            assert!(in_order(&joined).content_hash() == in_order(&db).content_hash(), "{count} parts");
            assert_eq!(joined.encoded_poses(), db.encoded_poses());
            let mut found = vec![String::new(); db.clips.len()];
            for (part, clips) in parts(&db, count) {
                assert!(part.rows() > 0 && clips.is_sorted() && clips.len() == part.clips.len());
                assert_eq!(part.shared_hash(), db.shared_hash());
                for (own, whole) in clips.iter().enumerate() {
                    found[whole.at()] += &told(&part, own);
                }
            }
            for (found, whole) in found.iter().zip(&whole) {
                assert!(found == whole, "{count} parts, {}", &whole[..40]);
            }
        }
    }
}

#[test]
fn some_clips_that_are_apart_are_a_part_too() {
    let db = common::gait(MirrorMode::Stored);
    let chosen = [1, 2, 7, db.originals() - 1];
    let (part, clips) = db.part(&chosen).unwrap();
    assert_eq!(part.clips.len(), 8);
    assert_eq!(clips[..4].iter().map(|clip| clip.at()).collect::<Vec<_>>(), chosen);
    for (own, whole) in clips.iter().enumerate() {
        assert_eq!(told(&part, own), told(&db, whole.at()));
    }
}

#[test]
fn parts_of_different_databases_are_not_joined() {
    let [a, b] = [MirrorMode::Off, MirrorMode::Query].map(|mirror| common::gait(mirror).part(&[0]).unwrap().0);
    let error = Database::join(&[&a, &b]).unwrap_err().to_string();
    assert!(error.contains("part 1"), "{error}");
    assert!(Database::join(&[]).is_err());
}

#[test]
fn cuts_are_of_about_the_same_duration_and_none_is_without_rows() {
    let db = common::gait(MirrorMode::Off);
    for count in [2, 3, 7] {
        let longest = db.clips.iter().map(|clip| clip.frames).max().unwrap() as usize;
        for cut in db.cuts(count).unwrap() {
            let frames: usize = db.clips[cut].iter().map(|clip| clip.frames as usize).sum();
            assert!(frames.abs_diff(db.frames() / count) <= longest, "{count}: {frames} of {}", db.frames());
        }
    }
    assert_eq!((db.cuts(0), db.cuts(db.originals() + 1)), (None, None));
    // Clips without rows join a neighbour.
    let mut content =
        tiny::content(&[(4, false); 5], &tiny::channels(0, Residual::Squared), MirrorMode::Off, |_, _| 0.0);
    for clip in [0, 3, 4] {
        content.clips[clip].rows = 0;
    }
    content.row_frames = (4..12).map(FrameIndex::new).collect();
    content.row_flags.truncate(8);
    content.features.values.truncate(8 * content.features.columns);
    for (first_row, clip) in [0, 0, 4, 8, 8].into_iter().zip(&mut content.clips) {
        clip.first_row = first_row;
    }
    let db = Database::new(content).unwrap();
    assert_eq!((db.cuts(2), db.cuts(3)), (Some(vec![0..2, 2..5]), None));
    assert!(db.part(&[3, 4]).is_err() && db.part(&[]).is_err());
}

/// Returns the best matches of all parts, merged by the rule of ties, with rows of the whole.
fn merged(
    db: &Database,
    parts: &[(Database, Vec<ClipIndex>)],
    ask: impl Fn(&Database) -> Candidates,
    features: &[f32],
    k: usize,
) -> Vec<Match> {
    let ones = vec![1.0; db.features.columns];
    let mut all = Vec::new();
    for (part, clips) in parts {
        let query = SearchQuery { candidates: ask(part), ..SearchQuery::new(features, &ones) };
        let mut room = vec![Match::default(); k];
        let found = SearchIndex::build(part, Backend::Tree).search_k(part, &query, &mut room);
        all.extend(room[..found].iter().map(|m| {
            let own = part.row_clips[m.row.at()].at();
            let row = db.clips[clips[own].at()].first_row + m.row.0 - part.clips[own].first_row;
            Match { row: RowIndex(row), ..*m }
        }));
    }
    all.sort_by(|a, b| a.cost.total_cmp(&b.cost).then((a.mirrored, a.row).cmp(&(b.mirrored, b.row))));
    all.truncate(k);
    all
}

#[test]
fn the_best_of_all_parts_is_the_best_of_the_whole() {
    for mirror in [MirrorMode::Off, MirrorMode::Stored, MirrorMode::Query] {
        let mut random = Random(3);
        // Few values: most costs are those of many rows, in several parts.
        let clips = [(7, false), (5, true), (1, false), (9, false), (7, false), (5, true)];
        let content = tiny::content(&clips, &tiny::channels(0, Residual::Squared), MirrorMode::Query, |_, _| {
            random.below(2) as f32
        });
        let query = Database::new(content).unwrap();
        let db = match mirror {
            MirrorMode::Off => {
                Database::new(tiny::content(&clips, &tiny::channels(0, Residual::Absolute), MirrorMode::Off, |_, _| {
                    random.below(2) as f32
                }))
            }
            MirrorMode::Stored => Database::new(tiny::stored(&query, &query.mirror_columns)),
            MirrorMode::Query => Ok(query),
        };
        let db = db.unwrap();
        for count in [1, 2, 3, 6] {
            let parts = parts(&db, count);
            for k in [1, 4, 100] {
                let features: Vec<f32> = (0..db.features.columns).map(|_| random.below(3) as f32).collect();
                let ones = vec![1.0; db.features.columns];
                let mut room = vec![Match::default(); k];
                let found = SearchIndex::build(&db, Backend::Brute).search_k(
                    &db,
                    &SearchQuery::new(&features, &ones),
                    &mut room,
                );
                let all = merged(&db, &parts, |_| Candidates::default(), &features, k);
                assert_eq!(all, room[..found], "{mirror:?}, {count} parts, {k}");
            }
        }
    }
}

/// A part whose rows all have the tag would not exclude them by itself.
#[test]
fn a_part_excludes_the_rows_that_the_whole_excludes() {
    let mut content =
        tiny::content(&[(4, false); 4], &tiny::channels(0, Residual::Squared), MirrorMode::Off, |row, _| row as f32);
    content.tags = ["fall", Database::NO_LOCOMOTION, "walk"].map(str::to_owned).to_vec();
    let span = |tag, clip: u32| TagSpan { tag, start: FrameIndex(4 * clip), end: FrameIndex(4 * clip + 4) };
    content.tag_spans = vec![span(1, 0), span(0, 1), span(1, 1), span(2, 2), span(2, 3), span(2, 0)];
    let db = Database::new(content).unwrap();
    for count in [1, 2, 4] {
        let parts = parts(&db, count);
        for text in ["", "walk", "fall", "!fall", "fall | walk"] {
            let accepted =
                |db: &Database| Candidates { tags: db.accepted(&db.tag_query(text).unwrap()), ..Candidates::default() };
            let rows = merged(&db, &parts, accepted, &vec![0.0; db.features.columns], 100);
            let mut rows: Vec<usize> = rows.iter().map(|m| m.row.at()).collect();
            rows.sort_unstable();
            let expected: Vec<usize> = match text {
                "fall" => (4..8).collect(),
                "fall | walk" => (0..16).collect(),
                _ => (8..16).collect(),
            };
            assert_eq!(rows, expected, "{count} parts, `{text}`");
        }
    }
}

#[test]
fn a_watched_index_tells_what_a_row_must_cost_to_change_a_search() {
    let values = |row: usize, column: usize| if column == 0 { row as f32 } else { 0.0 };
    let content = tiny::content(&[(6, false)], &tiny::channels(0, Residual::Squared), MirrorMode::Off, values);
    let db = Database::new(content).unwrap();
    let (told, limits) = std::sync::mpsc::channel();
    let told = std::sync::Mutex::new(told);
    let watch = move |query: &SearchQuery, limit: f32| {
        told.lock().unwrap().send((query.features.to_vec(), limit)).unwrap();
    };
    let index = Arc::new(SearchIndex::build(&db, Backend::Tree)).watched(watch);
    let (zeros, ones) = (vec![0.0; db.features.columns], vec![1.0; db.features.columns]);
    let query = SearchQuery::new(&zeros, &ones);
    let mut room = [Match::default(); 8];
    // The costs of the rows are 0, 1, 4, 9, 16, 25.
    for (k, max_cost, limit) in [(1, f32::INFINITY, 0.0), (3, 9.0, 4.0), (8, 20.0, 20.0), (8, f32::INFINITY, f32::MAX)]
    {
        let found = index.search_k(&db, &SearchQuery { max_cost, ..query }, &mut room[..k]);
        let mut plain = room;
        assert_eq!(
            SearchIndex::build(&db, Backend::Brute).search_k(&db, &SearchQuery { max_cost, ..query }, &mut plain[..k]),
            found
        );
        assert_eq!(plain, room);
        assert_eq!(limits.recv().unwrap(), (zeros.clone(), limit), "{k} rows up to {max_cost}");
    }
}
