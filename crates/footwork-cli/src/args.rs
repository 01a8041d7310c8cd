//! What can be asked on the command line. One set of flags everywhere.

use crate::film::{CameraMode, View};
use clap::{Args, Parser, Subcommand, ValueEnum};
use footwork::search::Backend;
use footwork_import::UnitSetting;
use footwork_import::doctor::{CHECKS, Check};
use std::path::PathBuf;

/// Motion matching: build databases from motion capture, look into them, film them, drive characters with them.
///
/// Without a command it runs the demo: builds the built-in data, drives a character over a scripted course, and writes
/// demo.bvh, demo.glb, path.svg, strip.png and summary.json into footwork-demo/.
#[derive(Debug, Parser)]
#[command(
    name = "footwork",
    version,
    after_help = "Example:\n  footwork\n  footwork build mocap/ -o mocap.fwdb\n  footwork simulate --db mocap.fwdb --course standard\n  footwork film --db mocap.fwdb --sheet -o sheet.png\n\nExit codes: 0 done, 1 something is wrong with files or settings, 2 wrong usage, 130 interrupted (nothing half-written); doctor also 3 for warnings, 4 for errors."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Flags that every command takes.
    #[command(flatten)]
    pub common: Common,
}

/// Flags that every command takes.
#[derive(Debug, Args)]
pub struct Common {
    /// Database file (.fwdb). Default: the built-in data.
    #[arg(long, global = true, value_name = "FILE")]
    pub db: Option<PathBuf>,
    /// Configuration file (TOML): sources, build, matcher.
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Poses and rows per second when building. Default: poses as captured (at most 60), rows 30.
    #[arg(long, global = true, value_name = "HZ")]
    pub rate: Option<f32>,
    /// Kind of search; all but pca, voxel and clusters give the same result. Default: the configuration's, else tree.
    #[arg(long, global = true, value_name = "KIND")]
    pub search: Option<SearchKind>,
    /// Seed of everything random.
    #[arg(long, global = true, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Print one JSON object; units are in the keys.
    #[arg(long, global = true)]
    pub json: bool,
}

/// The searches, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SearchKind {
    /// Every row: the oracle.
    Brute,
    /// Two levels of boxes, as published.
    Boxes,
    /// A tree of boxes, 16 wide: the fastest.
    Tree,
    /// The boxes, vectorised and sorted.
    Flat,
    /// A kd-tree.
    Kdtree,
    /// Principal components: approximate.
    Pca,
    /// A table by the position of a joint: approximate.
    Voxel,
    /// k-means: approximate.
    Clusters,
}

impl From<SearchKind> for Backend {
    fn from(kind: SearchKind) -> Self {
        match kind {
            SearchKind::Brute => Self::Brute,
            SearchKind::Boxes => Self::Boxes,
            SearchKind::Tree => Self::Tree,
            SearchKind::Flat => Self::Flat,
            SearchKind::Kdtree => Self::KdTree,
            SearchKind::Pca => Self::Pca,
            SearchKind::Voxel => Self::Voxel,
            SearchKind::Clusters => Self::Clusters,
        }
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Build a database from motion files.
    Build(BuildArgs),
    /// Bring clips of one skeleton onto another: other proportions, other rest pose, other joints; feet stay planted.
    Retarget(RetargetArgs),
    /// Turn motion files of any format into BVH or glTF, or put motion onto a character of your own.
    Convert(ConvertArgs),
    /// Say what is wrong with motion files, and mend copies of them.
    Doctor(DoctorArgs),
    /// Print every setting as TOML, with default, unit, range and help.
    #[command(
        after_help = "Example:\n  footwork config > hero.toml\n  footwork build mocap/ --config hero.toml -o hero.fwdb"
    )]
    Config,
    /// Say what is in a database.
    Inspect(InspectArgs),
    /// Draw motion as a film strip: a solid figure moment by moment, contacts, speed, transitions.
    Film(FilmArgs),
    /// Drive a character over a course and measure how it follows.
    Simulate(SimulateArgs),
    /// The built-in person: the list of its clips, its gates in numbers, its motion as files.
    Gait(GaitArgs),
    /// Ask a database one question, and take the answer apart.
    Search(SearchArgs),
    /// Measure, on your own data.
    Bench(BenchArgs),
    /// How good is the motion: feet, seams, root, response, beside the motion capture.
    Eval(EvalArgs),
}

/// Flags of `build`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  footwork build mocap/ -o mocap.fwdb\n  footwork build --config dog.toml -o dog.fwdb --json"
)]
pub struct BuildArgs {
    /// Motion files (.bvh, .glb, .gltf, .fbx), folders, or patterns such as 'mocap/**/walk*.fbx'. Default: the
    /// configuration's `source.clips`, else the built-in data.
    #[arg(value_name = "CLIPS")]
    pub clips: Vec<PathBuf>,
    /// Where to write the database. An old file survives any failure.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Unit of lengths in the files: auto, m, cm, mm, in, or metres per unit. Default: the configuration's, else auto.
    #[arg(long, value_name = "UNIT")]
    pub units: Option<UnitSetting>,
    /// Read every file anew. Without it, files that have not changed since the last build to this output are taken from
    /// the cache (in the user's cache folder, or FOOTWORK_CACHE; FOOTWORK_CACHE=off: none). The result is the same.
    #[arg(long)]
    pub no_cache: bool,
}

/// Flags of `retarget`.
#[derive(Debug, Args)]
#[command(
    after_help = "Roles of the clips' joints come from their names and motion, or from `[build.roles]` of --config; those of the rig from --roles-from.\n\nExample:\n  footwork retarget mocap/ --onto hero.bvh -o hero/\n  footwork retarget take.bvh --onto built-in -o take_on_biped.bvh --json\n  footwork film --compare take.bvh take_on_biped.bvh -o both.png"
)]
pub struct RetargetArgs {
    /// Motion files, folders, or patterns such as 'mocap/walk*.bvh': all of one skeleton.
    #[arg(value_name = "CLIPS", required = true)]
    pub clips: Vec<PathBuf>,
    /// The skeleton to bring them onto: a motion file of it, or `built-in`.
    #[arg(long, value_name = "RIG")]
    pub onto: PathBuf,
    /// A file (.bvh or .glb) for one clip, else a folder for one .bvh per clip.
    #[arg(short, long, value_name = "FILE|FOLDER")]
    pub output: PathBuf,
    /// Configuration (TOML) whose `[build.roles]` say which joint of the rig is which.
    #[arg(long, value_name = "FILE")]
    pub roles_from: Option<PathBuf>,
    /// Unit of lengths in the clips: auto, m, cm, mm, in, or metres per unit. Default: the configuration's, else auto.
    #[arg(long, value_name = "UNIT")]
    pub units: Option<UnitSetting>,
    /// Unit of lengths in the rig's file.
    #[arg(long, value_name = "UNIT", default_value = "auto")]
    pub rig_units: UnitSetting,
    /// Leave feet where the directions of the joints put them, planted or not.
    #[arg(long)]
    pub free_feet: bool,
}

/// Flags of `convert`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  footwork convert take.fbx -o take.bvh\n  footwork convert 'mixamo/*.fbx' -o animated.glb --mesh character.glb\n  footwork convert mocap/ -o converted/ --format glb --rate 30 --json"
)]
pub struct ConvertArgs {
    /// Motion files (.bvh, .glb, .gltf, .fbx), folders, or patterns such as 'mocap/**/walk*.fbx'.
    #[arg(value_name = "CLIPS", required = true)]
    pub clips: Vec<PathBuf>,
    /// Where to write: a .bvh file (one clip), a .glb file (all clips), or a folder (a file for each). Old files survive
    /// any failure.
    #[arg(short, long, value_name = "FILE|FOLDER")]
    pub output: PathBuf,
    /// Format of the files in a folder.
    #[arg(long, value_name = "FORMAT", default_value = "bvh")]
    pub format: OutputFormat,
    /// Your own character: a rigged .glb file with the same joint names. Its mesh, skin and materials are written with the
    /// motion in it. Default: a mannequin.
    #[arg(long, value_name = "FILE")]
    pub mesh: Option<PathBuf>,
    /// Only clips with this in their name, or a pattern with `*`.
    #[arg(long, value_name = "CLIP")]
    pub clip: Option<String>,
    /// Unit of lengths in the files: auto, m, cm, mm, in, or metres per unit. Default: the configuration's, else auto.
    #[arg(long, value_name = "UNIT")]
    pub units: Option<UnitSetting>,
}

/// What `convert` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// Biovision Hierarchy: text, for animation tools.
    Bvh,
    /// Binary glTF: skeleton, motion and a mesh, for viewers and engines.
    Glb,
}

/// Flags of `doctor`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  footwork doctor mocap/\n  footwork doctor mocap/ --fix mended/\n  footwork doctor take.bvh --only spike,jitter --json\n\nExit codes: 0 nothing above hints, 3 warnings, 4 errors; 1, 2 and 130 as always. With --fix: by what is left, mended findings not counted."
)]
pub struct DoctorArgs {
    /// Motion files, folders, or patterns such as 'mocap/walk*.bvh'. Default: the configuration's `source.clips`, else the
    /// built-in data.
    #[arg(value_name = "CLIPS")]
    pub clips: Vec<PathBuf>,
    /// Write all clips, mended, into this folder, as BVH with sidecars; it must not hold the files that are read. What is
    /// examined is never changed.
    #[arg(long, value_name = "FOLDER")]
    pub fix: Option<PathBuf>,
    /// Only these checks, by name.
    #[arg(long, value_name = "CHECKS", value_delimiter = ',', conflicts_with = "skip", value_parser = check_named)]
    pub only: Vec<Check>,
    /// All but these checks.
    #[arg(long, value_name = "CHECKS", value_delimiter = ',', value_parser = check_named)]
    pub skip: Vec<Check>,
    /// List every finding; without, what a check says often is told once with the clips' number.
    #[arg(long)]
    pub all: bool,
    /// Unit of lengths in the files: auto, m, cm, mm, in, or metres per unit. Default: the configuration's, else auto.
    #[arg(long, value_name = "UNIT")]
    pub units: Option<UnitSetting>,
}

/// A check by its name.
fn check_named(name: &str) -> Result<Check, String> {
    Check::named(name).ok_or_else(|| {
        let names: Vec<&str> = CHECKS.iter().map(|c| c.name).collect();
        let nearest = footwork::error::nearest(name, names.iter().copied());
        let hint = nearest.map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
        format!("there is no such check{hint}; checks: {}", names.join(", "))
    })
}

/// Flags of `inspect`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  footwork inspect --db mocap.fwdb\n  footwork inspect --db mocap.fwdb --json")]
pub struct InspectArgs {
    /// Clips to list; all with --json.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub clips: usize,
}

/// Flags of `film`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  footwork film --clip walk_125 -o strip.png\n  footwork film take.bvh --from 2 --to 5 --view side,front -o strip.png\n  footwork film --db mocap.fwdb --sheet --clip turn -o turns.png\n  footwork film --trace run.fwtrace --from 10 --to 13 --camera fixed -o run.svg\n  footwork film --compare take.bvh 'mocap.fwdb#take' -o both.png"
)]
pub struct FilmArgs {
    /// A motion file (.bvh, .glb, .gltf, .fbx), a folder of them, a database (.fwdb), a trace (.fwtrace), or `built-in`;
    /// `#clip` behind it chooses a clip. Default: --trace, else --db, else the built-in data.
    #[arg(value_name = "SOURCE")]
    pub source: Option<PathBuf>,
    /// A recorded run, made by `footwork simulate --trace`.
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// The clip, by name or number; `all`: one after the other, as without. With --sheet: clips with this in their name,
    /// or a pattern with `*`.
    #[arg(long, value_name = "CLIP")]
    pub clip: Option<String>,
    /// First second. Without --clip, seconds run over all clips, one after the other. Default: 0.
    #[arg(long, value_name = "S")]
    pub from: Option<f64>,
    /// Last second; a loop goes on as long as wanted. Default: 3 seconds later, or the end.
    #[arg(long, value_name = "S")]
    pub to: Option<f64>,
    /// How to look at it: several give rows below each other.
    #[arg(long, value_name = "VIEW", value_delimiter = ',', default_value = "side")]
    pub view: Vec<View>,
    /// Whether the camera goes with the character or stands.
    #[arg(long, value_name = "MODE", default_value = "follow")]
    pub camera: CameraMode,
    /// Moments shown (with --sheet: per clip). Default: what fits.
    #[arg(long, value_name = "N", conflicts_with = "every")]
    pub frames: Option<usize>,
    /// Seconds from one moment to the next. Default: what fits.
    #[arg(long, value_name = "S")]
    pub every: Option<f64>,
    /// Two sources, one above the other, at the same times and the same scale.
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with_all = ["source", "trace"])]
    pub compare: Vec<PathBuf>,
    /// A contact sheet: a row for every clip, from its first frame to its last.
    #[arg(long)]
    pub sheet: bool,
    /// Page of the contact sheet; a page holds 12 clips.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub page: usize,
    /// Width of the picture in pixels.
    #[arg(long, value_name = "PX", default_value_t = 1600)]
    pub width: u32,
    /// Headline. Default: what is filmed.
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Where to write the picture: .png or .svg.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

/// Flags of `simulate`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  footwork simulate --course standard --seconds 60 --seed 1 --json\n  footwork simulate --db mocap.fwdb --course random --seconds 600 --bvh run.bvh --svg run.svg"
)]
pub struct SimulateArgs {
    /// `standard` (stand, walk, run, curve, strafe, turn back, follow a path, stop; then random), `random`, `none` (nobody
    /// steers), or a CSV file with the columns lx,lz,rx,rz,strafe,walk, one row per 1/60 s.
    #[arg(long, value_name = "COURSE", default_value = "standard")]
    pub course: String,
    /// What is walked on. `slope` and `stairs` rise along +Z, from 3 m ahead of the start on, and go on level.
    #[arg(long, value_name = "GROUND", default_value = "level")]
    pub ground: GroundKind,
    /// How long.
    #[arg(long, value_name = "S", default_value_t = 60.0)]
    pub seconds: f32,
    /// Time step.
    #[arg(long, value_name = "S", default_value_t = 1.0 / 60.0)]
    pub dt: f32,
    /// Write the motion as BVH.
    #[arg(long, value_name = "FILE")]
    pub bvh: Option<PathBuf>,
    /// Write the motion as glTF binary with a mannequin.
    #[arg(long, value_name = "FILE")]
    pub glb: Option<PathBuf>,
    /// Draw commanded and walked path from above.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Record the run frame by frame (.fwtrace), for `footwork film --trace` and for programs of your own.
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Explain the first search at or after this time: the best rows, their costs, why each won or lost.
    #[arg(long, value_name = "S")]
    pub explain: Option<f32>,
}

/// Grounds, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GroundKind {
    /// A plane.
    Level,
    /// A ramp of 15 degrees, 10 m long.
    Slope,
    /// Twenty steps of 17 cm, 40 cm deep.
    Stairs,
    /// Bumps of up to 16 cm.
    Rubble,
}

/// Flags of `gait`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  footwork gait\n  footwork gait --report\n  footwork gait --report --reference 'lafan1/*walk*.bvh' --json\n  footwork gait -o person/ --clip 'walk_*'\n\nExit codes: as always, and 1 where a gate of --report does not hold."
)]
pub struct GaitArgs {
    /// Measure the person against what gait science gives: one gate a line.
    #[arg(long)]
    pub report: bool,
    /// Captured walking (motion files, folders, patterns) to compare the jerk of the walk with. Default: the figure of LAFAN1.
    #[arg(long, value_name = "CLIPS", num_args = 1.., requires = "report")]
    pub reference: Vec<PathBuf>,
    /// Write the clips as BVH into this folder.
    #[arg(short, long, value_name = "FOLDER", conflicts_with = "report")]
    pub output: Option<PathBuf>,
    /// Only clips with this in their name, or a pattern with `*`.
    #[arg(long, value_name = "CLIP", conflicts_with = "report")]
    pub clip: Option<String>,
}

/// Flags of `search`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  footwork search --clip walk_125 --at 0.5 --explain\n  footwork search --db mocap.fwdb --clip take --at 12.5 --stick 1,0 --gait walk --explain --k 10\n  footwork search --db mocap.fwdb --clip take --at 12.5 --goal-speed 3 --goal-direction 90 --json"
)]
pub struct SearchArgs {
    /// The clip that plays, by name or number.
    #[arg(long, value_name = "CLIP")]
    pub clip: String,
    /// The moment of it, seconds; the nearest row is taken.
    #[arg(long, value_name = "S", default_value_t = 0.0)]
    pub at: f64,
    /// Wanted instead of the clip's own future: this speed over ground, m/s.
    #[arg(long, value_name = "M/S", conflicts_with = "stick")]
    pub goal_speed: Option<f32>,
    /// With --goal-speed: where to, degrees to the left of where the character faces. Default: straight ahead.
    #[arg(long, value_name = "DEG", default_value_t = 0.0, requires = "goal_speed", allow_negative_numbers = true)]
    pub goal_direction: f32,
    /// Wanted instead of the clip's own future: what a stick asks for that is held so, X to the right, Z ahead, -1 to 1
    /// each, as seen from behind the character.
    #[arg(long, value_name = "X,Z", value_delimiter = ',', num_args = 1, allow_hyphen_values = true)]
    pub stick: Vec<f32>,
    /// With --stick: the gait.
    #[arg(long, value_name = "GAIT", default_value = "run", requires = "stick")]
    pub gait: GaitKind,
    /// How many of the best are shown.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub k: usize,
    /// With the costs of each channel, and also those that were left out, and why.
    #[arg(long)]
    pub explain: bool,
}

/// Gaits, by name.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum GaitKind {
    /// Speeds of `matcher.speeds.walk`.
    Walk,
    /// Speeds of `matcher.speeds.run`.
    Run,
}

/// What can be measured.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// What to measure.
    #[command(subcommand)]
    pub what: BenchCommand,
}

/// What can be measured.
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// Every search structure at several settings, on queries made from the database.
    Search(BenchSearchArgs),
    /// What a frame of one character costs outside search, stage by stage.
    Update(BenchUpdateArgs),
}

/// Flags of `bench update`.
#[derive(Debug, Args)]
#[command(
    after_help = "Every row is a character under the same stick; searches are left out.\n\nExample:\n  footwork bench update --db mocap.fwdb\n  footwork bench update --json"
)]
pub struct BenchUpdateArgs {
    /// Frames of 1/60 s.
    #[arg(long, value_name = "N", default_value_t = 3000, value_parser = clap::value_parser!(u32).range(20..=1_000_000))]
    pub frames: u32,
}

/// Flags of `bench search`.
#[derive(Debug, Args)]
#[command(
    after_help = "Query sets:\n  a  rows at random, the trajectory perturbed by 0.3 of its spread\n  b  consecutive rows, their trajectory blended with that of another time\n  c  normal noise: what no motion would ask\n  d  a character under a random stick: the game\n\nRecall is the share of queries for which the best row was found; cost is that of the found row over the best row's.\n\nExample:\n  footwork bench search --db mocap.fwdb\n  footwork bench search --db mocap.fwdb --queries d --backend boxes,tree --count 2000\n  footwork bench search --db mocap.fwdb --cold --json"
)]
pub struct BenchSearchArgs {
    /// Query sets.
    #[arg(long, value_name = "SETS", value_delimiter = ',', default_value = "a,b,c,d")]
    pub queries: Vec<SetKind>,
    /// Queries of each set. Default: 400, with --cold 40.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub count: Option<u32>,
    /// Structures. Default: all.
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    pub backend: Vec<SearchKind>,
    /// Read 96 MB of something else before every search.
    #[arg(long)]
    pub cold: bool,
}

/// Query sets, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SetKind {
    /// Perturbed rows.
    A,
    /// Blended rows.
    B,
    /// Normal noise.
    C,
    /// A game.
    D,
}

/// Flags of `eval`.
#[derive(Debug, Args)]
#[command(
    after_help = "Variants:\n  default         the configuration's settings\n  reference       the settings of the published controller\n  default_free    default, feet neither locked nor the root drawn to the simulated character\n  reference_free  the same of reference\n  FILE.toml       a configuration of your own; its name is that of the file\n\nExample:\n  footwork eval --db mocap.fwdb\n  footwork eval --db mocap.fwdb --variants default --courses a,b,c,d --seeds 1 --json\n  footwork eval --gate eval/biped.toml --film worst.svg\n\nExit codes: as always, and 1 where a bound of --gate does not hold."
)]
pub struct EvalArgs {
    /// What is measured: names and files, see below.
    #[arg(
        long,
        value_name = "VARIANTS",
        value_delimiter = ',',
        default_value = "default,reference,default_free,reference_free"
    )]
    pub variants: Vec<String>,
    /// How often every course is run, with other random numbers and phases.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub seeds: u32,
    /// Courses: a straight ahead, b turns, c turning back, d starts and stops, e strafing, f a random stick for 10 minutes.
    #[arg(long, value_name = "COURSES", value_delimiter = ',', default_value = "a,b,c,d,e,f", value_parser = footwork_metrics::courses::COURSES)]
    pub courses: Vec<String>,
    /// Thresholds (TOML): a table per variant, a key per metric, at most so much. Where one does not hold: the worst moment
    /// of each, and exit code 1.
    #[arg(long, value_name = "FILE")]
    pub gate: Option<PathBuf>,
    /// Film the 2 seconds around the worst moment of the bound that is broken most: .png or .svg. Not written where all
    /// hold.
    #[arg(long, value_name = "FILE", requires = "gate")]
    pub film: Option<PathBuf>,
}
