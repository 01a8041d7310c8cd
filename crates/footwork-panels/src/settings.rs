//! The settings of a session's character.

use crate::history::Step;
use crate::session::Session;
use crate::tuning::Tuning;

impl Session {
    /// Changes a setting and applies it; see [`Tuning::set`]. All changes of one drag are one undo step: set `moving` while the
    /// drag continues. Reports errors in [`Session::message`].
    pub fn set(&mut self, path: &[&str], value: Option<&serde_json::Value>, moving: bool) {
        let before = self.tuning.clone();
        let done = self.tuning.set(path, value).and_then(|()| self.apply());
        match done {
            Ok(()) => self.history.keep(Step::Settings(before.document().clone()), moving),
            Err(what) => {
                self.tuning = before;
                self.message = Some(what);
            }
        }
    }

    /// Replaces the settings by those of a file.
    ///
    /// # Errors
    /// Returns a message if the settings do not fit the database; the previous settings remain.
    pub fn set_tuning(&mut self, tuning: Tuning) -> Result<(), String> {
        let before = std::mem::replace(&mut self.tuning, tuning);
        self.apply().inspect_err(|_| self.tuning = before)
    }

    /// Replaces the values of the settings, as one undo step.
    ///
    /// # Errors
    /// Returns a message if the settings do not fit the database; the previous settings remain.
    pub fn replace_tuning(&mut self, other: &Tuning) -> Result<(), String> {
        let before = self.tuning.clone();
        self.tuning.swap(other.document().clone());
        let document = before.document().clone();
        self.apply().inspect_err(|_| self.tuning = before)?;
        self.history.keep(Step::Settings(document), false);
        Ok(())
    }

    pub(crate) fn reapply(&mut self) {
        if let Err(what) = self.apply() {
            self.message = Some(what);
        }
    }

    /// Applies the settings to the live character. A recording keeps its own.
    fn apply(&mut self) -> Result<(), String> {
        self.matcher.set_config(self.tuning.matcher().clone()).map_err(|e| e.to_string())
    }
}
