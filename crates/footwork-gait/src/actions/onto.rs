//! Mantles and climbs onto an obstacle by its edge: by pushing up from it, or by pulling up from a hang.

use super::base::Base;
use super::curve::{Curve, Key, at_rate, through};
use super::leap::{Flight, LEAVE_M, TIP_M, approach, pelvis, run_up, toes};
use super::script::{Approach, Exit, Hold, Place, Plant, Script, Via};
use crate::action_truth::{ActionKind, ActionObstacle, HAND_M};
use crate::body::{Side, joint};
use crate::options::GaitOptions;
use crate::repertoire::cm;
use footwork::advanced::math::lerp;
use glam::Vec3;
use std::f32::consts::PI;
use std::rc::Rc;

/// Position of the hands on the edge: from the middle, and behind the edge, in metres.
const HAND_X_M: f32 = 0.25;
const GRIP_M: f32 = 0.05;
/// Distance of the pelvis before the edge while it rises, in metres.
const BEFORE_M: f32 = 0.38;
/// Distance of the pelvis below the edge when hanging by bent arms, and above it on stretched arms, in metres.
const HANG_M: f32 = 0.72;
const PRESS_M: f32 = 0.22;

/// Name, speed before, and speed over the ground in flight, in m/s.
const GAITS: [(&str, f32, f32); 3] = [("stand", 0.0, 0.0), ("walk", 1.4, 0.9), ("run", 3.6, 1.7)];

/// Mantles onto 1.05 to 1.55 m.
pub(super) fn mantles(options: &GaitOptions) -> Vec<Script> {
    let all = [1.05, 1.3, 1.55].into_iter().flat_map(|h| GAITS.map(|gait| (h, gait)));
    all.map(|(h, gait)| {
        let caught = (h - 0.35f32).max(0.94);
        onto(options, ActionKind::Mantle, h, caught, gait)
    })
    .collect()
}

/// Climbs onto 1.65 to 2.15 m.
pub(super) fn climbs(options: &GaitOptions) -> Vec<Script> {
    let all = [1.65, 1.9, 2.15].into_iter().flat_map(|h| GAITS.map(|gait| (h, gait)));
    all.map(|(h, gait)| onto(options, ActionKind::Climb, h, h - HANG_M, gait)).collect()
}

/// Times of the ascent, in seconds.
struct Times {
    leave: f32,
    /// In order: hands on the edge, body pressed up, one foot on top, hands off, other foot on top, upright.
    caught: f32,
    pressed: f32,
    foot: f32,
    off: f32,
    other: f32,
    end: f32,
}

/// `caught_m`: height of the pelvis when the hands arrive.
fn onto(options: &GaitOptions, kind: ActionKind, height: f32, caught_m: f32, gait: (&str, f32, f32)) -> Script {
    let (gait, speed, flight_mps) = gait;
    let stands = speed == 0.0;
    let flight = Flight::over(LEAVE_M, caught_m, caught_m.max(LEAVE_M) + 0.04);
    let (approach, takes_off): (Approach, Option<Plant>) = if stands {
        (approach(options, 0.0, Side::Left, 0.0), None)
    } else {
        let (approach, plant) = run_up(options, speed, 0.0);
        (approach, Some(plant))
    };
    let hips = pelvis(&approach);
    let toe = takes_off.map_or(toes(&approach)[0], |p| p.toe);
    let leave_z = if stands { hips.z } else { toe.z + 0.16 };
    let leave = if stands { 0.55 } else { (leave_z - hips.z) / lerp(speed, flight_mps, 0.38) };
    let caught_z = if stands { leave_z + 0.10 } else { leave_z + flight_mps * flight.seconds };
    let edge = (caught_z + BEFORE_M + 0.04).max(toe.z + TIP_M + 0.12);
    let climbs = kind == ActionKind::Climb;
    let rise = height + PRESS_M - caught_m;
    let caught = leave + flight.seconds;
    let hang = if climbs { 0.08 } else { 0.04 };
    let pressed = caught + hang + 0.22 + 0.30 * rise.max(0.55);
    let t = Times {
        leave,
        caught,
        pressed,
        foot: pressed + 0.26,
        off: pressed + 0.30,
        other: pressed + 0.57,
        end: pressed + 1.0,
    };

    let exit = Rc::new(Base::steady(options, 0.0));
    let join = exit.sample(2.0);
    let state = exit.state(join);
    let stood = state.stood[0].map_or(Vec3::ZERO, |(toe, _)| toe - state.root.translation);
    let root = Vec3::new(0.0, height, edge + 0.30 - stood.z);
    let mut s = Script::new(format!("{}_{gait}_{}", kind.tag(), cm(height)), kind, approach);
    s.exit = Exit::Join { base: exit, join, root };
    s.seconds = t.end;
    s.after_s = 0.8;
    s.sided = true;
    s.blend_s = [0.3, 0.5];
    s.pelvis = pelvis_keys(&t, &Ascent { height, caught_m, leave_z, caught_z, edge }, &flight, takes_off);
    if stands {
        s.pelvis[2].insert(0, through(0.34, hips.z - 0.06));
    }
    bend_over_edge(&mut s, &t, height, stands);
    swing_arms(&mut s, &t);
    hold_edge(&mut s, &t, height, edge);
    feet(&mut s, &t, (edge, height, caught_m), takes_off);
    s.ground = vec![(0.0, 0.0), (lerp(t.caught, t.pressed, 0.4), 0.0), (t.other, height)];
    s.phases = [0.0, t.caught, t.off, t.other];
    s.flight = Some([t.leave, t.caught]);
    s.touches = vec![(t.foot, t.other, joint::LEFT_TOE, PI)];
    let front = Vec3::new(0.0, height, edge);
    s.obstacle = Some(ActionObstacle { front, yaw: 0.0, height_m: height, depth_m: f32::INFINITY });
    s
}

/// Positions of an ascent, in metres.
struct Ascent {
    /// Height of the edge.
    height: f32,
    /// Height of the pelvis when the hands arrive.
    caught_m: f32,
    /// Pelvis along the direction of travel, when it leaves and when the hands arrive.
    leave_z: f32,
    caught_z: f32,
    edge: f32,
}

/// Returns the keys of the pelvis: to the side, up and along the direction of travel.
fn pelvis_keys(t: &Times, ascent: &Ascent, flight: &Flight, takes_off: Option<Plant>) -> [Vec<Key>; 3] {
    let Ascent { height, caught_m, leave_z, caught_z, edge } = *ascent;
    let stands = takes_off.is_none();
    let vz = (caught_z - leave_z) / flight.seconds;
    [
        vec![through(t.leave, 0.0), through(t.pressed, 0.0), through(t.foot, -0.02), through(t.other, 0.03)],
        vec![
            through(
                if stands { 0.34 } else { lerp(takes_off.map_or(0.0, |p| p.down_s), t.leave, 0.3) },
                if stands { 0.70 } else { 0.85 },
            ),
            at_rate(t.leave, LEAVE_M, flight.up_mps),
            at_rate(t.caught, caught_m, flight.down_mps),
            through(t.caught + 0.12, caught_m - 0.03),
            through(t.pressed, height + PRESS_M),
            through(t.foot, height + PRESS_M + 0.04),
            through(t.other, height + 0.72),
        ],
        vec![
            at_rate(t.leave, leave_z, vz),
            at_rate(t.caught, caught_z, vz),
            through(lerp(t.caught, t.pressed, 0.3), edge - BEFORE_M + 0.05 * vz),
            through(lerp(t.caught, t.pressed, 0.6), edge - BEFORE_M - 0.02),
            through(t.pressed, edge - BEFORE_M),
            through(t.foot, edge - 0.34),
            through(t.other, edge + 0.08),
        ],
    ]
}

/// Adds turns of trunk and head.
fn bend_over_edge(s: &mut Script, t: &Times, height: f32, stands: bool) {
    // The trunk bends over the edge as the shoulders rise above it.
    let rises = Curve::new(&s.pelvis[1]);
    let when = |over_m: f32| {
        let samples = 60;
        let at = |k: i32| lerp(t.caught, t.pressed, k as f32 / samples as f32);
        (0..samples)
            .map(at)
            .find(|time| rises.at(*time) > height + over_m && *time > t.caught + 0.12)
            .unwrap_or(t.pressed)
    };
    let (under, level, above) = (when(-0.20), when(0.02), when(0.16));
    let crouch = if stands { 0.4 } else { 0.1 };
    s.pelvis_turn[0] = vec![
        (0.0, 0.0),
        (0.65 * t.leave, crouch),
        (t.leave, 0.0),
        (t.caught, 0.0),
        (under, 0.05),
        (level, 0.15),
        (above, 0.2),
        (t.pressed, 0.2),
        (t.foot, 0.12),
        (t.off + 0.06, 0.5),
        (t.other, 0.5),
        (t.end, 0.0),
    ];
    s.chest_turn[0] = vec![
        (0.0, 0.0),
        (0.65 * t.leave, crouch),
        (t.leave, 0.0),
        (t.caught, 0.05),
        (level, 0.72),
        (t.pressed, 1.27),
        (t.foot, 1.3),
        (t.off, 1.35),
        (t.other, 0.95),
        (t.end, 0.0),
    ];
    s.gaze = vec![
        (0.0, 0.0),
        (t.leave, -0.35),
        (t.caught, -0.4),
        (under, -0.1),
        (t.pressed, 0.4),
        (t.other, 0.2),
        (t.end, 0.0),
    ];
}

/// Adds swings of the arms.
fn swing_arms(s: &mut Script, t: &Times) {
    s.both_arms(
        vec![
            (0.0, 0.0),
            (0.65 * t.leave, -0.5),
            (t.leave, 0.9),
            (t.caught, 2.2),
            (t.off, 1.0),
            (t.other, 0.4),
            (t.end, 0.0),
        ],
        vec![(0.0, 0.0), (t.off, 0.3), (t.end, 0.0)],
        vec![(0.0, 0.3), (0.85 * t.leave, 1.7), (t.leave, 1.9), (t.off, 0.6), (t.end, 0.25)],
    );
}

/// Adds the holds of both hands on the edge.
fn hold_edge(s: &mut Script, t: &Times, height: f32, edge: f32) {
    for side in Side::BOTH {
        let x = side.sign();
        s.holds.push(Hold {
            side,
            from_s: t.caught,
            still_s: t.off,
            to_s: t.off,
            reach_s: (0.8 * (t.caught - 0.6 * t.leave)).max(0.25),
            release_s: 0.3,
            at: Vec3::new(x * HAND_X_M, height + HAND_M, edge + GRIP_M),
            moved: Vec::new(),
            fingers: Vec3::Z,
            thumb: Vec3::NEG_X * x,
            elbow: Vec3::new(0.9 * x, -0.5, -0.5),
            facing: PI,
        });
    }
}

/// The feet hang, then move over the edge one after the other, the left first.
fn feet(s: &mut Script, t: &Times, edge: (f32, f32, f32), takes_off: Option<Plant>) {
    let (edge, height, caught_m) = edge;
    // Off the ground.
    let hang_m = (caught_m - 0.30).min(0.78);
    let stands = takes_off.is_none();
    let lift_s = s.approach.base.planted_s(Side::Right, s.approach.cut);
    for side in Side::BOTH {
        let (k, x) = (side.at(), 0.02 * side.sign());
        let hip = |t: f32, y: f32, z: f32, bend: f32| Via { t, at: Place::Hip(Vec3::new(x, y, z)), bend };
        let over = |t: f32, above: f32, z: f32| Via {
            t,
            at: Place::Ground(Vec3::new(0.1 * side.sign(), height + above, edge + z)),
            bend: 0.35,
        };
        let lands = if side == Side::Left { t.foot } else { t.other };
        let foot = &mut s.feet[k];
        foot.down_s = Some(lands);
        foot.lift_heel = if stands { 0.85 } else { 0.55 };
        let leaves = match (side, takes_off) {
            (Side::Left, Some(plant)) => {
                foot.plants.push(Plant { up_s: t.leave, heel: [0.0, 0.8], ..plant });
                t.leave
            }
            (Side::Right, Some(_)) => {
                foot.lift_s = Some(lift_s);
                lift_s
            }
            (_, None) => {
                foot.lift_s = Some(t.leave);
                t.leave
            }
        };
        if leaves < t.leave {
            foot.vias.push(hip(lerp(leaves, t.leave, 0.5), -0.53, -0.26, -0.2));
            foot.vias.push(hip(t.leave + 0.03, -0.50, 0.05, 0.0));
        }
        if leaves == t.leave && t.caught > t.leave + 0.3 {
            foot.vias.push(hip(t.leave + 0.12, -0.66, -0.28, -0.5));
        }
        let hang = if side == Side::Left { -0.12 } else { -0.2 };
        foot.vias.push(hip(t.caught + 0.08, -hang_m, hang + 0.02, -0.5));
        foot.vias.push(hip(
            lerp(t.caught, t.foot, 0.4),
            -0.5 * (hang_m + if side == Side::Left { 0.44 } else { 0.76 }),
            hang - 0.04,
            -0.5,
        ));
        if side == Side::Left {
            // The knee folds in front of the body, above the edge.
            foot.vias.push(hip(lerp(t.caught, t.foot, 0.62), -0.39, -0.03, -0.2));
            foot.vias.push(hip(lerp(t.caught, t.foot, 0.75), -0.34, 0.15, 0.3));
            foot.vias.push(over(lerp(t.caught, t.foot, 0.87), 0.14, -0.04));
        } else {
            foot.vias.push(hip(t.pressed, -0.74, -0.26, -0.5));
            foot.vias.push(hip(lerp(t.foot, t.other, 0.34), -0.44, -0.30, -0.4));
            foot.vias.push(over(lerp(t.foot, t.other, 0.60), 0.26, -0.17));
            foot.vias.push(over(lerp(t.foot, t.other, 0.82), 0.17, 0.05));
        }
    }
}
