//! Layout of all panels.

use crate::acts::acts;
use crate::drive::{Driver, Hands};
use crate::library::Library;
use crate::performance::Performance;
use crate::request::Request;
use crate::session::Session;
use crate::states::States;
use crate::timeline::Timeline;
use crate::tune::Tune;
use crate::viewport::Viewport;
use crate::why::Why;
use egui::{FontId, Key, KeyboardShortcut, Modifiers, Panel, TextStyle};
use footwork_metrics::ground::GroundKind;

/// Tab of the left panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Tab {
    #[default]
    Tune,
    Library,
    Performance,
    States,
    Actions,
}

/// All panels in one layout.
#[derive(Debug)]
pub struct Studio {
    /// Session shown.
    pub session: Session,
    /// Viewport.
    pub viewport: Viewport,
    /// Timeline.
    pub timeline: Timeline,
    /// Explanation of searches.
    pub why: Why,
    pub(crate) tune: Tune,
    library: Library,
    pub(crate) performance: Performance,
    states: States,
    tab: Tab,
    /// Input of a gamepad, if the shell has one.
    pub pad: Hands,
    /// True if the shell can open folders.
    pub can_open_folders: bool,
}

const SMALL_PX: f32 = 11.0;
/// Initial height of the timeline of a recording.
const TIMELINE_PX: f32 = 208.0;
/// Initial height of the timeline of a clip: a ruler, contacts, six tags and the other marks.
const CLIP_TIMELINE_PX: f32 = 304.0;
const UNDO: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::Z);
const REDO: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::Z);
const SAVE: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::S);

impl Studio {
    /// Creates a studio for a session.
    pub fn new(session: Session) -> Self {
        Self {
            session,
            viewport: Viewport::default(),
            timeline: Timeline::default(),
            why: Why::default(),
            tune: Tune::default(),
            library: Library::default(),
            performance: Performance::default(),
            states: States::default(),
            tab: Tab::default(),
            pad: Hands::default(),
            can_open_folders: false,
        }
    }

    /// Replaces the database by a rebuilt one of the same data.
    ///
    /// # Errors
    /// Returns a message if the settings do not fit it; nothing changes.
    pub fn continue_with(&mut self, session: Session) -> Result<(), String> {
        self.session.continue_with(session)
    }

    /// Opens other data in the same window.
    pub fn open(&mut self, session: Session) {
        let viewport = std::mem::take(&mut self.viewport);
        *self = Self { viewport, ..Self::new(session) };
    }

    /// Advances the time by `dt_s` seconds, handles keys and mouse, and draws everything. Returns the user's request to the
    /// shell.
    pub fn ui(&mut self, ui: &mut egui::Ui, dt_s: f32) -> Option<Request> {
        // Small text must be readable, as it includes the numbers beside bars.
        ui.style_mut().text_styles.insert(TextStyle::Small, FontId::proportional(SMALL_PX));
        let hands = Hands::of_keys(ui.ctx()).with(self.pad);
        self.session.advance(dt_s, &hands, self.viewport.orbit.yaw_rad);
        let mut request = None;
        // A drag ends when the mouse is released and no text field has the focus.
        if !ui.input(|i| i.pointer.any_down()) && !ui.ctx().egui_wants_keyboard_input() {
            self.session.history.rest();
        }
        Panel::top("top").show_inside(ui, |ui| self.bar(ui, &mut request));
        if let Some(message) = self.session.message.clone() {
            Panel::bottom("message").show_inside(ui, |ui| {
                ui.horizontal(|ui| {
                    ui.colored_label(ui.visuals().error_fg_color, message);
                    if ui.button("Close").clicked() {
                        self.session.message = None;
                    }
                });
            });
        }
        // The tracks of a clip need more room than a recording: each panel keeps its own size.
        let (id, usual, least) = match self.session.clip_place() {
            Some(_) => ("clip timeline", CLIP_TIMELINE_PX, 180.0),
            None => ("timeline", TIMELINE_PX, 110.0),
        };
        let most = (0.6 * ui.ctx().content_rect().height()).max(least);
        Panel::bottom(id).resizable(true).default_size(usual).size_range(least..=most).show_inside(ui, |ui| {
            request = request.or(self.timeline.ui(ui, &mut self.session));
        });
        Panel::left("left").resizable(true).default_size(300.0).size_range(220.0..=480.0).show_inside(ui, |ui| {
            ui.horizontal_wrapped(|ui| {
                for (tab, words) in [
                    (Tab::Tune, "Tuning"),
                    (Tab::Library, "Database"),
                    (Tab::Performance, "Performance"),
                    (Tab::States, "State machine"),
                    (Tab::Actions, "Actions"),
                ] {
                    ui.selectable_value(&mut self.tab, tab, words);
                }
            });
            ui.separator();
            match self.tab {
                Tab::Tune => self.tune.ui(ui, &mut self.session),
                Tab::Library => request = request.or(self.library.ui(ui, &mut self.session)),
                Tab::Performance => self.performance.ui(ui, &mut self.session),
                Tab::States => request = request.or(self.states.ui(ui, &mut self.session)),
                Tab::Actions => acts(ui, &self.session),
            }
        });
        Panel::right("right").resizable(true).default_size(290.0).size_range(200.0..=480.0).show_inside(ui, |ui| {
            self.why.ui(ui, &mut self.session);
        });
        egui::CentralPanel::no_frame().show_inside(ui, |ui| {
            let ghosts: Vec<_> = self.why.ghost(&self.session).into_iter().collect();
            self.viewport.ui(ui, &mut self.session, &ghosts, dt_s);
        });
        self.shortcuts(ui, &mut request);
        request
    }

    fn bar(&mut self, ui: &mut egui::Ui, request: &mut Option<Request>) {
        ui.horizontal(|ui| {
            ui.menu_button("File", |ui| {
                for (what, words) in [
                    (Request::Open, "Open a database, a recording, networks or clips"),
                    (Request::OpenFolder, "Open a folder of clips"),
                    (Request::OpenPath, "Open a path that you type"),
                    (Request::SaveSettings, "Save settings"),
                    (Request::SaveTags, "Save tags"),
                    (Request::SaveMachine, "Save state machine"),
                    (Request::SaveTrace, "Save recording"),
                ] {
                    let there = match what {
                        Request::SaveMachine => self.session.machine_file().is_some(),
                        Request::OpenFolder | Request::OpenPath => self.can_open_folders,
                        _ => true,
                    };
                    if there && ui.button(words).clicked() {
                        *request = Some(what);
                        ui.close();
                    }
                }
            });
            ui.separator();
            ui.label("Steered by");
            let mut driver = self.session.driver();
            egui::ComboBox::from_id_salt("driver").selected_text(driver.name()).show_ui(ui, |ui| {
                for other in Driver::all() {
                    ui.selectable_value(&mut driver, other, other.name());
                }
            });
            if driver != self.session.driver() {
                self.session.set_driver(driver);
            }
            ui.label("on");
            let mut ground = self.session.ground();
            egui::ComboBox::from_id_salt("ground").selected_text(ground.name()).show_ui(ui, |ui| {
                for other in GroundKind::ALL {
                    ui.selectable_value(&mut ground, other, other.name());
                }
            });
            if ground != self.session.ground() {
                self.session.set_ground(ground);
            }
            self.what_plays(ui);
            if ui.button("Restart").on_hover_text("Begin anew at the origin").clicked() {
                self.session.restart();
            }
            ui.separator();
            let layers = &mut self.viewport.layers;
            ui.checkbox(&mut layers.paths, "paths").on_hover_text("Grey: past. Green: asked for. Red: what was found.");
            ui.checkbox(&mut layers.feet, "feet").on_hover_text("Pale: touches. Dark: held in place.");
            ui.checkbox(&mut layers.contacts, "contacts")
                .on_hover_text("Where an action touches. Green: to come. Dark: touches. Large: requested.");
            ui.checkbox(&mut layers.features, "features").on_hover_text("What the search compares, by channel.");
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                egui::widgets::global_theme_preference_switch(ui);
                let changed = [
                    (self.session.tuning.is_changed(), "settings"),
                    (!self.session.unsaved_tags().is_empty(), "tags"),
                    (self.session.unsaved_machine().is_some(), "state machine"),
                ];
                let changed: Vec<&str> = changed.into_iter().filter(|c| c.0).map(|c| c.1).collect();
                let unsaved =
                    if changed.is_empty() { String::new() } else { format!(" ({} not saved)", changed.join(", ")) };
                ui.add(egui::Label::new(format!("{}{unsaved}", self.session.name)).truncate());
                if let Some(busy) = &self.session.busy {
                    ui.label(busy);
                    ui.spinner();
                }
            });
        });
    }

    /// Draws the choice between clips, the state machine and networks, if there are several.
    fn what_plays(&mut self, ui: &mut egui::Ui) {
        let session = &mut self.session;
        let (machine, networks) = (session.machine().is_some(), session.networks().is_some());
        if !machine && !networks {
            return;
        }
        ui.label("plays");
        let before = [session.runs_machine(), session.plays_networks()];
        let mut now = before;
        ui.selectable_value(&mut now, [false; 2], "clips").on_hover_text("The exact search over the clips");
        if machine {
            let help = "The state machine: motion matching, clips, layers";
            ui.selectable_value(&mut now, [true, false], "states").on_hover_text(help);
        }
        if networks {
            ui.selectable_value(&mut now, [false, true], "networks").on_hover_text("Learned motion matching");
        }
        if now == before {
            return;
        }
        let done = match now {
            [_, true] => session.play_networks(true),
            [true, _] => session.run_machine(true),
            [false, false] if before[1] => session.play_networks(false),
            _ => session.run_machine(false),
        };
        if let Err(what) = done {
            session.message = Some(what);
        }
    }

    fn shortcuts(&mut self, ui: &egui::Ui, request: &mut Option<Request>) {
        let typing = ui.ctx().egui_wants_keyboard_input();
        ui.input_mut(|input| {
            // The longer shortcut is checked first, because it contains the other.
            if !typing && input.consume_shortcut(&REDO) {
                self.session.redo();
            } else if !typing && input.consume_shortcut(&UNDO) {
                self.session.undo();
            } else if input.consume_shortcut(&SAVE) {
                *request = Some(Request::Save);
            }
        });
    }
}
