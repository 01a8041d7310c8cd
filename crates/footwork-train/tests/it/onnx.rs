//! Exported models, evaluated with onnxruntime, have the same outputs as the networks.

use crate::common;

use common::{settings, train_through};
use footwork::advanced::learned::{Network, NetworkScratch};
use footwork_train::onnx;
use footwork_train::random::Random;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Rows of a batch.
const ROWS: usize = 5;

/// Runs a model of a folder on `x.f32`, and writes `y.f32`.
const SCRIPT: &str = r#"
import sys, json, numpy, onnxruntime
folder, name, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])
session = onnxruntime.InferenceSession(f"{folder}/{name}.onnx", providers=["CPUExecutionProvider"])
(x,), (y,) = session.get_inputs(), session.get_outputs()
assert (x.name, y.name, x.shape[0], y.shape[0]) == ("x", "y", "batch", "batch"), (x, y)
meta = json.loads(session.get_modelmeta().custom_metadata_map["footwork"])
assert meta["joints"] and meta["schema_hash"] and meta["outputs"] and meta["constants"]
values = numpy.fromfile(f"{folder}/x.f32", dtype="<f4").reshape(rows, x.shape[1])
session.run(["y"], {"x": values})[0].astype("<f4").tofile(f"{folder}/y.f32")
one = session.run(["y"], {"x": values[:1]})[0]
assert one.shape == (1, y.shape[1])
"#;

/// Prints the name of a skipped test and the reason; fails under CI.
fn skipped(test: &str, why: &str) {
    assert!(std::env::var_os("CI").is_none(), "{test} was skipped under CI: {why}");
    eprintln!("skipped: {test}: {why}");
}

/// Returns a Python that has onnxruntime, if there is one.
fn python(test: &str) -> Option<PathBuf> {
    let python = std::env::var_os("FOOTWORK_PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    match Command::new(&python).args(["-c", "import numpy, onnxruntime"]).output() {
        Ok(out) if out.status.success() => return Some(python),
        Ok(_) => skipped(test, "python has no onnxruntime and numpy (set FOOTWORK_PYTHON to one that has)"),
        Err(error) => skipped(test, &format!("cannot run {}: {error}", python.display())),
    }
    None
}

fn compare(python: &Path, folder: &Path, name: &str, network: &Network) -> f32 {
    let mut random = Random::new(7, 0, 0);
    let (inputs, outputs) = (network.inputs(), network.outputs());
    let x: Vec<f32> = (0..ROWS * inputs).map(|_| random.normal()).collect();
    let bytes: Vec<u8> = x.iter().flat_map(|v| v.to_le_bytes()).collect();
    std::fs::write(folder.join("x.f32"), bytes).unwrap();
    let mut command = Command::new(python);
    let out = command.args(["-c", SCRIPT]).arg(folder).arg(name).arg(ROWS.to_string()).output().unwrap();
    assert!(out.status.success(), "{name}: {}", String::from_utf8_lossy(&out.stderr));
    let bytes = std::fs::read(folder.join("y.f32")).unwrap();
    let found: Vec<f32> = bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    assert_eq!(found.len(), ROWS * outputs);
    let (mut y, mut room) = (vec![0.0; outputs], NetworkScratch::default());
    let mut worst = 0.0f32;
    for (x, found) in x.chunks_exact(inputs).zip(found.chunks_exact(outputs)) {
        network.run(x, &mut y, &mut room);
        for (y, found) in y.iter().zip(found) {
            worst = worst.max((y - found).abs() / y.abs().max(1.0));
        }
    }
    worst
}

#[test]
fn exported_models_give_what_the_networks_give() {
    let Some(python) = python("exported_models_give_what_the_networks_give") else { return };
    let networks = train_through(&settings([100, 30, 30])).networks;
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(onnx::export(&networks, folder.path()).unwrap().len(), 3);
    let all =
        [("decompressor", &networks.decompressor), ("stepper", &networks.stepper), ("projector", &networks.projector)];
    for (name, network) in all {
        let worst = compare(&python, folder.path(), name, network);
        println!("{name}: {worst:e}");
        assert!(worst < 1e-4, "{name}: {worst}");
    }
}
