//! Histograms of features.

use crate::session::Session;
use crate::style;
use egui_plot::{Bar, BarChart, Plot};
use footwork::advanced::matcher::LastSearch;
use footwork_draw::paint::colour as paint;
use footwork_metrics::analysis::{Histogram, histograms};

const BINS: usize = 40;

/// Page of features.
#[derive(Debug, Default)]
pub(super) struct Features {
    histograms: Vec<Histogram>,
    column: usize,
}

impl Features {
    pub fn ui(&mut self, ui: &mut egui::Ui, session: &Session) {
        if self.histograms.is_empty() {
            self.histograms = histograms(&session.database, BINS);
        }
        let Some(h) = self.histograms.get(self.column) else { return };
        egui::ComboBox::from_id_salt("column").selected_text(&h.label).width(ui.available_width()).show_ui(ui, |ui| {
            for (c, other) in self.histograms.iter().enumerate() {
                ui.selectable_value(&mut self.column, c, &other.label);
            }
        });
        let [low, high] = h.range.map(f64::from);
        let width = (high - low) / h.counts.len().max(1) as f64;
        let bars = h
            .counts
            .iter()
            .enumerate()
            .map(|(k, count)| Bar::new(low + (k as f64 + 0.5) * width, f64::from(*count)).width(width));
        let chart = BarChart::new("rows", bars.collect()).color(style::channel(h.channel));
        let plot = Plot::new("histogram").height(220.0).allow_scroll(false).x_axis_label(h.unit);
        plot.show(ui, |plot| {
            plot.bar_chart(chart);
            let (now, asked) = self.now(session);
            if let Some(v) = asked {
                plot.vline(egui_plot::VLine::new("asked", f64::from(v)).color(paint(style::COMMANDED)).width(2.0));
            }
            if let Some(v) = now {
                plot.vline(egui_plot::VLine::new("plays", f64::from(v)).color(paint(style::MATCHED)).width(2.0));
            }
        });
        ui.label("Green: what the last search asked for. Red: the row that plays.");
    }

    /// Returns the value of the column in the playing row and in the query.
    fn now(&self, session: &Session) -> (Option<f32>, Option<f32>) {
        let (db, matcher) = (&session.database, session.shown());
        let raw = |v: f32| db.features.denormalize(self.column, v);
        let asked = matcher.last_query().and_then(|q| q.features.get(self.column).copied()).map(raw);
        let row = matcher.last_search().and_then(LastSearch::chosen);
        (row.map(|m| raw(db.features.row(m.row)[self.column])), asked)
    }
}
