//! Locomotion at any velocity: the cycles nearest to it, blended in phase.
//!
//! Weights are those of gradient band interpolation in polar coordinates (R. Johansen, "Automated Semi-Procedural Animation
//! for Character Locomotion", 2009): smooth, exactly one at each cycle's own velocity.

use super::cycle::{Cycle, FootSample, Shown};
use super::kit::Kit;
use super::stand::Stand;
use crate::math::{Quat, lerp};
use crate::pose::Pose;
use glam::Vec3;

/// Weight of a radian relative to a relative difference in speed.
const ANGLE_WEIGHT: f32 = 2.0;
/// Minimum weight. Smaller ones are removed.
const LEAST_WEIGHT: f32 = 0.01;
/// Minimum sway of the body, as a share of a cycle's sway.
const LEAST_SWAY: f32 = 0.4;

/// Material for blending.
pub struct Gait<'a> {
    pub kit: Kit<'a>,
    /// Cycles from slow to fast, at least one.
    pub cycles: Vec<Cycle>,
    pub stand: Stand,
}

/// Indices of cycles with their weights, which sum to one.
#[derive(Clone, Debug, PartialEq)]
pub struct Mix(Vec<(usize, f32)>);

impl Gait<'_> {
    /// Returns the cycles to blend at a velocity in root space.
    pub fn mix(&self, velocity_mps: Vec3) -> Mix {
        let speed = velocity_mps.length();
        let velocity = if speed > 0.02 { velocity_mps } else { Vec3::Z * 0.02 };
        let cycles = &self.cycles;
        let weight = |i: usize| {
            let own = cycles[i].velocity_mps;
            let others = (0..cycles.len()).filter(|j| *j != i).map(|j| {
                let mean = 0.5 * (own.length() + cycles[j].velocity_mps.length());
                let to = |v: Vec3| [(v.length() - own.length()) / mean, ANGLE_WEIGHT * turn_rad(own, v)];
                let ([a, b], [c, d]) = (to(velocity), to(cycles[j].velocity_mps));
                1.0 - (a * c + b * d) / (c * c + d * d).max(1e-9)
            });
            others.fold(1.0, f32::min).max(0.0)
        };
        let mut weights: Vec<(usize, f32)> = (0..cycles.len()).map(|i| (i, weight(i))).collect();
        let all: f32 = weights.iter().map(|w| w.1).sum();
        weights.retain(|w| w.1 > LEAST_WEIGHT * all);
        if weights.is_empty() {
            let off = |c: &Cycle| (c.velocity_mps - velocity).length();
            let nearest = (0..cycles.len()).min_by(|a, b| off(&cycles[*a]).total_cmp(&off(&cycles[*b])));
            weights.push((nearest.unwrap_or(0), 1.0));
        }
        let all: f32 = weights.iter().map(|w| w.1).sum();
        weights.iter_mut().for_each(|w| w.1 /= all);
        Mix(weights)
    }

    fn mean(&self, mix: &Mix, of: impl Fn(&Cycle) -> f32) -> f32 {
        mix.0.iter().map(|(i, w)| of(&self.cycles[*i]) * w).sum()
    }

    /// Returns the strides per second.
    pub fn cadence_hz(&self, mix: &Mix) -> f32 {
        self.mean(mix, |c| 1.0 / c.seconds())
    }

    /// Returns the share of a stride in which a foot is planted.
    pub fn stance(&self, mix: &Mix, side: usize) -> f32 {
        self.mean(mix, |c| c.feet[side].stance)
    }

    /// Returns the mean speed of the blended cycles, each in its own direction, in m/s.
    pub fn speed_mps(&self, mix: &Mix) -> f32 {
        self.mean(mix, |c| c.velocity_mps.length())
    }

    /// Returns the position of a foot in the middle of its stance, in root space, and its yaw. `moving`: 0 idle to 1
    /// moving.
    pub fn place(&self, mix: &Mix, side: usize, moving: f32) -> (Vec3, f32) {
        let (rest, rest_yaw) = (self.stand.feet[side].at, self.stand.feet[side].yaw_rad);
        let at = mix.0.iter().fold(Vec3::ZERO, |sum, (i, w)| sum + self.cycles[*i].feet[side].middle * *w);
        let yaw = self.mean(mix, |c| c.feet[side].yaw_rad);
        (rest.lerp(at, moving) * Vec3::new(1.0, 0.0, 1.0), lerp(rest_yaw, yaw, moving))
    }

    /// Returns the body's share of a cycle's sway at a speed.
    pub fn sway(&self, mix: &Mix, speed_mps: f32) -> f32 {
        lerp(LEAST_SWAY, 1.0, (speed_mps / self.speed_mps(mix)).min(1.0))
    }

    /// Writes the body at a phase of the stride: 0 when the left foot touches down, 0.5 when the right one does.
    pub fn body(&self, mix: &Mix, phase: f64, scratch: &mut Shown, out: &mut Pose) {
        let parts = mix.0.iter().map(|(i, w)| {
            let right = f64::from(self.cycles[*i].feet[1].land);
            let (rounds, x) = (phase.floor(), phase - phase.floor());
            let share = if x < 0.5 { 2.0 * x * right } else { right + (2.0 * x - 1.0) * (1.0 - right) };
            (*i, rounds + share, *w)
        });
        let mut sum = 0.0;
        for (i, share, weight) in parts {
            self.cycles[i].sample(&self.kit, share, scratch);
            sum += weight;
            if sum == weight {
                out.copy_from(&scratch.0);
            } else {
                mix_in(out, &scratch.0, weight / sum);
            }
        }
    }

    /// Returns a foot in its stance or swing; see [`Cycle::foot`].
    pub fn foot(&self, mix: &Mix, side: usize, at: (bool, f32), scratch: &mut Shown) -> FootSample {
        let mut sum = 0.0;
        let mut all: Option<FootSample> = None;
        for (i, weight) in &mix.0 {
            let next = self.cycles[*i].foot(&self.kit, side, at, scratch);
            sum += weight;
            all = Some(all.map_or(next, |all| {
                let t = weight / sum;
                FootSample {
                    progress: lerp(all.progress, next.progress, t),
                    aside: all.aside.lerp(next.aside, t),
                    ankle: all.ankle.nlerp(next.ankle, t),
                    toe: all.toe.nlerp(next.toe, t),
                }
            }));
        }
        all.unwrap_or(self.stand.feet[side].sample)
    }
}

/// Blends a share `t` of another pose into `pose`.
pub fn mix_in(pose: &mut Pose, other: &Pose, t: f32) {
    for j in 0..pose.len() {
        pose.translations[j] = pose.translations[j].lerp(other.translations[j], t);
        pose.rotations[j] = Quat::nlerp(pose.rotations[j], other.rotations[j], t);
    }
}

/// Returns the angle from one direction on the ground to another in radians, -pi to pi.
fn turn_rad(from: Vec3, to: Vec3) -> f32 {
    crate::math::atan2(from.z * to.x - from.x * to.z, from.x * to.x + from.z * to.z)
}
