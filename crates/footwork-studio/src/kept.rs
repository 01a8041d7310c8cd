//! Unsaved changes, kept in the storage for the next run.

use eframe::Storage;
use footwork_panels::Session;
use std::collections::BTreeMap;

/// Key of unsaved settings in the storage. A browser shares the storage among pages.
const KEPT: &str = "footwork.settings";
/// Key of unsaved tags.
const KEPT_TAGS: &str = "footwork.tags";
/// Key of an unsaved state machine.
const KEPT_MACHINE: &str = "footwork.machine";

/// Unsaved changes of data that are not open.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    /// Settings, by the name of their data.
    pub settings: BTreeMap<String, String>,
    /// Tags, of any data.
    tags: String,
    /// State machine.
    machine: String,
}

impl Kept {
    /// Reads the changes that the last run kept.
    pub fn load(storage: Option<&dyn Storage>) -> Self {
        let text = |key| storage.and_then(|s| s.get_string(key));
        Self {
            settings: text(KEPT).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default(),
            tags: text(KEPT_TAGS).unwrap_or_default(),
            machine: text(KEPT_MACHINE).unwrap_or_default(),
        }
    }

    /// Adds the unsaved changes of a session.
    pub fn keep(&mut self, session: &Session) {
        match session.tuning.is_changed() {
            true => _ = self.settings.insert(session.name.clone(), session.tuning.text()),
            false => _ = self.settings.remove(&session.name),
        }
        self.tags = session.kept_tags(&self.tags);
        self.machine = session.kept_machine(&self.machine);
    }

    /// Gives the tags and the state machine of its data to a session, which holds them from then on. Returns messages for the
    /// user.
    pub fn restore(&mut self, session: &mut Session) -> [Option<String>; 2] {
        let tags = session.restore_tags(&self.tags);
        self.tags = session.other_tags(&self.tags);
        let machine = session.restore_machine(&self.machine);
        if machine.is_some() {
            self.machine.clear();
        }
        [tags, machine]
    }

    /// Writes the changes, with those of the open session.
    pub fn save(&self, session: Option<&Session>, storage: &mut dyn Storage) {
        let mut all = self.clone();
        if let Some(session) = session {
            all.keep(session);
        }
        let settings = serde_json::to_string(&all.settings).ok().filter(|_| !all.settings.is_empty());
        storage.set_string(KEPT, settings.unwrap_or_default());
        storage.set_string(KEPT_MACHINE, all.machine);
        storage.set_string(KEPT_TAGS, all.tags);
    }
}
