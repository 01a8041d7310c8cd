//! Look-at and hand targets during a walk.

use crate::common;

use common::walk::Walk;
use footwork::adjust::hands::{Hand, HandConfig};
use footwork::adjust::look_at::{Gaze, LookAt, LookAtConfig, LookJoint};
use footwork::advanced::math::sin_cos;
use footwork::advanced::rig::Leg;
use footwork::input::HandTarget;
use footwork::math::Quat;
use footwork::pose::Pose;
use glam::Vec3;

fn joints(walk: &Walk) -> Vec<LookJoint> {
    let joint = |name: &str, yaw_deg, pitch_deg| LookJoint { joint: walk.joint(name), yaw_deg, pitch_deg };
    vec![joint("Spine2", 20.0, 10.0), joint("Neck", 30.0, 20.0), joint("Head", 40.0, 30.0)]
}

fn gaze<'a>(walk: &'a Walk, joints: &'a [LookJoint]) -> Gaze<'a> {
    let head = Pose::rest(&walk.skeleton).in_root(&walk.skeleton, joints.last().unwrap().joint);
    Gaze::new(&walk.skeleton, joints, head.rotation, Vec3::new(0.0, 0.08, 0.1))
}

/// Returns the angle between the direction of the eyes and the target, degrees.
fn error_deg(walk: &Walk, gaze: &Gaze, pose: &Pose, target: Vec3) -> f32 {
    let head = walk.at(pose, gaze.joints.last().unwrap().joint);
    let way = (target - head.point(gaze.eyes)).normalize();
    footwork::advanced::math::acos(head.direction(gaze.forward).dot(way)).to_degrees()
}

#[test]
fn a_walker_looks_at_what_is_within_the_limits() {
    let walk = Walk::new("walk_125_loop");
    let joints = joints(&walk);
    let (gaze, config) = (gaze(&walk, &joints), LookAtConfig::default());
    // To the left, to the right and above, at arm's length and further away; and a target that moves past.
    let beside = |x: f32, y: f32, z: f32| move |root: Vec3, _: f32| root + Vec3::new(x, y, z);
    let past = |_: Vec3, time_s: f32| Vec3::new(2.5, 1.6, 8.5 - 1.5 * time_s);
    let targets: [&dyn Fn(Vec3, f32) -> Vec3; 4] =
        [&beside(2.0, 1.5, 0.6), &beside(-0.7, 1.2, 0.6), &beside(0.5, 3.0, 2.0), &past];
    for (k, target) in targets.iter().enumerate() {
        let mut state = LookAt::default();
        let (mut worst, mut without): (f32, f32) = (0.0, 0.0);
        for frame in 0..180 {
            let mut pose = walk.pose(frame);
            let time_s = frame as f32 * walk.dt_s();
            let target = target(pose.world_from_root().translation, time_s);
            without = without.max(error_deg(&walk, &gaze, &pose, target));
            state.update(&config, &gaze, Some(target), &pose, walk.dt_s());
            state.apply(&gaze, &mut pose);
            if time_s > 1.5 {
                worst = worst.max(error_deg(&walk, &gaze, &pose, target));
            }
        }
        println!("target {k}: {worst:.3} deg, without {without:.1}");
        assert!(worst < 1.0 && without > 20.0, "target {k}: {worst} deg of {without}");
    }
}

#[test]
fn looking_does_not_depend_on_the_frame_rate() {
    let walk = Walk::new("idle");
    let joints = joints(&walk);
    let (gaze, config, pose) = (gaze(&walk, &joints), LookAtConfig::default(), walk.pose(0));
    let run = |rate_hz: u32| {
        let (mut state, dt) = (LookAt::default(), 1.0 / rate_hz as f32);
        for k in 0..rate_hz {
            let x = if 2 * k < rate_hz { 2.0 } else { -2.0 };
            state.update(&config, &gaze, Some(Vec3::new(x, 1.6, 2.0)), &pose, dt);
        }
        (state.yaw.spring.value, state.weight.value)
    };
    for rate_hz in [60, 144] {
        let (a, b) = (run(30), run(rate_hz));
        assert!((a.0 - b.0).abs() < 0.01 && (a.1 - b.1).abs() < 1e-4, "{a:?} {b:?}");
    }
}

#[test]
fn a_target_that_passes_behind_or_goes_away_is_let_go_of_without_a_pop() {
    let walk = Walk::new("idle");
    let joints = joints(&walk);
    let (gaze, config) = (gaze(&walk, &joints), LookAtConfig::default());
    let mut state = LookAt::default();
    let (dt, mut before, mut fastest, mut least, mut most) = (1.0 / 120.0, None, 0.0f32, 0.0f32, 0.0f32);
    for k in 0..1440 {
        // Two cycles in six seconds, then from side to side twice a second, then no target.
        let (s, c) = sin_cos(k as f32 * dt / 3.0 * std::f32::consts::TAU);
        let target = match k {
            0..720 => Some(Vec3::new(2.0 * s, 1.6, 2.0 * c)),
            720..960 => Some(Vec3::new(if k / 30 % 2 == 0 { 1.0 } else { -1.0 }, 1.6, 2.0)),
            _ => None,
        };
        let mut pose = walk.pose(0);
        state.update(&config, &gaze, target, &pose, dt);
        state.apply(&gaze, &mut pose);
        let q = walk.at(&pose, walk.joint("Head")).rotation;
        if let Some(before) = before.replace(q) {
            fastest = fastest.max(q.angle_between(before).to_degrees() / dt);
        }
        let yaw = footwork::math::Facing::from_rotation(q).yaw().to_degrees();
        (least, most) = (least.min(yaw), most.max(yaw));
    }
    println!("head turns at most {fastest:.0} deg/s, from {least:.0} to {most:.0} deg");
    assert!(fastest < 600.0, "{fastest}");
    assert!(most > 75.0 && most < 91.0 && least < -75.0 && least > -91.0, "{least} {most}");
    let mut pose = walk.pose(0);
    state.apply(&gaze, &mut pose);
    assert_eq!(pose, walk.pose(0), "what is no longer looked at leaves no trace");
}

fn arm(walk: &Walk) -> Leg {
    Leg::above(&walk.skeleton, walk.joint("LeftHand")).unwrap()
}

#[test]
fn a_hand_follows_a_moving_target_and_lets_go() {
    let walk = Walk::new("walk_125_loop");
    let (config, arm) = (HandConfig::default(), arm(&walk));
    let mut hand = Hand::default();
    let (mut worst, mut worst_turn, mut without, mut fastest): (f32, f32, f32, f32) = (0.0, 0.0, 0.0, 0.0);
    let mut before: Option<Vec3> = None;
    for frame in 0..240 {
        let mut pose = walk.pose(frame);
        let root = pose.world_from_root();
        let time_s = frame as f32 * walk.dt_s();
        // A target that swings in front of the chest, and disappears after three seconds.
        let (s, c) = sin_cos(time_s * 5.0);
        let position = root.point(Vec3::new(0.3 + 0.1 * s, 1.2 + 0.1 * c, 0.3));
        let rotation = Quat::from_rotation_vector(Vec3::new(0.3 * s, 1.0, 0.2));
        let target = (time_s < 3.0).then_some(HandTarget { position, rotation: Some(rotation) });
        hand.update(&config, target, root, walk.dt_s());
        let captured = walk.at(&pose, arm.toe);
        hand.apply(&config, &walk.skeleton, arm, &mut pose);
        let shown = walk.at(&pose, arm.toe);
        if (1.0..3.0).contains(&time_s) {
            worst = worst.max((shown.translation - position).length());
            worst_turn = worst_turn.max(shown.rotation.angle_between(rotation).to_degrees());
            without = without.max((captured.translation - position).length());
        }
        let seen = shown.translation - root.translation;
        if let Some(before) = before.replace(seen) {
            fastest = fastest.max((seen - before).length() / walk.dt_s());
        }
    }
    println!(
        "hand: {:.2} cm and {worst_turn:.2} deg off, {:.0} cm without; at most {fastest:.1} m/s",
        worst * 100.0,
        without * 100.0
    );
    assert!(worst < 0.01 && worst_turn < 1.0 && without > 0.3 && fastest < 5.0);
    let mut pose = walk.pose(0);
    hand.update(&config, None, pose.world_from_root(), 2.0);
    hand.apply(&config, &walk.skeleton, arm, &mut pose);
    assert_eq!(pose, walk.pose(0), "weight 0 is no change");
}

#[test]
fn elbows_bend_backwards_even_from_a_straight_arm() {
    let walk = Walk::new("idle");
    let (config, arm) = (HandConfig::default(), arm(&walk));
    // The rest pose is a T-pose.
    let mut pose = Pose::rest(&walk.skeleton);
    let shoulder = walk.at(&pose, arm.hip).translation;
    let mut hand = Hand::default();
    let position = shoulder + Vec3::new(0.3, 0.0, 0.0);
    hand.update(&config, Some(HandTarget { position, rotation: None }), pose.world_from_root(), 5.0);
    hand.apply(&config, &walk.skeleton, arm, &mut pose);
    assert!((walk.at(&pose, arm.toe).translation - position).length() < 1e-3);
    let elbow = walk.at(&pose, arm.knee).translation;
    assert!(elbow.z < shoulder.z - 0.1, "{elbow} {shoulder}");
}
