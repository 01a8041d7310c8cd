//! Warping, ground adaptation, look-at and hands through the matcher: the errors that they remove, and their behaviour as stages.

use crate::common;

use common::stages::{all_on, everything, hill};
use footwork::adjust::orientation_warp::OrientationWarpConfig;
use footwork::adjust::root::RootMode;
use footwork::adjust::stride_warp::StrideWarpConfig;
use footwork::advanced::adjust::BentLeg;
use footwork::advanced::math::{cos, sin, tan};
use footwork::build::{BuildConfig, ClipRule, TagSpec};
use footwork::database::TagQuery;
use footwork::database::{Database, MirrorMode};
use footwork::frames::FrameIndex;
use footwork::input::HandTarget;
use footwork::input::{Goal, GroundHook, GroundPoint, MotionInput};
use footwork::matcher::{MatcherConfig, MotionMatcher};
use footwork::math::{Facing, Quat, Transform};
use footwork::pose::{Pose, PoseVelocity};
use glam::Vec3;
use std::sync::Arc;

const DT_S: f32 = 1.0 / 60.0;

fn db() -> Arc<Database> {
    common::gait(MirrorMode::Off)
}

fn towards(velocity: Vec3) -> MotionInput<'static> {
    MotionInput { goal: Goal::Velocity { velocity, facing: Some(Facing::FORWARD) }, ..Default::default() }
}

/// Measurements of a run over some ground.
#[derive(Debug, Default)]
struct Observed {
    /// 99th percentile of the distance between the sole of a foot in contact and the ground, metres.
    gap_p99_m: f32,
    gap_m: f32,
    /// Mean jerk of the pelvis.
    jerk_mps3: f32,
    /// Mean speed of toes in contact over the ground, m/s.
    slide_mps: f32,
    /// Angle of the straightest knee, degrees.
    knee_deg: f32,
    /// Rise of the pelvis over the run, metres.
    rise_m: f32,
}

/// Walks ahead for `seconds` on ground that depends on the time.
fn run(
    db: &Arc<Database>,
    config: &MatcherConfig,
    speed_mps: f32,
    ground: Option<&(dyn Fn(Vec3, f32) -> GroundPoint + Sync)>,
) -> Observed {
    let mut m = MotionMatcher::new(db.clone(), config.clone()).unwrap();
    let (rig, skeleton) = (&db.rig, &db.skeleton);
    let body = db.rig.body.as_ref().unwrap();
    let (mut pelvis, mut gaps, mut slides): (Vec<Vec3>, Vec<f32>, Vec<f32>) = Default::default();
    let mut before: Option<Vec<Vec3>> = None;
    let mut seen = Observed::default();
    for k in 0..60 * 9 {
        let time_s = k as f32 * DT_S;
        let level = |_: Vec3| GroundPoint::default();
        let uneven = |at: Vec3| ground.unwrap()(at, time_s);
        let hook: &GroundHook = if ground.is_some() { &uneven } else { &level };
        let input = MotionInput { ground: ground.map(|_| hook), ..towards(Vec3::Z * speed_mps) };
        let pose = m.update(&input, DT_S).unwrap().clone();
        // The character stands at first, and then starts to walk.
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
            // A foot that lands just before an edge that it may have to cross is locked two frames late.
            if m.output().contacts[slot].touching && m.output().contacts[slot].locked_s > 1.9 * DT_S {
                gaps.push(gap.into_iter().fold(f32::MAX, f32::min).abs());
                if let Some(before) = &before {
                    let moved = toe.translation - before[slot] - hook(toe.translation).velocity * DT_S;
                    slides.push(Vec3::new(moved.x, 0.0, moved.z).length() / DT_S);
                }
            }
            toes.push(toe.translation);
            let knee = BentLeg::of(skeleton, &pose, leg).knee_rad().to_degrees();
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

/// Returns the angle of the straightest knee in the data, degrees: only legs that are beyond their limit in the clip are so in
/// the pose.
fn straightest_deg(db: &Database) -> f32 {
    let (mut pose, mut velocity) = (Pose::rest(&db.skeleton), PoseVelocity::zero(db.skeleton.len()));
    let mut most: f32 = 0.0;
    for frame in 0..db.frames() {
        db.sample_pose(FrameIndex::new(frame), 0.0, &mut pose, &mut velocity);
        for leg in db.rig.body.iter().flat_map(|body| &body.legs).flatten() {
            let knee_rad = BentLeg::of(&db.skeleton, &pose, *leg).knee_rad();
            most = most.max(knee_rad.to_degrees());
        }
    }
    most
}

fn check(name: &str, speed_mps: f32, ground: &(dyn Fn(Vec3, f32) -> GroundPoint + Sync)) -> Observed {
    let config = MatcherConfig::default();
    let flat = run(&db(), &config, speed_mps, None);
    let seen = run(&db(), &config, speed_mps, Some(ground));
    let blind = MatcherConfig {
        ground: footwork::adjust::ground::GroundConfig { enabled: false, ..Default::default() },
        ..config
    };
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
    let straightest_deg = straightest_deg(&db());
    assert!(seen.knee_deg < straightest_deg + 0.1, "{name}: {seen:?}, {straightest_deg} in the data");
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
    let platform = move |_: Vec3, t: f32| GroundPoint { height_m: way(t).y, velocity: speed(t), ..Default::default() };
    let seen = check("platform", 1.0, &platform);
    assert!(seen.slide_mps < 0.05, "{seen:?}");
}

/// Returns the mean distance between simulated character and displayed root (metres), and the mean slide of toes in contact
/// (m/s), over the last seconds of a walk along `velocity`, facing ahead.
fn follows(db: &Arc<Database>, config: &MatcherConfig, velocity: Vec3) -> (f32, f32) {
    let mut m = MotionMatcher::new(db.clone(), config.clone()).unwrap();
    let (mut apart, mut slides) = (Vec::new(), Vec::new());
    let mut before: Option<Vec<Vec3>> = None;
    for k in 0..60 * 12 {
        let plain = db.tag_query("plain").unwrap_or_default();
        // It starts with all of the data, at the speed of the clip that remains afterwards.
        let (tags, velocity) = if k < 180 { (TagQuery::default(), Vec3::Z * 1.25) } else { (plain, velocity) };
        let pose = m.update(&MotionInput { tags, ..towards(velocity) }, DT_S).unwrap();
        let root = pose.world_from_root();
        let toes: Vec<Vec3> =
            db.rig.contact_joints.iter().map(|j| root.point(pose.in_root(&db.skeleton, *j).translation)).collect();
        if k >= 300 {
            apart.push((m.state().header.root.simulation.position - root.translation).length());
            for (slot, toe) in toes.iter().enumerate().filter(|(slot, _)| m.output().contacts[*slot].touching) {
                let way = *toe - before.as_ref().unwrap()[slot];
                slides.push(Vec3::new(way.x, 0.0, way.z).length() / DT_S);
            }
        }
        before = Some(toes);
    }
    let mean = |v: &[f32]| v.iter().sum::<f32>() / v.len() as f32;
    (mean(&apart), mean(&slides))
}

/// Returns settings in which only the clip and the warping move the root: no foot lock, no adjustment, no change of rate.
fn unaided() -> MatcherConfig {
    let mut config = MatcherConfig {
        play_rate: footwork::adjust::play_rate::PlayRateConfig { enabled: false, ..Default::default() },
        ..Default::default()
    };
    config.feet.enabled = false;
    (config.root.adjust, config.root.clamp) = (false, true);
    config
}

/// Returns the built-in clips, with a tag on one walk.
fn tagged() -> Arc<Database> {
    let rule = |name: &str| ClipRule {
        name: name.into(),
        tags: vec![TagSpec { name: "plain".into(), start_s: None, end_s: None }],
        ..Default::default()
    };
    let config = BuildConfig { clips: vec![rule("walk_125_loop")], ..Default::default() };
    Arc::new(common::built(common::clips(), &config).0)
}

#[test]
fn longer_strides_keep_up_with_a_speed_that_the_data_lacks() {
    let db = tagged();
    for speed in [1.0, 1.45] {
        let velocity = Vec3::Z * speed;
        let off = follows(&db, &unaided(), velocity);
        let on = MatcherConfig {
            stride_warp: StrideWarpConfig { enabled: true, ..StrideWarpConfig::default() },
            ..unaided()
        };
        let on = follows(&db, &on, velocity);
        println!("{speed} m/s: apart {:.3} -> {:.3} m, slide {:.3} -> {:.3} m/s", off.0, on.0, off.1, on.1);
        // Without warping, the clamp drags the feet.
        assert!(off.1 > 0.1 && on.1 < 0.15 * off.1, "{speed} m/s: {off:?} {on:?}");
    }
}

#[test]
fn a_clip_that_walks_ahead_is_walked_at_an_angle() {
    let db = tagged();
    let velocity = Quat::from_rotation_y(0.5) * Vec3::Z * 1.25;
    let off = follows(&db, &unaided(), velocity);
    let on = MatcherConfig {
        orientation_warp: OrientationWarpConfig { enabled: true, ..OrientationWarpConfig::default() },
        ..unaided()
    };
    let on = follows(&db, &on, velocity);
    println!("at 29 degrees: apart {:.3} -> {:.3} m, slide {:.3} -> {:.3} m/s", off.0, on.0, off.1, on.1);
    assert!(off.1 > 0.3 && on.1 < 0.15 * off.1, "{off:?} {on:?}");
}

#[test]
fn who_is_not_steered_is_not_warped() {
    let mut m = MotionMatcher::new(db(), all_on()).unwrap();
    for _ in 0..120 {
        m.update(&towards(Vec3::new(0.6, 0.0, 1.1)), DT_S).unwrap();
    }
    assert_ne!(m.state().header.legs.warp.turn.value, 0.0);
    for _ in 0..120 {
        m.update(&MotionInput::default(), DT_S).unwrap();
    }
    let warp = m.state().header.legs.warp;
    assert!(warp.turn.value.abs() < 0.01 && warp.stride.longer.value.abs() < 0.01, "{warp:?}");
}

#[test]
fn the_matcher_looks_and_reaches_while_it_walks() {
    let db = db();
    let mut m = MotionMatcher::new(db.clone(), MatcherConfig::default()).unwrap();
    let joint = |name: &str| db.skeleton.require(name).unwrap();
    let (mut look_deg, mut reach_m): (f32, f32) = (0.0, 0.0);
    for k in 0..240 {
        let root = m.pose().world_from_root();
        // Targets that move with the character.
        let seen = root.point(Vec3::new(1.5, 1.6, 1.5));
        let rail = root.point(Vec3::new(0.3, 1.1, 0.3)) + Vec3::Y * 0.05 * sin(k as f32 * 0.1);
        let hand = HandTarget { position: rail, rotation: None };
        let input = MotionInput { look_at: Some(seen), hands: [Some(hand), None], ..towards(Vec3::Z) };
        let pose = m.update(&input, DT_S).unwrap();
        if k < 90 {
            continue;
        }
        let root = pose.world_from_root();
        let at = |name: &str| root * pose.in_root(&db.skeleton, joint(name));
        let head = at("Head");
        let standing = db.rig.standing[joint("Head").at()].rotation;
        let eyes = head.point(standing.inverse() * Vec3::new(0.0, 0.08, 0.1));
        let forward = head.direction(standing.inverse() * Vec3::Z);
        look_deg = look_deg.max(footwork::advanced::math::acos(forward.dot((seen - eyes).normalize())).to_degrees());
        reach_m = reach_m.max((at("LeftHand").translation - rail).length());
    }
    println!("looks past by {look_deg:.2} degrees, misses by {:.2} cm", reach_m * 100.0);
    assert!(look_deg < 2.0 && reach_m < 0.01, "{look_deg} {reach_m}");
}

#[test]
fn a_mixed_root_goes_less_far_apart_than_one_that_is_led() {
    const STICKS: u64 = 8;
    const UPDATES: u64 = 60 * 40;
    // The distance of a root depends on the stick: a single stick is not enough to judge a mode.
    let apart = |mode| {
        let mut config = MatcherConfig::default();
        config.root.mode = mode;
        let mut sum = 0.0;
        for stick in 0..STICKS {
            let mut m = MotionMatcher::new(db(), config.clone()).unwrap();
            for k in 0..UPDATES {
                m.update(&common::random_stick(stick, k as f64 / 60.0), DT_S).unwrap();
                let h = &m.state().header;
                sum += (h.root.simulation.position - m.pose().world_from_root().translation).length();
            }
        }
        sum / (STICKS * UPDATES) as f32
    };
    let (led, mixed, leads) = (apart(RootMode::Simulation), apart(RootMode::Mixed), apart(RootMode::Animation));
    println!("apart {led:.4} led, {mixed:.4} mixed, {leads:.4} leading");
    assert!(leads < 1e-4 && mixed < 0.75 * led && mixed > leads, "{led} {mixed} {leads}");
}

#[test]
fn a_teleport_takes_every_stage_along() {
    let mut m = MotionMatcher::new(db(), all_on()).unwrap();
    let ground = |at: Vec3| hill(at);
    for k in 0..400 {
        m.update(&everything(k as f64 / 60.0, &ground), DT_S).unwrap();
    }
    let shape = |m: &MotionMatcher| {
        let root = m.pose().world_from_root();
        let mut world = Vec::new();
        m.pose().world(&m.character().database().unwrap().skeleton, &mut world);
        world.iter().map(|t| root.inverse_point(t.translation)).collect::<Vec<_>>()
    };
    let before = shape(&m);
    m.teleport(Transform::new(Vec3::new(30.0, 7.0, -20.0), Quat::from_rotation_y(2.0))).unwrap();
    for (a, b) in before.iter().zip(shape(&m)) {
        assert!((*a - b).length() < 1e-3, "{a} {b}");
    }
    // It continues to walk there.
    let there = |_: Vec3| GroundPoint { height_m: 7.0, ..Default::default() };
    for k in 0..120 {
        m.update(&MotionInput { ground: Some(&there), ..towards(Vec3::Z * (k / 60) as f32) }, DT_S).unwrap();
    }
    let body = m.state().header.corrections.body;
    assert!((body.height.value - 7.0).abs() < 0.01, "{body:?}");
}

#[test]
fn without_a_ground_that_was_given_before_the_feet_come_back_to_the_level() {
    let mut m = MotionMatcher::new(db(), MatcherConfig::default()).unwrap();
    let high = |_: Vec3| GroundPoint { height_m: 0.3, ..Default::default() };
    for _ in 0..60 {
        m.update(&MotionInput { ground: Some(&high), ..towards(Vec3::Z) }, DT_S).unwrap();
    }
    assert!((m.state().header.corrections.body.height.value - 0.3).abs() < 0.01);
    for _ in 0..120 {
        m.update(&towards(Vec3::Z), DT_S).unwrap();
    }
    assert!(m.state().header.corrections.body.height.value.abs() < 0.01);
}
