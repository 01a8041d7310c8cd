//! Feet of an action: planted where the script specifies, and in swing relative to the hips.

use super::base::{SAMPLE_HZ, State};
use super::curve::{Curve, Key, at_rate, through};
use super::script::{FootScript, Place, Plant};
use crate::body::Side;
use crate::feet::{FootState, ankle_in_contact, needed_pitch};
use crate::footsteps::Stance;
use crate::leg::{LOADED_DORSIFLEXION_RAD, Track};
use crate::leg_pose::{knee, knee_yaw};
use crate::shapes::{Knots, bump, ramp, rounded_max};
use crate::stride::leg_length_m;
use footwork::advanced::math::{atan2, lerp};
use footwork::math::Quat;
use glam::Vec3;

/// Minimum flexion of the knee, in radians, on the ground and in the air.
const TAUT_RAD: [f32; 2] = [0.10, 0.18];
/// Minimum distance from hip to ankle, in metres: a knee flexed by 135 degrees.
const FOLDED_M: f32 = 0.33;
/// Duration in which a heel lowers, or rises, in seconds.
const HEEL_S: f32 = 0.13;
/// Smoothing of the rise of the heel, in radians.
const HEEL_BLEND_RAD: f32 = 0.05;
/// Largest rise of the heel over the toes, in radians.
const HEEL_RAD: f32 = 1.17;
/// Range of the ankle in swing, in radians.
const DORSIFLEXION_RAD: [f32; 2] = [-0.76, 0.62];
/// Share of the ground's velocity relative to the hips that a foot has when it lands.
const STOPPED: f32 = 0.55;
/// Duration before landing in which it slows down, in seconds.
const SLOWS_S: f32 = 0.08;
const DT: f32 = 1.0 / SAMPLE_HZ;

/// A stance or a swing of a foot.
enum Part {
    Stood {
        to_s: f32,
        stance: Stance,
        heel: Knots,
    },
    Swung {
        to_s: f32,
        swing: Swing,
    },
    /// As in the locomotion that follows.
    Joined,
}

/// Ankle relative to the hip, and its flexion, over a swing.
struct Swing {
    from_s: f32,
    to_s: f32,
    from_hip: [Curve; 3],
    bend: Curve,
    yaw: [f32; 2],
    /// Angles of the toes relative to the foot at its ends, in radians.
    toes: [f32; 2],
}

/// State at an end of a swing, with its rates: ankle relative to the hip, dorsiflexion.
struct End {
    foot: FootState,
    from_hip: Vec3,
    rate: Vec3,
    bend: f32,
    bend_rate: f32,
}

/// One foot during an action.
pub(super) struct Foot<'a> {
    track: &'a Track,
    parts: Vec<Part>,
}

/// Returns a stance on level ground.
fn stance(toe: Vec3, yaw: f32) -> Stance {
    Stance { heel_s: 0.0, flat_s: 0.0, tip_s: 0.0, end_s: 0.0, toe, yaw, slope: 0.0, vary: Default::default() }
}

impl<'a> Foot<'a> {
    /// Plans the steps. `before`: locomotion in the samples around the beginning. `after`: around the end, with its time.
    pub(super) fn new(
        side: Side,
        track: &'a Track,
        script: &FootScript,
        before: &[State; 3],
        after: (f32, Option<&[State; 3]>),
    ) -> Self {
        let mut foot = Self { track, parts: Vec::new() };
        let s = side.at();
        let (end_s, after) = after;
        // All stances, as (from, to, stance, heel).
        let mut stood: Vec<(f32, f32, Stance, Knots)> = Vec::new();
        if let Some((toe, yaw)) = before[1].stood[s] {
            let to = script.lift_s.unwrap_or(f32::MAX);
            let heel = before[1].feet[s].pitch;
            let knots = [(0.0, heel), (HEEL_S, 0.0), (to - HEEL_S, 0.0), (to, script.lift_heel)];
            stood.push((f32::MIN, to, stance(toe, yaw), Knots::new(knots)));
        }
        for p in &script.plants {
            stood.push((p.down_s, p.up_s, stance(p.toe, p.yaw), Knots::new(heels(p))));
        }
        let last = after.and_then(|a| a[1].stood[s].map(|(toe, yaw)| (toe, yaw, a[1].feet[s].pitch)));
        if let (Some(down_s), Some((toe, yaw, pitch))) = (script.down_s, last) {
            let down = Plant { down_s, up_s: f32::MAX, toe, yaw, heel: [0.12, 0.0] };
            let knots = heels(&down).into_iter().take(2).chain([(end_s, pitch)]);
            stood.push((down_s, f32::MAX, stance(toe, yaw), Knots::new(knots)));
        }
        let mut end = match stood.first() {
            Some((from, ..)) if *from == f32::MIN => None,
            _ => Some((0.0, foot.of_base(before, s, 0.0))),
        };
        for (from_s, to_s, stance, heel) in stood {
            if let Some((left_s, left)) = end.take() {
                let mut landing = foot.of_stance(&stance, &heel, from_s, 1.0);
                // Downward speed is kept until the ground stops it: the leg has no room to slow down before.
                landing.rate.x *= STOPPED;
                landing.rate.z *= STOPPED;
                landing.rate.y *= if landing.rate.y > 0.0 { STOPPED } else { 1.0 };
                let swing = foot.swing(script, left_s, &left, from_s, &landing);
                foot.parts.push(Part::Swung { to_s: from_s, swing });
            }
            let left = foot.of_stance(&stance, &heel, to_s.min(end_s), -1.0);
            foot.parts.push(Part::Stood { to_s, stance, heel });
            if to_s < end_s {
                end = Some((to_s, left));
            }
        }
        if let (Some((left_s, left)), Some(after)) = (end, after) {
            let swing = foot.swing(script, left_s, &left, end_s, &foot.of_base(after, s, end_s));
            foot.parts.push(Part::Swung { to_s: end_s, swing });
        }
        foot.parts.push(Part::Joined);
        foot
    }

    /// Returns the foot at a time.
    pub(super) fn at(&self, t: f32) -> Option<FootState> {
        let within = |p: &&Part| match p {
            Part::Stood { to_s, .. } | Part::Swung { to_s, .. } => t <= *to_s,
            Part::Joined => true,
        };
        match self.parts.iter().find(within)? {
            Part::Stood { stance, heel, .. } => Some(self.in_contact(stance, heel, t)),
            Part::Swung { swing, .. } => Some(self.in_swing(swing, t)),
            Part::Joined => None,
        }
    }

    /// Returns the forward lean of the shank along the foot, in radians.
    fn tilt(&self, t: f32, ankle: Vec3, foot_yaw: f32) -> f32 {
        let (hip, yaw) = self.track.at(t);
        let shank = Quat::from_rotation_y(-foot_yaw) * (knee(hip, ankle, knee_yaw(yaw, foot_yaw, 0.0)) - ankle);
        atan2(shank.z, shank.y)
    }

    /// Returns a foot in contact. The heel rises as planned, and further where leg or ankle would not reach otherwise.
    fn in_contact(&self, s: &Stance, heel: &Knots, t: f32) -> FootState {
        let (hip, _) = self.track.at(t);
        let planned = heel.at(t);
        let needed = needed_pitch(hip, s, 0.0, leg_length_m(TAUT_RAD[0]));
        let mut pitch = rounded_max(planned, needed + 4.0 * planned.min(0.0), HEEL_BLEND_RAD);
        let [stretched, bent] = LOADED_DORSIFLEXION_RAD;
        for _ in 0..4 {
            let ankle = self.tilt(t, ankle_in_contact(s, 0.0, pitch), s.yaw) - pitch;
            pitch += 0.8 * rounded_max(0.0, ankle - bent, HEEL_BLEND_RAD);
            pitch -= 0.8 * rounded_max(0.0, stretched - ankle, HEEL_BLEND_RAD);
        }
        // The position of the foot has priority over the limits of the ankle.
        let pitch = rounded_max(pitch, needed, HEEL_BLEND_RAD).min(HEEL_RAD);
        FootState {
            ankle: ankle_in_contact(s, 0.0, pitch),
            yaw: s.yaw,
            pitch,
            toe_pitch: pitch.min(0.0),
            planted: true,
            loaded: true,
        }
    }

    fn end(&self, [a, b]: [(f32, FootState); 2], shown: usize) -> End {
        let from_hip = |(t, f): &(f32, FootState)| f.ankle - self.track.at(*t).0;
        let bend = |(t, f): &(f32, FootState)| self.tilt(*t, f.ankle, f.yaw) - f.pitch;
        let (at, per_s) = ([a, b][shown], 1.0 / (b.0 - a.0));
        End {
            foot: at.1,
            from_hip: from_hip(&at),
            rate: (from_hip(&b) - from_hip(&a)) * per_s,
            bend: bend(&at),
            bend_rate: ((bend(&b) - bend(&a)) * per_s).clamp(-4.0, 4.0),
        }
    }

    /// Returns the end (`way` -1) or the beginning (+1) of a stance.
    fn of_stance(&self, s: &Stance, heel: &Knots, t: f32, way: f32) -> End {
        let other = t + way * 0.5 * DT;
        let at = |t: f32| (t, self.in_contact(s, heel, t));
        if way > 0.0 { self.end([at(t), at(other)], 0) } else { self.end([at(other), at(t)], 1) }
    }

    fn of_base(&self, states: &[State; 3], side: usize, t: f32) -> End {
        // The velocity of the hips is that of the locomotion.
        let feet = [0, 1, 2].map(|k| states[k].feet[side]);
        let rate = (feet[2].ankle - feet[0].ankle) * (0.5 * SAMPLE_HZ);
        let mut end = self.end([(t, feet[1]), (t + DT, feet[2])], 0);
        end.rate = rate - (self.track.at(t + 0.5 * DT).0 - self.track.at(t - 0.5 * DT).0) * SAMPLE_HZ;
        end
    }

    fn swing(&self, script: &FootScript, from_s: f32, from: &End, to_s: f32, to: &End) -> Swing {
        let within = || script.vias.iter().filter(|v| v.t > from_s + 0.02 && v.t < to_s - 0.02);
        let place = |v: Place, t: f32| match v {
            Place::Hip(p) => p,
            Place::Ground(p) => p - self.track.at(t).0,
        };
        let curve = |from: f32, from_rate: f32, to: f32, to_rate: f32, via: Vec<Key>| {
            let mut keys = vec![at_rate(from_s, from, from_rate)];
            keys.extend(via);
            keys.push(at_rate(to_s, to, to_rate));
            Curve::new(&keys)
        };
        let axis = |k: usize| {
            let mut via: Vec<Key> = within().map(|v| through(v.t, place(v.at, v.t)[k])).collect();
            if to.foot.planted && via.last().is_none_or(|v| v.t < to_s - 1.5 * SLOWS_S) {
                via.push(through(to_s - SLOWS_S, to.from_hip[k] - 0.45 * SLOWS_S * to.rate[k]));
            }
            curve(from.from_hip[k], from.rate[k], to.from_hip[k], to.rate[k], via)
        };
        let bends = within().map(|v| through(v.t, v.bend)).collect();
        Swing {
            from_s,
            to_s,
            from_hip: [axis(0), axis(1), axis(2)],
            bend: curve(from.bend, from.bend_rate, to.bend, to.bend_rate, bends),
            yaw: [from.foot.yaw, to.foot.yaw],
            toes: [from.foot.toe_pitch - from.foot.pitch, to.foot.toe_pitch - to.foot.pitch],
        }
    }

    fn in_swing(&self, swing: &Swing, t: f32) -> FootState {
        let tau = ((t - swing.from_s) / (swing.to_s - swing.from_s)).clamp(0.0, 1.0);
        let (hip, _) = self.track.at(t);
        let way = Vec3::from_array([0, 1, 2].map(|k| swing.from_hip[k].at(t)));
        let (length, soft) =
            (way.length().max(0.05), 0.05 * ramp(tau, 0.0, 0.12) * (1.0 - ramp(tau, 0.88, 1.0)) + 1e-4);
        let reach =
            -rounded_max(-length, -leg_length_m(lerp(0.8 * TAUT_RAD[0], TAUT_RAD[1], bump(tau).min(1.0))), soft);
        let ankle = hip + way * (rounded_max(reach, FOLDED_M, soft) / length);
        let yaw = lerp(swing.yaw[0], swing.yaw[1], ramp(tau, 0.0, 1.0));
        let free = bump(tau).min(1.0);
        let bend = swing.bend.at(t);
        let bend = lerp(bend, bend.clamp(DORSIFLEXION_RAD[0], DORSIFLEXION_RAD[1]), free);
        let pitch = self.tilt(t, ankle, yaw) - bend;
        let toes = swing.toes[0] * (1.0 - ramp(tau, 0.0, 0.4)) + swing.toes[1] * ramp(tau, 0.7, 1.0);
        FootState { ankle, yaw, pitch, toe_pitch: pitch + toes - 0.1 * bump(tau), planted: false, loaded: false }
    }
}

/// Returns the heel of a step over time: down after the touch, up before the toes leave.
fn heels(p: &Plant) -> [(f32, f32); 4] {
    let half = 0.5 * (p.down_s + p.up_s.min(p.down_s + 10.0));
    [
        (p.down_s, p.heel[0]),
        ((p.down_s + HEEL_S).min(half), 0.0),
        ((p.up_s - HEEL_S).max(half), 0.0),
        (p.up_s, p.heel[1]),
    ]
}
