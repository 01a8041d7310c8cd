//! Locomotion at any velocity: the cycles nearest to it, blended in phase.
//!
//! Weights are those of gradient band interpolation (R. Johansen, "Automated Semi-Procedural Animation for Character Locomotion",
//! 2009): exactly one at each cycle's own velocity. Directions are compared as unit vectors, not as angles, which jump at 180
//! degrees.

use super::cycle::{Cycle, FootSample, Shown};
use super::kit::Kit;
use super::stand::Stand;
use crate::math::{Quat, lerp};
use crate::pose::Pose;
use glam::Vec3;

/// Weight of a difference in direction relative to a relative difference in speed.
const DIRECTION_WEIGHT: f32 = 2.0;
/// Share of all weights that is subtracted from each. Smaller weights are removed, without a jump.
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

impl Mix {
    /// Returns the cycles to blend at a velocity that is not zero; `own`: velocities of the cycles, in m/s.
    fn at(own: &[Vec3], velocity_mps: Vec3) -> Self {
        let parts = |v: &Vec3| (v.length(), v.normalize_or_zero());
        let wanted = parts(&velocity_mps);
        let cycles: Vec<(f32, Vec3)> = own.iter().map(parts).collect();
        let weight = |i: usize| {
            let (own_mps, ahead) = cycles[i];
            let mut least = 1.0_f32;
            for (_, other) in cycles.iter().enumerate().filter(|(j, _)| *j != i) {
                let mean_mps = 0.5 * (own_mps + other.0);
                let to = |(mps, direction): (f32, Vec3)| {
                    let aside = DIRECTION_WEIGHT * (direction - ahead);
                    Vec3::new(aside.x, (mps - own_mps) / mean_mps, aside.z)
                };
                let (wanted, other) = (to(wanted), to(*other));
                least = least.min(1.0 - wanted.dot(other) / other.length_squared().max(1e-9));
                if least <= 0.0 {
                    return 0.0;
                }
            }
            least
        };
        let mut weights: Vec<(usize, f32)> = (0..own.len()).map(|i| (i, weight(i))).collect();
        let all: f32 = weights.iter().map(|w| w.1).sum();
        weights.iter_mut().for_each(|w| w.1 -= LEAST_WEIGHT * all);
        weights.retain(|w| w.1 > 0.0);
        if weights.is_empty() {
            let off = |i: &usize| (own[*i] - velocity_mps).length();
            let nearest = (0..own.len()).min_by(|a, b| off(a).total_cmp(&off(b)));
            weights.push((nearest.unwrap_or(0), 1.0));
        }
        let all: f32 = weights.iter().map(|w| w.1).sum();
        weights.iter_mut().for_each(|w| w.1 /= all);
        Self(weights)
    }

    /// Returns the weighted mean of mixes.
    pub fn mean<'m>(mixes: impl Iterator<Item = (&'m Self, f32)>) -> Self {
        let mut all: Vec<(usize, f32)> = Vec::new();
        let mut sum = 0.0;
        for (mix, weight) in mixes {
            sum += weight;
            for (i, share) in &mix.0 {
                match all.iter_mut().find(|(k, _)| k == i) {
                    Some((_, total)) => *total += weight * share,
                    None => all.push((*i, weight * share)),
                }
            }
        }
        all.sort_by_key(|(i, _)| *i);
        all.iter_mut().for_each(|(_, total)| *total /= sum);
        Self(all)
    }
}

impl Gait<'_> {
    /// Returns the cycles to blend at a velocity in root space.
    pub fn mix(&self, velocity_mps: Vec3) -> Mix {
        let speed = velocity_mps.length();
        let velocity = if speed > 0.02 { velocity_mps } else { Vec3::Z * 0.02 };
        let own: Vec<Vec3> = self.cycles.iter().map(|cycle| cycle.velocity_mps).collect();
        Mix::at(&own, velocity)
    }

    /// Returns the tags that all cycles of some mixes have.
    pub fn common_tags<'m>(&self, mixes: impl Iterator<Item = &'m Mix>) -> Vec<String> {
        let mut used: Vec<usize> = mixes.flat_map(|mix| mix.0.iter().map(|(i, _)| *i)).collect();
        used.sort_unstable();
        used.dedup();
        let Some((first, others)) = used.split_first() else { return Vec::new() };
        let mut tags = self.cycles[*first].tags.clone();
        tags.retain(|tag| others.iter().all(|i| self.cycles[*i].tags.contains(tag)));
        tags
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
        // Rotations are averaged as rotation vectors from the idle pose: between two that are almost opposite, an interpolation
        // swings by half a turn when they pass each other.
        let rest = &self.stand.pose;
        let mut turns = vec![Vec3::ZERO; rest.len()];
        out.translations.fill(Vec3::ZERO);
        for (i, share, weight) in parts {
            self.cycles[i].sample(&self.kit, share, scratch);
            for (j, turn) in turns.iter_mut().enumerate() {
                *turn += (rest.rotations[j].inverse() * scratch.0.rotations[j]).to_rotation_vector() * weight;
                out.translations[j] += scratch.0.translations[j] * weight;
            }
        }
        for (j, turn) in turns.into_iter().enumerate() {
            out.rotations[j] = (rest.rotations[j] * Quat::from_rotation_vector(turn)).renormalize();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Facing;
    use std::f32::consts::TAU;

    /// Walks and runs ahead, strafes and walks backward.
    fn pack() -> Vec<Vec3> {
        let aside = |deg: f32, mps: f32| Facing::from_yaw(deg.to_radians()).direction() * mps;
        [
            (0.0, 0.8),
            (0.0, 1.4),
            (0.0, 3.5),
            (45.0, 1.3),
            (-45.0, 1.3),
            (90.0, 1.1),
            (-90.0, 1.1),
            (180.0, 0.9),
            (180.0, 2.4),
        ]
        .map(|(deg, mps)| aside(deg, mps))
        .to_vec()
    }

    #[test]
    fn weights_are_one_at_each_cycle() {
        let own = pack();
        for (i, velocity_mps) in own.iter().enumerate() {
            assert_eq!(Mix::at(&own, *velocity_mps).0, [(i, 1.0)]);
        }
    }

    #[test]
    fn weights_change_little_with_a_little_of_velocity() {
        const STEP_RAD: f32 = TAU / 720.0;
        const STEP_MPS: f32 = 0.01;
        // Two cycles as far apart as 0.6 m/s swap all of their weight over that.
        const MOST_PER_MPS: f32 = 8.0;
        let own = pack();
        let dense = |mix: &Mix| {
            let mut weights = vec![0.0; own.len()];
            mix.0.iter().for_each(|(i, w)| weights[*i] = *w);
            weights
        };
        let at = |speed_mps: f32, yaw_rad: f32| Facing::from_yaw(yaw_rad).direction() * speed_mps;
        for ring in 0..90 {
            let speed_mps = 0.3 + ring as f32 * 0.05;
            for k in 0..720 {
                let yaw_rad = k as f32 * STEP_RAD;
                let here = at(speed_mps, yaw_rad);
                for there in [at(speed_mps, yaw_rad + STEP_RAD), at(speed_mps + STEP_MPS, yaw_rad)] {
                    let (a, b) = (dense(&Mix::at(&own, here)), dense(&Mix::at(&own, there)));
                    let most = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                    let way = (there - here).length();
                    assert!(most < MOST_PER_MPS * way, "{most} within {way} m/s at {speed_mps} m/s, {yaw_rad} rad");
                }
            }
        }
    }

    #[test]
    fn a_mean_of_mixes_is_a_mix() {
        let (a, b) = (Mix(vec![(0, 1.0)]), Mix(vec![(0, 0.5), (2, 0.5)]));
        assert_eq!(Mix::mean([(&a, 1.0), (&b, 1.0)].into_iter()), Mix(vec![(0, 0.75), (2, 0.25)]));
    }
}
