//! A stick that moves at random.

use super::stick::{gait, towards};
use crate::RATE_HZ;
use footwork::advanced::math::Random;
use footwork::input::Stick;
use footwork::math::Facing;
use glam::Vec2;

/// Random segments of 0.5 to 2 s: a third idle, a third walking, a third running, in any direction; a fifth of them strafing.
#[derive(Clone, Debug)]
pub struct RandomStick {
    random: Random,
    now: Stick,
    /// First row of the next segment.
    until: usize,
}

impl RandomStick {
    /// Starts the stick of a seed. The same seed gives the same stick.
    pub fn new(seed: u64) -> Self {
        Self { random: Random(seed), now: Stick::default(), until: 0 }
    }

    /// Returns the stick at a time, in seconds. Times must not decrease.
    pub fn at(&mut self, time_s: f32) -> Stick {
        // The last row that has begun, with a tolerance for rounding.
        self.at_row((time_s * RATE_HZ + 0.01) as usize)
    }

    /// Returns the stick of a row. Rows must not decrease.
    pub fn at_row(&mut self, row: usize) -> Stick {
        while row >= self.until {
            let [length, speed, direction, strafe, look] = std::array::from_fn(|_| self.random.unit_f64());
            self.until += ((0.5 + 1.5 * length) * f64::from(RATE_HZ)).round() as usize;
            let speed = (speed * 3.0) as u32;
            let gait = gait(speed != 2);
            let full = towards((direction * std::f64::consts::TAU) as f32, gait);
            self.now = if speed == 0 { Stick { gait, ..Stick::default() } } else { full };
            if strafe < 0.2 {
                let look = Facing::from_yaw((look * std::f64::consts::TAU) as f32);
                (self.now.strafe, self.now.look) = (true, Vec2::new(-look.x, look.z));
            }
        }
        self.now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_stick_at_any_frame_rate() {
        let at = |hz: usize| {
            let mut s = RandomStick::new(7);
            (0..20 * hz)
                .map(|i| (i, s.at(i as f32 / hz as f32)))
                .filter(|(i, _)| i % (hz / 30) == 0)
                .map(|(_, s)| s)
                .collect::<Vec<_>>()
        };
        assert_eq!(at(30), at(60));
        assert_ne!(RandomStick::new(8).at(0.0), RandomStick::new(7).at(0.0));
    }
}
