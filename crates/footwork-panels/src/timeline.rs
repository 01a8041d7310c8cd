//! Timeline panel: playing clips, transitions, feet, events and costs over time. A click shows that update.

use crate::lanes::{CLIP_PX, LANE_PX, View};
use crate::mode::Mode;
use crate::request::Request;
use crate::session::Session;
use crate::style;
use crate::tags::ClipTimeline;
use egui::{Align2, FontId, Key, Pos2, Rect, RichText, Sense, Stroke};
use footwork_draw::paint::colour as paint;
use std::ops::Range;

/// Height of the costs, in points.
const COST_PX: f32 = 46.0;
/// Width of the tracks' names, in points.
const NAMES_PX: f32 = 74.0;
/// Initial and minimum visible duration, in seconds.
const VISIBLE_S: f32 = 12.0;
const LEAST_S: f32 = 0.5;

/// Timeline panel.
#[derive(Debug)]
pub struct Timeline {
    /// Visible duration, in seconds.
    visible_s: f32,
    /// Channel whose cost is drawn. None: all of them.
    channel: Option<usize>,
    /// Timeline for clips, shown while a clip is.
    pub(crate) clip: ClipTimeline,
}

impl Default for Timeline {
    fn default() -> Self {
        Self { visible_s: VISIBLE_S, channel: None, clip: ClipTimeline::default() }
    }
}

impl Timeline {
    /// Draws buttons and tracks, and handles keys.
    pub(crate) fn ui(&mut self, ui: &mut egui::Ui, session: &mut Session) -> Option<Request> {
        self.keys(ui, session);
        if matches!(session.mode, Mode::Clip(_)) {
            return self.clip.ui(ui, session);
        }
        ui.horizontal(|ui| self.buttons(ui, session));
        self.recorded(ui, session);
        None
    }

    fn recorded(&mut self, ui: &mut egui::Ui, session: &mut Session) {
        let size = egui::vec2(ui.available_width(), ui.available_height().max(60.0));
        let (response, painter) = ui.allocate_painter(size, Sense::click_and_drag());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, "timeline"));
        let lanes = Rect::from_min_max(response.rect.min + egui::vec2(NAMES_PX, 0.0), response.rect.max);
        let Some(last) = session.tracks.len().checked_sub(1) else {
            let words = "Nothing is recorded yet: drive.";
            let colour = ui.visuals().weak_text_color();
            painter.text(response.rect.center(), Align2::CENTER_CENTER, words, FontId::proportional(13.0), colour);
            return;
        };
        let range = self.range(session, last);
        if response.hovered() {
            let wheel = ui.input(|i| i.smooth_scroll_delta.y);
            self.visible_s = (self.visible_s * (1.0 - 0.002 * wheel).clamp(0.5, 2.0)).clamp(LEAST_S, 600.0);
        }
        if let Some(at) = response.interact_pointer_pos().filter(|p| p.x >= lanes.left() - 2.0) {
            let share = ((at.x - lanes.left()) / lanes.width().max(1.0)).clamp(0.0, 1.0);
            let update = range.start + (share * (range.len().max(1) - 1) as f32).round() as usize;
            if let Mode::Review(review) = &mut session.mode {
                review.playing = false;
            }
            session.scrub(update);
        }
        let view = View { painter: &painter, lanes, range, ui };
        self.draw(&view, session);
    }

    fn buttons(&mut self, ui: &mut egui::Ui, session: &mut Session) {
        let button = |ui: &mut egui::Ui, words: &str, help: &str| ui.button(words).on_hover_text(help).clicked();
        match &mut session.mode {
            Mode::Live => {
                let words = match session.followed {
                    Some(_) => "⏺ game",
                    None => "⏺ recording",
                };
                ui.label(RichText::new(words).color(ui.visuals().error_fg_color));
                if button(ui, "⏸ Pause", "Stop and look at what was recorded (P)") {
                    session.pause();
                }
            }
            Mode::Review(review) => {
                let words = if review.playing { "⏸ Pause" } else { "▶ Play" };
                let toggled = button(ui, words, "Play the recording (P)");
                let (back, ahead) = (button(ui, "⏴", "One update back (,)"), button(ui, "⏵", "One update ahead (.)"));
                review.playing ^= toggled;
                let mut looped = review.looped.is_some();
                if ui
                    .checkbox(&mut looped, "Repeat 2 s")
                    .on_hover_text("Repeat the two seconds around this moment")
                    .changed()
                {
                    let around = around(&session.tracks, review.update, 2.0);
                    review.looped = looped.then_some(around);
                }
                let (update, opened) = (review.update, review.opened);
                if back {
                    session.scrub(update.saturating_sub(1));
                }
                if ahead {
                    session.scrub(update + 1);
                }
                if button(ui, "Drive on from here", "Go on from this moment; what came after it is dropped") {
                    session.go_on_from_here();
                } else if !opened && button(ui, "Back to live", "Go on from where the character was left") {
                    session.go_live();
                } else if opened && button(ui, "Close recording", "Drive the character again") {
                    session.restart();
                }
            }
            Mode::Clip(_) => {}
        }
        ui.separator();
        ui.label("cost of");
        let channels = &session.database.schema.channels;
        let words = self.channel.and_then(|c| channels.get(c)).map_or("all channels", |c| c.label.as_str());
        egui::ComboBox::from_id_salt("cost channel").selected_text(words).show_ui(ui, |ui| {
            ui.selectable_value(&mut self.channel, None, "all channels");
            for (c, channel) in channels.iter().enumerate() {
                ui.selectable_value(&mut self.channel, Some(c), &channel.label);
            }
        });
    }

    fn keys(&self, ui: &egui::Ui, session: &mut Session) {
        if ui.ctx().egui_wants_keyboard_input() {
            return;
        }
        let pressed = |key| ui.input(|i| i.key_pressed(key));
        if pressed(Key::P) {
            match &mut session.mode {
                Mode::Live => session.pause(),
                Mode::Review(review) => review.playing ^= true,
                Mode::Clip(player) => player.playing ^= true,
            }
        }
        let Some(update) = session.shown_update().filter(|_| !session.is_live()) else { return };
        if pressed(Key::Comma) {
            session.scrub(update.saturating_sub(1));
        }
        if pressed(Key::Period) {
            session.scrub(update + 1);
        }
    }

    /// Returns the visible updates around the one shown.
    fn range(&self, session: &Session, last: usize) -> Range<usize> {
        let at = session.shown_update().unwrap_or(last);
        let before = if session.is_live() { self.visible_s } else { 0.5 * self.visible_s };
        let mut range = around(&session.tracks, at, 2.0 * before);
        if !session.is_live() {
            // Near one end of the recording, the range extends towards the other.
            let (short_start, short_end) = (range.start == 0, range.end > last);
            if short_start != short_end {
                let wide = around(&session.tracks, at, 4.0 * before);
                let most = (self.visible_s * 60.0) as usize;
                range = if short_start {
                    0..wide.end.min(most.max(range.end))
                } else {
                    wide.start.max((last + 1).saturating_sub(most.max(range.len())))..last + 1
                };
            }
        }
        range
    }

    fn draw(&self, view: &View, session: &Session) {
        let tracks = &session.tracks;
        let mut top = view.lanes.top() + 2.0;
        view.name("clip", top, CLIP_PX);
        view.clips(session, top);
        top += CLIP_PX + 3.0;
        top = view.states(session, top);
        view.name("transitions", top, LANE_PX);
        for k in view.range.clone().filter(|k| tracks.get(*k).is_some_and(|s| s.transitions > 0)) {
            view.tick(k, top, LANE_PX, paint(style::MATCHED));
        }
        top += LANE_PX + 3.0;
        let feet = session.database.rig.contact_joints.len().min(16);
        for foot in 0..feet.min(4) {
            let joint = session.database.skeleton.name(session.database.rig.contact_joints[foot]);
            view.name(joint, top, LANE_PX);
            view.runs(top, LANE_PX, &|k| {
                let s = tracks.get(k)?;
                match (s.held >> foot & 1, s.touching >> foot & 1) {
                    (1, _) => Some(paint(style::HELD)),
                    (_, 1) => Some(paint(style::TOUCHES)),
                    _ => None,
                }
            });
            top += LANE_PX + 2.0;
        }
        if view.range.clone().any(|k| tracks.get(k).is_some_and(|s| s.events > 0)) {
            view.name("events", top, LANE_PX);
            for k in view.range.clone().filter(|k| tracks.get(*k).is_some_and(|s| s.events > 0)) {
                view.tick(k, top, LANE_PX, view.ui.visuals().text_color());
            }
            top += LANE_PX + 2.0;
        }
        top = view.layers(session, top);
        let height = (view.lanes.bottom() - top - 14.0).min(COST_PX);
        if height > 12.0 {
            self.costs(
                view,
                session,
                Rect::from_min_size(Pos2::new(view.lanes.left(), top), egui::vec2(view.lanes.width(), height)),
            );
        }
        view.ruler(session);
        if let Some(update) = session.shown_update() {
            let x = view.x(update);
            let line = Stroke::new(1.5, view.ui.visuals().strong_text_color());
            view.painter.vline(x, view.lanes.y_range(), line);
        }
    }

    fn costs(&self, view: &View, session: &Session, area: Rect) {
        let tracks = &session.tracks;
        let cost = |k: usize| self.channel.map_or_else(|| tracks.get(k).map_or(0.0, |s| s.cost), |c| tracks.cost(k, c));
        let most = view.range.clone().map(cost).filter(|c| c.is_finite()).fold(1e-6, f32::max);
        view.name(&format!("cost, to {most:.1}"), area.top(), LANE_PX);
        let colour = self.channel.map_or(view.ui.visuals().text_color(), style::channel);
        // One point per pixel: the maximum of its updates.
        let columns = (area.width() as usize).clamp(2, view.range.len().max(2));
        let points = (0..columns).map(|column| {
            let at = |c: usize| view.range.start + c * view.range.len() / columns;
            let top = (at(column)..at(column + 1).max(at(column) + 1)).map(cost).fold(0.0, f32::max);
            Pos2::new(view.x(at(column)), area.bottom() - area.height() * (top / most).clamp(0.0, 1.0))
        });
        view.painter.line(points.collect(), Stroke::new(1.2, colour));
    }
}

/// Returns the updates within half of `seconds` around one.
fn around(tracks: &crate::tracks::Tracks, update: usize, seconds: f32) -> Range<usize> {
    let reach = |mut left_s: f32, updates: &mut dyn Iterator<Item = usize>| {
        let inside = |k: &usize| {
            left_s -= tracks.get(*k).map_or(f32::INFINITY, |s| s.dt_s);
            left_s >= 0.0
        };
        updates.take_while(inside).count()
    };
    let before = reach(0.5 * seconds, &mut (0..=update).rev());
    let after = reach(0.5 * seconds, &mut (update + 1..tracks.len()));
    (update + 1).saturating_sub(before.max(1))..(update + 1 + after).min(tracks.len())
}
