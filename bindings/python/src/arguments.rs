//! Keyword arguments of calls with many of them.

use crate::error::error;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The keyword arguments of a call. Each is taken by its name; what is left at the end is unknown.
pub struct Arguments<'py> {
    call: &'static str,
    given: Option<Bound<'py, PyDict>>,
    taken: usize,
}

impl<'py> Arguments<'py> {
    pub fn new(call: &'static str, given: Option<&Bound<'py, PyDict>>) -> Self {
        Self { call, given: given.cloned(), taken: 0 }
    }

    /// Takes an argument; `None` if it was not given or is `None`.
    pub fn take(&mut self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(given) = &self.given else { return Ok(None) };
        let value = given.get_item(name)?;
        self.taken += usize::from(value.is_some());
        Ok(value.filter(|value| !value.is_none()))
    }

    /// Takes an argument as a value. `expected` describes it in the error.
    pub fn value<T: FromPyObjectOwned<'py>>(&mut self, name: &str, expected: &str) -> PyResult<Option<T>> {
        let found = |value: &Bound<PyAny>| value.repr().map_or_else(|_| "another object".to_owned(), |r| r.to_string());
        let taken = self.take(name)?;
        let read = |value: Bound<'py, PyAny>| {
            let wrong = || error(format_args!("`{name}`: expected {expected}, found {}", found(&value)));
            value.extract::<T>().map_err(|_| wrong())
        };
        taken.map(read).transpose()
    }

    /// Checks that every argument was taken.
    ///
    /// # Errors
    /// Returns `TypeError` for the first unknown argument, as Python does.
    pub fn finish(self, known: &[&str]) -> PyResult<()> {
        let Some(given) = &self.given else { return Ok(()) };
        if given.len() == self.taken {
            return Ok(());
        }
        for name in given.keys() {
            let name: String = name.extract()?;
            if !known.contains(&name.as_str()) {
                let text = format!("{} got an unexpected keyword argument '{name}'", self.call);
                return Err(PyTypeError::new_err(text));
            }
        }
        Ok(())
    }
}
