//! `.fwnet`: a safetensors file with the weights of the networks, and their character as an embedded `.fwdb` file.

use super::layer::{Layer, Weights};
use super::network::Network;
use super::networks::{Calibration, NetworkParts, Networks};
use crate::container::{FileError, FileFault, Format, Reader, Tensor, json_of, load, save, to_bytes};
use crate::database::Database;
use safetensors::tensor::Dtype;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::Path;

const FORMAT: Format = Format {
    what: "networks",
    extension: ".fwnet",
    key: "footwork_networks",
    kind: None,
    version: 1,
    again: "train the networks again",
};
/// Name of the tensor with the character: the bytes of a `.fwdb` file with one resting pose.
const CHARACTER: &str = "character";

/// JSON metadata of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    calibration: Calibration,
    format_version: u32,
    /// For information only: the embedded character has its own schema.
    schema_hash: String,
}

fn floats(name: String, values: &[f32]) -> Tensor<'_> {
    Tensor::of(name, Dtype::F32, &[values.len()], values)
}

fn tensors_of<'a>(name: &str, network: &'a Network, out: &mut Vec<Tensor<'a>>) {
    let normalization = [
        ("input_mean", &network.input_mean),
        ("input_std", &network.input_std),
        ("output_mean", &network.output_mean),
        ("output_std", &network.output_std),
    ];
    out.extend(normalization.map(|(what, values)| floats(format!("{name}.{what}"), values)));
    for (k, layer) in network.layers.iter().enumerate() {
        let weights = format!("{name}.{k}.weights");
        let shape = [layer.inputs(), layer.outputs()];
        let stored = match &layer.weights {
            Weights::F32(w) => Tensor::of(weights, Dtype::F32, &shape, w),
            Weights::F16(w) => Tensor::of(weights, Dtype::F16, &shape, w),
            Weights::I8(w, scale) => {
                out.push(floats(format!("{name}.{k}.scale"), scale));
                Tensor::of(weights, Dtype::I8, &shape, w)
            }
        };
        out.push(stored);
        out.push(floats(format!("{name}.{k}.bias"), &layer.bias));
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
            Tensor::of(CHARACTER, Dtype::U8, &[character.len()], &character),
            floats("body_constants".into(), &self.constants),
            Tensor::of("body_outputs", Dtype::U32, &[self.outputs.len()], &self.outputs),
            floats("resting_code".into(), &self.resting),
        ];
        tensors_of("decompressor", &self.decompressor, &mut all);
        tensors_of("stepper", &self.stepper, &mut all);
        tensors_of("projector", &self.projector, &mut all);
        if let Some(compressor) = &self.compressor {
            tensors_of("compressor", compressor, &mut all);
        }
        let metadata = Metadata {
            calibration: self.calibration,
            format_version: FORMAT.version,
            schema_hash: format!("{:016x}", self.character().schema.hash()),
        };
        to_bytes(&FORMAT, &json_of(&metadata)?, &all)
    }

    /// Writes a `.fwnet` file atomically.
    ///
    /// # Errors
    /// Returns [`FileFault::Io`]. A previously existing file is then unchanged.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        save(&FORMAT, path, |out| out.write_all(&self.to_bytes().map_err(io::Error::other)?))
    }

    /// Reads a `.fwnet` file. Version, shapes and numbers are checked before use.
    ///
    /// # Errors
    /// Returns the error of the file and the fix.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        load(&FORMAT, path, Self::from_bytes)
    }

    /// Does the same as [`Networks::load`], from memory. `path` is for messages.
    ///
    /// # Errors
    /// Returns the error of the bytes and the fix.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self, FileError> {
        let mut reader = Reader::open(&FORMAT, bytes, path)?;
        let Metadata { calibration, .. } = reader.metadata()?;
        let character: Vec<u8> = reader.read(CHARACTER, Dtype::U8, &[None])?;
        let character = Database::from_bytes(&character, path)
            .map_err(|error| reader.error(FileFault::Character(Box::new(error))))?;
        let has_compressor = reader.names().iter().any(|n| n.starts_with("compressor."));
        let parts = NetworkParts {
            decompressor: network(&reader, "decompressor")?,
            stepper: network(&reader, "stepper")?,
            projector: network(&reader, "projector")?,
            compressor: if has_compressor { Some(network(&reader, "compressor")?) } else { None },
            outputs: reader.read("body_outputs", Dtype::U32, &[None])?,
            constants: read_floats(&reader, "body_constants")?,
            resting: read_floats(&reader, "resting_code")?,
            calibration,
        };
        Self::new(&character, parts).map_err(|e| reader.content_error(e))
    }
}

fn read_floats(reader: &Reader, name: &str) -> Result<Vec<f32>, FileError> {
    reader.read(name, Dtype::F32, &[None])
}

fn network(reader: &Reader, name: &str) -> Result<Network, FileError> {
    let mut layers = Vec::new();
    while reader.names().contains(&format!("{name}.{}.weights", layers.len()).as_str()) {
        layers.push(layer(reader, &format!("{name}.{}", layers.len()))?);
    }
    Ok(Network {
        input_mean: read_floats(reader, &format!("{name}.input_mean"))?,
        input_std: read_floats(reader, &format!("{name}.input_std"))?,
        output_mean: read_floats(reader, &format!("{name}.output_mean"))?,
        output_std: read_floats(reader, &format!("{name}.output_std"))?,
        layers,
    })
}

fn layer(reader: &Reader, name: &str) -> Result<Layer, FileError> {
    let weights = format!("{name}.weights");
    let bias = read_floats(reader, &format!("{name}.bias"))?;
    let shape = [None, Some(bias.len())];
    let weights = match reader.tensor(&weights)?.dtype() {
        Dtype::F16 => Weights::F16(reader.read(&weights, Dtype::F16, &shape)?),
        Dtype::I8 => {
            let scale = read_floats(reader, &format!("{name}.scale"))?;
            Weights::I8(reader.read(&weights, Dtype::I8, &shape)?, scale)
        }
        _ => Weights::F32(reader.read(&weights, Dtype::F32, &shape)?),
    };
    Ok(Layer { weights, bias })
}
