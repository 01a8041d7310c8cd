//! Editing of TOML texts with their comments.

use toml_edit::{Item, TableLike, Value};

/// Sets a key, and keeps comments and spaces around the old value.
pub(crate) fn put(table: &mut dyn TableLike, key: &str, mut value: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(before) => {
            *value.decor_mut() = before.decor().clone();
            *before = value;
        }
        None => {
            table.insert(key, Item::Value(value));
        }
    }
}

/// Returns the shortest decimal number for a value as an `f32`.
pub(crate) fn shortest(value: f64) -> f64 {
    (value as f32).to_string().parse().unwrap_or(value)
}
