//! Window for typing a path.

use std::path::PathBuf;

/// Window for typing a path.
#[derive(Debug, Default)]
pub(crate) struct PathField {
    /// Path being typed; `None` while the window is closed.
    text: Option<String>,
}

impl PathField {
    /// Opens the window.
    pub fn open(&mut self) {
        self.text.get_or_insert_default();
    }

    /// Draws the window. Returns the path to open.
    pub fn ui(&mut self, context: &egui::Context) -> Option<PathBuf> {
        let text = self.text.as_mut()?;
        let (mut open, mut keep, mut there) = (false, true, true);
        egui::Window::new("Open a path").open(&mut there).collapsible(false).resizable(false).show(context, |ui| {
            ui.label("A database, a recording, settings, a state machine, networks, clips, or a folder of them:");
            let field = ui.add(egui::TextEdit::singleline(text).desired_width(460.0).hint_text("mocap/hero.fwdb"));
            if ui.memory(|memory| memory.focused().is_none()) {
                field.request_focus();
            }
            open |= field.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter));
            ui.horizontal(|ui| {
                open |= ui.button("Open").clicked();
                keep &= !ui.button("Cancel").clicked();
            });
        });
        let path = text.trim().to_owned();
        if open && path.is_empty() {
            return None;
        }
        if open || !keep || !there {
            self.text = None;
        }
        open.then(|| PathBuf::from(path))
    }
}
