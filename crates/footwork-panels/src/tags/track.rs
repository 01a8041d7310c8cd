//! Timeline of a clip: drag its tags, costs, cuts and events.

use super::lanes::{Lane, Layout, NAMES_PX, height, lanes};
use super::mark::{Kind, Mark, Selected, end_s};
use super::paint::Drawing;
use super::session::ClipPlace;
use super::takes::Home;
use crate::mode::Mode;
use crate::request::Request;
use crate::session::Session;
use egui::{Key, PointerButton, Pos2, Rect, Sense, scroll_area::ScrollSource};
use footwork_import::Take;

/// Distance from an edge or an event within which a click grabs it, in points.
const EDGE_PX: f32 = 5.0;
/// Minimum number of visible frames.
const LEAST_FRAMES: f32 = 8.0;
/// Cost bias of a new range.
const COST: f32 = 0.5;
/// Name of a new tag or event.
const NAME: &str = "new";

/// Dragged part of a mark.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Start,
    End,
    /// The whole mark: time from its start to the grabbed point, in seconds.
    Whole(f32),
}

#[derive(Clone, Debug, PartialEq)]
enum Drag {
    /// The time shown.
    Time,
    /// A new mark, created once it is one frame long, with its start.
    New {
        lane: Lane,
        from_s: f32,
        made: bool,
    },
    Mark(Selected, Part),
}

/// Timeline of a clip.
#[derive(Debug, Default)]
pub(crate) struct ClipTimeline {
    /// Name of the take to which the other fields belong.
    take: String,
    /// Visible time range, in seconds; `None`: all.
    span: Option<[f32; 2]>,
    pub(super) selected: Option<Selected>,
    drag: Option<Drag>,
    /// Name being typed.
    pub(super) typed: Option<String>,
    /// True to focus the name of a new mark.
    pub(super) name_new: bool,
    pub(super) layout: Layout,
}

impl ClipTimeline {
    /// Draws buttons and tracks, and handles keys.
    pub fn ui(&mut self, ui: &mut egui::Ui, session: &mut Session) -> Option<Request> {
        let mut request = None;
        let place = session.clip_place();
        ui.horizontal(|ui| request = self.buttons(ui, session, place));
        let Some(place) = place else {
            ui.label("The build made this clip: it has no file, and no tags of its own.");
            return request;
        };
        let name = &session.takes.list[place.take].take.name;
        if self.take != *name {
            *self = Self { take: name.clone(), ..Self::default() };
        }
        ui.horizontal(|ui| self.editor(ui, session, place));
        egui::ScrollArea::vertical().scroll_source(ScrollSource::SCROLL_BAR).auto_shrink(false).show(ui, |ui| {
            self.tracks(ui, session, place);
        });
        self.keys(ui, session, place.take);
        request
    }

    fn buttons(&mut self, ui: &mut egui::Ui, session: &mut Session, place: Option<ClipPlace>) -> Option<Request> {
        let button = |ui: &mut egui::Ui, words: &str, help: &str| ui.button(words).on_hover_text(help).clicked();
        if let Mode::Clip(player) = &mut session.mode {
            let words = if player.playing { "⏸ Pause" } else { "▶ Play" };
            player.playing ^= button(ui, words, "Play the clip (P)");
        }
        if button(ui, "Back to live", "Drive the character again") {
            session.go_live();
        }
        let place = place?;
        ui.separator();
        let request = save_buttons(ui, session);
        ui.separator();
        let take = &session.takes.list[place.take];
        let (path, changed) = (session.takes.path(&take.take), take.sidecar.is_changed());
        let words = format!("{}{}", path.display(), if changed { " (not saved)" } else { "" });
        ui.add(egui::Label::new(words).truncate()).on_hover_text(where_words(session));
        request
    }

    fn keys(&mut self, ui: &egui::Ui, session: &mut Session, take: usize) {
        if ui.ctx().egui_wants_keyboard_input() {
            return;
        }
        if ui.input(|i| i.key_pressed(Key::Delete) || i.key_pressed(Key::Backspace)) {
            self.delete(session, take);
        }
        let steps = ui.input(|i| i32::from(i.key_pressed(Key::Period)) - i32::from(i.key_pressed(Key::Comma)));
        if steps != 0
            && let Some(place) = session.clip_place()
        {
            let rate_hz = f64::from(session.takes.list[take].take.rate_hz);
            let frame = (place.time_s * rate_hz).round() + f64::from(steps);
            session.show_take(take, frame / rate_hz);
        }
    }

    /// Removes the selected mark.
    pub(super) fn delete(&mut self, session: &mut Session, take: usize) {
        if let Some((kind, index)) = self.selected.take() {
            session.edit_tags(take, false, |sidecar, take| sidecar.remove(kind, index, take));
        }
    }

    fn tracks(&mut self, ui: &mut egui::Ui, session: &mut Session, place: ClipPlace) {
        let lanes = lanes(session, place.take);
        let size = egui::vec2(ui.available_width(), height(&lanes).max(ui.available_height()));
        let (response, painter) = ui.allocate_painter(size, Sense::click_and_drag());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, "clip timeline"));
        let area =
            Rect::from_min_max(response.rect.min + egui::vec2(NAMES_PX, 0.0), response.rect.max - egui::vec2(6.0, 0.0));
        self.layout = Layout::new(lanes, area, self.visible(session, place));
        self.zoom(ui, &response, &session.takes.list[place.take].take);
        self.pointer(ui, &response, session, place.take);
        // Undo may have removed the selected mark.
        let sidecar = &session.takes.list[place.take].sidecar;
        self.selected = self.selected.filter(|(kind, index)| sidecar.mark(*kind, *index).is_some());
        Drawing { painter: &painter, layout: &self.layout, ui, session, place }.all(self.selected);
    }

    /// Returns the visible time range, in seconds, moved so that the playing clip stays in view.
    fn visible(&mut self, session: &Session, place: ClipPlace) -> [f32; 2] {
        let take = &session.takes.list[place.take].take;
        let parts = session.takes.parts(&session.database, place.take);
        // A clip extended by the motion before it starts before the take.
        let first = parts.map(|(_, start_s)| start_s as f32).fold(0.0, f32::min);
        let all = [first, end_s(take)];
        let Some([start, end]) = self.span else { return all };
        let (width, now) = (end - start, place.time_s as f32);
        let plays = matches!(&session.mode, Mode::Clip(player) if player.playing);
        let start = if plays && !(start..end).contains(&now) { now - 0.1 * width } else { start };
        let start = start.min(all[1] - width).max(all[0]);
        let span = [start, (start + width).min(all[1])];
        self.span = Some(span);
        span
    }

    fn zoom(&mut self, ui: &egui::Ui, response: &egui::Response, take: &Take) {
        let Some(at) = response.hover_pos() else { return };
        let (wheel, pinch) = ui.input(|i| (i.smooth_scroll_delta, i.zoom_delta()));
        if wheel == egui::Vec2::ZERO && pinch == 1.0 {
            return;
        }
        let [start, end] = self.layout.span;
        let factor = (1.0 - 0.002 * wheel.y).clamp(0.5, 2.0) / pinch;
        let width = ((end - start) * factor).max(LEAST_FRAMES / take.rate_hz);
        let fixed = self.layout.time_s(at);
        let share = (fixed - start) / (end - start).max(1e-6);
        let start = fixed - share * width - wheel.x / self.layout.rect().width().max(1.0) * width;
        // The next frame clamps it to the take.
        self.span = Some([start, start + width]);
    }

    fn pointer(&mut self, ui: &egui::Ui, response: &egui::Response, session: &mut Session, take: usize) {
        let at = response.interact_pointer_pos();
        if response.drag_started_by(PointerButton::Primary)
            && let Some(origin) = ui.input(|i| i.pointer.press_origin())
        {
            self.drag = self.take_hold(session, take, origin);
        }
        if response.clicked()
            && let Some(at) = at
        {
            self.click(session, take, at, false);
        }
        if response.double_clicked()
            && let Some(at) = at
        {
            self.click(session, take, at, true);
        }
        if let Some(at) = at.filter(|_| response.dragged_by(PointerButton::Primary)) {
            self.move_to(session, take, self.layout.time_s(at));
        }
        if response.drag_stopped() {
            let new = matches!(self.drag, Some(Drag::New { lane: Lane::NewTag | Lane::Event, made: true, .. }));
            self.name_new |= new;
            self.drag = None;
            session.history.rest();
        }
        if let Some(hovered) = response.hover_pos()
            && let Some((_, part)) = self.hit(session, take, hovered)
        {
            let edge = !matches!(part, Part::Whole(_));
            ui.ctx().set_cursor_icon(if edge { egui::CursorIcon::ResizeHorizontal } else { egui::CursorIcon::Grab });
        }
    }

    /// Returns the mark at a point, and the part of it.
    fn hit(&self, session: &Session, take: usize, at: Pos2) -> Option<(Selected, Part)> {
        let (lane, _) = self.layout.lane(at)?;
        let take = &session.takes.list[take];
        let of_lane = |m: &Mark| match lane {
            Lane::Tag(name) => m.kind == Kind::Tag && m.name == *name,
            Lane::NewTag => false,
            other => other.kind() == Some(m.kind),
        };
        // Later marks are drawn above earlier ones.
        let marks = take.sidecar.marks().into_iter().rev().filter(|(_, m)| of_lane(m));
        let mut best: Option<(f32, Selected, Part)> = None;
        for (index, mark) in marks {
            let [start, end] = mark.span(&take.take);
            let (left, right) = (self.layout.x(start), self.layout.x(end));
            let near = |x: f32| (at.x - x).abs();
            let found = match mark.kind {
                Kind::Event if near(left) <= EDGE_PX => Some((near(left), Part::Whole(0.0))),
                Kind::Event => None,
                // In a short range, the edges are narrower, so that its middle can be dragged.
                _ if near(right) <= EDGE_PX.min(0.3 * (right - left).max(4.0)) => Some((near(right), Part::End)),
                _ if near(left) <= EDGE_PX.min(0.3 * (right - left).max(4.0)) => Some((near(left), Part::Start)),
                _ if (left..right).contains(&at.x) => Some((EDGE_PX, Part::Whole(self.layout.time_s(at) - start))),
                _ => None,
            };
            if let Some((distance, part)) = found
                && best.as_ref().is_none_or(|b| distance < b.0)
            {
                best = Some((distance, (mark.kind, index), part));
            }
        }
        best.map(|(_, selected, part)| (selected, part))
    }

    fn take_hold(&mut self, session: &mut Session, take: usize, at: Pos2) -> Option<Drag> {
        self.typed = None;
        self.selected = None;
        if let Some((selected, part)) = self.hit(session, take, at) {
            self.selected = Some(selected);
            return Some(Drag::Mark(selected, part));
        }
        let (lane, _) = self.layout.lane(at)?.clone();
        Some(match lane.kind() {
            Some(_) => Drag::New { lane, from_s: self.layout.time_s(at), made: false },
            None => Drag::Time,
        })
    }

    fn click(&mut self, session: &mut Session, take: usize, at: Pos2, double: bool) {
        self.typed = None;
        if let Some((selected, _)) = self.hit(session, take, at) {
            self.selected = Some(selected);
            return;
        }
        let time_s = self.layout.time_s(at);
        let lane = self.layout.lane(at).map(|(lane, _)| lane.clone());
        if double && lane == Some(Lane::Event) {
            self.make(session, take, Lane::Event, [time_s; 2]);
            self.name_new = true;
            session.history.rest();
            return;
        }
        self.selected = None;
        session.pointed = None;
        self.seek(session, take, time_s);
    }

    fn seek(&self, session: &mut Session, take: usize, time_s: f32) {
        let time_s = snap(time_s, &session.takes.list[take].take);
        session.show_take(take, f64::from(time_s));
    }

    fn move_to(&mut self, session: &mut Session, take: usize, time_s: f32) {
        match self.drag.clone() {
            None => {}
            Some(Drag::Time) => self.seek(session, take, time_s),
            Some(Drag::New { lane, from_s, made }) => {
                let of = &session.takes.list[take].take;
                let (a, b) = (snap(from_s, of), snap(time_s, of));
                let span = if lane == Lane::Event { [b; 2] } else { [a.min(b), a.max(b)] };
                match self.selected.filter(|_| made) {
                    Some(selected) if lane == Lane::Event || a != b => self.put(session, take, selected, span),
                    None if lane == Lane::Event || a != b => {
                        self.make(session, take, lane.clone(), span);
                        self.drag = Some(Drag::New { lane, from_s, made: self.selected.is_some() });
                    }
                    _ => {}
                }
            }
            Some(Drag::Mark((kind, index), part)) => {
                let of = &session.takes.list[take];
                let Some(mark) = of.sidecar.mark(kind, index) else { return };
                let frame_s = 1.0 / of.take.rate_hz;
                let [start, end] = mark.span(&of.take);
                let span = match part {
                    Part::Start => [snap(time_s, &of.take).min(end - frame_s), end],
                    Part::End => [start, snap(time_s, &of.take).max(start + frame_s)],
                    Part::Whole(held_s) => {
                        let last = end_s(&of.take) - (end - start);
                        let moved = snap(time_s - held_s, &of.take).clamp(0.0, last.max(0.0));
                        [moved, moved + (end - start)]
                    }
                };
                self.put(session, take, (kind, index), span);
            }
        }
    }

    fn make(&mut self, session: &mut Session, take: usize, lane: Lane, [start_s, end_s]: [f32; 2]) {
        let Some(kind) = lane.kind() else { return };
        let name = match &lane {
            Lane::Tag(name) => name.clone(),
            _ if kind.is_named() => NAME.to_owned(),
            _ => String::new(),
        };
        let end_s = (kind != Kind::Event).then_some(end_s);
        let mark = Mark { kind, name, cost: COST, start_s: Some(start_s), end_s };
        let made = session.edit_tags(take, true, |sidecar, take| sidecar.add(&mark, take));
        self.selected = made.map(|index| (kind, index));
    }

    /// Moves a mark to other times. An unchanged end is not written to the sidecar.
    fn put(&mut self, session: &mut Session, take: usize, (kind, index): Selected, [start_s, end_s]: [f32; 2]) {
        session.edit_tags(take, true, |sidecar, take| {
            let Some(mut mark) = sidecar.mark(kind, index) else { return Ok(()) };
            let before = mark.span(take);
            let changed = |a: f32, b: f32| (a - b).abs() > 1e-5;
            if changed(before[0], start_s) {
                mark.start_s = Some(start_s);
            }
            if kind != Kind::Event && changed(before[1], end_s) {
                mark.end_s = Some(end_s);
            }
            sidecar.set(index, &mark, take)
        });
    }

    /// Returns the point of a time on a track, for tests.
    #[cfg(test)]
    pub fn point(&self, lane: &str, session: &Session, time_s: f32) -> Option<Pos2> {
        let (_, rect) = self.layout.lanes.iter().find(|(l, _)| l.label(session) == lane)?;
        Some(Pos2::new(self.layout.x(time_s), rect.center().y))
    }
}

/// Returns the time of the nearest frame, or the end.
pub(super) fn snap(time_s: f32, take: &Take) -> f32 {
    (time_s * take.rate_hz).round().clamp(0.0, take.frames as f32) / take.rate_hz
}

/// Draws buttons to save tags and to rebuild.
pub(crate) fn save_buttons(ui: &mut egui::Ui, session: &Session) -> Option<Request> {
    let (unsaved, files) = (session.unsaved_tags().len(), session.takes.home == Home::Files);
    let mut request = None;
    let save = egui::Button::new("Save tags");
    let help = format!("{unsaved} sidecars were changed (Ctrl+S)");
    if ui.add_enabled(unsaved > 0, save).on_hover_text(help).clicked() {
        request = Some(Request::SaveTags);
    }
    let words = if unsaved > 0 { "Save and rebuild" } else { "Rebuild" };
    let help = "Build the database again from its files, in the background: the character then plays with the new tags";
    let response = ui.add_enabled(files && session.busy.is_none(), egui::Button::new(words));
    if response.on_hover_text(help).on_disabled_hover_text(where_words(session)).clicked() {
        request = Some(Request::Rebuild);
    }
    request
}

/// Describes the location of the sidecars.
pub(crate) fn where_words(session: &Session) -> String {
    match &session.takes.home {
        Home::Files => "Sidecars lie beside the files of their clips.".to_owned(),
        Home::Folder(folder) => format!(
            "{} does not say where the files of its clips are, so that tags are saved to the folder `{folder}`. Move them beside the \
             files of their clips and build the database again; or open the folder of the clips: then tags are saved beside them.",
            session.name
        ),
    }
}
