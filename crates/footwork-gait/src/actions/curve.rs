//! Curves of a body's position: cubic splines through keys, which represent a flight exactly as a parabola.

/// A value at a time, and optionally its rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Key {
    pub t: f32,
    pub value: f32,
    pub rate: Option<f32>,
}

/// Returns a key with a free rate, chosen for smoothness.
pub(crate) fn through(t: f32, value: f32) -> Key {
    Key { t, value, rate: None }
}

/// Returns a key with a given rate (per second).
pub(crate) fn at_rate(t: f32, value: f32, rate: f32) -> Key {
    Key { t, value, rate: Some(rate) }
}

/// A cubic spline: continuous in its second derivative except at keys whose rate is given.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Curve {
    /// (time, value, rate)
    keys: Vec<(f32, f32, f32)>,
}

impl Curve {
    /// Creates a curve through keys with increasing times. Free rates of the first and the last key are 0.
    pub(crate) fn new(keys: &[Key]) -> Self {
        let last = keys.len() - 1;
        let mut rates: Vec<Option<f32>> = keys.iter().map(|k| k.rate).collect();
        rates[0].get_or_insert(0.0);
        rates[last].get_or_insert(0.0);
        let mut from = 0;
        while from < last {
            let to = (from + 1..=last).find(|k| rates[*k].is_some()).unwrap_or(last);
            spline(&keys[from..=to], &mut rates[from..=to]);
            from = to;
        }
        Self { keys: keys.iter().zip(rates).map(|(k, rate)| (k.t, k.value, rate.unwrap_or(0.0))).collect() }
    }

    /// Returns the value at a time; beyond its ends the curve is linear.
    pub(crate) fn at(&self, t: f32) -> f32 {
        let (first, last) = (self.keys[0], self.keys[self.keys.len() - 1]);
        if t <= first.0 {
            return first.1 + first.2 * (t - first.0);
        }
        if t >= last.0 {
            return last.1 + last.2 * (t - last.0);
        }
        let k = self.keys.partition_point(|k| k.0 <= t).clamp(1, self.keys.len() - 1);
        let (a, b) = (self.keys[k - 1], self.keys[k]);
        let h = b.0 - a.0;
        let (u, w) = ((t - a.0) / h, (b.0 - t) / h);
        let s = u * u * (3.0 - 2.0 * u);
        a.1 + (b.1 - a.1) * s + h * u * w * (a.2 * w - b.2 * u)
    }
}

/// Fills in the rates between two given ones: those of a clamped cubic spline.
fn spline(keys: &[Key], rates: &mut [Option<f32>]) {
    let n = keys.len();
    if n < 3 {
        return;
    }
    let (Some(first), Some(last)) = (rates[0], rates[n - 1]) else { return };
    // A tridiagonal system: (factor of the next rate, right side), row by row, then back.
    let mut rows = vec![(0.0, first)];
    for i in 1..n - 1 {
        let (before, after) = (keys[i].t - keys[i - 1].t, keys[i + 1].t - keys[i].t);
        let rise = (keys[i].value - keys[i - 1].value) / (before * before)
            + (keys[i + 1].value - keys[i].value) / (after * after);
        let (c, d) = rows[i - 1];
        let pivot = 2.0 / before + 2.0 / after - c / before;
        rows.push((1.0 / after / pivot, (3.0 * rise - d / before) / pivot));
    }
    let mut next = last;
    for i in (1..n - 1).rev() {
        next = rows[i].1 - rows[i].0 * next;
        rates[i] = Some(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flight_is_a_parabola() {
        let curve = Curve::new(&[through(-1.0, 0.9), at_rate(0.0, 1.0, 2.0), at_rate(0.5, 2.0 - 1.22625, -2.905)]);
        for k in 0..=50 {
            let t = k as f32 * 0.01;
            assert!((curve.at(t) - (1.0 + 2.0 * t - 4.905 * t * t)).abs() < 1e-5, "{t}");
        }
    }

    #[test]
    fn keys_are_met_and_passed_smoothly() {
        let curve = Curve::new(&[at_rate(0.0, 0.0, 1.0), through(0.4, 0.5), through(1.0, 0.2), through(1.3, 0.3)]);
        for (t, v) in [(0.0, 0.0), (0.4, 0.5), (1.0, 0.2), (1.3, 0.3)] {
            assert!((curve.at(t) - v).abs() < 1e-6);
        }
        let h = 0.01;
        for t in [0.4, 1.0] {
            let bend = |t: f32| (curve.at(t + h) - 2.0 * curve.at(t) + curve.at(t - h)) / (h * h);
            assert!((bend(t + 2.0 * h) - bend(t - 2.0 * h)).abs() < 0.5, "{t}");
        }
    }
}
