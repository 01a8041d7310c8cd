//! The file of a state machine, while its text is edited.

use crate::session::Session;
use footwork::machine::{Machine, MachineSpec};
use footwork_import::parse_machine;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The text of a machine that has one state, for a file that is begun.
const BEGIN: &str = "[[states]]\nname = \"all\"\nmatch = \"\"\n";

/// The file of a state machine, with a text that may be edited.
#[derive(Clone, Debug)]
pub struct MachineFile {
    path: PathBuf,
    /// The text of the file; `None`: there is no file.
    saved: Option<String>,
    /// The text that was opened.
    opened: String,
    pub(crate) text: String,
    /// The text whose machine is in force.
    in_force: Option<String>,
    /// The machine of the text, or its error, in words.
    read: Result<MachineSpec, String>,
    /// Warnings of a machine without an error.
    warnings: Vec<String>,
}

impl MachineFile {
    /// The place to save it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text as it is to be saved.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of the file when it was opened or saved; `None`: there was no file.
    pub fn saved(&self) -> Option<&str> {
        self.saved.as_deref()
    }

    /// The error of the text, in words that name its place.
    pub fn error(&self) -> Option<&str> {
        self.read.as_ref().err().map(String::as_str)
    }

    /// Warnings of a text without an error: see [`Machine::warnings`].
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// True where the text is not the one of the machine in force.
    pub fn differs_from_machine(&self) -> bool {
        self.in_force.as_ref() != Some(&self.text)
    }
}

impl Session {
    /// The file of the state machine.
    pub fn machine_file(&self) -> Option<&MachineFile> {
        self.machine_file.as_ref()
    }

    /// Opens the text of a state machine's file, and lets the machine run the character. With an error the text is open as well, to be
    /// corrected. `saved`: the text of the file on disk; `None` where there is none.
    ///
    /// # Errors
    /// The error of the text, in words; the machine in force stays.
    pub fn open_machine(&mut self, path: &Path, text: String, saved: Option<String>) -> Result<(), String> {
        let read = Err(String::new());
        self.machine_file = Some(MachineFile {
            path: path.to_owned(),
            saved,
            opened: text.clone(),
            text,
            in_force: None,
            read,
            warnings: Vec::new(),
        });
        self.check_machine();
        self.apply_machine()
    }

    /// Begins a file with one state.
    pub(crate) fn begin_machine(&mut self) {
        if let Err(what) = self.open_machine(Path::new("character.machine.toml"), BEGIN.to_owned(), None) {
            self.message = Some(what);
        }
    }

    /// Takes over an edited text. The machine in force stays until [`Session::apply_machine`].
    pub fn edit_machine(&mut self, text: &str) {
        if let Some(file) = &mut self.machine_file {
            text.clone_into(&mut file.text);
            self.check_machine();
        }
    }

    /// Reads the text again.
    pub(crate) fn check_machine(&mut self) {
        let database = self.database.clone();
        let Some(file) = &mut self.machine_file else { return };
        let name = file.path.file_name().map_or(Path::new("machine.toml"), Path::new);
        let machine = parse_machine(&file.text, name)
            .map_err(|e| e.to_string())
            .and_then(|spec| Machine::new(database, spec).map_err(|e| e.to_string()));
        let warnings = machine.as_ref().map(Machine::warnings).unwrap_or_default();
        file.warnings = warnings.iter().map(ToString::to_string).collect();
        file.read = machine.map(|machine| machine.spec().clone());
    }

    /// Puts the machine of the text in force: the character goes on in the state of the same name, with the values of variables.
    ///
    /// # Errors
    /// The error of the text, in words; nothing changes.
    pub fn apply_machine(&mut self) -> Result<(), String> {
        let Some(file) = &self.machine_file else { return Ok(()) };
        let (spec, text) = (file.read.clone()?, file.text.clone());
        let before = self.variables.clone();
        self.set_machine(spec)?;
        self.run_machine(true)?;
        self.variables.take_over(&before);
        if let Some(file) = &mut self.machine_file {
            file.in_force = Some(text);
        }
        Ok(())
    }

    /// The file, where its text is not saved.
    pub fn unsaved_machine(&self) -> Option<&MachineFile> {
        self.machine_file().filter(|file| {
            file.saved.as_ref() != Some(&file.text) && (file.saved.is_some() || file.text != file.opened)
        })
    }

    /// The text was saved.
    pub fn mark_machine_saved(&mut self) {
        if let Some(file) = &mut self.machine_file {
            file.saved = Some(file.text.clone());
        }
    }

    /// The text that is not saved, as a text that survives a crash; empty for none.
    pub fn kept_machine(&self) -> String {
        self.unsaved_machine().map_or(String::new(), |file| {
            json!({ "data": self.name, "path": file.path, "text": file.text, "saved": file.saved }).to_string()
        })
    }

    /// Opens the text that [`Session::kept_machine`] kept of this data. Returns words for it; `None` where it is of other data.
    pub fn restore_machine(&mut self, kept: &str) -> Option<String> {
        let kept: Value = serde_json::from_str(kept).ok()?;
        let string = |key: &str| kept[key].as_str().map(str::to_owned);
        if string("data")? != self.name {
            return None;
        }
        let (path, text) = (PathBuf::from(string("path")?), string("text")?);
        let error = self.open_machine(&path, text, string("saved")).err();
        let words = "The state machine that was not saved the last time is open again.";
        Some(error.map_or(words.to_owned(), |what| format!("{words} {what}")))
    }
}
