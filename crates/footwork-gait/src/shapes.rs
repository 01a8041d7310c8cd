//! Functions of time: smooth ramps, windows, and curves through knots.

use footwork::advanced::math::{cos, smoothstep};

/// Returns 0 below `low`, 1 above `high`, and a smooth value in between.
pub(crate) fn ramp(x: f32, low: f32, high: f32) -> f32 {
    smoothstep((x - low) / (high - low))
}

/// Returns the progress of a body part from rest to rest: 0..1 over `t` in 0..1, with minimum jerk (Flash and Hogan 1985).
pub(crate) fn minimum_jerk(t: f32) -> f32 {
    let t = t.clamp(0.0, 1.0);
    t * t * t * (10.0 + t * (6.0 * t - 15.0))
}

/// Returns the progress of a hand to what it touches: as [`minimum_jerk`], but it arrives at 0.4 of its mean speed.
pub(crate) fn strike(t: f32) -> f32 {
    let t = t.clamp(0.0, 1.0);
    minimum_jerk(t) - 0.4 * t * t * t * (1.0 - t) * (4.0 - 3.0 * t)
}

/// Returns the progress of a swinging foot: 0..1 over `t` in 0..1 with zero velocity and acceleration at both ends.
///
/// The speed is a trapezoid with smooth flanks. Its maximum is late in a walk (as in the hip and knee angles of `normal.gcd`,
/// NCH-Motion-Laboratory/gaitutils), and early in a run (`run` 1).
pub(crate) fn glide(t: f32, run: f32) -> f32 {
    let (rise, fall) = (0.34 - 0.06 * run, 0.25 - 0.07 * run);
    let peak = 1.0 / (1.0 - 0.5 * (rise + fall));
    let t = t.clamp(0.0, 1.0);
    let flank = |u: f32| u * u * u - 0.5 * u * u * u * u;
    if t < rise {
        peak * rise * flank(t / rise)
    } else if t < 1.0 - fall {
        peak * (0.5 * rise + (t - rise))
    } else {
        1.0 - peak * fall * flank((1.0 - t) / fall)
    }
}

/// Returns a bump over `t` in 0..1: 1 at 0.5, zero with zero slope at both ends.
pub(crate) fn bump(t: f32) -> f32 {
    let t = t.clamp(0.0, 1.0);
    let s = t * (1.0 - t);
    16.0 * s * s
}

/// Returns at least the larger of two values, without the corner of `max`. `width`: distance at which the two are blended.
pub(crate) fn smooth_max(a: f32, b: f32, width: f32) -> f32 {
    let d = a - b;
    0.5 * (a + b + (d * d + width * width).sqrt())
}

/// Returns the larger of two values, rounded where they differ by less than `width`. Elsewhere it is exact.
pub(crate) fn rounded_max(a: f32, b: f32, width: f32) -> f32 {
    let d = (b - a) / width;
    if d >= 1.0 {
        b
    } else if d <= -1.0 {
        a
    } else {
        a + width * 0.25 * (d + 1.0) * (d + 1.0)
    }
}

/// Returns the moving average under a Hann window of `half` samples to each side. Beyond the ends, the first or last value is
/// used.
pub(crate) fn hann(values: &[f32], half: usize) -> Vec<f32> {
    if half == 0 || values.is_empty() {
        return values.to_vec();
    }
    let last = values.len() - 1;
    let mut weights: Vec<f32> =
        (0..=half).map(|k| 0.5 + 0.5 * cos(std::f32::consts::PI * k as f32 / (half + 1) as f32)).collect();
    let sum: f32 = weights[0] + 2.0 * weights[1..].iter().sum::<f32>();
    weights.iter_mut().for_each(|w| *w /= sum);
    (0..values.len())
        .map(|i| {
            let mut v = values[i] * weights[0];
            for k in 1..=half {
                v += (values[i.saturating_sub(k)] + values[(i + k).min(last)]) * weights[k];
            }
            v
        })
        .collect()
}

/// Returns a smooth curve that never exceeds `values`: the minimum over `half` samples to each side, then [`hann`] over as many.
pub(crate) fn smooth_below(values: &[f32], half: usize) -> Vec<f32> {
    let last = values.len().saturating_sub(1);
    let low: Vec<f32> = (0..values.len())
        .map(|i| values[i.saturating_sub(half)..=(i + half).min(last)].iter().copied().fold(f32::MAX, f32::min))
        .collect();
    hann(&low, half)
}

/// A curve through knots without overshoot: monotone cubic (Fritsch and Carlson 1980), constant outside.
#[derive(Clone, Debug, Default)]
pub(crate) struct Knots {
    times: Vec<f32>,
    values: Vec<f32>,
    slopes: Vec<f32>,
}

impl Knots {
    /// Creates a curve from (time, value) pairs with increasing times; knots whose time does not increase are ignored.
    pub(crate) fn new(knots: impl IntoIterator<Item = (f32, f32)>) -> Self {
        let mut k = Self::default();
        for (t, v) in knots {
            if k.times.last().is_none_or(|last| t > last + 1e-4) {
                k.times.push(t);
                k.values.push(v);
            }
        }
        let n = k.times.len();
        k.slopes = vec![0.0; n];
        for i in 1..n.saturating_sub(1) {
            let (h0, h1) = (k.times[i] - k.times[i - 1], k.times[i + 1] - k.times[i]);
            let (d0, d1) = ((k.values[i] - k.values[i - 1]) / h0, (k.values[i + 1] - k.values[i]) / h1);
            // The weighted harmonic mean keeps the curve between its knots.
            if d0 * d1 > 0.0 {
                let (w0, w1) = (2.0 * h1 + h0, h1 + 2.0 * h0);
                k.slopes[i] = (w0 + w1) / (w0 / d0 + w1 / d1);
            }
        }
        k
    }

    /// Returns the value at `t`; 0 without knots.
    pub(crate) fn at(&self, t: f32) -> f32 {
        let after = self.times.partition_point(|k| *k <= t);
        if after == 0 {
            return self.values.first().copied().unwrap_or(0.0);
        }
        if after == self.times.len() {
            return self.values[after - 1];
        }
        let i = after - 1;
        let h = self.times[i + 1] - self.times[i];
        let u = (t - self.times[i]) / h;
        let (a, b) = (self.values[i], self.values[i + 1]);
        let s = u * u * (3.0 - 2.0 * u);
        let w = 1.0 - u;
        a + (b - a) * s + h * u * w * (w * self.slopes[i] - u * self.slopes[i + 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glide_starts_and_ends_at_rest_and_is_continuous() {
        for run in [0.0, 1.0] {
            assert_eq!((glide(0.0, run), glide(1.0, run)), (0.0, 1.0));
            let n = 1000;
            let speed = |i: usize| (glide((i + 1) as f32 / n as f32, run) - glide(i as f32 / n as f32, run)) * n as f32;
            assert!(speed(0) < 1e-3 && speed(n - 1) < 1e-3);
            for i in 0..n - 1 {
                assert!((speed(i + 1) - speed(i)).abs() < 0.03 && speed(i) < 1.6 && speed(i) >= 0.0);
            }
        }
    }

    #[test]
    fn smoothing_from_below_never_exceeds_the_values() {
        let v: Vec<f32> = (0..100).map(|i| if i % 17 == 3 { 0.2 } else { 1.0 }).collect();
        assert!(smooth_below(&v, 5).iter().zip(&v).all(|(s, v)| *s <= v + 1e-6));
    }

    #[test]
    fn knots_are_met_and_not_overshot() {
        let k = Knots::new([(0.0, 0.0), (1.0, 1.0), (2.0, 1.0), (3.0, -1.0)]);
        for i in 0..=300 {
            let v = k.at(i as f32 * 0.01);
            assert!((-1.0..=1.0).contains(&v));
            if (100..=200).contains(&i) {
                assert!((v - 1.0).abs() < 1e-5);
            }
        }
    }
}
