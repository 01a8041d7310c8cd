//! Tests of `source`.

use super::*;

fn at(values: [f32; CODES], alpha: f32) -> (f32, f32) {
    let (value, rate) = spline(alpha);
    let sum = |weights: [f32; CODES]| weights.iter().zip(values).map(|(w, v)| w * v).sum::<f32>();
    (sum(value), sum(rate))
}

#[test]
fn interpolation_meets_its_values_and_keeps_straight_lines() {
    assert_eq!(spline(0.0).0, [0.0, 1.0, 0.0, 0.0]);
    assert_eq!(spline(1.0).0, [0.0, 0.0, 1.0, 0.0]);
    for alpha in [-1.0, -0.4, 0.0, 0.3, 1.0, 1.7, 2.0] {
        let (value, rate) = at([1.0, 3.0, 5.0, 7.0], alpha);
        assert!((value - (3.0 + 2.0 * alpha)).abs() < 1e-5 && (rate - 2.0).abs() < 1e-5, "{alpha}: {value} {rate}");
    }
}

#[test]
fn interpolation_has_no_kinks_where_segments_meet() {
    // The values of the next segment are shifted by one.
    let values = [0.0, 1.0, -2.0, 4.0, 3.0];
    let [a, b, c, d, e] = values;
    let (before, after) = (at([a, b, c, d], 1.0), at([b, c, d, e], 0.0));
    assert!((before.0 - after.0).abs() < 1e-5 && (before.1 - after.1).abs() < 1e-5, "{before:?} {after:?}");
    // The rate is the derivative of the value.
    let (low, high) = (at([a, b, c, d], 0.499).0, at([a, b, c, d], 0.501).0);
    assert!(((high - low) / 0.002 - at([a, b, c, d], 0.5).1).abs() < 0.01);
}
