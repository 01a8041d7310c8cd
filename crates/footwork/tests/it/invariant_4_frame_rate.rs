//! Invariant 4: the frame rate does not affect the result.

use crate::common;

use footwork::database::{Database, MirrorMode};
use footwork::input::{Goal, MotionInput, Path};
use footwork::matcher::{MatcherConfig, MotionMatcher, SearchConfig};
use footwork::math::Facing;
use glam::Vec3;
use std::sync::Arc;

const SECONDS: u32 = 20;

/// Observable values of a character at one time.
#[derive(Clone, Debug)]
struct Observed {
    simulation: Vec3,
    simulation_facing: Facing,
    root: Vec3,
    root_facing: Facing,
    playing: String,
    searches: u64,
    transitions: u64,
}

/// Runs at a fixed rate and samples every sixth of a second: a time that all rates share.
fn run<'a>(
    db: &Arc<Database>,
    config: &MatcherConfig,
    rate: u32,
    input: impl Fn(f64) -> MotionInput<'a>,
) -> Vec<Observed> {
    let mut m = MotionMatcher::new(db.clone(), config.clone()).unwrap();
    let mut seen = Vec::new();
    for k in 0..SECONDS * rate {
        m.update(&input(f64::from(k) / f64::from(rate)), 1.0 / rate as f32).unwrap();
        if (k + 1) % (rate / 6) == 0 {
            let (h, root) = (&m.state().header, m.pose().world_from_root());
            seen.push(Observed {
                simulation: h.root.simulation.position,
                simulation_facing: h.root.simulation.facing,
                root: root.translation,
                root_facing: Facing::from_rotation(root.rotation),
                playing: format!(
                    "{} at {:.3} s",
                    db.clips[h.playback.playing.clip.at()].name,
                    h.playback.playing.time_s
                ),
                searches: h.choice.searches,
                transitions: h.transition.count,
            });
        }
    }
    seen
}

fn agree<'a>(db: &Arc<Database>, input: &dyn Fn(f64) -> MotionInput<'a>, what: &str) {
    agree_with(db, &MatcherConfig::default(), input, what);
}

fn agree_with<'a>(db: &Arc<Database>, config: &MatcherConfig, input: &dyn Fn(f64) -> MotionInput<'a>, what: &str) {
    let rates = [30, 60, 144].map(|rate| (rate, run(db, config, rate, input)));
    let (_, reference) = &rates[1];
    assert!(reference[reference.len() - 1].transitions > 20, "{what}: a run without transitions proves little");
    for (rate, seen) in &rates {
        for (k, (a, b)) in seen.iter().zip(reference).enumerate() {
            let at = format!("{what}, {:.2} s, {rate} Hz against 60 Hz:\n{a:#?}\n{b:#?}", (k + 1) as f64 / 6.0);
            assert!((a.simulation - b.simulation).length() < 1e-3, "simulated path, {at}");
            assert!(a.simulation_facing.angle_to(b.simulation_facing).abs() < 1e-2, "simulated facing, {at}");
            assert!((a.root - b.root).length() < 0.02, "shown root, {at}");
            assert!(a.root_facing.angle_to(b.root_facing).abs() < 0.05, "shown facing, {at}");
            // Stronger than the guarantee: decisions are made from the same bits, so they are equal.
            assert_eq!((&a.playing, a.searches, a.transitions), (&b.playing, b.searches, b.transitions), "{at}");
        }
    }
}

#[test]
fn at_30_60_and_144_hz_the_scripted_character_goes_the_same_way() {
    for db in [common::gait_full(), common::gait(MirrorMode::Off), common::gait(MirrorMode::Query)] {
        agree(&db, &common::script, "script");
    }
}

#[test]
fn at_30_60_and_144_hz_a_restless_stick_leads_the_same_way() {
    let db = common::gait_full();
    for seed in 0..6 {
        agree(&db, &move |t| common::random_stick(seed, t), &format!("random stick {seed}"));
    }
}

#[test]
fn with_every_stage_on_the_same_way_is_gone_and_joints_are_where_they_are_at_60_hz() {
    let (db, ground) = (common::gait_full(), |at: Vec3| common::stages::hill(at));
    let input = |t: f64| common::stages::everything(t, &ground);
    agree_with(&db, &common::stages::all_on(), &input, "every stage");
    // All joints, at times that the rates share.
    let joints = |rate: u32| {
        let mut m = MotionMatcher::new(db.clone(), common::stages::all_on()).unwrap();
        let mut seen = Vec::new();
        for k in 0..SECONDS * rate {
            m.update(&input(f64::from(k) / f64::from(rate)), 1.0 / rate as f32).unwrap();
            if (k + 1) % (rate / 6) == 0 {
                let mut world = Vec::new();
                m.pose().world(&db.skeleton, &mut world);
                seen.extend(world.iter().map(|t| t.translation));
            }
        }
        seen
    };
    let reference = joints(60);
    for rate in [30, 144] {
        let mut apart: Vec<f32> = joints(rate).iter().zip(&reference).map(|(a, b)| (*a - *b).length()).collect();
        apart.sort_by(f32::total_cmp);
        let (p99, most) = (apart[apart.len() * 99 / 100], apart[apart.len() - 1]);
        println!("{rate} Hz against 60: joints apart by {:.2} cm (99 %), {:.2} at most", p99 * 100.0, most * 100.0);
        assert!(p99 < 0.02 && most < 0.1, "{rate} Hz: {p99} {most}");
    }
}

#[test]
fn searches_fall_on_multiples_of_their_interval_at_any_rate() {
    let db = common::gait(MirrorMode::Off);
    for (interval_s, regular) in [(0.1, 100), (0.25, 40)] {
        let mut counts = Vec::new();
        for rate in [20, 30, 60, 144, 500] {
            let search = SearchConfig { interval_s, ..Default::default() };
            let mut m = MotionMatcher::new(db.clone(), MatcherConfig { search, ..Default::default() }).unwrap();
            for _ in 0..10 * rate {
                m.update(&common::walk(Vec3::Z), 1.0 / rate as f32).unwrap();
            }
            counts.push(m.state().header.choice.searches);
        }
        // A few more searches occur: at the start the goal changes abruptly, and clips end.
        assert!(counts.iter().all(|c| (regular..regular + 12).contains(c)), "{counts:?} at {interval_s} s");
        assert!(counts.iter().all(|c| *c == counts[0]), "{counts:?} at {interval_s} s");
    }
}

#[test]
fn along_a_path_and_unsteered_the_frame_rate_does_not_matter_either() {
    let db = common::gait_full();
    let corners = [Vec3::ZERO, Vec3::Z * 6.0, Vec3::new(7.0, 0.0, 6.0), Vec3::new(7.0, 0.0, -4.0)];
    let path = Path::new(corners.to_vec(), true).unwrap();
    let input = |time_s: f64| match ((time_s + 1e-4) * 6.0) as u32 / 35 % 2 {
        0 => MotionInput { goal: Goal::Path { path: &path, speed_mps: 2.0 }, ..Default::default() },
        _ => common::unsteered(),
    };
    agree(&db, &input, "path");
}

/// Returns the mean distance of root and simulation, metres; the mean angle between them; and transitions per second.
fn quality(db: &Arc<Database>, seconds: f64, mut dt: impl FnMut() -> f32) -> [f64; 3] {
    let mut m = MotionMatcher::new(db.clone(), MatcherConfig::default()).unwrap();
    let (mut distance, mut angle) = (0.0, 0.0);
    let mut time_s = 0.0;
    while time_s < seconds {
        let dt_s = dt();
        m.update(&common::random_stick(17, time_s), dt_s).unwrap();
        time_s += f64::from(dt_s);
        let (s, root) = (&m.state().header.root.simulation, m.pose().world_from_root());
        // Weighted by time, since long frames count for longer.
        distance += f64::from((s.position - root.translation).length() * dt_s);
        angle += f64::from(s.facing.angle_to(Facing::from_rotation(root.rotation)).abs() * dt_s);
    }
    [distance / time_s, angle / time_s, m.state().header.transition.count as f64 / time_s]
}

#[test]
fn under_a_random_stick_and_jittered_time_steps_the_quality_stays_within_a_tenth() {
    let db = common::gait_full();
    const SECONDS: f64 = 1000.0;
    let steady = quality(&db, SECONDS, || 1.0 / 60.0);
    for seed in 0..3 {
        let mut r = common::Random(seed);
        let jittered = quality(&db, SECONDS, || r.between(1.0 / 200.0, 1.0 / 20.0));
        println!("steady {steady:.4?}, jittered {jittered:.4?}");
        for (what, (a, b)) in ["distance", "angle", "transitions"].iter().zip(steady.iter().zip(jittered)) {
            assert!((b / a - 1.0).abs() < 0.1, "{what}: {b} jittered, {a} steady");
        }
    }
}

#[test]
fn a_new_goal_changes_what_comes_and_not_what_was_seen() {
    let db = common::gait_full();
    let mut m = MotionMatcher::new(db, MatcherConfig::default()).unwrap();
    for k in 0..900u32 {
        // Half of the updates end at a control tick, half between two.
        let dt_s = if k % 2 == 0 { 1.0 / 60.0 } else { 1.0 / 120.0 };
        m.update(&common::random_stick(2, f64::from(k) / 60.0), dt_s).unwrap();
        let (root, simulation) = (m.pose().world_from_root(), m.state().header.root.simulation.position);
        let saved = m.state().clone();
        for (other, dt_s) in [(common::unsteered(), 0.0), (common::unsteered(), 1e-7), (common::walk(-Vec3::Z), 0.0)] {
            m.update(&other, dt_s).unwrap();
            let moved = (m.pose().world_from_root().translation - root.translation).length();
            assert!(moved < 1e-5, "update {k}: the root jumped by {moved} m");
            // Unsteered, the simulation moves to the root of the animation; steered, it stays where it was.
            let (s, steered) = (m.state().header.root.simulation, matches!(other.goal, Goal::Stick(_)));
            let moved = (s.position - simulation).length();
            assert!(!steered || moved < 1e-5, "update {k}: the simulation jumped by {moved} m");
            assert!(s.velocity.length() < 8.0, "update {k}: the simulation flies at {}", s.velocity);
            m.restore(&saved).unwrap();
        }
    }
}

#[test]
fn one_long_step_ends_where_many_short_ones_end() {
    let db = common::gait_full();
    let input = common::walk(Vec3::new(0.6, 0.0, 0.8));
    let end = |steps: u32| {
        let mut m = MotionMatcher::new(db.clone(), MatcherConfig::default()).unwrap();
        for _ in 0..steps {
            m.update(&input, 4.0 / steps as f32).unwrap();
        }
        (m.state().header, m.pose().world_from_root().translation)
    };
    let (one, root) = end(1);
    for steps in [2, 7, 100, 1000] {
        let (many, other) = end(steps);
        assert_eq!(
            (one.choice.searches, one.playback.playing.clip),
            (many.choice.searches, many.playback.playing.clip),
            "{steps} steps"
        );
        assert!((root - other).length() < 0.02, "{steps} steps: {root} {other}");
        assert!((one.root.simulation.position - many.root.simulation.position).length() < 1e-3, "{steps} steps");
    }
}
