//! Line above the tracks of a clip: name and numbers of the selected mark.

use super::mark::{Kind, Mark};
use super::session::ClipPlace;
use super::track::{ClipTimeline, snap};
use crate::session::Session;
use egui::DragValue;

const HINT: &str =
    "Drag on a track: a range. Drag an edge or the middle of one: change it. Double-click: an event. Wheel: zoom.";

impl ClipTimeline {
    pub(super) fn editor(&mut self, ui: &mut egui::Ui, session: &mut Session, place: ClipPlace) {
        looping(ui, session, place.take);
        ui.separator();
        let take = &session.takes.list[place.take];
        let found = self.selected.and_then(|(kind, index)| Some(((kind, index), take.sidecar.mark(kind, index)?)));
        let Some((selected, mark)) = found else {
            if ui.button("Event here").on_hover_text("An event at the time that is shown").clicked() {
                let time_s = snap(place.time_s as f32, &take.take);
                self.event_at(session, place.take, time_s);
            }
            ui.add(egui::Label::new(egui::RichText::new(HINT).weak()).truncate());
            return;
        };
        ui.label(mark.kind.name());
        let mut next = mark.clone();
        let mut moving = false;
        if mark.kind.is_named() {
            moving |= self.name(ui, session, &mut next);
        }
        if mark.kind == Kind::Cost {
            let response = ui.add(DragValue::new(&mut next.cost).range(0.0..=1e6).speed(0.01));
            moving |= response.on_hover_text("Added to the cost of transitions into the range").dragged();
        }
        moving |= times(ui, session, place.take, &mut next);
        if ui.button("Delete").on_hover_text("Remove it (Delete)").clicked() {
            self.delete(session, place.take);
            return;
        }
        if next != mark {
            let (_, index) = selected;
            session.edit_tags(place.take, moving, |sidecar, take| sidecar.set(index, &next, take));
        }
    }

    fn event_at(&mut self, session: &mut Session, take: usize, time_s: f32) {
        let mark = Mark { kind: Kind::Event, name: "new".to_owned(), cost: 0.0, start_s: Some(time_s), end_s: None };
        let made = session.edit_tags(take, false, |sidecar, take| sidecar.add(&mark, take));
        self.selected = made.map(|index| (Kind::Event, index));
        self.name_new = made.is_some();
    }

    /// Edits a name, typed or selected. Returns true while the text field has the focus.
    fn name(&mut self, ui: &mut egui::Ui, session: &Session, mark: &mut Mark) -> bool {
        let mut typed = self.typed.clone().unwrap_or_else(|| mark.name.clone());
        let response = ui.add(egui::TextEdit::singleline(&mut typed).desired_width(110.0).hint_text("name"));
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::TextEdit, true, "name of the mark"));
        if std::mem::take(&mut self.name_new) && !response.has_focus() && !ui.input(|i| i.pointer.any_down()) {
            response.request_focus();
            let mut state = egui::TextEdit::load_state(ui.ctx(), response.id).unwrap_or_default();
            let all = egui::text::CCursorRange::two(
                egui::text::CCursor::new(0),
                egui::text::CCursor::new(typed.chars().count()),
            );
            state.cursor.set_char_range(Some(all));
            state.store(ui.ctx(), response.id);
        }
        let focused = response.has_focus();
        if response.changed() && !typed.trim().is_empty() {
            mark.name = typed.trim().to_owned();
        }
        self.typed = focused.then_some(typed);
        egui::ComboBox::from_id_salt("known names").selected_text("").width(14.0).show_ui(ui, |ui| {
            for name in session.takes.names(&session.database, mark.kind) {
                if ui.selectable_label(name == mark.name, &name).clicked() {
                    mark.name = name;
                    self.typed = None;
                }
            }
        });
        focused
    }
}

/// Edits start and end, in seconds. Returns true while one is dragged or typed.
fn times(ui: &mut egui::Ui, session: &Session, take: usize, mark: &mut Mark) -> bool {
    let take = &session.takes.list[take].take;
    let (frame_s, span) = (1.0 / take.rate_hz, mark.span(take));
    let drag = |ui: &mut egui::Ui, value: f32| {
        let mut now = value;
        let widget = DragValue::new(&mut now).speed(f64::from(frame_s)).fixed_decimals(3).suffix(" s");
        let response = ui.add(widget);
        (response.changed().then(|| snap(now, take)), response.dragged() || response.has_focus())
    };
    let (start, mut moving) = drag(ui, span[0]);
    if mark.kind == Kind::Event {
        mark.start_s = start.or(mark.start_s);
        return moving;
    }
    if let Some(start) = start {
        mark.start_s = Some(start.min(span[1] - frame_s));
    }
    ui.label("to");
    let (end, more) = drag(ui, span[1]);
    if let Some(end) = end {
        mark.end_s = Some(end.max(span[0] + frame_s));
    }
    moving |= more;
    moving
}

/// Edits the sidecar's loop setting.
fn looping(ui: &mut egui::Ui, session: &mut Session, take: usize) {
    let before = session.takes.list[take].sidecar.looping();
    let mut now = before;
    let words = |looping: Option<bool>| match looping {
        None => "loop: as found",
        Some(true) => "loop: yes",
        Some(false) => "loop: no",
    };
    egui::ComboBox::from_id_salt("loop").selected_text(words(before)).width(96.0).show_ui(ui, |ui| {
        for choice in [None, Some(true), Some(false)] {
            ui.selectable_value(&mut now, choice, words(choice));
        }
    });
    if now != before {
        session.edit_tags(take, false, |sidecar, take| sidecar.set_looping(now, take));
    }
}
