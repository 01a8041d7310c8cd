//! The obstacles of an input.

use super::around::Around;
use super::config::ObstacleConfig;
use super::obstacle::Obstacle;

/// Obstacles around a character; see [`MotionInput::obstacles`](crate::input::MotionInput::obstacles).
#[derive(Clone, Copy, Debug, Default)]
pub struct Obstacles<'a> {
    all: &'a [Obstacle],
    /// Time of the character at which they are at their positions, in seconds. An update sets it.
    at_s: f64,
}

impl<'a> Obstacles<'a> {
    /// Maximum number of obstacles of a character: pass those near it.
    pub const MOST: usize = 32;

    /// Returns a list of obstacles, as they are at the end of the update.
    pub fn new(all: &'a [Obstacle]) -> Self {
        Self { all, at_s: 0.0 }
    }

    /// Returns the obstacles.
    pub fn all(&self) -> &'a [Obstacle] {
        self.all
    }

    /// Returns the same obstacles, which are at their positions at a time of the character, in seconds.
    pub(crate) fn at(self, at_s: f64) -> Self {
        Self { at_s, ..self }
    }

    /// Returns the surroundings of a body at a time of the character, in seconds. `feet_m`: height of the ground under it, world, in
    /// metres. `None` without obstacles.
    pub(crate) fn around(self, config: &'a ObstacleConfig, time_s: f64, feet_m: f32) -> Option<Around<'a>> {
        let around = Around { all: self.all, after_s: (time_s - self.at_s) as f32, feet_m, config };
        (!self.all.is_empty()).then_some(around)
    }
}

impl<'a> From<&'a [Obstacle]> for Obstacles<'a> {
    fn from(all: &'a [Obstacle]) -> Self {
        Self::new(all)
    }
}
