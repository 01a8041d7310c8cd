//! Motion that default queries exclude does not change their results.

use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::clip::RawClip;
use footwork::database::{Clip, Database, TagQuery};
use footwork::input::{MotionInput, Stick};
use footwork::matcher::{Character, MatcherConfig, MotionMatcher};
use footwork::math::Transform;
use footwork_gait::{GaitOptions, joint};
use footwork_metrics::courses::{Run, course};
use footwork_metrics::recording::{Recording, record};
use footwork_metrics::source::Source;
use std::collections::BTreeMap;
use std::sync::Arc;

fn built(options: &GaitOptions) -> Arc<Database> {
    of(&footwork_gait::clips(options))
}

fn of(clips: &[RawClip]) -> Arc<Database> {
    Arc::new(build(clips, &BuildConfig::default(), &BuildOptions::default()).unwrap_or_else(|e| panic!("{e}")).0)
}

fn drive(db: &Arc<Database>) -> Recording {
    let character = Arc::new(Character::new(Arc::clone(db), MatcherConfig::default()).unwrap());
    record(&character, db, &Source::new(db), &course("a", Run::new(0)).unwrap()).unwrap()
}

/// Frames of the rows of each clip, from the start of the clip, with the bits of their features. Made clips stand behind all others.
fn clips(db: &Database) -> BTreeMap<&str, Vec<(usize, Vec<u32>)>> {
    let row = |clip: &Clip, row: usize| {
        let features = &db.features.values[row * db.schema.columns..][..db.schema.columns];
        (db.row_frames[row].at() - clip.frame_range().start, bits(features))
    };
    db.clips.iter().map(|c| (c.name.as_str(), c.row_range().map(|r| row(c, r)).collect())).collect()
}

/// Clip, time in it and mirroring after each update.
fn decisions<'a>(recording: &Recording, db: &'a Database) -> Vec<(&'a str, f64, bool)> {
    recording.playing.iter().map(|p| (db.clips[p.clip.at()].name.as_str(), p.time_s, p.mirrored)).collect()
}

/// Bit patterns of values.
fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn a_crouch_gestures_and_actions_change_neither_the_features_of_locomotion_nor_what_plays() {
    let level = GaitOptions { routes: false, ..GaitOptions::default() };
    let (plain, all) =
        (built(&level), built(&GaitOptions { crouch: true, gestures: true, actions: true, ..level.clone() }));
    assert!(all.rows() > plain.rows() + 3000, "{} and {}", plain.rows(), all.rows());
    assert_eq!(bits(&plain.features.offset), bits(&all.features.offset));
    assert_eq!(bits(&plain.features.scale), bits(&all.features.scale));
    let ours = clips(&plain);
    assert!(ours.len() > 50);
    let theirs = clips(&all);
    for (name, rows) in &ours {
        assert!(theirs.get(name) == Some(rows), "features of {name}");
    }
    assert_eq!(format!("{:?}", plain.rig), format!("{:?}", all.rig));
    assert_eq!(plain.stick, all.stick);

    // Tagged as locomotion, the same clips would change all of these values.
    let mut moves = footwork_gait::clips(&GaitOptions { crouch: true, gestures: true, actions: true, ..level });
    let tags = moves.iter_mut().flat_map(|c| &mut c.annotations.tags);
    tags.filter(|t| t.name == Database::NO_LOCOMOTION).for_each(|t| "locomotion".clone_into(&mut t.name));
    assert_ne!(bits(&plain.features.offset), bits(&of(&moves).features.offset));

    let (ours, theirs) = (drive(&plain), drive(&all));
    assert_eq!(decisions(&ours, &plain), decisions(&theirs, &all));
    let shown = |r: &Recording| r.motion.frames();
    assert!(shown(&ours) > 1000 && shown(&ours) == shown(&theirs));
}

/// Heights of the hips after each update of an idle or walking character under a query, metres.
fn hips_m(db: &Arc<Database>, tags: TagQuery, stick: Stick, updates: usize) -> Vec<f32> {
    let character = Arc::new(Character::new(Arc::clone(db), MatcherConfig::default()).unwrap());
    let mut matcher = MotionMatcher::of(character, Transform::IDENTITY).unwrap();
    let mut world = Vec::new();
    let mut update = |tags: TagQuery| {
        matcher.update(&MotionInput { tags, ..MotionInput::stick(stick) }, 1.0 / 60.0).unwrap();
        matcher.output().pose.world(&db.skeleton, &mut world);
        world[joint::HIPS].translation.y
    };
    for _ in 0..120 {
        update(TagQuery::default());
    }
    (0..updates).map(|_| update(tags)).collect()
}

#[test]
fn a_crouch_is_played_when_its_tag_is_asked_for_within_the_time_of_a_request() {
    let db = built(&GaitOptions { routes: false, crouch: true, gestures: true, ..GaitOptions::default() });
    let crouch = db.tag_query("crouch").unwrap();
    for (what, stick) in
        [("standing", Stick::default()), ("walking", Stick { movement: glam::Vec2::Y, ..Stick::default() })]
    {
        let upright = hips_m(&db, TagQuery::default(), stick, 180);
        assert!(upright.iter().all(|h| *h > 0.85), "{what}: nobody asked for a crouch");
        let hips = hips_m(&db, crouch, stick, 300);
        let end = hips[299];
        assert!((0.60..0.72).contains(&end), "{what}: {end}");
        let late = hips.iter().rposition(|h| (h - 0.645).abs() > 0.035).unwrap();
        println!("{what}: down after {:.2} s", late as f32 / 60.0);
        assert!(late < 48, "{what}: down after {:.2} s", late as f32 / 60.0);
    }
}
