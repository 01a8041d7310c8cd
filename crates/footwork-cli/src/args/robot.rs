//! Flags of `robot`.

use super::common::ConfigFlag;
use clap::{Args, ValueEnum};
use footwork_import::UnitSetting;
use std::path::PathBuf;

/// Flags of `robot`.
#[derive(Debug, Args)]
#[command(
    after_help = "The roles of the clips' joints are found from names and motion, or set in `[build.roles]` of --config.\nThe limbs of the robot are found from names and shape, or set with --parts.\n\nExamples:\n  footwork robot take.bvh --model robot.xml -o take.csv\n  footwork robot mocap/ --model robot.xml -o motions/ --format npz --json"
)]
pub struct RobotArgs {
    /// Motion files, folders or patterns, such as 'mocap/walk*.bvh'. All must have the same skeleton
    #[arg(value_name = "CLIPS", required = true)]
    pub clips: Vec<PathBuf>,
    /// Model of the robot (MJCF, .xml): a free root and hinges
    #[arg(long, value_name = "FILE")]
    pub model: PathBuf,
    /// File (.csv, .npz or .bvh) for one clip, or folder with one file per clip
    #[arg(short, long, value_name = "FILE|FOLDER")]
    pub output: PathBuf,
    /// Replacement of files that are there already. Without it, nothing is written where a file has the name of an output
    #[arg(long)]
    pub force: bool,
    /// Format of the files in a folder
    #[arg(long, value_name = "FORMAT", default_value = "csv")]
    pub format: RobotFormat,
    /// Frames per second of the output, in Hz
    #[arg(long, value_name = "HZ", default_value = "50")]
    pub rate: f32,
    /// Maximum speed of every hinge, in rad/s. MJCF states no speeds
    #[arg(long, value_name = "RAD_S", default_value_t = footwork_robot::MAX_SPEED_RAD_S)]
    pub max_speed: f64,
    /// Parts of the robot that are not found (TOML). Names of bodies and hinges, such as left_foot = "ankle_l"
    #[arg(long, value_name = "FILE")]
    pub parts: Option<PathBuf>,
    /// Unit of lengths in the clips: auto, m, cm, mm, in, or metres per unit. Default: the configuration's, else auto
    #[arg(long, value_name = "UNIT")]
    pub units: Option<UnitSetting>,
    /// `--config`.
    #[command(flatten)]
    pub config: ConfigFlag,
}

/// Format of a robot's clips.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RobotFormat {
    /// One line per frame, without a header: root x, y, z, rotation x, y, z, w, hinges
    Csv,
    /// Arrays of numpy: positions, rotations and velocities of hinges and bodies
    Npz,
    /// Biovision Hierarchy: a joint per hinge, for `footwork build`
    Bvh,
}

impl RobotFormat {
    /// Returns the extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Npz => "npz",
            Self::Bvh => "bvh",
        }
    }

    /// Returns the format with an extension.
    pub fn of_extension(extension: &str) -> Option<Self> {
        Self::value_variants().iter().copied().find(|f| f.extension() == extension)
    }
}
