//! Finds the rate of keys, as the format only has times.

/// Rates that cameras, engines and exporters use, most likely first. Keys that fit several rates get the first.
pub(super) const RATES_HZ: [f64; 11] = [30.0, 24.0, 25.0, 60.0, 48.0, 50.0, 90.0, 100.0, 120.0, 144.0, 240.0];
/// Maximum distance of a key from a frame, as a share of a frame.
const ON_FRAME: f64 = 0.05;
/// Minimum share of keys that must be on frames.
const ENOUGH: f64 = 0.98;
/// Valid rates from the usual spacing of keys, in Hz.
const RANGE_HZ: std::ops::RangeInclusive<f64> = 1.0..=1000.0;
/// Keys with a smaller spacing than this, in seconds, get 60 Hz.
const DENSE_S: f64 = 1.0 / 45.0;

/// Returns the rate of a take, from the `[tracks]` times of its keys; `None` without keys.
///
/// It is the first of [`RATES_HZ`] on whose frames nearly all keys lie, counted from the first key. If none fits, it is one
/// over the usual spacing if keys are evenly spaced, or else 60 Hz for dense keys and 30 Hz for others.
pub(super) fn rate_hz<'a>(tracks: impl Iterator<Item = &'a [f32]> + Clone) -> Option<f64> {
    let start = tracks.clone().map(|t| t[0]).fold(f32::INFINITY, f32::min);
    // The longest track is used, as exporters key all joints together.
    let times = tracks.max_by_key(|t| t.len())?;
    let fits = |rate: f64| {
        let on = |t: &&f32| {
            let frame = (f64::from(**t) - f64::from(start)) * rate;
            (frame - frame.round()).abs() < ON_FRAME
        };
        times.iter().filter(on).count() as f64 >= ENOUGH * times.len() as f64
    };
    if let Some(rate) = RATES_HZ.into_iter().find(|r| fits(*r)) {
        return Some(rate);
    }
    let mut spacings: Vec<f64> = times.windows(2).map(|w| f64::from(w[1]) - f64::from(w[0])).collect();
    spacings.sort_by(f64::total_cmp);
    let usual_s = spacings.get(spacings.len() / 2).copied().unwrap_or(0.0);
    let own = 1.0 / usual_s;
    if RANGE_HZ.contains(&own) && fits(own) {
        return Some(own);
    }
    Some(if usual_s < DENSE_S { 60.0 } else { RATES_HZ[0] })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(times: impl Iterator<Item = f64>) -> f64 {
        let times: Vec<f32> = times.map(|t| t as f32).collect();
        rate_hz([times.as_slice()].into_iter()).unwrap()
    }

    #[test]
    fn keys_on_every_frame_tell_the_rate() {
        for hz in RATES_HZ {
            assert_eq!(rate((0..500).map(|i| i as f64 / hz)), hz);
            // Blender writes keys from its frame 1 on.
            assert_eq!(rate((1..500).map(|i| i as f64 / hz)), hz);
        }
    }

    #[test]
    fn keys_on_some_frames_still_lie_on_frames() {
        assert_eq!(rate([0.0, 7.0, 11.0, 40.0].into_iter().map(|f| f / 24.0)), 24.0);
        assert_eq!(rate([0.0, 1.0].into_iter()), 30.0);
        assert_eq!(rate([3.0].into_iter()), 30.0);
    }

    #[test]
    fn odd_rates_are_taken_where_keys_are_even_and_guessed_where_not() {
        for hz in [72.5, 29.97, 59.94] {
            assert!((rate((0..200).map(|i| f64::from(i) / hz)) - hz).abs() < 0.01, "{hz}");
        }
        let odd = |i: i32| f64::from(i) + 0.31 * f64::from(i * i % 7);
        assert_eq!(rate((0..50).map(|i| odd(i) * 0.11)), 30.0);
        assert_eq!(rate((0..50).map(|i| odd(i) * 0.0041)), 60.0);
        assert_eq!(rate_hz(std::iter::empty()), None);
    }
}
