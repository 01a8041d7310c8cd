//! Settings of the panels.

use bevy_ecs::prelude::*;
use bevy_input::keyboard::KeyCode;
use bevy_reflect::prelude::*;
use std::path::PathBuf;

/// Settings of the panels over the game, as a resource.
#[derive(Resource, Clone, Debug, PartialEq, Reflect)]
#[reflect(Resource, Default, Clone, PartialEq)]
pub struct MotionPanels {
    /// True while the panels are open. Default: false.
    pub open: bool,
    /// Key that opens and closes the panels. With `None`, the game sets `open` itself. Default: F3.
    pub key: Option<KeyCode>,
    /// True to pause the game's time (`Time<Virtual>`) while the panels are open. Default: false.
    pub pause: bool,
    /// File where settings are saved (TOML); its other content is preserved. Default: `footwork.toml`.
    pub settings: PathBuf,
    /// File where the recording is saved. Default: `recording.fwtrace`.
    pub recording: PathBuf,
}

impl Default for MotionPanels {
    fn default() -> Self {
        Self {
            open: false,
            key: Some(KeyCode::F3),
            pause: false,
            settings: "footwork.toml".into(),
            recording: "recording.fwtrace".into(),
        }
    }
}

/// Marker of the character that the panels show. Without it they show the first one with a [`crate::MotionRecorder`].
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
pub struct MotionInspected;
