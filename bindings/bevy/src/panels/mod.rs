//! The studio's panels over the running game.

mod inspection;
mod keys;
mod settings;
mod window;

pub use inspection::MotionInspection;
pub use settings::{MotionInspected, MotionPanels};

use crate::sets::MotionSystems;
use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_egui::{EguiPlugin, EguiPostUpdateSet, EguiPreUpdateSet, EguiPrimaryContextPass};
use bevy_input::InputSystems;

/// Plugin that opens the panels of `footwork-studio` over the game with a key. They show the recording of a character with a
/// [`MotionRecorder`](crate::MotionRecorder), why each clip was played, and its settings, which can be applied to the running
/// game. [`MotionPanels`] has the key and other settings.
///
/// While they are open, the panels receive all keyboard and mouse input: the game sees no pressed key and no messages. Gamepads
/// remain with the game. Adds `EguiPlugin` if the game has not added it before.
#[derive(Clone, Copy, Debug, Default)]
pub struct MotionPanelsPlugin;

impl Plugin for MotionPanelsPlugin {
    fn build(&self, app: &mut App) {
        if !app.is_plugin_added::<EguiPlugin>() {
            app.add_plugins(EguiPlugin::default());
        }
        app.init_resource::<MotionPanels>()
            .init_resource::<MotionInspection>()
            .register_type::<MotionPanels>()
            .register_type::<MotionInspected>();
        let open = keys::open_and_close.after(InputSystems).before(EguiPreUpdateSet::ProcessInput);
        let keep = keys::keep_from_game.after(EguiPreUpdateSet::ProcessInput).run_if(keys::are_open);
        let look = (inspection::hold_time, inspection::apply_settings, inspection::inspect).chain();
        let look = look.after(MotionSystems::WriteBack).before(EguiPostUpdateSet::EndPass);
        app.add_systems(PreUpdate, (open, keep));
        app.add_systems(PostUpdate, look);
        app.add_systems(EguiPrimaryContextPass, window::draw);
    }
}
