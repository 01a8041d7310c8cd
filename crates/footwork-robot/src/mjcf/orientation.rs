//! Orientations of frames: quaternions, axes, and angles in the units of the compiler settings.

use super::attributes::Attributes;
use crate::error::RobotError;
use crate::spatial::about;
use glam::{DMat3, DQuat, DVec3};

/// Returns the orientation of an element relative to its parent.
pub fn orientation(of: &Attributes) -> Result<DQuat, RobotError> {
    let angles = &of.settings.angles;
    if let Some(q) = of.numbers("quat", 4, 4)? {
        let q = DQuat::from_xyzw(q[1], q[2], q[3], q[0]);
        return if q.length() > 1e-9 {
            Ok(q.normalize())
        } else {
            Err(of.error("quat", "a length above 0", "0 0 0 0"))
        };
    }
    if let Some(n) = of.numbers("axisangle", 4, 4)? {
        let axis = unit(of, "axisangle", DVec3::new(n[0], n[1], n[2]))?;
        return Ok(about(axis, n[3] * angles.to_rad));
    }
    if let Some(n) = of.numbers("euler", 3, 3)? {
        let mut q = DQuat::IDENTITY;
        for (axis, angle) in angles.euler.iter().zip(n) {
            let unit = match axis.to_ascii_lowercase() {
                'x' => DVec3::X,
                'y' => DVec3::Y,
                _ => DVec3::Z,
            };
            let turn = about(unit, angle * angles.to_rad);
            q = if axis.is_ascii_lowercase() { q * turn } else { turn * q };
        }
        return Ok(q.normalize());
    }
    if let Some(n) = of.numbers("xyaxes", 6, 6)? {
        let x = unit(of, "xyaxes", DVec3::new(n[0], n[1], n[2]))?;
        let y = DVec3::new(n[3], n[4], n[5]);
        let y = unit(of, "xyaxes", y - x * x.dot(y))?;
        return Ok(DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize());
    }
    if let Some(z) = of.vector("zaxis")? {
        return Ok(from_z(unit(of, "zaxis", z)?));
    }
    Ok(DQuat::IDENTITY)
}

fn unit(of: &Attributes, key: &str, v: DVec3) -> Result<DVec3, RobotError> {
    v.try_normalize().ok_or_else(|| of.error(key, "axes with a length, not parallel to each other", &format!("{v}")))
}

/// Returns the smallest rotation from the Z axis to a unit vector.
pub fn from_z(to: DVec3) -> DQuat {
    let cross = DVec3::Z.cross(to);
    let Some(axis) = cross.try_normalize() else {
        return if to.z > 0.0 { DQuat::IDENTITY } else { about(DVec3::X, std::f64::consts::PI) };
    };
    about(axis, libm::atan2(cross.length(), to.z))
}
