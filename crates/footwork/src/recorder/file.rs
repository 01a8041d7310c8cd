//! The `.fwtrace` file format ([`crate::container`]): tensors with the recorded updates. Loading checks every update before use.

use super::data_id::DataId;
use super::segment::LEAST_SEGMENT;
use super::trace::{Parts, Stored, Trace};
use crate::container::{FileError, Format, Reader, Tensor, json_of, load, save, to_bytes};
use crate::machine::MachineSpec;
use crate::matcher::MatcherConfig;
use bytemuck::cast_slice;
use safetensors::tensor::Dtype;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, Write};
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

const KIND: &str = "trace";
const FORMAT: Format = Format {
    what: "a trace",
    extension: ".fwtrace",
    key: "footwork",
    kind: Some(KIND),
    version: 7,
    again: "record it again",
};

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
            format_version: FORMAT.version,
            ground: p.ground.clone(),
            kind: KIND.to_owned(),
            machine: p.machine.clone(),
            marks: p.marks.clone(),
            model_hash: format!("{:016x}", p.data.model),
            state_floats: p.block,
            title: p.title.clone(),
        };
        metadata.content_hash = format!("{:032x}", content_hash(&json_of(&metadata)?, &columns, &p.stream));
        let [bytes, configs, updates] = &columns;
        let column = |name: &'static str, values| Tensor::of(name, Dtype::U32, &[p.segments.len()], values);
        let tensors = [
            column("segment_bytes", bytes),
            column("segment_configs", configs),
            column("segment_updates", updates),
            Tensor::of("segments", Dtype::U8, &[p.stream.len()], &p.stream),
        ];
        to_bytes(&FORMAT, &json_of(&metadata)?, &tensors)
    }

    /// Writes a `.fwtrace` file atomically.
    ///
    /// # Errors
    /// Returns an error of the file system; an existing file is then unchanged.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        save(&FORMAT, path, |out| out.write_all(&self.to_bytes().map_err(io::Error::other)?))
    }

    /// Reads and checks a `.fwtrace` file.
    ///
    /// # Errors
    /// Returns [`FileError`] for a file that is unreadable, truncated, damaged or empty, or has another type or version.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        load(&FORMAT, path, Self::from_bytes)
    }

    /// Reads a `.fwtrace` file from memory, as [`Trace::load`] does. `path` is for messages.
    ///
    /// # Errors
    /// Returns the errors of [`Trace::load`].
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self, FileError> {
        let mut reader = Reader::open(&FORMAT, bytes, path)?;
        let of_segments = |name| reader.read::<u32>(name, Dtype::U32, &[None]);
        let columns = [of_segments("segment_bytes")?, of_segments("segment_configs")?, of_segments("segment_updates")?];
        let stream: Vec<u8> = reader.read("segments", Dtype::U8, &[None])?;
        reader.check_hash(|json, _| content_hash(json, &columns, &stream))?;
        // Each of the settings belongs to a segment. A file with more settings could be much larger in memory.
        let configs = reader.value("configs").and_then(Value::as_array).map_or(0, Vec::len);
        if configs > 1 + stream.len() / LEAST_SEGMENT {
            return Err(reader.metadata_error("configs: expected no more than there are segments"));
        }
        let metadata = reader.metadata()?;
        parts(metadata, &columns, stream).and_then(Self::new).map_err(|e| reader.content_error(e))
    }
}

/// Returns the hash of everything in a file: metadata without the hash itself, and tensors.
fn content_hash(json: &str, columns: &[Vec<u32>; 3], stream: &[u8]) -> u128 {
    let mut hash = Xxh3::new();
    hash.update(json.as_bytes());
    columns.iter().for_each(|c| hash.update(cast_slice(c)));
    hash.update(stream);
    hash.digest128()
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
