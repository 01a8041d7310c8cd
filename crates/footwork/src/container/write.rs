//! Writing.

use super::error::{FileError, FileFault};
use super::format::Format;
use crate::files::write_atomically;
use bytemuck::{Pod, cast_slice};
use safetensors::tensor::{Dtype, TensorView};
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

/// A tensor for writing.
pub struct Tensor<'a> {
    pub name: Cow<'static, str>,
    pub dtype: Dtype,
    pub shape: Vec<usize>,
    pub bytes: Cow<'a, [u8]>,
}

impl<'a> Tensor<'a> {
    pub fn of<T: Pod>(name: impl Into<Cow<'static, str>>, dtype: Dtype, shape: &[usize], values: &'a [T]) -> Self {
        Self { name: name.into(), dtype, shape: shape.to_vec(), bytes: cast_slice(values).into() }
    }

    /// Returns a tensor with its own copy of the values.
    pub fn owned<T: Pod>(name: &'static str, dtype: Dtype, shape: &[usize], values: Vec<T>) -> Self {
        let bytes = Cow::Owned(cast_slice(&values).to_vec());
        Self { name: name.into(), dtype, shape: shape.to_vec(), bytes }
    }
}

/// Returns JSON with sorted keys. Equal content gives equal bytes.
///
/// # Errors
/// Returns an error for values that JSON does not support.
pub fn json_of(metadata: &impl Serialize) -> Result<String, String> {
    serde_json::to_value(metadata).map(|value| canonical_json(&value)).map_err(|e| e.to_string())
}

/// Returns the bytes of a file.
///
/// # Errors
/// Returns an error if the container format cannot hold the content.
pub fn to_bytes(format: &Format, json: String, tensors: &[Tensor]) -> Result<Vec<u8>, String> {
    let mut views = Vec::with_capacity(tensors.len());
    for t in tensors {
        let view = TensorView::new(t.dtype, t.shape.clone(), &t.bytes).map_err(|e| e.to_string())?;
        views.push((t.name.as_ref(), view));
    }
    safetensors::serialize(views, Some(HashMap::from([(format.key.to_owned(), json)]))).map_err(|e| e.to_string())
}

/// Writes a file atomically.
///
/// # Errors
/// Returns [`FileFault::Io`]; an existing file is then unchanged.
pub fn save(format: &'static Format, path: &Path, bytes: Result<Vec<u8>, String>) -> Result<(), FileError> {
    let written = bytes.map_err(io::Error::other).and_then(|bytes| write_atomically(path, |f| f.write_all(&bytes)));
    written.map_err(|error| FileError::new(format, path, FileFault::Io { action: "write", error }))
}

/// Returns JSON with sorted keys, whatever map type the JSON crate uses.
pub fn canonical_json(value: &Value) -> String {
    let mut out = String::new();
    canonical(value, &mut out);
    out
}

fn canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            out.push('{');
            for (i, k) in keys.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                canonical(&Value::String(k.clone()), out);
                out.push(':');
                canonical(&map[k], out);
            }
            out.push('}');
        }
        Value::Array(list) => {
            out.push('[');
            for (i, v) in list.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                canonical(v, out);
            }
            out.push(']');
        }
        leaf => out.push_str(&leaf.to_string()),
    }
}
