//! The studio's panels over the running game.

mod inspection;
mod keys;
mod settings;
mod window;

pub use inspection::MotionInspection;
pub use settings::{MotionInspected, MotionPanels};

use crate::schedule::MotionSystems;
use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_egui::{EguiPlugin, EguiPostUpdateSet, EguiPreUpdateSet, EguiPrimaryContextPass};
use bevy_input::InputSystems;

/// Opens the panels of `footwork-studio` over the game with a key: the recording of a character with a
/// [`MotionRecorder`](crate::MotionRecorder), why each clip was played, and its settings, which can be given to the game at once.
/// [`MotionPanels`] has the key and more.
///
/// While they are open, keyboard and mouse are theirs: the game finds no key pressed, and no such messages. A gamepad stays the
/// game's. Brings `EguiPlugin` where the game has not added it before.
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
