//! The file of a state machine, with its edited text.

use footwork::database::Database;
use footwork::machine::Machine;
use footwork_import::parse_machine;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    /// Takes the text of a file. `saved` is the text of the file on disk, or `None` if there is none.
    pub(crate) fn new(path: &Path, text: String, saved: Option<String>, database: &Arc<Database>) -> Self {
        let mut file = Self {
            path: path.to_owned(),
            saved,
            unedited: text.clone(),
            text,
            in_force: None,
            read: Err(String::new()),
            warnings: Vec::new(),
        };
        file.check(database);
        file
    }

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

    /// Returns true if the text was edited since it was opened or saved.
    pub(crate) fn is_edited(&self) -> bool {
        self.text != self.unedited
    }

    /// Returns the machine of the text, or the error message.
    pub(crate) fn machine(&self) -> Result<Arc<Machine>, String> {
        self.read.clone()
    }

    /// Replaces the text.
    pub(crate) fn edit(&mut self, text: &str, database: &Arc<Database>) {
        text.clone_into(&mut self.text);
        self.check(database);
    }

    /// Marks the machine of the text as the one in use.
    pub(crate) fn mark_in_force(&mut self) {
        self.in_force = Some(self.text.clone());
    }

    /// Marks the text as saved.
    pub(crate) fn mark_saved(&mut self) {
        self.unedited.clone_from(&self.text);
        self.saved = Some(self.text.clone());
    }

    /// Marks the text as edited since it was saved.
    pub(crate) fn mark_unsaved(&mut self) {
        self.unedited = self.saved.clone().unwrap_or_default();
    }

    /// Parses the text again.
    pub(crate) fn check(&mut self, database: &Arc<Database>) {
        let name = self.path.file_name().map_or(Path::new("machine.toml"), Path::new);
        let spec = parse_machine(&self.text, name).map_err(|e| e.to_string());
        let machine = spec.and_then(|spec| Machine::new(database.clone(), spec).map_err(|e| e.to_string()));
        let warnings = machine.as_ref().map(Machine::warnings).unwrap_or_default();
        self.warnings = warnings.iter().map(ToString::to_string).collect();
        self.read = machine.map(Arc::new);
    }
}
