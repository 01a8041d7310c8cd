//! Explanation of a search: its candidates, their costs, and the change of a weight with which a candidate would win.

use crate::flip::{Choice, Flip};
use crate::mode::Mode;
use crate::session::Session;
use crate::style;
use crate::viewport::Ghost;
use egui::{Color32, RichText, Sense, Stroke, StrokeKind};
use footwork::advanced::search::{CandidateReport, Explanation, Verdict};
use footwork::input::GroundHook;
use glam::Vec3;
use std::collections::BTreeMap;

/// Number of rows examined, and number of candidates listed.
const LOOKED_AT: usize = 200;
pub(crate) const LISTED: usize = 10;
/// Reason why no weight is tried.
const HIDDEN_GROUND: &str = "What would flip the choice is unknown: ground and walls of this recording are known where its \
    character asked for them alone, and with other weights it asks elsewhere.";
/// Height of a bar of costs, in points.
const BAR_PX: f32 = 8.0;

/// Explanation panel.
#[derive(Debug, Default)]
pub struct Why {
    /// Update whose search is explained.
    update: Option<usize>,
    explanation: Option<Explanation>,
    selected: Option<usize>,
    /// True to list excluded rows too.
    left_out: bool,
    /// Results by the candidate's index; `None` if no single weight makes it win.
    flips: BTreeMap<usize, Option<Flip>>,
}

impl Why {
    /// Returns the result for the selected candidate: `Some(None)` if no single weight makes it win.
    pub fn flip(&self) -> Option<Option<&Flip>> {
        self.flips.get(&self.selected?).map(Option::as_ref)
    }

    /// Returns the candidates: the playing one, then the others by cost. Empty if no search was explained.
    pub fn candidates(&self) -> &[CandidateReport] {
        self.explanation.as_ref().map_or(&[], |e| &e.candidates)
    }

    /// Returns the pose of the selected candidate.
    pub(crate) fn ghost(&self, session: &Session) -> Option<Ghost> {
        let candidate = self.candidates().get(self.selected?)?;
        let clip = session.database.row_clips[candidate.row.at()];
        Some(Ghost { clip, time_s: candidate.time_s, mirrored: candidate.mirrored })
    }

    /// Explains the last search up to the update shown, unless it is explained already.
    fn refresh(&mut self, session: &Session) {
        let Mode::Review(review) = &session.mode else {
            *self = Self { left_out: self.left_out, ..Self::default() };
            return;
        };
        let update = session.tracks.search_at(review.update);
        if update != self.update || self.explanation.is_none() {
            *self = Self { update, left_out: self.left_out, ..Self::default() };
            self.explanation = update.and_then(|_| review.replay.matcher().explain(LOOKED_AT));
            let candidates = self.explanation.as_mut().map(|e| &mut e.candidates);
            // The playing row may be far from the cheapest by features alone.
            if let Some(candidates) = candidates
                && let Some(plays) = candidates.iter().position(plays)
            {
                candidates[..=plays].rotate_right(1);
            }
        }
    }

    /// Selects a candidate and finds the change with which it wins.
    pub(crate) fn select(&mut self, session: &mut Session, index: usize) {
        self.refresh(session);
        self.selected = if self.selected == Some(index) { None } else { Some(index) };
        let (Some(update), Some(candidate)) = (self.update, self.candidates().get(index)) else { return };
        let beaten = !plays(candidate) && !matches!(candidate.verdict, Verdict::Excluded(_));
        if self.selected.is_none() || !beaten || self.flips.contains_key(&index) {
            return;
        }
        let wanted = candidate.clone();
        match flip_at(session, update, &wanted) {
            Ok(flip) => {
                self.flips.insert(index, flip);
            }
            Err(what) => session.message = Some(what),
        }
    }

    /// Draws the panel.
    pub(crate) fn ui(&mut self, ui: &mut egui::Ui, session: &mut Session) {
        self.refresh(session);
        ui.heading("Why this clip?");
        let Some(explanation) = self.explanation.take() else {
            ui.label(
                "Pause (P) or click the timeline: the candidates of the search before that moment are listed here.",
            );
            return;
        };
        if let (Some(update), Mode::Review(review)) = (self.update, &session.mode) {
            let excluded: usize = explanation.excluded.iter().map(|e| e.1).sum();
            let at = review.trace.time_s(update);
            ui.label(format!("Search at {at:.2} s: {} rows, {excluded} left out.", explanation.rows)).on_hover_ui(
                |ui| {
                    for (why, rows) in &explanation.excluded {
                        ui.label(format!("{rows} rows: {why}"));
                    }
                },
            );
        }
        ui.checkbox(&mut self.left_out, "list what was left out, too").on_hover_text(
            "Rows that a rule keeps from being chosen: near what plays, near the end of their clip, by their tags",
        );
        ui.add_space(4.0);
        let excluded = |c: &CandidateReport| matches!(c.verdict, Verdict::Excluded(_));
        let listed = explanation.candidates.iter().enumerate().filter(|(_, c)| self.left_out || !excluded(c));
        let listed: Vec<(usize, &CandidateReport)> = listed.take(LISTED).collect();
        let most = listed.iter().map(|(_, c)| c.cost).filter(|c| c.is_finite()).fold(1e-6, f32::max);
        let mut clicked = None;
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            for (k, candidate) in listed {
                if self.candidate(ui, k, candidate, most) {
                    clicked = Some(k);
                }
            }
            ui.add_space(6.0);
            legend(ui, &explanation);
        });
        self.explanation = Some(explanation);
        if let Some(k) = clicked {
            self.select(session, k);
        }
    }

    fn candidate(&self, ui: &mut egui::Ui, k: usize, candidate: &CandidateReport, most: f32) -> bool {
        let selected = self.selected == Some(k);
        let side = if candidate.mirrored { ", mirrored" } else { "" };
        let title = format!("{}  {:.2} s{side}", candidate.clip, candidate.time_s);
        let strong = plays(candidate);
        let text = if strong { RichText::new(title).strong() } else { RichText::new(title) };
        let help = "Show its pose, and find what would make it win";
        let clicked = ui.add(egui::Button::selectable(selected, text).truncate()).on_hover_text(help).clicked();
        ui.label(RichText::new(format!("{:.2}  {}", candidate.cost, candidate.verdict)).small());
        bar(ui, candidate, most);
        if selected {
            match self.flips.get(&k) {
                Some(Some(flip)) => {
                    ui.label(RichText::new(flip.to_string()).strong());
                }
                Some(None) => {
                    ui.label("No single weight makes it win, within 64 times more or less.");
                }
                None if matches!(candidate.verdict, Verdict::Excluded(_)) => {
                    ui.label("Left out before costs are compared: no weight makes it win.");
                }
                None => {}
            }
            for (c, (label, cost)) in candidate.channels.iter().enumerate().filter(|(_, c)| c.1 > 0.0) {
                ui.horizontal(|ui| {
                    swatch(ui, style::channel(c));
                    ui.label(RichText::new(format!("{cost:>7.3}")).monospace().small());
                    ui.label(RichText::new(label).small());
                });
            }
            for (cost, label) in [(candidate.beside, "transition, rest"), (candidate.tags, "tags")] {
                if cost != 0.0 {
                    ui.label(RichText::new(format!("{cost:>9.3}  {label}")).monospace().small());
                }
            }
        }
        ui.add_space(5.0);
        clicked
    }
}

/// Returns true for the candidate that plays after the search.
fn plays(candidate: &CandidateReport) -> bool {
    matches!(candidate.verdict, Verdict::Chosen | Verdict::Continued)
}

/// Draws the cost as a bar with one part per channel.
fn bar(ui: &mut egui::Ui, candidate: &CandidateReport, most: f32) {
    let width = ui.available_width();
    let (rect, response) = ui.allocate_exact_size(egui::vec2(width, BAR_PX), Sense::hover());
    let painter = ui.painter_at(rect);
    let mut left = rect.left();
    let mut piece = |cost: f32, colour: Color32| {
        let right = left + width * (cost / most).clamp(0.0, 1.0);
        let piece = egui::Rect::from_min_max(egui::pos2(left, rect.top()), egui::pos2(right, rect.bottom()));
        painter.rect_filled(piece, 0.0, colour);
        left = right;
    };
    for (c, (_, cost)) in candidate.channels.iter().enumerate() {
        piece(*cost, style::channel(c));
    }
    piece(candidate.beside + candidate.tags, ui.visuals().weak_text_color());
    let edge = Stroke::new(1.0, ui.visuals().widgets.noninteractive.bg_stroke.color);
    painter.rect_stroke(rect, 2.0, edge, StrokeKind::Inside);
    response.on_hover_ui(|ui| {
        for (label, cost) in &candidate.channels {
            ui.label(format!("{cost:.3}  {label}"));
        }
        ui.label(format!("{:.3}  transition, rest", candidate.beside));
        ui.label(format!("{:.3}  tags", candidate.tags));
    });
}

fn swatch(ui: &mut egui::Ui, colour: Color32) {
    let (rect, _) = ui.allocate_exact_size(egui::vec2(10.0, 10.0), Sense::hover());
    ui.painter().rect_filled(rect, 2.0, colour);
}

fn legend(ui: &mut egui::Ui, explanation: &Explanation) {
    let Some(first) = explanation.candidates.first() else { return };
    ui.horizontal_wrapped(|ui| {
        for (c, (label, _)) in first.channels.iter().enumerate() {
            swatch(ui, style::channel(c));
            ui.label(RichText::new(label).small());
        }
    });
}

/// Finds the change with which a candidate of a recorded search wins.
pub(crate) fn flip_at(session: &mut Session, update: usize, wanted: &CandidateReport) -> Result<Option<Flip>, String> {
    let kind = session.shown_ground();
    let Mode::Review(review) = &mut session.mode else { return Ok(None) };
    if review.has_answers() {
        return Err(HIDDEN_GROUND.to_owned());
    }
    let shown = review.update;
    if update == 0 {
        return Ok(None);
    }
    review.show(update - 1)?;
    let before = review.replay.matcher().state().clone();
    review.show(update)?;
    let (input, dt_s) = (review.replay.input().clone(), review.trace.dt_s(update));
    let character = review.replay.matcher().character().clone();
    review.show(shown)?;
    let ground = move |at: Vec3| kind.at(at);
    let ground: Option<&GroundHook> = if kind.is_level() { None } else { Some(&ground) };
    Ok(Choice { character: &character, before: &before, input: &input, ground, dt_s }.flip(wanted))
}
