//! Invariant 7: everything that must persist between frames is one small plain struct.

use crate::common;

use footwork::build::{BuildConfig, SchemaConfig};
use footwork::database::{Database, MirrorMode};
use footwork::input::{Goal, MotionInput, Path};
use footwork::matcher::{MatcherConfig, MatcherState, MotionMatcher};
use footwork::schema::Preset;
use glam::Vec3;
use std::sync::Arc;

fn o3de() -> Arc<Database> {
    let schema = SchemaConfig { preset: Some(Preset::O3de), ..Default::default() };
    Arc::new(common::built(common::clips(), &BuildConfig { schema, ..Default::default() }).0)
}

fn path() -> Path {
    Path::new(vec![Vec3::ZERO, Vec3::Z * 5.0, Vec3::new(8.0, 0.0, 5.0)], false).unwrap()
}

/// Returns a stick, a path and an unsteered input in turn.
fn input(path: &Path, k: u32) -> MotionInput<'_> {
    match (k / 150) % 3 {
        0 => common::random_stick(21, f64::from(k) / 60.0),
        1 => MotionInput { goal: Goal::Path { path, speed_mps: 1.5 }, ..Default::default() },
        _ => common::unsteered(),
    }
}

#[test]
fn the_state_of_23_joints_takes_at_most_4_kib_even_when_the_schema_looks_back() {
    for db in [common::gait_full(), o3de()] {
        // The built-in character has 22 joints and a root.
        assert!((22..=24).contains(&db.skeleton.len()), "{}", db.skeleton.len());
        let m = MotionMatcher::new(db, MatcherConfig::default()).unwrap();
        assert!(m.state().bytes() <= 4096, "{} bytes", m.state().bytes());
        println!("{} bytes", m.state().bytes());
    }
}

#[test]
fn the_state_is_all_that_counts_a_fresh_character_takes_over_bit_for_bit_at_any_moment() {
    let path = path();
    for db in [common::gait(MirrorMode::Query), o3de()] {
        let new = || MotionMatcher::new(db.clone(), MatcherConfig::default()).unwrap();
        let mut whole = new();
        for k in 0..100 {
            whole.update(&input(&path, k), 1.0 / 60.0).unwrap();
        }
        let mut other = new();
        other.restore(whole.state()).unwrap();
        assert_eq!(whole.pose(), other.pose(), "the pose is shown at once");
        for k in 100..600 {
            // In the other half of the time a third character, last in another state, continues.
            if k % 50 == 0 {
                let mut third = new();
                third.update(&common::walk(Vec3::X), 0.5).unwrap();
                third.restore(other.state()).unwrap();
                other = third;
            }
            let dt_s = if k % 9 == 0 { 0.03 } else { 1.0 / 60.0 };
            let a = whole.update(&input(&path, k), dt_s).unwrap().clone();
            let b = other.update(&input(&path, k), dt_s).unwrap();
            assert_eq!(&a, b, "update {k}");
            assert_eq!(common::bits(whole.state()), common::bits(other.state()), "update {k}");
            assert_eq!(whole.output().events, other.output().events);
            assert_eq!(whole.output().contacts, other.output().contacts);
        }
        assert!(whole.state().header.transition.count > 10);
    }
}

#[test]
fn with_every_stage_on_a_restored_character_continues_bit_for_bit() {
    let (db, ground) = (common::gait_full(), |at: Vec3| common::stages::hill(at));
    let new = || MotionMatcher::new(db.clone(), common::stages::all_on()).unwrap();
    let input = |k: u32| common::stages::everything(f64::from(k) / 60.0, &ground);
    let mut whole = new();
    for k in 0..600 {
        let dt_s = if k % 9 == 0 { 0.03 } else { 1.0 / 60.0 };
        if k % 37 == 0 {
            let mut other = new();
            other.restore(whole.state()).unwrap();
            assert_eq!(whole.pose(), other.pose(), "update {k}: the pose is shown at once");
            for j in k..k + 20 {
                other.update(&input(j), 1.0 / 60.0).unwrap();
            }
            other.restore(whole.state()).unwrap();
            let a = whole.update(&input(k), dt_s).unwrap().clone();
            assert_eq!(&a, other.update(&input(k), dt_s).unwrap(), "update {k}");
            assert_eq!(common::bits(whole.state()), common::bits(other.state()), "update {k}");
        } else {
            whole.update(&input(k), dt_s).unwrap();
        }
    }
    let h = &whole.state().header;
    assert!(h.legs.warp.turn.value != 0.0 && h.legs.warp.stride.longer.value != 0.0, "{:?}", h.legs.warp);
    assert!(
        h.corrections.body.seen == 1.0
            && h.corrections.gaze.weight.value > 0.0
            && h.corrections.hands[0].weight.value != 0.0
    );
}

#[test]
fn a_copy_made_over_another_state_is_the_same_to_the_bit() {
    let db = o3de();
    let mut m = MotionMatcher::new(db.clone(), MatcherConfig::default()).unwrap();
    let mut copy: MatcherState = m.state().clone();
    for k in 0..120 {
        m.update(&common::random_stick(5, f64::from(k) / 60.0), 1.0 / 60.0).unwrap();
    }
    assert_ne!(common::bits(&copy), common::bits(m.state()));
    copy.clone_from(m.state());
    assert_eq!(common::bits(&copy), common::bits(m.state()));
    // Also over a state of a different size.
    let mut small =
        MotionMatcher::new(common::gait(MirrorMode::Off), MatcherConfig::default()).unwrap().state().clone();
    small.clone_from(m.state());
    assert_eq!(common::bits(&small), common::bits(m.state()));
}

#[cfg(feature = "serde")]
#[test]
fn a_state_that_went_through_json_continues_bit_for_bit() {
    let path = path();
    let db = o3de();
    let mut m = MotionMatcher::new(db.clone(), MatcherConfig::default()).unwrap();
    for k in 0..333 {
        m.update(&input(&path, k), 1.0 / 60.0).unwrap();
    }
    let json = serde_json::to_string(m.state()).unwrap();
    let read: MatcherState = serde_json::from_str(&json).unwrap();
    assert_eq!(common::bits(&read), common::bits(m.state()));
    let mut other = MotionMatcher::new(db, MatcherConfig::default()).unwrap();
    other.restore(&read).unwrap();
    for k in 333..833 {
        let a = m.update(&input(&path, k), 1.0 / 60.0).unwrap().clone();
        assert_eq!(&a, other.update(&input(&path, k), 1.0 / 60.0).unwrap(), "update {k}");
    }
    assert_eq!(common::bits(other.state()), common::bits(m.state()));
}
