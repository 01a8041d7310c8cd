//! Time of the blend: the weighted mean of the times of its clips at a phase.

use super::mesh::Weights;
use super::timeline::Timeline;

/// Markers that are passed in one go; the longest step of a character passes far fewer.
const MOST_PIECES: usize = 4096;
/// Phases are multiples of this: 2^-30.
const GRAIN: f64 = 1.0 / 1_073_741_824.0;

/// The phase `seconds` of the blend after (negative: before) another, at constant weights.
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

/// Seconds of the blend per phase, just after a phase.
pub(super) fn seconds_per_phase(timelines: &[Timeline], weights: &Weights, phase: f64) -> f64 {
    weights.iter().map(|(k, weight)| f64::from(weight) * timelines[k].piece(phase, true).0).sum()
}

/// The nearest phase that can be stored: whole strides can be added and taken off without rounding.
pub(super) fn stored(phase: f64) -> f64 {
    (phase / GRAIN).round() * GRAIN
}
