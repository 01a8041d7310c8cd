//! Hands that touch something: an object that is picked up, a panel that is pushed, the hand of a partner.

use super::base::Base;
use super::curve::{at_rate, through};
use super::leap::approach;
use super::script::{Approach, Hold, Object, Script};
use crate::action_truth::{ActionKind, HAND_M};
use crate::body::Side;
use crate::options::GaitOptions;
use crate::path::Leg;
use crate::repertoire::cm;
use glam::Vec3;
use std::f32::consts::PI;
use std::rc::Rc;

/// Locomotion before a reach: name, speed, and the time from the first step of the stop to the reach, in seconds.
type Gait = (&'static str, f32, f32);
const STAND: Gait = ("stand", 0.0, 0.0);
const WALK: Gait = ("walk", 1.3, 1.6);
const RUN: Gait = ("run", 3.6, 2.4);

/// Returns a standing body, or locomotion that stops.
fn stop(options: &GaitOptions, (_, speed, stops_s): Gait) -> Approach {
    if speed == 0.0 {
        return approach(options, 0.0, Side::Left, 0.0);
    }
    let base = Rc::new(Base::new(options, vec![Leg::steady(2.0, speed, 0.0, 0.0), Leg::goal(9.0, 0.0, 0.0, 0.0)]));
    let cut = base.sample(2.0 + stops_s);
    Approach { base, cut, seconds: stops_s + 0.8, shown: true }
}

/// Returns each size with each gait; a run is stopped for the size in the middle only.
fn takes<T: Copy>(sizes: &[T]) -> Vec<(Gait, T)> {
    let middle = &sizes[sizes.len() / 2..][..1];
    let gaits = [(STAND, sizes), (WALK, sizes), (RUN, middle)];
    gaits.into_iter().flat_map(|(gait, sizes)| sizes.iter().map(move |size| (gait, *size))).collect()
}

/// Height of the wrist over an object on the ground, in metres: fingers point down.
const GRASP_M: f32 = 0.12;

/// Parameters of picking up an object: height of the object; height of the pelvis, and its position ahead of the root; lean;
/// distance of the object ahead of the root; time to reach it. Metres, radians, seconds.
const PICKS: [[f32; 6]; 6] = [
    [0.0, 0.45, -0.16, 1.36, 0.36, 1.0],
    [0.40, 0.62, -0.17, 1.12, 0.40, 0.9],
    [0.60, 0.74, -0.14, 0.86, 0.41, 0.82],
    [0.80, 0.86, -0.10, 0.60, 0.42, 0.75],
    [1.00, 0.91, -0.05, 0.32, 0.42, 0.58],
    [1.20, 0.945, -0.01, 0.08, 0.42, 0.65],
];

/// Takes an object between the ground and 1.2 m with the left hand.
pub(super) fn picks(options: &GaitOptions) -> Vec<Script> {
    let mut out = Vec::new();
    for (gait, [height, pelvis_m, back_m, lean, ahead_m, reach_s]) in takes(&PICKS) {
        let name = format!("pick_up_{}_{}", gait.0, cm(height));
        let mut s = Script::new(name, ActionKind::PickUp, stop(options, gait));
        let still_s = reach_s + 0.25;
        s.seconds = still_s + reach_s + 0.35;
        s.sided = true;
        let end = s.seconds;
        s.pelvis = [
            vec![through(reach_s, 0.01), through(still_s, 0.01)],
            vec![at_rate(reach_s, pelvis_m, 0.0), at_rate(still_s, pelvis_m, 0.0)],
            vec![at_rate(reach_s, back_m, 0.0), at_rate(still_s, back_m, 0.0)],
        ];
        let bent = |share: f32| vec![(0.0, 0.0), (reach_s, share * lean), (still_s, share * lean), (end, 0.0)];
        s.pelvis_turn[0] = bent(0.55);
        s.chest_turn[0] = bent(1.0);
        s.chest_turn[1] = vec![(0.0, 0.0), (reach_s, -0.12), (still_s, -0.12), (end, 0.0)];
        s.gaze = bent(0.65);
        for arm in &mut s.arms {
            arm.forward = bent(0.35);
            arm.outward = bent(0.12);
            arm.elbow = vec![(0.0, 0.25), (reach_s, 0.4), (end, 0.25)];
        }
        // The free arm hangs down.
        s.arms[1].forward = bent(1.0);
        let at = Vec3::new(0.17, height.max(GRASP_M), ahead_m);
        let down = ((1.0 - height) / 1.0).clamp(0.0, 1.0);
        s.holds.push(Hold {
            side: Side::Left,
            from_s: reach_s,
            still_s,
            to_s: end - 0.45,
            reach_s: 0.9 * reach_s,
            release_s: 0.42,
            at,
            moved: vec![(end - 0.45, Vec3::new(0.19, 1.02, 0.26))],
            fingers: Vec3::new(0.0, -0.8 * down, (1.0 - 0.64 * down * down).sqrt()),
            thumb: Vec3::NEG_X,
            elbow: Vec3::new(0.8, -0.6, -0.4),
            facing: PI,
        });
        if down == 0.0 {
            s.holds[0].thumb = Vec3::Y;
        }
        s.object = Some(Object::Taken { at: at + Vec3::new(0.0, -0.02, 0.08), hold: 0 });
        s.phases = [0.0, reach_s, still_s, end - 0.45];
        out.push(s);
    }
    out
}

/// Pushes a panel 0.25 m forward with the left hand.
pub(super) fn pushes(options: &GaitOptions) -> Vec<Script> {
    let mut out = Vec::new();
    for (gait, height) in takes(&[1.0, 1.15, 1.3]) {
        let name = format!("push_{}_{}", gait.0, cm(height));
        let mut s = Script::new(name, ActionKind::Push, stop(options, gait));
        let (reach_s, still_s, pushed_s) = (0.55, 0.73, 1.3);
        s.seconds = 2.1;
        s.sided = true;
        let end = s.seconds;
        s.pelvis = [
            vec![through(reach_s, 0.0), through(pushed_s, 0.02)],
            vec![through(reach_s, 0.925), through(pushed_s, 0.915)],
            vec![through(reach_s, 0.0), through(still_s, 0.005), through(pushed_s, 0.12)],
        ];
        s.pelvis_turn[0] = vec![(0.0, 0.0), (reach_s, 0.05), (pushed_s, 0.14), (end, 0.0)];
        s.chest_turn[0] = vec![(0.0, 0.0), (reach_s, 0.08), (pushed_s, 0.26), (end, 0.0)];
        s.chest_turn[1] = vec![(0.0, 0.0), (reach_s, -0.05), (pushed_s, -0.32), (end, 0.0)];
        s.gaze = vec![(0.0, 0.0), (reach_s, 0.05), (end, 0.0)];
        for arm in &mut s.arms {
            arm.forward = vec![(0.0, 0.0), (reach_s, 0.1), (pushed_s, -0.1), (end, 0.0)];
            arm.elbow = vec![(0.0, 0.25), (pushed_s, 0.45), (end, 0.25)];
        }
        let at = Vec3::new(0.14, height, 0.40);
        s.holds.push(Hold {
            side: Side::Left,
            from_s: reach_s,
            still_s,
            to_s: pushed_s + 0.08,
            reach_s: 0.5,
            release_s: 0.6,
            at,
            moved: vec![(pushed_s, at + Vec3::Z * 0.25)],
            fingers: Vec3::Y,
            thumb: Vec3::NEG_X,
            elbow: Vec3::new(0.6, -1.0, -0.2),
            facing: PI,
        });
        s.object = Some(Object::Pushed { at: Vec3::new(0.0, 0.0, at.z + HAND_M), hold: 0 });
        s.phases = [0.0, reach_s, pushed_s, pushed_s + 0.08];
        out.push(s);
    }
    out
}

/// Moves the right hand to that of a partner, 0.8 to 1.1 m ahead and facing this body.
pub(super) fn handshakes(options: &GaitOptions) -> Vec<Script> {
    let mut out = Vec::new();
    for (gait, apart) in takes(&[0.80, 0.95, 1.10]) {
        let name = format!("handshake_{}_{}", gait.0, cm(apart));
        let mut s = Script::new(name, ActionKind::Handshake, stop(options, gait));
        let (reach_s, still_s) = (0.7, 1.3);
        s.seconds = 2.1;
        let end = s.seconds;
        let far = (apart - 0.80) / 0.30;
        s.pelvis = [
            vec![through(reach_s, 0.0), through(still_s, 0.0)],
            vec![through(reach_s, 0.945), through(still_s, 0.945)],
            vec![at_rate(reach_s, 0.01 + 0.03 * far, 0.0), at_rate(still_s, 0.01 + 0.03 * far, 0.0)],
        ];
        let bow = 0.08 + 0.14 * far;
        s.pelvis_turn[0] = vec![(0.0, 0.0), (reach_s, 0.4 * bow), (still_s, 0.4 * bow), (end, 0.0)];
        s.chest_turn[0] = vec![(0.0, 0.0), (reach_s, bow), (still_s, bow), (end, 0.0)];
        s.chest_turn[1] = vec![(0.0, 0.0), (reach_s, 0.22), (still_s, 0.22), (end, 0.0)];
        s.gaze = vec![(0.0, 0.0), (reach_s, 0.06), (end, 0.0)];
        for arm in &mut s.arms {
            arm.elbow = vec![(0.0, 0.25), (end, 0.25)];
        }
        let at = Vec3::new(0.0, 1.05, 0.5 * apart - 0.05);
        s.holds.push(Hold {
            side: Side::Right,
            from_s: reach_s,
            still_s,
            to_s: still_s,
            reach_s: 0.62,
            release_s: 0.65,
            at,
            moved: Vec::new(),
            fingers: Vec3::new(0.25, 0.0, 0.968),
            thumb: Vec3::Y,
            elbow: Vec3::new(-0.5, -1.0, -0.3),
            facing: PI,
        });
        s.object = Some(Object::Stands { at: Vec3::Z * apart, yaw: PI });
        s.phases = [0.0, reach_s, still_s, still_s + 0.3];
        out.push(s);
    }
    out
}
