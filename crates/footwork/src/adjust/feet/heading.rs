//! Headings of locked feet: a held foot does not turn on the ground while root and body turn.

use super::config::FeetConfig;
use super::leash::{TIGHT, soft_leash, soft_leash_change};
use crate::math::{spring, wrap_angle};
use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// Heading of a foot between ticks; radians about +Y in the world. All zeros is the initial state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct FootHeading {
    /// Heading at which the foot is held.
    pub held_rad: f32,
    /// Offset between shown and target heading at the last change.
    pub offset_rad: f32,
    /// Rate of the offset, radians per second.
    pub offset_radps: f32,
    /// Animated heading at the last tick.
    pub animated_rad: f32,
    /// Rate of the animated heading between the last two ticks, radians per second.
    pub animated_radps: f32,
    /// Seconds from the last change to the last tick.
    pub since_s: f32,
}

impl FootHeading {
    /// Returns the turn of the foot from its animated heading, `after_s` seconds after the last tick, radians. `held`: the foot is
    /// held.
    pub fn turn(&self, config: &FeetConfig, held: bool, animated_rad: f32, after_s: f32) -> f32 {
        let goal = if held { limited(wrap_angle(self.held_rad - animated_rad), config.lock_angle_deg) } else { 0.0 };
        goal + self.left(config, held, after_s).0
    }

    /// Advances by a control tick `dt_s` after the last, in which the clip has the foot at `animated_rad`. `held`: the foot was held
    /// until now.
    pub fn tick(&mut self, config: &FeetConfig, held: bool, animated_rad: f32, dt_s: f32) {
        self.since_s += dt_s;
        self.animated_radps = if dt_s > 1e-4 { wrap_angle(animated_rad - self.animated_rad) / dt_s } else { 0.0 };
        self.animated_rad = animated_rad;
        if held {
            // Beyond this angle the limited turn hardly changes.
            let most_rad = TIGHT * config.lock_angle_deg.to_radians();
            let behind = wrap_angle(self.held_rad - animated_rad).clamp(-most_rad, most_rad);
            self.held_rad = wrap_angle(animated_rad + behind);
        }
    }

    /// Starts to hold the foot at the heading at which it comes to rest: the spring does not overshoot. `held`: it was held until now.
    pub fn hold(&mut self, config: &FeetConfig, held: bool) {
        let (turn, radps) = self.now(config, held);
        let glide = spring::way_to_rest(radps + self.animated_radps, config.hold_half_life_s);
        self.held_rad = wrap_angle(self.animated_rad + turn + glide);
        let (goal, goal_radps) = self.goal(config);
        (self.offset_rad, self.offset_radps, self.since_s) = (turn - goal, radps - goal_radps, 0.0);
    }

    /// Releases the foot to its animated heading. `held`: it was held until now.
    pub fn release(&mut self, config: &FeetConfig, held: bool) {
        (self.offset_rad, self.offset_radps) = self.now(config, held);
        self.since_s = 0.0;
    }

    /// Returns the turn from the animated heading at the last tick, in radians, and its rate.
    fn now(&self, config: &FeetConfig, held: bool) -> (f32, f32) {
        let goal_radps = if held { self.goal(config).1 } else { 0.0 };
        (self.turn(config, held, self.animated_rad, 0.0), goal_radps + self.left(config, held, 0.0).1)
    }

    /// Returns the turn towards the held heading at the last tick, in radians, and its rate.
    fn goal(&self, config: &FeetConfig) -> (f32, f32) {
        let (behind, most) = (wrap_angle(self.held_rad - self.animated_rad), config.lock_angle_deg);
        (limited(behind, most), limited_change(behind, -self.animated_radps, most))
    }

    /// Returns the remaining offset and its rate, `after_s` seconds after the last tick.
    fn left(&self, config: &FeetConfig, held: bool, after_s: f32) -> (f32, f32) {
        let half_life_s = if held { config.hold_half_life_s } else { config.release_half_life_s };
        spring::decay(self.offset_rad, self.offset_radps, half_life_s, self.since_s + after_s)
    }

    /// Returns the heading after the character was turned by `by_rad`.
    pub fn moved(&self, by_rad: f32) -> Self {
        let turned = |rad: f32| wrap_angle(rad + by_rad);
        Self { held_rad: turned(self.held_rad), animated_rad: turned(self.animated_rad), ..*self }
    }
}

/// Returns an angle limited to `most_deg`, continuous in its rate.
fn limited(rad: f32, most_deg: f32) -> f32 {
    soft_leash(Vec3::X * rad, most_deg.to_radians()).x
}

/// Returns the rate of [`limited`]'s result for a rate of the angle.
fn limited_change(rad: f32, radps: f32, most_deg: f32) -> f32 {
    soft_leash_change(Vec3::X * rad, Vec3::X * radps, most_deg.to_radians()).x
}
