//! Opens, edits and keeps the text of a session's state machine.

use crate::machine_file::MachineFile;
use crate::session::Session;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Text of a new file: a machine with one state.
const BEGIN: &str = "[[states]]\nname = \"all\"\nmatch = \"\"\n";

impl Session {
    /// Returns the file of the state machine.
    pub fn machine_file(&self) -> Option<&MachineFile> {
        self.machine_file.as_ref()
    }

    /// Opens the text of a state machine's file, and uses its machine; see [`Session::set_machine`]. A text with an error is
    /// opened too, for editing. `saved` is the text of the file on disk, or `None` if there is none.
    ///
    /// # Errors
    /// Returns the error of the text; the machine in use remains.
    pub fn open_machine(&mut self, path: &Path, text: String, saved: Option<String>) -> Result<(), String> {
        self.machine_file = Some(MachineFile::new(path, text, saved, &self.database));
        self.take_machine_of_file()
    }

    /// Starts a new file with one state.
    pub(crate) fn begin_machine(&mut self) {
        let opened = self.open_machine(Path::new("character.machine.toml"), BEGIN.to_owned(), None);
        if let Err(what) = opened.and_then(|()| self.run_machine(true)) {
            self.message = Some(what);
        }
    }

    /// Sets the edited text. The machine in use remains until [`Session::apply_machine`].
    pub fn edit_machine(&mut self, text: &str) {
        if let Some(file) = &mut self.machine_file {
            file.edit(text, &self.database);
        }
    }

    /// Keeps the file when the database is rebuilt.
    pub(crate) fn keep_machine_file(&mut self, file: Option<MachineFile>) {
        self.machine_file = file;
        if let Some(file) = &mut self.machine_file {
            file.check(&self.database);
        }
    }

    /// Uses the machine of the text. The character continues in the state of the same name, with the same values of variables.
    ///
    /// # Errors
    /// Returns the error of the text; nothing changes.
    pub fn apply_machine(&mut self) -> Result<(), String> {
        let before = self.variables.clone();
        self.take_machine_of_file()?;
        self.run_machine(true)?;
        self.variables.take_over(&before);
        Ok(())
    }

    fn take_machine_of_file(&mut self) -> Result<(), String> {
        let Some(file) = &self.machine_file else { return Ok(()) };
        self.take_machine(file.machine()?)?;
        if let Some(file) = &mut self.machine_file {
            file.mark_in_force();
        }
        Ok(())
    }

    /// Returns the file if its text is not saved.
    pub fn unsaved_machine(&self) -> Option<&MachineFile> {
        self.machine_file().filter(|file| file.is_edited())
    }

    /// Marks the text as saved.
    pub fn mark_machine_saved(&mut self) {
        if let Some(file) = &mut self.machine_file {
            file.mark_saved();
        }
    }

    /// Returns the unsaved text as JSON, for recovery after a crash, or `earlier` if all is saved.
    pub fn kept_machine(&self, earlier: &str) -> String {
        self.unsaved_machine().map_or(earlier.to_owned(), |file| {
            json!({ "data": self.name, "path": file.path(), "text": file.text(), "saved": file.saved() }).to_string()
        })
    }

    /// Opens the text from [`Session::kept_machine`] and lets its machine run the character. Returns a message for the user, or
    /// `None` if the text belongs to other data.
    pub fn restore_machine(&mut self, kept: &str) -> Option<String> {
        let kept: Value = serde_json::from_str(kept).ok()?;
        let string = |key: &str| kept[key].as_str().map(str::to_owned);
        if string("data")? != self.name {
            return None;
        }
        let (path, text, saved) = (PathBuf::from(string("path")?), string("text")?, string("saved"));
        let opened = self.open_machine(&path, text, saved);
        if let Some(file) = &mut self.machine_file {
            file.mark_unsaved();
        }
        let words = "The state machine that was not saved the last time is open again.";
        let error = opened.and_then(|()| self.run_machine(true)).err();
        Some(error.map_or(words.to_owned(), |what| format!("{words} {what}")))
    }
}
