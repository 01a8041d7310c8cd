//! Feet in swing: motion from one contact to the next, over the ground and around the stance leg.

use crate::feet::{FootState, lowest};
use crate::footsteps::Stance;
use crate::laws::run_weight;
use crate::leg::{LOADED_DORSIFLEXION_RAD, Leg};
use crate::shapes::{Knots, bump, glide, ramp, rounded_max, smooth_max};
use crate::stride::leg_length_m;
use footwork::advanced::math::{lerp, powf, wrap_angle};
use footwork::math::Quat;
use glam::Vec3;

/// Clearance between the sole of a swinging foot and the ground, in metres: 1.9 cm on average (Moosabhoy and Gard 2006).
const CLEARANCE_M: f32 = 0.018;
/// Range of the ankle in swing, in radians.
const DORSIFLEXION_RAD: [f32; 2] = [-0.72, 0.4];
/// Maximum offset of a swinging ankle from the hip, inward and outward, in metres.
const SPREAD_M: [f32; 2] = [-0.30, 0.30];
/// Maximum distance behind the hip, in metres.
const SPREAD_BACK_M: f32 = 0.455;
/// Step of one-sided differences at the ends of a swing, seconds.
const DIFFERENCE_S: f32 = 1.0 / 240.0;

/// Swing of a foot from one contact to the next.
pub(crate) struct Swing {
    /// Index of the stance that it leaves.
    pub from: usize,
    /// Straight path of the ankle.
    start: Vec3,
    way: Vec3,
    /// Sideways detour around the stance leg: world, in metres.
    bow: Vec3,
    /// Corrections of the ankle at the ends.
    ankle: Ends<Vec3>,
    /// Planned ankle dorsiflexion, and its corrections at the ends.
    bend: Knots,
    bend_ends: Ends<f32>,
    /// Additional lift of the foot in the first and the second half, metres.
    raise: [f32; 2],
    /// Angles of the toes relative to the foot when they leave and when they land, radians.
    toe_bend: [f32; 2],
    /// Share of running, 0 to 1.
    run: f32,
    /// 1 on level ground, 0 on stairs.
    level: f32,
    /// Exponent of time: above 1 the foot moves up before it moves forward; below 1 it moves forward before it moves down.
    lateness: f32,
}

/// Values and slopes (per swing) that are added at the ends of a swing and fade out towards its middle.
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

impl Leg<'_> {
    /// Plans the swing that follows a stance.
    pub(crate) fn plan_swing(&self, from: usize) -> Swing {
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
        // Match the contacts in value and in rate of change.
        let h = DIFFERENCE_S / duration;
        let planned = |tau: f32| self.planned_ankle(&swing, tau, t0 + tau * duration);
        let (p0, p1) = (planned(0.0), planned(1.0));
        let slopes = [(planned(h) - p0) * (1.0 / h), (p1 - planned(1.0 - h)) * (1.0 / h)];
        let held = [(leave.ankle - before.ankle) * (1.0 / h), (after.ankle - land.ankle) * (1.0 / h)];
        // A leaving ankle keeps its velocity; the ground stops a landing one, mainly its downward motion.
        let stopped = (held[1] - slopes[1]) * Vec3::new(0.5, 0.1, 0.5);
        swing.ankle = Ends { value: [leave.ankle - p0, land.ankle - p1], slope: [held[0] - slopes[0], stopped] };
        let rate = |a: f32, b: f32| wrap_angle(b - a) / h;
        // Fast ankles slow down before they reach the end of their range. At the landing, the rate is limited more, since the
        // tilt changes abruptly there.
        swing.bend_ends.slope = [
            rate(before.dorsiflexion, leave.dorsiflexion).clamp(-3.0, 1.0),
            rate(land.dorsiflexion, after.dorsiflexion).clamp(-0.6, 0.6),
        ];
        // The foot is lowest late in the swing, and the lift for the second half may be sufficient for the first half.
        for half in if swing.level < 1.0 { [1, 0].as_slice() } else { &[] }.iter().copied() {
            swing.raise[half] = self.needed_raise(&swing, t0, duration, half);
        }
        swing
    }

    /// Returns the height of the ankle over a position at which the knee is flexed as planned.
    fn planned_height(&self, t: f32, place: Vec3) -> f32 {
        let (hip, _) = self.track.at(t);
        let length = leg_length_m(self.plan.knee.at(t));
        let (dx, dz) = (hip.x - place.x, hip.z - place.z);
        // A distant foot is not lifted beside the knee: the shank stays below the horizontal.
        let (away, least) = (dx * dx + dz * dz, 0.32);
        hip.y - smooth_max(length * length - away, least * least, 0.04).sqrt()
    }

    /// Returns the additional lift that clears steps in the first (0) or second (1) half of a swing.
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

    /// Returns the smallest height of the ankle of a swinging foot, in metres.
    fn floor(&self, foot: &FootState, tau: f32) -> f32 {
        let ahead = Quat::from_rotation_y(foot.yaw) * Vec3::Z;
        let clear = ramp(tau, 0.0, 0.25) * (1.0 - ramp(tau, 0.85, 1.0)) * CLEARANCE_M;
        lowest(foot.pitch, foot.toe_pitch)
            .into_iter()
            .map(|(down, forward)| self.path.ground.height(foot.ankle.z + ahead.z * forward) + clear + down)
            .fold(f32::MIN, f32::max)
    }

    /// Returns the position of the ankle without the corrections at the ends.
    fn planned_ankle(&self, swing: &Swing, tau: f32, t: f32) -> Vec3 {
        let (s, next) = (&self.stances[swing.from], &self.stances[swing.from + 1]);
        let mut ankle = swing.start + swing.way * glide(powf(tau, swing.lateness), swing.run) + swing.bow * bump(tau);
        // If the body changes its direction, the foot moves with it.
        let body = |t: f32| self.path.at(t).position;
        let (from, to) = (body(s.end_s), body(next.heel_s));
        ankle += body(t) - from - (to - from) * tau;
        ankle += self.drawn_in(t, ankle) * (0.85 * ramp(tau, 0.0, 0.15) * (1.0 - ramp(tau, 0.85, 1.0)));
        ankle.y = self.planned_height(t, ankle);
        ankle
    }

    /// Returns the offset that brings a distant ankle back within reach of the leg.
    fn drawn_in(&self, t: f32, ankle: Vec3) -> Vec3 {
        let (hip, yaw) = self.track.at(t);
        let outward = Quat::from_rotation_y(yaw) * Vec3::new(self.side.sign(), 0.0, 0.0);
        let out = (ankle - hip).dot(outward);
        let over = rounded_max(out - SPREAD_M[1], 0.0, 0.05) - rounded_max(SPREAD_M[0] - out, 0.0, 0.05);
        let back = -(ankle - hip).dot(Quat::from_rotation_y(yaw) * Vec3::Z);
        let behind = rounded_max(back - SPREAD_BACK_M, 0.0, 0.05);
        outward * -over + Quat::from_rotation_y(yaw) * Vec3::Z * behind
    }

    /// Returns the foot at a time of a swing.
    pub(crate) fn in_swing(&self, swing: &Swing, t: f32) -> FootState {
        let (s, next) = (&self.stances[swing.from], &self.stances[swing.from + 1]);
        let tau = ((t - s.end_s) / (next.heel_s - s.end_s)).clamp(0.0, 1.0);
        let mut ankle = self.planned_ankle(swing, tau, t) + swing.ankle.at(tau);
        // The hips may still be high when the foot lowers: the height of the foot is limited.
        let landing = swing.start.y.max(swing.start.y + swing.way.y);
        let ceiling = landing + 0.03 + lerp(0.26, 0.85, swing.run) * (1.0 - tau);
        ankle.y -= smooth_max(ankle.y - ceiling, 0.0, 0.03 * bump(tau)) * ramp(tau, 0.3, 0.5) * swing.level;
        let [first, later] = raise_shapes(tau);
        ankle.y += swing.raise[0] * first + swing.raise[1] * later;
        // The distance is at most the length of the leg.
        let (hip, _) = self.track.at(t);
        let reach = leg_length_m(0.08);
        let (dx, dz) = (hip.x - ankle.x, hip.z - ankle.z);
        let lowest = hip.y - (reach * reach - dx * dx - dz * dz).max(0.02).sqrt();
        ankle.y = smooth_max(ankle.y, lowest, 0.012 * bump(tau) + 1e-4);
        let mut foot = self.hung(swing, tau, t, ankle);
        // Over level ground and slopes the sole keeps its clearance; stairs are cleared by the raise.
        if swing.level > 0.0 {
            // The pitch stays: following the bent knee would pitch the foot further.
            foot.ankle.y = rounded_max(foot.ankle.y, self.floor(&foot, tau), 0.012 * bump(tau) + 1e-4);
            let tilt = self.tilt(t, foot.ankle, foot.yaw);
            let [stretched, bent] = LOADED_DORSIFLEXION_RAD.map(|r| 1.07 * r);
            let pitch = foot.pitch.clamp(tilt - bent, tilt - stretched);
            foot.toe_pitch += pitch - foot.pitch;
            foot.pitch = pitch;
        }
        foot
    }

    /// Returns a swinging foot with its ankle rotation.
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

    /// Returns the sideways detour around the stance leg.
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

/// Returns the weights of the additional lift at a time of a swing: for its first and its second half.
fn raise_shapes(tau: f32) -> [f32; 2] {
    [ramp(tau, 0.0, 0.3) * (1.0 - ramp(tau, 0.5, 0.8)), ramp(tau, 0.1, 0.45) * (1.0 - ramp(tau, 0.6, 0.95))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_plan_misses_is_met_at_the_ends_and_forgotten_between() {
        let e = Ends { value: [1.0, -2.0], slope: [3.0, 5.0] };
        assert!((e.at(0.0) - 1.0).abs() < 1e-6 && (e.at(1.0) + 2.0).abs() < 1e-6 && e.at(0.5).abs() < 1e-6);
        let h = 1e-3;
        assert!(((e.at(h) - e.at(0.0)) / h - 3.0).abs() < 0.1 && ((e.at(1.0) - e.at(1.0 - h)) / h - 5.0).abs() < 0.1);
    }
}
