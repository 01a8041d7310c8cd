//! Rigid transforms: a rotation, then a translation. No scale: importers remove it.

use super::Quat;
use glam::Vec3;
use serde::{Deserialize, Serialize};
use std::ops::Mul;

/// A rigid transform. `world_from_root` maps points of the root's space to the world; `a * b` applies `b` first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Transform {
    /// Image of the origin, metres.
    pub translation: Vec3,
    /// Rotation of the axes.
    pub rotation: Quat,
}

impl Transform {
    /// The identity.
    pub const IDENTITY: Self = Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY };

    /// Creates a transform from its two parts.
    #[inline]
    pub const fn new(translation: Vec3, rotation: Quat) -> Self {
        Self { translation, rotation }
    }

    /// Returns the inverse transform.
    #[inline]
    pub fn inverse(self) -> Self {
        let rotation = self.rotation.inverse();
        Self { translation: rotation * -self.translation, rotation }
    }

    /// Maps a point.
    #[inline]
    pub fn point(self, p: Vec3) -> Vec3 {
        self.rotation * p + self.translation
    }

    /// Maps a direction or velocity: rotation only.
    #[inline]
    pub fn direction(self, v: Vec3) -> Vec3 {
        self.rotation * v
    }

    /// Maps a world point into this transform's space.
    #[inline]
    pub fn inverse_point(self, p: Vec3) -> Vec3 {
        self.rotation.inverse() * (p - self.translation)
    }

    /// Maps a world direction into this transform's space.
    #[inline]
    pub fn inverse_direction(self, v: Vec3) -> Vec3 {
        self.rotation.inverse() * v
    }

    /// Returns whether all numbers are finite.
    pub fn is_finite(self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite()
    }
}

impl Mul for Transform {
    type Output = Self;
    #[inline]
    fn mul(self, b: Self) -> Self {
        Self { translation: self.point(b.translation), rotation: (self.rotation * b.rotation).renormalize() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transform_times_its_inverse_is_the_identity() {
        let t = Transform::new(Vec3::new(1.0, 2.0, 3.0), Quat::from_rotation_vector(Vec3::new(0.2, 0.9, -0.4)));
        let i = t * t.inverse();
        assert!(i.translation.length() < 1e-6 && i.rotation.angle_between(Quat::IDENTITY) < 1e-6);
        let p = Vec3::new(-0.3, 0.1, 5.0);
        assert!((t.inverse_point(t.point(p)) - p).length() < 1e-5);
    }
}
