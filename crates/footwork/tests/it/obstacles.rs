//! Obstacles: a body goes along them and not into them, the same at every frame rate; what is far away changes nothing.

use crate::common;

use common::{Random, random_stick};
use footwork::advanced::search::Blocked;
use footwork::database::MirrorMode;
use footwork::frames::RowIndex;
use footwork::input::{Gait, InputError, MotionInput, Obstacle, Obstacles, Stick};
use footwork::matcher::{MatcherConfig, MotionMatcher};
use footwork::math::{Facing, Transform};
use footwork::obstacles::ObstacleConfig;
use glam::{Vec2, Vec3};

const DT_S: f32 = 1.0 / 60.0;
/// Radius of a body in the default settings, in metres.
const BODY_M: f32 = 0.3;

fn matcher() -> MotionMatcher {
    MotionMatcher::new(common::gait(MirrorMode::Query), MatcherConfig::default()).unwrap()
}

#[test]
fn who_runs_at_a_wall_at_an_angle_goes_along_it() {
    let wall = [Obstacle::cuboid(Vec3::Z * 4.0, Vec2::new(30.0, 0.2), Facing::FORWARD, 2.0)];
    let stick = Stick::towards(Vec3::new(0.7, 0.0, 0.7), Gait::Run);
    let input = MotionInput { obstacles: Obstacles::new(&wall), ..MotionInput::stick(stick) };
    let mut m = matcher();
    let mut deepest_m: f32 = 0.0;
    for _ in 0..360 {
        let root = m.update(&input, DT_S).unwrap().world_from_root().translation;
        deepest_m = deepest_m.max(root.z - (3.8 - BODY_M));
    }
    let at = m.pose().world_from_root().translation;
    assert!(deepest_m < 0.01, "{deepest_m}");
    assert!(at.x > 8.0 && at.z > 3.1, "{at}");
    let facing = Facing::from_rotation(m.pose().world_from_root().rotation);
    assert!(facing.x > 0.9, "it faces where it goes: {facing:?}");
}

#[test]
fn a_step_and_a_bridge_are_no_obstacles() {
    let step = Obstacle::cuboid(Vec3::Z * 2.0, Vec2::splat(1.0), Facing::FORWARD, 0.2);
    let bridge = Obstacle::cuboid(Vec3::new(0.0, 2.2, 2.0), Vec2::splat(1.0), Facing::FORWARD, 1.0);
    let walk = common::walk(Vec3::Z);
    let (mut free, mut beside) = (matcher(), matcher());
    for _ in 0..120 {
        free.update(&walk, DT_S).unwrap();
        beside.update(&MotionInput { obstacles: Obstacles::new(&[step, bridge]), ..walk }, DT_S).unwrap();
        assert_eq!(free.pose(), beside.pose());
    }
}

#[test]
fn what_is_far_away_changes_no_bit() {
    let far = [Obstacle::circle(Vec3::X * 500.0, 1.0, 2.0), Obstacle::circle(Vec3::Z * -900.0, 1.0, 2.0)];
    let (mut free, mut among) = (matcher(), matcher());
    for k in 0..600 {
        let input = random_stick(5, f64::from(k) / 60.0);
        free.update(&input, DT_S).unwrap();
        among.update(&MotionInput { obstacles: Obstacles::new(&far), ..input }, DT_S).unwrap();
        assert_eq!(common::bits(free.state()), common::bits(among.state()), "{k}");
    }
}

/// People who cross the path of a character, at a time in seconds.
fn people(time_s: f64) -> [Obstacle; 4] {
    std::array::from_fn(|k| {
        let along = Facing::from_yaw(1.3 * k as f32 + 0.4).direction();
        // From one end of its way to the other, and again: at multiples of 6 s it begins again elsewhere.
        let since_s = (time_s - 6.0 * (time_s / 6.0).floor()) as f32;
        Obstacle::circle(along * (1.2 * since_s - 3.6), 0.3, 1.8).moving(along * 1.2)
    })
}

#[test]
fn at_any_frame_rate_obstacles_are_avoided_by_the_same_decisions() {
    let standing = [
        Obstacle::circle(Vec3::new(1.0, 0.0, 1.5), 0.4, 2.0),
        Obstacle::cuboid(Vec3::new(-1.0, 0.0, 2.5), Vec2::new(1.0, 0.2), Facing::from_yaw(0.5), 2.0),
        Obstacle::cuboid(Vec3::new(0.5, 0.0, -2.0), Vec2::new(2.0, 0.2), Facing::FORWARD, 2.0),
    ];
    let run = |walks: bool, frame_s: &mut dyn FnMut() -> f64| {
        let mut m = matcher();
        let mut seen = Vec::new();
        for k in 0..40 {
            let (from_s, to_s) = (f64::from(k) / 4.0, f64::from(k + 1) / 4.0);
            let stick = random_stick(9, from_s);
            let mut now_s = from_s;
            while now_s < to_s - 1e-9 {
                let next_s = (now_s + frame_s()).min(to_s);
                let people = people(next_s - 1e-9);
                let obstacles = Obstacles::new(if walks { &people } else { &standing });
                m.update(&MotionInput { obstacles, ..stick }, (next_s - now_s) as f32).unwrap();
                now_s = next_s;
            }
            let h = &m.state().header;
            seen.push((h.playback.playing.clip, h.choice.searches, h.transition.count, h.root.simulation.position));
        }
        seen
    };
    for walks in [false, true] {
        let reference = run(walks, &mut || 1.0 / 60.0);
        assert!(reference[39].2 > 10, "a run without transitions proves little");
        let mut random = Random(3);
        let mut jitter = move || f64::from(random.between(0.004, 0.04));
        let others: [&mut dyn FnMut() -> f64; 3] = [&mut || 1.0 / 144.0, &mut || 1.0 / 30.0, &mut jitter];
        for frame_s in others {
            for (a, b) in run(walks, frame_s).iter().zip(&reference) {
                // Positions of what walks come from other frames: their last bits differ, and clips that fit equally well change places.
                assert_eq!((a.1, a.2), (b.1, b.2), "{walks}");
                assert!(walks || a.0 == b.0);
                assert!((a.3 - b.3).length() < 1e-3, "{a:?} {b:?}");
            }
        }
    }
}

#[test]
fn the_cost_of_a_row_is_that_of_its_path() {
    let db = common::gait(MirrorMode::Query);
    let wall = Obstacle::cuboid(Vec3::Z * 1.5, Vec2::new(5.0, 0.1), Facing::FORWARD, 2.0);
    let config = ObstacleConfig { radius_m: 0.2, margin_m: 0.2, cost: 3.0 };
    let blocked = Blocked::new(&db, &config, Obstacles::new(&[wall]), Transform::IDENTITY);
    let (mut paid, mut free) = (0, 0);
    for row in (0..db.rows()).step_by(7) {
        let view = db.view(db.row_clips[row], false);
        let time_s = db.row_time_s(RowIndex::new(row));
        let ahead_s: Vec<f32> = db.schema.times_s.iter().copied().filter(|t| *t > 0.0).collect();
        let (mut expected, mut before) = (0.0, Vec3::ZERO);
        for s in &ahead_s {
            let (here, ..) = view.trajectory(time_s, *s);
            for at in [(here + before) / 2.0, here] {
                let distance_m = if at.z < 1.4 { 1.4 - at.z } else { -(at.z - 1.4).min(1.6 - at.z) };
                let depth_m = (0.4 - distance_m).clamp(0.0, 0.5) / 0.1;
                expected += 3.0 * depth_m * depth_m / (2 * ahead_s.len()) as f32;
            }
            before = here;
        }
        let cost = blocked.of_row(&db, row, false);
        // Features are measured on the path as sampled at build time.
        assert!((cost - expected).abs() < 0.02 * expected + 0.02, "{row}: {cost} {expected}");
        paid += usize::from(cost > 0.1);
        free += usize::from(cost == 0.0);
    }
    assert!(paid > 50 && free > 50, "{paid} {free}");
}

#[test]
fn unusable_obstacles_are_input_errors_and_change_nothing() {
    let good = Obstacle::circle(Vec3::Z * 2.0, 0.3, 2.0);
    let mut m = matcher();
    m.update(&common::walk(Vec3::Z), DT_S).unwrap();
    let before = common::bits(m.state());
    let mut bad = [good; 8];
    bad[0].position.x = f32::NAN;
    bad[1].velocity.z = f32::INFINITY;
    bad[2].radius_m = -0.1;
    bad[3].half_m.y = f32::NAN;
    bad[4].height_m = -1.0;
    bad[5].facing = Facing { x: 0.0, z: 0.0 };
    bad[6].radius_m = 1e30;
    bad[7].position.y = -1e9;
    for bad in bad {
        let obstacles = [good, bad];
        let input = MotionInput { obstacles: Obstacles::new(&obstacles), ..MotionInput::default() };
        let error = m.update(&input, DT_S).unwrap_err();
        assert!(error.to_string().contains("obstacles."), "{error}");
    }
    let many = [good; Obstacles::MOST + 1];
    let input = MotionInput { obstacles: Obstacles::new(&many), ..MotionInput::default() };
    assert_eq!(m.update(&input, DT_S).unwrap_err(), InputError::Obstacles { found: 33 });
    assert_eq!(common::bits(m.state()), before);
    // Usable, however odd: around the character, within each other, as large as the world, and as fast as a rocket.
    let odd = [
        Obstacle::circle(Vec3::ZERO, 0.0, 0.5),
        Obstacle::circle(Vec3::ZERO, 1e6, 1e6),
        Obstacle::cuboid(Vec3::new(0.1, 0.0, 0.0), Vec2::ZERO, Facing::FORWARD, 2.0),
        Obstacle::circle(Vec3::X, 0.3, 2.0).moving(Vec3::NEG_X * 1e6),
    ];
    for k in 0..120 {
        let input = MotionInput { obstacles: Obstacles::new(&odd), ..random_stick(2, f64::from(k) / 60.0) };
        let pose = m.update(&input, DT_S).unwrap();
        assert!(pose.translations.iter().all(|p| p.is_finite()), "{k}");
    }
}
