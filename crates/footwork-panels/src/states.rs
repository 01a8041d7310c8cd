//! State machine panel: states, outgoing transitions, variables, layers.

use crate::mode::Mode;
use crate::request::Request;
use crate::session::Session;
use crate::style;
use egui::{Align2, Color32, FontId, ProgressBar, RichText, Sense, Slider, SliderClamping, Stroke, TextEdit};
use footwork::advanced::machine::LayerView;
use footwork::machine::{Machine, MachineSpec, StateSpec};
use std::ops::RangeInclusive;

/// Height of a state, in points.
const STATE_PX: f32 = 20.0;

/// State machine panel.
#[derive(Debug, Default)]
pub(crate) struct States {
    /// State whose transitions are shown. None: the character's current state.
    chosen: Option<usize>,
}

impl States {
    /// Draws the panel. Returns the user's request to the shell.
    pub fn ui(&mut self, ui: &mut egui::Ui, session: &mut Session) -> Option<Request> {
        let character = session.shown().character().clone();
        let mut request = None;
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            ui.spacing_mut().slider_width = 110.0;
            match (character.machine(), session.machine()) {
                (Some(machine), _) => self.running(ui, session, machine),
                (None, Some(_)) => {
                    ui.label("Motion matching alone plays. Choose `states` in the bar above.");
                }
                (None, None) => {
                    ui.label("There is no state machine for this data. Open a file of one, or begin a new one.");
                }
            }
            ui.separator();
            request = file(ui, session);
        });
        request
    }

    /// Draws the machine that runs the character.
    fn running(&mut self, ui: &mut egui::Ui, session: &mut Session, machine: &Machine) {
        self.states(ui, session, machine);
        ui.separator();
        // Above all parts with a varying height, so that buttons do not move under the pointer.
        variables(ui, session, machine);
        ui.separator();
        self.transitions(ui, session, machine);
        ui.separator();
        for layer in session.shown().machine_view().into_iter().flat_map(|view| view.layers) {
            self::layer(ui, &layer);
        }
    }

    /// Draws all states, and marks the current one.
    fn states(&mut self, ui: &mut egui::Ui, session: &Session, machine: &Machine) {
        let Some(view) = session.shown().machine_view() else { return };
        for (k, name) in machine.state_names().enumerate() {
            let live = k == view.state_index;
            let words = format!("{name}  {}", plays(machine.spec(), name));
            let time_s = live.then_some(view.state_s);
            if state(ui, k, &words, time_s, self.chosen == Some(k)) {
                // A second click follows the character again.
                self.chosen = (self.chosen != Some(k)).then_some(k);
            }
        }
    }

    /// Draws the transitions out of the selected or current state.
    fn transitions(&self, ui: &mut egui::Ui, session: &Session, machine: &Machine) {
        let Some(view) = session.shown().machine_view() else { return };
        let of = self.chosen.filter(|k| *k < machine.state_names().len()).unwrap_or(view.state_index);
        ui.label(format!("Transitions out of `{}`", machine.state_names().nth(of).unwrap_or_default()));
        let mut any = false;
        for (to, when) in machine.transitions_of(of) {
            any = true;
            ui.horizontal_wrapped(|ui| {
                ui.label(format!("to {to}"));
                ui.monospace(when.unwrap_or("at once"));
            });
        }
        if !any {
            ui.weak("none");
        }
    }
}

/// Draws a state as a bar. Returns true if it was clicked.
fn state(ui: &mut egui::Ui, place: usize, words: &str, time_s: Option<f32>, chosen: bool) -> bool {
    let size = egui::vec2(ui.available_width(), STATE_PX);
    let (response, painter) = ui.allocate_painter(size, Sense::click());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, words));
    let (bar, visuals) = (response.rect.shrink(1.0), ui.visuals());
    let (fill, text) = match time_s {
        Some(_) => (style::state(place), Color32::BLACK),
        None => (visuals.faint_bg_color, visuals.text_color()),
    };
    let edge = if chosen { visuals.strong_text_color() } else { visuals.weak_text_color().gamma_multiply(0.4) };
    painter.rect(bar, 4.0, fill, Stroke::new(1.0, edge), egui::StrokeKind::Inside);
    let font = FontId::proportional(12.0);
    let inside = painter.with_clip_rect(bar.shrink2(egui::vec2(6.0, 0.0)));
    let left = bar.left_center() + egui::vec2(6.0, 0.0);
    inside.text(left, Align2::LEFT_CENTER, words, font.clone(), text);
    if let Some(time_s) = time_s {
        let right = bar.right_center() - egui::vec2(6.0, 0.0);
        inside.text(right, Align2::RIGHT_CENTER, format!("{time_s:.1} s"), font, text);
    }
    response.clicked()
}

/// Describes the motion of a state.
fn plays(spec: &MachineSpec, name: &str) -> String {
    let Some(state) = find(&spec.states, name) else { return String::new() };
    let clips = || state.clip.as_ref().map(|clip| format!("▶ {}", clip.names().join(", ")));
    let matching = state.matching.as_ref().map(|query| match &**query {
        "" => "motion matching".to_owned(),
        query => format!("match {query}"),
    });
    let blend = || state.blend_space.as_ref().map(|name| format!("blend {name}"));
    matching.or_else(clips).or_else(blend).unwrap_or_default()
}

/// Finds a state by its full name.
fn find<'a>(states: &'a [StateSpec], name: &str) -> Option<&'a StateSpec> {
    states.iter().find_map(|s| {
        let rest = name.strip_prefix(&*s.name)?;
        match (&s.machine, rest.strip_prefix('/')) {
            (Some(part), Some(inner)) => find(&part.states, inner),
            _ => rest.is_empty().then_some(s),
        }
    })
}

/// Draws variables and triggers: sliders and buttons while the character is driven here, values for a recording.
fn variables(ui: &mut egui::Ui, session: &mut Session, machine: &Machine) {
    let spec = machine.spec();
    let recorded: Option<Vec<f32>> = match (&session.mode, &session.followed) {
        (Mode::Review(review), _) => Some(review.replay.input().variables.clone()),
        (_, Some(followed)) => Some(followed.replay.input().variables.clone()),
        _ => None,
    };
    if let Some(recorded) = recorded {
        // If the game set no variables, the machine's defaults apply.
        let values = if recorded.is_empty() { machine.variables().values().to_vec() } else { recorded };
        egui::Grid::new("variables").num_columns(2).striped(true).show(ui, |ui| {
            for (name, value) in machine.variable_names().iter().zip(values).take(spec.variables.len()) {
                ui.label(name);
                ui.monospace(format!("{value:.2}"));
                ui.end_row();
            }
        });
        return;
    }
    for (place, name) in machine.variable_names().iter().enumerate().take(spec.variables.len()) {
        let Some(mut value) = session.variables.values().get(place).copied() else { continue };
        let slider = Slider::new(&mut value, range(spec, name)).clamping(SliderClamping::Never);
        if ui.add(slider.text(name).max_decimals(2)).changed() {
            // The name is one of the machine's own, so this succeeds.
            let _ = session.variables.set(name, value);
        }
    }
    ui.horizontal_wrapped(|ui| {
        for name in spec.triggers.keys() {
            if ui.button(name).on_hover_text("Fires this trigger").clicked() {
                let _ = session.variables.fire(name);
            }
        }
    });
}

/// Returns the range of a variable's slider: that of the blend spaces that use it, otherwise 0 to 1.
fn range(spec: &MachineSpec, name: &str) -> RangeInclusive<f32> {
    let default = spec.variables.get(name).copied().unwrap_or(0.0);
    let of_space = spec.blend_spaces.iter().filter_map(|space| {
        let k = space.parameters.iter().position(|p| p == name)?;
        let given = space.ranges.as_ref().and_then(|r| r.get(k)).copied();
        let values = || space.samples.iter().filter_map(|s| s.at.get(k).copied());
        let covered = || Some([values().reduce(f32::min)?, values().reduce(f32::max)?]);
        given.or_else(covered)
    });
    let [least, most] = of_space.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]).unwrap_or([0.0, 1.0]);
    least.min(default)..=most.max(default)
}

/// Draws the text of the machine's file, with its error or warnings.
fn file(ui: &mut egui::Ui, session: &mut Session) -> Option<Request> {
    let unsaved = session.unsaved_machine().is_some();
    let Some(file) = session.machine_file() else {
        if ui.button("New state machine").clicked() {
            session.begin_machine();
        }
        return None;
    };
    let (mut text, error, differs) =
        (file.text().to_owned(), file.error().map(str::to_owned), file.differs_from_machine());
    let name = file.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let warnings = file.warnings().to_vec();
    let mut request = None;
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(&name).strong());
        let apply = egui::Button::new("Apply");
        let help = "Puts this text in force: the character goes on in the state of the same name";
        if ui.add_enabled(error.is_none() && differs, apply).on_hover_text(help).clicked()
            && let Err(what) = session.apply_machine()
        {
            session.message = Some(what);
        }
        if ui.add_enabled(unsaved, egui::Button::new("Save")).clicked() {
            request = Some(Request::SaveMachine);
        }
        if differs {
            ui.weak("not in force");
        }
    });
    if let Some(error) = &error {
        ui.colored_label(ui.visuals().error_fg_color, error);
    }
    for warning in &warnings {
        ui.colored_label(ui.visuals().warn_fg_color, warning);
    }
    let editor = TextEdit::multiline(&mut text).code_editor().desired_width(f32::INFINITY).id_salt("machine file");
    if egui::ScrollArea::horizontal().show(ui, |ui| ui.add(editor)).inner.changed() {
        session.edit_machine(&text);
    }
    request
}

/// Draws the weights of a layer's montages.
fn layer(ui: &mut egui::Ui, layer: &LayerView) {
    ui.label(RichText::new(format!("Layer `{}`", layer.name)).strong());
    if layer.own_weight > 0.0 {
        ui.add(ProgressBar::new(layer.own_weight).text(format!("its own  {:.2}", layer.own_weight)));
    }
    for m in &layer.montages {
        let section = if m.section.is_empty() { String::new() } else { format!(" / {}", m.section) };
        let broken_off = if m.broken_off { "  broken off" } else { "" };
        let words = format!("{}{section}  {:.2} s  {:.2}{broken_off}", m.name, m.time_s, m.weight);
        ui.add(ProgressBar::new(m.weight).text(words));
    }
    if layer.own_weight <= 0.0 && layer.montages.is_empty() {
        ui.weak("nothing");
    }
}
