//! Goals of a character.

use super::path::Path;
use crate::math::{Facing, Quat};
use glam::{Vec2, Vec3};

/// The goal of a character.
#[derive(Clone, Copy, Debug, Default)]
pub enum Goal<'a> {
    /// No command: the playing clip continues as captured. A character that plays networks comes to rest.
    #[default]
    None,
    /// A stick and a camera.
    Stick(Stick),
    /// A velocity and an optional facing. Without a facing, the character faces its direction of motion.
    Velocity {
        /// World, m/s.
        velocity: Vec3,
        /// Desired facing, world.
        facing: Option<Facing>,
    },
    /// A path to follow.
    Path {
        /// Path, world.
        path: &'a Path,
        /// Speed along it, m/s.
        speed_mps: f32,
    },
    /// A user-defined trajectory: points in order of time, from now, world.
    Trajectory(&'a [TrajectoryPoint]),
}

/// A point of a user-defined trajectory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrajectoryPoint {
    /// Time from now, in seconds.
    pub time_s: f32,
    /// Position, world, metres.
    pub position: Vec3,
    /// Facing, world.
    pub facing: Facing,
}

/// Speed at full deflection of the stick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gait {
    /// The `walk` speeds.
    #[default]
    Walk,
    /// The `run` speeds.
    Run,
}

/// A stick and a camera.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stick {
    /// Left stick: x to the right of the screen, y into the screen; length at most 1.
    pub movement: Vec2,
    /// Right stick, same axes: facing while strafing. Zero: the direction of the camera.
    pub look: Vec2,
    /// Direction of the camera, in radians; 0 is +Z.
    pub camera_yaw_rad: f32,
    /// Turn rate of the camera, in radians per second. The prediction turns the stick with it.
    pub camera_yaw_rate_radps: f32,
    /// If true, the facing does not follow the movement.
    pub strafe: bool,
    /// Walk or run.
    pub gait: Gait,
}

impl Stick {
    /// Returns a stick for a world direction on the ground.
    pub fn towards(direction: Vec3, gait: Gait) -> Self {
        Self { movement: Vec2::new(-direction.x, direction.z), gait, ..Self::default() }
    }

    /// Returns a stick vector as a world direction, with the camera at `ahead_s` seconds from now. The right of the screen is -X,
    /// because the camera looks along +Z and left is +X.
    pub fn world(&self, stick: Vec2, ahead_s: f32) -> Vec3 {
        let camera = Quat::from_rotation_y(self.camera_yaw_rad + self.camera_yaw_rate_radps * ahead_s);
        camera * Vec3::new(-stick.x, 0.0, stick.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stick_is_seen_from_the_camera() {
        let s = Stick { camera_yaw_rad: std::f32::consts::FRAC_PI_2, ..Stick::default() };
        assert!((s.world(Vec2::Y, 0.0) - Vec3::X).length() < 1e-6);
        assert!((Stick::default().world(Vec2::X, 0.0) + Vec3::X).length() < 1e-6);
        let turning = Stick { camera_yaw_rate_radps: std::f32::consts::PI, ..Stick::default() };
        assert!((turning.world(Vec2::Y, 0.5) - Vec3::X).length() < 1e-6);
    }
}
