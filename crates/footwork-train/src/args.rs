//! Command-line arguments.

use clap::{Parser, ValueEnum};
use footwork::learned::Precision;
use footwork_train::train::{Budget, DeviceKind, TrainSettings};
use std::path::PathBuf;
use std::time::Duration;

/// Train the networks of learned motion matching from a database
#[derive(Debug, Parser)]
#[command(
    name = "footwork-train",
    version,
    after_help = "Example:\n  footwork-train --db mocap.fwdb -o mocap.fwnet --budget 30m"
)]
pub struct Args {
    /// Flags of training.
    #[command(flatten)]
    pub train: TrainFlags,
}

/// Flags of training.
#[derive(Debug, clap::Args)]
pub struct TrainFlags {
    /// Database to learn from
    #[arg(long, value_name = "F.fwdb")]
    pub db: PathBuf,
    /// File to write the networks to
    #[arg(short, long, value_name = "F.fwnet")]
    pub output: PathBuf,
    /// Time for everything, such as 90s, 10m or 1h
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    budget: Duration,
    /// Steps of each phase instead of a time; same result each time
    #[arg(long, value_name = "N", hide = true, value_delimiter = ',', num_args = 1..=3)]
    steps: Vec<u64>,
    /// Windows or samples per step of each phase
    #[arg(long, value_name = "N", hide = true, value_delimiter = ',', num_args = 3)]
    batch: Vec<usize>,
    /// Device to train on
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    pub device: DeviceName,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Stored weights of decompressor and projector
    #[arg(long, value_name = "KIND", default_value = "f16")]
    precision: PrecisionName,
    /// Stored weights of the stepper
    #[arg(long, value_name = "KIND", default_value = "f16")]
    stepper_precision: PrecisionName,
    /// Number of latent variables; more are more exact, fewer are faster
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1024))]
    latents: u32,
    /// Width of the hidden layers of decompressor and stepper
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(8..=4096))]
    hidden: u32,
    /// Width of the hidden layers of the projector
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(8..=4096))]
    projector_hidden: u32,
    /// Print the report as a JSON object
    #[arg(long)]
    pub json: bool,
    /// Print only errors and the object of `--json`
    #[arg(long)]
    pub quiet: bool,
}

/// Devices by name.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum DeviceName {
    /// Processor
    Cpu,
    /// NVIDIA GPU
    Cuda,
    /// Any GPU
    Wgpu,
}

impl DeviceName {
    /// The device meant.
    pub fn kind(self) -> DeviceKind {
        match self {
            Self::Cpu => DeviceKind::Cpu,
            Self::Cuda => DeviceKind::Cuda,
            Self::Wgpu => DeviceKind::Wgpu,
        }
    }
}

/// Precisions by name.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum PrecisionName {
    /// 32-bit floats
    F32,
    /// 16-bit floats
    F16,
    /// 8-bit integers with a factor per output
    Int8,
}

impl PrecisionName {
    fn precision(self) -> Precision {
        match self {
            Self::F32 => Precision::F32,
            Self::F16 => Precision::F16,
            Self::Int8 => Precision::I8,
        }
    }
}

impl TrainFlags {
    /// What they ask for.
    pub fn settings(&self) -> TrainSettings {
        let defaults = TrainSettings::default();
        let step = |phase: usize| self.steps.get(phase).or(self.steps.last()).copied().unwrap_or(0);
        let budget =
            if self.steps.is_empty() { Budget::Time(self.budget) } else { Budget::Steps([step(0), step(1), step(2)]) };
        TrainSettings {
            latents: self.latents as usize,
            hidden: self.hidden as usize,
            projector_hidden: self.projector_hidden as usize,
            batch: self.batch.as_slice().try_into().unwrap_or(defaults.batch),
            seed: self.seed,
            budget,
            precision: self.precision.precision(),
            stepper_precision: self.stepper_precision.precision(),
            ..defaults
        }
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("expected a number and s, m or h, such as 90s or 10m".into()),
    };
    let value: f64 = digits.parse().map_err(|_| "expected a number and s, m or h, such as 90s or 10m".to_owned())?;
    let seconds = value * factor;
    if !(1.0..=1e7).contains(&seconds) {
        return Err("expected 1 second to 100 days".into());
    }
    Ok(Duration::from_secs_f64(seconds))
}
