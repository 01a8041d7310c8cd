//! What it costs: time of updates, memory.

use crate::session::Session;
use egui_plot::{Line, Plot, PlotPoints};

/// Updates that are drawn.
const DRAWN: usize = 600;

/// Draws it.
pub(crate) fn ui(ui: &mut egui::Ui, session: &Session) {
    let timed = session.tracks.iter().rev().take(DRAWN).filter(|s| s.update_us > 0.0);
    let mut all: Vec<(f32, bool)> = timed.map(|s| (s.update_us, s.searches > 0)).collect();
    all.reverse();
    let of = |searched: bool| {
        let mut some: Vec<f32> = all.iter().filter(|t| t.1 == searched).map(|t| t.0).collect();
        some.sort_by(f32::total_cmp);
        some.get(some.len() / 2).copied()
    };
    let words = |us: Option<f32>| us.map_or("-".to_owned(), |us| format!("{us:.1} us"));
    egui::Grid::new("times").num_columns(2).striped(true).show(ui, |ui| {
        let mut line = |what: &str, value: String, help: &str| {
            ui.label(what).on_hover_text(help);
            ui.monospace(value);
            ui.end_row();
        };
        let db = &session.database;
        line("update without search", words(of(false)), "Median of the last 600 updates, recording included");
        line("update with search", words(of(true)), "Median of the last 600 updates, recording included");
        line("database", format!("{:.2} MB", db.bytes() as f64 / 1e6), "Poses, features and annotations");
        line(
            "state of the character",
            format!("{} bytes", session.matcher.state().bytes()),
            "All that must survive a frame",
        );
        let recorded = session.recorder.bytes() as f64 / 1e3;
        line("recording", format!("{recorded:.1} kB, {} updates", session.tracks.len()), "Inputs and key frames");
        let search = session.matcher.config().search.backend.name();
        line("search", search.to_owned(), "matcher.search.backend");
    });
    ui.add_space(6.0);
    let points: Vec<[f64; 2]> = all.iter().enumerate().map(|(k, t)| [k as f64, f64::from(t.0)]).collect();
    let plot = Plot::new("updates").height(160.0).allow_scroll(false).allow_drag(false).include_y(0.0);
    plot.y_axis_label("us").show_x(false).show(ui, |plot| plot.line(Line::new("update", PlotPoints::from(points))));
}
