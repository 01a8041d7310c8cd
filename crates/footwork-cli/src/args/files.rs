//! Flags of the commands that read motion files: `build`, `retarget`, `convert`, `doctor`.

use super::common::ConfigFlag;
use clap::{Args, ValueEnum};
use footwork_import::UnitSetting;
use footwork_import::doctor::{CHECKS, Check};
use std::path::PathBuf;

/// Flags of `build`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  footwork build mocap/ -o mocap.fwdb\n  footwork build --config dog.toml -o dog.fwdb --json"
)]
pub struct BuildArgs {
    /// Motion files, folders or patterns, such as 'mocap/**/walk*.fbx'. Formats: .bvh, .glb, .gltf, .fbx. Default:
    /// `source.clips` of the configuration, else the built-in data
    #[arg(value_name = "CLIPS")]
    pub clips: Vec<PathBuf>,
    /// Database file to write. An existing database is kept if the build fails
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Unit of lengths in the files: auto, m, cm, mm, in, or metres per unit. Default: the configuration's, else auto
    #[arg(long, value_name = "UNIT")]
    pub units: Option<UnitSetting>,
    /// Failure instead of a message. Files of a folder that cannot be read, axes and units that would have to be mended, and
    /// glitches count
    #[arg(long)]
    pub strict: bool,
    /// Reading of all files, without the cache. The cache holds unchanged files of the last build to this output, in the
    /// user's cache folder or FOOTWORK_CACHE (`off`: no cache). The result is the same
    #[arg(long)]
    pub no_cache: bool,
    /// `--config`.
    #[command(flatten)]
    pub config: ConfigFlag,
    /// `--rate`.
    #[command(flatten)]
    pub rate: BuildRateFlag,
}

/// `--rate`, of a build from files.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct BuildRateFlag {
    /// Poses and rows per second, in Hz. Default: the configuration's, else poses as captured (at most 60) and 30 rows
    #[arg(long, value_name = "HZ")]
    pub rate: Option<f32>,
}

/// Flags of `retarget`.
#[derive(Debug, Args)]
#[command(
    after_help = "The roles of the clips' joints are found from names and motion, or set in `[build.roles]` of --config.\nThe roles of the rig's joints are set with --roles-from.\n\nExamples:\n  footwork retarget mocap/ --onto hero.bvh -o hero/\n  footwork retarget take.bvh --onto built-in -o take_on_biped.bvh --json\n  footwork film --compare take.bvh take_on_biped.bvh -o both.png"
)]
pub struct RetargetArgs {
    /// Motion files, folders or patterns, such as 'mocap/walk*.bvh'. All must have the same skeleton
    #[arg(value_name = "CLIPS", required = true)]
    pub clips: Vec<PathBuf>,
    /// Target skeleton: a motion file that has it, or `built-in`
    #[arg(long, value_name = "RIG")]
    pub onto: PathBuf,
    /// File (.bvh or .glb) for one clip, or folder with one .bvh per clip
    #[arg(short, long, value_name = "FILE|FOLDER")]
    pub output: PathBuf,
    /// Replacement of files that are there already. Without it, nothing is written where a file has the name of an output
    #[arg(long)]
    pub force: bool,
    /// Configuration (TOML) whose `[build.roles]` apply to the rig
    #[arg(long, value_name = "FILE")]
    pub roles_from: Option<PathBuf>,
    /// Unit of lengths in the clips: auto, m, cm, mm, in, or metres per unit. Default: the configuration's, else auto
    #[arg(long, value_name = "UNIT")]
    pub units: Option<UnitSetting>,
    /// Unit of lengths in the file of the rig
    #[arg(long, value_name = "UNIT", default_value = "auto")]
    pub rig_units: UnitSetting,
    /// Feet as the joint rotations place them, without planting
    #[arg(long)]
    pub free_feet: bool,
    /// `--config`.
    #[command(flatten)]
    pub config: ConfigFlag,
}

/// Flags of `convert`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  footwork convert take.fbx -o take.bvh\n  footwork convert 'mixamo/*.fbx' -o animated.glb --mesh character.glb\n  footwork convert mocap/ -o converted/ --format glb --rate 30 --json"
)]
pub struct ConvertArgs {
    /// Motion files, folders or patterns, such as 'mocap/**/walk*.fbx'. Formats: .bvh, .glb, .gltf, .fbx
    #[arg(value_name = "CLIPS", required = true)]
    pub clips: Vec<PathBuf>,
    /// File or folder to write. A .bvh file has one clip, a .glb file all clips, a folder one file per clip
    #[arg(short, long, value_name = "FILE|FOLDER")]
    pub output: PathBuf,
    /// Replacement of files that are there already. Without it, nothing is written where a file has the name of an output
    #[arg(long)]
    pub force: bool,
    /// Format of the files in a folder
    #[arg(long, value_name = "FORMAT", default_value = "bvh")]
    pub format: OutputFormat,
    /// Rigged character (.glb) with the same joint names. Its mesh, skin and materials are written with the motion. Default: a
    /// mannequin
    #[arg(long, value_name = "FILE")]
    pub mesh: Option<PathBuf>,
    /// Clips to convert: a part of their names, or a pattern with `*`
    #[arg(long, value_name = "CLIP")]
    pub clip: Option<String>,
    /// Unit of lengths in the files: auto, m, cm, mm, in, or metres per unit. Default: the configuration's, else auto
    #[arg(long, value_name = "UNIT")]
    pub units: Option<UnitSetting>,
    /// `--config`.
    #[command(flatten)]
    pub config: ConfigFlag,
    /// Frames per second of the output, in Hz. Default: as captured
    #[arg(long, value_name = "HZ")]
    pub rate: Option<f32>,
}

/// Formats that `convert` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// Biovision Hierarchy: text, for animation tools
    Bvh,
    /// Binary glTF: skeleton, motion and mesh, for viewers and engines
    Glb,
}

/// Flags of `doctor`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  footwork doctor mocap/\n  footwork doctor mocap/ --fix fixed/\n  footwork doctor take.bvh --only spike,jitter --json\n\nExit codes: 0 hints at most, 3 warnings, 4 errors; 1, 2 and 130 as for all commands. With --fix, fixed findings do not count."
)]
pub struct DoctorArgs {
    /// Motion files, folders or patterns, such as 'mocap/walk*.bvh'. Default: `source.clips` of the configuration, else the
    /// built-in data
    #[arg(value_name = "CLIPS")]
    pub clips: Vec<PathBuf>,
    /// Folder for fixed copies of all clips, as BVH with sidecars. It must not contain the files that are read
    #[arg(long, value_name = "FOLDER")]
    pub fix: Option<PathBuf>,
    /// Replacement of files that are there already. Without it, nothing is written where a file has the name of an output
    #[arg(long, requires = "fix")]
    pub force: bool,
    /// Checks to run, by name. Default: all
    #[arg(long, value_name = "CHECKS", value_delimiter = ',', conflicts_with = "skip", value_parser = check_named)]
    pub only: Vec<Check>,
    /// Checks to leave out, by name. Default: none
    #[arg(long, value_name = "CHECKS", value_delimiter = ',', value_parser = check_named)]
    pub skip: Vec<Check>,
    /// List of all findings. Without it, each check lists three findings, then a count
    #[arg(long)]
    pub all: bool,
    /// Unit of lengths in the files: auto, m, cm, mm, in, or metres per unit. Default: the configuration's, else auto
    #[arg(long, value_name = "UNIT")]
    pub units: Option<UnitSetting>,
    /// `--config`.
    #[command(flatten)]
    pub config: ConfigFlag,
    /// `--rate`.
    #[command(flatten)]
    pub rate: BuildRateFlag,
}

/// A check by its name.
fn check_named(name: &str) -> Result<Check, String> {
    Check::named(name).ok_or_else(|| {
        let names: Vec<&str> = CHECKS.iter().map(|c| c.name).collect();
        let nearest = footwork::advanced::error::nearest(name, names.iter().copied());
        let hint = nearest.map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
        format!("unknown check{hint}; checks: {}", names.join(", "))
    })
}
