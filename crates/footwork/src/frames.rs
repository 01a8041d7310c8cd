//! Conventions for axes, units and frames.
//!
//! - Metres, seconds, radians. Right-handed, +Y up, a character faces +Z and has its left side at +X.
//! - `local` is the space of the parent joint. `root` is the space of the character's root: on the ground under the body, turned
//!   only about +Y. `world` is the user's space. A transform that maps root to world is named `world_from_root`.
//! - Joint 0 is the root. Its local transform is `world_from_root`. Parents come before children.
//! - Velocities of joints "in root space" are velocities relative to the *world*, expressed along the root's axes: a planted foot
//!   has velocity zero.
//! - Clips are half-open ranges of frames. No computation (velocity, window, box) reads across the border of a clip, except from
//!   the end of a loop to its start.

use crate::math::Quat;
use glam::Vec3;
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the value as an array index.
            pub const fn at(self) -> usize {
                self.0 as usize
            }

            /// Creates the value from an array index.
            pub const fn new(index: usize) -> Self {
                Self(index as u32)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

index!(
    /// A joint of a skeleton; 0 is the root.
    JointIndex
);
index!(
    /// A clip of a database.
    ClipIndex
);
index!(
    /// A pose of a database, counted over all clips.
    FrameIndex
);
index!(
    /// A searchable row of the feature matrix. Rows may be sparser than frames; each row belongs to one frame.
    RowIndex
);

index!(
    /// A named event of a database, as in fired events.
    EventId
);

/// Limit for the distance of a position from the origin of its space along each axis, in metres: 2^30. Values computed from
/// positions (squares, rates of change) then stay in the range of `f32`.
pub(crate) const FARTHEST_M: f32 = 1_073_741_824.0;

/// World up.
pub(crate) const UP: glam::Vec3 = glam::Vec3::Y;

/// Axes and unit of another program, for conversion at its interface.
///
/// ```
/// use footwork::frames::Convention;
/// use glam::Vec3;
///
/// // One metre ahead of a character and two metres above the ground.
/// let here = Vec3::new(0.0, 2.0, 1.0);
/// assert_eq!(Convention::Unreal.position(here), Vec3::new(100.0, 0.0, 200.0));
/// assert_eq!(Convention::Unreal.from_position(Vec3::new(100.0, 0.0, 200.0)), here);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Convention {
    /// Centimetres, left-handed, +Z up; characters face +X, +Y is right.
    Unreal,
    /// Metres, left-handed, +Y up; characters face +Z, +X is right.
    Unity,
    /// Metres, right-handed, +Y up; characters face -Z, +X is right.
    Godot,
    /// Metres, right-handed, +Y up; characters face -Z, +X is right.
    Bevy,
    /// Metres, right-handed, +Z up; characters face -Y, -X is right.
    Blender,
}

impl Convention {
    /// All conventions.
    pub const ALL: [Self; 5] = [Self::Unreal, Self::Unity, Self::Godot, Self::Bevy, Self::Blender];

    /// Returns the number of units per metre.
    pub fn units_per_metre(self) -> f32 {
        if self == Self::Unreal { 100.0 } else { 1.0 }
    }

    /// Returns true if the axes are left-handed.
    pub fn is_left_handed(self) -> bool {
        matches!(self, Self::Unreal | Self::Unity)
    }

    /// Converts a direction, or a vector of any unit without scaling.
    pub fn direction(self, v: Vec3) -> Vec3 {
        match self {
            Self::Unreal => Vec3::new(v.z, -v.x, v.y),
            Self::Unity => Vec3::new(-v.x, v.y, v.z),
            Self::Godot | Self::Bevy => Vec3::new(-v.x, v.y, -v.z),
            Self::Blender => Vec3::new(v.x, -v.z, v.y),
        }
    }

    /// Inverse of [`Convention::direction`].
    pub fn from_direction(self, v: Vec3) -> Vec3 {
        match self {
            Self::Unreal => Vec3::new(-v.y, v.z, v.x),
            Self::Unity => Vec3::new(-v.x, v.y, v.z),
            Self::Godot | Self::Bevy => Vec3::new(-v.x, v.y, -v.z),
            Self::Blender => Vec3::new(v.x, v.z, -v.y),
        }
    }

    /// Converts a position (metres) or a velocity (m/s) to the other program's units.
    pub fn position(self, v: Vec3) -> Vec3 {
        self.direction(v) * self.units_per_metre()
    }

    /// Inverse of [`Convention::position`].
    pub fn from_position(self, v: Vec3) -> Vec3 {
        self.from_direction(v) / self.units_per_metre()
    }

    /// Converts a rotation, or an angular velocity as the vector part with `w` 0. In left-handed axes, the sense of rotation is
    /// reversed.
    pub fn rotation(self, q: Quat) -> Quat {
        self.turned(q, Self::direction)
    }

    /// Inverse of [`Convention::rotation`].
    pub fn from_rotation(self, q: Quat) -> Quat {
        self.turned(q, Self::from_direction)
    }

    fn turned(self, q: Quat, map: fn(Self, Vec3) -> Vec3) -> Quat {
        let v = map(self, Vec3::new(q.x, q.y, q.z));
        let v = if self.is_left_handed() { -v } else { v };
        Quat::from_xyzw(v.x, v.y, v.z, q.w)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_convention_has_its_own_up_forward_and_right() {
        // Up, forward and right of each program, from its manual.
        let axes = [
            (Convention::Unreal, Vec3::Z, Vec3::X, Vec3::Y),
            (Convention::Unity, Vec3::Y, Vec3::Z, Vec3::X),
            (Convention::Godot, Vec3::Y, Vec3::NEG_Z, Vec3::X),
            (Convention::Bevy, Vec3::Y, Vec3::NEG_Z, Vec3::X),
            (Convention::Blender, Vec3::Z, Vec3::NEG_Y, Vec3::NEG_X),
        ];
        assert_eq!(axes.map(|a| a.0), Convention::ALL);
        for (c, up, forward, right) in axes {
            assert_eq!(
                [c.direction(UP), c.direction(Vec3::Z), c.direction(Vec3::NEG_X)],
                [up, forward, right],
                "{c:?}"
            );
            assert_eq!(c.is_left_handed(), right.cross(forward).dot(up) < 0.0, "{c:?}");
        }
    }

    #[test]
    fn conversions_come_back_and_rotations_act_as_they_did() {
        let q = Quat::from_rotation_vector(Vec3::new(0.3, -1.1, 0.6));
        let v = Vec3::new(0.5, 1.5, -2.5);
        for c in Convention::ALL {
            assert!((c.from_position(c.position(v)) - v).length() < 1e-6);
            assert!(c.from_rotation(c.rotation(q)).angle_between(q) < 1e-3);
            // A conversion of a rotated vector equals the rotation of the converted vector.
            let there = c.rotation(q) * c.direction(v);
            assert!((there - c.direction(q * v)).length() < 1e-5, "{c:?}: {there}");
        }
    }
}
