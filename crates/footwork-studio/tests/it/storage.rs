//! Storage of the application in memory.

use eframe::Storage;
use std::collections::BTreeMap;

/// Storage in memory.
#[derive(Default)]
pub struct Kept(BTreeMap<String, String>);

impl Storage for Kept {
    fn get_string(&self, key: &str) -> Option<String> {
        self.0.get(key).cloned()
    }
    fn set_string(&mut self, key: &str, value: String) {
        self.0.insert(key.to_owned(), value);
    }
    fn flush(&mut self) {}
}
