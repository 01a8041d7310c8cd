//! Flags that several commands take, and their values as plain data.

use clap::{Args, ValueEnum};
use footwork::matcher::Backend;
use std::path::PathBuf;

/// Values of the shared flags. A flag that a command does not take has its default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Common {
    /// Database file; none: the built-in data.
    pub db: Option<PathBuf>,
    /// Built-in data, where there is no database file.
    pub data: BuiltIn,
    /// Networks instead of search and clips, or beside them.
    pub learned: Option<PathBuf>,
    /// Configuration file.
    pub config: Option<PathBuf>,
    /// Frames per second.
    pub rate: Option<f32>,
    /// Search structure; none: that of the configuration.
    pub search: Option<SearchKind>,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Print one JSON object.
    pub json: bool,
}

/// `--db`.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct DbFlag {
    /// Database file (.fwdb). Default: the built-in data
    #[arg(long, value_name = "FILE")]
    pub db: Option<PathBuf>,
    /// Built-in data. Default: locomotion; for the course `actions` that
    #[arg(long, value_name = "DATA", conflicts_with = "db")]
    pub data: Option<BuiltIn>,
}

/// Sets of built-in data, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum BuiltIn {
    /// Walking, running, turning, slopes, stairs, a crouch and gestures
    #[default]
    Locomotion,
    /// The same, and actions: jumps, vaults, climbs, steps, seats, reaches
    Actions,
}

/// `--config`.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct ConfigFlag {
    /// Configuration file (TOML) with sources, build and matcher settings
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// `--rate`, of commands that build.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct RateFlag {
    /// Poses and rows per second of a build, in Hz. Default: the configuration's, else poses as captured (at most 60) and 30
    /// rows. Not with --db
    #[arg(long, value_name = "HZ")]
    pub rate: Option<f32>,
}

/// `--search`.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct SearchFlag {
    /// Search structure. All but pca, voxel and clusters are exact. Default: the configuration's, else tree
    #[arg(long, value_name = "KIND")]
    pub search: Option<SearchKind>,
}

/// `--seed`.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct SeedFlag {
    /// Seed of all random numbers. Default: 1
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// `--json` and `--quiet`, which every command takes.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct OutputFlags {
    /// Result as one JSON object; its keys contain the units
    #[arg(long, global = true)]
    pub json: bool,
    /// Silence except for errors and the object of --json
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

/// Hides `--json` and `--quiet` in the help of commands whose only output is a text.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct NoOutputFlags {
    #[arg(long, hide = true)]
    json: bool,
    #[arg(short, long, hide = true)]
    quiet: bool,
}

/// Flags of commands that read or build a database.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct DatabaseFlags {
    /// `--db`.
    #[command(flatten)]
    pub db: DbFlag,
    /// `--config`.
    #[command(flatten)]
    pub config: ConfigFlag,
    /// `--rate`.
    #[command(flatten)]
    pub rate: RateFlag,
}

/// Flags of commands that search a database.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct MatcherFlags {
    /// Database to search.
    #[command(flatten)]
    pub database: DatabaseFlags,
    /// `--search`.
    #[command(flatten)]
    pub search: SearchFlag,
}

/// Flags of commands that drive a character.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct DriveFlags {
    /// Database and search.
    #[command(flatten)]
    pub matcher: MatcherFlags,
    /// `--seed`.
    #[command(flatten)]
    pub seed: SeedFlag,
}

impl From<&ConfigFlag> for Common {
    fn from(flag: &ConfigFlag) -> Self {
        Self { config: flag.config.clone(), seed: 1, ..Self::default() }
    }
}

impl From<&DatabaseFlags> for Common {
    fn from(flags: &DatabaseFlags) -> Self {
        Self { rate: flags.rate.rate, ..Self::from(&flags.config) }.of_data(&flags.db)
    }
}

impl From<&MatcherFlags> for Common {
    fn from(flags: &MatcherFlags) -> Self {
        Self { search: flags.search.search, ..Self::from(&flags.database) }
    }
}

impl From<&DriveFlags> for Common {
    fn from(flags: &DriveFlags) -> Self {
        Self::from(&flags.matcher).seeded(&flags.seed)
    }
}

impl Common {
    /// With networks.
    pub fn learned(self, file: Option<&PathBuf>) -> Self {
        Self { learned: file.cloned(), ..self }
    }

    /// With the values of `--db` and `--data`.
    pub fn of_data(self, flag: &DbFlag) -> Self {
        Self { db: flag.db.clone(), data: flag.data.unwrap_or_default(), ..self }
    }

    /// With the value of `--seed`.
    pub fn seeded(self, flag: &SeedFlag) -> Self {
        Self { seed: flag.seed.unwrap_or(1), ..self }
    }
}

/// Search structures, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SearchKind {
    /// Comparison of all rows: the reference
    Brute,
    /// Two levels of bounding boxes, as published
    Boxes,
    /// Tree of bounding boxes, 16 per node: the fastest
    Tree,
    /// Sorted boxes, searched with vector instructions
    Flat,
    /// kd-tree
    Kdtree,
    /// Principal components: approximate
    Pca,
    /// Table by the position of a joint: approximate
    Voxel,
    /// k-means clusters: approximate
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
