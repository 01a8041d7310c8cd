//! Adds, replaces and removes marks in the TOML text of a sidecar.

use super::mark::{Kind, Mark};
use crate::toml::{put, shortest};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

/// Converts a time to TOML. Six decimals are enough to identify any frame.
fn seconds(time_s: f32) -> Value {
    ((f64::from(time_s) * 1e6).round() / 1e6).into()
}

/// Returns the keys and values of a mark's table. A `None` value is omitted.
fn keys(mark: &Mark) -> Vec<(&'static str, Option<Value>)> {
    let name = || ("name", Some(Value::from(mark.name.as_str())));
    let range = [("start_s", mark.start_s.map(seconds)), ("end_s", mark.end_s.map(seconds))];
    match mark.kind {
        Kind::Event => vec![name(), ("time_s", mark.start_s.map(seconds))],
        Kind::Cost => [vec![("cost", Some(shortest(f64::from(mark.cost)).into()))], range.to_vec()].concat(),
        _ => [vec![name()], range.to_vec()].concat(),
    }
}

fn fill(table: &mut dyn TableLike, mark: &Mark) {
    for (key, value) in keys(mark) {
        match value {
            Some(value) => put(table, key, value),
            None => drop(table.remove(key)),
        }
    }
}

fn is_pair(kind: Kind) -> bool {
    matches!(kind, Kind::Discard | Kind::NoEntry)
}

fn pair(mark: &Mark) -> [Value; 2] {
    [mark.start_s.unwrap_or(0.0), mark.end_s.unwrap_or(0.0)].map(seconds)
}

fn no_list(kind: Kind) -> String {
    format!("`{}` is not a list", kind.key())
}

/// Adds a mark to its list.
pub(super) fn add(document: &mut DocumentMut, mark: &Mark) -> Result<(), String> {
    let item = document.as_table_mut().entry(mark.kind.key()).or_insert_with(|| Item::Value(Array::new().into()));
    match item {
        Item::Value(Value::Array(list)) => {
            let mut value = if is_pair(mark.kind) {
                Value::Array(pair(mark).into_iter().collect())
            } else {
                let mut table = InlineTable::new();
                fill(&mut table, mark);
                table.into()
            };
            // One value per line if the others are so.
            let last = list.iter().last().and_then(|v| v.decor().prefix()).and_then(|p| p.as_str());
            let before = last.filter(|p| p.contains('\n')).map(|p| {
                // A comment above the last value belongs to that value.
                let indent = p.rsplit('\n').next().unwrap_or_default();
                format!("\n{indent}")
            });
            match before {
                Some(before) => {
                    // A comment beside the last value stays beside it, after its comma or itself.
                    let beside = beside_last(list);
                    value.decor_mut().set_prefix(format!("{beside}{before}"));
                    list.push_formatted(value);
                }
                None => list.push(value),
            }
            Ok(())
        }
        Item::ArrayOfTables(list) => {
            let mut table = Table::new();
            fill(&mut table, mark);
            list.push(table);
            Ok(())
        }
        _ => Err(no_list(mark.kind)),
    }
}

/// Removes and returns the text between the last value of a list and the end of its line, so that a new value can follow.
fn beside_last(list: &mut Array) -> String {
    let line = |text: &str| text.split('\n').next().unwrap_or_default().trim_end().to_owned();
    let after = list.trailing().as_str().unwrap_or_default().to_owned();
    let count = list.len();
    let last = count.checked_sub(1).and_then(|k| list.get_mut(k)).map(toml_edit::Value::decor_mut);
    let suffix = last.map(|decor| {
        let suffix = decor.suffix().and_then(|s| s.as_str()).unwrap_or_default().to_owned();
        decor.set_suffix("");
        suffix
    });
    let rest = after.split_once('\n').map_or(String::new(), |(_, rest)| format!("\n{rest}"));
    // Without a trailing comma, the text is part of the value.
    let before_end = suffix.unwrap_or_default();
    list.set_trailing(if after.contains('\n') { rest } else { "\n".to_owned() });
    let beside = format!("{}{}", line(&before_end), line(&after));
    if beside.trim().is_empty() { String::new() } else { beside }
}

/// Replaces a mark of a list.
pub(super) fn set(document: &mut DocumentMut, index: usize, mark: &Mark) -> Result<(), String> {
    let item = document.get_mut(mark.kind.key()).ok_or_else(|| no_list(mark.kind))?;
    match item {
        Item::Value(Value::Array(list)) => set_in_array(list, index, mark),
        Item::ArrayOfTables(list) => {
            fill(table_at(list, index).ok_or_else(|| no_list(mark.kind))?, mark);
            Ok(())
        }
        _ => Err(no_list(mark.kind)),
    }
}

fn set_in_array(list: &mut Array, index: usize, mark: &Mark) -> Result<(), String> {
    match list.get_mut(index) {
        Some(Value::Array(range)) if is_pair(mark.kind) => {
            for (k, mut value) in pair(mark).into_iter().enumerate() {
                let Some(before) = range.get_mut(k) else { break };
                *value.decor_mut() = before.decor().clone();
                *before = value;
            }
            Ok(())
        }
        Some(Value::InlineTable(table)) => {
            let count = table.len();
            fill(table, mark);
            if table.len() != count {
                // Restores the spaces between keys; an inline table has no comments.
                table.fmt();
            }
            Ok(())
        }
        _ => Err(no_list(mark.kind)),
    }
}

fn table_at(list: &mut ArrayOfTables, index: usize) -> Option<&mut Table> {
    list.get_mut(index)
}

/// Removes a mark from its list.
pub(super) fn remove(document: &mut DocumentMut, kind: Kind, index: usize) -> Result<(), String> {
    let left = match document.get_mut(kind.key()) {
        Some(Item::Value(Value::Array(list))) if index < list.len() => {
            list.remove(index);
            list.len()
        }
        Some(Item::ArrayOfTables(list)) if index < list.len() => {
            list.remove(index);
            list.len()
        }
        _ => return Err(no_list(kind)),
    };
    // An empty list is removed unless it has a comment.
    let comment = |d: Option<&toml_edit::RawString>| d.and_then(|r| r.as_str()).is_some_and(|t| t.contains('#'));
    let table = document.as_table_mut();
    let told = table.key(kind.key()).is_some_and(|k| comment(k.leaf_decor().prefix()))
        || table.get(kind.key()).and_then(Item::as_value).is_some_and(|v| comment(v.decor().suffix()));
    if left == 0 && !told {
        table.remove(kind.key());
    }
    Ok(())
}
