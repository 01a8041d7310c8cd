//! Limits of the distance between a locked toe and its animated position, and of the angle between their headings.

use crate::math::exp;
use glam::Vec3;

/// Share of the lock radius within which a toe is not dragged.
pub(super) const LEASH_SLACK: f32 = 0.9;
/// Limit of the stored point's distance, in lock radii.
pub(super) const TIGHT: f32 = 2.0;

/// Returns a displacement limited to the lock radius, continuous in velocity.
pub(super) fn soft_leash(way: Vec3, lock_radius_m: f32) -> Vec3 {
    let (length, slack) = (way.length(), LEASH_SLACK * lock_radius_m);
    if length <= slack {
        return way;
    }
    let rest = lock_radius_m - slack;
    way * ((slack + rest * (1.0 - exp(-(length - slack) / rest))) / length)
}

/// Returns the velocity of [`soft_leash`]'s result for a velocity of the displacement.
pub(super) fn soft_leash_change(way: Vec3, velocity: Vec3, lock_radius_m: f32) -> Vec3 {
    if lock_radius_m <= 0.0 {
        return Vec3::ZERO;
    }
    let (length, slack) = (way.length(), LEASH_SLACK * lock_radius_m);
    if length <= slack {
        return velocity;
    }
    let (rest, along) = (lock_radius_m - slack, way / length);
    let stretch = exp(-(length - slack) / rest);
    let outward = along * along.dot(velocity);
    (velocity - outward) * ((slack + rest * (1.0 - stretch)) / length) + outward * stretch
}
