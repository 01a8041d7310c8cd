//! Flags of `corpus`.

use super::common::ConfigFlag;
use super::files::BuildRateFlag;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Flags of `corpus`.
#[derive(Debug, Args)]
#[command(
    after_help = "The database is the one that `footwork build` writes for the same clips, byte for byte, for any number of shards. Shards share the folder and can be repeated.\n\nExamples:\n  footwork corpus survey mocap/ -o corpus/\n  footwork corpus extract corpus/ --shard 1/2\n  footwork corpus extract corpus/ --shard 2/2\n  footwork corpus merge corpus/ -o mocap.fwdb\n  footwork corpus part mocap.fwdb --shards 4 -o shards/"
)]
pub struct CorpusArgs {
    /// Phase to run.
    #[command(subcommand)]
    pub phase: CorpusCommand,
}

/// Phases.
#[derive(Debug, Subcommand)]
pub enum CorpusCommand {
    /// List the motion files, and keep the settings, in a folder
    Survey(CorpusSurveyArgs),
    /// Read the files of one shard into the folder, one after the other
    Extract(CorpusExtractArgs),
    /// Build the database from the folder
    Merge(CorpusMergeArgs),
    /// Divide a database into shards that are searched as one
    Part(CorpusPartArgs),
}

/// Flags of `corpus survey`.
#[derive(Debug, Args)]
pub struct CorpusSurveyArgs {
    /// Motion files, folders or patterns. Default: `source.clips` of the configuration
    #[arg(value_name = "CLIPS")]
    pub clips: Vec<PathBuf>,
    /// Folder of the corpus, on a disk that all processes share
    #[arg(short, long, value_name = "FOLDER")]
    pub output: PathBuf,
    /// `--config`.
    #[command(flatten)]
    pub config: ConfigFlag,
    /// `--rate`.
    #[command(flatten)]
    pub rate: BuildRateFlag,
}

/// Flags of `corpus extract`.
#[derive(Debug, Args)]
pub struct CorpusExtractArgs {
    /// Folder of the corpus
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// Number of this shard, from 1, and of all shards
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub shard: (u32, u32),
}

/// Flags of `corpus merge`.
#[derive(Debug, Args)]
pub struct CorpusMergeArgs {
    /// Folder of the corpus. Files that no shard has read are read now
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// Database file to write. An existing database is kept if the build fails
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

/// Flags of `corpus part`.
#[derive(Debug, Args)]
pub struct CorpusPartArgs {
    /// Database file
    #[arg(value_name = "DATABASE")]
    pub database: PathBuf,
    /// Number of shards, 1 up to the number of clips
    #[arg(long, value_name = "N")]
    pub shards: usize,
    /// Folder to write the shards and their manifest to. Other files stay
    #[arg(short, long, value_name = "FOLDER")]
    pub output: PathBuf,
}

/// Returns a shard and the number of shards.
fn shard(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    let inside = |(i, n): &(u32, u32)| (1..=*n).contains(i);
    parts.filter(inside).ok_or_else(|| "expected I/N with I from 1 to N, such as 2/8".to_owned())
}
