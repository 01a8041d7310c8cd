//! Reading. Version, hash, types and shapes are checked before use.

use super::error::{FileError, FileFault};
use super::format::Format;
use super::write::canonical_json;
use crate::files::megabytes;
use crate::memory;
use bytemuck::Pod;
use safetensors::tensor::{Dtype, SafeTensorError, SafeTensors, TensorView};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::cmp::Ordering;
use std::error::Error;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Reads a file and parses it with `parse`.
///
/// # Errors
/// Returns [`FileError`] with the problem and how to fix it.
pub fn load<T>(
    format: &'static Format,
    path: &Path,
    parse: impl FnOnce(&[u8], &Path) -> Result<T, FileError>,
) -> Result<T, FileError> {
    let bytes = read_safetensors(path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => FileFault::Container(error.to_string()),
        _ => FileFault::Io { action: "read", error },
    });
    parse(&bytes.map_err(|fault| FileError::new(format, path, fault))?, path)
}

/// A file whose container, kind and version have been checked.
pub struct Reader<'a> {
    format: &'static Format,
    path: &'a Path,
    tensors: SafeTensors<'a>,
    json: Value,
}

impl<'a> Reader<'a> {
    /// Parses the container.
    ///
    /// # Errors
    /// Returns an error for another format, kind or version.
    pub fn open(format: &'static Format, bytes: &'a [u8], path: &'a Path) -> Result<Self, FileError> {
        let error = |fault| FileError::new(format, path, fault);
        let container = |e: SafeTensorError| error(FileFault::Container(e.to_string()));
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(container)?;
        let tensors = SafeTensors::deserialize(bytes).map_err(container)?;
        let json = header.metadata().as_ref().and_then(|m| m.get(format.key));
        let json: Value = serde_json::from_str(json.ok_or_else(|| error(FileFault::NotOurs))?)
            .map_err(|e| error(FileFault::Metadata(e.to_string())))?;
        if json.get("kind").and_then(Value::as_str) != format.kind {
            return Err(error(FileFault::OtherKind));
        }
        // The version comes first, because everything else may differ in another one.
        let found = json.get("format_version").and_then(Value::as_u64).unwrap_or(0);
        match found.cmp(&format.version.into()) {
            Ordering::Greater => Err(error(FileFault::Newer(found))),
            Ordering::Less => Err(error(FileFault::Older(found))),
            Ordering::Equal => Ok(Self { format, path, tensors, json }),
        }
    }

    /// Returns the error for a fault of this file.
    pub fn error(&self, fault: FileFault) -> FileError {
        FileError::new(self.format, self.path, fault)
    }

    /// Returns the error for invalid metadata.
    pub fn metadata_error(&self, error: impl ToString) -> FileError {
        self.error(FileFault::Metadata(error.to_string()))
    }

    /// Returns the error for invalid content.
    pub fn content_error(&self, error: impl Into<Box<dyn Error + Send + Sync>>) -> FileError {
        self.error(FileFault::Content(error.into()))
    }

    /// Returns the error for invalid content of a tensor.
    pub fn tensor_error(&self, tensor: &str, detail: String) -> FileError {
        self.error(FileFault::Tensor { tensor: tensor.to_owned(), detail })
    }

    /// Compares the recorded hash with that of the content, and returns it. `hash` gets the metadata with an empty hash.
    ///
    /// # Errors
    /// Returns [`FileFault::Damaged`] if they differ.
    pub fn check_hash(&mut self, hash: impl FnOnce(&str, &SafeTensors) -> u128) -> Result<u128, FileError> {
        // The metadata is an object, because it has a version.
        let recorded = std::mem::replace(&mut self.json["content_hash"], Value::String(String::new()));
        let hash = hash(&canonical_json(&self.json), &self.tensors);
        let (recorded, found) = (recorded.as_str().unwrap_or_default().to_owned(), format!("{hash:032x}"));
        if found == recorded { Ok(hash) } else { Err(self.error(FileFault::Damaged { recorded, found })) }
    }

    /// Returns a value of the metadata before they are parsed as a whole.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.json.get(key)
    }

    /// Parses the metadata.
    ///
    /// # Errors
    /// Returns [`FileFault::Metadata`] if a value is missing, unknown or invalid.
    pub fn metadata<T: DeserializeOwned>(&mut self) -> Result<T, FileError> {
        serde_json::from_value(self.json.take()).map_err(|e| self.metadata_error(e))
    }

    /// Returns the names of the tensors, in no order.
    pub fn names(&self) -> Vec<&str> {
        self.tensors.names()
    }

    /// Returns a tensor as it is.
    ///
    /// # Errors
    /// Returns [`FileFault::Tensor`] if it is missing.
    pub fn tensor(&self, name: &str) -> Result<TensorView<'_>, FileError> {
        self.tensors.tensor(name).map_err(|e| self.tensor_error(name, e.to_string()))
    }

    /// Returns a copy of a tensor in aligned memory. `shape`: expected sizes, `None` for any.
    ///
    /// # Errors
    /// Returns [`FileFault::Tensor`] if it is missing, or has another type or shape.
    pub fn read<T: Pod>(&self, name: &str, dtype: Dtype, shape: &[Option<usize>]) -> Result<Vec<T>, FileError> {
        let t = self.tensor(name)?;
        let fits = t.shape().len() == shape.len()
            && t.shape().iter().zip(shape).all(|(found, wanted)| wanted.is_none_or(|w| w == *found));
        if t.dtype() == dtype && fits {
            let mut values = memory::large_array(t.data().len() / size_of::<T>());
            values.extend(t.data().chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned::<T>));
            return Ok(values);
        }
        let sizes: Vec<String> = shape.iter().map(|n| n.map_or("any".to_owned(), |n| n.to_string())).collect();
        let detail = format!("expected {dtype:?} [{}], found {:?} {:?}", sizes.join(", "), t.dtype(), t.shape());
        Err(self.tensor_error(name, detail))
    }
}

/// Maximum size of the header of a safetensors file, in bytes.
const MOST_HEADER: u64 = 100_000_000;

/// Reads a safetensors file. A file whose length does not agree with its header is rejected before its data is read.
///
/// # Errors
/// Returns the error of the file system, or [`InvalidData`](io::ErrorKind::InvalidData) for a file that is truncated, longer than
/// its header specifies, or in another format.
pub fn read_safetensors(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let wrong = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    let mut bytes = Vec::new();
    (&mut file).take(8).read_to_end(&mut bytes)?;
    let Ok(size) = <[u8; 8]>::try_from(bytes.as_slice()) else {
        return Err(wrong(format!("expected a header, found {} bytes", bytes.len())));
    };
    let size = u64::from_le_bytes(size);
    if size > MOST_HEADER {
        return Err(wrong(format!("expected a header of at most {}, found {size} bytes", megabytes(MOST_HEADER))));
    }
    (&mut file).take(size).read_to_end(&mut bytes)?;
    let header = bytes.get(8..).filter(|h| h.len() as u64 == size);
    let header = header.ok_or_else(|| wrong(format!("the header says {size} bytes, found {}", bytes.len() - 8)))?;
    let header: safetensors::tensor::Metadata = serde_json::from_slice(header).map_err(|e| wrong(e.to_string()))?;
    let all = (bytes.len() as u64).saturating_add(header.data_len() as u64);
    // The length of a pipe is unknown.
    if file.metadata()?.is_file() && length != all {
        return Err(wrong(format!("the header says {all} bytes, found {length}")));
    }
    (&mut file).take((all - bytes.len() as u64).saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == all { Ok(bytes) } else { Err(wrong(format!("the header says {all} bytes"))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, OpenOptions};

    #[test]
    fn a_safetensors_file_is_as_long_as_its_header_says() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.fwdb");
        let header = r#"{"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}}"#;
        let whole = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), b"abc"].concat();
        fs::write(&path, &whole).unwrap();
        assert_eq!(read_safetensors(&path).unwrap(), whole);
        for n in 0..whole.len() {
            fs::write(&path, &whole[..n]).unwrap();
            assert_eq!(read_safetensors(&path).unwrap_err().kind(), io::ErrorKind::InvalidData, "{n}");
        }
        fs::write(&path, &whole).unwrap();
        OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(read_safetensors(&path).unwrap_err().kind(), io::ErrorKind::InvalidData);
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(read_safetensors(&path).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
