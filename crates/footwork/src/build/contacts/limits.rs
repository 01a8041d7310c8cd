//! Limits of contacts, and the runs of frames in which they hold.

use crate::build::config::ContactConfig;
use crate::math::GRAVITY_MPS2;

/// Maximum speed of a planted foot of a standing body, in units of the speed of a pendulum as long as its leg: 0.15 m/s for
/// a person.
const STANDS: f32 = 0.052;
/// Maximum height of a joint in contact, in leg lengths: 0.12 m for a person.
const LOW: f32 = 0.13;
/// Limits of speed and height for one body.
pub struct Limits {
    pub speed_mps: f32,
    pub travel_share: f32,
    pub height_m: f32,
    pub window_s: f32,
}

impl Limits {
    pub fn new(config: &ContactConfig, leg_m: f32) -> Self {
        Self {
            speed_mps: config.speed_mps.unwrap_or(STANDS * (GRAVITY_MPS2 * leg_m).sqrt()),
            travel_share: config.travel_share,
            height_m: config.height_m.unwrap_or(LOW * leg_m),
            window_s: config.window_s,
        }
    }

    /// Closes gaps up to the length of the window, then removes contacts up to half of it.
    pub fn tidy(&self, on: &mut [bool], rate_hz: f32) {
        for (value, seconds) in [(false, self.window_s), (true, 0.5 * self.window_s)] {
            let short = (seconds * rate_hz).round() as usize;
            for (start, end) in runs(on, value).collect::<Vec<_>>() {
                if start > 0 && end < on.len() && end - start <= short {
                    on[start..end].fill(!value);
                }
            }
        }
    }
}

/// Returns the runs `start..end` of one value.
pub fn runs(values: &[bool], value: bool) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut f = 0;
    std::iter::from_fn(move || {
        let start = (f..values.len()).find(|i| values[*i] == value)?;
        f = (start..values.len()).find(|i| values[*i] != value).unwrap_or(values.len());
        Some((start, f))
    })
}
