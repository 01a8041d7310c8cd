//! From serialised values to Python objects.

use crate::error::rejected;
use footwork::advanced::search::Explanation;
use pyo3::prelude::*;
use serde::Serialize;

/// Returns a value as dictionaries, lists, numbers and texts.
pub fn object<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(value).map_err(rejected)?;
    py.import("json")?.call_method1("loads", (text,))
}

/// Returns an explanation of a search, with texts as verdicts.
pub fn explanation<'py>(py: Python<'py>, told: &Explanation) -> PyResult<Bound<'py, PyAny>> {
    let mut value = serde_json::to_value(told).map_err(rejected)?;
    for (k, candidate) in told.candidates.iter().enumerate() {
        value["candidates"][k]["verdict"] = candidate.verdict.to_string().into();
        value["candidates"][k]["channels"] = candidate.channels.iter().cloned().collect();
    }
    value["excluded"] = told.excluded.iter().map(|(why, rows)| (why.to_string(), *rows)).collect();
    object(py, &value)
}
