//! Invariant 6: values that are not finite are rejected with the name of the field, and the state is unchanged.

use crate::common;

use common::tiny;
use footwork::build::{BuildConfig, BuildOptions, SchemaConfig, build};
use footwork::database::{Database, MirrorMode};
use footwork::input::{Goal, InputError, MotionInput, Path, Stick, TrajectoryPoint};
use footwork::matcher::Character;
use footwork::matcher::{MatcherConfig, MotionMatcher, step};
use footwork::math::Facing;
use footwork::math::Transform;
use footwork::schema::{ChannelSpec, Preset, Residual};
use glam::{Vec2, Vec3};
use std::sync::Arc;

const BAD: [f32; 3] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];

/// Returns a moving character with a user channel of two values.
fn moving() -> MotionMatcher {
    let schema = SchemaConfig {
        preset: Some(Preset::Holden),
        channels: vec![ChannelSpec::user("ball", 2, 0.2)],
        ..Default::default()
    };
    let values = |_: &str, time_s: f64, out: &mut [f32]| out.copy_from_slice(&[time_s as f32, -time_s as f32]);
    let options = BuildOptions { user: vec![("ball".into(), &values)], ..Default::default() };
    let db = build(common::clips(), &BuildConfig { schema, ..Default::default() }, &options).unwrap().0;
    let mut m = MotionMatcher::new(Arc::new(db), MatcherConfig::default()).unwrap();
    for k in 0..90 {
        let input = MotionInput { user: &[0.1, 0.2], ..common::random_stick(4, f64::from(k) / 60.0) };
        m.update(&input, 1.0 / 60.0).unwrap();
    }
    m
}

/// Returns all observable values of a character, bit by bit.
fn seen(m: &MotionMatcher) -> String {
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    common::hash_pose(&mut hash, m.pose());
    format!("{} {:x}", common::bits(m.state()), hash.digest128())
}

#[test]
fn a_number_that_is_not_finite_is_refused_in_every_field_by_name_and_nothing_moves() {
    let mut m = moving();
    let before = seen(&m);
    let mut refuse = |field: &str, goal: Goal, user: &[f32]| {
        let e = m.update(&MotionInput { goal, user, ..Default::default() }, 1.0 / 60.0).unwrap_err();
        assert!(matches!(e, InputError::NotUsable { .. }), "{field}: {e}");
        assert!(e.to_string().contains(&format!("`{field}`")), "{field}: {e}");
        assert_eq!(seen(&m), before, "{field}");
    };
    let user = &[0.0, 0.0];
    let stick = Stick::default;
    let point = |time_s: f32, x: f32, yaw_x: f32| TrajectoryPoint {
        time_s,
        position: Vec3::new(0.0, x, 0.0),
        facing: Facing { x: yaw_x, z: 1.0 },
    };
    let path = Path::new(vec![Vec3::ZERO, Vec3::Z], false).unwrap();
    for bad in BAD {
        for at in 0..2 {
            let v = if at == 0 { Vec2::new(bad, 0.0) } else { Vec2::new(0.0, bad) };
            refuse("stick.movement", Goal::Stick(Stick { movement: v, ..stick() }), user);
            refuse("stick.look", Goal::Stick(Stick { look: v, ..stick() }), user);
            let values = if at == 0 { [bad, 0.0] } else { [0.0, bad] };
            refuse("user", Goal::None, &values);
            let facing = Some(Facing { x: values[0], z: values[1] });
            refuse("facing", Goal::Velocity { velocity: Vec3::ZERO, facing }, user);
        }
        for at in 0..3 {
            let mut velocity = Vec3::ZERO;
            velocity[at] = bad;
            refuse("velocity", Goal::Velocity { velocity, facing: None }, user);
        }
        refuse("stick.camera_yaw_rad", Goal::Stick(Stick { camera_yaw_rad: bad, ..stick() }), user);
        refuse("stick.camera_yaw_rate_radps", Goal::Stick(Stick { camera_yaw_rate_radps: bad, ..stick() }), user);
        refuse("path.speed_mps", Goal::Path { path: &path, speed_mps: bad }, user);
        refuse("trajectory.position", Goal::Trajectory(&[point(0.0, 0.0, 0.0), point(1.0, bad, 0.0)]), user);
        refuse("trajectory.facing", Goal::Trajectory(&[point(0.0, 0.0, bad)]), user);
        refuse("trajectory.time_s", Goal::Trajectory(&[point(0.0, 0.0, 0.0), point(bad, 0.0, 0.0)]), user);
    }
}

#[test]
fn a_clip_that_is_too_far_off_to_be_told_in_numbers_plays_on() {
    // The square of the user channel's difference is infinite.
    let far = tiny::content(&[(40, true)], &tiny::channels(1, Residual::Squared), MirrorMode::Off, |_, c| {
        if c == 10 { 1e30 } else { 0.0 }
    });
    let mut m = MotionMatcher::new(Arc::new(Database::new(far).unwrap()), MatcherConfig::default()).unwrap();
    for _ in 0..60 {
        let pose = m.update(&MotionInput { user: &[0.0], ..Default::default() }, 1.0 / 60.0).unwrap();
        assert!(pose.translations.iter().all(|t| t.is_finite()) && pose.rotations.iter().all(|r| r.is_finite()));
    }
}

#[test]
fn a_time_step_that_is_none_is_refused_and_nothing_moves() {
    let mut m = moving();
    let before = seen(&m);
    let input = MotionInput { user: &[0.0, 0.0], ..Default::default() };
    for dt_s in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, -1e-9, 11.0, f32::MAX] {
        let e = m.update(&input, dt_s).unwrap_err();
        assert!(matches!(e, InputError::TimeStep { .. }) && e.to_string().contains("0 to 10"), "{e}");
        assert_eq!(seen(&m), before, "{dt_s}");
    }
    for dt_s in [0.0, -0.0, f32::MIN_POSITIVE, 10.0] {
        m.update(&input, dt_s).unwrap();
    }
}

#[test]
fn inputs_that_do_not_fit_are_refused_and_nothing_moves() {
    let mut m = moving();
    let before = seen(&m);
    let at = |time_s| TrajectoryPoint { time_s, position: Vec3::ZERO, facing: Facing::default() };
    let user = &[0.0, 0.0][..];
    let cases = [
        (MotionInput { user: &[], ..Default::default() }, "`user` has 0 values"),
        (MotionInput { user: &[0.0; 3], ..Default::default() }, "take 2"),
        (MotionInput { goal: Goal::Trajectory(&[]), user, ..Default::default() }, "no points"),
        (MotionInput { goal: Goal::Trajectory(&[at(1.0), at(1.0)]), user, ..Default::default() }, "must rise"),
    ];
    for (input, says) in cases {
        let e = m.update(&input, 1.0 / 60.0).unwrap_err().to_string();
        assert!(e.contains(says), "{e}");
        assert_eq!(seen(&m), before);
    }
}

#[test]
fn one_bad_input_among_many_characters_stops_that_one_alone_and_slices_that_do_not_fit_stop_all() {
    let db = common::gait(MirrorMode::Off);
    let config = MatcherConfig::default();
    let character = Character::new(db, config).unwrap();
    let start = character.state_at(Transform::IDENTITY).unwrap();
    let mut states: Vec<_> = (0..4).map(|_| start.clone()).collect();
    let mut outputs: Vec<_> = (0..4).map(|_| character.output()).collect();
    let mut scratch = character.scratch();
    let good = common::walk(Vec3::Z);
    let bad = MotionInput::stick(Stick { movement: Vec2::NAN, ..Stick::default() });
    let inputs = [good, good, good, bad];
    assert!(step(&character, &inputs, 0.1, &mut states, &mut scratch, &mut outputs).is_err());
    assert!(states[..3].iter().all(|s| common::bits(s) != common::bits(&start)));
    assert!(common::bits(&states[3]) == common::bits(&start) && outputs[3].refused.is_some());
    let start: Vec<_> = states.iter().map(common::bits).collect();
    let e = step(&character, &[good; 3], 0.1, &mut states, &mut scratch, &mut outputs).unwrap_err();
    assert_eq!(e, InputError::Characters { what: "inputs", expected: 4, found: 3 });
    let e = step(&character, &[good; 4], 0.1, &mut states, &mut scratch, &mut outputs[..3]).unwrap_err();
    assert_eq!(e, InputError::Characters { what: "outputs", expected: 4, found: 3 });
    assert!(states.iter().map(common::bits).eq(start));
}

#[test]
fn a_state_of_another_database_is_refused_and_the_character_stays_as_it_was() {
    let mut m = moving();
    let before = seen(&m);
    let other = common::gait(MirrorMode::Off);
    let foreign = MotionMatcher::new(other, MatcherConfig::default()).unwrap().state().clone();
    assert_eq!(m.restore(&foreign), Err(InputError::ForeignState { character: 0 }));
    let mut own = m.state().clone();
    own.header.version += 1;
    assert!(m.restore(&own).is_err(), "another version");
    let mut own = m.state().clone();
    own.block.pop();
    assert!(m.restore(&own).is_err(), "too short");
    let mut own = m.state().clone();
    own.header.playback.playing.clip.0 = 1_000_000;
    assert!(m.restore(&own).is_err(), "a clip that is not there");
    assert_eq!(seen(&m), before);
    m.update(&MotionInput { user: &[0.0, 0.0], ..Default::default() }, 0.1).unwrap();
}

#[test]
fn wild_but_finite_input_never_makes_a_pose_that_is_not_finite() {
    let db = common::gait(MirrorMode::Query);
    let mut m = MotionMatcher::new(db, MatcherConfig::default()).unwrap();
    let mut r = common::Random(11);
    for k in 0..2000 {
        let big = |r: &mut common::Random| r.between(-1.0, 1.0) * r.pick(&[0.0, 1e-30, 1.0, 10.0, 1e3]);
        let stick = Stick {
            movement: Vec2::new(big(&mut r), big(&mut r)),
            look: Vec2::new(big(&mut r), big(&mut r)),
            camera_yaw_rad: big(&mut r),
            camera_yaw_rate_radps: big(&mut r),
            strafe: r.unit() < 0.5,
            ..Stick::default()
        };
        let input = match k % 3 {
            0 => MotionInput::stick(stick),
            1 => {
                let velocity = Vec3::new(big(&mut r), 0.0, big(&mut r));
                MotionInput { goal: Goal::Velocity { velocity, facing: None }, ..Default::default() }
            }
            _ => common::unsteered(),
        };
        let dt_s = r.pick(&[1e-6, 0.001, 0.016, 0.3]);
        let pose = m.update(&input, dt_s).unwrap();
        let finite = pose.translations.iter().all(|t| t.is_finite()) && pose.rotations.iter().all(|q| q.is_finite());
        assert!(finite, "update {k}: {input:?}");
    }
}

#[test]
fn clips_and_databases_with_numbers_that_are_not_finite_are_refused() {
    for bad in BAD {
        let mut clip = common::clip("walk_125");
        let joints = clip.skeleton.len();
        clip.rotations[7 * joints + 3].y = bad;
        let name = clip.skeleton.names()[3].clone();
        let e = build(&[clip], &BuildConfig::default(), &BuildOptions::default()).unwrap_err().to_string();
        assert!(e.contains("walk_125") && e.contains("frame 7") && e.contains(&name), "{e}");

        let channels = tiny::channels(1, Residual::Squared);
        let good = tiny::content(&[(20, false)], &channels, MirrorMode::Off, |r, c| (r * c) as f32);
        let mut c = good.clone();
        c.features.values[33] = bad;
        assert!(Database::new(c).unwrap_err().to_string().contains("`features`, value 33"));
        let mut c = good.clone();
        c.features.scale[1] = bad;
        assert!(Database::new(c).unwrap_err().to_string().contains("feature_scale"));
        let mut c = good.clone();
        c.poses.translations[5].z = bad;
        assert!(Database::new(c).unwrap_err().to_string().contains("`translations`, value 17"));
        let mut c = good.clone();
        c.poses.rotations[5].w = bad;
        assert!(Database::new(c).unwrap_err().to_string().contains("rotations"));
        let mut c = good;
        c.pose_rate_hz = bad;
        assert!(Database::new(c).unwrap_err().to_string().contains("pose_rate_hz"));
    }
}
