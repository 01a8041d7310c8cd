//! Page of findings: results of the doctor, their positions, and fixes in sidecars.

use crate::findings::{Examined, Findings};
use crate::request::Request;
use crate::session::Session;
use crate::tags::{Kind, Mark};
use egui::{Color32, RichText};
use footwork_import::doctor::{Finding, Severity, SidecarEdit};

/// Maximum number of listed findings.
const MOST_SHOWN: usize = 200;

/// Page of findings.
#[derive(Debug)]
pub(super) struct FindingsPage {
    filter: String,
    /// Minimum severity shown.
    least: Severity,
}

impl Default for FindingsPage {
    fn default() -> Self {
        Self { filter: String::new(), least: Severity::Hint }
    }
}

/// The user's action on a finding.
enum Act {
    Show(usize),
    Mend(usize),
}

impl FindingsPage {
    pub fn ui(&mut self, ui: &mut egui::Ui, session: &mut Session) -> Option<Request> {
        let mut request = None;
        ui.horizontal(|ui| {
            let words = if session.findings.is_some() { "Examine again" } else { "Examine" };
            if ui.add_enabled(session.busy.is_none(), egui::Button::new(words)).clicked() {
                request = Some(Request::Examine);
            }
            ui.add(
                egui::TextEdit::singleline(&mut self.filter)
                    .hint_text("find a clip or check")
                    .desired_width(f32::INFINITY),
            );
        });
        // Moved out while drawing, and put back below; no action changes the list.
        let Some(findings) = session.findings.take() else {
            ui.label("Looks for faults in the clips, as `footwork doctor` does: see its page of the guide.");
            return request;
        };
        self.summary(ui, &findings);
        ui.separator();
        let wanted = self.filter.trim().to_lowercase();
        let fits = |f: &Finding| {
            f.severity >= self.least
                && [f.clip.as_str(), f.check.name(), f.what.as_str()].iter().any(|w| w.to_lowercase().contains(&wanted))
        };
        let mut shown: Vec<usize> = (0..findings.list.len()).filter(|k| fits(&findings.list[*k])).collect();
        shown.sort_by_key(|k| std::cmp::Reverse(findings.list[*k].severity));
        let mut act = None;
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            for k in shown.iter().take(MOST_SHOWN) {
                one(ui, session, *k, &findings.list[*k], &mut act);
            }
            if shown.len() > MOST_SHOWN {
                ui.label(format!("{} more: find a clip or check above", shown.len() - MOST_SHOWN));
            }
        });
        match act {
            Some(Act::Show(k)) => show(session, &findings.list[k]),
            Some(Act::Mend(k)) => {
                mend(session, &findings.list[k]);
                show(session, &findings.list[k]);
            }
            None => {}
        }
        session.findings = Some(findings);
        request
    }

    fn summary(&mut self, ui: &mut egui::Ui, findings: &Findings) {
        if findings.examined == Examined::Database {
            ui.label(format!(
                "The files of the clips are not open: the clips were examined as the database has them, by the checks {}. Open the \
                 folder of the clips for all checks.",
                Findings::of_database_names()
            ));
        }
        ui.horizontal(|ui| {
            for severity in [Severity::Error, Severity::Warning, Severity::Hint] {
                let count = findings.count(severity);
                let words = RichText::new(format!("{count} {}{}", severity.name(), if count == 1 { "" } else { "s" }));
                let help = format!("Show what is at least as bad as a {}", severity.name());
                let chosen = self.least == severity;
                if ui.selectable_label(chosen, words.color(colour(ui, severity))).on_hover_text(help).clicked() {
                    self.least = severity;
                }
            }
        });
    }
}

fn colour(ui: &egui::Ui, severity: Severity) -> Color32 {
    match severity {
        Severity::Error => ui.visuals().error_fg_color,
        Severity::Warning => ui.visuals().warn_fg_color,
        Severity::Hint => ui.visuals().text_color(),
    }
}

fn one(ui: &mut egui::Ui, session: &Session, k: usize, f: &Finding, act: &mut Option<Act>) {
    let place = session.takes.named(&f.clip);
    ui.push_id(k, |ui| {
        ui.horizontal(|ui| {
            if place.is_some() && ui.small_button("Show me").on_hover_text("Pause the clip there").clicked() {
                *act = Some(Act::Show(k));
            }
            if let (Some(_), Some(edit)) = (place, f.sidecar) {
                let done = place.is_some_and(|p| is_mended(session, p.take, p.start_s as f32, edit));
                let button = egui::Button::new(if done { "Mended" } else { "Mend" }).small();
                let help = format!("Writes `{}` into the sidecar. Nothing is saved yet.", words(edit));
                if ui.add_enabled(!done, button).on_hover_text(help).clicked() {
                    *act = Some(Act::Mend(k));
                }
            }
            let clip = if f.clip.is_empty() { "all clips" } else { &f.clip };
            let time = f.seconds.map(|[a, b]| if a == b { format!(" {a:.2} s") } else { format!(" {a:.2}-{b:.2} s") });
            let words = format!("{clip}{}", time.unwrap_or_default());
            ui.add(egui::Label::new(RichText::new(words).strong().color(colour(ui, f.severity))).truncate());
        });
        let joint = f.joint.as_ref().map(|j| format!("{j} ")).unwrap_or_default();
        let mend = if f.mends && f.sidecar.is_none() {
            format!("{} (`footwork doctor --fix FOLDER`, in copies)", f.mend)
        } else {
            f.mend.clone()
        };
        ui.add(egui::Label::new(format!("{}: {joint}{}", f.check.name(), f.what)).wrap());
        ui.add(egui::Label::new(RichText::new(mend).weak()).wrap());
        ui.add_space(4.0);
    });
}

fn words(edit: SidecarEdit) -> String {
    match edit {
        SidecarEdit::Loop(on) => format!("loop = {on}"),
        SidecarEdit::Discard([a, b]) => format!("discard = [[{a:.3}, {b:.3}]]"),
    }
}

pub(super) fn not_there(clip: &str) -> String {
    format!("`{clip}` is not in the database: the build left it out, or all of it is discarded")
}

/// Pauses the clip at the fault and highlights the fault on the timeline.
fn show(session: &mut Session, f: &Finding) {
    let Some(place) = session.takes.named(&f.clip) else { return };
    let start_s = place.start_s as f32;
    session.pointed = f.seconds.map(|s| (place.take, s.map(|s| s + start_s)));
    let at_s = f.seconds.map_or(0.0, |s| s[0]) + start_s;
    if !session.show_take(place.take, f64::from(at_s)) {
        session.message = Some(not_there(&f.clip));
    }
}

/// Writes the fix of a finding into the sidecar, as one undo step.
pub(crate) fn mend(session: &mut Session, f: &Finding) {
    let (Some(place), Some(edit)) = (session.takes.named(&f.clip), f.sidecar) else { return };
    let start_s = place.start_s as f32;
    session.edit_tags(place.take, false, |sidecar, take| match edit {
        SidecarEdit::Loop(on) => sidecar.set_looping(Some(on), take),
        SidecarEdit::Discard([a, b]) => {
            let (start_s, end_s) = (Some(start_s + a), Some(start_s + b));
            let mark = Mark { kind: Kind::Discard, name: String::new(), cost: 0.0, start_s, end_s };
            sidecar.add(&mark, take).map(drop)
        }
    });
}

/// Returns true if the sidecar contains the fix already.
fn is_mended(session: &Session, take: usize, start_s: f32, edit: SidecarEdit) -> bool {
    let sidecar = &session.takes.list[take].sidecar;
    match edit {
        SidecarEdit::Loop(on) => sidecar.looping() == Some(on),
        SidecarEdit::Discard([a, b]) => sidecar.marks().iter().any(|(_, m)| {
            let [from, to] = m.span(&session.takes.list[take].take);
            m.kind == Kind::Discard && from <= start_s + a + 1e-3 && to >= start_s + b - 1e-3
        }),
    }
}
