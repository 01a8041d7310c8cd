//! Critically damped springs in closed form: exact for any `dt_s`, so results do not depend on the frame rate.
//!
//! Source: D. Holden, "Spring-It-On: The Game Developer's Spring-Roll-Call" (2021), equations for the critical case.
//! The stiffness is given as a half-life in seconds: the time in which the distance to the goal halves (roughly, for the
//! spring; exactly, for [`damp`]).

use super::exp;
use bytemuck::{Pod, Zeroable};
use glam::Vec3;

const LN_2: f32 = std::f32::consts::LN_2;
/// Minimum half-life; shorter ones count as this one, which avoids a division by zero.
const MIN_HALF_LIFE_S: f32 = 1e-5;

/// Returns half the damping of the critical spring with this half-life, 1/s.
fn decay_rate(half_life_s: f32) -> f32 {
    2.0 * LN_2 / half_life_s.max(MIN_HALF_LIFE_S)
}

/// Returns the share of a distance removed by exponential decay over `dt_s`: 0 at the start, 0.5 after a half-life.
pub fn damp(half_life_s: f32, dt_s: f32) -> f32 {
    1.0 - exp(-LN_2 * dt_s / half_life_s.max(MIN_HALF_LIFE_S))
}

/// Values that a spring can move.
pub trait Springy:
    Copy + std::ops::Add<Output = Self> + std::ops::Sub<Output = Self> + std::ops::Mul<f32, Output = Self>
{
}
impl Springy for f32 {}
impl Springy for Vec3 {}
impl Springy for super::four::Vectors {}

/// Decay over a time, shared by all offsets that decay for this time.
#[derive(Clone, Copy, Debug)]
pub struct Decay {
    /// Half the damping, 1/s.
    rate: f32,
    /// Time, seconds.
    t_s: f32,
    /// Remaining share of an exponential decay.
    left: f32,
}

impl Decay {
    /// Creates the decay over `t_s` seconds with this half-life.
    pub fn new(half_life_s: f32, t_s: f32) -> Self {
        let rate = decay_rate(half_life_s);
        Self { rate, t_s, left: exp(-rate * t_s) }
    }

    /// Returns (offset, velocity) of an offset that was `x0` with velocity `v0` and decays to zero, critically damped.
    #[inline]
    pub fn of<T: Springy>(&self, x0: T, v0: T) -> (T, T) {
        let j1 = v0 + x0 * self.rate;
        ((x0 + j1 * self.t_s) * self.left, (v0 - j1 * (self.rate * self.t_s)) * self.left)
    }

    /// Returns the acceleration of such an offset.
    #[inline]
    pub fn acceleration<T: Springy>(&self, x: T, v: T) -> T {
        (v * (2.0 * self.rate) + x * (self.rate * self.rate)) * -1.0
    }

    /// Returns an offset that decays with continuous value, velocity and acceleration: three equal poles. The half-life is that
    /// of the slowest decay; an offset at rest takes 1.5 times as long.
    #[inline]
    pub fn smooth<T: Springy>(&self, [x0, v0, a0]: [T; 3]) -> [T; 3] {
        let Self { rate: y, t_s, left: e } = *self;
        let c1 = v0 + x0 * y;
        let c2 = (a0 + v0 * (2.0 * y) + x0 * (y * y)) * 0.5;
        // p e^(-y t) with p = x0 + c1 t + c2 t^2.
        let p = x0 + c1 * t_s + c2 * (t_s * t_s);
        let dp = c1 + c2 * (2.0 * t_s);
        [p * e, (dp - p * y) * e, (c2 * 2.0 - dp * (2.0 * y) + p * (y * y)) * e]
    }
}

/// Returns (offset, velocity) `t_s` seconds after an offset was `x0` with velocity `v0`; it decays to zero.
pub fn decay<T: Springy>(x0: T, v0: T, half_life_s: f32, t_s: f32) -> (T, T) {
    Decay::new(half_life_s, t_s).of(x0, v0)
}

/// Returns the displacement in which a spring of this half-life stops a motion at `velocity` without overshooting: if it
/// starts this far before its goal, [`decay`] is a plain exponential.
pub fn way_to_rest<T: Springy>(velocity: T, half_life_s: f32) -> T {
    velocity * (1.0 / decay_rate(half_life_s))
}

/// Returns (position, velocity) after `dt_s` of a position pulled towards a fixed `goal`.
pub fn to_goal<T: Springy>(x: T, v: T, goal: T, half_life_s: f32, dt_s: f32) -> (T, T) {
    let (offset, velocity) = decay(x - goal, v, half_life_s, dt_s);
    (goal + offset, velocity)
}

/// Returns (position, velocity, acceleration) after `dt_s` of a character whose velocity is pulled towards `goal_velocity`.
///
/// Exact for a constant goal: two steps of `dt_s / 2` equal one of `dt_s`.
pub fn to_velocity<T: Springy>(x: T, v: T, a: T, goal_velocity: T, half_life_s: f32, dt_s: f32) -> (T, T, T) {
    let y = decay_rate(half_life_s);
    let j0 = v - goal_velocity;
    let j1 = a + j0 * y;
    let e = exp(-y * dt_s);
    // The integral of (j0 + j1 t) e^(-y t) from 0 to dt, plus the displacement at the goal's velocity.
    let way = (j0 * (1.0 / y) + j1 * (1.0 / (y * y))) * (1.0 - e) - j1 * (dt_s / y * e);
    (x + way + goal_velocity * dt_s, goal_velocity + (j0 + j1 * dt_s) * e, (a - j1 * (y * dt_s)) * e)
}

/// A number on a critically damped spring: state of a pose adjustment. All zeros is at rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Spring {
    /// Current value.
    pub value: f32,
    /// Velocity, per second.
    pub velocity: f32,
}

impl Spring {
    /// Creates a spring at rest.
    pub fn at(value: f32) -> Self {
        Self { value, velocity: 0.0 }
    }

    /// Pulls the value towards `goal` for `dt_s` seconds: exact for a fixed goal.
    pub fn to(&mut self, goal: f32, half_life_s: f32, dt_s: f32) {
        (self.value, self.velocity) = to_goal(self.value, self.velocity, goal, half_life_s, dt_s);
    }

    /// Returns the time until a value that moves away from a fixed `goal` turns back, seconds; `None` if it does not move away.
    pub fn rests_after_s(&self, goal: f32, half_life_s: f32) -> Option<f32> {
        let (away, rate) = (self.value - goal, decay_rate(half_life_s));
        let moves_away = self.velocity * away.signum() > 0.0;
        moves_away.then(|| self.velocity / ((self.velocity + away * rate) * rate))
    }

    /// Pulls the value towards a goal that moves at constant velocity and is at `goal` after `dt_s` seconds.
    pub fn follow_moving(&mut self, goal: f32, goal_velocity: f32, half_life_s: f32, dt_s: f32) {
        let before = goal - goal_velocity * dt_s;
        let (offset, rate) = decay(self.value - before, self.velocity - goal_velocity, half_life_s, dt_s);
        (self.value, self.velocity) = (goal + offset, goal_velocity + rate);
    }
}

/// A number that follows a moving goal: without lag behind a continuous goal, and smoothly after a jump of the goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Follower {
    /// Current value and velocity.
    pub spring: Spring,
    /// Last goal.
    pub goal: f32,
}

impl Follower {
    /// Creates a follower at its goal, at rest.
    pub fn at(value: f32) -> Self {
        Self { spring: Spring::at(value), goal: value }
    }

    /// Follows `goal`, which was reached in `dt_s` seconds: exact for constant velocity. A goal faster than `fastest` (per
    /// second) counts as a jump.
    pub fn follow(&mut self, goal: f32, fastest: f32, half_life_s: f32, dt_s: f32) {
        if dt_s <= 0.0 {
            return;
        }
        let moved = goal - self.goal;
        let goal_velocity = if moved.abs() <= fastest * dt_s { moved / dt_s } else { 0.0 };
        self.spring.follow_moving(goal, goal_velocity, half_life_s, dt_s);
        self.goal = goal;
    }

    /// Moves the value and its goal.
    pub fn shift(&mut self, by: f32) {
        self.spring.value += by;
        self.goal += by;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gliding_goal_is_followed_without_lag_and_a_jump_without_a_step() {
        let run = |rate_hz: u32| {
            let (mut f, dt) = (Follower::at(0.0), 1.0 / rate_hz as f32);
            for k in 1..=rate_hz {
                f.follow(0.5 * k as f32 * dt, 2.0, 0.1, dt);
            }
            assert!((f.spring.value - 0.5).abs() < 2e-3, "{rate_hz}: {}", f.spring.value);
            let before = f.spring;
            f.follow(1.5, 2.0, 0.1, 1e-3);
            assert!((f.spring.value - before.value).abs() < 2e-3 && (f.spring.velocity - 0.5).abs() < 0.25);
            for _ in 0..rate_hz / 10 {
                f.follow(1.5, 2.0, 0.1, dt);
            }
            f.spring.value
        };
        // Only the duration of the first step at the new goal depends on the rate.
        for rate_hz in [60, 120] {
            assert!((run(30) - run(rate_hz)).abs() < 5e-3, "{} {}", run(30), run(rate_hz));
        }
    }

    #[test]
    fn half_of_a_distance_is_gone_after_a_half_life() {
        assert!((damp(0.2, 0.2) - 0.5).abs() < 1e-6);
        assert_eq!(damp(0.2, 0.0), 0.0);
        assert!(damp(0.0, 0.01) > 0.999);
    }

    #[test]
    fn springs_do_not_care_how_time_is_cut() {
        let (mut x, mut v, mut a) = (0.3f32, -1.0f32, 2.0f32);
        let whole = to_velocity(x, v, a, 1.5, 0.27, 0.5);
        for _ in 0..50 {
            (x, v, a) = to_velocity(x, v, a, 1.5, 0.27, 0.01);
        }
        assert!((x - whole.0).abs() < 1e-5 && (v - whole.1).abs() < 1e-5 && (a - whole.2).abs() < 1e-4);

        let (mut x, mut v) = (0.3f32, -1.0f32);
        let whole = to_goal(x, v, 2.0, 0.1, 0.3);
        for _ in 0..30 {
            (x, v) = to_goal(x, v, 2.0, 0.1, 0.01);
        }
        assert!((x - whole.0).abs() < 1e-5 && (v - whole.1).abs() < 1e-4);
    }

    #[test]
    fn the_smooth_spring_starts_as_asked_and_its_derivatives_are_its_own() {
        let start = [0.3f32, -1.0, 5.0];
        let decay_smooth = |start: [f32; 3], half_life_s, t_s| Decay::new(half_life_s, t_s).smooth(start);
        let now = decay_smooth(start, 0.1, 0.0);
        assert!(start.iter().zip(now).all(|(a, b)| (a - b).abs() < 1e-5));
        let whole = decay_smooth(start, 0.1, 0.3);
        let mut cut = start;
        for _ in 0..30 {
            cut = decay_smooth(cut, 0.1, 0.01);
        }
        assert!(whole.iter().zip(cut).all(|(a, b)| (a - b).abs() < 2e-3), "{whole:?} {cut:?}");
        let (a, b) = (decay_smooth(start, 0.1, 0.1), decay_smooth(start, 0.1, 0.101));
        assert!(((b[0] - a[0]) / 1e-3 - a[1]).abs() < 2e-2 && ((b[1] - a[1]) / 1e-3 - a[2]).abs() < 0.3);
    }

    #[test]
    fn what_comes_to_rest_never_turns_back() {
        let way = way_to_rest(2.0f32, 0.05);
        let mut before = -way;
        for k in 1..100 {
            let (x, v) = decay(-way, 2.0, 0.05, k as f32 * 0.005);
            assert!(x >= before && v >= 0.0 && x <= 0.0);
            before = x;
        }
    }

    #[test]
    fn the_velocity_spring_moves_by_the_integral_of_its_velocity() {
        let (x, ..) = to_velocity(0.0f64 as f32, 0.5, 0.0, 4.0, 0.27, 1.0);
        let n = 20_000;
        let mut sum = 0.0f64;
        for i in 0..n {
            let t = (i as f32 + 0.5) / n as f32;
            sum += f64::from(to_velocity(0.0, 0.5, 0.0, 4.0, 0.27, t).1) / f64::from(n);
        }
        assert!((f64::from(x) - sum).abs() < 1e-4, "{x} {sum}");
    }

    #[test]
    fn a_spring_turns_back_when_it_says() {
        for (value, velocity) in [(0.3, 1.2), (-0.3, -1.2), (0.0, 0.5)] {
            let mut spring = Spring { value, velocity };
            let rests_s = spring.rests_after_s(0.0, 0.1).unwrap();
            spring.to(0.0, 0.1, rests_s);
            assert!(spring.velocity.abs() < 1e-5 && rests_s > 0.0, "{spring:?} after {rests_s} s");
        }
        assert_eq!(Spring { value: 0.3, velocity: -1.0 }.rests_after_s(0.0, 0.1), None);
        assert_eq!(Spring::at(0.3).rests_after_s(0.0, 0.1), None);
    }

    #[test]
    fn a_goal_is_reached() {
        let (x, v) = to_goal(Vec3::ZERO, Vec3::ZERO, Vec3::ONE, 0.1, 3.0);
        assert!((x - Vec3::ONE).length() < 1e-5 && v.length() < 1e-4);
    }
}
