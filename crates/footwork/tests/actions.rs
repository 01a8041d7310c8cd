//! Actions: read from a clip alone, found exactly, warped onto their contacts, refused with a reason.

mod common;

use footwork::actions::Actions;
use footwork::build::{BuildConfig, BuildOptions, Multiply, build};
use footwork::clip::{RawClip, TagRange, TimeRange};
use footwork::database::Database;
use footwork::input::{ActionContact, ActionRequest, Gait, MotionInput, Stick};
use footwork::matcher::{ActionStep, MatcherConfig, MotionMatcher};
use footwork::math::Facing;
use glam::Vec3;
use std::sync::{Arc, OnceLock};

/// Seconds at which the jump of [`jump`] leaves and touches the ground.
const JUMP_S: [f32; 2] = [1.0, 1.5];

/// A jump from a stand over `length_m`, made out of standing: the feet hang from the hips, which fly a parabola.
fn jump(length_m: f32) -> RawClip {
    let mut clip = common::clip("idle");
    let (joints, rate_hz) = (clip.skeleton.len(), clip.rate_hz);
    let frames = (2.6 * rate_hz) as usize;
    clip.translations.truncate(frames * joints);
    clip.rotations.truncate(frames * joints);
    clip.looping = false;
    clip.name = format!("jump_{}", (length_m * 100.0) as i32);
    let [from_s, to_s] = JUMP_S;
    for f in 0..frames {
        // A body that stands still: nothing else moves.
        for j in 0..joints {
            clip.translations[f * joints + j] = clip.translations[j];
            clip.rotations[f * joints + j] = clip.rotations[j];
        }
        let way = ((f as f32 / rate_hz - from_s) / (to_s - from_s)).clamp(0.0, 1.0);
        clip.translations[f * joints].z = way * length_m;
        clip.translations[f * joints + 1].y += 4.0 * 0.3 * way * (1.0 - way);
    }
    let whole = TimeRange { start_s: 0.0, end_s: 2.6 };
    clip.annotations = Default::default();
    clip.annotations.loops = Some(false);
    for tag in ["jump", Database::NO_LOCOMOTION] {
        clip.annotations.tags.push(TagRange { name: tag.into(), range: whole });
    }
    clip
}

fn database() -> Arc<Database> {
    static DB: OnceLock<Arc<Database>> = OnceLock::new();
    DB.get_or_init(|| {
        let mut clips = common::clips().to_vec();
        clips.extend([jump(1.0), jump(1.4)]);
        let mut config = BuildConfig::default();
        config.multiply.mode = Multiply::Off;
        Arc::new(build(&clips, &config, &BuildOptions::default()).unwrap().0)
    })
    .clone()
}

fn over(db: &Database, at: Vec3, facing: Facing, length_m: f32) -> ActionRequest {
    let contact = |position| Some(ActionContact { position, facing });
    ActionRequest {
        kind: db.action_kind("jump").unwrap(),
        contacts: [contact(at), contact(at + facing.direction() * length_m)],
        ..Default::default()
    }
}

#[test]
fn a_jump_is_read_from_its_motion() {
    let db = database();
    let actions = Actions::of(&db);
    let kind = db.action_kind("jump").unwrap();
    for (length_m, (_, action)) in [1.0, 1.4].into_iter().zip(actions.of_kind(kind)) {
        println!("{action:?}");
        let flight = action.flight_s.unwrap();
        assert!((flight[0] - JUMP_S[0]).abs() < 0.025 && (flight[1] - JUMP_S[1]).abs() < 0.025, "{flight:?}");
        assert_eq!(action.marks.len(), 2);
        let way = action.marks[1].position - action.marks[0].position;
        assert!((way.z - length_m).abs() < 0.02 && way.y.abs() < 0.02, "{way}");
        assert!(!action.holds);
    }
    assert_eq!(db.action_kind("jumb").unwrap_err().to_string().contains("jump"), true);
}

#[test]
fn a_request_is_approached_entered_and_met() {
    let db = database();
    let mut m = MotionMatcher::new(db.clone(), MatcherConfig::default()).unwrap();
    let stick = MotionInput::stick(Stick::towards(Vec3::Z, Gait::Walk));
    for _ in 0..60 {
        m.update(&stick, 1.0 / 60.0).unwrap();
    }
    let at = m.pose().world_from_root().translation + Vec3::new(0.3, 0.0, 3.0);
    let facing = Facing::from_yaw(0.2);
    let request = over(&db, at, facing, 1.2);
    let input = MotionInput { action: Some(request), ..stick };
    let mut steps = Vec::new();
    let mut off_m = Vec::new();
    for _ in 0..900 {
        m.update(&input, 1.0 / 60.0).unwrap();
        for event in m.output().actions.clone() {
            println!("{event:?}");
            steps.push(event.step);
            if let ActionStep::Touched { contact } = event.step {
                let action = &m.character().actions().all()[m.character().playing_action(m.state()).unwrap()];
                let joint = action.contacts.iter().find(|c| c.mark == Some(contact)).unwrap().joint;
                let toe = m.pose().world_from_root().point(m.pose().in_root(&db.skeleton, joint).translation);
                let wanted = request.contacts[contact].unwrap().position;
                off_m.push((toe - wanted) * Vec3::new(1.0, 0.0, 1.0));
            }
        }
    }
    assert!(
        matches!(
            steps[..],
            [
                ActionStep::Accepted,
                ActionStep::Entered { .. },
                ActionStep::Touched { contact: 0 },
                ActionStep::Touched { contact: 1 },
                ActionStep::Left
            ]
        ),
        "{steps:?}"
    );
    assert!(off_m.iter().all(|v| v.length() < 0.01), "{off_m:?}");
}
