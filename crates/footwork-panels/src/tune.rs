//! Tuning panel: weights, then every setting of the matcher with its description, and a comparison of before and after.

use crate::measure::Measure;
use crate::session::Session;
use egui::{DragValue, RichText};
use footwork::advanced::settings::{Choice, Field, Kind, Settings};
use footwork::matcher::MatcherConfig;
use footwork_metrics::eval::Variant;
use serde_json::{Value, json};

/// Maximum of a weight's slider, relative to its default.
const MOST_WEIGHT: f64 = 10.0;

/// Tuning panel.
#[derive(Debug, Default)]
pub struct Tune {
    filter: String,
    pub(crate) measure: Measure,
}

/// A value changed by the user.
struct Change {
    path: Vec<String>,
    /// New value; `None` restores the default.
    value: Option<Value>,
    moving: bool,
}

impl Tune {
    /// Starts measuring the effect of the changes.
    pub(crate) fn measure(&mut self, session: &Session) {
        let of = |name: &str, config| Variant { name: name.to_owned(), config, mover: session.mover() };
        let (before, after) = (session.tuning.saved(), session.tuning.matcher().clone());
        self.measure.start(session.database().clone(), [of("before", before), of("after", after)]);
    }

    /// Draws the panel and applies changes.
    pub(crate) fn ui(&mut self, ui: &mut egui::Ui, session: &mut Session) {
        ui.horizontal(|ui| {
            let undo = egui::Button::new("⟲ Undo");
            if ui.add_enabled(session.can_undo(), undo).on_hover_text("Ctrl+Z").clicked() {
                session.undo();
            }
            let redo = egui::Button::new("⟳ Redo");
            if ui.add_enabled(session.can_redo(), redo).on_hover_text("Ctrl+Shift+Z").clicked() {
                session.redo();
            }
            ui.add(
                egui::TextEdit::singleline(&mut self.filter).hint_text("find a setting").desired_width(f32::INFINITY),
            );
        });
        ui.add_space(4.0);
        let help = "Drives short courses with the settings of the file (before) and with these (after)";
        if self.measure.ui(ui, session, help) {
            self.measure(session);
        }
        ui.separator();
        game(ui, session);
        let Ok(values) = serde_json::to_value(session.tuning.matcher()) else { return };
        let mut change = None;
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            let filter = self.filter.trim().to_lowercase();
            if filter.is_empty() {
                egui::CollapsingHeader::new("Weights of channels").default_open(true).show(ui, |ui| {
                    weights(ui, session, &mut change);
                });
            }
            let mut path = Vec::new();
            fields(ui, &mut path, MatcherConfig::FIELDS, &values, &filter, &mut change);
        });
        if let Some(change) = change {
            let path: Vec<&str> = change.path.iter().map(String::as_str).collect();
            session.set(&path, change.value.as_ref(), change.moving);
        }
    }
}

/// Draws the settings of the followed game that differ from the session's.
fn game(ui: &mut egui::Ui, session: &mut Session) {
    let others = session.other_settings();
    if others.is_empty() {
        return;
    }
    let title = format!("The game has {} other settings", others.len());
    egui::CollapsingHeader::new(title).id_salt("settings of the game").show(ui, |ui| {
        ui.label("Those below are of this window; they do not reach the game. Name: in the game, here.");
        for (name, there, here) in &others {
            ui.label(RichText::new(format!("{name}: {there}, {here}")).monospace().small());
        }
    });
    if ui.button("Take the game's settings").on_hover_text("One step: undo takes it back").clicked() {
        session.take_settings();
    }
    ui.separator();
}

fn weights(ui: &mut egui::Ui, session: &Session, change: &mut Option<Change>) {
    let config = session.tuning.matcher();
    for (c, channel) in session.database.schema.channels.iter().enumerate() {
        let mut value = f64::from(config.channel_cost.get(&channel.label).copied().unwrap_or(1.0));
        let path = vec!["channel_cost".to_owned(), channel.label.clone()];
        ui.horizontal(|ui| {
            let (rect, _) = ui.allocate_exact_size(egui::vec2(10.0, 10.0), egui::Sense::hover());
            ui.painter().rect_filled(rect, 2.0, crate::style::channel(c));
            let slider = egui::Slider::new(&mut value, 0.0..=MOST_WEIGHT).logarithmic(true).smallest_positive(0.01);
            let response =
                ui.add(slider.max_decimals(2)).on_hover_text("Factor on the cost of this channel; 1 is the default");
            let label = ui.label(&channel.label);
            let response = response.labelled_by(label.id);
            keep(&response, &path, json!(value), change);
        });
    }
}

/// Stores a value if its widget changed it.
fn keep(response: &egui::Response, path: &[String], value: Value, change: &mut Option<Change>) {
    if response.changed() {
        *change = Some(Change { path: path.to_vec(), value: Some(value), moving: response.dragged() });
    } else if response.secondary_clicked() {
        *change = Some(Change { path: path.to_vec(), value: None, moving: false });
    }
}

fn fields(
    ui: &mut egui::Ui,
    path: &mut Vec<String>,
    fields_of: &'static [Field],
    values: &Value,
    filter: &str,
    change: &mut Option<Change>,
) {
    for field in fields_of {
        let Some(value) = values.get(field.key) else { continue };
        path.push(field.key.to_owned());
        match &field.kind {
            Kind::Table(inner) if any(inner, filter) || fits(field, filter) => {
                let within = if fits(field, filter) { "" } else { filter };
                let header = header(field, path, filter);
                header.show(ui, |ui| fields(ui, path, inner, value, within, change));
            }
            // Weights have their own sliders.
            Kind::Map(_) | Kind::Table(_) => {}
            _ if fits(field, filter) => setting(ui, path, field, value, change),
            _ => {}
        }
        path.pop();
    }
}

/// Returns the header of a table of settings, open while a filter is set.
fn header(field: &Field, path: &[String], filter: &str) -> egui::CollapsingHeader {
    let title = field.help().first().cloned().unwrap_or_default();
    let title = title.trim_end_matches('.').to_owned();
    let header = egui::CollapsingHeader::new(title).id_salt(path.join("."));
    if filter.is_empty() { header } else { header.open(Some(true)) }
}

fn fits(field: &Field, filter: &str) -> bool {
    filter.is_empty() || field.key.contains(filter) || field.doc.to_lowercase().contains(filter)
}

fn any(fields: &'static [Field], filter: &str) -> bool {
    fields.iter().any(|f| match &f.kind {
        Kind::Table(inner) => fits(f, filter) || any(inner, filter),
        _ => fits(f, filter),
    })
}

fn setting(ui: &mut egui::Ui, path: &[String], field: &Field, value: &Value, change: &mut Option<Change>) {
    let help = |ui: &mut egui::Ui| {
        ui.set_max_width(320.0);
        ui.label(RichText::new(path.join(".")).monospace());
        for paragraph in field.help() {
            ui.label(paragraph);
        }
        if let Some((low, high)) = field.range {
            ui.label(format!("{low} to {high} {}", field.unit));
        }
        ui.label(format!("Default: {}. Right-click: back to the default.", (field.default)()));
    };
    let kind = match &field.kind {
        Kind::Optional(inner) => inner,
        kind => kind,
    };
    ui.horizontal(|ui| {
        let mut named = |response: egui::Response, ui: &mut egui::Ui, value: Value| {
            let label = ui.label(field.key).on_hover_ui(help);
            let response = response.on_hover_ui(help).labelled_by(label.id);
            keep(&response, path, value, change);
        };
        match kind {
            Kind::Switch => {
                let mut on = value.as_bool().unwrap_or(false);
                let response = ui.checkbox(&mut on, "");
                named(response, ui, json!(on));
            }
            Kind::Number => {
                let (response, number) = number(ui, field, value);
                named(response, ui, json!(number));
            }
            Kind::Count => {
                let mut count = value.as_u64().unwrap_or(0);
                let (low, high) = field.range.map_or((0, u64::MAX), |(l, h)| (l as u64, h as u64));
                let response = ui.add(DragValue::new(&mut count).range(low..=high));
                named(response, ui, json!(count));
            }
            Kind::Choice(choices) => {
                let (response, now) = choice(ui, path, choices, value);
                named(response, ui, json!(now));
            }
            _ => {
                ui.label(RichText::new(value.to_string()).monospace().small());
                ui.label(field.key).on_hover_ui(help);
            }
        }
    });
}

/// Draws a number. Returns the response and the number.
fn number(ui: &mut egui::Ui, field: &Field, value: &Value) -> (egui::Response, f64) {
    let mut number = value.as_f64().map_or(0.0, |v| f64::from(v as f32));
    let (low, high) = field.range.unwrap_or((f64::MIN, f64::MAX));
    let speed = (number.abs() * 0.01).max(0.002);
    let drag = DragValue::new(&mut number).range(low..=high).speed(speed).max_decimals(4);
    let unit = if field.unit.is_empty() { String::new() } else { format!(" {}", field.unit) };
    let response = ui.add(drag.suffix(unit));
    let number: f64 = (number as f32).to_string().parse().unwrap_or(number);
    (response, number)
}

/// Draws a selection among names. Returns the response and the selected name.
fn choice(ui: &mut egui::Ui, path: &[String], choices: &[Choice], value: &Value) -> (egui::Response, String) {
    let before = value.as_str().unwrap_or_default().to_owned();
    let mut now = before.clone();
    let combo = egui::ComboBox::from_id_salt(path.join(".")).selected_text(&before).show_ui(ui, |ui| {
        for choice in choices {
            ui.selectable_value(&mut now, choice.name.to_owned(), choice.name).on_hover_text(choice.help());
        }
    });
    let mut response = combo.response;
    if now != before {
        response.mark_changed();
    }
    (response, now)
}
