//! Performance panel: time of updates and their stages, rows visited by a search, memory, exact against learned.

use crate::job::Job;
use crate::measure::Measure;
use crate::session::Session;
use egui::RichText;
use egui_plot::{Line, Plot, PlotPoints};
use footwork::advanced::search::SearchIndex;
use footwork::advanced::search::classics::{Setting, Touched};
use footwork::database::{Database, MirrorMode};
use footwork::matcher::Backend;
use footwork_metrics::eval::{Mover, Variant};
use footwork_metrics::update_times::{Stages, Timing, UpdateTimes};
use std::sync::Arc;

/// Number of updates drawn.
const DRAWN: usize = 600;
/// Number of updates over which stages are timed: 20 s.
const TIMED: u32 = 1200;
/// Label of each stage, below the update that contains it.
const STAGES: [(Stages, &str); 8] = [
    (Stages::Bare, "playback, blending"),
    (Stages::Default, "+ root, play rate, feet"),
    (Stages::OrientationWarp, "orientation warp"),
    (Stages::StrideWarp, "stride warp"),
    (Stages::Ground, "ground"),
    (Stages::LookAt, "look"),
    (Stages::Hands, "hands"),
    (Stages::Recording, "recording"),
];

/// Performance panel.
#[derive(Debug, Default)]
pub(crate) struct Performance {
    timing: Option<Job<UpdateTimes>>,
    times: Option<UpdateTimes>,
    /// Search index of the database, to count visited rows.
    index: Option<Counter>,
    against: Measure,
}

/// Search index that repeats searches and counts visited rows.
#[derive(Debug)]
struct Counter {
    database: Arc<Database>,
    backend: Backend,
    index: SearchIndex,
}

impl Performance {
    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut egui::Ui, session: &mut Session) {
        self.poll(session);
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            self.now(ui, session);
            ui.separator();
            self.stages(ui, session);
            ui.separator();
            self.against(ui, session);
        });
    }

    /// Draws the current cost of the character.
    fn now(&mut self, ui: &mut egui::Ui, session: &Session) {
        let timed = session.tracks.iter().rev().take(DRAWN).filter(|s| s.update_us > 0.0);
        let mut all: Vec<(f32, bool)> = timed.map(|s| (s.update_us, s.searches > 0)).collect();
        all.reverse();
        let of = |searched: bool| {
            let mut some: Vec<f32> = all.iter().filter(|t| t.1 == searched).map(|t| t.0).collect();
            some.sort_by(f32::total_cmp);
            some.get(some.len() / 2).copied()
        };
        let words = |us: Option<f32>| us.map_or("-".to_owned(), |us| format!("{us:.1} us"));
        let touched = self.touched(session);
        let sides = if session.database.mirror == MirrorMode::Query { 2 } else { 1 };
        egui::Grid::new("times").num_columns(2).striped(true).show(ui, |ui| {
            let mut line = |what: &str, value: String, help: &str| {
                ui.label(what).on_hover_text(help);
                ui.monospace(value);
                ui.end_row();
            };
            line("update without search", words(of(false)), "Median of the last 600 updates, recording included");
            line("update with search", words(of(true)), "Median of the last 600 updates, recording included");
            let search = session.matcher.config().search.backend.name();
            line("search", search.to_owned(), "matcher.search.backend");
            if let Some(touched) = touched {
                let rows = session.database.rows() * sides;
                line("  rows compared", format!("{} of {rows}", touched.rows), "By the last search, wholly or in part");
                line(
                    "  bounds computed",
                    touched.nodes.to_string(),
                    "By the last search: boxes or branches of the tree",
                );
            }
            line(
                "state of the character",
                format!("{} bytes", session.matcher.state().bytes()),
                "All that must survive a frame",
            );
            let recorded = session.recorder.bytes() as f64 / 1e3;
            line("recording", format!("{recorded:.1} kB, {} updates", session.tracks.len()), "Inputs and key frames");
        });
        ui.add_space(6.0);
        let points: Vec<[f64; 2]> = all.iter().enumerate().map(|(k, t)| [k as f64, f64::from(t.0)]).collect();
        let plot = Plot::new("updates").height(140.0).allow_scroll(false).allow_drag(false).include_y(0.0);
        plot.y_axis_label("us").show_x(false).show(ui, |plot| plot.line(Line::new("update", PlotPoints::from(points))));
    }

    /// Returns the counts of the shown character's last search, or `None` while networks play.
    pub fn touched(&mut self, session: &Session) -> Option<Touched> {
        let shown = session.shown();
        if !shown.character().plays_clips() {
            return None;
        }
        let backend = shown.config().search.backend;
        let same = |c: &Counter| Arc::ptr_eq(&c.database, &session.database) && c.backend == backend;
        if !self.index.as_ref().is_some_and(same) {
            let index = SearchIndex::build_with(&session.database, &Setting::of(backend))?;
            self.index = Some(Counter { database: session.database.clone(), backend, index });
        }
        let query = shown.last_query()?;
        self.index.as_ref().map(|counter| counter.index.touched(&session.database, &query))
    }

    fn stages(&mut self, ui: &mut egui::Ui, session: &Session) {
        ui.horizontal(|ui| {
            let help =
                "Lets characters with different stages take turns for 20 s of a random stick, as fast as it goes";
            let button = egui::Button::new("Time the stages");
            if ui.add_enabled(self.timing.is_none(), button).on_hover_text(help).clicked() {
                self.start(session);
            }
            if self.timing.is_some() {
                ui.spinner();
            }
        });
        let Some(times) = &self.times else { return };
        let default = times.of(Stages::Default).map_or(0.0, |t| t.update_us);
        egui::Grid::new("stages").num_columns(2).striped(true).show(ui, |ui| {
            for (stages, words) in STAGES {
                let Some(t) = times.of(stages) else { continue };
                ui.label(words).on_hover_text(stages.about());
                let whole = matches!(stages, Stages::Bare | Stages::Default);
                let us =
                    if whole { format!("{:.2} us", t.update_us) } else { format!("{:+.2} us", t.update_us - default) };
                ui.monospace(us);
                ui.end_row();
            }
            let search = times.of(Stages::Default).map_or(0.0, |t| t.search_us);
            ui.label("a search").on_hover_text("What it adds to an update");
            ui.monospace(format!("{search:+.2} us"));
            ui.end_row();
        });
    }

    fn against(&mut self, ui: &mut egui::Ui, session: &mut Session) {
        ui.label(RichText::new("Exact and learned").strong());
        let Some(networks) = session.networks().cloned() else {
            ui.label("Drop a .fwnet file of this data to compare: footwork-train makes one.");
            return;
        };
        let of = |stages: Stages| self.times.as_ref().and_then(|t| t.of(stages)).copied();
        let us = |us: Option<f64>| us.map_or("-".to_owned(), |us| format!("{us:.2} us"));
        let mb = |bytes: usize| format!("{:.2} MB", bytes as f64 / 1e6);
        egui::Grid::new("exact and learned").num_columns(3).striped(true).show(ui, |ui| {
            let mut line = |what: &str, values: [String; 2], help: &str| {
                ui.label(what).on_hover_text(help);
                for value in values {
                    ui.monospace(value);
                }
                ui.end_row();
            };
            line("", ["exact".to_owned(), "learned".to_owned()], "");
            line("memory", [mb(session.database.bytes()), mb(networks.bytes())], "Data that run time needs");
            let [exact, learned] = [Stages::Default, Stages::Learned].map(of);
            line("update", [exact, learned].map(|t| us(t.map(|t| t.update_us))), "Median; time the stages to see it");
            line(
                "a search adds",
                [exact, learned].map(|t| us(t.map(|t| t.search_us))),
                "Median; networks: a projection",
            );
        });
        let help = "Drives short courses by exact search and by the networks";
        if self.against.ui(ui, session, help) {
            let config = session.tuning.matcher();
            let of = |name: &str, mover| Variant { name: name.to_owned(), config: config.clone(), mover };
            let variants = [of("exact", Mover::Exact), of("learned", Mover::Learned(networks))];
            self.against.start(session.database().clone(), variants);
        }
    }

    /// Starts timing the stages.
    pub fn start(&mut self, session: &Session) {
        let timing = Timing {
            database: session.database.clone(),
            config: session.tuning.matcher().clone(),
            networks: session.networks().cloned(),
            frames: TIMED,
            seed: 1,
        };
        self.timing = Some(Job::start(move || timing.run(&|| ()).map_err(|e| e.to_string())));
    }

    /// Returns the last timing, once it is available.
    #[cfg(test)]
    pub fn times(&self) -> Option<&UpdateTimes> {
        self.times.as_ref()
    }

    pub fn poll(&mut self, session: &mut Session) {
        let Some(done) = self.timing.as_mut().and_then(Job::poll) else { return };
        self.timing = None;
        match done {
            Ok(times) => self.times = Some(times),
            Err(what) => session.message = Some(format!("timing: {what}")),
        }
    }
}
