//! Goals: the angle to the commanded facing, in bins around the circle, by the commanded speed: none, walk, run.

use crate::math::Facing;
use std::f32::consts::TAU;

/// Number of bins of the angle: 20 degrees each, the first straight ahead, then to the left.
pub(super) const TURNS: usize = 18;
/// Number of commanded speeds.
pub(super) const SPEEDS: usize = 3;
/// Number of goals: all angles of the first speed, then those of the next.
pub(super) const BINS: usize = TURNS * SPEEDS;

/// A command relative to a root. The commanded velocity lies along the commanded facing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ahead {
    /// Angle to the commanded facing, radians, positive to the left.
    pub turn_rad: f32,
    /// Commanded speed, m/s, 0 or more.
    pub speed_mps: f32,
}

/// The speeds of the goals.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Grid {
    /// Ascending, m/s.
    speeds_mps: [f32; SPEEDS],
}

impl Grid {
    /// Creates a grid with speed 0 and two speeds in any order.
    pub fn new(speeds_mps: [f32; 2]) -> Self {
        let [a, b] = speeds_mps;
        Self { speeds_mps: [0.0, a.min(b), a.max(b)] }
    }

    /// Returns the goal in the middle of a bin.
    pub fn goal(&self, bin: usize) -> (Facing, f32) {
        let turn = (bin % TURNS) as f32 * (TAU / TURNS as f32);
        (Facing::from_yaw(turn), self.speeds_mps[bin / TURNS])
    }

    /// Returns the four bins around a goal and their shares, which sum to 1.
    pub fn at(&self, ahead: Ahead) -> [(usize, f32); 4] {
        let turn = Between::of_turn(ahead.turn_rad);
        let [_, walk, run] = self.speeds_mps;
        let above = usize::from(ahead.speed_mps > walk);
        let (low, high) = if above == 1 { (walk, run) } else { (0.0, walk) };
        let faster = if high > low { ((ahead.speed_mps - low) / (high - low)).clamp(0.0, 1.0) } else { 1.0 };
        let (slow, fast) = (above * TURNS, (above + 1) * TURNS);
        [
            (slow + turn.low, (1.0 - faster) * (1.0 - turn.share)),
            (slow + turn.high, (1.0 - faster) * turn.share),
            (fast + turn.low, faster * (1.0 - turn.share)),
            (fast + turn.high, faster * turn.share),
        ]
    }
}

/// Two neighbouring bins of the angle, and the share of the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Between {
    pub low: usize,
    pub high: usize,
    pub share: f32,
}

impl Between {
    /// Returns the bins around an angle.
    pub fn of_turn(rad: f32) -> Self {
        let bins = rad * (TURNS as f32 / TAU);
        let floor = bins.floor();
        let low = (floor as i64).rem_euclid(TURNS as i64) as usize;
        Self { low, high: (low + 1) % TURNS, share: bins - floor }
    }
}

/// Returns the bin of the mirror image of a goal.
pub(super) fn mirrored(bin: usize) -> usize {
    let (speed, turn) = (bin / TURNS, bin % TURNS);
    speed * TURNS + (TURNS - turn) % TURNS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_lies_between_its_neighbours() {
        let grid = Grid::new([4.0, 1.0]);
        let of = |turn_rad: f32, speed_mps| {
            let all = grid.at(Ahead { turn_rad, speed_mps });
            assert!((all.iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-6);
            let most = all.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0;
            (most / TURNS, most % TURNS)
        };
        assert_eq!(of(0.0, 0.0), (0, 0));
        assert_eq!(of(0.0, 1.0), (1, 0));
        assert_eq!(of(TAU / 36.0 * 2.1, 9.0), (2, 1));
        assert_eq!(of(-TAU / 18.0, 3.9), (2, 17));
        assert_eq!(of(7.0 * TAU, 0.1), (0, 0));
        for bin in 0..BINS {
            let (facing, speed_mps) = grid.goal(bin);
            assert_eq!(of(facing.yaw(), speed_mps), (bin / TURNS, bin % TURNS), "{bin}");
            assert_eq!(mirrored(mirrored(bin)), bin);
            assert_eq!(of(-facing.yaw(), speed_mps), (mirrored(bin) / TURNS, mirrored(bin) % TURNS));
        }
    }

    #[test]
    fn where_there_is_no_run_the_walk_stands_for_it() {
        let grid = Grid::new([1.5, 1.5]);
        let share: f32 = grid.at(Ahead { turn_rad: 0.0, speed_mps: 3.0 }).iter().map(|(_, s)| s).sum();
        assert_eq!(share, 1.0);
    }
}
