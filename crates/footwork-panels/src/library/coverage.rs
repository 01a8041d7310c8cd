//! Page of coverage: motion by speed, turn and direction.

use crate::session::Session;
use crate::style;
use egui::{RichText, Sense};
use footwork::advanced::motion::StickSpeeds;
use footwork::advanced::trajectory::{DIRECTIONS, SPEEDS_MPS, TURNS_DEG_S};
use footwork_draw::paint::colour as paint;
use footwork_metrics::analysis::{Coverage, CoverageCell};

/// Page of coverage.
#[derive(Debug, Default)]
pub(super) struct Covered {
    /// Coverage, and the speeds used to compute it.
    coverage: Option<(StickSpeeds, Coverage)>,
}

impl Covered {
    pub fn ui(&mut self, ui: &mut egui::Ui, session: &Session) {
        let db = &session.database;
        let stick = session.tuning.matcher().speeds.over(&db.stick);
        if self.coverage.as_ref().is_none_or(|c| c.0 != stick) {
            self.coverage = Some((stick, Coverage::of(db, &stick)));
        }
        let Some((_, coverage)) = &self.coverage else { return };
        let missing = coverage.missing().len();
        ui.label(format!(
            "{:.0} % of what a random stick asks for is there; {missing} kinds of motion are missing (framed).",
            100.0 * coverage.covered()
        ));
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            for (s, speeds) in SPEEDS_MPS.windows(2).enumerate() {
                ui.add_space(4.0);
                ui.label(RichText::new(format!("{} to {} m/s", speeds[0], speeds[1])).strong());
                let grid = egui::Grid::new(("coverage", s)).num_columns(6).spacing([3.0, 3.0]);
                grid.show(ui, |ui| cells(ui, coverage, s));
            }
        });
    }
}

/// Draws the cells of one range of speeds: a line per direction, a column per turn.
fn cells(ui: &mut egui::Ui, coverage: &Coverage, speed: usize) {
    ui.label("");
    for turns in TURNS_DEG_S.windows(2) {
        let middle = 0.5 * (turns[0] + turns[1]);
        ui.label(RichText::new(format!("{middle:+.0}°/s")).small());
    }
    ui.end_row();
    for (d, direction) in DIRECTIONS.iter().enumerate() {
        ui.label(RichText::new(*direction).small());
        for t in 0..TURNS_DEG_S.len() - 1 {
            cell(ui, coverage.cell(speed, t, d));
        }
        ui.end_row();
    }
}

/// Draws the duration of one kind of motion.
fn cell(ui: &mut egui::Ui, cell: &CoverageCell) {
    let (rect, response) = ui.allocate_exact_size(egui::vec2(38.0, 17.0), Sense::hover());
    let seconds = cell.seconds();
    let visuals = ui.visuals();
    // Logarithmic, from 0 to one minute.
    let share = (footwork::advanced::math::ln(1.0 + seconds) / 4.1).clamp(0.0, 1.0);
    let empty = visuals.faint_bg_color;
    let full = paint(style::COMMANDED);
    ui.painter().rect_filled(rect, 2.0, empty.lerp_to_gamma(full, share));
    if cell.is_missing() {
        let frame = egui::Stroke::new(1.5, visuals.error_fg_color);
        ui.painter().rect_stroke(rect, 2.0, frame, egui::StrokeKind::Inside);
    }
    let words = if seconds > 0.0 { format!("{seconds:.0}") } else { String::new() };
    let font = egui::FontId::proportional(10.0);
    ui.painter().text(rect.center(), egui::Align2::CENTER_CENTER, words, font, visuals.strong_text_color());
    response.on_hover_ui(|ui| {
        let card = &cell.card;
        ui.label(format!(
            "captured {:.1} s, made {:.1} s, mirrored {:.1} s",
            card.have_s, cell.made_s, cell.mirrored_s
        ));
        let asked = if card.asked { format!("{:.1} s per minute", card.asked_s_per_min) } else { "never".to_owned() };
        ui.label(format!("a random stick asks for it {asked}"));
    });
}
