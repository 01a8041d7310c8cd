//! Motion that default queries exclude does not change their results.

use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::clip::RawClip;
use footwork::database::{Database, TagQuery};
use footwork::input::{MotionInput, Stick};
use footwork::matcher::{Character, MatcherConfig, MotionMatcher};
use footwork::math::Transform;
use footwork_gait::{GaitOptions, joint};
use footwork_metrics::courses::{Run, course};
use footwork_metrics::recording::{Recording, record};
use footwork_metrics::source::Source;
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
    let values = plain.features.values.len();
    assert!(bits(&plain.features.values) == bits(&all.features.values[..values]), "features of locomotion");
    assert_eq!(plain.row_frames, all.row_frames[..plain.rows()]);
    assert_eq!(format!("{:?}", plain.rig), format!("{:?}", all.rig));
    assert_eq!(plain.stick, all.stick);

    // Tagged as locomotion, the same clips would change all of these values.
    let mut clips = footwork_gait::clips(&GaitOptions { crouch: true, gestures: true, actions: true, ..level });
    let tags = clips.iter_mut().flat_map(|c| &mut c.annotations.tags);
    tags.filter(|t| t.name == Database::NO_LOCOMOTION).for_each(|t| "locomotion".clone_into(&mut t.name));
    assert_ne!(bits(&plain.features.offset), bits(&of(&clips).features.offset));

    let (ours, theirs) = (drive(&plain), drive(&all));
    assert_eq!(ours.first_other_decision(&theirs), None);
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
