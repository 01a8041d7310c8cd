//! `.fwnet`: a safetensors file with the weights of the networks, and their character as an embedded `.fwdb` file.

use super::network::{Layer, Network, Weights};
use super::networks::{Calibration, NetworkParts, Networks, NetworksError};
use crate::database::{Database, FileError};
use crate::error::{cut_quotes, quoted};
use crate::files::{canonical_json, read_safetensors, write_atomically};
use bytemuck::{cast_slice, pod_collect_to_vec};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Format version that this library writes and reads.
const FORMAT_VERSION: u32 = 1;
const KEY: &str = "footwork_networks";
/// Name of the tensor with the character: the bytes of a `.fwdb` file with one resting pose.
const CHARACTER: &str = "character";

/// Reason why a file of networks cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkFileError {
    /// The file could not be read or written.
    #[error("{path}: cannot {action}: {error}")]
    Io {
        /// File.
        path: PathBuf,
        /// `read` or `write`.
        action: &'static str,
        /// Reason.
        error: io::Error,
    },
    /// The file is not a safetensors file, or is damaged.
    #[error("{path}: not a .fwnet file, or a truncated one: {detail}; train it again", detail = cut_quotes(.detail))]
    Container {
        /// File.
        path: PathBuf,
        /// Reason.
        detail: String,
    },
    /// The safetensors file does not contain networks.
    #[error("{path}: a safetensors file, but without networks of footwork (no `{KEY}` metadata)")]
    NotOurs {
        /// File.
        path: PathBuf,
    },
    /// The file was written by another version.
    #[error(
        "{path}: format version {found}, this footwork reads {FORMAT_VERSION}; update footwork, or train the networks again"
    )]
    Version {
        /// File.
        path: PathBuf,
        /// Format version of the file.
        found: u64,
    },
    /// A tensor is missing, or has the wrong type or shape.
    #[error(
        "{path}: tensor `{tensor}`: {detail}; train the networks again",
        tensor = quoted(.tensor), detail = cut_quotes(.detail)
    )]
    Tensor {
        /// File.
        path: PathBuf,
        /// Name of the tensor.
        tensor: String,
        /// Reason.
        detail: String,
    },
    /// The embedded character is damaged.
    #[error("the character inside: {0}")]
    Character(#[from] FileError),
    /// The file is readable, but its networks are invalid.
    #[error("{path}: {error}; train the networks again")]
    Content {
        /// File.
        path: PathBuf,
        /// Reason.
        error: NetworksError,
    },
}

/// JSON metadata of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    calibration: Calibration,
    format_version: u32,
    /// For information only: the embedded character has its own schema.
    schema_hash: String,
}

/// A tensor for writing.
struct Tensor {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Tensor {
    fn of<T: bytemuck::Pod>(name: String, dtype: Dtype, shape: &[usize], values: &[T]) -> Self {
        Self { name, dtype, shape: shape.to_vec(), bytes: cast_slice(values).to_vec() }
    }

    fn floats(name: String, values: &[f32]) -> Self {
        Self::of(name, Dtype::F32, &[values.len()], values)
    }
}

fn tensors_of(name: &str, network: &Network, out: &mut Vec<Tensor>) {
    let normalization = [
        ("input_mean", &network.input_mean),
        ("input_std", &network.input_std),
        ("output_mean", &network.output_mean),
        ("output_std", &network.output_std),
    ];
    out.extend(normalization.map(|(what, values)| Tensor::floats(format!("{name}.{what}"), values)));
    for (k, layer) in network.layers.iter().enumerate() {
        let weights = format!("{name}.{k}.weights");
        let shape = [layer.inputs(), layer.outputs()];
        let stored = match &layer.weights {
            Weights::F32(w) => Tensor::of(weights, Dtype::F32, &shape, w),
            Weights::F16(w) => Tensor::of(weights, Dtype::F16, &shape, w),
            Weights::I8(w, scale) => {
                out.push(Tensor::floats(format!("{name}.{k}.scale"), scale));
                Tensor::of(weights, Dtype::I8, &shape, w)
            }
        };
        out.push(stored);
        out.push(Tensor::floats(format!("{name}.{k}.bias"), &layer.bias));
    }
}

impl Networks {
    /// Returns the bytes of the file.
    ///
    /// # Errors
    /// Returns an error only for contents that the container format does not support.
    pub fn to_bytes(&self) -> Result<Vec<u8>, String> {
        let character = self.character().to_bytes()?;
        let mut all = vec![
            Tensor::of(CHARACTER.into(), Dtype::U8, &[character.len()], &character),
            Tensor::floats("body_constants".into(), &self.constants),
            Tensor::of("body_outputs".into(), Dtype::U32, &[self.outputs.len()], &self.outputs),
            Tensor::floats("resting_code".into(), &self.resting),
        ];
        tensors_of("decompressor", &self.decompressor, &mut all);
        tensors_of("stepper", &self.stepper, &mut all);
        tensors_of("projector", &self.projector, &mut all);
        if let Some(compressor) = &self.compressor {
            tensors_of("compressor", compressor, &mut all);
        }
        let metadata = Metadata {
            calibration: self.calibration,
            format_version: FORMAT_VERSION,
            schema_hash: format!("{:016x}", self.character().schema.hash()),
        };
        let json = canonical_json(&serde_json::to_value(metadata).map_err(|e| e.to_string())?);
        let mut views = Vec::with_capacity(all.len());
        for t in &all {
            let view = TensorView::new(t.dtype, t.shape.clone(), &t.bytes).map_err(|e| e.to_string())?;
            views.push((t.name.as_str(), view));
        }
        safetensors::serialize(views, Some(HashMap::from([(KEY.to_owned(), json)]))).map_err(|e| e.to_string())
    }

    /// Writes a `.fwnet` file atomically.
    ///
    /// # Errors
    /// Returns [`NetworkFileError::Io`]. A previously existing file is then unchanged.
    pub fn save(&self, path: &Path) -> Result<(), NetworkFileError> {
        let io = |error| NetworkFileError::Io { path: path.to_owned(), action: "write", error };
        let bytes = self.to_bytes().map_err(|e| io(io::Error::other(e)))?;
        write_atomically(path, |f| f.write_all(&bytes)).map_err(io)
    }

    /// Reads a `.fwnet` file. Version, shapes and numbers are checked before use.
    ///
    /// # Errors
    /// Returns the error of the file and the fix.
    pub fn load(path: &Path) -> Result<Self, NetworkFileError> {
        let bytes = read_safetensors(path).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => {
                NetworkFileError::Container { path: path.to_owned(), detail: error.to_string() }
            }
            _ => NetworkFileError::Io { path: path.to_owned(), action: "read", error },
        })?;
        Self::from_bytes(&bytes, path)
    }

    /// Does the same as [`Networks::load`], from memory. `path` is for messages.
    ///
    /// # Errors
    /// Returns the error of the bytes and the fix.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self, NetworkFileError> {
        let container = |detail: String| NetworkFileError::Container { path: path.to_owned(), detail };
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(|e| container(e.to_string()))?;
        let tensors = SafeTensors::deserialize(bytes).map_err(|e| container(e.to_string()))?;
        let json = header.metadata().as_ref().and_then(|m| m.get(KEY));
        let json = json.ok_or_else(|| NetworkFileError::NotOurs { path: path.to_owned() })?;
        let value: serde_json::Value = serde_json::from_str(json).map_err(|e| container(e.to_string()))?;
        let found = value.get("format_version").and_then(serde_json::Value::as_u64).unwrap_or(0);
        if found != u64::from(FORMAT_VERSION) {
            return Err(NetworkFileError::Version { path: path.to_owned(), found });
        }
        let metadata: Metadata = serde_json::from_value(value).map_err(|e| container(e.to_string()))?;
        let reader = Reader { path, tensors };
        let (_, character) = reader.read::<u8>(CHARACTER, Dtype::U8, 1)?;
        let character = Database::from_bytes(&character, path)?;
        let has_compressor = reader.tensors.names().iter().any(|n| n.starts_with("compressor."));
        let parts = NetworkParts {
            decompressor: reader.network("decompressor")?,
            stepper: reader.network("stepper")?,
            projector: reader.network("projector")?,
            compressor: if has_compressor { Some(reader.network("compressor")?) } else { None },
            outputs: reader.read("body_outputs", Dtype::U32, 1)?.1,
            constants: reader.floats("body_constants")?,
            resting: reader.floats("resting_code")?,
            calibration: metadata.calibration,
        };
        Self::new(&character, parts).map_err(|error| NetworkFileError::Content { path: path.to_owned(), error })
    }
}

/// A file with a valid container.
struct Reader<'a> {
    path: &'a Path,
    tensors: SafeTensors<'a>,
}

impl Reader<'_> {
    fn error(&self, tensor: &str, detail: String) -> NetworkFileError {
        NetworkFileError::Tensor { path: self.path.to_owned(), tensor: tensor.to_owned(), detail }
    }

    /// Returns shape and values of a tensor with the given number of dimensions.
    fn read<T: bytemuck::Pod>(
        &self,
        name: &str,
        dtype: Dtype,
        dimensions: usize,
    ) -> Result<(Vec<usize>, Vec<T>), NetworkFileError> {
        let t = self.tensors.tensor(name).map_err(|e| self.error(name, e.to_string()))?;
        if t.dtype() != dtype || t.shape().len() != dimensions {
            let detail = format!("is {:?} {:?}, expected {dtype:?} of {dimensions} dimensions", t.dtype(), t.shape());
            return Err(self.error(name, detail));
        }
        Ok((t.shape().to_vec(), pod_collect_to_vec(t.data())))
    }

    fn floats(&self, name: &str) -> Result<Vec<f32>, NetworkFileError> {
        Ok(self.read(name, Dtype::F32, 1)?.1)
    }

    fn network(&self, name: &str) -> Result<Network, NetworkFileError> {
        let mut layers = Vec::new();
        while self.tensors.names().contains(&format!("{name}.{}.weights", layers.len()).as_str()) {
            layers.push(self.layer(&format!("{name}.{}", layers.len()))?);
        }
        Ok(Network {
            input_mean: self.floats(&format!("{name}.input_mean"))?,
            input_std: self.floats(&format!("{name}.input_std"))?,
            output_mean: self.floats(&format!("{name}.output_mean"))?,
            output_std: self.floats(&format!("{name}.output_std"))?,
            layers,
        })
    }

    fn layer(&self, name: &str) -> Result<Layer, NetworkFileError> {
        let weights = format!("{name}.weights");
        let bias = self.floats(&format!("{name}.bias"))?;
        let dtype = self.tensors.tensor(&weights).map_err(|e| self.error(&weights, e.to_string()))?.dtype();
        let (shape, values) = match dtype {
            Dtype::F16 => {
                let (shape, values) = self.read(&weights, Dtype::F16, 2)?;
                (shape, Weights::F16(values))
            }
            Dtype::I8 => {
                let (shape, values) = self.read(&weights, Dtype::I8, 2)?;
                (shape, Weights::I8(values, self.floats(&format!("{name}.scale"))?))
            }
            _ => {
                let (shape, values) = self.read(&weights, Dtype::F32, 2)?;
                (shape, Weights::F32(values))
            }
        };
        if shape[1] != bias.len() {
            return Err(self.error(&weights, format!("has {} outputs, the bias {}", shape[1], bias.len())));
        }
        Ok(Layer { weights: values, bias })
    }
}
