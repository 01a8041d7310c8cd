//! Comparison of two variants, such as before and after a change, with the metrics of `footwork eval` over short courses.

use crate::job::Job;
use crate::session::Session;
use egui::RichText;
use footwork::database::Database;
use footwork_metrics::eval::{Evaluation, Row, T90_MEAN, Variant};
use std::sync::Arc;

/// Courses: straight ahead, turns by 90 and 180 degrees, starts and stops.
const COURSES: [&str; 4] = ["a", "b", "c", "d"];
/// Displayed metrics: key, label, help.
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

/// One row of the evaluation per variant.
type Rows = [Row; 2];

/// Comparison of two variants over the same courses.
#[derive(Debug, Default)]
pub(crate) struct Measure {
    running: Option<Job<Rows>>,
    rows: Option<Rows>,
}

impl Measure {
    /// Returns true while the measurement runs.
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Returns the value of a metric for both variants, once measured.
    #[cfg(test)]
    pub fn value(&self, key: &str) -> Option<[f32; 2]> {
        let [before, after] = self.rows.as_ref()?;
        Some([before.values.get(key)?.mean, after.values.get(key)?.mean])
    }

    /// Draws a button and the results. Returns true when the button is clicked.
    pub fn ui(&mut self, ui: &mut egui::Ui, session: &mut Session, help: &str) -> bool {
        self.poll(session);
        let mut asked = false;
        ui.horizontal(|ui| {
            let button = egui::Button::new("Measure");
            asked = ui.add_enabled(!self.is_running(), button).on_hover_text(help).clicked();
            if self.is_running() {
                ui.spinner();
                ui.label("driving over four courses, twice");
            }
        });
        let Some([before, after]) = &self.rows else { return asked };
        egui::Grid::new(help).num_columns(3).striped(true).show(ui, |ui| {
            for words in ["", &before.variant, &after.variant] {
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
        asked
    }

    /// Starts the measurement.
    pub fn start(&mut self, database: Arc<Database>, variants: [Variant; 2]) {
        self.running = Some(Job::start(move || {
            let evaluation = Evaluation::new(database, &COURSES, 0..1);
            let row = |v: &Variant| evaluation.run(v, &|| ()).map(|done| done.row).map_err(|e| e.to_string());
            Ok([row(&variants[0])?, row(&variants[1])?])
        }));
    }

    pub fn poll(&mut self, session: &mut Session) {
        let Some(done) = self.running.as_mut().and_then(Job::poll) else { return };
        self.running = None;
        match done {
            Ok(rows) => self.rows = Some(rows),
            Err(what) => session.message = Some(format!("measuring: {what}")),
        }
    }
}

/// Formats a value with about three significant digits, and at most three decimals.
fn short(value: f32) -> String {
    let decimals = match value.abs() {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        v if v >= 1.0 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}
