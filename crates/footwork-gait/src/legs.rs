//! Legs: feet in contact hold them, knees carry the feet from one contact to the next; then hip, knee and ankle follow by the
//! cosine rule.

use crate::body::{SHANK_M, Side, THIGH_M};
use crate::feet::{FootState, ankle_in_contact, lowest, needed_pitch};
use crate::footsteps::{FootPlan, Stance};
use crate::laws::run_weight;
use crate::path::RootPath;
use crate::shapes::{Knots, bump, glide, ramp, smooth_max};
use crate::stride::{LegPlan, leg_length_m};
use footwork::math::{Quat, atan2, lerp, powf, wrap_angle};
use glam::Vec3;

/// Rounding of the heel's rise, radians. Rounder than this a standing heel leaves the ground visibly before it must.
const HEEL_BLEND_RAD: f32 = 0.05;
/// What a swinging foot keeps between its sole and the ground, metres: 1.9 cm on average (Moosabhoy and Gard 2006).
const CLEARANCE_M: f32 = 0.018;
/// How far an ankle stretches and bends under load, radians: 30 to 38 degrees of bending (podiatryfaq.com, lunge test).
const LOADED_DORSIFLEXION_RAD: [f32; 2] = [-0.68, 0.58];
/// How far the toes bend up against the foot, radians: 70 degrees at most.
const TOE_EXTENSION_RAD: f32 = 1.17;
/// How far it bends and stretches in the air, radians.
const DORSIFLEXION_RAD: [f32; 2] = [-0.72, 0.4];
/// How far a swinging ankle goes past the hip inward and outward, and behind it, metres.
const SPREAD_M: [f32; 2] = [-0.30, 0.30];
const SPREAD_BACK_M: f32 = 0.455;
/// Step of one-sided differences at the ends of a swing, seconds.
const DIFFERENCE_S: f32 = 1.0 / 240.0;

/// Rotations of one leg; `thigh` in root space, the others to their parents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LegPose {
    pub thigh: Quat,
    pub shank: Quat,
    pub foot: Quat,
    pub toe: Quat,
}

/// A point sampled evenly in time.
pub(crate) struct Track {
    pub start_s: f32,
    pub rate_hz: f32,
    /// `[samples]` hip joint, world.
    pub hip: Vec<Vec3>,
    /// `[samples]` yaw of the pelvis, unwrapped.
    pub yaw: Vec<f32>,
}

impl Track {
    /// Hip and pelvis yaw at a time; ends are held.
    fn at(&self, t: f32) -> (Vec3, f32) {
        let last = self.hip.len() - 1;
        let u = ((t - self.start_s) * self.rate_hz).clamp(0.0, last as f32);
        let i = (u as usize).min(last.saturating_sub(1));
        let u = u - i as f32;
        let at = |k: isize| self.hip[(i as isize + k).clamp(0, last as isize) as usize];
        let (p0, p1, p2, p3) = (at(-1), at(0), at(1), at(2));
        let hip = p1
            + ((p2 - p0) + ((p0 * 2.0 - p1 * 5.0 + p2 * 4.0 - p3) + ((p1 - p2) * 3.0 + p3 - p0) * u) * u) * (0.5 * u);
        (hip, lerp(self.yaw[i], self.yaw[(i + 1).min(last)], u))
    }
}

/// One leg over time.
pub(crate) struct Leg<'a> {
    stances: &'a [Stance],
    others: &'a [Stance],
    plan: &'a LegPlan,
    path: &'a RootPath,
    track: &'a Track,
    side: Side,
    place: usize,
    swing: Option<Swing>,
}

/// A foot held by the ground.
#[derive(Clone, Copy, Debug)]
struct Contact {
    ankle: Vec3,
    pitch: f32,
    /// Ankle dorsiflexion.
    dorsiflexion: f32,
}

/// What carries a foot from one contact to the next.
struct Swing {
    /// Index of the stance that it leaves.
    from: usize,
    /// Straight way of the ankle.
    start: Vec3,
    way: Vec3,
    /// Sideways detour around the standing leg, metres, world.
    bow: Vec3,
    /// What the plan misses at the ends.
    ankle: Ends<Vec3>,
    /// Ankle dorsiflexion: what is planned, and what the plan misses.
    bend: Knots,
    bend_ends: Ends<f32>,
    /// How much higher than planned the foot is lifted at first and later, metres.
    raise: [f32; 2],
    /// Toes against the foot when they leave and when they land.
    toe_bend: [f32; 2],
    /// How much of a run it is.
    run: f32,
    /// 1 on level ground, 0 on stairs.
    level: f32,
    /// Power of time: above 1 the foot goes up before it goes ahead, below 1 it goes ahead before it goes down.
    lateness: f32,
}

/// Values and slopes (per swing) to be added at the ends of a swing, fading out towards its middle.
#[derive(Clone, Copy, Debug)]
struct Ends<T> {
    value: [T; 2],
    slope: [T; 2],
}

impl<T: Copy + std::ops::Mul<f32, Output = T> + std::ops::Add<Output = T>> Ends<T> {
    fn at(&self, tau: f32) -> T {
        let (a, b) = ((2.0 * tau).min(1.0), (2.0 - 2.0 * tau).min(1.0));
        let value = |u: f32| (1.0 - u) * (1.0 - u) * (1.0 + 2.0 * u);
        let slope = |u: f32| 0.5 * u * (1.0 - u) * (1.0 - u);
        self.value[0] * value(a) + self.value[1] * value(b) + self.slope[0] * slope(a) + self.slope[1] * -slope(b)
    }
}

impl<'a> Leg<'a> {
    pub(crate) fn new(feet: &'a FootPlan, plan: &'a LegPlan, path: &'a RootPath, track: &'a Track, side: Side) -> Self {
        let (stances, others) = (&feet.stances[side.at()], &feet.stances[side.other().at()]);
        Self { stances, others, plan, path, track, side, place: 0, swing: None }
    }

    /// The foot at a time; times must rise between calls.
    pub(crate) fn at(&mut self, t: f32) -> FootState {
        while self.place + 1 < self.stances.len() && self.stances[self.place + 1].heel_s <= t {
            self.place += 1;
        }
        let i = self.place;
        let s = &self.stances[i];
        if t > s.end_s && i + 1 < self.stances.len() {
            if self.swing.as_ref().is_none_or(|w| w.from != i) {
                self.swing = Some(self.plan_swing(i));
            }
            return self.in_swing(self.swing.as_ref().expect("planned above"), t);
        }
        let contact = self.in_contact(s, t);
        // Under a risen heel toes lie flat, but for their own roll; before the sole is down they are in line with it.
        let bend = if contact.pitch > s.slope { s.slope + self.plan.tip.at(t) } else { contact.pitch };
        FootState {
            ankle: contact.ankle,
            yaw: s.yaw,
            pitch: contact.pitch,
            toe_pitch: bend,
            planted: s.flat_s <= t && t <= s.tip_s,
            loaded: true,
        }
    }

    fn in_contact(&self, s: &Stance, t: f32) -> Contact {
        let (hip, _) = self.track.at(t);
        let tip = self.plan.tip.at(t);
        let planned = self.plan.pitch.at(t);
        let taut = leg_length_m(self.plan.taut_knee.at(t));
        let needed = needed_pitch(hip, s, tip, taut);
        // On a heel that is on its way down the foot turns about the heel: rising over the ball would not help.
        let mut pitch =
            rounded_max(planned, needed + 4.0 * planned.min(0.0), HEEL_BLEND_RAD).min(TOE_EXTENSION_RAD + tip);
        let mut ankle = ankle_in_contact(s, tip, pitch);
        let mut dorsiflexion = self.tilt(t, ankle, s.yaw) - pitch - s.slope;
        // A shank that leans further than the ankle can bend lifts the heel; one that leans back keeps it down.
        for _ in 0..4 {
            let excess = rounded_max(0.0, dorsiflexion - LOADED_DORSIFLEXION_RAD[1], HEEL_BLEND_RAD);
            let missing = rounded_max(0.0, LOADED_DORSIFLEXION_RAD[0] - dorsiflexion, HEEL_BLEND_RAD);
            pitch += 0.8 * (excess - missing);
            ankle = ankle_in_contact(s, tip, pitch);
            dorsiflexion = self.tilt(t, ankle, s.yaw) - pitch - s.slope;
        }
        Contact { ankle, pitch: pitch + s.slope, dorsiflexion }
    }

    /// How far the shank leans forward, seen along the foot, radians.
    fn tilt(&self, t: f32, ankle: Vec3, foot_yaw: f32) -> f32 {
        let (hip, yaw) = self.track.at(t);
        let knee = knee(hip, ankle, knee_yaw(yaw, foot_yaw));
        let shank = Quat::from_rotation_y(-foot_yaw) * (knee - ankle);
        atan2(shank.z, shank.y)
    }

    /// Height of the ankle over a place so that the knee is flexed as planned.
    fn planned_height(&self, t: f32, place: Vec3) -> f32 {
        let (hip, _) = self.track.at(t);
        let length = leg_length_m(self.plan.knee.at(t));
        let (dx, dz) = (hip.x - place.x, hip.z - place.z);
        // A foot far out is not lifted beside the knee: the shank stays below the horizontal.
        let (away, least) = (dx * dx + dz * dz, 0.32);
        hip.y - smooth_max(length * length - away, least * least, 0.04).sqrt()
    }

    fn plan_swing(&self, from: usize) -> Swing {
        let (s, next) = (&self.stances[from], &self.stances[from + 1]);
        let (t0, t1) = (s.end_s, next.heel_s);
        let duration = t1 - t0;
        let (leave, land) = (self.in_contact(s, t0), self.in_contact(next, t1));
        let (before, after) = (self.in_contact(s, t0 - DIFFERENCE_S), self.in_contact(next, t1 + DIFFERENCE_S));
        let stairs = [s, next].map(|s| self.path.ground.stair_weight(s.toe.z));
        let stairs = if stairs[1] == 0.0 { stairs[0] } else { stairs[1] };
        let mut swing = Swing {
            from,
            start: leave.ankle,
            way: land.ankle - leave.ankle,
            bow: self.bow(s, next),
            ankle: Ends { value: [Vec3::ZERO; 2], slope: [Vec3::ZERO; 2] },
            bend: Knots::new([
                (0.0, leave.dorsiflexion),
                (0.42, lerp(self.plan.dorsiflexion[from], 0.0, 0.3)),
                (0.72, self.plan.dorsiflexion[from]),
                (1.0, land.dorsiflexion),
            ]),
            bend_ends: Ends { value: [0.0; 2], slope: [0.0; 2] },
            raise: [0.0; 2],
            level: 1.0 - stairs.abs(),
            lateness: 1.0 + 0.3 * stairs,
            run: run_weight(self.path.at(0.5 * (t0 + t1)).speed),
            toe_bend: [(s.slope + self.plan.tip.at(t0) - leave.pitch).min(0.0), (next.slope - land.pitch).min(0.0)],
        };
        // Meet the contacts in place and velocity.
        let h = DIFFERENCE_S / duration;
        let planned = |tau: f32| self.planned_ankle(&swing, tau, t0 + tau * duration);
        let (p0, p1) = (planned(0.0), planned(1.0));
        let slopes = [(planned(h) - p0) * (1.0 / h), (p1 - planned(1.0 - h)) * (1.0 / h)];
        let held = [(leave.ankle - before.ankle) * (1.0 / h), (after.ankle - land.ankle) * (1.0 / h)];
        // A leaving ankle keeps its velocity; a landing one is stopped by the ground, above all on its way down.
        let stopped = (held[1] - slopes[1]) * Vec3::new(0.5, 0.1, 0.5);
        swing.ankle = Ends { value: [leave.ankle - p0, land.ankle - p1], slope: [held[0] - slopes[0], stopped] };
        let rate = |a: f32, b: f32| wrap_angle(b - a) / h;
        // Ankles that leave in a hurry slow down before they run out of range; where a foot lands, tilts jump.
        swing.bend_ends.slope = [
            rate(before.dorsiflexion, leave.dorsiflexion).clamp(-3.0, 1.0),
            rate(land.dorsiflexion, after.dorsiflexion).clamp(-0.6, 0.6),
        ];
        // The foot is lowest late: what that asks for may do for the first half too.
        for half in if swing.level < 1.0 { [1, 0].as_slice() } else { &[] }.iter().copied() {
            swing.raise[half] = self.needed_raise(&swing, t0, duration, half);
        }
        swing
    }

    /// How much higher a swing must go to clear steps in its first (0) or second (1) half.
    fn needed_raise(&self, swing: &Swing, t0: f32, duration: f32, half: usize) -> f32 {
        const SAMPLES: usize = 12;
        let mut raise = 0.0f32;
        for k in 0..SAMPLES {
            let u = k as f32 / (SAMPLES - 1) as f32;
            let tau = [lerp(0.08, 0.5, u), lerp(0.5, 0.85, u)][half];
            let foot = self.in_swing(swing, t0 + tau * duration);
            let missing = self.floor(&foot, tau) - foot.ankle.y;
            raise = raise.max(missing / raise_shapes(tau)[half].max(0.4));
        }
        raise
    }

    /// The lowest that the ankle of a foot in the air may be, metres.
    fn floor(&self, foot: &FootState, tau: f32) -> f32 {
        let ahead = Quat::from_rotation_y(foot.yaw) * Vec3::Z;
        let clear = ramp(tau, 0.0, 0.25) * (1.0 - ramp(tau, 0.85, 1.0)) * CLEARANCE_M;
        lowest(foot.pitch, foot.toe_pitch)
            .into_iter()
            .map(|(down, forward)| self.path.ground.height(foot.ankle.z + ahead.z * forward) + clear + down)
            .fold(f32::MIN, f32::max)
    }

    /// Place of the ankle before its ends are met.
    fn planned_ankle(&self, swing: &Swing, tau: f32, t: f32) -> Vec3 {
        let (s, next) = (&self.stances[swing.from], &self.stances[swing.from + 1]);
        let mut ankle = swing.start + swing.way * glide(powf(tau, swing.lateness), swing.run) + swing.bow * bump(tau);
        // Where the body swerves or turns back, the foot goes with it.
        let body = |t: f32| self.path.at(t).position;
        let (from, to) = (body(s.end_s), body(next.heel_s));
        ankle += body(t) - from - (to - from) * tau;
        // Legs do not spread: a foot that is far out to a side is drawn in.
        let (hip, yaw) = self.track.at(t);
        let outward = Quat::from_rotation_y(yaw) * Vec3::new(self.side.sign(), 0.0, 0.0);
        let out = (ankle - hip).dot(outward);
        let over = rounded_max(out - SPREAD_M[1], 0.0, 0.05) - rounded_max(SPREAD_M[0] - out, 0.0, 0.05);
        let back = -(ankle - hip).dot(Quat::from_rotation_y(yaw) * Vec3::Z);
        let behind = rounded_max(back - SPREAD_BACK_M, 0.0, 0.05);
        let drawn = outward * -over + Quat::from_rotation_y(yaw) * Vec3::Z * behind;
        ankle += drawn * (0.85 * ramp(tau, 0.0, 0.15) * (1.0 - ramp(tau, 0.85, 1.0)));
        ankle.y = self.planned_height(t, ankle);
        ankle
    }

    fn in_swing(&self, swing: &Swing, t: f32) -> FootState {
        let (s, next) = (&self.stances[swing.from], &self.stances[swing.from + 1]);
        let tau = ((t - s.end_s) / (next.heel_s - s.end_s)).clamp(0.0, 1.0);
        let mut ankle = self.planned_ankle(swing, tau, t) + swing.ankle.at(tau);
        // On its way down a foot is not held up by hips that have yet to sink.
        let landing = swing.start.y.max(swing.start.y + swing.way.y);
        let ceiling = landing + 0.03 + lerp(0.26, 0.85, swing.run) * (1.0 - tau);
        ankle.y -= smooth_max(ankle.y - ceiling, 0.0, 0.03 * bump(tau)) * ramp(tau, 0.3, 0.5) * swing.level;
        let [first, later] = raise_shapes(tau);
        ankle.y += swing.raise[0] * first + swing.raise[1] * later;
        // Never further than the leg is long.
        let (hip, _) = self.track.at(t);
        let reach = leg_length_m(0.08);
        let (dx, dz) = (hip.x - ankle.x, hip.z - ankle.z);
        let lowest = hip.y - (reach * reach - dx * dx - dz * dz).max(0.02).sqrt();
        ankle.y = smooth_max(ankle.y, lowest, 0.012 * bump(tau) + 1e-4);
        let mut foot = self.hung(swing, tau, t, ankle);
        // Over level ground and slopes the sole keeps its distance; steps are cleared by the raise.
        if swing.level > 0.0 {
            // The pitch stays: a knee that bends for it would pitch the foot further.
            foot.ankle.y = rounded_max(foot.ankle.y, self.floor(&foot, tau), 0.012 * bump(tau) + 1e-4);
            let tilt = self.tilt(t, foot.ankle, foot.yaw);
            let [stretched, bent] = LOADED_DORSIFLEXION_RAD.map(|r| 1.07 * r);
            let pitch = foot.pitch.clamp(tilt - bent, tilt - stretched);
            foot.toe_pitch += pitch - foot.pitch;
            foot.pitch = pitch;
        }
        foot
    }

    /// A foot in the air as its ankle holds it.
    fn hung(&self, swing: &Swing, tau: f32, t: f32, ankle: Vec3) -> FootState {
        let (s, next) = (&self.stances[swing.from], &self.stances[swing.from + 1]);
        let yaw = lerp(s.yaw, next.yaw, glide(tau, swing.run));
        let bend = swing.bend.at(tau) + swing.bend_ends.at(tau);
        let free = bump(tau).min(1.0);
        let bend = lerp(bend, bend.clamp(DORSIFLEXION_RAD[0], DORSIFLEXION_RAD[1]), free);
        let pitch = self.tilt(t, ankle, yaw) - bend;
        let [left, lands] = swing.toe_bend;
        let toe_pitch = pitch + left * (1.0 - ramp(tau, 0.0, 0.4)) + lands * ramp(tau, 0.7, 1.0) - 0.12 * bump(tau);
        FootState { ankle, yaw, pitch, toe_pitch, planted: false, loaded: false }
    }

    /// Sideways detour around the standing leg.
    fn bow(&self, from: &Stance, to: &Stance) -> Vec3 {
        const APART_M: f32 = 0.115;
        let middle = 0.5 * (from.end_s + to.heel_s);
        let way = to.toe - from.toe;
        let k = self.others.partition_point(|s| s.heel_s <= middle).max(1) - 1;
        let (stance, p) = (&self.others[k], self.path.at(middle));
        let outward = Quat::from_rotation_y(p.yaw + p.twist) * Vec3::new(self.side.sign(), 0.0, 0.0);
        let length = way.length();
        let across = if length > 0.1 {
            let n = Vec3::new(way.z, 0.0, -way.x) / length;
            if n.dot(outward) < 0.0 { -n } else { n }
        } else {
            outward
        };
        let passes = (stance.toe - from.toe).dot(way) / (length * length).max(1e-4);
        let apart = (from.toe + way * 0.5 - stance.toe).dot(across);
        let weight = ramp(passes, -0.2, 0.1) * (1.0 - ramp(passes, 0.9, 1.2));
        across * ((APART_M - apart).clamp(0.0, 0.2) * weight)
    }
}

/// The larger of two, rounded where they differ by less than `width`, without lifting what is clearly the larger.
fn rounded_max(a: f32, b: f32, width: f32) -> f32 {
    let d = (b - a) / width;
    if d >= 1.0 {
        b
    } else if d <= -1.0 {
        a
    } else {
        a + width * 0.25 * (d + 1.0) * (d + 1.0)
    }
}

/// When in a swing a foot is lifted further: in its first and in its second half.
fn raise_shapes(tau: f32) -> [f32; 2] {
    [ramp(tau, 0.0, 0.3) * (1.0 - ramp(tau, 0.5, 0.8)), ramp(tau, 0.1, 0.45) * (1.0 - ramp(tau, 0.6, 0.95))]
}

/// Where a knee points: between pelvis and foot: hip and ankle share what the foot is turned.
fn knee_yaw(pelvis_yaw: f32, foot_yaw: f32) -> f32 {
    lerp(pelvis_yaw, foot_yaw, 0.45)
}

/// Directions of a leg from hip to ankle: (hinge, thigh, shank), both bones pointing down.
fn bones(hip: Vec3, ankle: Vec3, knee_yaw: f32) -> (Vec3, Vec3, Vec3) {
    let to = ankle - hip;
    let distance = to.length().clamp(0.2, 0.9999 * (THIGH_M + SHANK_M));
    let down = to * (1.0 / to.length());
    let pole = Quat::from_rotation_y(knee_yaw) * Vec3::Z;
    // The hinge lies across the plane of leg and knee direction; +X for a knee that points ahead.
    let hinge = pole.cross(down).normalize();
    let ahead = down.cross(hinge);
    let along = (THIGH_M * THIGH_M + distance * distance - SHANK_M * SHANK_M) / (2.0 * distance);
    let out = (THIGH_M * THIGH_M - along * along).max(0.0).sqrt();
    let knee = down * along + ahead * out;
    (hinge, knee * (1.0 / THIGH_M), (down * distance - knee) * (1.0 / SHANK_M))
}

/// Place of the knee.
fn knee(hip: Vec3, ankle: Vec3, knee_yaw: f32) -> Vec3 {
    hip + bones(hip, ankle, knee_yaw).1 * THIGH_M
}

/// Solves a leg. Hip, foot and the yaw of the pelvis are in one space, whose axes the thigh is given in.
pub(crate) fn solve(hip: Vec3, foot: &FootState, pelvis_yaw: f32) -> LegPose {
    let (hinge, thigh_down, shank_down) = bones(hip, foot.ankle, knee_yaw(pelvis_yaw, foot.yaw));
    let bone = |direction: Vec3| Quat::from_axes(hinge, -direction, hinge.cross(-direction));
    let thigh = bone(thigh_down);
    let shank = bone(shank_down);
    let sole = Quat::from_rotation_y(foot.yaw) * Quat::from_rotation_x(foot.pitch);
    LegPose {
        thigh,
        shank: thigh.inverse() * shank,
        foot: shank.inverse() * sole,
        toe: Quat::from_rotation_x(foot.toe_pitch - foot.pitch),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{ANKLE_M, FOOT_M, TOE_HEIGHT_M};

    #[test]
    fn the_ankle_is_met_and_the_knee_points_ahead() {
        let hip = Vec3::new(0.09, 0.86, 0.0);
        for (x, z) in [(0.09, 0.0), (0.15, -0.3), (0.0, 0.25), (0.3, 0.1)] {
            let ankle = Vec3::new(x, ANKLE_M, z);
            let foot = FootState { ankle, yaw: 0.0, pitch: 0.0, toe_pitch: 0.0, planted: true, loaded: true };
            let leg = solve(hip, &foot, 0.0);
            let knee = hip + leg.thigh * Vec3::new(0.0, -THIGH_M, 0.0);
            let shank = leg.thigh * leg.shank;
            assert!((knee + shank * Vec3::new(0.0, -SHANK_M, 0.0) - ankle).length() < 1e-4);
            let toe = ankle + (shank * leg.foot) * Vec3::new(0.0, TOE_HEIGHT_M - ANKLE_M, FOOT_M);
            assert!((toe.y - TOE_HEIGHT_M).abs() < 1e-4, "{toe}");
            assert!(leg.shank.x > 0.0 && leg.shank.y.abs() < 1e-3, "flexion about +X");
            assert!(knee.z > 0.5 * (hip.z + ankle.z));
        }
    }

    #[test]
    fn a_leg_is_as_long_as_its_knee_lets_it() {
        assert!((leg_length_m(0.0) - THIGH_M - SHANK_M).abs() < 1e-5);
        assert!(leg_length_m(1.0) < leg_length_m(0.5));
    }

    #[test]
    fn what_the_plan_misses_is_met_at_the_ends_and_forgotten_between() {
        let e = Ends { value: [1.0, -2.0], slope: [3.0, 5.0] };
        assert!((e.at(0.0) - 1.0).abs() < 1e-6 && (e.at(1.0) + 2.0).abs() < 1e-6 && e.at(0.5).abs() < 1e-6);
        let h = 1e-3;
        assert!(((e.at(h) - e.at(0.0)) / h - 3.0).abs() < 0.1 && ((e.at(1.0) - e.at(1.0 - h)) / h - 5.0).abs() < 0.1);
    }
}
