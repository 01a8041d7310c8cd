//! Writing.

use super::error::{FileError, FileFault};
use super::format::Format;
use crate::files::write_atomically;
use bytemuck::{Pod, cast_slice};
use safetensors::tensor::{Dtype, Metadata, TensorInfo};
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
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
pub fn to_bytes(format: &Format, json: &str, tensors: &[Tensor]) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    write(&mut out, &header(format, json, tensors)?, tensors).map_err(|e| e.to_string())?;
    Ok(out)
}

/// Writes the bytes of [`to_bytes`] to a file atomically, without a second copy of the tensors.
///
/// # Errors
/// Returns [`FileFault::Io`]; an existing file is then unchanged.
pub fn save_tensors(format: &'static Format, path: &Path, json: &str, tensors: &[Tensor]) -> Result<(), FileError> {
    save(format, path, |out| write(out, &header(format, json, tensors).map_err(io::Error::other)?, tensors))
}

/// Writes a file atomically.
///
/// # Errors
/// Returns [`FileFault::Io`]; an existing file is then unchanged.
pub fn save(
    format: &'static Format,
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), FileError> {
    write_atomically(path, write)
        .map_err(|error| FileError::new(format, path, FileFault::Io { action: "write", error }))
}

/// Returns the tensors in the order of a safetensors file: large types first, then by name.
fn in_order<'t, 'a>(tensors: &'t [Tensor<'a>]) -> Vec<&'t Tensor<'a>> {
    let mut all: Vec<&Tensor> = tensors.iter().collect();
    all.sort_by(|a, b| b.dtype.cmp(&a.dtype).then_with(|| a.name.cmp(&b.name)));
    all
}

/// Returns the first bytes of a safetensors file: the length of the JSON, and the JSON with types, shapes and offsets.
fn header(format: &Format, json: &str, tensors: &[Tensor]) -> Result<Vec<u8>, String> {
    let mut start = 0;
    let mut infos = Vec::with_capacity(tensors.len());
    for t in in_order(tensors) {
        let end = start + t.bytes.len();
        let info = TensorInfo { dtype: t.dtype, shape: t.shape.clone(), data_offsets: (start, end) };
        infos.push((t.name.clone().into_owned(), info));
        start = end;
    }
    let values = HashMap::from([(format.key.to_owned(), json.to_owned())]);
    // Checks that the lengths are those of types and shapes.
    let metadata = Metadata::new(Some(values), infos).map_err(|e| e.to_string())?;
    let mut text = serde_json::to_string(&metadata).map_err(|e| e.to_string())?.into_bytes();
    text.resize(text.len().next_multiple_of(size_of::<u64>()), b' ');
    Ok([(text.len() as u64).to_le_bytes().as_slice(), &text].concat())
}

fn write(out: &mut impl Write, header: &[u8], tensors: &[Tensor]) -> io::Result<()> {
    out.write_all(header)?;
    in_order(tensors).into_iter().try_for_each(|t| out.write_all(&t.bytes))
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

#[cfg(test)]
mod tests {
    use super::*;
    use safetensors::tensor::TensorView;

    const FORMAT: Format =
        Format { what: "test", extension: ".test", key: "test", kind: None, version: 1, again: "write it again" };

    #[test]
    fn the_bytes_are_those_of_the_safetensors_crate() {
        let (floats, bytes) = ([1.5f32, -2.0, 3.0, 0.25], [7u8, 8, 9]);
        let tensors = [
            Tensor::of("z_bytes", Dtype::U8, &[3], &bytes),
            Tensor::of("b", Dtype::F32, &[2, 2], &floats),
            Tensor::of("a", Dtype::F32, &[4], &floats),
            Tensor::of("empty", Dtype::U32, &[0, 3], &[0u32; 0]),
        ];
        let views =
            tensors.iter().map(|t| (t.name.as_ref(), TensorView::new(t.dtype, t.shape.clone(), &t.bytes).unwrap()));
        let json = "{\"a\":1}";
        let theirs =
            safetensors::serialize(views, Some(HashMap::from([("test".to_owned(), json.to_owned())]))).unwrap();
        assert_eq!(to_bytes(&FORMAT, json, &tensors).unwrap(), theirs);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.test");
        save_tensors(&FORMAT, &path, json, &tensors).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), theirs);
    }

    #[test]
    fn a_shape_that_does_not_fit_is_an_error_and_nothing_is_written() {
        let tensors = [Tensor::of("a", Dtype::F32, &[3], &[1.0f32; 4])];
        assert!(to_bytes(&FORMAT, "{}", &tensors).is_err());
        let dir = tempfile::tempdir().unwrap();
        assert!(save_tensors(&FORMAT, &dir.path().join("a.test"), "{}", &tensors).is_err());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
