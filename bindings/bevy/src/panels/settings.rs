//! What a game says about the panels.

use bevy_ecs::prelude::*;
use bevy_input::keyboard::KeyCode;
use bevy_reflect::prelude::*;
use std::path::PathBuf;

/// The panels over the game, as a resource.
#[derive(Resource, Clone, Debug, PartialEq, Reflect)]
#[reflect(Resource, Default, Clone, PartialEq)]
pub struct MotionPanels {
    /// True while they are open. Default: false.
    pub open: bool,
    /// The key that opens and closes them; with `None`, the game does by `open`. Default: F3.
    pub key: Option<KeyCode>,
    /// True: the game's time (`Time<Virtual>`) stands still while they are open. Default: false.
    pub pause: bool,
    /// File that settings are saved to (TOML); what it holds beside them stays. Default: `footwork.toml`.
    pub settings: PathBuf,
    /// File that the recording is saved to. Default: `recording.fwtrace`.
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

/// The panels show this character. Without it they show the first one with a [`crate::MotionRecorder`].
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
pub struct MotionInspected;
