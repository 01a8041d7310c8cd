//! `footwork build`: builds a database from motion files.

use crate::args::{BuildArgs, Common};
use crate::database::{build_clips, built_in, in_file};
use crate::{clips, interrupt};
use anyhow::{Context, Result};
use footwork::build::BuildReport;
use footwork_import::{CharacterConfig, ClipCache, Imported, cache_folder};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Runs the command.
pub fn build(args: &BuildArgs, common: &Common) -> Result<()> {
    let start = Instant::now();
    let mut config = common.character()?;
    if let Some(units) = &args.units {
        config.source.units = units.clone();
    }
    config.source.strict |= args.strict;
    let cache = (!args.no_cache).then(|| open_cache(&args.output)).flatten();
    let imported = source_clips(&args.clips, common, &config, cache.as_ref())?;
    let (db, mut report) = build_clips(&imported.clips, &config, common)?;
    let file = |error| in_file(common, error);
    if common.config.is_some() {
        config.matcher.validate(&db).context("`[matcher]` does not fit the database").map_err(file)?;
    }
    report.warnings.splice(0..0, imported.notes.iter().map(ToString::to_string));
    interrupt::guarded(&args.output, || db.save(&args.output))?;
    if let Some(cache) = &cache {
        cache.forget_unused();
    }
    let cached = cache.map_or(0, |c| c.hits());
    // Of a device or a pipe it is nothing.
    let bytes = std::fs::metadata(&args.output).map_or(0, |m| m.len());
    let elapsed_s = start.elapsed().as_secs_f64();
    if common.json {
        out!("{}", to_json(&report, args, cached, bytes, elapsed_s, &format!("{:032x}", db.content_hash())));
    } else {
        print_report(&report, &args.output, cached, bytes, elapsed_s);
    }
    Ok(())
}

/// Cache of an output, for this build of the program: another build may read files differently.
fn open_cache(output: &Path) -> Option<ClipCache> {
    let program = std::fs::metadata(std::env::current_exe().ok()?).ok()?;
    let made = program.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    let writer = format!("footwork {} {} {}", env!("CARGO_PKG_VERSION"), program.len(), made.as_nanos());
    Some(ClipCache::new(cache_folder(output)?, &writer))
}

/// Reads the clips named on the command line, else those of the configuration, else the built-in ones.
pub fn source_clips(
    named: &[PathBuf],
    common: &Common,
    config: &CharacterConfig,
    cache: Option<&ClipCache>,
) -> Result<Imported> {
    let here = Path::new("");
    let (inputs, base) = if !named.is_empty() {
        (named.to_vec(), here)
    } else if !config.source.clips.is_empty() {
        let base = common.config.as_deref().and_then(Path::parent).unwrap_or(here);
        (config.source.clips.iter().map(PathBuf::from).collect(), base)
    } else {
        return Ok(Imported { clips: built_in(), ..Imported::default() });
    };
    clips::import_cached(&inputs, base, &config.source, common, cache)
}

fn to_json(
    report: &BuildReport,
    args: &BuildArgs,
    cached: usize,
    bytes: u64,
    elapsed_s: f64,
    hash: &str,
) -> serde_json::Value {
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
        "role_sources": report.role_sources,
        "contact_joints": report.contact_joints,
        "content_hash": hash,
        "clip_list": report.clips,
        "skipped": report.skipped,
        "loops_found": report.loops_found(),
        "loops": report.loops,
        "blends": report.blends,
        "pruned": report.pruned,
        "cached_clips": cached,
        "features": report.features,
    })
}

fn print_report(report: &BuildReport, output: &Path, cached: usize, bytes: u64, elapsed_s: f64) {
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
    print_loops(report);
    print_aside(report);
    for b in &report.blends {
        let [a, z] = b.sources_skate_mps;
        out!(
            "  `{}` blended: {:.2} m/s, planted feet slide {:.3} m/s ({a:.3} and {z:.3} in its sources)",
            b.clip,
            b.speed_mps,
            b.skate_mps
        );
    }
    for p in &report.pruned {
        let part = if p.whole { String::new() } else { format!(" from {:.2} to {:.2} s", p.start_s, p.end_s) };
        out!("  `{}`{part} removed: duplicate of `{}`", p.clip, p.same_as);
    }
    for warning in &report.warnings {
        out!("  warning: {warning}");
    }
    if cached > 0 {
        out!("  {cached} unchanged clips read from the cache");
    }
    out!("  built in {elapsed_s:.2} s; next: footwork simulate --db {}", output.display());
}

/// What queries leave out.
fn print_aside(report: &BuildReport) {
    let aside: Vec<_> = report.clips.iter().filter(|c| c.taken_for != "locomotion").collect();
    for c in aside.iter().filter(|_| aside.len() < report.clips.len()) {
        out!("  `{}` is no locomotion ({}): only queries that ask for a tag of it get it", c.name, c.taken_because);
    }
}

fn print_loops(report: &BuildReport) {
    let found = report.loops_found();
    if !found.is_empty() {
        out!("  loops found: {}", found.join(", "));
    }
    for l in &report.loops {
        if let Some(gap) = &l.spread {
            out!("  loop `{}` closed: {:.1} degrees (`{}`), {:.3} m", l.clip, gap.deg, gap.joint, gap.metres);
        }
    }
}
