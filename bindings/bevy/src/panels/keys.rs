//! Keyboard and mouse: the key that opens the panels, and input hidden from the game while they are open.

use super::settings::MotionPanels;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_input::ButtonInput;
use bevy_input::keyboard::{Key, KeyCode, KeyboardInput};
use bevy_input::mouse::{
    AccumulatedMouseMotion, AccumulatedMouseScroll, MouseButton, MouseButtonInput, MouseMotion, MouseWheel,
};

pub(crate) fn are_open(panels: Res<MotionPanels>) -> bool {
    panels.open
}

pub(crate) fn open_and_close(keys: Option<Res<ButtonInput<KeyCode>>>, mut panels: ResMut<MotionPanels>) {
    let Some((keys, key)) = keys.zip(panels.key) else { return };
    if keys.just_pressed(key) {
        panels.open = !panels.open;
    }
}

/// Keyboard and mouse input that games read.
#[derive(SystemParam)]
pub(crate) struct Controls<'w> {
    keys: Option<ResMut<'w, ButtonInput<KeyCode>>>,
    logical_keys: Option<ResMut<'w, ButtonInput<Key>>>,
    buttons: Option<ResMut<'w, ButtonInput<MouseButton>>>,
    moved: Option<ResMut<'w, AccumulatedMouseMotion>>,
    scrolled: Option<ResMut<'w, AccumulatedMouseScroll>>,
    key_messages: Option<ResMut<'w, Messages<KeyboardInput>>>,
    button_messages: Option<ResMut<'w, Messages<MouseButtonInput>>>,
    motion_messages: Option<ResMut<'w, Messages<MouseMotion>>>,
    wheel_messages: Option<ResMut<'w, Messages<MouseWheel>>>,
}

/// Clears the input after egui has read it, so that the game sees no pressed key and no movement.
pub(crate) fn keep_from_game(controls: Controls) {
    let Controls { keys, logical_keys, buttons, moved, scrolled, .. } = controls;
    keys.into_iter().for_each(|mut k| k.reset_all());
    logical_keys.into_iter().for_each(|mut k| k.reset_all());
    buttons.into_iter().for_each(|mut b| b.reset_all());
    moved.into_iter().for_each(|mut m| *m = AccumulatedMouseMotion::default());
    scrolled.into_iter().for_each(|mut s| s.delta = Default::default());
    controls.key_messages.into_iter().for_each(|mut m| m.clear());
    controls.button_messages.into_iter().for_each(|mut m| m.clear());
    controls.motion_messages.into_iter().for_each(|mut m| m.clear());
    controls.wheel_messages.into_iter().for_each(|mut m| m.clear());
}
