//! One leg in contact with the ground: the foot stays planted, and the heel rises where the leg would be too short.

use crate::body::Side;
use crate::feet::{ankle_in_contact, needed_pitch};
use crate::footsteps::{FootPlan, Stance};
use crate::leg_pose::{knee, knee_yaw};
use crate::path::RootPath;
use crate::shapes::rounded_max;
use crate::stride::{LegPlan, leg_length_m};
use footwork::advanced::math::{atan2, lerp};
use footwork::math::Quat;
use glam::Vec3;

/// Smoothing of the rise of the heel, in radians. With more, a planted heel leaves the ground visibly too early.
const HEEL_BLEND_RAD: f32 = 0.05;
/// Range of the ankle under load, in radians: 30 to 38 degrees of dorsiflexion (podiatryfaq.com, lunge test).
pub(crate) const LOADED_DORSIFLEXION_RAD: [f32; 2] = [-0.68, 0.58];
/// Maximum extension of the toes relative to the foot, in radians: 70 degrees.
const TOE_EXTENSION_RAD: f32 = 1.17;

/// Motion of a hip joint, sampled evenly in time.
pub(crate) struct Track {
    pub start_s: f32,
    pub rate_hz: f32,
    /// `[samples]` hip joint, world.
    pub hip: Vec<Vec3>,
    /// `[samples]` yaw of the pelvis, unwrapped.
    pub yaw: Vec<f32>,
}

impl Track {
    /// Returns the hip position and the pelvis yaw at a time; beyond the ends, the first or last sample.
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

/// Plan of one leg.
pub(crate) struct Leg<'a> {
    pub stances: &'a [Stance],
    pub others: &'a [Stance],
    pub plan: &'a LegPlan,
    pub path: &'a RootPath,
    pub track: &'a Track,
    pub side: Side,
}

/// A foot in contact with the ground.
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
        Self { stances, others, plan, path, track, side }
    }

    /// Returns the foot in contact as planned for the stance; the heel rises if the leg is too short.
    pub(crate) fn in_contact(&self, s: &Stance, t: f32) -> Contact {
        let (hip, _) = self.track.at(t);
        let tip = self.plan.tip.at(t);
        let planned = self.plan.pitch.at(t);
        let taut = leg_length_m(self.plan.taut_knee.at(t));
        let needed = needed_pitch(hip, s, tip, taut);
        // A foot whose heel is lowering rotates about the heel, so that rising over the ball would not help.
        let mut pitch =
            rounded_max(planned, needed + 4.0 * planned.min(0.0), HEEL_BLEND_RAD).min(TOE_EXTENSION_RAD + tip);
        let mut ankle = ankle_in_contact(s, tip, pitch);
        let mut dorsiflexion = self.tilt(t, ankle, s.yaw) - pitch - s.slope;
        // If the shank leans further forward than the ankle can bend, the heel rises; if it leans back, the heel stays down.
        for _ in 0..4 {
            let excess = rounded_max(0.0, dorsiflexion - LOADED_DORSIFLEXION_RAD[1], HEEL_BLEND_RAD);
            let missing = rounded_max(0.0, LOADED_DORSIFLEXION_RAD[0] - dorsiflexion, HEEL_BLEND_RAD);
            pitch += 0.8 * (excess - missing);
            ankle = ankle_in_contact(s, tip, pitch);
            dorsiflexion = self.tilt(t, ankle, s.yaw) - pitch - s.slope;
        }
        Contact { ankle, pitch: pitch + s.slope, dorsiflexion }
    }

    /// Returns the forward lean of the shank along the foot, in radians.
    pub(crate) fn tilt(&self, t: f32, ankle: Vec3, foot_yaw: f32) -> f32 {
        let (hip, yaw) = self.track.at(t);
        let knee = knee(hip, ankle, knee_yaw(yaw, foot_yaw, self.path.at(t).crouch));
        let shank = Quat::from_rotation_y(-foot_yaw) * (knee - ankle);
        atan2(shank.z, shank.y)
    }
}
