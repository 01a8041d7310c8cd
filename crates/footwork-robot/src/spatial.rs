//! Rotations in double precision, with the same bits on every machine, and the change of axes from clips to robots.
//!
//! Clips have +Y up, +Z ahead and +X to the left; models of MuJoCo have +Z up, and most face +X.

use footwork::math::Quat;
use glam::{DQuat, DVec3, Vec3};

/// Returns the rotation by `rad` about a unit axis.
pub fn about(axis: DVec3, rad: f64) -> DQuat {
    let (sin, cos) = libm::sincos(0.5 * rad);
    DQuat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos)
}

/// Returns the rotation of a rotation vector: its direction is the axis, its length the angle.
pub fn from_rotation_vector(v: DVec3) -> DQuat {
    let angle = v.length();
    if angle < 1e-12 {
        return DQuat::from_xyzw(0.5 * v.x, 0.5 * v.y, 0.5 * v.z, 1.0).normalize();
    }
    about(v / angle, angle)
}

/// Returns the rotation vector of a rotation, at most half a turn long.
pub fn to_rotation_vector(q: DQuat) -> DVec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let v = DVec3::new(q.x, q.y, q.z);
    let sin = v.length();
    if sin < 1e-12 {
        return v * 2.0;
    }
    v * (2.0 * libm::atan2(sin, q.w) / sin)
}

/// Returns the angle by which a rotation turns about a unit axis, between minus half a turn and half a turn.
pub fn twist(q: DQuat, axis: DVec3) -> f64 {
    let q = if q.w < 0.0 { -q } else { q };
    2.0 * libm::atan2(DVec3::new(q.x, q.y, q.z).dot(axis), q.w)
}

/// Returns an angle between minus half a turn and half a turn.
pub fn wrapped(rad: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    rad - TAU * ((rad + PI) / TAU).floor()
}

/// Converts a point or direction from the axes of clips to those of the robot.
pub fn to_robot(v: Vec3) -> DVec3 {
    DVec3::new(f64::from(v.z), f64::from(v.x), f64::from(v.y))
}

/// Converts a point or direction from the axes of the robot to those of clips.
pub fn to_clip(v: DVec3) -> Vec3 {
    Vec3::new(v.y as f32, v.z as f32, v.x as f32)
}

/// Converts a rotation from the axes of clips to those of the robot.
pub fn rotation_to_robot(q: Quat) -> DQuat {
    DQuat::from_xyzw(f64::from(q.z), f64::from(q.x), f64::from(q.y), f64::from(q.w)).normalize()
}

/// Converts a rotation from the axes of the robot to those of clips.
pub fn rotation_to_clip(q: DQuat) -> Quat {
    Quat::from_xyzw(q.y as f32, q.z as f32, q.x as f32, q.w as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_go_to_robots_and_back() {
        assert_eq!(to_robot(Vec3::Z), DVec3::X);
        assert_eq!(to_robot(Vec3::X), DVec3::Y);
        assert_eq!(to_robot(Vec3::Y), DVec3::Z);
        let v = Vec3::new(0.3, -2.0, 0.7);
        assert_eq!(to_clip(to_robot(v)), v);
        let turn = Quat::from_rotation_y(0.4);
        let turned = rotation_to_robot(turn) * to_robot(v);
        assert!((turned - to_robot(turn * v)).length() < 1e-6);
        assert!((rotation_to_clip(rotation_to_robot(turn)).dot(turn) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn rotation_vectors_and_twists_are_inverse_to_rotations() {
        for v in [DVec3::new(0.3, -0.2, 1.0), DVec3::new(1e-14, 0.0, 0.0), DVec3::new(0.0, 3.0, 0.0)] {
            assert!((to_rotation_vector(from_rotation_vector(v)) - v).length() < 1e-12, "{v}");
        }
        let axis = DVec3::new(1.0, 2.0, -1.0).normalize();
        for rad in [-3.1, -0.5, 0.0, 2.9] {
            assert!((twist(about(axis, rad), axis) - rad).abs() < 1e-12);
            assert!((wrapped(rad + 4.0 * std::f64::consts::PI) - rad).abs() < 1e-12);
        }
    }
}
