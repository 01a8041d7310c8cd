//! What gait science has measured: how often people step, how long their feet stay down, when they break into a run.

use crate::shapes::{ramp, smooth_max};
use footwork::math::{lerp, powf};

/// How much of a run a gait is, 0 (walk) to 1 (run), by speed in m/s.
///
/// People change gait at about 2 m/s (Hreljac 1993: 2.05); the blend is as wide as one spring step takes it through.
pub(crate) fn run_weight(speed_mps: f32) -> f32 {
    ramp(speed_mps, 1.85, 2.4)
}

/// Steps per second at a speed in m/s.
///
/// Walking: step length grows with speed to the power 0.42 (the log-log law of Grieve and Gear 1966), 0.70 m at 1.3 m/s for this height. Running: cadence
/// rises little with speed and step length does the rest (Cavanagh and Kram 1989: 4 % more
/// strides from 3.15 to 4.12 m/s, each 28 % longer); 2.75 steps/s at 3.15 m/s.
/// Cadence times step length is the speed, always: feet are planted where the root will be.
pub(crate) fn cadence_hz(speed_mps: f32) -> f32 {
    let walk = 1.62 * powf(speed_mps.max(0.01), 0.58);
    // A slower shuffle than this reads as hesitation; below it steps get shorter instead.
    let walk = smooth_max(walk, 1.2, 0.2);
    let run = 2.5 + 0.085 * speed_mps;
    lerp(walk, run, run_weight(speed_mps))
}

/// Share of a stride during which a foot is on the ground (heel strike to toe-off), by speed in m/s.
///
/// 0.62 at 1.3 m/s, falling slowly (Murray et al.); below a half in the run, about 0.3 at 4 m/s (contact of 0.21 s).
pub(crate) fn duty(speed_mps: f32) -> f32 {
    let walk = (0.62 - 0.045 * (speed_mps - 1.3)).clamp(0.55, 0.66);
    let run = (0.375 - 0.05 * (speed_mps - 2.5)).clamp(0.27, 0.42);
    lerp(walk, run, run_weight(speed_mps))
}

/// Share of a stride between heel strike and the toe's landing: foot flat at 8 % in walking; a run lands almost flat.
pub(crate) fn roll(speed_mps: f32) -> f32 {
    lerp(0.08, 0.03, run_weight(speed_mps)) * ramp(speed_mps, 0.2, 1.0)
}

/// Half the distance between the feet across the direction of travel, metres: 0.095 standing, narrow in the run.
pub(crate) fn half_width_m(speed_mps: f32) -> f32 {
    lerp(lerp(0.095, 0.06, ramp(speed_mps, 0.2, 1.2)), 0.045, run_weight(speed_mps))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn step_length_and_duty_are_the_published_ones() {
        assert!((1.3 / cadence_hz(1.3) - 0.70).abs() < 0.02);
        assert!((duty(1.3) - 0.62).abs() < 1e-6);
        assert!(duty(2.5) < 0.5 && duty(4.0) < 0.35);
        assert!((cadence_hz(3.15) - 2.75).abs() < 0.03);
    }
}
