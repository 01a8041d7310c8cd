//! Conventions, stated once.
//!
//! - Metres, seconds, radians. Right-handed, +Y up, a character faces +Z and has its left side at +X.
//! - `local` is the space of the parent joint; `root` the space of the character's root: on the ground under the body,
//!   turned about +Y only; `world` the user's. A transform that maps root to world reads `world_from_root`.
//! - Joint 0 is the root. Its local transform is `world_from_root`. Parents come before children.
//! - Velocities of joints "in root space" are velocities relative to the *world*, written along the root's axes: a
//!   planted foot has velocity zero.
//! - Clips are half-open ranges of frames. Nothing (velocity, window, box) looks across a clip's border, except around
//!   the seam of a loop.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// As an array index.
            pub const fn at(self) -> usize {
                self.0 as usize
            }

            /// From an array index.
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
    /// A searchable row of the feature matrix. Rows may be sparser than frames: a row knows its frame.
    RowIndex
);

index!(
    /// A named event of a database: what fired events carry.
    EventId
);

/// World up.
pub const UP: glam::Vec3 = glam::Vec3::Y;
/// Where a character faces in its own root space.
pub const FORWARD: glam::Vec3 = glam::Vec3::Z;
/// Where its left side lies.
pub const LEFT: glam::Vec3 = glam::Vec3::X;
