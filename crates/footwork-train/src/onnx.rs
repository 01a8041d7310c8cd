//! ONNX export: networks for other engines.
//!
//! A model file is one protobuf message. Only the required subset is written: opset 13, IR version 8, 32-bit floats, input `x`
//! and output `y`, both `[batch x values]`. Normalisation is part of the graph.
//!
//! Field numbers: onnx.proto3 of ONNX 1.11.

use footwork::advanced::files::write_atomically;
use footwork::advanced::learned::{Network, STEP_S};
use footwork::learned::Networks;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Version of the operators.
pub const OPSET: u64 = 13;
/// Version of the format.
pub const IR_VERSION: u64 = 8;
/// Element type of 32-bit floats.
const FLOAT: u64 = 1;

/// A protobuf message under construction.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value > 0x7f {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn number(mut self, field: u64, value: u64) -> Self {
        self.varint(field << 3);
        self.varint(value);
        self
    }

    fn bytes(mut self, field: u64, value: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    fn text(self, field: u64, value: &str) -> Self {
        self.bytes(field, value.as_bytes())
    }

    fn message(self, field: u64, value: Self) -> Self {
        self.bytes(field, &value.0)
    }
}

/// Nodes and weights of a graph; the input of each node is the output of the previous one.
struct Graph {
    message: Message,
    last: String,
}

impl Graph {
    /// Adds an operation on the last output and an optional constant.
    fn apply(&mut self, operator: &str, constant: Option<(&str, &[usize], &[f32])>) {
        let output = format!("{}_{}", operator.to_lowercase(), self.message.0.len());
        let mut node = Message::default().text(1, &self.last);
        let mut message = std::mem::take(&mut self.message);
        if let Some((name, shape, values)) = constant {
            node = node.text(1, name);
            let mut tensor = Message::default();
            for size in shape {
                tensor = tensor.number(1, *size as u64);
            }
            let raw: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            message = message.message(5, tensor.number(2, FLOAT).text(8, name).bytes(9, &raw));
        }
        self.message = message.message(1, node.text(2, &output).text(3, &output).text(4, operator));
        self.last = output;
    }
}

/// Describes a value of `[batch x width]` floats.
fn value(name: &str, width: usize) -> Message {
    let batch = Message::default().text(2, "batch");
    let shape = Message::default().message(1, batch).message(1, Message::default().number(1, width as u64));
    let tensor = Message::default().number(1, FLOAT).message(2, shape);
    Message::default().text(1, name).message(2, Message::default().message(1, tensor))
}

/// Returns the bytes of a model of one network, with metadata as keys and values.
pub fn to_onnx(network: &Network, name: &str, metadata: &[(&str, &str)]) -> Vec<u8> {
    let (inputs, outputs) = (network.inputs(), network.outputs());
    let mut graph = Graph { message: Message::default().text(2, name), last: "x".into() };
    graph.apply("Sub", Some(("input_mean", &[inputs], &network.input_mean)));
    graph.apply("Div", Some(("input_std", &[inputs], &network.input_std)));
    for (at, layer) in network.layers.iter().enumerate() {
        let shape = [layer.inputs(), layer.outputs()];
        graph.apply("MatMul", Some((&format!("weights_{at}"), &shape, &layer.weights.to_f32())));
        graph.apply("Add", Some((&format!("bias_{at}"), &shape[1..], &layer.bias)));
        if at + 1 < network.layers.len() {
            graph.apply("Relu", None);
        }
    }
    graph.apply("Mul", Some(("output_std", &[outputs], &network.output_std)));
    graph.apply("Add", Some(("output_mean", &[outputs], &network.output_mean)));
    // The output of the graph has a separate name.
    let node = Message::default().text(1, &graph.last).text(2, "y").text(3, "y").text(4, "Identity");
    let graph = graph.message.message(1, node).message(11, value("x", inputs)).message(12, value("y", outputs));
    let mut model = Message::default()
        .number(1, IR_VERSION)
        .text(2, "footwork-train")
        .text(3, env!("CARGO_PKG_VERSION"))
        .message(7, graph)
        .message(8, Message::default().text(1, "").number(2, OPSET));
    for (key, value) in metadata {
        model = model.message(14, Message::default().text(1, key).text(2, value));
    }
    model.0
}

/// Returns the metadata that an engine needs in addition to the networks, as JSON.
pub fn metadata(networks: &Networks) -> serde_json::Value {
    let character = networks.character();
    let features = &character.features;
    serde_json::json!({
        "schema_hash": format!("{:016x}", character.schema.hash()),
        "joints": character.skeleton.names(),
        "columns": features.columns,
        "latents": networks.code_width() - features.columns,
        "outputs": networks.outputs,
        "constants": networks.constants,
        "resting_code": networks.resting,
        "calibration": networks.calibration,
        "step_s": STEP_S,
    })
}

/// Writes `decompressor.onnx`, `stepper.onnx` and `projector.onnx` into a folder, and returns their paths and sizes in bytes.
///
/// # Errors
/// Returns the error of the file system.
pub fn export(networks: &Networks, folder: &Path) -> io::Result<Vec<(PathBuf, usize)>> {
    std::fs::create_dir_all(folder)?;
    let metadata = metadata(networks).to_string();
    let all =
        [("decompressor", &networks.decompressor), ("stepper", &networks.stepper), ("projector", &networks.projector)];
    let mut written = Vec::new();
    for (name, network) in all {
        let path = folder.join(format!("{name}.onnx"));
        let bytes = to_onnx(network, name, &[("footwork", &metadata)]);
        write_atomically(&path, |f| f.write_all(&bytes))?;
        written.push((path, bytes.len()));
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_as_many_bytes_as_they_need() {
        assert_eq!(Message::default().number(1, 1).0, [0x08, 1]);
        assert_eq!(Message::default().number(2, 300).0, [0x10, 0xac, 0x02]);
        assert_eq!(Message::default().text(14, "ab").0, [0x72, 2, b'a', b'b']);
    }
}
