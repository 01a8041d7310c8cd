//! What a change of settings does: the metrics of `footwork eval` over short courses, before and after.

use crate::session::Session;
use egui::RichText;
use footwork::database::Database;
use footwork::matcher::MatcherConfig;
use footwork_metrics::eval::{Evaluation, Row, T90_MEAN, Variant};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// Straight ahead, turns by 180 degrees, starts and stops.
const COURSES: [&str; 3] = ["a", "c", "d"];
/// What is told: key, words, help.
const TOLD: [(&str, &str, &str); 8] = [
    ("label_skate_cm_s", "planted toes slide, cm/s", "How fast toes slide while their contact says that they stand"),
    (
        "height_weighted_skate_cm_s",
        "toes slide near the ground, cm/s",
        "How fast low toes move, by their height, without contacts",
    ),
    ("jerk_root", "jerk, m/s3", "Changes of acceleration of the joints, seen from the root"),
    ("pose_jump_cm", "pose jumps, cm", "How far the body is apart at transitions"),
    ("path_error_m", "path error, m", "Distance from the simulated character"),
    ("heading_error_deg", "heading error, degrees", "Angle to the facing of the simulated character"),
    (T90_MEAN, "response, s", "Time to 90 % of what was commanded"),
    ("transitions_per_s", "transitions per second", "Fewer is not better by itself"),
];

/// Two rows of the evaluation.
type Rows = [Row; 2];

/// The figures beside the settings.
#[derive(Debug, Default)]
pub(crate) struct Measure {
    running: Option<Receiver<Result<Rows, String>>>,
    rows: Option<Rows>,
}

impl Measure {
    /// True while it is measured.
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// The value of a metric before and after, once measured.
    #[cfg(test)]
    pub fn value(&self, key: &str) -> Option<[f32; 2]> {
        let [before, after] = self.rows.as_ref()?;
        Some([before.values.get(key)?.mean, after.values.get(key)?.mean])
    }

    /// Draws a button, and the figures.
    pub fn ui(&mut self, ui: &mut egui::Ui, session: &mut Session) {
        self.poll(session);
        ui.horizontal(|ui| {
            let button = egui::Button::new("Measure");
            let help = "Drives short courses with the settings of the file (before) and with these (after)";
            if ui.add_enabled(!self.is_running(), button).on_hover_text(help).clicked() {
                self.start(session);
            }
            if self.is_running() {
                ui.spinner();
                ui.label("driving over three courses, twice");
            }
        });
        let Some([before, after]) = &self.rows else { return };
        egui::Grid::new("before and after").num_columns(3).striped(true).show(ui, |ui| {
            for words in ["", "before", "after"] {
                ui.label(RichText::new(words).small());
            }
            ui.end_row();
            for (key, words, help) in TOLD {
                let value = |row: &Row| row.values.get(key).map_or("-".to_owned(), |v| short(v.mean));
                ui.label(RichText::new(words).small()).on_hover_text(format!("{help} ({key})"));
                ui.label(RichText::new(value(before)).monospace().small());
                ui.label(RichText::new(value(after)).monospace().small());
                ui.end_row();
            }
        });
    }

    pub fn start(&mut self, session: &Session) {
        let (database, configs) =
            (session.database().clone(), [session.tuning.saved(), session.tuning.matcher().clone()]);
        let (send, receive) = channel();
        self.running = Some(receive);
        // Nobody listens any more where the window was closed.
        let work = move || drop(send.send(measure(database, configs)));
        // The web has no threads: the page waits.
        #[cfg(target_arch = "wasm32")]
        work();
        #[cfg(not(target_arch = "wasm32"))]
        std::thread::spawn(work);
    }

    pub fn poll(&mut self, session: &mut Session) {
        let Some(running) = &self.running else { return };
        let done = match running.try_recv() {
            Ok(done) => done,
            Err(TryRecvError::Empty) => return,
            Err(TryRecvError::Disconnected) => Err("measuring ended without a result".to_owned()),
        };
        self.running = None;
        match done {
            Ok(rows) => self.rows = Some(rows),
            Err(what) => session.message = Some(what),
        }
    }
}

fn measure(database: Arc<Database>, configs: [MatcherConfig; 2]) -> Result<Rows, String> {
    let evaluation = Evaluation::new(database, &COURSES, 1);
    let row = |name: &str, config: MatcherConfig| {
        let variant = Variant { name: name.to_owned(), config, mover: Default::default() };
        evaluation.run(&variant, &|| ()).map(|done| done.row).map_err(|e| e.to_string())
    };
    let [before, after] = configs;
    Ok([row("before", before)?, row("after", after)?])
}

/// Three digits that count.
fn short(value: f32) -> String {
    let decimals = match value.abs() {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        v if v >= 1.0 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}
