//! The whole of training: read, train the three phases, calibrate.

use crate::autoencoder::{Autoencoder, AutoencoderSizes};
use crate::body_loss::{BodyLoss, LossWeights};
use crate::calibrate::{calibration, resting_code};
use crate::dataset::Dataset;
use crate::error::TrainError;
use crate::kinematics::Kinematics;
use crate::pace::Limit;
use crate::phase::{PhaseRecord, Tick, Workshop};
use crate::projector::{Oracle, Projector};
use crate::report::{Quality, measure};
use crate::stepper::Stepper;
use burn::tensor::Device;
use footwork::database::Database;
use footwork::learned::{NetworkParts, Networks, Precision};
use std::time::{Duration, Instant};

/// What networks are trained, and how.
#[derive(Clone, Debug)]
pub struct TrainSettings {
    /// Latent variables.
    pub latents: usize,
    /// Width of the hidden layers of compressor, decompressor and stepper.
    pub hidden: usize,
    /// Width of the hidden layers of the projector.
    pub projector_hidden: usize,
    /// Windows or samples per step, for each phase.
    pub batch: [usize; 3],
    /// Seed of all random numbers.
    pub seed: u64,
    /// How long.
    pub budget: Budget,
    /// How weights of decompressor, projector and compressor are stored.
    pub precision: Precision,
    /// How weights of the stepper are stored.
    pub stepper_precision: Precision,
    /// Weights of the parts of the decompressor's loss.
    pub loss: LossWeights,
}

/// How long training takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// Time for everything, from reading to writing.
    Time(Duration),
    /// Steps of each phase: the result is the same each time.
    Steps([u64; 3]),
}

impl Default for TrainSettings {
    fn default() -> Self {
        Self {
            latents: 32,
            hidden: 512,
            projector_hidden: 512,
            batch: [32, 32, 64],
            seed: 1,
            budget: Budget::Time(Duration::from_secs(600)),
            precision: Precision::F16,
            stepper_precision: Precision::F16,
            loss: LossWeights::default(),
        }
    }
}

/// Shares of the budget: autoencoder, stepper, projector.
const SHARES: [f64; 3] = [0.42, 0.22, 0.36];
/// Share of the budget that calibration, report and writing take.
const FINISHING: f64 = 0.03;

/// What training gives.
#[derive(Debug)]
pub struct Trained {
    /// The networks.
    pub networks: Networks,
    /// How good they are.
    pub quality: Quality,
    /// What happened.
    pub phases: Vec<PhaseRecord>,
    /// Seconds of motion learned from.
    pub motion_s: f64,
    /// Frames learned from.
    pub frames: usize,
    /// Seconds that reading took.
    pub read_s: f64,
}

/// The device for a name of the command line.
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

/// Trains networks for a database. `start` is when the budget began.
///
/// # Errors
/// Returns a [`TrainError`] if the database has no motion to learn from, if the budget is too short, or if a loss is not a number.
pub fn train(
    db: &Database,
    settings: &TrainSettings,
    device: Device,
    start: Instant,
    observer: &mut dyn FnMut(Tick),
) -> Result<Trained, TrainError> {
    let data = Dataset::read(db)?;
    let read_s = start.elapsed().as_secs_f64();
    let limits = limits(settings.budget, start, &data, read_s)?;
    let mut shop = Workshop { device, seed: settings.seed, observer };

    let kinematics = Kinematics::new(&db.skeleton, &data.layout);
    let contact_joints: Vec<usize> = db.rig.contact_joints.iter().map(|j| j.at()).collect();
    let loss = BodyLoss::new(kinematics, &data.layout, &contact_joints, settings.loss);
    let sizes = AutoencoderSizes { latents: settings.latents, hidden: settings.hidden, batch: settings.batch[0] };
    let mut autoencoder = Autoencoder::new(&data, sizes, loss.local(), settings.seed);
    let first = autoencoder.train(&data, &loss, limits[0], &mut shop);
    let compressor = autoencoder.compressor_network();
    let codes = codes(&data, &autoencoder.latents(&data, &shop), settings.latents);

    let mut stepper = Stepper::new(&data, &codes, (settings.hidden, settings.batch[1]), settings.seed);
    let second = stepper.train(&data, &codes, limits[1], &mut shop);

    let oracle = Oracle::new(db, &data, &codes);
    let sizes = (settings.projector_hidden, settings.batch[2]);
    let mut projector = Projector::new(&data, &codes, sizes, settings.seed);
    let third = projector.train(&data, &oracle, limits[2], &mut shop);

    let projector = projector.to_network().with_precision(settings.precision);
    let parts = NetworkParts {
        decompressor: autoencoder.decompressor_network(&data).with_precision(settings.precision),
        outputs: data.outputs.clone(),
        constants: data.means.clone(),
        stepper: stepper.to_network().with_precision(settings.stepper_precision),
        calibration: calibration(&data, &oracle, &projector, settings.seed),
        projector,
        compressor: Some(compressor.with_precision(settings.precision)),
        resting: resting_code(db, &data, &codes),
    };
    let phases = vec![first, second, third];
    let networks = Networks::new(db, parts)?;
    let quality = measure(db, &data, &networks, &oracle, settings.seed);
    Ok(Trained { networks, quality, phases, motion_s: data.seconds(), frames: data.usable().count(), read_s })
}

fn limits(budget: Budget, start: Instant, data: &Dataset, read_s: f64) -> Result<[Limit; 3], TrainError> {
    match budget {
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

/// `[frames x (columns + latents)]`.
fn codes(data: &Dataset, latents: &[f32], width: usize) -> Vec<f32> {
    let rows = data.features.chunks_exact(data.columns).zip(latents.chunks_exact(width));
    rows.flat_map(|(features, latents)| features.iter().chain(latents).copied()).collect()
}
