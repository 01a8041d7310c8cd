//! Flags of the benchmarks.

use super::common::{ConfigFlag, DatabaseFlags, DbFlag, DriveFlags, SearchFlag, SearchKind, SeedFlag};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Flags of `bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Benchmark to run.
    #[command(subcommand)]
    pub what: BenchCommand,
}

/// Benchmarks.
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// Measure size, errors and decoding of the poses of a database
    Codec(BenchCodecArgs),
    /// Measure a frame of many characters that search at a fixed rate
    Crowd(BenchCrowdArgs),
    /// Measure how the time of a search grows with the rows
    Growth(BenchGrowthArgs),
    /// Measure every search structure on queries made from the database
    Search(BenchSearchArgs),
    /// Measure the update of one character stage by stage, and its searches
    Update(BenchUpdateArgs),
}

/// Flags of `bench update`.
#[derive(Debug, Args)]
#[command(
    after_help = "Each row is a character with other stages enabled; all get the same stick. Frames with a search count in the last line alone.\n\nExamples:\n  footwork bench update --db mocap.fwdb\n  footwork bench update --json"
)]
pub struct BenchUpdateArgs {
    /// Number of frames of 1/60 s
    #[arg(long, value_name = "N", default_value_t = 3000, value_parser = clap::value_parser!(u32).range(20..=1_000_000))]
    pub frames: u32,
    /// Database, search and seed.
    #[command(flatten)]
    pub drive: DriveFlags,
}

/// Flags of `bench codec`.
#[derive(Debug, Args)]
#[command(
    after_help = "The source is built again with the rates and the mirroring of the database, and with poses as captured. Errors are distances in the space of the clip, 3 cm off each joint.\n\nExamples:\n  footwork bench codec --db mocap.fwdb --source mocap/\n  footwork bench codec --db dog.fwdb --config dog.toml --json"
)]
pub struct BenchCodecArgs {
    /// Motion files, folders or patterns of the build. Default: `source.clips` of the configuration, else the built-in data
    #[arg(long, value_name = "CLIPS", num_args = 1..)]
    pub source: Vec<PathBuf>,
    /// `--db`.
    #[command(flatten)]
    pub db: DbFlag,
    /// `--config`.
    #[command(flatten)]
    pub config: ConfigFlag,
}

/// Flags of `bench crowd`.
#[derive(Debug, Args)]
#[command(
    after_help = "Every character has a random stick of its own. Times are medians over frames of 1/60 s. The same characters are also moved one at a time, and without searches but those at the end of a clip.\n\nExamples:\n  footwork bench crowd --db mocap.fwdb\n  footwork bench crowd --characters 200 --rate 4 --threads 2 --json\n  footwork bench crowd --learned built-in"
)]
pub struct BenchCrowdArgs {
    /// Number of characters
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub characters: u32,
    /// Searches per character, in Hz, at most 60
    #[arg(long, value_name = "HZ", default_value_t = 10.0, value_parser = search_rate)]
    pub rate: f32,
    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: u32,
    /// Number of frames of 1/60 s
    #[arg(long, value_name = "N", default_value_t = 240, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub frames: u32,
    /// Networks (.fwnet, or `built-in`) instead of search and clips. With --db, exact search steps in where they are not trusted
    #[arg(long, value_name = "FILE")]
    pub learned: Option<PathBuf>,
    /// `--db`.
    #[command(flatten)]
    pub db: DbFlag,
    /// `--config`.
    #[command(flatten)]
    pub config: ConfigFlag,
    /// `--search`.
    #[command(flatten)]
    pub search: SearchFlag,
    /// `--seed`.
    #[command(flatten)]
    pub seed: SeedFlag,
}

/// Returns a valid search rate, in Hz.
fn search_rate(text: &str) -> Result<f32, String> {
    let rate = text.parse().ok().filter(|rate| (0.0..=60.0).contains(rate));
    rate.ok_or_else(|| "expected a number of Hz from 0 to 60".to_owned())
}

/// Flags of `bench search`.
#[derive(Debug, Args)]
#[command(
    after_help = "Query sets:\n  a  random rows with a trajectory perturbed by 0.3 standard deviations\n  b  consecutive rows with a trajectory blended with that of another time\n  c  normal noise: unlike any real query\n  d  queries of a character under a random stick, as in a game\n\nRecall is the share of queries whose best row was found. Cost is the cost of the found row over that of the best row.\n\nExamples:\n  footwork bench search --db mocap.fwdb\n  footwork bench search --db mocap.fwdb --queries d --backend boxes,tree --count 2000\n  footwork bench search --db mocap.fwdb --cold --json"
)]
pub struct BenchSearchArgs {
    /// Query sets
    #[arg(long, value_name = "SETS", value_delimiter = ',', default_value = "a,b,c,d")]
    pub queries: Vec<SetKind>,
    /// Number of queries per set. Default: 400; with --cold 40
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub count: Option<u32>,
    /// Search structures. Default: all
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    pub backend: Vec<SearchKind>,
    /// Cold caches: 96 MB of other data are read before every search
    #[arg(long)]
    pub cold: bool,
    /// Database and configuration.
    #[command(flatten)]
    pub database: DatabaseFlags,
    /// `--seed`.
    #[command(flatten)]
    pub seed: SeedFlag,
}

/// Flags of `bench growth`.
#[derive(Debug, Args)]
#[command(
    after_help = "The database is compared with its half, quarter and eighth, in which each clip keeps the first part of its rows. Query sets are those of `bench search`. The last column is the factor of the time when the rows double: 2 for a comparison of every row.\n\nExamples:\n  footwork bench growth --db mocap.fwdb\n  footwork bench growth --db mocap.fwdb --count 2000 --json"
)]
pub struct BenchGrowthArgs {
    /// Number of queries per set and size
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub count: u32,
    /// Database and configuration.
    #[command(flatten)]
    pub database: DatabaseFlags,
    /// `--seed`.
    #[command(flatten)]
    pub seed: SeedFlag,
}

/// Query sets, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SetKind {
    /// Perturbed rows
    A,
    /// Blended rows
    B,
    /// Normal noise
    C,
    /// Queries of a game
    D,
}
