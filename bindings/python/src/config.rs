//! Configurations: a TOML file, or its tables as a dictionary.

use crate::error::{error, rejected};
use footwork_import::CharacterConfig;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};

/// A configuration, and the file that it comes from.
#[derive(Default)]
pub struct Config {
    /// The tables `source`, `build` and `matcher`.
    pub character: CharacterConfig,
    /// The file, if there is one.
    pub file: Option<PathBuf>,
}

impl Config {
    /// Reads the argument `config`: `None`, a path of a TOML file, or a dictionary with the tables of such a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, and for an unknown key or a value out of range.
    pub fn of(given: Option<&Bound<PyAny>>) -> PyResult<Self> {
        let Some(given) = given else { return Ok(Self::default()) };
        if let Ok(tables) = given.cast::<PyDict>() {
            let text: String =
                given.py().import("json")?.call_method1("dumps", (tables,)).map_err(not_a_table)?.extract()?;
            let value: toml::Value = serde_json::from_str(&text).map_err(not_a_table)?;
            let text = toml::to_string(&value).map_err(not_a_table)?;
            let character = CharacterConfig::parse(&text, Path::new("config")).map_err(rejected)?;
            return Ok(Self { character, file: None });
        }
        let file: PathBuf =
            given.extract().map_err(|_| error("`config`: expected a path of a TOML file or a dictionary"))?;
        let character = CharacterConfig::load(&file).map_err(rejected)?;
        Ok(Self { character, file: Some(file) })
    }
}

fn not_a_table(why: impl std::fmt::Display) -> PyErr {
    error(format_args!("`config`: expected tables of numbers, texts, booleans and lists: {why}"))
}
