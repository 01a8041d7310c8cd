//! The exception `footwork.Error`, with the texts of the Rust errors.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use std::error::Error as StdError;
use std::fmt::Display;
use std::sync::{Mutex, MutexGuard, TryLockError};

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

/// Locks what a method of an object uses, without waiting.
pub fn lock<'a, T>(parts: &'a Mutex<T>, what: &str) -> PyResult<MutexGuard<'a, T>> {
    parts.try_lock().map_err(|e| match e {
        TryLockError::WouldBlock => error(format_args!(
            "the {what} is in use by another thread; give each thread its own, or wait for the other"
        )),
        TryLockError::Poisoned(_) => error(format_args!("the {what} is broken by an internal error; make a new one")),
    })
}
