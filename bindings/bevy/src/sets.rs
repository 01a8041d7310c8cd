//! System sets, for the order of systems.

use bevy_ecs::prelude::*;

/// Stages of a frame, for ordering your own systems.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MotionSystems {
    /// Reads inputs. Write [`crate::MotionInput`] before it.
    Predict,
    /// Updates characters.
    Match,
    /// Updates the poses of models, displacements in [`crate::RootMotion`], and events for observers.
    Pose,
    /// Empty, for changes to the pose.
    Adjust,
    /// Writes `Transform`s.
    WriteBack,
}
