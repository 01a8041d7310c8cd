//! Flags of `report`.

use super::common::DriveFlags;
use clap::Args;
use std::path::PathBuf;

/// Flags of `report`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  footwork report -o report.html\n  footwork report --db mocap.fwdb -o report.html\n  footwork simulate --db mocap.fwdb --seconds 60 --trace run.fwtrace\n  footwork report --db mocap.fwdb --trace run.fwtrace -o report.html\n  footwork report --db mocap.fwdb --quick -o report.html --json"
)]
pub struct ReportArgs {
    /// Recorded run to show, of the same database. Default: the standard course, driven for the report
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Page without what takes seconds. Leaves out quality, search times, and motion that is there twice
    #[arg(long)]
    pub quick: bool,
    /// Heading of the page. Default: name of the database
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Page to write (.html)
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Database, search and seed.
    #[command(flatten)]
    pub drive: DriveFlags,
}
