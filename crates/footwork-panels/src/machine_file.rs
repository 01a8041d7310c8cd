//! The file of a state machine, while its text is edited.

use crate::session::Session;
use footwork::database::Database;
use footwork::machine::Machine;
use footwork_import::parse_machine;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The text of a machine that has one state, for a file that is begun.
const BEGIN: &str = "[[states]]\nname = \"all\"\nmatch = \"\"\n";

/// The file of a state machine, with a text that may be edited.
#[derive(Clone, Debug)]
pub struct MachineFile {
    path: PathBuf,
    /// The text of the file; `None`: there is no file.
    saved: Option<String>,
    /// The text before it was edited: as it was opened or saved.
    unedited: String,
    text: String,
    /// The text whose machine is in force.
    in_force: Option<String>,
    /// The machine of the text, or its error, in words.
    read: Result<Arc<Machine>, String>,
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

    /// Reads the text again.
    fn check(&mut self, database: &Arc<Database>) {
        let name = self.path.file_name().map_or(Path::new("machine.toml"), Path::new);
        let spec = parse_machine(&self.text, name).map_err(|e| e.to_string());
        let machine = spec.and_then(|spec| Machine::new(database.clone(), spec).map_err(|e| e.to_string()));
        let warnings = machine.as_ref().map(Machine::warnings).unwrap_or_default();
        self.warnings = warnings.iter().map(ToString::to_string).collect();
        self.read = machine.map(Arc::new);
    }
}

impl Session {
    /// The file of the state machine.
    pub fn machine_file(&self) -> Option<&MachineFile> {
        self.machine_file.as_ref()
    }

    /// Opens the text of a state machine's file, and takes its machine: see [`Session::set_machine`]. With an error the text is open as
    /// well, to be corrected. `saved`: the text of the file on disk; `None` where there is none.
    ///
    /// # Errors
    /// The error of the text, in words; the machine in force stays.
    pub fn open_machine(&mut self, path: &Path, text: String, saved: Option<String>) -> Result<(), String> {
        let mut file = MachineFile {
            path: path.to_owned(),
            saved,
            unedited: text.clone(),
            text,
            in_force: None,
            read: Err(String::new()),
            warnings: Vec::new(),
        };
        file.check(&self.database);
        self.machine_file = Some(file);
        self.take_machine_of_file()
    }

    /// Begins a file with one state.
    pub(crate) fn begin_machine(&mut self) {
        let opened = self.open_machine(Path::new("character.machine.toml"), BEGIN.to_owned(), None);
        if let Err(what) = opened.and_then(|()| self.run_machine(true)) {
            self.message = Some(what);
        }
    }

    /// Takes over an edited text. The machine in force stays until [`Session::apply_machine`].
    pub fn edit_machine(&mut self, text: &str) {
        if let Some(file) = &mut self.machine_file {
            text.clone_into(&mut file.text);
            file.check(&self.database);
        }
    }

    /// Goes on with a file of before in data that is built again.
    pub(crate) fn keep_machine_file(&mut self, file: Option<MachineFile>) {
        self.machine_file = file;
        if let Some(file) = &mut self.machine_file {
            file.check(&self.database);
        }
    }

    /// Puts the machine of the text in force: the character goes on in the state of the same name, with the values of variables.
    ///
    /// # Errors
    /// The error of the text, in words; nothing changes.
    pub fn apply_machine(&mut self) -> Result<(), String> {
        let before = self.variables.clone();
        self.take_machine_of_file()?;
        self.run_machine(true)?;
        self.variables.take_over(&before);
        Ok(())
    }

    fn take_machine_of_file(&mut self) -> Result<(), String> {
        let Some(file) = &self.machine_file else { return Ok(()) };
        let (machine, text) = (file.read.clone()?, file.text.clone());
        self.take_machine(machine)?;
        if let Some(file) = &mut self.machine_file {
            file.in_force = Some(text);
        }
        Ok(())
    }

    /// The file, where its text is not saved.
    pub fn unsaved_machine(&self) -> Option<&MachineFile> {
        self.machine_file().filter(|file| file.text != file.unedited)
    }

    /// The text was saved.
    pub fn mark_machine_saved(&mut self) {
        if let Some(file) = &mut self.machine_file {
            file.unedited.clone_from(&file.text);
            file.saved = Some(file.text.clone());
        }
    }

    /// The text that is not saved, as a text that survives a crash; where there is none, the one of `earlier`.
    pub fn kept_machine(&self, earlier: &str) -> String {
        self.unsaved_machine().map_or(earlier.to_owned(), |file| {
            json!({ "data": self.name, "path": file.path, "text": file.text, "saved": file.saved }).to_string()
        })
    }

    /// Opens the text that [`Session::kept_machine`] kept of this data, and lets its machine run the character. Returns words for it;
    /// `None` where it is of other data.
    pub fn restore_machine(&mut self, kept: &str) -> Option<String> {
        let kept: Value = serde_json::from_str(kept).ok()?;
        let string = |key: &str| kept[key].as_str().map(str::to_owned);
        if string("data")? != self.name {
            return None;
        }
        let (path, text, saved) = (PathBuf::from(string("path")?), string("text")?, string("saved"));
        let opened = self.open_machine(&path, text, saved.clone());
        if let Some(file) = &mut self.machine_file {
            // It is still not saved.
            file.unedited = saved.unwrap_or_default();
        }
        let words = "The state machine that was not saved the last time is open again.";
        let error = opened.and_then(|()| self.run_machine(true)).err();
        Some(error.map_or(words.to_owned(), |what| format!("{words} {what}")))
    }
}
