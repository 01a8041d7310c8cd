use super::*;
use crate::build::track::tests::raw;
use crate::build::{BlendPoint, BlendSpace, ClipRule, Multiply, TagRule};
use crate::clip::TimeRange;
use crate::math::{Quat, Transform, cos, sin};
use glam::Vec3;

const JOINTS: usize = 9;

/// Returns a clip of a body that walks along +Z at a speed: a root, hips, spine, and two legs of thigh,
/// shin and foot.
fn walk(name: &str, frames: usize, speed_mps: f32) -> RawClip {
    let names = ["Root", "Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot", "Spine"];
    let parents = [None, Some(0), Some(1), Some(2), Some(3), Some(1), Some(5), Some(6), Some(1)];
    let (aside, down) = (Vec3::X * 0.1, Vec3::NEG_Y * 0.45);
    let rest = [Vec3::ZERO, Vec3::Y * 0.9, aside, down, down, -aside, down, down, Vec3::Y * 0.4];
    let rest: Vec<Transform> = rest.map(|t| Transform::new(t, Quat::IDENTITY)).to_vec();
    let (mut translations, mut rotations) = (Vec::new(), Vec::<Quat>::new());
    for f in 0..frames {
        let t = f as f32 / 30.0;
        let (swing, bend) = (0.5 * sin(6.0 * t), 0.4 * cos(6.0 * t));
        translations.extend(rest.iter().map(|r| r.translation));
        translations[f * JOINTS] = Vec3::new(0.02 * sin(6.0 * t), 0.0, speed_mps * t);
        translations[f * JOINTS + 1].y += 0.02 * cos(12.0 * t);
        let turns = [0.0, 0.05 * sin(6.0 * t), swing, 0.4 + bend, 0.0, -swing, 0.4 - bend, 0.0, 0.0];
        rotations.extend(turns.map(Quat::from_rotation_x));
        for thigh in [2, 5] {
            let q = &mut rotations[f * JOINTS + thigh];
            *q = Quat::from_rotation_z(0.05 * cos(5.0 * t)) * *q;
        }
    }
    RawClip {
        name: name.into(),
        skeleton: Skeleton::new(
            names.map(str::to_owned).to_vec(),
            parents.map(|p: Option<usize>| p.map(JointIndex::new)).to_vec(),
            rest,
        )
        .unwrap(),
        translations,
        rotations,
        ..raw(1, 30.0)
    }
}

fn config() -> BuildConfig {
    let mut config = BuildConfig::default();
    config.multiply.mode = Multiply::Off;
    config
}

const OPTIONS: &BuildOptions<'static> = &BuildOptions { user: Vec::new(), encode_poses: false, progress: None };

/// Returns a draft of some clips after the first verb.
fn rooted<'a>(clips: &[RawClip], config: &'a BuildConfig) -> Draft<'a> {
    Draft::root(clips.into(), config, OPTIONS).unwrap()
}

/// Returns a draft of a walk and a run, after all verbs before the rows.
fn pooled(config: &BuildConfig) -> Draft<'_> {
    let mut draft = rooted(&[walk("walk", 90, 1.2), walk("run", 60, 3.0)], config);
    draft.label();
    draft.classify();
    draft.measure();
    draft.multiply();
    draft.pool();
    draft
}

/// Returns the same draft with the rows.
fn assembled(config: &BuildConfig) -> Draft<'_> {
    let mut draft = pooled(config);
    draft.resolve_schema().unwrap();
    draft.extract().unwrap();
    draft.assemble().unwrap();
    draft
}

#[test]
fn root_adds_rates_a_skeleton_with_roles_and_the_tracks() {
    let config = config();
    let draft = rooted(&[walk("a", 60, 1.2), walk("b", 60, 1.2)], &config);
    assert_eq!((draft.report.pose_rate_hz, draft.tracks.len(), draft.captured), (30.0, 2, 2));
    assert_eq!(draft.skeleton.name(draft.contact_joints[0]), "LeftFoot");
    assert_eq!(draft.report.roles["right_foot"], "RightFoot");
    assert!(draft.labels.is_empty() && draft.schema.channels.is_empty());
}

#[test]
fn short_tracks_are_left_out_and_reported() {
    let config = config();
    let mut draft = rooted(&[walk("long", 60, 1.2), walk("short", 5, 1.2)], &config);
    draft.leave_out_short().unwrap();
    assert_eq!((draft.tracks.len(), draft.report.skipped[0].name.as_str()), (1, "short"));
    let mut none = rooted(&[walk("short", 5, 1.2)], &config);
    assert!(matches!(none.leave_out_short(), Err(BuildError::NoUsableClip { .. })));
}

#[test]
fn a_track_that_continues_another_begins_where_that_one_ends() {
    let rule = ClipRule { name: "b".into(), before: Some("a".into()), ..Default::default() };
    let config = BuildConfig { clips: vec![rule], ..config() };
    let mut draft = rooted(&[walk("a", 60, 1.2), walk("b", 60, 1.2)], &config);
    let before = draft.tracks[1].frames();
    draft.chain().unwrap();
    assert!(draft.tracks[1].frames() >= before && draft.tracks.len() == 2);
}

#[test]
fn a_blend_space_without_loops_is_an_error_and_none_adds_nothing() {
    let plain = config();
    let mut draft = rooted(&[walk("a", 60, 1.2)], &plain);
    draft.blend().unwrap();
    assert_eq!((draft.captured, draft.report.blends.len()), (1, 0));
    let point = |clip: &str, at: f32| BlendPoint { clip: clip.into(), at };
    let clips = vec![point("a", 1.0), point("b", 2.0)];
    let space = BlendSpace { name: "s".into(), axis: String::new(), clips, steps: 1 };
    let config = BuildConfig { blend_spaces: vec![space], ..config() };
    let mut draft = rooted(&[walk("a", 60, 1.2), walk("b", 60, 2.0)], &config);
    assert!(draft.blend().is_err());
}

#[test]
fn labels_hold_each_foot_in_each_frame() {
    let config = config();
    let mut draft = rooted(&[walk("a", 60, 1.2)], &config);
    draft.label();
    assert_eq!((draft.labels[0].len(), draft.stances[0].len()), (60 * 2, 2));
}

#[test]
fn classes_follow_the_names() {
    let config = config();
    let mut draft = rooted(&[walk("walk", 60, 1.2), walk("sit", 60, 0.0)], &config);
    draft.label();
    draft.classify();
    assert_eq!(draft.taken.iter().map(|t| t.is_locomotion()).collect::<Vec<_>>(), [true, false]);
    assert!(draft.tracks[1].annotations.tags.iter().any(|t| t.name == Database::NO_LOCOMOTION));
    assert_eq!(draft.locomotion().len(), 1);
}

#[test]
fn the_stick_is_measured_in_steady_motion() {
    let config = config();
    let draft = pooled(&config);
    assert!((draft.leg_m - 0.9).abs() < 1e-3, "{}", draft.leg_m);
    assert!(draft.stick.goes[0] && !draft.stick.turns);
}

#[test]
fn multiplied_tracks_follow_the_captured_ones_with_labels_and_classes() {
    let mut forced = config();
    forced.multiply.mode = Multiply::On;
    for config in [config(), forced] {
        let draft = pooled(&config);
        let all = draft.clips.len();
        assert!(draft.tracks.is_empty() && draft.captured == 2 && all >= 2);
        assert_eq!([draft.labels.len(), draft.stances.len(), draft.taken.len()], [all; 3]);
    }
}

#[test]
fn the_pool_holds_every_frame_once() {
    let config = config();
    let draft = pooled(&config);
    assert_eq!((draft.poses.frames(), draft.usual.len()), (150, 150));
}

#[test]
fn the_schema_names_joints_of_the_skeleton() {
    let config = config();
    let mut draft = pooled(&config);
    draft.resolve_schema().unwrap();
    assert_eq!(draft.schema.columns, 27);
    assert!(draft.schema.channels.iter().any(|c| c.label.contains("LeftFoot")));
}

#[test]
fn rows_are_extracted_at_the_search_rate() {
    let config = BuildConfig { search_rate_hz: 10.0, ..config() };
    let mut draft = pooled(&config);
    draft.resolve_schema().unwrap();
    draft.extract().unwrap();
    assert_eq!(draft.extracted.row_frames.len(), 50);
    assert_eq!(draft.extracted.raw.len(), 50 * draft.schema.columns);
}

#[test]
fn stored_mirror_images_double_the_assembled_rows() {
    let (off, stored) = (config(), BuildConfig { mirror: MirrorMode::Stored, ..config() });
    let (one, two) = (assembled(&off), assembled(&stored));
    assert_eq!(2 * one.assembled.features.rows(), two.assembled.features.rows());
    assert_eq!((one.assembled.clips.len(), two.assembled.clips.len()), (2, 4));
    assert!(one.extracted.raw.is_empty());
}

#[test]
fn every_clip_is_summarized_with_its_class() {
    let config = config();
    let mut draft = assembled(&config);
    draft.summarize();
    let clips: Vec<(&str, &str)> = draft.report.clips.iter().map(|c| (c.name.as_str(), c.taken_for.as_str())).collect();
    assert_eq!(clips, [("walk", "locomotion"), ("run", "locomotion")]);
}

#[test]
fn the_rig_gets_a_standing_pose_and_rules_tag_by_it() {
    let rule = TagRule { tag: "fast".into(), when: "speed_mps > 2".into(), until: None, shortest_s: 0.2 };
    let config = BuildConfig { rules: vec![rule], ..config() };
    let rules = Rules::read(&config.rules).unwrap();
    let mut draft = assembled(&config);
    draft.stand();
    assert!(draft.rig.standing[1].translation.y > 0.8);
    draft.tag(&rules);
    let fast = |clip: &PooledClip| clip.annotations.tags.iter().any(|tag| tag.name == "fast");
    assert_eq!(draft.clips.iter().map(fast).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn the_finished_database_is_that_of_the_draft() {
    let config = config();
    let mut draft = assembled(&config);
    let rows = draft.assembled.features.rows();
    draft.summarize();
    draft.stand();
    let (db, report) = draft.finish().unwrap();
    assert_eq!((db.rows(), report.rows, report.columns), (rows, rows, db.schema.columns));
}

#[test]
fn a_run_calls_all_verbs_and_checks_first() {
    let mut clip = walk("walk", 90, 1.2);
    clip.annotations.discard.push(TimeRange { start_s: 2.9, end_s: 3.0 });
    let (db, report) = run(vec![clip, walk("run", 60, 3.0)].into(), &config(), OPTIONS).unwrap();
    assert_eq!((db.clips.len(), report.clips.len()), (2, 2));
    assert!(matches!(run(Vec::new().into(), &config(), OPTIONS), Err(BuildError::NoClips)));
}
