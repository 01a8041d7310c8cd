//! Legs: feet in contact hold them; hip, knee and ankle follow by the cosine rule.

use crate::body::{SHANK_M, Side, THIGH_M};
use crate::feet::{FootState, ankle_in_contact, needed_pitch};
use crate::footsteps::{FootPlan, Stance};
use crate::path::RootPath;
use crate::shapes::rounded_max;
use crate::stride::{LegPlan, leg_length_m};
use crate::swing::Swing;
use footwork::math::{Quat, atan2, lerp};
use glam::Vec3;

/// Rounding of the heel's rise, radians. Rounder than this a standing heel leaves the ground visibly before it must.
const HEEL_BLEND_RAD: f32 = 0.05;
/// How far an ankle stretches and bends under load, radians: 30 to 38 degrees of bending (podiatryfaq.com, lunge test).
pub(crate) const LOADED_DORSIFLEXION_RAD: [f32; 2] = [-0.68, 0.58];
/// How far the toes bend up against the foot, radians: 70 degrees at most.
const TOE_EXTENSION_RAD: f32 = 1.17;

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
    pub(crate) fn at(&self, t: f32) -> (Vec3, f32) {
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
    pub stances: &'a [Stance],
    pub others: &'a [Stance],
    pub plan: &'a LegPlan,
    pub path: &'a RootPath,
    pub track: &'a Track,
    pub side: Side,
    place: usize,
    swing: Option<Swing>,
}

/// A foot held by the ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    pub ankle: Vec3,
    pub pitch: f32,
    /// Ankle dorsiflexion.
    pub dorsiflexion: f32,
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

    /// A foot on the ground: as the stance plans it, its heel up where the leg would be too short.
    pub(crate) fn in_contact(&self, s: &Stance, t: f32) -> Contact {
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
    pub(crate) fn tilt(&self, t: f32, ankle: Vec3, foot_yaw: f32) -> f32 {
        let (hip, yaw) = self.track.at(t);
        let knee = knee(hip, ankle, knee_yaw(yaw, foot_yaw));
        let shank = Quat::from_rotation_y(-foot_yaw) * (knee - ankle);
        atan2(shank.z, shank.y)
    }
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
}
