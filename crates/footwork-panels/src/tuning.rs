//! Settings as a TOML text that keeps its comments, with undo and redo.

use footwork::matcher::MatcherConfig;
use footwork_import::CharacterConfig;
use serde_json::Value;
use std::path::Path;
use toml_edit::{DocumentMut, Item, Table};

/// Steps that can be taken back.
const MOST_STEPS: usize = 200;

/// The settings of a character and the file that they come from.
#[derive(Clone, Debug)]
pub struct Tuning {
    document: DocumentMut,
    config: CharacterConfig,
    undone: Vec<DocumentMut>,
    done: Vec<DocumentMut>,
    /// What the document was when it was opened or saved.
    saved: String,
    /// The last change was part of a movement that has not ended.
    moving: bool,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            document: DocumentMut::new(),
            config: CharacterConfig::default(),
            undone: Vec::new(),
            done: Vec::new(),
            saved: String::new(),
            moving: false,
        }
    }
}

impl Tuning {
    /// Settings from the text of a TOML file.
    ///
    /// # Errors
    /// What is wrong with the text, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let document: DocumentMut = text.parse().map_err(|e: toml_edit::TomlError| e.to_string())?;
        let config = read(&document)?;
        Ok(Self { document, config, saved: text.to_owned(), ..Self::default() })
    }

    /// The matcher's settings.
    pub fn matcher(&self) -> &MatcherConfig {
        &self.config.matcher
    }

    /// The text as it is to be saved.
    pub fn text(&self) -> String {
        self.document.to_string()
    }

    /// The matcher's settings as they were opened or saved.
    pub fn saved(&self) -> MatcherConfig {
        // The text was read before.
        CharacterConfig::parse(&self.saved, Path::new("settings")).unwrap_or_default().matcher
    }

    /// True where something was changed since it was opened or saved.
    pub fn is_changed(&self) -> bool {
        self.text() != self.saved
    }

    /// What is here was saved.
    pub fn mark_saved(&mut self) {
        self.saved = self.text();
    }

    /// Sets a key of the `[matcher]` table; `None` removes it, so that its default holds. `moving`: more of the same movement is to
    /// come, and all of it is one step to undo.
    ///
    /// # Errors
    /// Why the value cannot be, in words; nothing changes.
    pub fn set(&mut self, path: &[&str], value: Option<&Value>, moving: bool) -> Result<(), String> {
        let mut next = self.document.clone();
        write(&mut next, path, value)?;
        let config = read(&next)?;
        if !self.moving {
            self.done.push(self.document.clone());
            let surplus = self.done.len().saturating_sub(MOST_STEPS);
            self.done.drain(..surplus);
        }
        self.undone.clear();
        (self.document, self.config, self.moving) = (next, config, moving);
        Ok(())
    }

    /// Takes all values and the text of other settings, as one step.
    pub fn replace(&mut self, other: &Self) {
        self.done.push(std::mem::replace(&mut self.document, other.document.clone()));
        self.undone.clear();
        self.reread();
    }

    /// Takes the matcher's settings over from elsewhere, such as a running game, as one step: what differs is written into the
    /// text, and the rest of it stays.
    ///
    /// # Errors
    /// Settings that TOML cannot express, in words; nothing changes.
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
        self.done.push(std::mem::replace(&mut self.document, next));
        self.undone.clear();
        (self.config, self.moving) = (read, false);
        Ok(())
    }

    /// A movement ended: the next change is another step.
    pub fn rest(&mut self) {
        self.moving = false;
    }

    /// True where there is a step to take back.
    pub fn can_undo(&self) -> bool {
        !self.done.is_empty()
    }

    /// True where there is a step to take again.
    pub fn can_redo(&self) -> bool {
        !self.undone.is_empty()
    }

    /// Takes the last step back.
    pub fn undo(&mut self) {
        if let Some(before) = self.done.pop() {
            self.undone.push(std::mem::replace(&mut self.document, before));
            self.reread();
        }
    }

    /// Takes the step again that was taken back last.
    pub fn redo(&mut self) {
        if let Some(after) = self.undone.pop() {
            self.done.push(std::mem::replace(&mut self.document, after));
            self.reread();
        }
    }

    fn reread(&mut self) {
        self.moving = false;
        // Every document kept here was read before.
        if let Ok(config) = read(&self.document) {
            self.config = config;
        }
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
            // `[matcher.search]` alone, without an empty `[matcher]` above it.
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
            let mut value = toml(value).ok_or_else(|| format!("`{key}`: no value of TOML"))?;
            match table.get_mut(key).and_then(Item::as_value_mut) {
                Some(before) => {
                    // What is written around the value stays: comments, spaces.
                    *value.decor_mut() = before.decor().clone();
                    *before = value;
                }
                None => {
                    table.insert(key, Item::Value(value));
                }
            }
        }
    }
    Ok(())
}

/// Writes what is to differ.
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

/// A setting is an f32: the fewest digits that are the same value.
fn shortest(value: f64) -> f64 {
    (value as f32).to_string().parse().unwrap_or(value)
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
        tuning.set(&["responsiveness"], Some(&json!(0.7)), false).unwrap();
        tuning.set(&["search", "seam_cost"], Some(&json!(3)), false).unwrap();
        tuning.set(&["channel_cost", "LeftFoot position"], Some(&json!(2.0)), false).unwrap();
        let text = tuning.text();
        assert!(text.contains("# Mine.") && text.contains("responsiveness = 0.7 # quick"), "{text}");
        assert!(text.contains("seam_cost = 3\n") && text.contains("\"LeftFoot position\" = 2.0"), "{text}");
        assert_eq!(Tuning::parse(&text).unwrap().matcher(), tuning.matcher());
        assert_eq!(tuning.matcher().responsiveness, 0.7);
    }

    #[test]
    fn steps_are_undone_and_a_movement_is_one_step() {
        let mut tuning = Tuning::default();
        for (k, value) in [0.2, 0.3, 0.4].iter().enumerate() {
            tuning.set(&["search", "interval_s"], Some(&json!(value)), k < 2).unwrap();
        }
        tuning.set(&["responsiveness"], Some(&json!(2.0)), false).unwrap();
        tuning.undo();
        assert_eq!((tuning.matcher().search.interval_s, tuning.matcher().responsiveness), (0.4, 1.0));
        tuning.undo();
        assert_eq!(tuning.text(), "");
        assert!(!tuning.can_undo() && tuning.can_redo());
        tuning.redo();
        tuning.redo();
        assert_eq!(tuning.matcher().responsiveness, 2.0);
    }

    #[test]
    fn what_cannot_be_changes_nothing() {
        let mut tuning = Tuning::parse(FILE).unwrap();
        assert!(tuning.set(&["search", "interval_s"], Some(&json!(-1.0)), false).is_err());
        assert!(tuning.set(&["search", "intervall"], Some(&json!(1.0)), false).is_err());
        assert_eq!(tuning.text(), FILE);
        assert!(!tuning.can_undo());
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
        // Keys that others left out, and one step to undo.
        tuning.adopt(&MatcherConfig::default()).unwrap();
        assert_eq!(*tuning.matcher(), MatcherConfig::default());
        tuning.undo();
        assert_eq!(*tuning.matcher(), config);
    }

    #[test]
    fn a_removed_key_has_its_default() {
        let mut tuning = Tuning::parse(FILE).unwrap();
        tuning.set(&["responsiveness"], None, false).unwrap();
        assert_eq!(tuning.matcher().responsiveness, 1.0);
        tuning.set(&["feet", "enabled"], None, false).unwrap();
        assert!(!tuning.text().contains("feet"));
    }
}
