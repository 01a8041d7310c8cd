//! Checkpoints: the complete state that an interrupted training needs to continue.
//!
//! A checkpoint is a safetensors file of weights and optimiser state; its metadata hold the progress of the phases. It is written
//! beside the output and replaces the previous one only when it is complete.

use crate::error::TrainError;
use crate::pace::Limit;
use crate::perceptron::{Parameter, Perceptron};
use crate::phase::CourseState;
use footwork::advanced::files::{read_safetensors, write_atomically};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const KEY: &str = "footwork_checkpoint";
/// Version of the format.
const VERSION: u32 = 1;
/// Time between checkpoints.
const INTERVAL: Duration = Duration::from_secs(30);

/// Properties that a checkpoint must share with the run that continues from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Identity {
    /// Hash of the database.
    pub database: String,
    /// Sizes of networks and batches, as text.
    pub sizes: String,
}

/// A phase: its progress and its networks.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedPhase {
    /// Progress of the phase.
    pub course: CourseState,
    /// Its networks.
    pub networks: Vec<Perceptron>,
}

/// Saved state of a training.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Database and sizes that it belongs to.
    pub identity: Identity,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Limits of the phases.
    pub limits: [Limit; 3],
    /// Phases that have begun; all but the last have ended.
    pub phases: Vec<SavedPhase>,
}

#[derive(Serialize, Deserialize)]
struct Header {
    version: u32,
    identity: Identity,
    seed: u64,
    limits: [Limit; 3],
    phases: Vec<PhaseHeader>,
}

#[derive(Serialize, Deserialize)]
struct PhaseHeader {
    course: CourseState,
    /// Sizes and step counts of the networks.
    networks: Vec<(Vec<usize>, u64)>,
}

const ARRAYS: [&str; 3] = ["values", "first", "second"];

fn name(phase: usize, network: usize, parameter: usize, array: &str) -> String {
    format!("{phase}.{network}.{parameter}.{array}")
}

impl Checkpoint {
    /// Returns the path of the checkpoint of an output.
    pub fn path_of(output: &Path) -> PathBuf {
        let mut path = output.as_os_str().to_owned();
        path.push(".checkpoint");
        path.into()
    }

    /// Returns the contents of the file.
    ///
    /// # Errors
    /// Returns the error of the container format.
    pub fn to_bytes(&self) -> Result<Vec<u8>, String> {
        let mut arrays: Vec<(String, &[f32])> = Vec::new();
        let mut phases = Vec::new();
        for (p, phase) in self.phases.iter().enumerate() {
            for (n, network) in phase.networks.iter().enumerate() {
                for (k, parameter) in network.parameters.iter().enumerate() {
                    let all = [&parameter.values, &parameter.first, &parameter.second];
                    arrays.extend(ARRAYS.iter().zip(all).map(|(what, v)| (name(p, n, k, what), v.as_slice())));
                }
            }
            let networks = phase.networks.iter().map(|n| (n.sizes.clone(), n.steps)).collect();
            phases.push(PhaseHeader { course: phase.course.clone(), networks });
        }
        let Self { identity, seed, limits, .. } = self.clone();
        let header = Header { version: VERSION, identity, seed, limits, phases };
        let json = serde_json::to_string(&header).map_err(|e| e.to_string())?;
        let mut views = Vec::with_capacity(arrays.len());
        for (name, values) in &arrays {
            let view = TensorView::new(Dtype::F32, vec![values.len()], bytemuck::cast_slice(values));
            views.push((name.as_str(), view.map_err(|e| e.to_string())?));
        }
        safetensors::serialize(views, Some(HashMap::from([(KEY.to_owned(), json)]))).map_err(|e| e.to_string())
    }

    /// Parses the contents of a file.
    ///
    /// # Errors
    /// Returns a description of the problem.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|e| e.to_string())?;
        let tensors = SafeTensors::deserialize(bytes).map_err(|e| e.to_string())?;
        let json = metadata.metadata().as_ref().and_then(|m| m.get(KEY)).ok_or("not a checkpoint of footwork-train")?;
        let header: Header = serde_json::from_str(json).map_err(|e| e.to_string())?;
        if header.version != VERSION {
            return Err(format!("format version {}, expected {VERSION}", header.version));
        }
        let read = |name: String, expected: usize| {
            let tensor = tensors.tensor(&name).map_err(|e| e.to_string())?;
            if tensor.dtype() != Dtype::F32 || tensor.data().len() != 4 * expected {
                return Err(format!("tensor `{name}`: expected {expected} floats"));
            }
            Ok(bytemuck::pod_collect_to_vec(tensor.data()))
        };
        let mut phases = Vec::new();
        for (p, phase) in header.phases.into_iter().enumerate() {
            let mut networks = Vec::new();
            for (n, (sizes, steps)) in phase.networks.into_iter().enumerate() {
                let mut parameters = Vec::new();
                let layers = sizes.windows(2).flat_map(|s| [s[0].saturating_mul(s[1]), s[1]]);
                for (k, expected) in layers.enumerate() {
                    let [values, first, second] = ARRAYS.map(|what| read(name(p, n, k, what), expected));
                    parameters.push(Parameter { values: values?, first: first?, second: second? });
                }
                networks.push(Perceptron { sizes, parameters, steps });
            }
            phases.push(SavedPhase { course: phase.course, networks });
        }
        Ok(Self { identity: header.identity, seed: header.seed, limits: header.limits, phases })
    }

    /// Reads a checkpoint.
    ///
    /// # Errors
    /// Returns [`TrainError::NoCheckpoint`] without a file, [`TrainError::Checkpoint`] if it cannot be used.
    pub fn load(path: &Path) -> Result<Self, TrainError> {
        let bytes = read_safetensors(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => TrainError::NoCheckpoint { path: path.to_owned() },
            _ => TrainError::Checkpoint { path: path.to_owned(), detail: error.to_string() },
        })?;
        Self::from_bytes(&bytes).map_err(|detail| TrainError::Checkpoint { path: path.to_owned(), detail })
    }

    /// Checks that the checkpoint belongs to this training.
    ///
    /// # Errors
    /// Returns [`TrainError::Checkpoint`] for another database or other sizes.
    pub fn check(&self, identity: &Identity, path: &Path) -> Result<(), TrainError> {
        let error = |detail| Err(TrainError::Checkpoint { path: path.to_owned(), detail });
        let saved = &self.identity;
        if saved.database != identity.database {
            return error(format!("of another database: expected {}, found {}", identity.database, saved.database));
        }
        if saved.sizes != identity.sizes {
            return error(format!("of other sizes: expected {}, found {}", identity.sizes, saved.sizes));
        }
        Ok(())
    }

    fn is_finite(&self) -> bool {
        let networks = self.phases.iter().flat_map(|p| &p.networks);
        networks.flat_map(|n| &n.parameters).all(|p| p.values.iter().chain(&p.second).all(|v| v.is_finite()))
    }
}

/// Writes checkpoints during training.
#[derive(Debug)]
pub struct Keeper {
    /// The file; `None` to write nothing.
    pub path: Option<PathBuf>,
    /// Saved state of the training, including phases that have ended.
    pub checkpoint: Checkpoint,
    /// Phases of `checkpoint` that this run has begun.
    pub begun: usize,
    interrupted: Arc<AtomicBool>,
    last: Instant,
    /// True once a file was written, or if training continues from one.
    pub written: bool,
}

impl Keeper {
    /// Creates a keeper for a path. `interrupted` stops training after the next step.
    pub fn new(path: Option<PathBuf>, checkpoint: Checkpoint, interrupted: Arc<AtomicBool>) -> Self {
        let written = !checkpoint.phases.is_empty();
        Self { path, checkpoint, begun: 0, interrupted, last: Instant::now(), written }
    }

    /// True if a checkpoint is due: the interval has passed, or training is interrupted.
    pub fn is_due(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed) || (self.path.is_some() && self.last.elapsed() >= INTERVAL)
    }

    /// Replaces the current phase, and writes the file.
    ///
    /// # Errors
    /// Returns [`TrainError::Write`] if the file cannot be written, [`TrainError::Interrupted`] if training is interrupted.
    pub fn keep(&mut self, phase: SavedPhase) -> Result<(), TrainError> {
        self.checkpoint.phases.truncate(self.begun - 1);
        self.checkpoint.phases.push(phase);
        self.last = Instant::now();
        // Weights that are not numbers must not replace valid ones.
        if let Some(path) = self.path.as_ref().filter(|_| self.checkpoint.is_finite()) {
            let error = |error| TrainError::Write { path: path.clone(), error };
            let bytes = self.checkpoint.to_bytes().map_err(|e| error(io::Error::other(e)))?;
            write_atomically(path, |f| f.write_all(&bytes)).map_err(error)?;
            self.written = true;
        }
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(TrainError::Interrupted { path: self.path.clone() });
        }
        Ok(())
    }

    /// Returns advice for a loss that is not a number.
    pub fn advice(&self) -> String {
        match self.path.as_ref().filter(|_| self.written) {
            Some(path) => {
                format!("the checkpoint before it is {}: go on with --resume and another --seed", path.display())
            }
            None => "there is no checkpoint yet; check the clip, or train with another --seed".into(),
        }
    }
}
