//! Input of the features: the same for a database frame and for a live query.

use crate::math::Facing;
use crate::pose::RootMotion;
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// One point of a trajectory, relative to the current root of the character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrajectorySample {
    /// Root space, metres.
    pub position: Vec3,
    /// Root space.
    pub facing: Facing,
    /// Root space, metres per second.
    pub velocity: Vec3,
}

/// Input of all channels. The pose comes from a clip in both cases; the trajectory from the clip (database) or from
/// prediction and history (query); user values from the build or from the input.
#[derive(Clone, Copy, Debug)]
pub struct FeatureSource<'a> {
    /// Joints in root space.
    pub motion: &'a RootMotion,
    /// `[joints]` accelerations in root space, m/s2; may be empty unless the schema needs them.
    pub accelerations: &'a [Vec3],
    /// One per entry of [`super::FeatureSchema::times_s`].
    pub trajectory: &'a [TrajectorySample],
    /// One per contact joint of the database: 1 touches, 0 does not.
    pub contacts: &'a [u8],
    /// `[user_width]` values of the user channels, in the order of the schema.
    pub user: &'a [f32],
}

/// A shape that draws a channel's (raw) values, in root space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DebugShape {
    /// A point.
    Point(Vec3),
    /// A vector and its start.
    Arrow {
        /// Start.
        from: Vec3,
        /// Direction and length.
        vector: Vec3,
    },
}

/// Source of a mirrored column: `mirrored[c] = sign * original[column]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MirrorColumn {
    /// Column of the unmirrored features.
    pub column: usize,
    /// 1 or -1.
    pub sign: f32,
}
