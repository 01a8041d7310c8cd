//! Window over the game: a line of controls for the game, and the studio.

use super::inspection::{MotionInspection, settings_of};
use super::settings::MotionPanels;
use crate::assets::MotionConfig;
use crate::components::MotionCharacter;
use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_egui::EguiContexts;
use bevy_time::{Real, Time};
use egui::{Rect, RichText, Vec2};
use footwork::advanced::files::write_atomically;
use footwork::matcher::MatcherConfig;
use footwork_panels::Request;
use std::io::Write;
use std::path::Path;

/// Initial share of the screen: to the right and below, so that the game remains visible beside it.
const SHARE: Vec2 = Vec2::new(0.72, 0.86);
const MARGIN_PX: f32 = 8.0;

pub(crate) fn draw(
    mut contexts: EguiContexts,
    (mut inspection, mut panels): (ResMut<MotionInspection>, ResMut<MotionPanels>),
    characters: Query<&MotionCharacter>,
    configs: Res<Assets<MotionConfig>>,
    time: Res<Time<Real>>,
) {
    // Without a camera there is no egui context.
    let Some(ctx) = contexts.ctx_mut().ok().filter(|_| panels.open).cloned() else { return };
    let inspection = &mut *inspection;
    let character = inspection.character().and_then(|e| characters.get(e).ok());
    let in_game = character.map(|c| settings_of(c, &configs));
    // egui may run several passes per frame, but time passes only once.
    let dt_s = if ctx.current_pass_index() == 0 { time.delta_secs() } else { 0.0 };
    let screen = ctx.content_rect().shrink(MARGIN_PX);
    let size = screen.size() * SHARE;
    let mut open = true;
    egui::Window::new("footwork").open(&mut open).default_rect(Rect::from_min_size(screen.max - size, size)).show(
        &ctx,
        |ui| {
            line(ui, inspection, &mut panels, in_game.as_ref());
            ui.separator();
            let request = inspection.studio().and_then(|studio| studio.ui(ui, dt_s));
            match request {
                Some(Request::Save | Request::SaveSettings) => save_settings(inspection, &panels.settings),
                Some(Request::SaveTrace) => save_recording(inspection, &panels.recording),
                Some(_) => inspection.say("Files and tags are for the studio: `footwork-studio FILE`."),
                None => {}
            }
            if inspection.studio().is_none() {
                // Keeps the size of the window.
                ui.allocate_space(ui.available_size());
            }
        },
    );
    if !open {
        panels.open = false;
    }
}

/// Draws the controls for the game.
fn line(
    ui: &mut egui::Ui,
    inspection: &mut MotionInspection,
    panels: &mut MotionPanels,
    in_game: Option<&MatcherConfig>,
) {
    ui.horizontal(|ui| {
        let shown = inspection.studio().is_some();
        let follows = egui::Button::selectable(inspection.follows(), "Follow the game");
        if ui.add_enabled(shown, follows).on_hover_text("Show the newest update, as the game goes on").clicked() {
            inspection.follow();
        }
        let mut pause = panels.pause;
        ui.checkbox(&mut pause, "Pause the game").on_hover_text("The game's time stands still while this is open");
        if pause != panels.pause {
            panels.pause = pause;
        }
        let other = inspection.studio().is_some_and(|s| in_game.is_some_and(|c| c != s.session.tuning.matcher()));
        let help = "Give these settings to the character of the game, and to all that share its settings file";
        if ui.add_enabled(other, egui::Button::new("Apply to the game")).on_hover_text(help).clicked() {
            inspection.apply();
        }
        if let Some(message) = inspection.message() {
            ui.add(egui::Label::new(RichText::new(message)).wrap());
        }
    });
}

fn save_settings(inspection: &mut MotionInspection, file: &Path) {
    let Some(text) = inspection.studio().map(|s| s.session.tuning.text()) else { return };
    let saved = write_atomically(file, |f| f.write_all(text.as_bytes()));
    if let Some(studio) = inspection.studio().filter(|_| saved.is_ok()) {
        studio.session.tuning.mark_saved();
    }
    inspection.say(match saved {
        Ok(()) => format!("Settings saved to {}.", file.display()),
        Err(e) => format!("{}: cannot write: {e}", file.display()),
    });
}

fn save_recording(inspection: &mut MotionInspection, file: &Path) {
    let Some(saved) = inspection.studio().map(|s| s.session.trace().save(file)) else { return };
    inspection.say(match saved {
        Ok(()) => format!("Recording saved to {}.", file.display()),
        Err(e) => e.to_string(),
    });
}
