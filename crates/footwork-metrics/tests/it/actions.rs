//! The course of actions on the built-in actions.

use footwork::build::{BuildConfig, BuildOptions, Multiply, build};
use footwork::matcher::{Character, MatcherConfig};
use footwork_gait::GaitOptions;
use footwork_metrics::actions::{
    ActionFigures, ActionsCourse, ActionsError, KINDS, LayoutCourse, MeetingCourse, ObstacleCourse,
};
use std::sync::{Arc, OnceLock};

/// Returns a character of built-in clips, with or without actions.
fn character(actions: bool) -> Arc<Character> {
    let clips = footwork_gait::clips(&GaitOptions { routes: false, actions, ..Default::default() });
    let mut config = BuildConfig::default();
    config.multiply.mode = Multiply::Off;
    let (db, _) = build(&clips, &config, &BuildOptions::default()).unwrap();
    Arc::new(Character::new(Arc::new(db), MatcherConfig::default()).unwrap())
}

fn acting() -> &'static Arc<Character> {
    static CHARACTER: OnceLock<Arc<Character>> = OnceLock::new();
    CHARACTER.get_or_init(|| character(true))
}

/// The same, which goes to its actions by itself.
fn arriving() -> &'static Arc<Character> {
    static CHARACTER: OnceLock<Arc<Character>> = OnceLock::new();
    CHARACTER.get_or_init(|| {
        let mut config = acting().config().clone();
        config.actions.arrives = true;
        Arc::new(acting().with_config(config).unwrap())
    })
}

fn run(dt_s: f32, jitter: bool) -> ActionFigures {
    let character = arriving();
    ActionsCourse { requests: 260, seed: 5, dt_s, jitter }.run(character, || ()).unwrap()
}

#[test]
fn reachable_requests_are_met_and_the_others_rejected() {
    let found = run(1.0 / 60.0, false);
    assert_eq!((found.requests, found.taken_by_kind_pct.len()), (260, KINDS.len()));
    assert!(found.taken_pct_of_reachable >= 90.0 && found.refused_pct_of_unreachable >= 95.0, "{found:?}");
    assert!(found.contacts > 100 && found.timed > 20, "{found:?}");
    assert!(found.contact_hold_error_m_p99 < 0.01 && found.contact_error_m_p50 < 0.002, "{found:?}");
    assert!(found.contact_error_s_p99 < 1e-3 && found.plant_slide_m_p90 < 0.03, "{found:?}");
    assert_eq!((found.notifies_lost, found.notifies_doubled), (0, 0));
    assert!(found.worst.len() == 3 && found.worst.values().all(|worst| !worst.clip.is_empty()), "{:?}", found.worst);
}

#[test]
fn the_time_step_changes_no_decision() {
    let reference = run(1.0 / 60.0, false).decision_hash;
    for (dt_s, jitter) in [(1.0 / 144.0, false), (1.0 / 30.0, true)] {
        assert_eq!(run(dt_s, jitter).decision_hash, reference, "{dt_s} {jitter}");
    }
}

#[test]
fn a_character_without_actions_is_an_error() {
    let course = ActionsCourse { requests: 4, seed: 1, dt_s: 1.0 / 60.0, jitter: false };
    let error = course.run(&character(false), || ()).unwrap_err();
    assert!(matches!(error, ActionsError::NoKind("jump")) && error.to_string().contains("no_locomotion"), "{error}");
}

#[test]
fn bodies_stay_out_of_obstacles_and_keep_their_way() {
    let found = ObstacleCourse { runs: 6, seconds: 40, seed: 3 }.run(acting()).unwrap();
    println!("{found:?}");
    assert!(found.inside_pct_without > 5.0, "a field without obstacles proves nothing: {found:?}");
    assert!(found.inside_m_p95 <= 0.03 && found.inside_time_ratio <= 0.1 && found.distance_ratio >= 0.9, "{found:?}");
}

#[test]
fn boxes_without_mark_up_are_passed_by_actions() {
    let course = LayoutCourse { layouts: 50, seed: 7 };
    let found = course.run(arriving()).unwrap();
    println!("{found:?}");
    assert_eq!((found.layouts_crossed, found.layouts_stuck, found.layout_edges), (50, 0, 600), "{found:?}");
    assert!(found.layout_taken_pct >= 95.0 && found.layout_hips_inside_m_p99 == 0.0, "{found:?}");
    // Without actions, the first wall is the end.
    let found = LayoutCourse { layouts: 2, ..course }.run(&character(false)).unwrap();
    assert_eq!((found.layouts_crossed, found.layouts_stuck, found.layout_taken_pct), (0, 2, 0.0), "{found:?}");
}

#[test]
fn hands_meet_from_most_starts() {
    let found = MeetingCourse { starts: 60, seed: 3 }.run(acting()).unwrap();
    println!("{found:?}");
    assert!(found.handshake_taken_pct >= 80.0 && found.handshake_hand_m_p99 <= 0.02, "{found:?}");
}
