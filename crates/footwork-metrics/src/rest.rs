//! Long idle periods: a character walks, the stick is released, and there is no input for a minute. Short periods do not show
//! characters that keep changing their pose, and updates that become slower.

use crate::recording::RecordError;
use footwork::input::{Gait, MotionInput, Stick};
use footwork::matcher::{Character, MotionMatcher};
use footwork::math::Transform;
use glam::Vec3;
use std::sync::Arc;
use web_time::Instant;

/// Number of phases of the stride in which the stick is released.
pub const PHASES: usize = 6;
/// Frame rates, per second.
pub const RATES_HZ: [u32; 3] = [30, 60, 144];
/// Length of an idle period, seconds.
pub const REST_S: u32 = 60;
/// Seconds after the release in which transitions are not counted.
pub const SETTLING_S: u32 = 2;
/// Time of the first release, seconds after the start. The others follow within one second.
const WALK_S: f64 = 5.0;

/// Results of one idle period.
#[derive(Clone, Debug, PartialEq)]
pub struct Rest {
    /// Transitions after [`SETTLING_S`].
    pub transitions: u32,
    /// Seconds over which they were counted.
    pub counted_s: u32,
    /// `[seconds of the idle period]` median wall-clock time of an update in each, seconds.
    pub update_s: Vec<f64>,
}

impl Rest {
    /// Returns the transitions per second.
    pub fn transitions_per_s(&self) -> f32 {
        self.transitions as f32 / self.counted_s as f32
    }

    /// Returns the ratio of update times between the slowest and the fastest second.
    pub fn slowdown(&self) -> f64 {
        let (least, most) = self.update_s.iter().fold((f64::INFINITY, 0.0f64), |(a, b), s| (a.min(*s), b.max(*s)));
        most / least
    }
}

/// Walks ahead for 5 s and `phase` sixths of a second, then stays without input for [`REST_S`].
///
/// # Errors
/// Returns [`RecordError`] if the configuration does not fit the database, or the database needs input that a stick cannot give.
pub fn rest(character: &Arc<Character>, phase: usize, rate_hz: u32) -> Result<Rest, RecordError> {
    let mut character = MotionMatcher::of(Arc::clone(character), Transform::IDENTITY)?;
    let dt_s = 1.0 / rate_hz as f32;
    let walk = MotionInput::stick(Stick::towards(Vec3::Z, Gait::Walk));
    let frames = (WALK_S + phase as f64 / PHASES as f64) * f64::from(rate_hz);
    for _ in 0..frames.round() as usize {
        character.update(&walk, dt_s)?;
    }
    let still = MotionInput::stick(Stick { gait: Gait::Walk, ..Stick::default() });
    let mut found = Rest { transitions: 0, counted_s: REST_S - SETTLING_S, update_s: Vec::new() };
    for second in 0..REST_S {
        let mut times_s = Vec::with_capacity(rate_hz as usize);
        for _ in 0..rate_hz {
            let start = Instant::now();
            character.update(&still, dt_s)?;
            times_s.push(start.elapsed().as_secs_f64());
            if second >= SETTLING_S {
                found.transitions += character.output().transitions;
            }
        }
        times_s.sort_by(f64::total_cmp);
        found.update_s.push(times_s[times_s.len() / 2]);
    }
    Ok(found)
}
