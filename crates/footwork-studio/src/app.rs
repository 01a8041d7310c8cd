//! The application: opens and saves files, and stores unsaved changes.

use crate::kept::Kept;
use crate::open::{Chosen, Files, OpenError, Opened, Work};
use crate::path_field::PathField;
use crate::shell;
use eframe::{Frame, Storage};
use egui::{Align2, Color32, FontId};
use footwork_panels::{Job, Request, Studio, Tuning};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Initial files of the application.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// Files to open.
    pub files: Files,
    /// File of settings. Default: `footwork.toml`.
    pub config: Option<PathBuf>,
}

/// The application.
#[derive(Debug)]
pub struct App {
    studio: Option<Studio>,
    /// Files of the open data.
    files: Files,
    /// Background work that does not block the character: a rebuild, or the doctor.
    background: Option<Loading>,
    loading: Option<Loading>,
    /// File where settings are saved.
    config: PathBuf,
    message: Option<String>,
    /// Files to open after the current ones, last first.
    next: Vec<Files>,
    /// Unsaved changes of other data, and those of the last run.
    kept: Kept,
    chooser: shell::Chooser,
    path_field: PathField,
    gamepads: shell::Gamepads,
    live: Option<shell::Live>,
}

#[derive(Debug)]
struct Loading {
    what: String,
    /// Files to open; `None` for other work.
    files: Option<Files>,
    job: Job<Opened, OpenError>,
}

impl App {
    /// Starts the application and begins to load the files.
    // Without the feature `gamepad`, `Gamepads` is a unit struct.
    #[allow(clippy::default_constructed_unit_structs)]
    pub fn new(start: &Start, storage: Option<&dyn Storage>) -> Self {
        let mut app = Self {
            studio: None,
            files: Files::default(),
            background: None,
            loading: None,
            config: start.config.clone().unwrap_or_else(|| PathBuf::from("footwork.toml")),
            message: None,
            next: start.config.iter().map(|path| Files::Disk(vec![path.clone()])).collect(),
            kept: Kept::load(storage),
            chooser: shell::Chooser::default(),
            path_field: PathField::default(),
            gamepads: shell::Gamepads::default(),
            live: None,
        };
        app.open(start.files.clone());
        app
    }

    /// Shows the characters of games that connect.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn listen(&mut self, listener: footwork_stream::Listener) {
        self.live = Some(shell::Live::new(listener));
    }

    /// Returns the panels once data is loaded.
    pub fn studio(&mut self) -> Option<&mut Studio> {
        self.studio.as_mut()
    }

    /// Returns the displayed message.
    pub fn message(&self) -> Option<&str> {
        let of_session = self.studio.as_ref().and_then(|s| s.session.message.as_deref());
        self.message.as_deref().or(of_session)
    }

    /// Returns true while files are loaded.
    pub fn is_loading(&self) -> bool {
        self.loading.is_some()
    }

    /// Starts opening files, as if they were dropped.
    ///
    /// Opens files of several kinds one after the other: data first, then files that need data. Opens the built-in data first if
    /// there is no data yet, and none among the files.
    pub fn open(&mut self, files: Files) {
        self.message = None;
        let mut order = files.in_order();
        if order.is_empty() || self.studio.is_none() && order[0].need_data() {
            order.insert(0, Files::default());
        }
        self.next.extend(order.into_iter().rev());
        self.load_next();
    }

    fn load_next(&mut self) {
        if let Some(next) = self.next.pop() {
            self.load(next);
        }
    }

    fn load(&mut self, files: Files) {
        let what = files.first().map_or("built-in data".to_owned(), |p| p.display().to_string());
        // Unsaved changes belong to the open data, so they are not used.
        let job = Work::Open(files.clone()).start(self.tuning().as_saved());
        self.loading = Some(Loading { what, files: Some(files), job });
    }

    fn tuning(&self) -> Tuning {
        self.studio.as_ref().map(|s| s.session.tuning.clone()).unwrap_or_default()
    }

    /// Starts background work.
    fn begin(&mut self, what: &str, work: Work) {
        let job = work.start(self.tuning());
        self.background = Some(Loading { what: what.to_owned(), files: None, job });
        if let Some(studio) = &mut self.studio {
            studio.session.busy = Some(what.to_owned());
        }
    }

    /// Handles newly opened data. Cancels background work for the previous data.
    fn opened(&mut self, files: Option<Files>) {
        self.background = None;
        self.files = files.unwrap_or_default();
        let Some(studio) = &mut self.studio else { return };
        let [tags, machine] = self.kept.restore(&mut studio.session);
        self.say(tags);
        self.say(machine);
    }

    /// Appends to the displayed message.
    fn say(&mut self, words: Option<String>) {
        let said: Vec<String> = self.message.take().into_iter().chain(words).collect();
        self.message = (!said.is_empty()).then(|| said.join(" "));
    }

    fn take(&mut self, opened: Opened, files: Option<Files>) {
        let mut refused = None;
        match (opened, &mut self.studio) {
            (Opened::Session(session), studio) => {
                if let Some(old) = studio {
                    self.kept.keep(&old.session);
                }
                match studio {
                    Some(studio) => studio.open(*session),
                    none => *none = Some(Studio::new(*session)),
                }
                self.opened(files);
            }
            (Opened::Trace(trace), Some(studio)) => refused = studio.session.open_trace(*trace).err(),
            (Opened::Settings(tuning, path), Some(studio)) => {
                refused = studio.session.set_tuning(*tuning).err();
                if refused.is_none() {
                    self.config = path;
                }
            }
            (Opened::Machine(path, text), Some(studio)) => {
                let session = &mut studio.session;
                let opened = session.open_machine(&path, text.clone(), Some(text));
                refused = opened.and_then(|()| session.run_machine(true)).err();
            }
            (Opened::Sidecars(files), Some(studio)) => refused = studio.session.open_sidecars(&files).err(),
            (Opened::Rebuilt(session), Some(studio)) => refused = studio.continue_with(*session).err(),
            (Opened::Findings(findings), Some(studio)) => studio.session.findings = Some(*findings),
            (Opened::Networks(networks), Some(studio)) => {
                let session = &mut studio.session;
                let playing = session.set_networks(Arc::new(*networks)).and_then(|()| session.play_networks(true));
                refused = playing.err();
            }
            (_, None) => {}
        }
        self.say(refused);
        self.go_on();
    }

    /// Opens the next files. After the last, restores unsaved settings of the data.
    fn go_on(&mut self) {
        if !self.next.is_empty() {
            return self.load_next();
        }
        let Some(studio) = &mut self.studio else { return };
        let Some(text) = self.kept.settings.remove(&studio.session.name) else { return };
        let restored = Tuning::parse(&text).and_then(|kept| studio.session.replace_tuning(&kept));
        let words = "Settings of this data that were not saved are in force again. Undo takes them back.";
        self.say(Some(restored.err().unwrap_or_else(|| words.to_owned())));
    }

    fn poll(&mut self) {
        if let Some(result) = self.background.as_mut().and_then(|going| going.job.poll()) {
            self.background = None;
            self.message = None;
            match result {
                Ok(done) => self.take(done, None),
                Err(e) => self.message = Some(e.to_string()),
            }
        }
        if let Some(studio) = &mut self.studio {
            studio.session.busy = self.background.as_ref().map(|going| going.what.clone());
        }
        let Some(result) = self.loading.as_mut().and_then(|loading| loading.job.poll()) else { return };
        let files = self.loading.take().and_then(|loading| loading.files);
        match result {
            Ok(opened) => self.take(opened, files),
            Err(e) => {
                self.say(Some(e.to_string()));
                // If there is no data yet, load the built-in data.
                match self.studio {
                    None => self.load(Files::default()),
                    Some(_) => self.go_on(),
                }
            }
        }
    }

    /// Saves the changed sidecars, each atomically. Returns a message for the user.
    fn save_tags(&mut self) -> Result<String, String> {
        let Some(studio) = &mut self.studio else { return Ok(String::new()) };
        let mut saved = Vec::new();
        for one in studio.session.unsaved_tags() {
            shell::check_unchanged(&one.path, one.saved.as_deref(), &one.text)?;
            saved.push(shell::save(&one.path, one.text.as_bytes())?);
            self.files.put(&one.path, &one.text);
            studio.session.mark_tags_saved(&one);
        }
        Ok(match saved.as_slice() {
            [] => "No tags were changed.".to_owned(),
            [one] => format!("Tags saved to {one}."),
            [first, ..] => format!("Tags saved: {} sidecars, the first to {first}.", saved.len()),
        })
    }

    fn save_settings(&mut self) -> Result<String, String> {
        let Some(studio) = &mut self.studio else { return Ok(String::new()) };
        let place = shell::save(&self.config, studio.session.tuning.text().as_bytes())?;
        studio.session.tuning.mark_saved();
        Ok(format!("Settings saved to {place}."))
    }

    fn save_machine(&mut self) -> Result<String, String> {
        let Some(studio) = &mut self.studio else { return Ok(String::new()) };
        let Some(file) = studio.session.machine_file() else {
            return Err("there is no file of a state machine: open one, or begin a new one".to_owned());
        };
        shell::check_unchanged(file.path(), file.saved(), file.text())?;
        let place = shell::save(file.path(), file.text().as_bytes())?;
        studio.session.mark_machine_saved();
        Ok(format!("State machine saved to {place}."))
    }

    /// Saves all changes; without changes, saves the settings.
    fn save_all(&mut self) -> Result<String, String> {
        let Some(studio) = &self.studio else { return Ok(String::new()) };
        let (settings, tags) = (studio.session.tuning.is_changed(), !studio.session.unsaved_tags().is_empty());
        let machine = studio.session.unsaved_machine().is_some();
        let mut said = Vec::new();
        if tags {
            said.push(self.save_tags()?);
        }
        if machine {
            said.push(self.save_machine()?);
        }
        if settings || !(tags || machine) {
            said.push(self.save_settings()?);
        }
        Ok(said.join(" "))
    }

    fn fulfil(&mut self, request: Request) {
        let Some(studio) = &mut self.studio else { return };
        let saved = match request {
            Request::Save => self.save_all(),
            Request::SaveSettings => self.save_settings(),
            Request::SaveTags => self.save_tags(),
            Request::SaveMachine => self.save_machine(),
            Request::Rebuild => match self.save_tags() {
                Ok(_) => {
                    self.begin("building the database", Work::Rebuild(self.files.clone()));
                    return;
                }
                Err(what) => Err(what),
            },
            Request::Examine => {
                let work = if studio.session.has_files() {
                    Work::Examine(self.files.clone())
                } else {
                    Work::ExamineDatabase(studio.session.database().clone())
                };
                self.begin("looking for faults", work);
                return;
            }
            Request::SaveTrace => {
                let bytes = studio.session.trace().to_bytes();
                let saved = bytes.and_then(|bytes| shell::save(Path::new("recording.fwtrace"), &bytes));
                saved.map(|place| format!("Recording saved to {place}."))
            }
            Request::Open => return self.chooser.choose(Chosen::Files),
            Request::OpenFolder => return self.chooser.choose(Chosen::Folder),
            Request::OpenPath => {
                self.path_field.open();
                return;
            }
        };
        self.message = Some(saved.unwrap_or_else(|what| what));
    }

    /// Draws the application.
    pub fn show(&mut self, ui: &mut egui::Ui) {
        self.poll();
        let dropped: Vec<PathBuf> = ui.input(|i| i.raw.dropped_files.iter().filter_map(|f| f.path.clone()).collect());
        let dropped = (!dropped.is_empty()).then_some(Ok(Files::Disk(dropped)));
        if let Some(files) = dropped.or_else(|| self.chooser.received()) {
            match files {
                Ok(files) => self.open(files),
                Err(what) => {
                    self.message = Some(what);
                    // A web page has no paths.
                    if shell::Chooser::FOLDERS {
                        self.path_field.open();
                    }
                }
            }
        }
        if let Some(path) = self.path_field.ui(ui.ctx()) {
            self.open(Files::Disk(vec![path]));
        }
        let dt_s = ui.input(|i| i.stable_dt);
        let area = ui.max_rect();
        if let Some(message) = self.message.clone() {
            egui::Panel::bottom("said").show_inside(ui, |ui| {
                ui.horizontal(|ui| {
                    if ui.button("Close").clicked() {
                        self.message = None;
                    }
                    ui.add(egui::Label::new(message).wrap());
                });
            });
        }
        if let Some((live, studio)) = self.live.as_mut().zip(self.studio.as_mut()) {
            self.message = live.poll(&mut studio.session).or(self.message.take());
            live.ui(ui, &mut studio.session);
        }
        let hands = self.gamepads.hands();
        let request = self.studio.as_mut().and_then(|studio| {
            (studio.pad, studio.can_open_folders) = (hands, shell::Chooser::FOLDERS);
            studio.ui(ui, dt_s)
        });
        if let Some(request) = request {
            self.fulfil(request);
        }
        let words = match &self.loading {
            Some(loading) => format!("Loading {} ..", loading.what),
            None if ui.input(|i| !i.raw.hovered_files.is_empty()) => "Drop to open".to_owned(),
            None => return ui.ctx().request_repaint(),
        };
        let painter = ui.ctx().layer_painter(egui::LayerId::new(egui::Order::Foreground, egui::Id::new("loading")));
        painter.rect_filled(area, 0.0, Color32::from_black_alpha(if self.studio.is_some() { 110 } else { 0 }));
        let colour = if self.studio.is_some() { Color32::WHITE } else { ui.visuals().text_color() };
        painter.text(area.center(), Align2::CENTER_CENTER, words, FontId::proportional(20.0), colour);
        ui.ctx().request_repaint();
    }
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut Frame) {
        self.show(ui);
    }

    fn save(&mut self, storage: &mut dyn Storage) {
        self.kept.save(self.studio.as_ref().map(|studio| &studio.session), storage);
    }

    fn auto_save_interval(&self) -> Duration {
        Duration::from_secs(5)
    }
}
