//! Leaps: a flight between a take-off and a landing, from one foot when moving, from both feet when standing.

use super::base::Base;
use super::curve::{at_rate, through};
use super::script::{Approach, Exit, Place, Plant, Script, Via};
use crate::action_truth::ActionKind;
use crate::body::Side;
use crate::laws::{cadence_hz, run_weight};
use crate::options::GaitOptions;
use footwork::advanced::math::lerp;
use glam::Vec3;
use std::rc::Rc;

pub(super) const GRAVITY_MPS2: f32 = 9.81;
/// Height of the `Hips` joint over the ground at take-off and landing, in metres.
pub(super) const LEAVE_M: f32 = 0.92;
pub(super) const LAND_M: f32 = 0.87;
/// Distance of the pelvis ahead of the take-off toes, in metres.
pub(super) const AHEAD_M: f32 = 0.22;
/// Distances from the toe joint to the tip of the toes, and to the heel, with a small margin, in metres.
pub(super) const TIP_M: f32 = 0.09;
pub(super) const HEEL_BEHIND_M: f32 = 0.21;

/// A ballistic arc of the pelvis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    pub seconds: f32,
    /// Vertical speed at take-off and at landing.
    pub up_mps: f32,
    pub down_mps: f32,
}

impl Flight {
    /// Returns the flight from one height to another with a given highest point.
    pub(super) fn over(from: f32, to: f32, highest: f32) -> Self {
        let up_mps = (2.0 * GRAVITY_MPS2 * (highest - from).max(1e-3)).sqrt();
        let down_mps = -(2.0 * GRAVITY_MPS2 * (highest - to).max(1e-3)).sqrt();
        Self { seconds: (up_mps - down_mps) / GRAVITY_MPS2, up_mps, down_mps }
    }

    /// Returns the flight from one height to another with a given duration.
    pub(super) fn lasting(from: f32, to: f32, seconds: f32) -> Self {
        let up_mps = (to - from) / seconds + 0.5 * GRAVITY_MPS2 * seconds;
        Self { seconds, up_mps, down_mps: up_mps - GRAVITY_MPS2 * seconds }
    }
}

/// A leap from one foot onto the other, while moving.
#[derive(Clone, Debug)]
pub(super) struct Leap {
    pub name: String,
    pub kind: ActionKind,
    /// Speed before and after.
    pub speed: [f32; 2],
    /// Speed over the ground in flight.
    pub flight_mps: f32,
    pub flight: Flight,
    /// Height of the ground at the landing, in metres.
    pub level: f32,
    /// Descent of the pelvis as the knees bend after the landing, in metres.
    pub give_m: f32,
    /// True to land on both feet.
    pub both: bool,
}

/// Times and positions of a leap, in the space of its script.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    pub leave_s: f32,
    pub land_s: f32,
    /// Toes at the take-off and at the landing.
    pub from_toe: Vec3,
    pub to_toe: Vec3,
}

/// Returns locomotion before an action that begins in a step, at a share of the foot's planted time; for speed 0, standing.
pub(super) fn approach(options: &GaitOptions, speed: f32, side: Side, share: f32) -> Approach {
    let base = Rc::new(Base::steady(options, speed));
    let cut = if speed > 0.0 { base.in_step(side, 2.0, share) } else { base.sample(2.0) };
    Approach { base, cut, seconds: 0.9, shown: true }
}

/// Returns locomotion before a leap, from the middle of the right foot's last stance, and the step of the left foot, which takes
/// off. `brakes_m`: how much further ahead this step is placed for braking.
pub(super) fn run_up(options: &GaitOptions, speed: f32, brakes_m: f32) -> (Approach, Plant) {
    let approach = approach(options, speed, Side::Right, 0.45);
    let state = approach.base.state(approach.cut);
    let (down_s, up_s, toe, yaw) = approach.base.next_step(Side::Left, approach.cut);
    // The last step is longer, for time to convert forward motion into upward motion.
    let longer = Vec3::Z * (0.02 + 0.03 * speed + brakes_m);
    let toe = state.root.inverse_point(toe) + longer;
    let down_s = down_s + 0.3 * longer.z / speed;
    (approach, Plant { down_s, up_s, toe, yaw: yaw - state.yaw, heel: [0.0, 0.9] })
}

/// Returns the positions of the toes at the cut, relative to the root.
pub(super) fn toes(approach: &Approach) -> [Vec3; 2] {
    let s = approach.base.state(approach.cut);
    let turn = s.root.rotation.inverse();
    Side::BOTH.map(|side| s.stood[side.at()].map_or(Vec3::ZERO, |(toe, _)| turn * (toe - s.root.translation)))
}

/// Returns the pelvis of the approach, relative to the root at the cut.
pub(super) fn pelvis(approach: &Approach) -> Vec3 {
    let s = approach.base.state(approach.cut);
    s.root.inverse_point(s.pelvis)
}

/// Takes off from the left foot, lands on the right, and continues with the left.
pub(super) fn leap(options: &GaitOptions, spec: Leap) -> (Script, Marks) {
    let [speed, exit_speed] = spec.speed;
    let run = run_weight(speed);
    let (approach, takes_off) = run_up(options, speed, 0.0);
    let (toe, hips) = (takes_off.toe, pelvis(&approach));
    let (flight, vz) = (spec.flight, spec.flight_mps);
    // The pelvis takes off ahead of the toes, and lands behind them.
    let ahead = AHEAD_M;
    let behind = 0.10 + 0.055 * vz;
    let leave_s = (toe.z + ahead - hips.z) / lerp(speed, vz, 0.45);
    let land_s = leave_s + flight.seconds;
    let leave_z = toe.z + ahead;
    let land_z = leave_z + vz * flight.seconds;
    let lead = Vec3::new(-toe.x, spec.level, land_z + behind);

    let exit = Rc::new(Base::steady(options, exit_speed));
    let share = 0.4;
    let join = exit.in_step(Side::Left, 2.0, share);
    let flat_s = exit.time(join) - exit.time(exit.in_step(Side::Left, 2.0, 0.0));
    let state = exit.state(join);
    let next = state.stood[0].map_or(Vec3::ZERO, |(toe, _)| toe - state.root.translation);
    let step = 0.88 * exit_speed / cadence_hz(exit_speed);
    let root = Vec3::new(0.0, spec.level, lead.z + step - next.z);
    let way = root.z + (state.pelvis.z - state.root.translation.z) - land_z;
    let seconds = land_s + way / lerp(vz, exit_speed, 0.6) + 0.04;
    let down_s = seconds - flat_s;
    let lands_run = run_weight(exit_speed);
    // Limited by the reach of the leg.
    let up_s = (down_s + lerp(0.12, -0.05, lands_run)).min(land_s + (behind + 0.36) / lerp(vz, exit_speed, 0.6));

    let mut s = Script::new(spec.name, spec.kind, approach);
    s.exit = Exit::Join { base: exit, join, root };
    s.seconds = seconds;
    s.after_s = 0.8;
    s.sided = true;
    let ground = spec.level;
    let low_s = land_s + (0.10 + 0.5 * spec.give_m).min(0.45 * (seconds - land_s));
    s.pelvis = [
        vec![through(leave_s, 0.3 * toe.x), through(land_s, -0.2 * toe.x)],
        vec![
            through(lerp(takes_off.down_s, leave_s, 0.25), lerp(0.88, 0.845, run)),
            at_rate(leave_s, LEAVE_M, flight.up_mps),
            at_rate(land_s, ground + LAND_M, flight.down_mps),
            through(low_s, ground + LAND_M - spec.give_m),
        ],
        vec![at_rate(leave_s, leave_z, vz), at_rate(land_s, land_z, vz)],
    ];
    move_leaping(&mut s, [leave_s, land_s, low_s, seconds], spec.give_m);
    s.blend_s = [leave_s.min(0.3), (seconds - land_s).min(0.4)];
    let free = lerp(0.38, 0.31, run);
    let steps = LeapSteps { takes_off, leave_s, land_s, lead, right_up_s: up_s, free, down_s, step };
    step_leaping(&mut s, (&flight, spec.level, spec.both), &steps);
    // The right foot continues as in the locomotion.
    s.phases = [0.0, leave_s, land_s, low_s];
    s.flight = Some([leave_s, land_s]);
    s.ground = vec![(0.0, 0.0), (leave_s, 0.0), (land_s, spec.level)];
    let toe_joint = crate::body::joint::RIGHT_TOE;
    s.touches.push((land_s, up_s, toe_joint, std::f32::consts::PI));
    (s, Marks { leave_s, land_s, from_toe: toe, to_toe: lead })
}

/// Adds turns of trunk and head, and swings of the arms, of a leap: take-off, landing, lowest position and end at `times`.
fn move_leaping(s: &mut Script, times: [f32; 4], give_m: f32) {
    let [leave_s, land_s, low_s, seconds] = times;
    let mid_s = lerp(leave_s, land_s, 0.5);
    s.pelvis_turn = [
        vec![(0.0, 0.05), (leave_s, 0.08), (mid_s, 0.12), (land_s, 0.2), (low_s, 0.25), (seconds, 0.1)],
        vec![(0.0, 0.0), (leave_s, 0.18), (land_s, 0.0), (seconds, 0.0)],
        vec![],
    ];
    s.chest_turn = [
        vec![(0.0, 0.1), (leave_s, 0.08), (mid_s, 0.2), (land_s, 0.3), (low_s, 0.3 + give_m), (seconds, 0.12)],
        vec![(0.0, 0.0), (leave_s, -0.12), (land_s, 0.05), (seconds, 0.0)],
        vec![],
    ];
    s.gaze = vec![(0.0, 0.1), (leave_s, 0.1), (mid_s, 0.3), (land_s, 0.25), (seconds, 0.05)];
    // The arm opposite the leading leg moves forward.
    s.arms[0].forward = vec![(0.0, 0.2), (leave_s, 1.1), (mid_s, 1.0), (land_s, 0.2), (seconds, -0.2)];
    s.arms[1].forward = vec![(0.0, 0.2), (leave_s, -0.3), (mid_s, -0.4), (land_s, 0.4), (seconds, 0.3)];
    for arm in &mut s.arms {
        arm.outward = vec![(0.0, 0.1), (leave_s, 0.15), (mid_s, 0.55), (land_s, 0.4), (seconds, 0.1)];
        arm.elbow = vec![(0.0, 0.8), (leave_s, 1.2), (mid_s, 0.8), (land_s, 0.7), (seconds, 0.8)];
    }
}

/// Steps of a leap, in the space of its script.
struct LeapSteps {
    takes_off: Plant,
    leave_s: f32,
    land_s: f32,
    /// Toes of the foot that lands first.
    lead: Vec3,
    /// Time at which this foot, the right one, is lifted again.
    right_up_s: f32,
    /// If the left foot lands, too: the share of the time to its next step at which it is lifted.
    free: f32,
    /// Time at which the left foot is down again, and the length of its step, in metres.
    down_s: f32,
    step: f32,
}

/// Adds the steps of a leap, whose landing is at `level`; with `both`, on both feet.
fn step_leaping(s: &mut Script, (flight, level, both): (&Flight, f32, bool), steps: &LeapSteps) {
    let LeapSteps { takes_off, leave_s, land_s, lead, right_up_s, free, down_s, step } = *steps;
    let toe = takes_off.toe;
    let hip = |t: f32, x: f32, y: f32, z: f32, bend: f32| Via { t, at: Place::Hip(Vec3::new(x, y, z)), bend };
    let fly = |u: f32| leave_s + u * flight.seconds;
    // The higher the leap, the further the foot stretches.
    let stretch = 0.9 + 0.2 * (flight.up_mps - 2.0).clamp(0.0, 1.0);
    s.feet[0].plants.push(Plant { up_s: leave_s, heel: [0.0, stretch], ..takes_off });
    s.feet[0].vias = vec![hip(fly(0.28), 0.03, -0.70, -0.36, -0.55), hip(fly(0.72), 0.05, -0.56, -0.30, -0.35)];
    let lift_s = s.approach.base.planted_s(Side::Right, s.approach.cut);
    s.feet[1].lift_s = Some(lift_s);
    s.feet[1].lift_heel = 0.8;
    s.feet[1].vias = vec![
        hip(lerp(lift_s, leave_s, 0.5), -0.01, -0.53, -0.26, -0.2),
        hip(fly(0.1), -0.01, -0.54, 0.28, 0.0),
        hip(fly(0.55), -0.01, -0.62, 0.38, 0.05),
    ];
    let landing = Plant { down_s: land_s, up_s: right_up_s, toe: lead, yaw: -0.1, heel: [0.15, 0.85] };
    s.feet[1].plants = vec![landing];
    let mut free_s = land_s;
    if both {
        let beside = Vec3::new(toe.x.max(0.1), level, lead.z - 0.06);
        free_s = lerp(land_s, down_s, free);
        s.feet[0].plants.push(Plant { down_s: land_s, up_s: free_s, toe: beside, yaw: 0.1, heel: [0.3, 0.8] });
        s.feet[1].plants[0].heel[0] = 0.3;
        s.feet[0].vias = vec![hip(fly(0.25), 0.03, -0.72, -0.30, -0.5), hip(fly(0.65), 0.03, -0.68, -0.02, -0.2)];
    }
    // Past the other foot, and down a step ahead of it.
    let (past, low) = if both { (0.3 * step - 0.2, 0.19) } else { (-0.10, 0.16) };
    for (u, above, z) in [(0.42, 0.24, lead.z + past), (0.78, low, lead.z + step - 0.30)] {
        let at = Place::Ground(Vec3::new(toe.x.max(0.07), level + above, z));
        s.feet[0].vias.push(Via { t: lerp(free_s, down_s, u), at, bend: 0.0 });
    }
    s.feet[0].down_s = Some(down_s);
}

/// A standing leap from both feet onto both.
#[derive(Clone, Debug)]
pub(super) struct Hop {
    pub name: String,
    pub kind: ActionKind,
    /// Distance from toe to toe, in metres.
    pub distance_m: f32,
    pub flight: Flight,
    pub level: f32,
    /// Lowest height of the pelvis over the ground before, and its descent after the landing, in metres.
    pub low_m: f32,
    pub give_m: f32,
    /// Distance of the ankles below the hips in flight, in metres.
    pub tuck_m: f32,
}

/// Returns the distance by which the pelvis of a hop takes off and lands lower than that of a leap, in metres. For longer distances,
/// the body leans more at both ends.
pub(super) fn hop_lean_m(distance_m: f32) -> f32 {
    0.1 * (distance_m / (distance_m + 1.2)).min(0.6)
}

/// Stands, leaps, and stands again.
pub(super) fn hop(options: &GaitOptions, spec: Hop) -> (Script, Marks) {
    let approach = approach(options, 0.0, Side::Left, 0.0);
    let stood = toes(&approach);
    let from_toe = Vec3::new(0.0, 0.0, stood[0].z);
    let to_toe = Vec3::new(0.0, spec.level, from_toe.z + spec.distance_m);
    let flight = spec.flight;
    let reach = 10.0 * hop_lean_m(spec.distance_m);
    let leave_z = from_toe.z + 0.45 * reach;
    let land_z = to_toe.z - 0.06 - 0.5 * reach;
    let vz = (land_z - leave_z) / flight.seconds;
    let (low_s, leave_s) = (0.50, 0.74);
    let land_s = leave_s + flight.seconds;
    let give_s = land_s + 0.12 + 0.35 * spec.give_m;
    let seconds = give_s + 0.75;
    let exit = Rc::new(Base::steady(options, 0.0));
    let join = exit.sample(2.0);
    let mut s = Script::new(spec.name.clone(), spec.kind, approach);
    s.exit = Exit::Join { base: exit, join, root: to_toe - Vec3::Z * stood[0].z };
    s.seconds = seconds;
    let ground = spec.level;
    s.pelvis = [
        vec![through(leave_s, 0.0), through(land_s, 0.0)],
        vec![
            through(low_s, spec.low_m),
            at_rate(leave_s, LEAVE_M - 0.1 * reach, flight.up_mps),
            at_rate(land_s, ground + LAND_M - 0.1 * reach, flight.down_mps),
            through(give_s, ground + LAND_M - 0.1 * reach - spec.give_m),
        ],
        vec![
            through(low_s, from_toe.z - 0.13),
            at_rate(leave_s, leave_z, vz),
            at_rate(land_s, land_z, vz),
            through(give_s, to_toe.z - 0.13),
        ],
    ];
    move_hopping(&mut s, [low_s, leave_s, land_s, give_s, seconds], &spec);
    s.blend_s = [0.3, 0.5];
    for side in Side::BOTH {
        let (k, x) = (side.at(), side.sign());
        let foot = &mut s.feet[k];
        foot.lift_s = Some(leave_s);
        foot.lift_heel = 0.9;
        let fly = |u: f32| leave_s + u * flight.seconds;
        let hip = |t: f32, y: f32, z: f32, bend: f32| Via { t, at: Place::Hip(Vec3::new(0.02 * x, y, z)), bend };
        let tuck = spec.tuck_m;
        foot.vias = vec![
            hip(fly(0.25), -lerp(tuck, 0.82, 0.5), -0.16, -0.45),
            hip(fly(0.52), -tuck, 0.02, -0.1),
            hip(fly(0.80), -lerp(tuck, 0.70, 0.6), 0.55 * reach, 0.1),
        ];
        foot.down_s = Some(land_s);
        let toe = [crate::body::joint::LEFT_TOE, crate::body::joint::RIGHT_TOE][k];
        s.touches.push((land_s, seconds, toe, std::f32::consts::PI));
    }
    s.phases = [0.0, leave_s, land_s, give_s];
    s.flight = Some([leave_s, land_s]);
    s.ground = vec![(0.0, 0.0), (leave_s, 0.0), (land_s, spec.level)];
    (s, Marks { leave_s, land_s, from_toe, to_toe })
}

/// Adds turns of trunk and head, and swings of the arms, of a hop: lowest position, take-off, landing, lowest position after it
/// and end at `times`.
fn move_hopping(s: &mut Script, times: [f32; 5], spec: &Hop) {
    let [low_s, leave_s, land_s, give_s, seconds] = times;
    let mid_s = lerp(leave_s, land_s, 0.5);
    let deep = 0.9 * (0.95 - spec.low_m) / 0.3;
    let soft = 0.35 + 0.9 * spec.give_m;
    s.pelvis_turn[0] = vec![
        (0.0, 0.0),
        (low_s, 0.55 * deep),
        (leave_s, 0.25),
        (mid_s, 0.15),
        (land_s, 0.35),
        (give_s, soft),
        (seconds, 0.0),
    ];
    s.chest_turn[0] = vec![
        (0.0, 0.0),
        (low_s, 0.8 * deep),
        (leave_s, 0.2),
        (mid_s, 0.3),
        (land_s, 0.5),
        (give_s, soft + 0.2),
        (seconds, 0.0),
    ];
    s.gaze =
        vec![(0.0, 0.0), (low_s, 0.15), (leave_s, 0.0), (mid_s, 0.3), (land_s, 0.35), (give_s, 0.2), (seconds, 0.0)];
    s.both_arms(
        vec![
            (0.0, 0.0),
            (0.2, 0.2),
            (low_s - 0.08, -0.6),
            (leave_s + 0.05, 1.05),
            (mid_s.max(leave_s + 0.12), 1.4),
            (land_s, 0.9),
            (give_s, 0.35),
            (seconds, 0.0),
        ],
        vec![(0.0, 0.0), (low_s, 0.2), (leave_s, 0.1), (land_s, 0.3), (give_s, 0.3), (seconds, 0.0)],
        vec![
            (0.0, 0.25),
            (low_s, 0.3),
            (leave_s - 0.09, 1.5),
            (leave_s, 1.2),
            (mid_s, 0.4),
            (land_s, 0.6),
            (give_s, 0.9),
            (seconds, 0.25),
        ],
    );
}
