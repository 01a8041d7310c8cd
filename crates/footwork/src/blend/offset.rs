//! A decaying offset, in closed form: the result does not depend on the frame rate.

use crate::math::spring::Decay;
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
    /// Returns the offset after a critically damped decay, from value and velocity; acceleration is discontinuous at the start.
    #[inline]
    pub fn spring(&self, since: &Decay) -> Self {
        let (value, velocity) = since.of(self.value, self.velocity);
        Self { value, velocity, acceleration: since.acceleration(value, velocity) }
    }

    /// Returns the offset after a decay with three equal poles, from value, velocity and acceleration.
    pub fn smooth_spring(&self, since: &Decay) -> Self {
        let [value, velocity, acceleration] = since.smooth([self.value, self.velocity, self.acceleration]);
        Self { value, velocity, acceleration }
    }

    /// Returns the offset along Bollo's polynomial: along the offset's own direction, from value and velocity to rest at zero
    /// after `blend_s`, or sooner if the velocity would overshoot. Velocity across the direction or away from zero is dropped.
    pub fn quintic(&self, blend_s: f32, since_s: f32) -> Self {
        let x0 = self.value.length();
        let Some(direction) = self.value.try_normalize() else { return Self::default() };
        let v0 = self.velocity.dot(direction).min(0.0);
        let t1 = if v0 < 0.0 { blend_s.min(-5.0 * x0 / v0) } else { blend_s };
        if since_s >= t1 || t1 < 1e-4 {
            return Self::default();
        }
        let (t2, t3) = (t1 * t1, t1 * t1 * t1);
        let a0 = ((-8.0 * v0 * t1 - 20.0 * x0) / t2).max(0.0);
        let a = -(a0 * t2 + 6.0 * v0 * t1 + 12.0 * x0) / (2.0 * t3 * t2);
        let b = (3.0 * a0 * t2 + 16.0 * v0 * t1 + 30.0 * x0) / (2.0 * t2 * t2);
        let c = -(3.0 * a0 * t2 + 12.0 * v0 * t1 + 20.0 * x0) / (2.0 * t3);
        let (t, d) = (since_s, 0.5 * a0);
        let value = ((((a * t + b) * t + c) * t + d) * t + v0) * t + x0;
        let velocity = (((5.0 * a * t + 4.0 * b) * t + 3.0 * c) * t + 2.0 * d) * t + v0;
        let acceleration = ((20.0 * a * t + 12.0 * b) * t + 6.0 * c) * t + 2.0 * d;
        Self { value: direction * value, velocity: direction * velocity, acceleration: direction * acceleration }
    }

    /// Returns the offset rotated by `by`.
    pub fn turned(&self, by: crate::math::Quat) -> Self {
        Self { value: by * self.value, velocity: by * self.velocity, acceleration: by * self.acceleration }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quintic_starts_as_asked_ends_at_rest_and_never_overshoots() {
        let along = Vec3::new(0.6, 0.0, 0.8);
        for speed in [0.0, -0.5, -2.0, -8.0, -40.0] {
            let start = Offset { value: along * 0.5, velocity: along * speed, acceleration: Vec3::ZERO };
            let at = |t: f32| start.quintic(0.3, t);
            assert!(
                (at(0.0).value - start.value).length() < 1e-6 && (at(0.0).velocity - start.velocity).length() < 1e-5
            );
            assert_eq!(at(0.3), Offset::default());
            let mut before = 0.5;
            for k in 1..300 {
                let (now, step) = (at(k as f32 * 1e-3).value.dot(along), at(k as f32 * 1e-3));
                assert!(now <= before + 1e-5 && now > -1e-4, "{speed} {k} {now}");
                assert!((step.velocity.dot(along) * 1e-3 - (now - before)).abs() < 5e-3, "{speed} {k}");
                before = now;
            }
        }
        // Away from zero, or without an offset, the velocity is dropped.
        let away = Offset { value: along * 0.5, velocity: along * 9.0, acceleration: Vec3::ZERO };
        assert_eq!(away.quintic(0.3, 0.0).velocity, Vec3::ZERO);
        assert_eq!(Offset { velocity: along, ..Offset::default() }.quintic(0.3, 0.1), Offset::default());
    }
}
