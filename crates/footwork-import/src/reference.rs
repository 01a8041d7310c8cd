//! Lists every setting of a configuration: as TOML to copy from, and as the tables of the guide.

use crate::config::CharacterConfig;
use footwork::advanced::settings::{Choice, Field, Kind, Settings};
use serde_json::Value;

/// Returns the whole default configuration as TOML. Each key has its help, unit and range above it. A key without a default
/// value is commented out as `#key`.
pub fn toml() -> String {
    let mut out = Out { text: String::new(), off: "" };
    for table in tables() {
        out.table(&table);
    }
    out.text.trim_start().to_owned()
}

/// Returns the reference tables of `docs/guide/configuration.md`.
pub fn markdown() -> String {
    let mut text = String::new();
    let mut told = Vec::new();
    for table in tables().iter().filter(|t| !t.path.is_empty()) {
        // The entries of one list are described once.
        if told.contains(&table.path) {
            continue;
        }
        told.push(table.path.clone());
        let help = table.field.map(Field::help).unwrap_or_default();
        let (title, rest) = help.split_first().map_or(("", &[][..]), |(t, r)| (t.trim_end_matches('.'), r));
        let title = title[..1].to_lowercase() + &title[1..];
        text += &format!("## `{}`: {title}\n\n", table.path);
        for paragraph in rest {
            text += &format!("{}\n\n", wrapped(paragraph, "", 120));
        }
        if !table.rows.is_empty() {
            text += "| key | default | range | unit | meaning |\n|---|---|---|---|---|\n";
        }
        for row in &table.rows {
            let range = row.field.range.map(|(low, high)| format!("{low} to {high}")).unwrap_or_default();
            let cells =
                [format!("`{}`", row.field.key), row.default_cell(), range, row.field.unit.to_owned(), row.meaning()];
            text += &format!("| {} |\n", cells.map(|c| c.replace('|', "\\|")).join(" | "));
        }
        if !table.rows.is_empty() {
            text.push('\n');
        }
    }
    linked(text.trim_end()) + "\n"
}

/// Turns names of guide pages into links between pages.
fn linked(text: &str) -> String {
    let mut parts = text.split("`docs/guide/");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| match part.split_once('`') {
        Some((page, rest)) => format!("{text}[{page}]({page}){rest}"),
        None => text + part,
    })
}

/// A table of the configuration.
struct Table {
    /// Path of the table; empty for the whole file.
    path: String,
    /// Field that describes it.
    field: Option<&'static Field>,
    /// True for an entry of a list.
    list: bool,
    /// True if the default configuration does not have it.
    off: bool,
    /// Keys of the table, without those that are tables.
    rows: Vec<Row>,
}

struct Row {
    field: &'static Field,
    /// Default value; `None` without one.
    default: Option<Value>,
    /// Earlier key of the same table with the same choices, which lists them.
    like: Option<&'static str>,
}

fn tables() -> Vec<Table> {
    let default = serde_json::to_string(&CharacterConfig::default()).unwrap_or_default();
    let mut all = Vec::new();
    let top = Table { path: String::new(), field: None, list: false, off: false, rows: Vec::new() };
    collect(top, CharacterConfig::FIELDS, &parsed(&default), &mut all);
    all
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_default()
}

fn collect(mut table: Table, fields: &'static [Field], values: &Value, all: &mut Vec<Table>) {
    let mut inner = Vec::new();
    for field in fields {
        let value = || values.get(field.key).cloned();
        let default = || if field.required { None } else { Some(parsed(&(field.default)())).filter(|v| !v.is_null()) };
        let path = if table.path.is_empty() { field.key.to_owned() } else { format!("{}.{}", table.path, field.key) };
        let under =
            |list, off| Table { path: path.clone(), field: Some(field), list, off: off || table.off, rows: Vec::new() };
        match &field.kind {
            Kind::Table(fields) => inner.push((under(false, false), *fields, value().unwrap_or_default())),
            Kind::List(Kind::Table(fields), _) => {
                let entries = value().and_then(|v| v.as_array().cloned()).unwrap_or_default();
                let off = entries.is_empty();
                for entry in entries.into_iter().chain(off.then_some(Value::Null)) {
                    inner.push((under(true, off), *fields, entry));
                }
            }
            Kind::Map(_) => inner.push((under(false, false), &[][..], Value::Null)),
            _ => {
                let mut row = Row { field, default: if values.is_null() { default() } else { value() }, like: None };
                let same = |r: &&Row| !row.choices().is_empty() && std::ptr::eq(r.choices(), row.choices());
                row.like = table.rows.iter().find(same).map(|r| r.field.key);
                table.rows.push(row);
            }
        }
    }
    all.push(table);
    for (table, fields, values) in inner {
        collect(table, fields, &values, all);
    }
}

impl Row {
    fn choices(&self) -> &'static [Choice] {
        match &self.field.kind {
            Kind::Choice(choices) | Kind::Optional(Kind::Choice(choices)) => choices,
            _ => &[],
        }
    }

    /// Splits the help into the text of the default and the rest.
    fn help(&self) -> (Option<String>, String) {
        let help = self.field.help().join(" ");
        let Some((before, after)) = help.split_once("Default: ") else { return (None, help) };
        let end = after.find(". ").unwrap_or(after.len() - 1);
        let rest = format!("{before}{}", after[end + 1..].trim_start());
        (Some(after[..end].to_owned()), rest.trim_end().to_owned())
    }

    fn default_cell(&self) -> String {
        match (&self.default, self.help().0) {
            _ if self.field.required => "must be given".to_owned(),
            (Some(value), _) => format!("`{}`", written(value)),
            (None, Some(words)) => words,
            (None, None) => "none".to_owned(),
        }
    }

    fn meaning(&self) -> String {
        if let Some(key) = self.like {
            return format!("{} Choices: as `{key}`.", self.help().1);
        }
        let choices = self.choices().iter().map(|c| format!("<br>`{}`: {}", c.name, c.help()));
        self.help().1 + &choices.collect::<String>()
    }
}

/// Returns a JSON value as TOML.
fn written(value: &Value) -> String {
    match value {
        Value::Array(list) => format!("[{}]", list.iter().map(written).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// Returns a valid value for a key that is commented out.
fn sample(field: &Field, kind: &Kind) -> String {
    let (low, high) = field.range.unwrap_or((0.0, 1.0));
    match kind {
        Kind::Switch => "true".to_owned(),
        Kind::Number => format!("{:?}", 1f64.clamp(low, high)),
        Kind::Count => format!("{}", 1f64.clamp(low, high)),
        Kind::Text => "\"..\"".to_owned(),
        Kind::Choice(choices) => format!("\"{}\"", choices[0].name),
        Kind::Optional(kind) => sample(field, kind),
        Kind::List(kind, count) => format!("[{}]", vec![sample(field, kind); count.unwrap_or(1)].join(", ")),
        Kind::Table(_) | Kind::Map(_) => "{}".to_owned(),
    }
}

/// Wraps text to lines of at most `width` characters, each with the prefix `before`.
fn wrapped(text: &str, before: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        if lines[last].is_empty() {
            lines[last] = format!("{before}{word}");
        } else if lines[last].chars().count() + 1 + word.chars().count() > width {
            lines.push(format!("{before}{word}"));
        } else {
            lines[last] = format!("{} {word}", lines[last]);
        }
    }
    lines.join("\n")
}

struct Out {
    text: String,
    /// `#` if the table is commented out.
    off: &'static str,
}

impl Out {
    fn table(&mut self, table: &Table) {
        if table.path.is_empty() || table.rows.is_empty() && !matches!(table.field.map(|f| &f.kind), Some(Kind::Map(_)))
        {
            return;
        }
        self.off = if table.off { "#" } else { "" };
        let name = if table.list { format!("[[{}]]", table.path) } else { format!("[{}]", table.path) };
        // The entries of one list are described once.
        let again = table.list && !table.off && self.text.contains(&name);
        self.text.push('\n');
        for paragraph in table.field.filter(|_| !again).map(Field::help).unwrap_or_default() {
            self.comment(&paragraph);
        }
        self.text += &format!("{}{name}\n", self.off);
        for row in &table.rows {
            self.row(row, again);
        }
    }

    fn row(&mut self, row: &Row, again: bool) {
        let field = row.field;
        if !again {
            let range = field.range.map(|(low, high)| format!("{low} to {high}"));
            let unit = Some(field.unit.to_owned()).filter(|u| !u.is_empty());
            let must = field.required.then(|| "must be given".to_owned());
            let facts: Vec<String> = [must, range, unit].into_iter().flatten().collect();
            let facts = if facts.is_empty() { String::new() } else { format!(" [{}]", facts.join("; ")) };
            self.comment(&format!("{}{facts}", field.help().join(" ")));
            if let Some(key) = row.like {
                self.comment(&format!("Choices: as `{key}`."));
            }
            for choice in row.choices().iter().filter(|_| row.like.is_none()) {
                self.comment(&format!("- {}: {}", choice.name, choice.help()));
            }
        }
        match &row.default {
            Some(value) => self.text += &format!("{}{} = {}\n", self.off, field.key, written(value)),
            None => self.text += &format!("#{} = {}\n", field.key, sample(field, &field.kind)),
        }
    }

    fn comment(&mut self, text: &str) {
        self.text += &wrapped(text, "# ", 120);
        self.text.push('\n');
    }
}
