//! The `.fwtrace` file format: a safetensors file with the recorded updates, and one metadata key, `footwork`, with the rest as
//! JSON.
//!
//! Equal recordings give equal bytes. Loading checks version, hash, sizes and every update before use.

use super::data_id::DataId;
use super::trace::{Parts, Stored, Trace};
use crate::error::{cut_quotes, quoted};
use crate::files::{canonical_json, read_safetensors, write_atomically};
use crate::machine::MachineSpec;
use crate::matcher::MatcherConfig;
use bytemuck::{Pod, cast_slice, pod_collect_to_vec};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// Format version that this library writes and reads.
const FORMAT_VERSION: u32 = 6;
const KEY: &str = "footwork";
const KIND: &str = "trace";
/// Minimum size of a segment, in bytes: the header of its state.
pub(super) const LEAST_SEGMENT: usize = 512;

/// Reason why a trace could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The file could not be read or written.
    #[error("{path}: cannot {action}: {error}")]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// `read` or `write`.
        action: &'static str,
        /// Cause.
        error: io::Error,
    },
    /// The file is not a safetensors file, or it is truncated.
    #[error(
        "{path}: not a .fwtrace file, or a truncated one: {detail}; record it again",
        detail = cut_quotes(.detail)
    )]
    Container {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        detail: String,
    },
    /// The file is a safetensors file, but not from this library.
    #[error("{path}: expected a trace, found a safetensors file of another program (no `footwork` metadata)")]
    NotOurs {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file is another file type of this library.
    #[error("{path}: expected a trace, found another footwork file; open databases with --db")]
    OtherKind {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file was written by another version.
    #[error("{path}: format version: expected {FORMAT_VERSION}, found {found}; record it again with this footwork")]
    Version {
        /// Path of the file.
        path: PathBuf,
        /// Format version of the file.
        found: u64,
    },
    /// Bytes have changed since the file was written.
    #[error(
        "{path}: content hash: expected {recorded}, found {found}; the file is damaged: record it again",
        recorded = quoted(.recorded)
    )]
    Hash {
        /// Path of the file.
        path: PathBuf,
        /// Hash recorded in the file.
        recorded: String,
        /// Hash of the content.
        found: String,
    },
    /// The content is invalid.
    #[error("{path}: {detail}; record it again", detail = cut_quotes(.detail))]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        detail: String,
    },
}

/// The JSON metadata beside the tensors.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    configs: Vec<MatcherConfig>,
    /// Hash of everything else in the file.
    content_hash: String,
    database_hash: Option<String>,
    format_version: u32,
    ground: String,
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    machine: Option<MachineSpec>,
    marks: Vec<(usize, String)>,
    model_hash: String,
    /// Number of floats in the block of a state.
    state_floats: usize,
    title: String,
}

impl Trace {
    /// Returns the bytes of its file.
    ///
    /// # Errors
    /// Returns the error of the container format.
    pub fn to_bytes(&self) -> Result<Vec<u8>, String> {
        let p = &self.parts;
        let column = |of: fn(&Stored) -> u32| p.segments.iter().map(of).collect::<Vec<u32>>();
        let columns = [column(|s| s.bytes), column(|s| s.config), column(|s| s.updates)];
        let mut metadata = Metadata {
            configs: p.configs.clone(),
            content_hash: String::new(),
            database_hash: p.data.database.map(|hash| format!("{hash:032x}")),
            format_version: FORMAT_VERSION,
            ground: p.ground.clone(),
            kind: KIND.to_owned(),
            machine: p.machine.clone(),
            marks: p.marks.clone(),
            model_hash: format!("{:016x}", p.data.model),
            state_floats: p.block,
            title: p.title.clone(),
        };
        let json = |m: &Metadata| serde_json::to_value(m).map(|v| canonical_json(&v)).map_err(|e| e.to_string());
        metadata.content_hash = content_hash(&json(&metadata)?, &columns, &p.stream);
        let of_segments = vec![p.segments.len()];
        let tensors: [(&str, Dtype, Vec<usize>, &[u8]); 4] = [
            ("segment_bytes", Dtype::U32, of_segments.clone(), cast_slice(&columns[0])),
            ("segment_configs", Dtype::U32, of_segments.clone(), cast_slice(&columns[1])),
            ("segment_updates", Dtype::U32, of_segments, cast_slice(&columns[2])),
            ("segments", Dtype::U8, vec![p.stream.len()], &p.stream),
        ];
        let mut views = Vec::with_capacity(tensors.len());
        for (name, dtype, shape, bytes) in tensors {
            views.push((name, TensorView::new(dtype, shape, bytes).map_err(|e| e.to_string())?));
        }
        let metadata = HashMap::from([(KEY.to_owned(), json(&metadata)?)]);
        safetensors::serialize(views, Some(metadata)).map_err(|e| e.to_string())
    }

    /// Writes a `.fwtrace` file atomically.
    ///
    /// # Errors
    /// Returns [`TraceError::Io`]; an existing file is then unchanged.
    pub fn save(&self, path: &Path) -> Result<(), TraceError> {
        let io = |error| TraceError::Io { path: path.to_owned(), action: "write", error };
        let bytes = self.to_bytes().map_err(|e| io(io::Error::other(e)))?;
        write_atomically(path, |f| f.write_all(&bytes)).map_err(io)
    }

    /// Reads and checks a `.fwtrace` file.
    ///
    /// # Errors
    /// Returns [`TraceError`] for a file that is unreadable, truncated, damaged or empty, or has another type or version.
    pub fn load(path: &Path) -> Result<Self, TraceError> {
        let bytes = read_safetensors(path).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => TraceError::Container { path: path.to_owned(), detail: error.to_string() },
            _ => TraceError::Io { path: path.to_owned(), action: "read", error },
        })?;
        Self::from_bytes(&bytes, path)
    }

    /// Reads a `.fwtrace` file from memory, as [`Trace::load`] does. `path` is for messages.
    ///
    /// # Errors
    /// Returns the errors of [`Trace::load`].
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self, TraceError> {
        let container =
            |e: safetensors::SafeTensorError| TraceError::Container { path: path.to_owned(), detail: e.to_string() };
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(container)?;
        let tensors = SafeTensors::deserialize(bytes).map_err(container)?;
        let json = header.metadata().as_ref().and_then(|m| m.get(KEY));
        let json = json.ok_or_else(|| TraceError::NotOurs { path: path.to_owned() })?;
        let damaged = |detail: String| TraceError::Damaged { path: path.to_owned(), detail };
        let mut value: Value = serde_json::from_str(json).map_err(|e| damaged(format!("metadata: {e}")))?;
        if value.get("kind").and_then(Value::as_str) != Some(KIND) {
            return Err(TraceError::OtherKind { path: path.to_owned() });
        }
        // The version comes first, because everything else may differ in another one.
        let found = value.get("format_version").and_then(Value::as_u64).unwrap_or(0);
        if found != u64::from(FORMAT_VERSION) {
            return Err(TraceError::Version { path: path.to_owned(), found });
        }
        let of_segments = |name| read::<u32>(&tensors, name, Dtype::U32).map_err(damaged);
        let columns = [of_segments("segment_bytes")?, of_segments("segment_configs")?, of_segments("segment_updates")?];
        let stream: Vec<u8> = read(&tensors, "segments", Dtype::U8).map_err(damaged)?;
        let recorded = value.get("content_hash").and_then(Value::as_str).unwrap_or_default().to_owned();
        value["content_hash"] = Value::String(String::new());
        let found = content_hash(&canonical_json(&value), &columns, &stream);
        if found != recorded {
            return Err(TraceError::Hash { path: path.to_owned(), recorded, found });
        }
        // Each of the settings belongs to a segment. A file with more settings could be much larger in memory.
        if value["configs"].as_array().is_some_and(|configs| configs.len() > 1 + stream.len() / LEAST_SEGMENT) {
            return Err(damaged("configs: expected no more than there are segments".to_owned()));
        }
        let m: Metadata = serde_json::from_value(value).map_err(|e| damaged(format!("metadata: {e}")))?;
        parts(m, &columns, stream).and_then(Self::new).map_err(damaged)
    }
}

/// Returns the hash of everything in a file: metadata without the hash itself, and tensors.
fn content_hash(json: &str, columns: &[Vec<u32>; 3], stream: &[u8]) -> String {
    let mut hash = Xxh3::new();
    hash.update(json.as_bytes());
    columns.iter().for_each(|c| hash.update(cast_slice(c)));
    hash.update(stream);
    format!("{:032x}", hash.digest128())
}

/// Returns a copy of a one-dimensional tensor in aligned memory.
fn read<T: Pod>(tensors: &SafeTensors, name: &str, dtype: Dtype) -> Result<Vec<T>, String> {
    let t = tensors.tensor(name).map_err(|e| format!("tensor `{name}`: {e}"))?;
    if t.dtype() != dtype || t.shape().len() != 1 {
        return Err(format!(
            "tensor `{name}`: expected {dtype:?} of one dimension, found {:?} {:?}",
            t.dtype(),
            t.shape()
        ));
    }
    Ok(pod_collect_to_vec(t.data()))
}

fn parts(m: Metadata, columns: &[Vec<u32>; 3], stream: Vec<u8>) -> Result<Parts, String> {
    let segments = columns[0].len();
    if columns.iter().any(|c| c.len() != segments) {
        return Err("segments: expected three tensors of the same length".to_owned());
    }
    if segments == 0 {
        return Err("expected at least one update, found none".to_owned());
    }
    let hash = |text: &str, digits: usize| {
        let number = u128::from_str_radix(text, 16).ok().filter(|_| text.len() == digits);
        number.ok_or_else(|| format!("metadata: expected a hash of {digits} digits, found `{text}`"))
    };
    Ok(Parts {
        data: DataId {
            model: hash(&m.model_hash, 16)? as u64,
            database: m.database_hash.as_deref().map(|text| hash(text, 32)).transpose()?,
        },
        block: m.state_floats,
        title: m.title,
        ground: m.ground,
        machine: m.machine,
        configs: m.configs,
        marks: m.marks,
        segments: (0..segments)
            .map(|k| Stored { bytes: columns[0][k], config: columns[1][k], updates: columns[2][k] })
            .collect(),
        stream,
    })
}
