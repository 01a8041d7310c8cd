//! Command-line arguments.

use clap::{Args, Parser, Subcommand, ValueEnum};
use footwork::advanced::learned::Precision;
use footwork_train::baselines::BaselineSettings;
use footwork_train::baselines::direct::DirectSizes;
use footwork_train::baselines::pfnn::PfnnSizes;
use footwork_train::pace::Limit;
use footwork_train::train::{Budget, DeviceKind, TrainSettings};
use std::path::PathBuf;
use std::time::Duration;

/// Train the networks of learned motion matching from a database
///
/// While training runs, a checkpoint is written every 30 seconds beside the output, as F.fwnet.checkpoint. It is removed once the
/// output is written. Ctrl-C writes one and stops. The loss curves are written as F.svg.
#[derive(Debug, Parser)]
#[command(
    name = "footwork-train",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:\n  footwork-train --db mocap.fwdb -o mocap.fwnet --budget 30m\n  footwork-train --db mocap.fwdb -o mocap.fwnet --resume\n  footwork-train --db mocap.fwdb -o mocap.fwnet --device cuda --json\n  footwork-train export --net mocap.fwnet -o onnx/\n\nExit codes: 0 success, 1 invalid files or settings, 2 wrong usage, 130 interrupted."
)]
pub struct Words {
    /// Command; without one, training.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Flags of training.
    #[command(flatten)]
    pub train: TrainFlags,
}

/// Commands beside training.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write networks as ONNX models, for other engines
    Export(ExportFlags),
    /// Read networks of the reference implementation, and list their sizes
    Import(ImportFlags),
    /// Train older ways of learning motion, and compare them with search
    Baselines(BaselineFlags),
}

/// Flags of `baselines`.
#[derive(Debug, Args)]
#[command(
    after_help = "Trains a direct mapping from pose and goal to the next second, and a phase-functioned network (PFNN). Both are driven over\nthe courses of `footwork eval`, and over a steady walk of 10 minutes, beside the exact search. Columns `_free` are without\nfoot locks and without pulling the root.\n\nExamples:\n  footwork-train baselines --db mocap.fwdb --budget 20m --motion runs\n  footwork film --compare runs/direct.bvh runs/pfnn.bvh -o baselines.png"
)]
pub struct BaselineFlags {
    /// Database to learn from
    #[arg(long, value_name = "F.fwdb")]
    pub db: PathBuf,
    /// Time for training, such as 90s, 10m or 1h. A quarter is the direct mapping's
    #[arg(long, value_name = "TIME", default_value = "20m", value_parser = duration)]
    pub budget: Duration,
    /// Train only this one, with the whole budget
    #[arg(long, value_name = "NAME")]
    pub only: Option<BaselineName>,
    /// Steps of each instead of a time; same result each time
    #[arg(long, value_name = "N", hide = true)]
    pub steps: Option<u64>,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Folder for a run of each as BVH, to look at. Created if missing
    #[arg(long, value_name = "FOLDER")]
    pub motion: Option<PathBuf>,
    /// Print the table as a JSON object
    #[arg(long)]
    pub json: bool,
}

/// Baselines by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BaselineName {
    /// Direct mapping
    Direct,
    /// Phase-functioned network
    Pfnn,
}

impl BaselineFlags {
    /// Returns the settings that the flags specify.
    pub fn settings(&self) -> BaselineSettings {
        let share = |name: BaselineName, share: f64| {
            let time = || match self.only {
                None => self.budget.mul_f64(share),
                Some(_) => self.budget,
            };
            let limit = || self.steps.map_or_else(|| Limit::Time(time()), Limit::Steps);
            self.only.is_none_or(|only| only == name).then(limit)
        };
        BaselineSettings {
            direct: share(BaselineName::Direct, DIRECT_SHARE),
            pfnn: share(BaselineName::Pfnn, 1.0 - DIRECT_SHARE),
            direct_sizes: DirectSizes::default(),
            pfnn_sizes: PfnnSizes::default(),
            seed: self.seed,
        }
    }
}

/// Share of the budget for the direct mapping, which trains without rollouts.
const DIRECT_SHARE: f64 = 0.25;

/// Flags of `export`.
#[derive(Debug, Args)]
#[command(
    after_help = "Writes decompressor.onnx, stepper.onnx and projector.onnx: opset 13, 32-bit floats, input x, output y,\nboth [batch x values]. The metadata entry `footwork` holds schema hash, joints, outputs and constants as JSON.\n\nExample:\n  footwork-train export --net mocap.fwnet -o onnx/"
)]
pub struct ExportFlags {
    /// Networks to export
    #[arg(long, value_name = "F.fwnet")]
    pub net: PathBuf,
    /// Folder to write the models to. Created if missing
    #[arg(short, long, value_name = "FOLDER")]
    pub output: PathBuf,
    /// Print the files as a JSON object
    #[arg(long)]
    pub json: bool,
}

/// Flags of `import`.
#[derive(Debug, Args)]
#[command(
    after_help = "The folder holds decompressor.bin, stepper.bin and projector.bin of github.com/orangeduck/Motion-Matching.\n\nExample:\n  footwork-train import Motion-Matching/resources --json"
)]
pub struct ImportFlags {
    /// Folder with the networks
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// Print the sizes as a JSON object
    #[arg(long)]
    pub json: bool,
}

/// Flags of training.
#[derive(Debug, Args)]
pub struct TrainFlags {
    /// Database to learn from
    #[arg(long, value_name = "F.fwdb", required = true)]
    db: Option<PathBuf>,
    /// File to write the networks to
    #[arg(short, long, value_name = "F.fwnet", required = true)]
    output: Option<PathBuf>,
    /// Time for everything, such as 90s, 10m or 1h. Range: 1s to 100 days
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    budget: Duration,
    /// Continue from the checkpoint. Its budget holds
    #[arg(long)]
    pub resume: bool,
    /// Steps of each phase instead of a time; same result each time
    #[arg(long, value_name = "N", hide = true, value_delimiter = ',', num_args = 1..=3)]
    steps: Vec<u64>,
    /// Windows or samples per step of each phase
    #[arg(long, value_name = "N,N,N", hide = true, value_parser = batches)]
    batch: Option<[usize; 3]>,
    /// Device to train on
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    pub device: DeviceName,
    /// Seed of all random numbers. Default: 1, or that of the checkpoint
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Stored weights of decompressor and projector
    #[arg(long, value_name = "KIND", default_value = "f16")]
    precision: PrecisionName,
    /// Stored weights of the stepper
    #[arg(long, value_name = "KIND", default_value = "f16")]
    stepper_precision: PrecisionName,
    /// Latent variables. More: more exact, slower. Range: 1 to 1024
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1024))]
    latents: u32,
    /// Width of decompressor and stepper. Range: 8 to 4096
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(8..=4096))]
    hidden: u32,
    /// Width of the compressor. Range: 8 to 4096
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(8..=4096))]
    compressor_hidden: u32,
    /// Width of the projector. Range: 8 to 4096
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(8..=4096))]
    projector_hidden: u32,
    /// Networks (.fwnet) whose decompressor is kept, to train the others anew
    #[arg(long, value_name = "FILE")]
    pub decompressor_of: Option<PathBuf>,
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
    /// Returns the device of this name.
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
    /// Returns the database and the output.
    pub fn files(&self) -> (PathBuf, PathBuf) {
        // Without a command, clap requires both.
        (self.db.clone().unwrap_or_default(), self.output.clone().unwrap_or_default())
    }

    /// Returns the settings that the flags specify.
    pub fn settings(&self) -> TrainSettings {
        let defaults = TrainSettings::default();
        let step = |phase: usize| self.steps.get(phase).or(self.steps.last()).copied().unwrap_or(0);
        let budget =
            if self.steps.is_empty() { Budget::Time(self.budget) } else { Budget::Steps([step(0), step(1), step(2)]) };
        TrainSettings {
            latents: self.latents as usize,
            hidden: self.hidden as usize,
            compressor_hidden: self.compressor_hidden as usize,
            projector_hidden: self.projector_hidden as usize,
            batch: self.batch.unwrap_or(defaults.batch),
            seed: self.seed,
            budget,
            precision: self.precision.precision(),
            stepper_precision: self.stepper_precision.precision(),
            ..defaults
        }
    }
}

fn batches(text: &str) -> Result<[usize; 3], String> {
    let all: Option<Vec<usize>> = text.split(',').map(|n| n.parse().ok().filter(|n| (1..=65536).contains(n))).collect();
    all.and_then(|all| all.try_into().ok())
        .ok_or_else(|| "expected three numbers of 1 to 65536, such as 32,32,64".into())
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
    if !(1.0..=8.64e6).contains(&seconds) {
        return Err("expected 1 second to 100 days".into());
    }
    Ok(Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn first_sentences_of_help_are_short() {
        let root = Words::command();
        root.clone().debug_assert();
        for command in std::iter::once(&root).chain(root.get_subcommands()) {
            for flag in command.get_arguments() {
                let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
                let first = help.split(". ").next().unwrap_or_default();
                assert!(!first.is_empty() && first.len() <= 72 && !help.ends_with('.'), "{}: {help}", flag.get_id());
            }
        }
    }

    #[test]
    fn times_have_units() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("2h"), Ok(Duration::from_secs(7200)));
        assert!(["", "m", "10x", "0s", "-5m", "nan", "1e99h"].iter().all(|t| duration(t).is_err()));
    }
}
