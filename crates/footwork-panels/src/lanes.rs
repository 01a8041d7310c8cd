//! Drawing of the timeline's tracks.

use crate::session::Session;
use crate::style;
use crate::tracks::{LayerEvent, windows};
use egui::{Align2, Color32, FontId, Pos2, Rect, Stroke};
use footwork::frames::ClipIndex;
use std::ops::Range;

/// Heights of the tracks, in points.
pub(crate) const CLIP_PX: f32 = 18.0;
pub(crate) const LANE_PX: f32 = 9.0;
const EVENT_PX: f32 = 13.0;

/// Area and range of the tracks.
pub(crate) struct View<'a> {
    pub painter: &'a egui::Painter,
    pub lanes: Rect,
    pub range: Range<usize>,
    pub ui: &'a egui::Ui,
}

impl View<'_> {
    pub fn x(&self, update: usize) -> f32 {
        let share = (update as f32 - self.range.start as f32) / (self.range.len().max(2) - 1) as f32;
        self.lanes.left() + share * self.lanes.width()
    }

    pub fn name(&self, words: &str, top: f32, height: f32) {
        let at = Pos2::new(self.lanes.left() - 6.0, top + 0.5 * height);
        let short = footwork_draw::shapes::cut(words, 12);
        self.painter.text(
            at,
            Align2::RIGHT_CENTER,
            short,
            FontId::proportional(11.0),
            self.ui.visuals().weak_text_color(),
        );
    }

    pub fn tick(&self, update: usize, top: f32, height: f32, colour: Color32) {
        self.painter.vline(self.x(update), top..=top + height, Stroke::new(1.5, colour));
    }

    /// Draws each run of updates with the same colour as a bar.
    pub fn runs(&self, top: f32, height: f32, colour: &dyn Fn(usize) -> Option<Color32>) {
        let mut k = self.range.start;
        while k < self.range.end {
            let here = colour(k);
            let end = (k..self.range.end).find(|j| colour(*j) != here).unwrap_or(self.range.end);
            if let Some(here) = here {
                let right = self.x(end).min(self.lanes.right());
                let rect = Rect::from_min_max(Pos2::new(self.x(k), top), Pos2::new(right, top + height));
                self.painter.rect_filled(rect, 2.0, here);
            }
            k = end;
        }
    }

    pub fn clips(&self, session: &Session, top: f32) {
        let tracks = &session.tracks;
        let character = session.shown().character();
        let clip = |k: usize| tracks.get(k).map(|s| (s.clip, s.mirrored));
        let colour = |c: &(Option<ClipIndex>, bool)| style::clip(c.0.map_or(0, ClipIndex::at));
        self.named(top, &clip, &colour, &|(clip, mirrored)| {
            let name = clip.map_or("networks", |clip| character.clip_name(clip).unwrap_or_default());
            format!("{}{name}", if mirrored { "⇄ " } else { "" })
        });
    }

    /// Draws the states of the machine. Returns the top of the next track.
    pub fn states(&self, session: &Session, top: f32) -> f32 {
        let Some(machine) = session.shown().character().machine() else { return top };
        let state = |k: usize| session.tracks.get(k)?.state;
        let name = |state: u16| machine.state_names().nth(state.into()).unwrap_or_default().to_owned();
        self.name("state", top, CLIP_PX);
        self.named(top, &state, &|state| style::state(usize::from(*state)), &name);
        top + CLIP_PX + 3.0
    }

    /// Draws the events of montages, one track per layer: windows as bars, single events as ticks. Returns the top of the next
    /// track.
    pub fn layers(&self, session: &Session, mut top: f32) -> f32 {
        let character = session.shown().character();
        let Some(machine) = character.machine() else { return top };
        for (layer, name) in machine.layer_names().enumerate() {
            let of_layer = |e: &&LayerEvent| usize::from(e.layer) == layer;
            let windows = windows(session.tracks.layer_events().filter(of_layer), session.tracks.len());
            let seen: Vec<_> = windows
                .into_iter()
                .filter(|(_, updates)| updates.start < self.range.end && updates.end >= self.range.start)
                .collect();
            if seen.is_empty() {
                continue;
            }
            self.name(name, top, EVENT_PX);
            for (event, updates) in seen {
                let colour = style::channel(event.at());
                if updates.is_empty() {
                    self.tick(updates.start, top, EVENT_PX, colour);
                    continue;
                }
                let [left, right] =
                    [updates.start, updates.end].map(|k| self.x(k.clamp(self.range.start, self.range.end)));
                let bar = Rect::from_x_y_ranges(left..=right.min(self.lanes.right()), top..=top + EVENT_PX);
                self.painter.rect_filled(bar, 2.0, colour);
                self.words_in(bar, character.event_name(event).unwrap_or_default());
            }
            top += EVENT_PX + 2.0;
        }
        top
    }

    /// Draws each run of updates with the same value as a bar, with the value's colour, and its name if it fits.
    fn named<T: Copy + PartialEq>(
        &self,
        top: f32,
        value: &dyn Fn(usize) -> Option<T>,
        colour: &dyn Fn(&T) -> Color32,
        name: &dyn Fn(T) -> String,
    ) {
        let mut k = self.range.start;
        while k < self.range.end {
            let here = value(k);
            let end = (k..self.range.end).find(|j| value(*j) != here).unwrap_or(self.range.end);
            if let Some(here) = here {
                let right = self.x(end).min(self.lanes.right());
                let bar = Rect::from_x_y_ranges(self.x(k)..=right, top..=top + CLIP_PX);
                self.painter.rect_filled(bar, 2.0, colour(&here));
                self.words_in(bar, &name(here));
            }
            k = end;
        }
    }

    /// Writes a text into a bar, clipped to it; nothing into a narrow bar.
    fn words_in(&self, bar: Rect, words: &str) {
        if bar.width() > 24.0 {
            let room = Rect::from_min_max(bar.min + egui::vec2(3.0, 0.0), bar.max - egui::vec2(2.0, 0.0));
            let font = FontId::proportional(11.0);
            let painter = self.painter.with_clip_rect(room);
            painter.text(room.left_center(), Align2::LEFT_CENTER, words, font, Color32::BLACK);
        }
    }

    /// Draws the time axis below the tracks, in seconds.
    pub fn ruler(&self, session: &Session) {
        let before: f32 = session.tracks.iter().take(self.range.start).map(|s| s.dt_s).sum();
        let colour = self.ui.visuals().weak_text_color();
        let total: f32 = self.range.clone().filter_map(|k| session.tracks.get(k)).map(|s| s.dt_s).sum();
        let step = [0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0].into_iter().find(|s| total / s < 14.0).unwrap_or(120.0);
        let mut time_s = before;
        for k in self.range.clone() {
            let dt_s = session.tracks.get(k).map_or(0.0, |s| s.dt_s);
            let next = (time_s / step).floor() != ((time_s + dt_s) / step).floor();
            time_s += dt_s;
            if next {
                let at = Pos2::new(self.x(k), self.lanes.bottom());
                let whole = (time_s / step).floor() * step;
                let words = if step < 1.0 { format!("{whole:.1}") } else { format!("{whole:.0} s") };
                self.painter.text(at, Align2::CENTER_BOTTOM, words, FontId::proportional(10.0), colour);
            }
        }
    }
}
