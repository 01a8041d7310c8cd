//! States as dictionaries of plain values.

use crate::arrays::values;
use crate::error::{error, rejected};
use footwork::matcher::MatcherState;
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::PyDict;

const HEADERS: &str = "headers";
const BLOCKS: &str = "blocks";

/// Returns `{"headers": [JSON text of each character], "blocks": [characters x floats]}`.
pub fn save<'py>(py: Python<'py>, states: &[MatcherState]) -> PyResult<Bound<'py, PyDict>> {
    let headers: Vec<String> =
        states.iter().map(|state| serde_json::to_string(&state.header)).collect::<Result<_, _>>().map_err(rejected)?;
    let blocks: Vec<Vec<f32>> = states.iter().map(|state| state.block.clone()).collect();
    let dict = PyDict::new(py);
    dict.set_item(HEADERS, headers)?;
    dict.set_item(BLOCKS, PyArray2::from_vec2(py, &blocks)?)?;
    Ok(dict)
}

/// Returns the states of a dictionary. Whether they fit a character is checked when it takes them over.
///
/// # Errors
/// Returns an error for another number of characters, and for values that are no state.
pub fn load(given: &Bound<PyDict>, n: usize) -> PyResult<Vec<MatcherState>> {
    let take = |key: &str| given.get_item(key)?.ok_or_else(|| error(format_args!("`state`: expected the key `{key}`")));
    let headers: Vec<String> =
        take(HEADERS)?.extract().map_err(|_| error("`state`: `headers`: expected a sequence of texts"))?;
    if headers.len() != n {
        return Err(error(format_args!("`state`: expected {n} characters, found {}", headers.len())));
    }
    let blocks = take(BLOCKS)?;
    let width = blocks.getattr("shape").and_then(|shape| shape.get_item(1)).and_then(|width| width.extract());
    let width: usize = width.map_err(|_| error("`state`: `blocks`: expected an array with two axes"))?;
    let (blocks, _) = values::<f32>("blocks", &blocks, &[&[n, width]])?;
    let state = |(header, block): (&String, &[f32])| {
        let header = serde_json::from_str(header).map_err(|e| error(format_args!("`state`: `headers`: {e}")))?;
        Ok(MatcherState { header, block: block.to_vec() })
    };
    headers.iter().zip(blocks.chunks(width.max(1))).map(state).collect()
}
