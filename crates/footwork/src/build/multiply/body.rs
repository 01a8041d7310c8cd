//! Pose of the body over planned feet: blended from cycles and an idle pose, leaning into its acceleration, with legs bent
//! to reach the feet.

use super::cycle::Shown;
use super::gait::Gait;
use super::gates::Limits;
use super::kit::{less_and_less, mix_in};
use super::route::Route;
use super::stand::put;
use super::steps::{Stance, Steps};
use crate::adjust::two_bone_ik::{BentLeg, Reach};
use crate::build::sink;
use crate::math::{Facing, GRAVITY_MPS2, Quat, Transform, atan2, lerp, smoothstep, spring, wrap_angle};
use crate::pose::Pose;
use glam::Vec3;

/// Lean, as a share of the lean that would balance the acceleration.
const LEAN_SHARE: f32 = 0.25;
/// Maximum lean, in radians.
const MOST_LEAN_RAD: f32 = 0.17;
/// Half-life of the lean, in seconds: leaning is slower than stepping.
const LEAN_HALF_LIFE_S: f32 = 0.1;
/// Limits for the extension of legs, for a leg of 1 m.
const REACH: Reach = Reach { kept_m: 0.006, soft_m: 0.02 };
/// [`Reach::soft_m`] in the air, for a leg of 1 m: the knee of a leg that is straight there would snap.
const SOFT_IN_AIR_M: f32 = 0.08;
/// Time over which the pelvis lowers and rises, in seconds.
const SINK_S: f32 = 0.2;
/// Maximum lowering of the pelvis, as a share of a leg.
const MOST_SINK: f32 = 0.12;
/// Lift of a foot in a step in place, as a share of a cycle's swing.
const LEAST_LIFT: f32 = 0.5;

/// Twist of a foot against the body without pivoting, and maximum twist, in radians.
const FREE_TWIST_RAD: f32 = 0.3;
const MOST_TWIST_RAD: f32 = 0.6;
/// Share of a twist that the hip takes. The ankle takes the rest.
const HIP_SHARE: f32 = 0.7;
/// Share of a swing at each end in which the foot is tied to its stances. In between it follows the body.
const SWINGS_FREE: f32 = 0.3;
/// Share of a swing at each end in which the leg may stretch as in a stance.
const SWINGS_LONG: f32 = 0.12;

/// Target of a foot: contact joint and ankle in world space, toes in the ankle's space.
#[derive(Clone, Copy, Debug)]
struct Target {
    at: Vec3,
    ankle: Quat,
    toe: Quat,
    /// Twist of the foot against the leg, in radians.
    twist_rad: f32,
    /// Freedom in the air: 0 at both ends of the swing, 1 in between.
    free: f32,
    /// The same for the leg's length.
    air: f32,
}

/// Returns the poses in world space, `[frames]`, and the contacts of the left and the right foot.
pub fn over(gait: &Gait, limits: &Limits, route: &Route, steps: &Steps) -> (Vec<Pose>, [Vec<bool>; 2]) {
    let mut scratch = Shown::new(&gait.kit);
    let leans = leans(route);
    let mut poses: Vec<Pose> = Vec::with_capacity(route.frames());
    let mut targets: Vec<[Target; 2]> = Vec::with_capacity(route.frames());
    let mut on = [Vec::new(), Vec::new()];
    for (f, moment) in steps.moments.iter().enumerate() {
        let mut pose = gait.stand.pose.clone();
        let speed = route.velocities_mps[f].length();
        let mut moving = pose.clone();
        if moment.moving > 0.0 {
            gait.body(&moment.mix, moment.phase, &mut scratch, &mut moving);
            mix_in(&mut pose, &moving, moment.moving * gait.sway(&moment.mix, speed));
        }
        lean(gait, &mut pose, leans[f]);
        pose.set_world_from_root(route.roots[f]);
        let time_s = f as f32 / route.rate_hz;
        targets.push([0, 1].map(|side| {
            let k = steps.feet[side].iter().rposition(|s| s.land_s <= time_s).unwrap_or(0);
            on[side].push(time_s <= steps.feet[side][k].lift_s);
            target(gait, (route, steps), f, (side, k), &mut scratch)
        }));
        poses.push(pose);
    }
    let_down(gait, &mut poses, &targets, route.rate_hz);
    for (pose, targets) in poses.iter_mut().zip(&targets) {
        for (side, target) in targets.iter().enumerate() {
            let (mut leg, at) = leg(gait, pose, side, target);
            leg.reach(at, reach(&leg, target.air));
            leg.write(pose);
            let ankle = leg.leg.ankle;
            let swung = pose.rotations[ankle.at()];
            pose.rotations[ankle.at()] = swung.slerp(limits.within(ankle, swung), target.free);
        }
    }
    (poses, on)
}

/// Returns the limits of a leg whose foot is in the air by a share, 0 to 1.
fn reach(leg: &BentLeg, air: f32) -> Reach {
    let length_m = leg.length_m();
    Reach { kept_m: REACH.kept_m * length_m, soft_m: lerp(REACH.soft_m, SOFT_IN_AIR_M, air) * length_m }
}

/// Returns a leg with its foot rotated, and the target position of its contact joint in root space.
fn leg(gait: &Gait, pose: &Pose, side: usize, target: &Target) -> (BentLeg, Vec3) {
    let root = pose.world_from_root();
    let mut leg = BentLeg::of(gait.kit.skeleton, pose, gait.kit.legs[side]);
    // The hip takes the larger part of a twist.
    leg.turn(Quat::from_rotation_y(HIP_SHARE * target.twist_rad));
    put(&mut leg, root.rotation.inverse() * target.ankle, target.toe);
    (leg, root.inverse_point(target.at))
}

/// Returns the target of a foot in its stance `k`, or in the swing after it.
fn target(
    gait: &Gait,
    (route, steps): (&Route, &Steps),
    f: usize,
    (side, k): (usize, usize),
    scratch: &mut Shown,
) -> Target {
    let time_s = f as f32 / route.rate_hz;
    let moment = &steps.moments[f];
    let root_yaw_rad = Facing::from_rotation(route.roots[f].rotation).yaw();
    let rest = gait.stand.feet[side];
    let here = steps.feet[side][k];
    let next = steps.feet[side].get(k + 1).filter(|_| time_s > here.lift_s);
    let (at, yaw_rad, moved, free, air) = match next {
        None => {
            let moved = gait.foot(&moment.mix, side, (false, moment.stance[side]), scratch);
            (here.at + Vec3::Y * lerp(rest.at.y, moved.aside.y, moment.moving), here.yaw_rad, moved, 0.0, 0.0)
        }
        Some(next) => {
            let share = ((time_s - here.lift_s) / (next.land_s - here.lift_s)).clamp(0.0, 1.0);
            let moved = gait.foot(&moment.mix, side, (true, share), scratch);
            let yaw_rad = here.yaw_rad + swing_turn_rad(route, &here, next) * smoothstep(share);
            let at = swing(gait, moment, &here, next, side, (&moved, yaw_rad));
            let [free, air] =
                [SWINGS_FREE, SWINGS_LONG].map(|end| smoothstep((share.min(1.0 - share) / end).clamp(0.0, 1.0)));
            (at + uneven(route, [here.lift_s, next.land_s], time_s) * free, yaw_rad, moved, free, air)
        }
    };
    let yaw_rad = pivoted(yaw_rad, root_yaw_rad);
    let ankle = rest.sample.ankle.slerp(moved.ankle, moment.moving);
    let toe = rest.sample.toe.slerp(moved.toe, moment.moving);
    let (_, natural_rad) = gait.place(&moment.mix, side, moment.moving);
    let twist_rad = wrap_angle(yaw_rad - root_yaw_rad - natural_rad);
    Target { at, ankle: Quat::from_rotation_y(yaw_rad) * ankle, toe, twist_rad, free, air }
}

/// Returns the turn of a foot in its swing from one stance to the next, in radians: in the direction of the body's turn, and by more
/// than half a turn if the body turns by so much.
fn swing_turn_rad(route: &Route, here: &Stance, next: &Stance) -> f32 {
    let yaw_rad = |frame: usize| Facing::from_rotation(route.roots[frame].rotation).yaw();
    let [lift, land] = [here.lift_s, next.land_s].map(|time_s| route.frame(time_s.max(0.0)));
    let body_rad: f32 = (lift..land).map(|f| wrap_angle(yaw_rad(f + 1) - yaw_rad(f))).sum();
    body_rad + wrap_angle(next.yaw_rad - yaw_rad(land)) - wrap_angle(here.yaw_rad - yaw_rad(lift))
}

/// Returns the root's deviation from linear motion at a time of a swing.
fn uneven(route: &Route, [lift_s, land_s]: [f32; 2], time_s: f32) -> Vec3 {
    let share = (time_s - lift_s) / (land_s - lift_s);
    let [from, now, to] = [lift_s, time_s, land_s].map(|t| route.at(t).translation);
    now - from.lerp(to, share)
}

/// Returns the yaw of a foot under a body that faces `root_yaw_rad`. A foot with a large twist pivots on its ball.
fn pivoted(yaw_rad: f32, root_yaw_rad: f32) -> f32 {
    let twist = wrap_angle(yaw_rad - root_yaw_rad);
    let beyond = twist.abs() - FREE_TWIST_RAD;
    if beyond <= 0.0 {
        return yaw_rad;
    }
    let eased = FREE_TWIST_RAD + less_and_less(beyond, MOST_TWIST_RAD - FREE_TWIST_RAD);
    root_yaw_rad + twist.signum() * eased
}

/// Returns the position of a foot in its swing from one stance to the next.
fn swing(
    gait: &Gait,
    moment: &super::steps::StridePhase,
    here: &Stance,
    next: &Stance,
    side: usize,
    (moved, yaw_rad): (&super::cycle::FootSample, f32),
) -> Vec3 {
    let way = next.at - here.at;
    let usual_m = gait.speed_mps(&moment.mix) / gait.cadence_hz(&moment.mix);
    let lift = lerp(LEAST_LIFT, 1.0, (way.length() / usual_m).min(1.0));
    let rest_y = gait.stand.feet[side].at.y;
    let height = rest_y + (moved.aside.y - rest_y) * lift;
    let aside = Quat::from_rotation_y(yaw_rad) * Vec3::new(moved.aside.x, 0.0, moved.aside.z);
    let at = here.at + way * moved.progress + aside;
    Vec3::new(at.x, lerp(rest_y, height, moment.moving), at.z)
}

/// Returns rotations about the ground under the root, in root space, `[frames]`. They follow the acceleration with a delay.
fn leans(route: &Route) -> Vec<Quat> {
    let (mut x, mut v) = (Vec3::ZERO, Vec3::ZERO);
    let mut lean = |(a, root): (&Vec3, &Transform)| {
        let a = root.inverse_direction(*a);
        (x, v) = spring::to_goal(x, v, Vec3::new(a.x, 0.0, a.z), LEAN_HALF_LIFE_S, 1.0 / route.rate_hz);
        let angle = (LEAN_SHARE * atan2(x.length(), GRAVITY_MPS2)).min(MOST_LEAN_RAD);
        Quat::from_rotation_vector(Vec3::Y.cross(x).normalize_or_zero() * angle)
    };
    route.accelerations_mps2.iter().zip(&route.roots).map(&mut lean).collect()
}

fn lean(gait: &Gait, pose: &mut Pose, by: Quat) {
    let turn = Transform::new(Vec3::ZERO, by);
    for j in gait.kit.skeleton.children(crate::frames::JointIndex(0)) {
        let local = turn * pose.local(j);
        (pose.translations[j.at()], pose.rotations[j.at()]) = (local.translation, local.rotation);
    }
}

/// Lowers the pelvis smoothly where a leg is too short.
fn let_down(gait: &Gait, poses: &mut [Pose], targets: &[[Target; 2]], rate_hz: f32) {
    let needed: Vec<f32> = poses
        .iter()
        .zip(targets)
        .map(|(pose, targets)| {
            let of = |side: usize| {
                let (leg, at) = leg(gait, pose, side, &targets[side]);
                (leg.sink_needed(at, reach(&leg, 0.0)), MOST_SINK * leg.length_m())
            };
            let [(a, most), (b, _)] = [of(0), of(1)];
            a.max(b).clamp(0.0, most)
        })
        .collect();
    let half = (SINK_S * rate_hz).round() as usize;
    sink::lower(poses, gait.kit.skeleton, gait.kit.hips, &sink::eased(&needed, half));
}
