//! Tests of `clip`.

use super::*;
use crate::math::Transform;

fn clip() -> RawClip {
    let skeleton = Skeleton::new(vec!["Hips".into()], vec![None], vec![Transform::IDENTITY]).unwrap();
    RawClip {
        name: "c".into(),
        source: "test".into(),
        skeleton,
        rate_hz: 30.0,
        looping: false,
        translations: vec![Vec3::ZERO; 4],
        rotations: vec![Quat::IDENTITY; 4],
        annotations: Annotations::default(),
    }
}

#[test]
fn nan_is_refused_with_its_frame_and_joint() {
    let mut c = clip();
    c.translations[2].y = f32::NAN;
    assert_eq!(c.validate().unwrap_err().to_string(), "clip `c`, frame 2, joint `Hips`: not a finite number");
}

#[test]
fn a_position_beyond_the_bound_is_refused_with_its_frame_and_joint() {
    let mut c = clip();
    c.translations[3].z = -FARTHEST_M.next_down();
    assert_eq!(c.validate(), Ok(()));
    c.translations[3].z = -FARTHEST_M;
    let why = c.validate().unwrap_err().to_string();
    assert!(
        why.starts_with(
            "clip `c`, frame 3, joint `Hips`: position: expected less than 2^30 m along every axis, found 1"
        ),
        "{why}"
    );
    let rest = Transform::new(Vec3::X * 1e28, Quat::IDENTITY);
    c = RawClip { skeleton: Skeleton::new(vec!["Hips".into()], vec![None], vec![rest]).unwrap(), ..clip() };
    let why = c.validate().unwrap_err().to_string();
    let (place, what) =
        ("clip `c`, joint `Hips`, rest pose: position: ", "expected less than 2^30 m along every axis, found 1e28");
    assert!(why.starts_with(&format!("{place}{what}")), "{why}");
}

#[test]
fn a_clip_without_frames_is_refused() {
    let mut c = clip();
    c.translations.clear();
    c.rotations.clear();
    assert_eq!(c.validate(), Err(ClipError::NoFrames { clip: "c".into() }));
}

#[test]
fn empty_ranges_and_unknown_contact_joints_are_refused() {
    let mut c = clip();
    c.annotations.discard.push(TimeRange { start_s: 1.0, end_s: 1.0 });
    assert!(c.validate().is_err());
    let mut c = clip();
    c.annotations.costs.push(CostRange { cost: 1.0, range: TimeRange { start_s: 1.0, end_s: f32::NAN } });
    assert!(c.validate().is_err());
    let mut c = clip();
    c.annotations.contacts.push(ContactTrack { joint: "Toe".into(), on: vec![true; 4] });
    assert!(c.validate().unwrap_err().to_string().contains("Toe"));
}

#[test]
fn costs_that_are_no_costs_are_refused() {
    let range = TimeRange { start_s: 0.0, end_s: 1.0 };
    for (cost, fine) in [(0.0, true), (2.5, true), (-0.1, false), (f32::NAN, false), (f32::INFINITY, false)] {
        let mut c = clip();
        c.annotations.costs.push(CostRange { cost, range });
        assert_eq!(c.validate().is_ok(), fine, "{cost}");
    }
}

#[test]
fn curves_are_linear_between_keys_and_constant_outside() {
    let c =
        Curve { name: "h".into(), width: 1, times_s: vec![1.0, 2.0, 2.0, 3.0], values: vec![0.0, 10.0, 20.0, 30.0] };
    let at = |t: f32| {
        let mut v = [0.0];
        c.sample(t, &mut v);
        v[0]
    };
    assert_eq!([at(0.0), at(1.5), at(2.5), at(9.0)], [0.0, 5.0, 25.0, 30.0]);
}
