//! Data that the plugin keeps for a character from frame to frame.

use crate::input::Prepared;
use crate::step::FrameReports;
use crate::variables::PreparedVariables;
use bevy_ecs::prelude::*;
use bevy_transform::components::Transform;
use footwork::input::InputError;
use footwork::matcher::Turn;
use tracing::error;

/// Data of the plugin from frame to frame, beside the state. It does not influence motion.
#[derive(Component, Default)]
pub(crate) struct PluginState {
    pub prepared: Prepared,
    pub variables: PreparedVariables,
    pub turn: Turn,
    /// Value last written to the `Transform`.
    pub written: Option<Transform>,
    /// Error last reported in the log.
    pub fault: Option<String>,
    pub result: Option<InputError>,
    /// Results of several updates in one frame; empty between frames.
    pub reports: FrameReports,
    /// Number of the last request for an action that has no known kind, and the reason until it is reported.
    pub unknown: Option<(u16, Option<String>)>,
    /// True if motion continues from the pose that the model shows.
    pub enters: bool,
    /// Frame in which the character was last found in a group of the scheduler.
    pub counted: u64,
    /// Data for drawing.
    #[cfg(feature = "debug")]
    pub debug: Option<Box<crate::debug_data::DebugData>>,
}

impl PluginState {
    /// Logs an error that prevents a character from moving, once.
    pub fn report(&mut self, entity: Entity, fault: Option<String>) {
        if self.fault != fault {
            if let Some(fault) = &fault {
                error!("motion of {entity}: {fault}; the character holds its pose");
            }
            self.fault = fault;
        }
    }
}
