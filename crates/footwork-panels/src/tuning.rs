//! Settings as a TOML text with its comments.

use crate::toml::{put, shortest};
use footwork::matcher::MatcherConfig;
use footwork_import::CharacterConfig;
use serde_json::Value;
use std::path::Path;
use toml_edit::{DocumentMut, Item, Table};

/// Settings of a character, and the text of their file.
#[derive(Clone, Debug)]
pub struct Tuning {
    document: DocumentMut,
    config: CharacterConfig,
    /// Text when it was last opened or saved.
    saved: String,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { document: DocumentMut::new(), config: CharacterConfig::default(), saved: String::new() }
    }
}

impl Tuning {
    /// Parses settings from the text of a TOML file.
    ///
    /// # Errors
    /// Returns a message if the text is invalid.
    pub fn parse(text: &str) -> Result<Self, String> {
        let document: DocumentMut = text.parse().map_err(|e: toml_edit::TomlError| e.to_string())?;
        let config = read(&document)?;
        Ok(Self { document, config, saved: text.to_owned() })
    }

    /// Returns the matcher's settings.
    pub fn matcher(&self) -> &MatcherConfig {
        &self.config.matcher
    }

    /// Returns the text to save.
    pub fn text(&self) -> String {
        self.document.to_string()
    }

    /// Returns the matcher's settings when they were last opened or saved.
    pub fn saved(&self) -> MatcherConfig {
        // The text was parsed before, so this succeeds.
        CharacterConfig::parse(&self.saved, Path::new("settings")).unwrap_or_default().matcher
    }

    /// Returns the settings when they were last opened or saved.
    #[must_use]
    pub fn as_saved(&self) -> Self {
        // The text was parsed before, so this succeeds.
        Self::parse(&self.saved).unwrap_or_default()
    }

    /// Returns true if there are changes since the settings were last opened or saved.
    pub fn is_changed(&self) -> bool {
        self.text() != self.saved
    }

    /// Marks the settings as saved.
    pub fn mark_saved(&mut self) {
        self.saved = self.text();
    }

    /// Sets a key of the `[matcher]` table; `None` removes it and restores its default.
    ///
    /// # Errors
    /// Returns a message if the value is invalid; nothing changes.
    pub fn set(&mut self, path: &[&str], value: Option<&Value>) -> Result<(), String> {
        let mut next = self.document.clone();
        write(&mut next, path, value)?;
        self.config = read(&next)?;
        self.document = next;
        Ok(())
    }

    /// Returns the document, for the undo history.
    pub(crate) fn document(&self) -> &DocumentMut {
        &self.document
    }

    /// Copies the matcher's settings from elsewhere, such as a running game. Writes differing values into the text; the rest of
    /// the text remains.
    ///
    /// # Errors
    /// Returns a message if TOML cannot express a value; nothing changes.
    pub fn adopt(&mut self, config: &MatcherConfig) -> Result<(), String> {
        if self.matcher() == config {
            return Ok(());
        }
        let json = |config: &MatcherConfig| serde_json::to_value(config).map_err(|e| e.to_string());
        let mut next = self.document.clone();
        take_over(&mut next, &json(self.matcher())?, &json(config)?, &mut Vec::new())?;
        let read = read(&next)?;
        if read.matcher != *config {
            return Err("settings: expected values that TOML can express, found others; save them by hand".to_owned());
        }
        (self.document, self.config) = (next, read);
        Ok(())
    }

    /// Replaces the document by one that was valid before. Returns the replaced one.
    pub(crate) fn swap(&mut self, document: DocumentMut) -> DocumentMut {
        let before = std::mem::replace(&mut self.document, document);
        if let Ok(config) = read(&self.document) {
            self.config = config;
        }
        before
    }
}

fn read(document: &DocumentMut) -> Result<CharacterConfig, String> {
    CharacterConfig::parse(&document.to_string(), Path::new("settings")).map_err(|e| e.to_string())
}

fn write(document: &mut DocumentMut, path: &[&str], value: Option<&Value>) -> Result<(), String> {
    let Some((key, tables)) = path.split_last() else { return Ok(()) };
    let mut table: &mut dyn toml_edit::TableLike = document.as_table_mut();
    for name in std::iter::once(&"matcher").chain(tables) {
        if value.is_none() && !table.contains_key(name) {
            return Ok(());
        }
        let inner = table.entry(name).or_insert_with(|| {
            let mut made = Table::new();
            // Write `[matcher.search]` alone, without an empty `[matcher]` above it.
            made.set_implicit(true);
            Item::Table(made)
        });
        table = inner.as_table_like_mut().ok_or_else(|| format!("`{name}` is not a table"))?;
    }
    match value {
        None => {
            table.remove(key);
        }
        Some(value) => {
            let value = toml(value).ok_or_else(|| format!("`{key}`: no value of TOML"))?;
            put(table, key, value);
        }
    }
    Ok(())
}

/// Writes the values that differ between `from` and `to`.
fn take_over(document: &mut DocumentMut, from: &Value, to: &Value, path: &mut Vec<String>) -> Result<(), String> {
    let keys = |value: &Value| value.as_object().map(|o| o.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
    if from == to {
        return Ok(());
    }
    if to.is_object() {
        let mut all = [keys(from), keys(to)].concat();
        all.sort_unstable();
        all.dedup();
        for key in all {
            let value = |of: &Value| of.get(&key).cloned().unwrap_or(Value::Null);
            path.push(key.clone());
            take_over(document, &value(from), &value(to), path)?;
            path.pop();
        }
        return Ok(());
    }
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    write(document, &path, Some(to).filter(|v| !v.is_null()))
}

fn toml(value: &Value) -> Option<toml_edit::Value> {
    Some(match value {
        Value::Bool(b) => (*b).into(),
        Value::Number(n) if n.is_i64() => n.as_i64()?.into(),
        Value::Number(n) => shortest(n.as_f64()?).into(),
        Value::String(s) => s.as_str().into(),
        Value::Array(all) => all.iter().map(toml).collect::<Option<toml_edit::Array>>()?.into(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const FILE: &str = "# Mine.\n[matcher]\nresponsiveness = 1.5 # quick\n\n[matcher.search]\ninterval_s = 0.1\n";

    #[test]
    fn a_value_changes_and_comments_stay() {
        let mut tuning = Tuning::parse(FILE).unwrap();
        assert!(!tuning.is_changed());
        tuning.set(&["responsiveness"], Some(&json!(0.7))).unwrap();
        tuning.set(&["search", "discontinuity_cost"], Some(&json!(3))).unwrap();
        tuning.set(&["channel_cost", "LeftFoot position"], Some(&json!(2.0))).unwrap();
        let text = tuning.text();
        assert!(text.contains("# Mine.") && text.contains("responsiveness = 0.7 # quick"), "{text}");
        assert!(text.contains("discontinuity_cost = 3\n") && text.contains("\"LeftFoot position\" = 2.0"), "{text}");
        assert_eq!(Tuning::parse(&text).unwrap().matcher(), tuning.matcher());
        assert_eq!(tuning.matcher().responsiveness, 0.7);
    }

    #[test]
    fn what_cannot_be_changes_nothing() {
        let mut tuning = Tuning::parse(FILE).unwrap();
        assert!(tuning.set(&["search", "interval_s"], Some(&json!(-1.0))).is_err());
        assert!(tuning.set(&["search", "intervall"], Some(&json!(1.0))).is_err());
        assert_eq!(tuning.text(), FILE);
        assert!(Tuning::parse("[matcher").is_err());
    }

    #[test]
    fn settings_of_a_game_are_taken_over_and_comments_stay() {
        let mut tuning = Tuning::parse(FILE).unwrap();
        let mut config = tuning.matcher().clone();
        config.search.interval_s = 0.3;
        config.channel_cost.insert("LeftFoot position".to_owned(), 0.1);
        config.ground.own_ground_tags = vec!["ice".to_owned(), "sand".to_owned()];
        tuning.adopt(&config).unwrap();
        assert_eq!(*tuning.matcher(), config);
        let text = tuning.text();
        assert!(text.contains("# Mine.") && text.contains("responsiveness = 1.5 # quick"), "{text}");
        assert_eq!(*Tuning::parse(&text).unwrap().matcher(), config);
        // Keys of a map that the adopted settings lack are removed.
        tuning.adopt(&MatcherConfig::default()).unwrap();
        assert_eq!(*tuning.matcher(), MatcherConfig::default());
    }

    #[test]
    fn a_removed_key_has_its_default() {
        let mut tuning = Tuning::parse(FILE).unwrap();
        tuning.set(&["responsiveness"], None).unwrap();
        assert_eq!(tuning.matcher().responsiveness, 1.0);
        tuning.set(&["feet", "enabled"], None).unwrap();
        assert!(!tuning.text().contains("feet"));
    }
}
