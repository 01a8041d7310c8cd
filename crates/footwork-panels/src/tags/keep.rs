//! Unsaved tags as a text, for recovery after a crash.

use super::takes::EditedTake;
use crate::history::Step;
use crate::session::Session;
use serde_json::{Map, Value, json};
use toml_edit::DocumentMut;

impl Session {
    /// Returns the unsaved tags as a text, including those in `earlier` of other data. Empty if there are none.
    pub fn kept_tags(&self, earlier: &str) -> String {
        let mut all = others(self, earlier);
        for t in self.takes.list.iter().filter(|t| t.sidecar.is_changed()) {
            let kept = json!({ "text": t.sidecar.text(), "saved": t.sidecar.saved() });
            all.insert(self.key(t), kept);
        }
        if all.is_empty() { String::new() } else { Value::Object(all).to_string() }
    }

    /// Returns the tags of other data in a text from [`Session::kept_tags`]. Empty if there are none.
    pub fn other_tags(&self, kept: &str) -> String {
        let all = others(self, kept);
        if all.is_empty() { String::new() } else { Value::Object(all).to_string() }
    }

    /// Applies unsaved tags again, each sidecar as one undo step. Returns a message for the user, or `None` if there are none for
    /// this data.
    pub fn restore_tags(&mut self, kept: &str) -> Option<String> {
        let all = read(kept);
        let (mut restored, mut changed) = (0, Vec::new());
        for k in 0..self.takes.list.len() {
            let found =
                all.get(&self.key(&self.takes.list[k])).and_then(|v| Some((v.get("text")?.as_str()?, v.get("saved")?)));
            let Some((text, saved)) = found else { continue };
            let EditedTake { take, sidecar } = &mut self.takes.list[k];
            if text == sidecar.text() {
                continue;
            }
            if saved.as_str() != sidecar.saved() {
                changed.push(take.name.clone());
            }
            let next = text.parse::<DocumentMut>().map_err(|e| e.to_string());
            match next.and_then(|next| sidecar.swap(next, take)) {
                Ok(before) => {
                    self.history.keep(Step::Tags { take: take.name.clone(), document: before }, false);
                    restored += 1;
                }
                Err(what) => {
                    return Some(format!("tags of `{}` that were not saved do not fit any more: {what}", take.name));
                }
            }
        }
        let words = match (restored, changed.is_empty()) {
            (0, _) => return None,
            (n, true) => {
                format!("Tags of {n} clips that were not saved the last time are here again. Undo takes them back.")
            }
            (n, false) => format!(
                "Tags of {n} clips that were not saved the last time are here again; the sidecars of {} have changed since. Undo \
                 shows these.",
                changed.join(", ")
            ),
        };
        Some(words)
    }

    /// Returns a sidecar's key, unique among all data.
    fn key(&self, t: &EditedTake) -> String {
        match self.takes.home {
            super::Home::Files => t.take.sidecar.display().to_string(),
            super::Home::Folder(_) => format!("{}: {}", self.name, t.take.name),
        }
    }
}

fn read(kept: &str) -> Map<String, Value> {
    // This program wrote the text; an unreadable text counts as empty.
    serde_json::from_str(kept).unwrap_or_default()
}

/// Returns the entries of other data.
fn others(session: &Session, earlier: &str) -> Map<String, Value> {
    let mut all = read(earlier);
    for t in &session.takes.list {
        all.remove(&session.key(t));
    }
    all
}
