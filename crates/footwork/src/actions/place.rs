//! Positions with a heading, and corrections between two of them.

use crate::math::{Facing, Quat, Transform, wrap_angle};
use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// A position and a heading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Place {
    /// Position, in metres.
    pub position: Vec3,
    /// Heading, in radians about +Y; 0 is +Z.
    pub yaw_rad: f32,
}

impl Place {
    /// Returns position and heading of a transform.
    pub fn of(t: Transform) -> Self {
        Self { position: t.translation, yaw_rad: Facing::from_rotation(t.rotation).yaw() }
    }

    /// Returns the transform with this position and heading.
    pub fn transform(self) -> Transform {
        Transform::new(self.position, Quat::from_rotation_y(self.yaw_rad))
    }

    /// Returns this place after everything was moved by `by`.
    pub(crate) fn moved(self, by: Transform) -> Self {
        let yaw_rad = wrap_angle(self.yaw_rad + Facing::from_rotation(by.rotation).yaw());
        Self { position: by.point(self.position), yaw_rad }
    }
}

/// A turn about +Y and a shift that bring a point of a clip to a point of the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Correction {
    /// Point of the clip, in metres.
    pub from: Vec3,
    /// The point of the world to which it comes, in metres.
    pub to: Vec3,
    /// Turn about +Y, in radians.
    pub turn_rad: f32,
}

impl Correction {
    /// Returns the correction that brings a place of the clip to a place of the world.
    pub fn between(from: Place, to: Place) -> Self {
        Self { from: from.position, to: to.position, turn_rad: wrap_angle(to.yaw_rad - from.yaw_rad) }
    }

    /// Returns where a point of the clip comes to lie: world, in metres.
    pub fn point(&self, p: Vec3) -> Vec3 {
        self.to + Quat::from_rotation_y(self.turn_rad) * (p - self.from)
    }

    /// Returns where a root of the clip comes to lie.
    pub fn root(&self, root: Transform) -> Transform {
        let turn = Quat::from_rotation_y(self.turn_rad);
        Transform::new(self.point(root.translation), (turn * root.rotation).renormalize())
    }
}
