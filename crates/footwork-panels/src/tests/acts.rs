//! Actions of a recording: what acts, where it touches, how far it is warped, and what became of requests.

use super::{DT_S, picture, render};
use crate::{Session, Studio, Tuning};
use egui::{Theme, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::input::{ActionContact, ActionRequest, Goal, MotionInput};
use footwork::matcher::{ActionView, Character, MotionMatcher};
use footwork::math::{Facing, Transform};
use footwork::recorder::{Recorder, RecorderConfig, Trace};
use glam::Vec3;
use std::sync::Arc;

/// Returns a recording: walls of 2.5 m and of 1 m are requested to be vaulted, at 1 s and at 2 s.
fn recorded() -> (Session, Trace) {
    let options = footwork_gait::GaitOptions { routes: false, actions: true, ..Default::default() };
    let clips = footwork_gait::clips(&options);
    let db = Arc::new(build(&clips, &BuildConfig::default(), &BuildOptions::default()).unwrap().0);
    let vault = db.action_kind("vault").unwrap();
    let character = Arc::new(Character::new(db.clone(), Default::default()).unwrap());
    let mut recorder = Recorder::new(&character, RecorderConfig::default());
    let mut matcher = MotionMatcher::of(character, Transform::IDENTITY).unwrap();
    let goal = Goal::Velocity { velocity: Vec3::Z * 1.5, facing: None };
    let wall = |id: u16, height_m: f32| {
        let hands = ActionContact { position: Vec3::new(0.1, height_m + 0.03, 5.05), facing: Facing::FORWARD };
        ActionRequest { go: true, ..ActionRequest::new(id, vault, hands) }
    };
    for k in 0..480 {
        let action = match k {
            0..60 => None,
            60..120 => Some(wall(3, 2.5)),
            _ => Some(wall(4, 1.0)),
        };
        recorder.update(&mut matcher, &MotionInput { goal, action, ..MotionInput::default() }, DT_S).unwrap();
    }
    (Session::new("a vault", db, Tuning::default()).unwrap(), recorder.trace())
}

/// Returns the update after which an action plays that has not touched yet, and one in which hands touch.
fn moments(session: &mut Session) -> [usize; 2] {
    let mut found = [usize::MAX; 2];
    for update in 0..session.tracks.len() {
        session.scrub(update);
        let Some(ActionView::Plays { action, clip_s, .. }) = session.shown().action_view() else { continue };
        let mark = session.shown().character().actions().all()[action].marks[0];
        let touches = (mark.start_s..mark.end_s).contains(&clip_s);
        if clip_s < mark.start_s - 0.3 || touches {
            found[usize::from(touches)] = update;
        }
    }
    found
}

#[test]
fn the_panel_shows_what_acts_its_warp_and_why_requests_were_rejected() {
    let (mut session, trace) = recorded();
    session.open_trace(trace).unwrap();
    let [before, touches] = moments(&mut session);
    let builder = Harness::builder().with_size(vec2(1280.0, 800.0)).with_step_dt(DT_S).with_theme(Theme::Dark);
    let draw = |ui: &mut egui::Ui, studio: &mut Studio| {
        studio.ui(ui, DT_S);
    };
    let mut harness = builder.build_ui_state(draw, Studio::new(session));
    harness.get_by_label("Actions").click();
    harness.state_mut().session.scrub(90);
    harness.run_steps(3);
    // One second and a half: the first request was rejected, and the second one has not come yet.
    assert!(harness.query_by_label("No action plays, and no request waits.").is_some());
    let rejected = "request 3, vault: rejected 1.00 s: contact 1 is";
    assert!(
        harness.query_by_label_contains(rejected).is_some()
            && harness.query_by_label_contains("nearest: vault").is_some()
    );
    assert!(harness.query_by_label_contains("request 4").is_none());

    harness.state_mut().session.scrub(before);
    harness.run_steps(3);
    assert!(harness.query_by_label_contains("Contact 1: 0.10, 1.03, 5.05 m; in 0.").is_some());
    for words in ["Request 4: ", "request 4, vault: accepted 2.00 s, entered", "Contact 2: ", "LeftHand"] {
        assert!(harness.query_by_label_contains(words).is_some(), "{words}");
    }
    picture(&mut harness, "acts_before");
    let with_rings = render(&mut harness);
    harness.state_mut().viewport.layers.contacts = false;
    harness.run_steps(2);
    if let (Some(with_rings), Some(without)) = (with_rings, render(&mut harness)) {
        let differ = with_rings.pixels().zip(without.pixels()).filter(|(a, b)| a != b).count();
        assert!(differ > 200, "{differ} pixels of rings");
    }

    harness.state_mut().viewport.layers.contacts = true;
    harness.state_mut().session.scrub(touches);
    harness.run_steps(3);
    assert!(harness.query_by_label_contains("Contact 1: 0.10, 1.03, 5.05 m; touches").is_some());
    picture(&mut harness, "acts_touches");
    harness.state_mut().session.scrub(usize::MAX);
    harness.run_steps(3);
    let whole: Vec<_> = harness.query_all_by_label_contains("request 4, vault: accepted 2.00 s").collect();
    assert_eq!(whole.len(), 1);
    let all = harness.state().session.tracks.requests();
    assert!(all.len() == 2 && all[1].touched_s.len() == 2 && all[1].left_s.is_some(), "{all:?}");
}

#[test]
fn data_without_actions_say_so() {
    let mut harness = super::harness([1280.0, 720.0], Theme::Light);
    harness.get_by_label("Actions").click();
    harness.run_steps(2);
    assert!(harness.query_by_label_contains("This data has no actions").is_some());
}
