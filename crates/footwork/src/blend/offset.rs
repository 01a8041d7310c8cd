//! An offset that goes away, in closed form: the frame rate does not matter.

use crate::math::spring;
use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// A difference (metres, or a rotation vector in radians) with its first two derivatives per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Offset {
    /// The difference.
    pub value: Vec3,
    /// Its first derivative.
    pub velocity: Vec3,
    /// Its second derivative.
    pub acceleration: Vec3,
}

impl Offset {
    /// Critically damped, from value and velocity; acceleration jumps at the start.
    pub fn spring(&self, half_life_s: f32, since_s: f32) -> Self {
        let (value, velocity) = spring::decay(self.value, self.velocity, half_life_s, since_s);
        Self { value, velocity, acceleration: spring::acceleration(value, velocity, half_life_s) }
    }

    /// Three equal poles, from value, velocity and acceleration.
    pub fn smooth_spring(&self, half_life_s: f32, since_s: f32) -> Self {
        let [value, velocity, acceleration] =
            spring::decay_smooth([self.value, self.velocity, self.acceleration], half_life_s, since_s);
        Self { value, velocity, acceleration }
    }

    /// Turned by a rotation.
    pub fn turned(&self, by: crate::math::Quat) -> Self {
        Self { value: by * self.value, velocity: by * self.velocity, acceleration: by * self.acceleration }
    }
}
