//! Where a character is asked to go.

use super::path::Path;
use crate::math::{Facing, Quat};
use glam::{Vec2, Vec3};

/// Where to go.
#[derive(Clone, Copy, Debug, Default)]
pub enum Goal<'a> {
    /// No command: the playing clip goes on as it was captured. A character of networks comes to rest.
    #[default]
    None,
    /// A stick and a camera.
    Stick(Stick),
    /// A velocity, m/s, and optionally a facing; both in the world. Without a facing the character faces where it goes.
    Velocity {
        /// World, m/s.
        velocity: Vec3,
        /// World.
        facing: Option<Facing>,
    },
    /// Along a path.
    Path {
        /// World.
        path: &'a Path,
        /// Speed on it, m/s.
        speed_mps: f32,
    },
    /// A trajectory of the user's own, in order of time, world; from now on.
    Trajectory(&'a [TrajectoryPoint]),
}

/// A point of a trajectory of the user's own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrajectoryPoint {
    /// Seconds from now.
    pub time_s: f32,
    /// World, metres.
    pub position: Vec3,
    /// World.
    pub facing: Facing,
}

/// How fast a full stick means.
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
    /// Left stick: x to the right of the screen, y into it; length at most 1.
    pub movement: Vec2,
    /// Right stick, same axes: where to face while strafing. Zero: where the camera looks.
    pub look: Vec2,
    /// Where the camera looks, radians; 0 is +Z.
    pub camera_yaw_rad: f32,
    /// How fast the camera turns, radians per second: prediction turns the stick with it.
    pub camera_yaw_rate_radps: f32,
    /// True: the facing does not follow the movement.
    pub strafe: bool,
    /// Walk or run.
    pub gait: Gait,
}

impl Stick {
    /// A stick given as a world direction on the ground.
    pub fn towards(direction: Vec3, gait: Gait) -> Self {
        Self { movement: Vec2::new(-direction.x, direction.z), gait, ..Self::default() }
    }

    /// A stick vector as a world direction, with the camera `ahead_s` seconds from now. Right on the screen is -X: the
    /// camera looks along +Z and left is +X.
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
