//! Play rate: plays a clip a little faster or slower than captured, so that it moves at the speed of the simulated character.
//!
//! This is the cheapest adjustment: strides stay whole, and feet do not slide.

use crate::math::spring;
use crate::settings;
use glam::Vec3;

/// Speed of a clip below which a change of rate moves the character too little to help, m/s.
const LEAST_SPEED_MPS: f32 = 0.4;

settings! {
    /// The `[matcher.play_rate]` table.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct PlayRateConfig {
        /// Whether clips are played faster or slower than captured.
        enabled: bool = true;
        /// Slowest rate, as a factor on the captured one.
        min: f32 = 0.85, in 0.1 to 1.0;
        /// Fastest rate, as a factor on the captured one. Higher values slide less and follow sooner, at the cost of hectic
        /// motion: jerk grows with the cube of the rate.
        max: f32 = 1.0, in 1.0 to 4.0;
        /// Half-life of changes of the rate. Lower values follow sooner; higher values are smoother.
        half_life_s: f32 = 0.1, in 1e-3 to 10.0, unit "s";
        /// Time in which the rate makes up for the distance to the simulated character. Lower values keep the path better.
        catch_up_s: f32 = 0.3, in 1e-2 to 100.0, unit "s";
    }
}

impl PlayRateConfig {
    /// Returns the rate `dt_s` after it was `rate`. The clip alone moves with `clip` (m/s); the simulated character moves with
    /// `simulation` and is `ahead` (metres) of it. All are in the same space.
    pub fn next(&self, rate: f32, clip: Vec3, simulation: Vec3, ahead: Vec3, dt_s: f32) -> f32 {
        let speed = clip.length();
        let mut wanted = 1.0;
        if speed > LEAST_SPEED_MPS {
            let direction = clip / speed;
            let along = (simulation + ahead / self.catch_up_s).dot(direction);
            // A character that has to turn around first does not slow down to a halt.
            if simulation.dot(direction) > 0.5 * simulation.length() {
                wanted = along / speed;
            }
        }
        // Fades in between the speed where the rate cannot help and the speed where it counts fully.
        let full = ((speed - LEAST_SPEED_MPS) / LEAST_SPEED_MPS).clamp(0.0, 1.0);
        let wanted = 1.0 + (wanted.clamp(self.min, self.max) - 1.0) * full;
        rate + (wanted - rate) * spring::damp(self.half_life_s, dt_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(config: &PlayRateConfig, clip: Vec3, simulation: Vec3, ahead: Vec3) -> f32 {
        (0..600).fold(1.0, |rate, _| config.next(rate, clip, simulation, ahead, 1.0 / 60.0))
    }

    #[test]
    fn a_clip_keeps_pace_within_its_limits() {
        let c = PlayRateConfig { max: 1.15, ..Default::default() };
        let at = |clip: f32, simulation: f32| settled(&c, Vec3::Z * clip, Vec3::Z * simulation, Vec3::ZERO);
        assert!((at(1.5, 1.6) - 1.6 / 1.5).abs() < 1e-3);
        assert!((at(1.5, 1.4) - 1.4 / 1.5).abs() < 1e-3);
        assert!((at(1.5, 9.0) - 1.15).abs() < 1e-3 && (at(1.5, 0.9) - 0.85).abs() < 1e-3);
        // Behind by 15 cm: a little faster.
        assert!(settled(&c, Vec3::Z * 1.5, Vec3::Z * 1.5, Vec3::Z * 0.15) > 1.1);
    }

    #[test]
    fn who_stands_or_has_to_turn_round_is_left_alone() {
        let c = PlayRateConfig { max: 1.15, ..Default::default() };
        assert_eq!(settled(&c, Vec3::Z * 0.3, Vec3::Z * 2.0, Vec3::ZERO), 1.0);
        assert_eq!(settled(&c, Vec3::Z * 1.5, -Vec3::Z * 1.5, Vec3::ZERO), 1.0);
    }
}
