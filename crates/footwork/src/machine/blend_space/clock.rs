//! Time of the blend: the weighted mean of the times of its clips at a phase.

use super::mesh::Weights;
use super::timeline::Timeline;

/// Maximum number of markers passed in one call. The longest step of a character passes far fewer.
const MOST_PIECES: usize = 4096;
/// Resolution of phases: 2^-30.
const GRAIN: f64 = 1.0 / 1_073_741_824.0;

/// Returns the phase `seconds` of the blend after (negative: before) `phase`, at constant weights.
pub(super) fn advance(timelines: &[Timeline], weights: &Weights, mut phase: f64, mut seconds: f64) -> f64 {
    for _ in 0..MOST_PIECES {
        let forward = seconds >= 0.0;
        let (mut slope, mut end) = (0.0, if forward { f64::INFINITY } else { f64::NEG_INFINITY });
        for (k, weight) in weights.iter() {
            let (own, until) = timelines[k].piece(phase, forward);
            slope += f64::from(weight) * own;
            end = if forward { until.min(end) } else { until.max(end) };
        }
        let reach_s = (end - phase) * slope;
        if reach_s.abs() >= seconds.abs() {
            return phase + seconds / slope;
        }
        seconds -= reach_s;
        phase = end;
    }
    phase
}

/// Returns the seconds of the blend per phase, just after a phase.
pub(super) fn seconds_per_phase(timelines: &[Timeline], weights: &Weights, phase: f64) -> f64 {
    weights.iter().map(|(k, weight)| f64::from(weight) * timelines[k].piece(phase, true).0).sum()
}

/// Returns the nearest phase that can be stored. Adding and subtracting whole strides causes no rounding.
pub(super) fn stored(phase: f64) -> f64 {
    (phase / GRAIN).round() * GRAIN
}
