//! The complete training: reads the data, trains the three phases, and calibrates.

use crate::autoencoder::{Autoencoder, AutoencoderSizes};
use crate::body_loss::{BodyLoss, LossWeights};
use crate::calibrate::{calibration, resting_code};
use crate::checkpoint::{Checkpoint, Identity, Keeper};
use crate::dataset::Dataset;
use crate::decoder::Frozen;
use crate::error::TrainError;
use crate::pace::Limit;
use crate::phase::{Phase, PhaseRecord, Tick};
use crate::projector::{Oracle, Projector};
use crate::report::{Quality, measure};
use crate::stepper::{Projected, Stepper};
use crate::workshop::Workshop;
use burn::tensor::Device;
use footwork::advanced::learned::{Decompression, NetworkParts, Precision, Sampler};
use footwork::database::Database;
use footwork::learned::Networks;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Settings: sizes of the networks, and options of their training.
#[derive(Clone, Debug)]
pub struct TrainSettings {
    /// Latent variables.
    pub latents: usize,
    /// Width of the hidden layers of decompressor and stepper.
    pub hidden: usize,
    /// Width of the hidden layers of the compressor.
    pub compressor_hidden: usize,
    /// Width of the hidden layers of the projector.
    pub projector_hidden: usize,
    /// Networks whose compressor and decompressor are reused, so that projector and stepper get the whole budget.
    pub decompressor_of: Option<Arc<Networks>>,
    /// Windows or samples per step, for each phase.
    pub batch: [usize; 3],
    /// Seed of all random numbers. `None`: that of the checkpoint, or 1.
    pub seed: Option<u64>,
    /// Time or number of steps.
    pub budget: Budget,
    /// Stored precision of the weights of decompressor, projector and compressor.
    pub precision: Precision,
    /// Stored precision of the weights of the stepper.
    pub stepper_precision: Precision,
    /// Weights of the parts of the decompressor's loss.
    pub loss: LossWeights,
}

/// Length of the training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// Time for everything, from reading to writing.
    Time(Duration),
    /// Steps of each phase, which makes results reproducible.
    Steps([u64; 3]),
}

impl Default for TrainSettings {
    fn default() -> Self {
        Self {
            latents: 32,
            hidden: 512,
            compressor_hidden: 512,
            projector_hidden: 512,
            decompressor_of: None,
            batch: [32, 64, 32],
            seed: None,
            budget: Budget::Time(Duration::from_secs(600)),
            precision: Precision::F16,
            stepper_precision: Precision::F16,
            loss: LossWeights::default(),
        }
    }
}

/// Shares of the budget: autoencoder, projector, stepper.
const SHARES: [f64; 3] = [0.38, 0.28, 0.34];
/// Share of the budget for calibration, report and writing.
const FINISHING: f64 = 0.03;

/// Results of a training.
#[derive(Debug)]
pub struct Trained {
    /// The networks.
    pub networks: Networks,
    /// Their quality.
    pub quality: Quality,
    /// Records of the phases.
    pub phases: Vec<PhaseRecord>,
    /// Duration of the training data, seconds.
    pub motion_s: f64,
    /// Frames of the training data.
    pub frames: usize,
    /// Time for reading, seconds.
    pub read_s: f64,
}

/// A device, selected on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceKind {
    /// Processor.
    Cpu,
    /// NVIDIA GPU.
    Cuda,
    /// Any GPU.
    Wgpu,
}

impl DeviceKind {
    /// Opens the device.
    ///
    /// # Errors
    /// Returns [`TrainError::Device`] if this program was built without it.
    pub fn open(self) -> Result<Device, TrainError> {
        match self {
            Self::Cpu => Ok(Device::flex().autodiff()),
            #[cfg(feature = "cuda")]
            Self::Cuda => Ok(Device::cuda(0).autodiff()),
            #[cfg(not(feature = "cuda"))]
            Self::Cuda => Err(TrainError::Device("cuda")),
            #[cfg(feature = "wgpu")]
            Self::Wgpu => Ok(Device::wgpu(burn::tensor::DeviceKind::DefaultDevice).autodiff()),
            #[cfg(not(feature = "wgpu"))]
            Self::Wgpu => Err(TrainError::Device("wgpu")),
        }
    }
}

/// A training run.
pub struct TrainJob<'a> {
    /// Database with the training data.
    pub db: &'a Database,
    /// Settings.
    pub settings: &'a TrainSettings,
    /// Device with derivatives; see [`DeviceKind::open`].
    pub device: Device,
    /// Start of the budget.
    pub start: Instant,
    /// Path of the checkpoint; `None` to write none.
    pub checkpoint: Option<PathBuf>,
    /// True to continue from the checkpoint, with its budget and steps.
    pub resume: bool,
    /// When set, training writes a checkpoint and stops.
    pub interrupted: Arc<AtomicBool>,
    /// Called after each step.
    pub observer: &'a mut dyn FnMut(Tick),
}

impl TrainJob<'_> {
    /// Runs the training.
    ///
    /// # Errors
    /// Returns a [`TrainError`] if the database has no usable motion, if the budget is too short, if the checkpoint cannot be
    /// used or written, if a loss is not a number, or if training is interrupted.
    pub fn run(self) -> Result<Trained, TrainError> {
        let (db, settings) = (self.db, self.settings);
        let kept = self.kept()?;
        let data = Dataset::read(db)?;
        let read_s = self.start.elapsed().as_secs_f64();
        let checkpoint = match kept {
            Some(kept) => Checkpoint { seed: settings.seed.unwrap_or(kept.seed), ..kept },
            None => Checkpoint {
                identity: identity(db, settings),
                seed: settings.seed.unwrap_or(1),
                limits: limits(settings, self.start, &data, read_s)?,
                phases: Vec::new(),
            },
        };
        let (limits, seed) = (checkpoint.limits, checkpoint.seed);
        let keeper = Keeper::new(self.checkpoint, checkpoint, self.interrupted);
        let mut shop = Workshop { device: self.device, seed, observer: self.observer, keeper };
        let mut phases = Vec::new();
        let loss = BodyLoss::of(db, &data.layout, settings.loss);
        let (data, codes, compressor, decompressor) = match &settings.decompressor_of {
            Some(networks) => {
                let data = Dataset { outputs: networks.outputs.clone(), means: networks.constants.clone(), ..data };
                let codes = compressed(db, &data, networks)?;
                (data, codes, networks.compressor.clone(), networks.decompressor.clone())
            }
            None => {
                let sizes = AutoencoderSizes {
                    latents: settings.latents,
                    hidden: settings.hidden,
                    compressor_hidden: settings.compressor_hidden,
                    batch: settings.batch[0],
                };
                let mut autoencoder = Autoencoder::new(&data, sizes, loss.local(), seed);
                phases.push(autoencoder.train(&data, &loss, limits[0], &mut shop)?);
                let codes = codes(&data, &autoencoder.latents(&data, &shop), settings.latents);
                let (compressor, decompressor) =
                    (autoencoder.compressor_network(), autoencoder.decompressor_network(&data));
                (data, codes, Some(compressor.with_precision(settings.precision)), decompressor)
            }
        };

        let oracle = Oracle::new(db, &data, &codes);
        let sizes = (settings.projector_hidden, settings.batch[1]);
        let mut projector = Projector::new(&data, &codes, sizes, seed);
        phases.push(projector.train(&data, &oracle, extended(limits, Phase::Projector, &phases), &mut shop)?);
        let projector = projector.to_network();

        let mut stepper = Stepper::new(&data, &codes, (settings.hidden, settings.batch[2]), seed);
        let frozen = Frozen::new(&decompressor, &loss);
        let projected = Projected::new(&data, &oracle, &projector, seed);
        let limit = extended(limits, Phase::Stepper, &phases);
        phases.push(stepper.train(&data, &codes, (&frozen, &projected), limit, &mut shop)?);

        let projector = projector.with_precision(settings.precision);
        let parts = NetworkParts {
            decompressor: decompressor.with_precision(settings.precision),
            outputs: data.outputs.clone(),
            constants: data.means.clone(),
            stepper: stepper.to_network().with_precision(settings.stepper_precision),
            calibration: calibration(&data, &oracle, &projector, seed),
            projector,
            compressor,
            resting: resting_code(db, &data, &codes),
        };
        let networks = Networks::new(db, parts)?;
        let quality = measure(db, &data, &networks, &oracle, seed);
        Ok(Trained { networks, quality, phases, motion_s: data.seconds(), frames: data.usable().count(), read_s })
    }

    fn kept(&self) -> Result<Option<Checkpoint>, TrainError> {
        let Some(path) = self.checkpoint.as_ref().filter(|_| self.resume) else { return Ok(None) };
        let kept = Checkpoint::load(path)?;
        kept.check(&identity(self.db, self.settings), path)?;
        Ok(Some(kept))
    }
}

fn identity(db: &Database, settings: &TrainSettings) -> Identity {
    let TrainSettings { latents, hidden, compressor_hidden, projector_hidden, batch, .. } = settings;
    let kept =
        settings.decompressor_of.as_ref().map_or_else(String::new, |n| format!(", decompressor {:016x}", n.hash()));
    Identity {
        database: format!("{:032x}", db.content_hash()),
        sizes: format!(
            "{latents} latents, {hidden} hidden, {compressor_hidden} in the compressor, {projector_hidden} in the projector, \
             batches {batch:?}{kept}"
        ),
    }
}

/// Returns the codes of all frames, computed by trained networks.
fn compressed(db: &Database, data: &Dataset, networks: &Networks) -> Result<Vec<f32>, TrainError> {
    networks.check_schema(db)?;
    let width = networks.code_width();
    let mut codes = vec![0.0; data.frames() * width];
    let (mut sampler, mut room) = (Sampler::for_character(db, networks.character()), Decompression::new(networks));
    for sequence in &data.sequences {
        // The frame after the last one has a code, too, as its successor.
        for frame in sequence.frames.start..=sequence.frames.end {
            let at = (sequence.clip, sequence.mirrored, sequence.time_s(frame));
            let code = &mut codes[frame * width..][..width];
            networks.compress(&mut sampler, at, code, &mut room).ok_or(TrainError::NoCompressor)?;
        }
    }
    Ok(codes)
}

/// Returns the limit of a phase after recorded ones. Their unused time is shared among the remaining phases.
fn extended(limits: [Limit; 3], phase: Phase, done: &[PhaseRecord]) -> Limit {
    let rest = &limits[phase as usize..];
    let Limit::Time(own) = rest[0] else { return rest[0] };
    let sum = |of: &[Limit]| of.iter().map(|l| if let Limit::Time(t) = l { t.as_secs_f64() } else { 0.0 }).sum::<f64>();
    let spent_s: f64 = done.iter().map(|record| record.seconds).sum();
    let left_s = (sum(&limits) - spent_s).max(0.0);
    Limit::Time(Duration::from_secs_f64(left_s * own.as_secs_f64() / sum(rest).max(1e-3)))
}

fn limits(settings: &TrainSettings, start: Instant, data: &Dataset, read_s: f64) -> Result<[Limit; 3], TrainError> {
    match settings.budget {
        Budget::Steps(steps) => Ok(steps.map(Limit::Steps)),
        Budget::Time(budget) => {
            let budget_s = budget.as_secs_f64();
            let left_s = budget_s * (1.0 - FINISHING) - start.elapsed().as_secs_f64();
            if left_s < 0.5 * budget_s {
                let (seconds, advice_s) = (data.seconds(), (4.0 * read_s).max(30.0).ceil());
                return Err(TrainError::Budget { budget_s, seconds, read_s, advice_s });
            }
            Ok(SHARES.map(|share| Limit::Time(Duration::from_secs_f64(share * left_s))))
        }
    }
}

/// Returns the `[frames x (columns + latents)]` codes.
fn codes(data: &Dataset, latents: &[f32], width: usize) -> Vec<f32> {
    let rows = data.features.chunks_exact(data.columns).zip(latents.chunks_exact(width));
    rows.flat_map(|(features, latents)| features.iter().chain(latents).copied()).collect()
}
