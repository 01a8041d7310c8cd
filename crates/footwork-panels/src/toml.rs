//! Values of TOML texts that keep their comments.

use toml_edit::{Item, TableLike, Value};

/// Sets a key; what is written around an old value stays: comments, spaces.
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

/// An `f32` with the fewest digits that are the same value.
pub(crate) fn shortest(value: f64) -> f64 {
    (value as f32).to_string().parse().unwrap_or(value)
}
