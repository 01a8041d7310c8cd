//! The file of a state machine, and editing its text.

use crate::session::Session;
use footwork::database::Database;
use footwork::machine::Machine;
use footwork_import::parse_machine;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Text of a new file: a machine with one state.
const BEGIN: &str = "[[states]]\nname = \"all\"\nmatch = \"\"\n";

/// File of a state machine, with its edited text.
#[derive(Clone, Debug)]
pub struct MachineFile {
    path: PathBuf,
    /// Text of the file on disk, or `None` if there is no file.
    saved: Option<String>,
    /// Text when it was last opened or saved.
    unedited: String,
    text: String,
    /// Text of the machine in use.
    in_force: Option<String>,
    /// Machine of the text, or the error message.
    read: Result<Arc<Machine>, String>,
    /// Warnings of a valid machine.
    warnings: Vec<String>,
}

impl MachineFile {
    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the edited text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text of the file when it was last opened or saved, or `None` if there was no file.
    pub fn saved(&self) -> Option<&str> {
        self.saved.as_deref()
    }

    /// Returns the error of the text, with its position.
    pub fn error(&self) -> Option<&str> {
        self.read.as_ref().err().map(String::as_str)
    }

    /// Returns the warnings of a valid text; see [`Machine::warnings`].
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns true if the text is not that of the machine in use.
    pub fn differs_from_machine(&self) -> bool {
        self.in_force.as_ref() != Some(&self.text)
    }

    /// Parses the text again.
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
            text.clone_into(&mut file.text);
            file.check(&self.database);
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
        let (machine, text) = (file.read.clone()?, file.text.clone());
        self.take_machine(machine)?;
        if let Some(file) = &mut self.machine_file {
            file.in_force = Some(text);
        }
        Ok(())
    }

    /// Returns the file if its text is not saved.
    pub fn unsaved_machine(&self) -> Option<&MachineFile> {
        self.machine_file().filter(|file| file.text != file.unedited)
    }

    /// Marks the text as saved.
    pub fn mark_machine_saved(&mut self) {
        if let Some(file) = &mut self.machine_file {
            file.unedited.clone_from(&file.text);
            file.saved = Some(file.text.clone());
        }
    }

    /// Returns the unsaved text as JSON, for recovery after a crash, or `earlier` if all is saved.
    pub fn kept_machine(&self, earlier: &str) -> String {
        self.unsaved_machine().map_or(earlier.to_owned(), |file| {
            json!({ "data": self.name, "path": file.path, "text": file.text, "saved": file.saved }).to_string()
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
        let opened = self.open_machine(&path, text, saved.clone());
        if let Some(file) = &mut self.machine_file {
            // The text counts as unsaved.
            file.unedited = saved.unwrap_or_default();
        }
        let words = "The state machine that was not saved the last time is open again.";
        let error = opened.and_then(|()| self.run_machine(true)).err();
        Some(error.map_or(words.to_owned(), |what| format!("{words} {what}")))
    }
}
