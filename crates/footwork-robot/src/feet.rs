//! Desired positions and rotations of the feet over a clip.
//!
//! While a foot is planted, the middle of the front edge of its sole stays at one point on the ground, and its heading stays as
//! well. The sole is flat until the heel rises clearly; then the foot rolls over its front edge. Before and after, offsets fade
//! out. In the air, no point of the foot is below the ground.

use crate::kinematics::Placed;
use crate::sole::Sole;
use crate::spatial::{about, twist, wrapped};
use glam::{DQuat, DVec3};
use std::ops::Range;

/// Time over which a foot reaches its planted position and leaves it, seconds; at most half of the time in the air.
const EASE_S: f64 = 0.2;
/// Height up to which a planted foot stands on the ground, metres; higher ones stand on something.
const GROUND_M: f64 = 0.06;
/// Pitch, in radians, up to which the heel of a planted foot stays down, and from which on it rises like the source's.
const HEEL_DOWN: [f64; 2] = [0.15, 0.5];
/// Tilt of a planted foot, in radians, up to which it becomes flat, and from which on it stays: feet of a body that lies.
const FLAT: [f64; 2] = [0.6, 1.2];

/// A foot over a clip, `[frames]`.
#[derive(Clone, Debug, Default)]
pub struct FootTrack {
    pub planted: Vec<bool>,
    /// Positions of the middle of the front edge of the sole.
    pub toe: Vec<DVec3>,
    /// Rotations relative to the pose that the file describes: heading, roll, pitch (heel up is positive), radians.
    pub heading: Vec<f64>,
    roll: Vec<f64>,
    pitch: Vec<f64>,
    ahead: DVec3,
}

impl FootTrack {
    /// Creates the track of a foot: `toe` and `rotations` as the stand-in has them. `ahead`: direction of the robot in the pose
    /// that the file describes.
    pub fn new(toe: Vec<DVec3>, rotations: &[DQuat], planted: Vec<bool>, ahead: DVec3) -> Self {
        let mut track = Self { planted, toe, ahead, ..Self::default() };
        let aside = DVec3::Z.cross(ahead);
        let mut last = 0.0;
        for q in rotations {
            let side = *q * aside;
            // In the plane of ahead and aside, and continuous from frame to frame.
            let heading = libm::atan2(-side.dot(ahead), side.dot(aside));
            last += wrapped(heading - last);
            let roll = libm::asin(side.z.clamp(-1.0, 1.0));
            let rest = (about(DVec3::Z, last) * about(ahead, roll)).inverse() * *q;
            track.heading.push(last);
            track.roll.push(roll);
            track.pitch.push(twist(rest, aside));
        }
        track
    }

    /// Returns the rotation in a frame, relative to the pose that the file describes.
    pub fn rotation(&self, frame: usize) -> DQuat {
        let aside = DVec3::Z.cross(self.ahead);
        about(DVec3::Z, self.heading[frame]) * about(self.ahead, self.roll[frame]) * about(aside, self.pitch[frame])
    }

    /// Returns the ranges of frames in which the foot is planted.
    pub fn plants(&self) -> Vec<Range<usize>> {
        let mut plants: Vec<Range<usize>> = Vec::new();
        for (f, _) in self.planted.iter().enumerate().filter(|(_, on)| **on) {
            match plants.last_mut() {
                Some(last) if last.end == f => last.end = f + 1,
                _ => plants.push(f..f + 1),
            }
        }
        plants
    }

    /// Holds the foot in its contacts, with offsets that fade out around them.
    pub fn plant(&mut self, rate_hz: f64) {
        let plants = self.plants();
        let (toe, heading) = (self.toe.clone(), self.heading.clone());
        let (roll, pitch) = (self.roll.clone(), self.pitch.clone());
        let frames = self.toe.len();
        for (k, plant) in plants.iter().enumerate() {
            let (place, course) = self.stand(plant);
            let before = if k == 0 { plant.start } else { (plant.start - plants[k - 1].end) / 2 };
            let after = plants.get(k + 1).map_or(frames - plant.end, |next| (next.start - plant.end).div_ceil(2));
            for f in plant.start - before..plant.end + after {
                // The frame of the contact whose offset applies, and its weight.
                let edge = f.clamp(plant.start, plant.end - 1);
                let room = if f < plant.start { before } else { after } as f64 + 1.0;
                let ease = (EASE_S * rate_hz).min(room).max(1.0);
                let weight = 1.0 - smooth(f.abs_diff(edge) as f64 / ease);
                self.toe[f] += (place - toe[edge]) * weight;
                self.heading[f] += (course - heading[edge]) * weight;
                let flat = 1.0 - ramp(roll[f].abs().max(-pitch[f]), FLAT);
                self.roll[f] -= roll[f] * weight * flat;
                let held = if pitch[f] < 0.0 { 1.0 } else { 1.0 - ramp(pitch[f], HEEL_DOWN) };
                self.pitch[f] -= pitch[f] * weight * held * flat;
            }
        }
    }

    /// Returns position and heading of a contact: the means of its flat frames.
    fn stand(&self, plant: &Range<usize>) -> (DVec3, f64) {
        let frames = plant.clone();
        let weights: Vec<f64> = frames.clone().map(|f| 1e-3 + 1.0 - ramp(self.pitch[f].abs(), HEEL_DOWN)).collect();
        let total: f64 = weights.iter().sum();
        let mut place = DVec3::ZERO;
        let mut course = 0.0;
        for (f, w) in frames.zip(&weights) {
            place += self.toe[f] * (w / total);
            course += self.heading[f] * (w / total);
        }
        if place.z < GROUND_M {
            place.z = 0.0;
        }
        (place, course)
    }

    /// Lifts the foot where a part of it would be below the ground.
    pub fn lift(&mut self, sole: &Sole, zero: &Placed) {
        for f in 0..self.toe.len() {
            let rotation = self.rotation(f) * zero.rotations[sole.body];
            let lowest = sole.lowest_m(self.toe[f] - rotation * sole.toe, rotation);
            self.toe[f].z -= lowest.min(0.0);
        }
    }
}

/// Returns a smooth rise from 0 to 1 with zero slope at both ends.
pub fn smooth(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

fn ramp(x: f64, [from, to]: [f64; 2]) -> f64 {
    smooth((x - from) / (to - from))
}
