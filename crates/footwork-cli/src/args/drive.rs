//! Flags of the commands that drive or query a character: `simulate`, `search`, `eval`, `inspect`, `gait`.

use super::common::{ConfigFlag, DatabaseFlags, DbFlag, DriveFlags, MatcherFlags, SeedFlag};
use super::cues::CueFlags;
use crate::kind::Kind;
use clap::{Args, ValueEnum};
use footwork_metrics::ground::GroundKind;
use std::path::PathBuf;

/// Flags of `inspect`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  footwork inspect --db mocap.fwdb\n  footwork inspect --db mocap.fwdb --json")]
pub struct InspectArgs {
    /// Number of clips to list. With --json, all clips are listed
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub clips: usize,
    /// List the actions of clips with the tag `no_locomotion`
    #[arg(long)]
    pub actions: bool,
    /// Database and configuration.
    #[command(flatten)]
    pub database: DatabaseFlags,
}

/// Flags of `simulate`.
#[derive(Debug, Args)]
#[command(
    after_help = "Courses:\n  standard  stand, walk, run, curve, strafe, turn back, follow a path, stop; then random\n  random    random stick\n  none      no input: the first clip continues\n  stances   a random stick, a crouch and gestures by the state machine; 10 minutes\n  actions   requests for actions; every second one is out of reach\n  FILE.csv  columns lx,lz,rx,rz,strafe,walk, then variables and triggers of --machine; one row per 1/60 s\n\nExamples:\n  footwork simulate --course standard --seconds 60 --seed 1 --json\n  footwork simulate --machine built-in --course none --set crouched=1 --at 3 --fire wave\n  footwork simulate --db mocap.fwdb --course random --seconds 600 --bvh run.bvh --svg run.svg"
)]
pub struct SimulateArgs {
    /// Scripted input: a course of the list below, or a CSV file
    #[arg(long, value_name = "COURSE", default_value = "standard")]
    pub course: String,
    /// Ground. `slope` and `stairs` rise along +Z, from 3 m ahead of the start, and end level
    #[arg(long, value_name = "GROUND", default_value = "level")]
    pub ground: GroundFlag,
    /// Tags of the rows that may be played, such as "(walk | run) & !stairs". Default: all locomotion
    #[arg(long, value_name = "QUERY")]
    pub tags: Option<String>,
    /// Length of the run, in seconds. Default: 60; for `stances` 600. Not for `actions`
    #[arg(long, value_name = "S")]
    pub seconds: Option<f32>,
    /// Number of requests of the course `actions`. Default: 2000
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    pub requests: Option<usize>,
    /// Request of the course `actions` that --trace records, from 0. `worst` of --json has the numbers of the worst
    #[arg(long, value_name = "N", requires = "trace", conflicts_with = "requests")]
    pub request: Option<usize>,
    /// State machine (TOML, or `built-in`) that runs the character. Default: none; for `stances` `built-in`
    #[arg(long, value_name = "FILE", conflicts_with = "learned")]
    pub machine: Option<PathBuf>,
    /// Chooser (TOML) that names characters and the conditions for each. Default: none
    #[arg(long, value_name = "FILE", conflicts_with_all = ["learned", "machine", "trace"])]
    pub chooser: Option<PathBuf>,
    /// `--set`, `--fire`, `--at`.
    #[command(flatten)]
    pub cues: CueFlags,
    /// Time steps of 0.5 to 1.5 times --dt, for `stances` and `actions`
    #[arg(long)]
    pub jitter: bool,
    /// Time step, in seconds. Range: above 0 to 1
    #[arg(long, value_name = "S", default_value_t = 1.0 / 60.0)]
    pub dt: f32,
    /// `--bvh`, `--glb`, `--svg`.
    #[command(flatten)]
    pub files: MotionFiles,
    /// Trace (.fwtrace) to write with a recording of the run. `footwork replay` and `footwork film` read it
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Networks (.fwnet, or `built-in`) instead of search and clips. With --db, exact search steps in where they are not trusted
    #[arg(long, value_name = "FILE", conflicts_with = "explain")]
    pub learned: Option<PathBuf>,
    /// Time to explain, in seconds. Lists the best rows of the first search from then on, with their costs; with --machine also the
    /// state, the conditions that would leave it, and the present values of their terms
    #[arg(long, value_name = "S")]
    pub explain: Option<f32>,
    /// Database, search and seed.
    #[command(flatten)]
    pub drive: DriveFlags,
}

/// Files to write with the motion of a run.
#[derive(Debug, Args)]
pub struct MotionFiles {
    /// BVH file to write with the motion
    #[arg(long, value_name = "FILE")]
    pub bvh: Option<PathBuf>,
    /// glTF file (.glb) to write with the motion on a mannequin
    #[arg(long, value_name = "FILE")]
    pub glb: Option<PathBuf>,
    /// SVG file to write with the commanded and the walked path from above
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

impl MotionFiles {
    /// Returns the flags, their files, and the kinds of these.
    pub fn flags(&self) -> [(&'static str, &Option<PathBuf>, Kind); 3] {
        [("--bvh", &self.bvh, Kind::Bvh), ("--glb", &self.glb, Kind::Glb), ("--svg", &self.svg, Kind::Svg)]
    }
}

/// Grounds, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GroundFlag {
    /// Level plane
    Level,
    /// Ramp of 15 degrees, 10 m long
    Slope,
    /// Twenty steps, 17 cm high and 40 cm deep
    Stairs,
    /// Bumps of up to 16 cm
    Rubble,
}

impl From<GroundFlag> for GroundKind {
    fn from(flag: GroundFlag) -> Self {
        match flag {
            GroundFlag::Level => Self::Level,
            GroundFlag::Slope => Self::Slope,
            GroundFlag::Stairs => Self::Stairs,
            GroundFlag::Rubble => Self::Rubble,
        }
    }
}

/// Flags of `replay`.
#[derive(Debug, Args)]
#[command(
    after_help = "The replay gives the same poses, bit for bit, and prints the same summary as `simulate`. It needs the data of the recording.\n\nExamples:\n  footwork simulate --db mocap.fwdb --course random --trace run.fwtrace\n  footwork replay run.fwtrace --db mocap.fwdb --json\n  footwork replay run.fwtrace --db mocap.fwdb --fork-at 20 --config other.toml --bvh other.bvh"
)]
pub struct ReplayArgs {
    /// Recorded run (.fwtrace). `footwork simulate --trace`, the studio and games write one
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Networks (.fwnet, or `built-in`) of the recording. Default: none
    #[arg(long, value_name = "FILE")]
    pub learned: Option<PathBuf>,
    /// Time from which the settings of --config apply, in seconds. Until then everything is as recorded. The recorded inputs
    /// continue; a ground that is not known by its name becomes level
    #[arg(long, value_name = "S")]
    pub fork_at: Option<f64>,
    /// Configuration file (TOML) whose matcher settings apply from --fork-at on
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// `--bvh`, `--glb`, `--svg`.
    #[command(flatten)]
    pub files: MotionFiles,
    /// `--db`.
    #[command(flatten)]
    pub db: DbFlag,
}

/// Flags of `new`.
#[derive(Debug, Args)]
#[command(
    after_help = "The project has a floor, a light, a camera that follows, and a character that walks with W, A, S, D.\n\nExamples:\n  footwork new my-game --bevy\n  footwork new my-game --bevy --db hero.fwdb --model hero.glb"
)]
pub struct NewArgs {
    /// Folder to make; its name is that of the game
    #[arg(value_name = "FOLDER")]
    pub path: PathBuf,
    /// A game for Bevy, which is the only engine so far
    #[arg(long, required = true)]
    pub bevy: bool,
    /// Skinned model (.glb) of the character. Default: a mannequin with the skeleton of the clips
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Database and configuration.
    #[command(flatten)]
    pub database: DatabaseFlags,
}

/// Flags of `gait`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  footwork gait\n  footwork gait -o mocap/ --clip 'walk_*'\n  footwork gait -o pack/ --pack 19\n  footwork gait -o moves/ --actions\n  footwork gait -o corpus/ --hours 2 --seed 3\n  footwork gait --report\n  footwork gait --report --reference 'lafan1/*walk*.bvh' --json\n\nExit codes: as for all commands; 1 also if a gate of --report does not hold."
)]
pub struct GaitArgs {
    /// Comparison of the motion with published gait measurements, one per line
    #[arg(long)]
    pub report: bool,
    /// Captured walking clips whose jerk is compared. Default: the value of LAFAN1
    #[arg(long, value_name = "CLIPS", num_args = 1.., requires = "report")]
    pub reference: Vec<PathBuf>,
    /// Folder to write the clips to, as BVH
    #[arg(short, long, value_name = "FOLDER", conflicts_with = "report")]
    pub output: Option<PathBuf>,
    /// Replacement of files that are there already. Without it, nothing is written where a file has the name of an output
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Clips to list or write: a part of their names, or a pattern with `*`
    #[arg(long, value_name = "CLIP", conflicts_with = "report")]
    pub clip: Option<String>,
    /// Clips of a small pack, to try out thin data: no starts, stops or turns
    #[arg(long, value_name = "CLIPS", value_parser = ["19"], conflicts_with_all = ["report", "clip"])]
    pub pack: Option<String>,
    /// Clips of actions, too: jumps, vaults, climbs, steps, seats, reaches
    #[arg(long, conflicts_with_all = ["report", "pack"])]
    pub actions: bool,
    /// Length of a corpus of random routes instead of the clips, in hours
    ///
    /// A test of large data: the routes differ in style, speed and manner, and depend on --seed. Above 0, at most 1000.
    #[arg(long, value_name = "N", value_parser = corpus_hours, requires = "output", conflicts_with_all = ["report", "clip", "pack", "actions"])]
    pub hours: Option<f64>,
    /// Configuration file (TOML) whose sources apply to --reference
    #[arg(long, value_name = "FILE", requires = "reference")]
    pub config: Option<PathBuf>,
    /// `--seed`.
    #[command(flatten)]
    pub seed: SeedFlag,
}

impl GaitArgs {
    /// `--config`, as other commands have it.
    pub fn config(&self) -> ConfigFlag {
        ConfigFlag { config: self.config.clone() }
    }
}

/// Returns a valid length of a corpus, in hours.
fn corpus_hours(text: &str) -> Result<f64, String> {
    let hours = text.parse().ok().filter(|hours| *hours > 0.0 && *hours <= 1000.0);
    hours.ok_or_else(|| "expected a number of hours above 0, at most 1000".to_owned())
}

/// Flags of `search`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  footwork search --clip walk_125 --at 0.5 --explain\n  footwork search --db mocap.fwdb --clip take --at 12.5 --stick 1,0 --gait walk --explain --k 10\n  footwork search --db mocap.fwdb --clip take --at 12.5 --goal-speed 3 --goal-direction 90 --json"
)]
pub struct SearchArgs {
    /// Playing clip, by name or number
    #[arg(long, value_name = "CLIP")]
    pub clip: String,
    /// Time in the clip, in seconds; the nearest row is used
    #[arg(long, value_name = "S", default_value_t = 0.0)]
    pub at: f64,
    /// Desired speed instead of the clip's own future, in m/s. Range: 0 to 100
    #[arg(long, value_name = "M/S", conflicts_with = "stick")]
    pub goal_speed: Option<f32>,
    /// Desired direction, in degrees to the left of the facing. Only with --goal-speed
    #[arg(long, value_name = "DEG", default_value_t = 0.0, requires = "goal_speed", allow_negative_numbers = true)]
    pub goal_direction: f32,
    /// Stick held instead of the clip's own future: X right, Z forward. Range: -1 to 1 each, seen from behind the character
    #[arg(long, value_name = "X,Z", value_delimiter = ',', num_args = 1, allow_hyphen_values = true)]
    pub stick: Vec<f32>,
    /// Gait of the stick. Only with --stick
    #[arg(long, value_name = "GAIT", default_value = "run", requires = "stick")]
    pub gait: GaitKind,
    /// Tags of the rows that may be played, such as "(walk | run) & !stairs". Default: all locomotion
    #[arg(long, value_name = "QUERY")]
    pub tags: Option<String>,
    /// Number of best rows to list
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub k: usize,
    /// Costs per channel, and the excluded rows with the reason
    #[arg(long)]
    pub explain: bool,
    /// Database and search.
    #[command(flatten)]
    pub matcher: MatcherFlags,
}

/// Gaits, by name.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum GaitKind {
    /// Speeds of `matcher.speeds.walk`
    Walk,
    /// Speeds of `matcher.speeds.run`
    Run,
}

/// Flags of `eval`.
#[derive(Debug, Args)]
#[command(
    after_help = "Variants:\n  default         settings of the configuration\n  reference       settings of Holden's reference controller\n  default_free    default without foot lock and without pulling the root to the simulated character\n  reference_free  the same for reference\n  fixed_speeds    default at the speeds of an adult, whatever the clips do\n  FILE.toml       a configuration of your own, named after the file\n\nCourses:\n  a straight, b turns, c turning back, d starts and stops, e strafing, f random stick for 10 minutes,\n  g 200 random starts and stops, h 40 steady commands, i stairs, j slope,\n  k a stick partly pushed and slowly turned\n\nExamples:\n  footwork eval --db mocap.fwdb\n  footwork eval --db mocap.fwdb --variants default --courses a,b,c,d --seeds 1 --json\n  footwork eval --gate eval/biped.toml --film worst.svg\n  footwork eval --db mocap.fwdb --learned mocap.fwnet --seeds 1\n  footwork eval --variants default --machine examples/locomotion.machine.toml --seeds 1\n\nExit codes: as for all commands; 1 also if a bound of --gate does not hold, or networks of --learned are not as good as their clips."
)]
pub struct EvalArgs {
    /// Variants to measure: names (see below) and files
    #[arg(
        long,
        value_name = "VARIANTS",
        value_delimiter = ',',
        default_value = "default,reference,default_free,reference_free"
    )]
    pub variants: Vec<String>,
    /// Number of runs per course, each with its own random numbers
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub seeds: u32,
    /// Courses to run (see below)
    #[arg(long, value_name = "COURSES", value_delimiter = ',', default_value = "a,b,c,d,e,f,h,i,j,k", value_parser = footwork_metrics::courses::COURSES)]
    pub courses: Vec<String>,
    /// Networks (.fwnet, or `built-in`) to compare with the exact search. Rows are `exact`, `decompressor` and `learned`, each
    /// also `_free`; errors, bytes and times of the networks come first
    #[arg(long, value_name = "FILE", conflicts_with_all = ["variants", "gate"])]
    pub learned: Option<PathBuf>,
    /// State machine (TOML, or `built-in`) to compare with. The variant is named after its file
    #[arg(long, value_name = "FILE", conflicts_with = "learned")]
    pub machine: Option<PathBuf>,
    /// Upper bounds (TOML): a table per variant, a key per metric. If one does not hold, the worst frame is reported
    #[arg(long, value_name = "FILE")]
    pub gate: Option<PathBuf>,
    /// Picture (.png or .svg) of the worst frame of the most exceeded bound. Covers 2 seconds; not written if all bounds hold
    #[arg(long, value_name = "FILE", requires = "gate")]
    pub film: Option<PathBuf>,
    /// Database and search.
    #[command(flatten)]
    pub matcher: MatcherFlags,
}
