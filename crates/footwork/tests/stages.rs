//! Warps, ground, gaze and hands through the matcher: what they remove, and that they are stages like all others.

mod common;

use common::stages::{all_on, everything, hill};
use footwork::adjust::hands::HandTarget;
use footwork::adjust::leg::BentLeg;
use footwork::adjust::orientation_warp::OrientationWarpConfig;
use footwork::adjust::root::RootMode;
use footwork::adjust::stride_warp::StrideWarpConfig;
use footwork::database::{Database, MirrorMode};
use footwork::matcher::{MatcherConfig, MotionMatcher};
use footwork::math::{Facing, Quat, Transform, cos, sin, tan};
use footwork::pose::Pose;
use footwork::trajectory::{Goal, GroundHook, GroundPoint, MotionInput};
use glam::Vec3;
use std::sync::Arc;

const DT_S: f32 = 1.0 / 60.0;

fn db() -> Arc<Database> {
    common::gait(MirrorMode::Off)
}

fn towards(velocity: Vec3) -> MotionInput<'static> {
    MotionInput { goal: Goal::Velocity { velocity, facing: Some(Facing::FORWARD) }, ..Default::default() }
}

/// What a run over some ground was like.
#[derive(Debug, Default)]
struct Seen {
    /// 99th percentile and most of the distance between the sole of a foot in contact and the ground, metres.
    gap_p99_m: f32,
    gap_m: f32,
    /// Mean jerk of the pelvis.
    jerk_mps3: f32,
    /// Mean speed of toes in contact over the ground, m/s.
    slide_mps: f32,
    /// Straightest knee, degrees.
    knee_deg: f32,
    /// How high the pelvis got.
    rise_m: f32,
}

/// Walks ahead for `seconds` on ground that depends on the time.
fn run(db: &Arc<Database>, config: &MatcherConfig, speed_mps: f32, ground: Option<&dyn Fn(Vec3, f32) -> GroundPoint>) -> Seen {
    let mut m = MotionMatcher::new(db.clone(), config.clone()).unwrap();
    let (rig, skeleton) = (&db.rig, &db.skeleton);
    let body = rig.body.as_ref().unwrap();
    let (mut pelvis, mut gaps, mut slides): (Vec<Vec3>, Vec<f32>, Vec<f32>) = Default::default();
    let mut before: Option<Vec<Vec3>> = None;
    let mut seen = Seen::default();
    for k in 0..60 * 9 {
        let time_s = k as f32 * DT_S;
        let level = |_: Vec3| GroundPoint::default();
        let uneven = |at: Vec3| ground.unwrap()(at, time_s);
        let hook: &GroundHook = if ground.is_some() { &uneven } else { &level };
        let input = MotionInput { ground: ground.map(|_| hook), ..towards(Vec3::Z * speed_mps) };
        let pose = m.update(&input, DT_S).unwrap().clone();
        // It stands still at first, and gets going.
        if time_s < 1.0 {
            continue;
        }
        let root = pose.world_from_root();
        let at = |joint| root * pose.in_root(skeleton, joint);
        pelvis.push(at(body.hips).translation);
        let mut toes = Vec::new();
        for (slot, leg) in body.legs.iter().enumerate() {
            let (leg, sole) = (leg.unwrap(), rig.soles[slot]);
            let (toe, ankle) = (at(leg.toe), at(leg.ankle));
            let joint = toe.translation - Vec3::Y * sole.toe_height_m;
            let gap = [joint, toe.point(sole.tip), ankle.point(sole.heel)].map(|p| p.y - hook(p).height_m);
            if m.output().contacts[slot] == 1 {
                gaps.push(gap.into_iter().fold(f32::MAX, f32::min).abs());
                if let Some(before) = &before {
                    let moved = toe.translation - before[slot] - hook(toe.translation).velocity * DT_S;
                    slides.push(Vec3::new(moved.x, 0.0, moved.z).length() / DT_S);
                }
            }
            toes.push(toe.translation);
            let knee = BentLeg::of(skeleton, &pose, leg, Transform::IDENTITY).knee_rad().to_degrees();
            seen.knee_deg = seen.knee_deg.max(knee);
        }
        before = Some(toes);
    }
    let jerk: Vec<f32> = pelvis.windows(4).map(|w| (w[3] - w[2] * 3.0 + w[1] * 3.0 - w[0]).length()).collect();
    seen.jerk_mps3 = jerk.iter().sum::<f32>() / jerk.len() as f32 / (DT_S * DT_S * DT_S);
    seen.rise_m = pelvis[pelvis.len() - 1].y - pelvis[0].y;
    assert!(gaps.len() > 200, "{} frames in contact", gaps.len());
    gaps.sort_by(f32::total_cmp);
    (seen.gap_p99_m, seen.gap_m) = (gaps[gaps.len() * 99 / 100], gaps[gaps.len() - 1]);
    seen.slide_mps = slides.iter().sum::<f32>() / slides.len() as f32;
    seen
}

fn check(name: &str, speed_mps: f32, ground: &dyn Fn(Vec3, f32) -> GroundPoint) -> Seen {
    let config = MatcherConfig::default();
    let flat = run(&db(), &config, speed_mps, None);
    let seen = run(&db(), &config, speed_mps, Some(ground));
    let blind = MatcherConfig { ground: footwork::adjust::ground::GroundConfig { fit: false, ..Default::default() }, ..config };
    let without = run(&db(), &blind, speed_mps, Some(ground));
    println!(
        "{name}: gap p99 {:.2}, most {:.2} of {:.0} cm, pelvis jerk x {:.2}, slide {:.1} cm/s ({:.1} flat), knee {:.1} deg ({:.1}), rises {:.2} m",
        seen.gap_p99_m * 100.0,
        seen.gap_m * 100.0,
        without.gap_m * 100.0,
        seen.jerk_mps3 / flat.jerk_mps3,
        seen.slide_mps * 100.0,
        flat.slide_mps * 100.0,
        seen.knee_deg,
        flat.knee_deg,
        seen.rise_m
    );
    assert!(without.gap_m > 0.04, "{name}: level enough without");
    assert!(seen.gap_m < 0.01, "{name}: {seen:?}");
    assert!(seen.jerk_mps3 < 2.0 * flat.jerk_mps3, "{name}: {seen:?} {flat:?}");
    assert!(seen.knee_deg < flat.knee_deg.max(170.0) + 1.0, "{name}: {seen:?} {flat:?}");
    seen
}

#[test]
fn slopes_of_20_degrees_are_walked_on() {
    for deg in [20.0f32, -20.0] {
        let grade = tan(deg.to_radians());
        let slope = move |at: Vec3, _: f32| {
            let z = (at.z - 1.5).clamp(0.0, 4.0);
            let on = z > 0.0 && z < 4.0;
            let normal = if on { Vec3::new(0.0, 1.0, -grade).normalize() } else { Vec3::Y };
            GroundPoint { height_m: z * grade, normal, ..Default::default() }
        };
        let seen = check(&format!("{deg} degrees"), 1.0, &slope);
        assert!((seen.rise_m - 4.0 * grade).abs() < 0.2, "{seen:?}");
    }
}

#[test]
fn stairs_of_18_cm_are_walked_on() {
    for rise in [0.18, -0.18] {
        let stairs = move |at: Vec3, _: f32| {
            let step = ((at.z - 1.5) / 0.4).ceil().clamp(0.0, 8.0);
            GroundPoint { height_m: step * rise, ..Default::default() }
        };
        check(&format!("stairs of {rise} m"), 0.8, &stairs);
    }
}

#[test]
fn rubble_is_walked_on() {
    check("rubble", 1.0, &|at, _| hill(at));
}

#[test]
fn a_platform_carries_who_stands_on_it() {
    let way = |t: f32| Vec3::new(0.4 * sin(2.0 * t), 0.25 * sin(3.0 * t), 0.0);
    let speed = |t: f32| Vec3::new(0.8 * cos(2.0 * t), 0.75 * cos(3.0 * t), 0.0);
    let platform =
        move |_: Vec3, t: f32| GroundPoint { height_m: way(t).y, velocity: speed(t), ..Default::default() };
    let seen = check("platform", 1.0, &platform);
    assert!(seen.slide_mps < 0.05, "{seen:?}");
}
