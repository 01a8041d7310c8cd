//! Headings on the ground. A heading is stored as a unit vector, not as an angle, so it cannot wrap.

use super::Quat;
use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

/// A direction on the ground: `x` and `z` of a unit vector; +Z is yaw 0, +X is yaw +90 degrees.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facing {
    /// Sine of the yaw.
    pub x: f32,
    /// Cosine of the yaw.
    pub z: f32,
}

impl Default for Facing {
    fn default() -> Self {
        Self::FORWARD
    }
}

impl Facing {
    /// +Z.
    pub const FORWARD: Self = Self { x: 0.0, z: 1.0 };

    /// Creates a facing from a yaw in radians.
    pub fn from_yaw(rad: f32) -> Self {
        let (x, z) = super::sin_cos(rad);
        Self { x, z }
    }

    /// Returns the ground direction of a vector; `None` if its horizontal part is (almost) zero.
    pub fn from_direction(v: Vec3) -> Option<Self> {
        let n = (v.x * v.x + v.z * v.z).sqrt();
        (n > 1e-6 && n.is_finite()).then(|| Self { x: v.x / n, z: v.z / n })
    }

    /// Returns the ground direction in which a rotation's +Z points.
    pub fn from_rotation(q: Quat) -> Self {
        Self::from_direction(q.forward()).unwrap_or_default()
    }

    /// Returns the yaw in radians, -pi..=pi.
    pub fn yaw(self) -> f32 {
        super::atan2(self.x, self.z)
    }

    /// Returns the rotation about +Y.
    pub fn rotation(self) -> Quat {
        // Half-angle by the bisector with +Z: no trigonometry, no wrap.
        Quat::from_xyzw(0.0, self.x, 0.0, 1.0 + self.z).normalize_or(Quat::from_xyzw(0.0, 1.0, 0.0, 0.0))
    }

    /// Returns a unit vector in the ground plane.
    pub fn direction(self) -> Vec3 {
        Vec3::new(self.x, 0.0, self.z)
    }

    /// Returns `(x, z)`.
    pub fn xz(self) -> Vec2 {
        Vec2::new(self.x, self.z)
    }

    /// Returns the facing turned by `rad` (positive from +Z towards +X).
    pub fn turned(self, rad: f32) -> Self {
        let (s, c) = super::sin_cos(rad);
        Self { x: self.x * c + self.z * s, z: self.z * c - self.x * s }.normalized()
    }

    /// Returns the facing scaled to length 1; +Z if its length is (almost) zero.
    pub fn normalized(self) -> Self {
        Self::from_direction(self.direction()).unwrap_or_default()
    }

    /// Returns the angle in radians by which `self` must turn to become `to`, -pi..=pi.
    pub fn angle_to(self, to: Self) -> f32 {
        super::atan2(to.x * self.z - to.z * self.x, to.z * self.z + to.x * self.x)
    }
}

impl Quat {
    fn normalize_or(self, fallback: Self) -> Self {
        if self.length() > 1e-6 { self.normalize() } else { fallback }
    }
}

/// Returns the same angle within -pi..=pi.
pub fn wrap_angle(rad: f32) -> f32 {
    use std::f32::consts::{PI, TAU};
    let r = rad % TAU;
    if r > PI {
        r - TAU
    } else if r < -PI {
        r + TAU
    } else {
        r
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facing_converts_to_yaw_rotation_and_back() {
        for yaw in [-3.0f32, -1.5, -0.1, 0.0, 0.7, 2.9, std::f32::consts::PI] {
            let f = Facing::from_yaw(yaw);
            assert!(wrap_angle(f.yaw() - yaw).abs() < 1e-5);
            assert!(f.rotation().angle_between(Quat::from_rotation_y(yaw)) < 1e-3, "{yaw}");
            let back = Facing::from_rotation(f.rotation());
            assert!(back.angle_to(f).abs() < 1e-5);
        }
    }

    #[test]
    fn turning_by_the_angle_between_two_facings_takes_one_to_the_other() {
        let (a, b) = (Facing::from_yaw(3.0), Facing::from_yaw(-2.8));
        assert!((a.angle_to(b) - (std::f32::consts::TAU - 5.8)).abs() < 1e-5);
        assert!(a.turned(a.angle_to(b)).angle_to(b).abs() < 1e-5);
    }

    #[test]
    fn wrapping_keeps_the_direction() {
        for rad in [-9.0f32, -3.2, 0.0, 3.2, 7.0, 100.0] {
            let w = wrap_angle(rad);
            assert!(w.abs() <= std::f32::consts::PI + 1e-6);
            assert!((crate::math::sin(w) - crate::math::sin(rad)).abs() < 1e-4);
        }
    }
}
