//! `footwork build`: motion files to a database.

use crate::args::{BuildArgs, Common};
use crate::database::{build_clips, built_in};
use crate::{interrupt, progress};
use anyhow::{Context, Result, bail};
use footwork::build::BuildReport;
use footwork::clip::RawClip;
use footwork_import::{CharacterConfig, read_clips};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Runs the command.
pub fn build(args: &BuildArgs, common: &Common) -> Result<()> {
    if common.db.is_some() {
        bail!("build writes to --output; --db is for reading");
    }
    let start = Instant::now();
    let mut config = common.character()?;
    if let Some(units) = &args.units {
        config.source.units = units.clone();
    }
    let clips = source_clips(&args.clips, common, &config)?;
    let (db, report) = build_clips(&clips, &config, common.json)?;
    interrupt::guarded(&args.output, || db.save(&args.output))?;
    let bytes = std::fs::metadata(&args.output)?.len();
    let elapsed_s = start.elapsed().as_secs_f64();
    if common.json {
        out!("{}", to_json(&report, args, bytes, elapsed_s, &format!("{:032x}", db.content_hash())));
    } else {
        print_report(&report, &args.output, bytes, elapsed_s);
    }
    Ok(())
}

/// The clips named on the command line, else those of the configuration, else the built-in ones.
pub fn source_clips(named: &[PathBuf], common: &Common, config: &CharacterConfig) -> Result<Vec<RawClip>> {
    let here = Path::new("");
    let (inputs, base) = if !named.is_empty() {
        (named.to_vec(), here)
    } else if !config.source.clips.is_empty() {
        let base = common.config.as_deref().and_then(Path::parent).unwrap_or(here);
        (config.source.clips.iter().map(PathBuf::from).collect(), base)
    } else {
        return Ok(built_in());
    };
    let bar = progress::bar("reading", inputs.len() as u64, common.json);
    let tell = |done: usize, all: usize| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    };
    let clips = read_clips(&inputs, base, config.source.units.units()?, Some(&tell));
    bar.finish_and_clear();
    clips.context("cannot read the clips")
}

fn to_json(report: &BuildReport, args: &BuildArgs, bytes: u64, elapsed_s: f64, hash: &str) -> serde_json::Value {
    json!({
        "output": args.output,
        "clips": report.clips.len(),
        "frames": report.frames,
        "rows": report.rows,
        "columns": report.columns,
        "seconds": report.seconds,
        "bytes": bytes,
        "warnings": report.warnings,
        "elapsed_s": elapsed_s,
        "pose_rate_hz": report.pose_rate_hz,
        "search_rate_hz": report.search_rate_hz,
        "root": report.root,
        "roles": report.roles,
        "contact_joints": report.contact_joints,
        "content_hash": hash,
        "clip_list": report.clips,
        "skipped": report.skipped,
        "features": report.features,
    })
}

fn print_report(report: &BuildReport, output: &Path, bytes: u64, elapsed_s: f64) {
    let minutes = report.seconds / 60.0;
    out!("{}: {} clips, {minutes:.1} min of motion", output.display(), report.clips.len());
    out!(
        "  {} poses at {} Hz, {} rows at {} Hz of {} features, {:.1} MB",
        report.frames,
        report.pose_rate_hz,
        report.rows,
        report.search_rate_hz,
        report.columns,
        bytes as f64 / 1e6
    );
    out!("  root: {}", report.root);
    out!("  contacts: {}", report.contact_joints.join(", "));
    for warning in &report.warnings {
        out!("  warning: {warning}");
    }
    out!("  built in {elapsed_s:.2} s; next: footwork simulate --db {}", output.display());
}
