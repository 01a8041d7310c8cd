//! Standing still: a character walks, the stick is let go, and nothing is asked of it for a minute. Short rests hide what
//! long ones show: a character that keeps changing its pose, and updates that become slower.

use crate::recording::RecordError;
use footwork::input::{Gait, MotionInput, Stick};
use footwork::matcher::{Character, MotionMatcher};
use footwork::math::Transform;
use glam::Vec3;
use std::sync::Arc;
use web_time::Instant;

/// Phases of the stride in which the stick is let go.
pub const PHASES: usize = 6;
/// Frame rates, per second.
pub const RATES_HZ: [u32; 3] = [30, 60, 144];
/// Length of a rest, seconds.
pub const REST_S: u32 = 60;
/// Seconds after the release in which a character may still come to rest.
pub const SETTLING_S: u32 = 2;
/// The first release, seconds after the start; the others follow within one second.
const WALK_S: f64 = 5.0;

/// What a character did in one rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Rest {
    /// Transitions after [`SETTLING_S`].
    pub transitions: u32,
    /// Seconds over which they were counted.
    pub counted_s: u32,
    /// `[seconds of the rest]` median wall-clock time of an update in each, seconds.
    pub update_s: Vec<f64>,
}

impl Rest {
    /// Transitions per second.
    pub fn transitions_per_s(&self) -> f32 {
        self.transitions as f32 / self.counted_s as f32
    }

    /// How much longer updates take in the slowest second than in the fastest.
    pub fn slowdown(&self) -> f64 {
        let (least, most) = self.update_s.iter().fold((f64::INFINITY, 0.0f64), |(a, b), s| (a.min(*s), b.max(*s)));
        most / least
    }
}

/// Walks ahead for 5 s and `phase` sixths of a second, then rests for [`REST_S`].
///
/// # Errors
/// A configuration that does not fit the database, or a database whose input a stick cannot give.
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
