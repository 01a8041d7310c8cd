//! Page of tags: changed lines of sidecars, before they are saved.

use crate::request::Request;
use crate::session::Session;
use crate::tags::{Home, save_buttons, where_words};
use egui::RichText;

pub(super) fn ui(ui: &mut egui::Ui, session: &mut Session) -> Option<Request> {
    ui.label(where_words(session));
    if let Home::Folder(folder) = &mut session.takes.home {
        ui.horizontal(|ui| {
            let label = ui.label("Folder");
            ui.add(egui::TextEdit::singleline(folder).desired_width(f32::INFINITY)).labelled_by(label.id);
        });
        ui.label("Drop sidecars (.tags.toml) onto the window to go on with them.");
    }
    ui.add_space(4.0);
    let mut request = None;
    ui.horizontal(|ui| request = save_buttons(ui, session));
    ui.separator();
    let unsaved = session.unsaved_tags();
    if unsaved.is_empty() {
        ui.label("Nothing is unsaved. Play a clip (Clips): the timeline shows its tags, to be dragged.");
    }
    let mut shown = None;
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        for one in &unsaved {
            let Some(k) = session.takes.find(&one.take) else { continue };
            ui.horizontal(|ui| {
                if ui.button("Show").on_hover_text("Play the clip with these tags").clicked() {
                    shown = Some(k);
                }
                ui.add(egui::Label::new(RichText::new(one.path.display().to_string()).strong()).truncate());
            });
            for difference in session.takes.list[k].sidecar.differences() {
                let (sign, colour) = if difference.added {
                    ("+", ui.visuals().strong_text_color())
                } else {
                    ("-", ui.visuals().weak_text_color())
                };
                let words = RichText::new(format!("{sign} {}", difference.line)).monospace().small().color(colour);
                ui.add(egui::Label::new(words).wrap());
            }
            ui.add_space(4.0);
        }
    });
    if let Some(k) = shown
        && !session.show_take(k, 0.0)
    {
        session.message = Some(super::findings::not_there(&session.takes.list[k].take.name));
    }
    request
}
