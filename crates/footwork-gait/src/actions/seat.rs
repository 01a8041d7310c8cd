//! Sitting down on a seat, and getting up from it.

use super::base::Base;
use super::curve::{at_rate, through};
use super::leap::approach;
use super::script::{Approach, Exit, Script};
use crate::action_truth::{ActionKind, ActionObstacle};
use crate::body::{Side, joint};
use crate::options::GaitOptions;
use crate::path::Leg;
use crate::repertoire::cm;
use glam::Vec3;
use std::f32::consts::PI;
use std::rc::Rc;

/// Height of the `Hips` joint over a seat, and its distance behind the root of the standing body, in metres.
const HIPS_M: f32 = 0.12;
const BACK_M: f32 = 0.42;
/// Distance of the seat's front edge behind the root of the standing body, and depth of the seat, in metres.
const EDGE_M: f32 = 0.16;
const DEPTH_M: f32 = 0.45;
const SEATS_M: [f32; 3] = [0.38, 0.45, 0.52];
/// Pitch of pelvis and chest of a sitting body, in radians.
const SITS_RAD: [f32; 2] = [-0.12, 0.04];

fn seat(height: f32) -> Option<ActionObstacle> {
    let front = Vec3::new(0.0, height, -EDGE_M);
    Some(ActionObstacle { front, yaw: PI, height_m: height, depth_m: DEPTH_M })
}

/// Gaits before a seat: name, speed in m/s, and duration in which it stops, in seconds.
const GAITS: [(&str, f32, f32); 3] = [("stand", 0.0, 0.0), ("walk", 1.3, 1.2), ("run", 3.6, 1.5)];

/// Sits down from standing before the seat, and from a walk and a run that end there with a turn. A run ends at the middle one.
pub(super) fn sits(options: &GaitOptions) -> Vec<Script> {
    let mut out = Vec::new();
    for (gait, speed, stops_s) in GAITS {
        let heights = if gait == "run" { &SEATS_M[1..2] } else { &SEATS_M[..] };
        for height in heights.iter().copied() {
            let stands = speed == 0.0;
            let approach =
                if stands { approach(options, 0.0, Side::Left, 0.0) } else { stop_and_turn(options, speed, stops_s) };
            let name = format!("sit_{gait}_{}", cm(height));
            let mut s = Script::new(name, ActionKind::Sit, approach);
            s.exit = Exit::Hold;
            let down_s = 1.15;
            s.seconds = 1.75;
            s.after_s = 0.8;
            s.sided = !stands;
            s.pelvis = [
                vec![through(down_s, 0.0), through(s.seconds, 0.0)],
                vec![
                    through(0.55, 0.76 + 0.2 * (height - 0.45)),
                    // The seat stops the body.
                    at_rate(down_s, height + HIPS_M + 0.0005, -0.25),
                    at_rate(down_s + 0.008, height + HIPS_M, 0.0),
                    through(s.seconds, height + HIPS_M),
                ],
                vec![
                    through(0.30, -0.07),
                    through(0.65, -0.24),
                    at_rate(down_s, -BACK_M, 0.0),
                    through(s.seconds, -BACK_M),
                ],
            ];
            let [pelvis, chest] = SITS_RAD;
            s.pelvis_turn[0] = vec![(0.0, 0.0), (0.6, 0.5), (down_s, 0.25), (s.seconds, pelvis)];
            s.chest_turn[0] = vec![(0.0, 0.0), (0.65, 0.75), (down_s, 0.5), (s.seconds, chest)];
            s.gaze = vec![(0.0, 0.0), (0.6, 0.3), (s.seconds, 0.0)];
            s.both_arms(
                vec![(0.0, 0.0), (0.6, 0.35), (down_s, 0.3), (s.seconds, 0.42)],
                vec![(0.0, 0.0), (0.6, 0.12), (s.seconds, 0.08)],
                vec![(0.0, 0.25), (0.6, 0.5), (s.seconds, 1.0)],
            );
            s.blend_s = [0.4, 0.4];
            s.phases = [0.0, down_s, down_s + 0.15, s.seconds - 0.15];
            s.touches = vec![(down_s, s.seconds + s.after_s, joint::HIPS, 0.0)];
            s.obstacle = seat(height);
            out.push(s);
        }
    }
    out
}

fn stop_and_turn(options: &GaitOptions, speed: f32, stops_s: f32) -> Approach {
    let legs = vec![Leg::steady(2.0, speed, 0.0, 0.0), Leg::goal(stops_s, 0.0, 0.0, 0.0), Leg::goal(8.0, 0.0, 0.0, PI)];
    let base = Rc::new(Base::new(options, legs));
    let cut = base.sample(3.8 + stops_s);
    Approach { base, cut, seconds: 2.8 + stops_s, shown: true }
}

/// Gets up to standing, and into a walk.
pub(super) fn rises(options: &GaitOptions) -> Vec<Script> {
    let mut out = Vec::new();
    for walks in [false, true] {
        for height in SEATS_M {
            let mut approach = approach(options, 0.0, Side::Left, 0.0);
            approach.shown = false;
            let name = format!("get_up_{}_{}", if walks { "walk" } else { "stand" }, cm(height));
            let mut s = Script::new(name, ActionKind::GetUp, approach);
            let (lean_s, up_s) = (0.7, 1.15);
            s.seconds = 2.2;
            if walks {
                let base =
                    Rc::new(Base::new(options, vec![Leg::steady(3.0, 0.0, 0.0, 0.0), Leg::goal(4.0, 1.15, 0.0, 0.0)]));
                let join = base.sample(2.4);
                s.exit = Exit::Join { base, join, root: Vec3::ZERO };
                s.after_s = 2.1;
            }
            let sits = height + HIPS_M;
            s.pelvis = [
                vec![through(0.0, 0.0), at_rate(up_s, 0.0, 0.0)],
                vec![through(0.0, sits), at_rate(up_s - 0.05, sits, 0.0), through(1.6, 0.82)],
                vec![
                    through(0.0, -BACK_M),
                    at_rate(up_s - 0.25, -BACK_M, 0.0),
                    at_rate(up_s - 0.242, -BACK_M + 0.0005, 0.2),
                    through(1.45, -0.20),
                    through(1.75, -0.07),
                ],
            ];
            let [pelvis, chest] = SITS_RAD;
            s.pelvis_turn[0] = vec![(0.0, pelvis), (lean_s, pelvis), (up_s, 0.45), (1.4, 0.45), (s.seconds, 0.0)];
            s.chest_turn[0] = vec![(0.0, chest), (lean_s - 0.1, chest), (up_s, 0.72), (1.4, 0.6), (s.seconds, 0.0)];
            s.gaze = vec![(0.0, 0.0), (lean_s, 0.0), (up_s, 0.25), (s.seconds, 0.0)];
            s.both_arms(
                vec![(0.0, 0.42), (lean_s, 0.42), (up_s, 0.3), (1.5, 0.25), (s.seconds, 0.0)],
                vec![(0.0, 0.08), (up_s, 0.12), (s.seconds, 0.0)],
                vec![(0.0, 1.0), (lean_s, 1.0), (up_s, 0.95), (1.5, 0.6), (s.seconds, 0.25)],
            );
            s.phases = [lean_s - 0.1, up_s - 0.05, 1.6, 1.9];
            s.touches = vec![(0.0, up_s - 0.25, joint::HIPS, 0.0)];
            s.obstacle = seat(height);
            out.push(s);
        }
    }
    out
}
