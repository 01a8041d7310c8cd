//! Flags of `film`.

use super::common::DatabaseFlags;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Flags of `film`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  footwork film --clip walk_125 -o strip.png\n  footwork film take.bvh --from 2 --to 5 --view side,front -o strip.png\n  footwork film --db mocap.fwdb --sheet --clip turn -o turns.png\n  footwork film --trace run.fwtrace --db mocap.fwdb --from 10 --to 13 --camera fixed -o run.svg\n  footwork film --compare take.bvh 'mocap.fwdb#take' -o both.png\n  footwork film --compare exact learned --from 2 --to 6 -o both.png\n  footwork film --clip run_400 --view three-quarter -o run.gif\n  footwork film --trace run.fwtrace --db mocap.fwdb --from 8 --to 14 --width 640 -o run.webp"
)]
pub struct FilmArgs {
    /// Motion file, folder, database (.fwdb), trace (.fwtrace), or `built-in`. `#clip` after it selects a clip. `exact`,
    /// `learned` and networks (.fwnet) are driven over the standard course. Default: --trace, else --db, else the built-in data
    #[arg(value_name = "SOURCE")]
    pub source: Option<PathBuf>,
    /// Recorded run, written by `footwork simulate --trace`. It is replayed with --db and --learned
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Networks (.fwnet, or `built-in`) of a recorded run. Default: none
    #[arg(long, value_name = "FILE")]
    pub learned: Option<PathBuf>,
    /// Clip to draw, by name or number. Default: all clips in sequence (`all`). With --sheet: a part of the names, or a
    /// pattern with `*`
    #[arg(long, value_name = "CLIP")]
    pub clip: Option<String>,
    /// Start, in seconds. Without --clip, time runs over all clips in sequence. Default: 0
    #[arg(long, value_name = "S")]
    pub from: Option<f64>,
    /// End, in seconds. A loop repeats as often as needed. Default: 3 seconds after --from, or the end of the clip
    #[arg(long, value_name = "S")]
    pub to: Option<f64>,
    /// Views; each adds a row
    #[arg(long, value_name = "VIEW", value_delimiter = ',', default_value = "side")]
    pub view: Vec<ViewKind>,
    /// Motion of the camera
    #[arg(long, value_name = "MODE", default_value = "follow")]
    pub camera: CameraKind,
    /// Number of poses drawn (with --sheet: per clip). Default: as many as fit
    #[arg(long, value_name = "N", conflicts_with = "every")]
    pub frames: Option<usize>,
    /// Interval between poses, in seconds. Default: as many poses as fit; 0.04 in an animated picture
    #[arg(long, value_name = "S")]
    pub every: Option<f64>,
    /// Two sources, one above the other, at the same times and scale
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with_all = ["source", "trace"])]
    pub compare: Vec<PathBuf>,
    /// Contact sheet: one row per clip, from its first to its last frame
    #[arg(long)]
    pub sheet: bool,
    /// With --sheet: one row per action of clips tagged `no_locomotion`
    #[arg(long, requires = "sheet")]
    pub actions: bool,
    /// Page of the contact sheet, with 12 clips per page
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub page: usize,
    /// Width of the picture, in pixels. Range: 480 to 6000; animated: 160 to 1920. Default: 1600; animated: 480
    #[arg(long, value_name = "PX")]
    pub width: Option<u32>,
    /// Heading of the picture. Default: name of the source
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Picture to write: .png or .svg; .gif or .webp for one that plays
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Database and configuration.
    #[command(flatten)]
    pub database: DatabaseFlags,
}

/// Views, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ViewKind {
    /// From the right side; the character moves to the right of the picture
    Side,
    /// From the front; the character moves towards the camera
    Front,
    /// From above; the character moves to the right of the picture
    Top,
    /// From the front right, slightly above
    ThreeQuarter,
}

/// Camera modes, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CameraKind {
    /// The camera follows the character; each pose has a cell of its own
    Follow,
    /// The camera stands still; one picture shows all poses of a row
    Fixed,
}
