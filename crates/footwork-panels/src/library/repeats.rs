//! Page of repeats: motion that the database contains twice.

use crate::job::Job;
use crate::session::Session;
use egui::RichText;
use footwork::advanced::build::Pruned;
use footwork::database::Database;
use footwork::frames::ClipIndex;
use footwork_metrics::analysis::repeats;
use std::sync::Arc;

/// Range of the distance, in standard deviations of the features.
const DISTANCES: std::ops::RangeInclusive<f32> = 0.01..=1.0;
/// Initial distance: the default of `build.prune`.
const DISTANCE: f32 = 0.05;

/// Page of repeats.
#[derive(Debug)]
pub(crate) struct Repeats {
    distance: f32,
    /// Running job, with its distance.
    running: Option<(f32, Job<Vec<Pruned>>)>,
    found: Option<(f32, Vec<Pruned>)>,
}

impl Default for Repeats {
    fn default() -> Self {
        Self { distance: DISTANCE, running: None, found: None }
    }
}

impl Repeats {
    pub fn ui(&mut self, ui: &mut egui::Ui, session: &mut Session) {
        session.message = self.poll().or(session.message.take());
        ui.label("Stretches that an earlier clip shows as well, within so many standard deviations of the features.");
        let slider = egui::Slider::new(&mut self.distance, DISTANCES).logarithmic(true).text("distance");
        ui.add(slider).on_hover_text("How far rows may be apart, in standard deviations of the features");
        ui.horizontal(|ui| {
            if ui.add_enabled(self.running.is_none(), egui::Button::new("Find repeats")).clicked() {
                self.start(&session.database);
            }
            if self.running.is_some() {
                ui.spinner();
                ui.label("every row with every other");
            }
        });
        let Some((distance, found)) = &self.found else { return };
        let seconds: f32 = found.iter().map(|p| p.end_s - p.start_s).sum();
        ui.label(format!("Within {distance:.3}: {} stretches, {seconds:.1} s.", found.len()));
        if !found.is_empty() {
            ui.label("`prune` in the [build] table leaves them out.");
        }
        ui.separator();
        let mut shown = None;
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            for (k, p) in found.iter().enumerate() {
                let clicked = ui.push_id(k, |ui| stretch(ui, p)).inner;
                shown = clicked.or(shown.take());
            }
        });
        if let Some((name, time_s)) = shown
            && let Some(clip) = session.database.clips.iter().position(|c| c.name == name)
        {
            session.show_moment(ClipIndex::new(clip), f64::from(time_s));
        }
    }

    /// Starts looking for repeats in the background.
    pub fn start(&mut self, database: &Arc<Database>) {
        let (database, distance) = (database.clone(), self.distance);
        self.running = Some((distance, Job::start(move || Ok(repeats(&database, distance)))));
    }

    /// Takes the result once it is available. Returns an error message if the job failed.
    pub fn poll(&mut self) -> Option<String> {
        let (distance, done) = self.running.as_mut().and_then(|(distance, job)| Some((*distance, job.poll()?)))?;
        self.running = None;
        match done {
            Ok(found) => {
                self.found = Some((distance, found));
                None
            }
            Err(what) => Some(what),
        }
    }

    /// Returns the result once it is available.
    #[cfg(test)]
    pub fn found(&self) -> Option<&[Pruned]> {
        self.found.as_ref().filter(|_| self.running.is_none()).map(|f| f.1.as_slice())
    }
}

/// Draws a stretch and the one that it repeats. Returns the name of the clip to show, and the time in it in seconds.
fn stretch(ui: &mut egui::Ui, p: &Pruned) -> Option<(String, f32)> {
    let mut shown = None;
    let whole = if p.whole { "all of it" } else { "a part" };
    let first = format!("{} {:.2}-{:.2} s ({whole})", p.clip, p.start_s, p.end_s);
    let other_s = [p.start_s + p.later_s, p.end_s + p.later_s];
    let other = format!("as {} {:.2}-{:.2} s", p.same_as, other_s[0], other_s[1]);
    for (words, clip, time_s) in [(first, &p.clip, p.start_s), (other, &p.same_as, other_s[0])] {
        ui.horizontal(|ui| {
            if ui.small_button("Show me").clicked() {
                shown = Some((clip.clone(), time_s));
            }
            ui.add(egui::Label::new(RichText::new(words)).truncate());
        });
    }
    ui.add_space(4.0);
    shown
}
