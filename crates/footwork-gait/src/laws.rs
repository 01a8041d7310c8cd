//! Measurements of gait science: cadence, duty factor, and the transition to running.

use crate::shapes::{ramp, smooth_max};
use footwork::advanced::math::lerp;

/// Step length in metres over steps per second. People keep this ratio at all walking speeds (about 0.006 per step/min; the "walk
/// ratio" as given by Konica Minolta's gait notes, kjd.co.jp/en/en-use). Step length is then the square root of ratio times
/// speed.
const WALK_RATIO_M_PER_HZ: f32 = 0.006 * 60.0;

/// Returns the share of running, 0 (walk) to 1 (run), by speed in m/s.
///
/// Adults change at about 2.0 m/s (PMC8629136), within one step (Segers et al. 2007, J. Exp. Biol. 210:578).
pub(crate) fn run_weight(speed_mps: f32) -> f32 {
    ramp(speed_mps, 1.9, 2.3)
}

/// Returns the steps per second at a speed in m/s. Cadence times step length is always the speed, since feet are planted relative
/// to the root's path.
///
/// Walking by the walk ratio: 0.68 m and 1.90 steps/s at 1.3 m/s, and within 3 % of the 1.48 and 1.86 steps/s that Franz and
/// Kram (2012, PMC3262943) measured at 0.75 and 1.25 m/s. Running: 2.6 to 2.8 steps/s between 2.6 and 3 m/s
/// (J. Exp. Biol. table 1086286: stride frequency 1.28 to 1.31 Hz at 2.65 m/s; Lieberman et al. 2015: 170 steps a minute
/// at 3.0 m/s), rising little from there.
pub(crate) fn cadence_hz(speed_mps: f32) -> f32 {
    let walk = (speed_mps.max(0.01) / WALK_RATIO_M_PER_HZ).sqrt();
    // A cadence below this looks hesitant; at lower speeds, steps become shorter instead.
    let walk = smooth_max(walk, 1.15, 0.2);
    let run = 2.47 + 0.09 * speed_mps;
    lerp(walk, run, run_weight(speed_mps))
}

/// Returns the share of a stride from heel strike to toe-off, by speed in m/s.
///
/// Walking: 0.618 at 1.3 m/s (the means of four laboratories lie between 0.609 and 0.619), falling by 0.035 per m/s (Kirtley,
/// Whittle and Jefferson 1985), both as listed by clinicalgaitanalysis.com/data/stance.html. Running: 0.36 at 2.65 m/s (J. Exp.
/// Biol. table 1086286), falling towards 0.24.
pub(crate) fn duty(speed_mps: f32) -> f32 {
    let walk = (0.618 - 0.035 * (speed_mps - 1.3)).clamp(0.56, 0.65);
    let run = (0.375 - 0.05 * (speed_mps - 2.4)).clamp(0.235, 0.41);
    lerp(walk, run, run_weight(speed_mps))
}

/// Returns the share of a stride between heel strike and the toe's landing: foot flat at 9 % in walking; a run lands almost flat.
pub(crate) fn roll(speed_mps: f32) -> f32 {
    lerp(0.09, 0.03, run_weight(speed_mps)) * ramp(speed_mps, 0.2, 1.0)
}

/// Factor of the cadence of a crouched walk at the same speed: bent legs take shorter steps.
pub(crate) const CROUCHED_CADENCE: f32 = 1.12;
/// Additional sideways distance of each foot of a crouched body, metres.
pub(crate) const CROUCHED_WIDTH_M: f32 = 0.03;

/// Returns half the distance between the feet across the direction of travel, metres: 0.095 standing, less in a run.
pub(crate) fn half_width_m(speed_mps: f32) -> f32 {
    lerp(lerp(0.095, 0.05, ramp(speed_mps, 0.2, 1.2)), 0.03, run_weight(speed_mps))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn step_length_and_duty_are_the_published_ones() {
        assert!((1.3 / cadence_hz(1.3) - 0.68).abs() < 0.02);
        assert!((duty(1.3) - 0.618).abs() < 1e-6);
        assert!(duty(2.5) < 0.5 && duty(4.0) < 0.35);
        assert!((cadence_hz(2.65) - 2.65).abs() < 0.1);
    }
}
