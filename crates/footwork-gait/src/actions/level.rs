//! Down from edges, and one step up or down.

use super::base::Base;
use super::curve::{at_rate, through};
use super::leap::{Flight, Hop, LAND_M, LEAVE_M, Leap, Marks, TIP_M, approach, hop, leap, pelvis, toes};
use super::script::{Approach, Exit, Place, Plant, Script, Via};
use crate::action_truth::{ActionKind, ActionObstacle};
use crate::body::{Side, joint};
use crate::options::GaitOptions;
use crate::path::Leg;
use crate::repertoire::cm;
use footwork::advanced::math::lerp;
use glam::Vec3;
use std::f32::consts::PI;
use std::rc::Rc;

/// Drops from 0.5 to 1.75 m. Those from 0.85 m are not taken at a run.
pub(super) fn drops(options: &GaitOptions) -> Vec<Script> {
    let mut out = Vec::new();
    for (height, give_m, runs) in [(0.5, 0.26, true), (0.85, 0.3, false), (1.2, 0.32, true), (1.75, 0.33, true)] {
        let (script, marks) = hop(
            options,
            Hop {
                name: format!("drop_stand_{}", cm(height)),
                kind: ActionKind::Drop,
                distance_m: 0.62,
                flight: Flight::over(LEAVE_M, LAND_M - height, LEAVE_M + 0.08),
                level: -height,
                low_m: 0.80,
                give_m,
                tuck_m: 0.68,
            },
        );
        out.push(over_edge(script, marks, height));
        let gaits = [("walk", [1.4, 1.4], 1.5), ("run", [3.75, 1.75], 3.0)];
        for (gait, speed, flight_mps) in gaits.into_iter().take(1 + usize::from(runs)) {
            let (script, marks) = leap(
                options,
                Leap {
                    name: format!("drop_{gait}_{}", cm(height)),
                    kind: ActionKind::Drop,
                    speed,
                    flight_mps,
                    flight: Flight::over(LEAVE_M, LAND_M - height, LEAVE_M + 0.05),
                    level: -height,
                    give_m: give_m - 0.03,
                    both: true,
                },
            );
            out.push(over_edge(script, marks, height));
        }
    }
    out
}

fn over_edge(mut script: Script, marks: Marks, height: f32) -> Script {
    let front = Vec3::new(0.0, 0.0, marks.from_toe.z + TIP_M);
    script.obstacle = Some(ActionObstacle { front, yaw: 0.0, height_m: -height, depth_m: f32::INFINITY });
    script
}

/// Heights of steps, in metres. Those in the middle are taken at a run, too.
const STEPS_M: [f32; 4] = [0.17, 0.26, 0.35, 0.44];
/// Speed of a walk onto a step, and of a run before it, in m/s.
const WALKS_MPS: f32 = 1.25;
const RUNS_MPS: f32 = 3.6;
/// Duration in which a run slows down to this walk, and of the run before, in seconds.
const SLOWS_S: f32 = 0.9;
const RUNS_S: f32 = 0.8;

/// One step up, or down, with the left foot first.
pub(super) fn steps(options: &GaitOptions) -> Vec<Script> {
    let mut out = Vec::new();
    for way in [1.0, -1.0] {
        for (gait, heights) in [("stand", &STEPS_M[..]), ("walk", &STEPS_M[..]), ("run", &STEPS_M[1..3])] {
            out.extend(heights.iter().map(|height| step(options, height * way, gait)));
        }
    }
    out
}

/// Returns a run that slows down to a walk, before an action that begins in a step of the right foot.
fn slows(options: &GaitOptions) -> Approach {
    let (run_s, walk_s) = (2.0, 9.0);
    let legs = vec![Leg::steady(run_s, RUNS_MPS, 0.0, 0.0), Leg::goal(walk_s, WALKS_MPS, 0.0, 0.0)];
    let base = Rc::new(Base::new(options, legs));
    let cut = base.in_step(Side::Right, run_s + SLOWS_S, 0.25);
    let seconds = base.time(cut) - run_s + RUNS_S;
    Approach { base, cut, seconds, shown: true }
}

fn step(options: &GaitOptions, rise: f32, gait: &str) -> Script {
    let walks = gait != "stand";
    let up = rise > 0.0;
    let height = rise.abs();
    let kind = if up { ActionKind::StepUp } else { ActionKind::StepDown };
    let speed = if walks { WALKS_MPS } else { 0.0 };
    let approach = if gait == "run" { slows(options) } else { approach(options, speed, Side::Right, 0.25) };
    let ([_, right], hips) = (toes(&approach), pelvis(&approach));
    // The left foot lands on the step, the body moves over it, the right foot follows.
    let (lift_s, down_s) = if walks { (0.0, 0.36 + 0.25 * height) } else { (0.25, 0.85 + 0.2 * height) };
    let edge_z = right.z + if up { 0.30 } else { TIP_M + 0.03 };
    let toe = Vec3::new(0.09, rise, edge_z + if up { 0.24 } else { 0.27 });
    let exit = Rc::new(Base::steady(options, speed));
    let join = if walks { exit.in_step(Side::Right, 2.0, 0.35) } else { exit.sample(2.0) };
    let state = exit.state(join);
    let stood = |s: usize| state.stood[s].map_or(Vec3::ZERO, |(toe, _)| toe - state.root.translation);
    let stride = if walks { 0.58 } else { 0.0 };
    let root = Vec3::new(0.0, rise, if walks { toe.z + stride - stood(1).z } else { toe.z - stood(0).z });
    let seconds = if walks {
        down_s + (root.z - (toe.z - 0.27)) / (1.12 - 0.6 * if up { height } else { 0.0 })
    } else {
        down_s + 1.05
    };
    let flat_s = exit.time(join) - exit.time(exit.in_step(Side::Right, 2.0, 0.0));
    let right_down_s = if walks { seconds - flat_s } else { down_s + 0.72 };
    let right_up_s = down_s + if up { 0.05 } else { 0.16 };

    let mut s = Script::new(format!("{}_{gait}_{}", kind.tag(), cm(height)), kind, approach);
    s.exit = Exit::Join { base: exit, join, root };
    s.seconds = seconds;
    s.sided = true;
    let over_s = lerp(down_s, right_down_s, if up { 0.75 } else { 0.62 });
    let between = lerp(right.z, toe.z, 0.5);
    s.pelvis = [
        vec![through(lerp(lift_s, down_s, 0.5), if walks { -0.02 } else { -0.06 }), through(over_s, 0.03)],
        if up {
            vec![through(down_s, 0.945), through(right_up_s + 0.06, 0.955 + 0.12 * rise), through(over_s, rise + 0.925)]
        } else {
            vec![through(down_s, rise + 0.945), through(down_s + 0.13, rise + 0.90), through(over_s, rise + 0.94)]
        },
        vec![through(down_s, between - if up { 0.02 } else { -0.02 }), through(over_s, toe.z - 0.12)],
    ];
    if !walks {
        s.pelvis[2].insert(0, through(lift_s, hips.z + 0.01));
        s.pelvis[1].insert(0, at_rate(lift_s, 0.945, 0.0));
    }
    move_stepping(&mut s, [lift_s, down_s, over_s, right_down_s, seconds], rise);
    let [left, foot] = &mut s.feet;
    left.lift_s = (!walks).then_some(lift_s);
    left.lift_heel = 0.35;
    left.plants = vec![Plant {
        down_s,
        up_s: if walks { 9.0 } else { f32::MAX },
        toe,
        yaw: 0.1,
        heel: [if up { 0.0 } else { 0.25 }, 0.9],
    }];
    foot.lift_s = Some(right_up_s);
    foot.lift_heel = if up { 0.75 } else { 0.9 };
    foot.down_s = Some(right_down_s);
    let steps = [[lift_s, down_s], [right_up_s, right_down_s]];
    [left.vias, foot.vias] = swings(rise, edge_z, toe.z, 0.4 * stride, steps);
    if walks {
        // The left foot has left when the locomotion takes over.
        let end = &mut left.plants[0];
        end.up_s = seconds - 0.5 * flat_s;
        let late = exit_lift(&s, join);
        s.feet[0].plants[0].up_s = late;
    } else {
        left.plants.clear();
        left.down_s = Some(down_s);
    }
    s.ground = vec![(0.0, 0.0), (lerp(lift_s, down_s, 0.7), 0.0), (over_s, rise)];
    s.phases = [0.0, lift_s.max(0.05), down_s, right_down_s];
    s.touches = vec![(down_s, right_up_s.max(down_s + 0.1), joint::LEFT_TOE, PI)];
    let front = Vec3::new(0.0, rise.max(0.0), edge_z);
    s.obstacle = Some(ActionObstacle { front, yaw: 0.0, height_m: rise, depth_m: f32::INFINITY });
    s
}

/// Adds turns of trunk and head, and swings of the arms, of a step: the left foot is lifted and down, the body is over it, the
/// right foot is down, and the action ends at `times`.
fn move_stepping(s: &mut Script, times: [f32; 5], rise: f32) {
    let [lift_s, down_s, over_s, right_down_s, seconds] = times;
    let (up, height) = (rise > 0.0, rise.abs());
    let lean = if up { 0.10 + 0.75 * height } else { 0.10 };
    s.pelvis_turn[0] = vec![(0.0, 0.03), (down_s, 0.5 * lean), (over_s, 0.3 * lean), (seconds, 0.03)];
    s.chest_turn[0] = vec![
        (0.0, 0.05),
        (lerp(lift_s, down_s, 0.5), 0.5 * lean),
        (down_s, lean),
        (over_s, 0.6 * lean),
        (seconds, 0.04),
    ];
    s.gaze = vec![(0.0, 0.15), (0.7 * down_s, if up { 0.15 } else { 0.35 }), (right_down_s, 0.1), (seconds, 0.02)];
    s.arms[0].forward = vec![(0.0, 0.0), (down_s, -0.25), (right_down_s, 0.3), (seconds, 0.05)];
    s.arms[1].forward = vec![(0.0, 0.0), (down_s, 0.4), (right_down_s, -0.2), (seconds, 0.05)];
    for arm in &mut s.arms {
        arm.outward = vec![(0.0, 0.0), (down_s, 0.12), (seconds, 0.0)];
        arm.elbow = vec![(0.0, 0.3), (down_s, 0.55), (seconds, 0.3)];
    }
}

/// Returns the points that the left and the right foot pass while they swing onto a step. `steps`: times at which each foot is
/// lifted and down; `toe_z`: toes of the left foot on the step; `far`: distance by which the right
/// foot is ahead when it lands.
fn swings(rise: f32, edge_z: f32, toe_z: f32, far: f32, steps: [[f32; 2]; 2]) -> [Vec<Via>; 2] {
    let [[lift_s, down_s], [right_up_s, right_down_s]] = steps;
    let ground = |t: f32, x: f32, y: f32, z: f32, bend: f32| Via { t, at: Place::Ground(Vec3::new(x, y, z)), bend };
    if rise > 0.0 {
        let left = vec![
            ground(lerp(lift_s, down_s, 0.55), 0.1, rise + 0.20, edge_z - 0.20, 0.1),
            ground(lerp(lift_s, down_s, 0.86), 0.1, rise + 0.16, toe_z - 0.19, 0.35),
        ];
        let right = vec![
            ground(lerp(right_up_s, right_down_s, 0.45), -0.1, rise + 0.20, edge_z - 0.19, 0.0),
            ground(lerp(right_up_s, right_down_s, 0.72), -0.1, rise + 0.17, edge_z + 0.10 + far, 0.15),
        ];
        [left, right]
    } else {
        let left = vec![ground(lerp(lift_s, down_s, 0.5), 0.1, 0.17, edge_z - 0.05, 0.1)];
        let right = vec![
            ground(lerp(right_up_s, right_down_s, 0.32), -0.1, 0.30, edge_z - 0.13, 0.1),
            ground(
                lerp(right_up_s, right_down_s, 0.65),
                -0.1,
                lerp(0.2, rise + 0.2, 0.6),
                edge_z + 0.17 + 0.2 * far,
                0.15,
            ),
        ];
        [left, right]
    }
}

/// Returns the time at which the left foot leaves before the right foot's stance in which the locomotion takes over.
fn exit_lift(script: &Script, join: usize) -> f32 {
    let Exit::Join { base, .. } = &script.exit else { return script.seconds };
    let earlier = join.saturating_sub((0.6 * super::base::SAMPLE_HZ) as usize);
    let left = base.left_s(Side::Left, join).max(base.time(earlier));
    script.seconds - (base.time(join) - left)
}
