//! The exception `footwork.Error`, with the texts of the Rust errors.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use std::error::Error as StdError;
use std::fmt::Display;

create_exception!(footwork, Error, PyException, "An input, a file or a setting was rejected. Nothing has changed.");

/// Returns an exception with a text.
pub fn error(text: impl Display) -> PyErr {
    Error::new_err(text.to_string())
}

/// Returns an exception with the text of an error and of its causes, as the command line prints them.
pub fn rejected(error: impl StdError) -> PyErr {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        text = format!("{text}: {next}");
        cause = next.source();
    }
    Error::new_err(text)
}

/// Adds what an exception is about, as a note below its text.
pub fn about(py: Python, error: PyErr, note: impl Display) -> PyErr {
    // An exception without notes is still the exception.
    let _ = error.value(py).call_method1("add_note", (note.to_string(),));
    error
}

/// The exception for an object that another thread uses.
pub fn in_use(what: &str) -> PyErr {
    error(format_args!("the {what} is in use by another thread; give each thread its own, or wait for the other"))
}
