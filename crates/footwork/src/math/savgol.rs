//! Savitzky-Golay smoothing: a least-squares polynomial through a sliding window, evaluated at its centre.
//!
//! Source: Savitzky and Golay, "Smoothing and Differentiation of Data" (1964). Near the ends the polynomial of the
//! first (last) full window is evaluated off centre; loops wrap instead.

/// Smooths `values` with a polynomial of `order` over `window` samples (made odd; limited to the data; data too short for the
/// order are returned unchanged). `wrap` continues the data periodically.
pub fn smooth(values: &[f64], window: usize, order: usize, wrap: bool) -> Vec<f64> {
    let n = values.len();
    let fits = if n % 2 == 1 { n } else { n.saturating_sub(1) };
    let window = (window | 1).min(fits);
    if window <= order + 1 {
        return values.to_vec();
    }
    let half = window / 2;
    // weights[k]: row k evaluates the window's polynomial at its k-th sample.
    let weights: Vec<Vec<f64>> = (0..window).map(|k| fit_weights(half, order, k as f64 - half as f64)).collect();
    (0..n)
        .map(|i| {
            let (start, at) = if wrap {
                (i as isize - half as isize, half)
            } else {
                let start = i.saturating_sub(half).min(n - window);
                (start as isize, i - start)
            };
            let mut sum = 0.0;
            for (k, w) in weights[at].iter().enumerate() {
                let j = (start + k as isize).rem_euclid(n as isize) as usize;
                sum += w * values[j];
            }
            sum
        })
        .collect()
}

/// Returns weights w such that sum(w[k] * y[k]) is the value at `at` of the polynomial fitted to y at -half..=half.
///
/// Built from discrete orthogonal (Gram) polynomials, which stay accurate for any window.
fn fit_weights(half: usize, order: usize, at: f64) -> Vec<f64> {
    let xs: Vec<f64> = (0..=2 * half).map(|k| k as f64 - half as f64).collect();
    let mut weights = vec![0.0; xs.len()];
    let mut previous = vec![0.0; xs.len()];
    let mut current = vec![1.0; xs.len()];
    let (mut previous_at, mut current_at) = (0.0, 1.0);
    let mut previous_norm = 1.0;
    for degree in 0..=order {
        let norm: f64 = current.iter().map(|p| p * p).sum();
        for (w, p) in weights.iter_mut().zip(&current) {
            *w += p * current_at / norm;
        }
        // Three-term recurrence; symmetric samples make the middle coefficient vanish.
        let back = if degree == 0 { 0.0 } else { norm / previous_norm };
        let next: Vec<f64> = xs.iter().zip(current.iter().zip(&previous)).map(|(x, (c, p))| x * c - back * p).collect();
        let next_at = at * current_at - back * previous_at;
        previous = std::mem::replace(&mut current, next);
        previous_at = std::mem::replace(&mut current_at, next_at);
        previous_norm = norm;
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_passes_unchanged_ends_included() {
        let y: Vec<f64> =
            (0..60).map(|i| f64::from(i) * 0.1).map(|x| 1.0 - 2.0 * x + 0.3 * x * x - 0.05 * x * x * x).collect();
        for (a, b) in smooth(&y, 31, 3, false).iter().zip(&y) {
            assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
    }

    #[test]
    fn noise_shrinks() {
        let y: Vec<f64> = (0..200).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        assert!(smooth(&y, 31, 3, false)[50..150].iter().all(|v| v.abs() < 0.1));
    }

    #[test]
    fn the_five_point_weights_are_the_published_ones() {
        let w = fit_weights(2, 2, 0.0);
        for (a, b) in w.iter().zip([-3.0, 12.0, 17.0, 12.0, -3.0]) {
            assert!((a - b / 35.0).abs() < 1e-12);
        }
    }

    #[test]
    fn short_data_are_left_alone_and_loops_wrap() {
        assert_eq!(smooth(&[1.0, 5.0, 2.0], 31, 3, false), vec![1.0, 5.0, 2.0]);
        assert_eq!(smooth(&[], 31, 3, false), Vec::<f64>::new());
        let constant = vec![2.0; 40];
        assert!(smooth(&constant, 31, 3, true).iter().all(|v| (v - 2.0).abs() < 1e-12));
    }
}
