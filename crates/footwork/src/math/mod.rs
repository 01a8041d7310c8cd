//! Deterministic mathematics: the same bits on every CPU, operating system and optimisation level.
//!
//! The transcendental functions of `std` call the platform's C library, whose last bits differ; these wrap `libm`, which is pure
//! Rust. Addition, multiplication, division and square root are exact by IEEE 754 and need no wrapper. Quaternions have a type
//! of their own because glam's sums run in another order on SSE, NEON and scalar targets.

pub(crate) mod four;
pub(crate) mod functions;
mod quat;
pub(crate) mod random;
pub(crate) mod savgol;
pub(crate) mod spring;
mod transform;
pub(crate) mod yaw;

pub(crate) use functions::*;
pub use quat::Quat;
#[cfg(test)]
pub(crate) use quat::moving_rotation;
pub(crate) use quat::{AngularVelocity, rotation_vector_rate};
pub(crate) use random::Random;
pub(crate) use spring::to_goal;
pub use transform::Transform;
pub use yaw::Facing;
pub(crate) use yaw::wrap_angle;

/// Standard gravity, m/s2.
pub(crate) const GRAVITY_MPS2: f32 = 9.81;

/// Returns the horizontal part of a vector.
pub(crate) fn flat(v: glam::Vec3) -> glam::Vec3 {
    glam::Vec3::new(v.x, 0.0, v.z)
}

/// Returns the median, the upper of two middle values; 0 for an empty list.
pub(crate) fn median(mut values: Vec<f32>) -> f32 {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
