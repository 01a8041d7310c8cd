//! `footwork build`: builds a database from motion files.

use crate::args::{BuildArgs, Common};
use crate::database::{Poses, build_clips, built_in, in_file};
use crate::{clips, inspect, interrupt, kept};
use anyhow::{Context, Result, bail};
use footwork::advanced::build::ClipReport;
use footwork::build::{BuildReport, GlitchMend};
use footwork_import::{CharacterConfig, ClipCache, Imported, cache_folder};
use footwork_metrics::analysis::Verdict;
use serde_json::{Value, json};
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
    let hits = cache.as_ref().map_or(0, ClipCache::hits);
    finish((imported, hits), &config, &args.output, common, start)?;
    if let Some(cache) = &cache {
        cache.forget_unused();
    }
    Ok(())
}

/// Builds from imported clips, of which `cached` were not parsed, and writes and prints the result.
pub fn finish(
    (mut imported, cached): (Imported, usize),
    config: &CharacterConfig,
    output: &Path,
    common: &Common,
    start: Instant,
) -> Result<()> {
    if config.source.strict {
        refuse_fixes(&imported)?;
    }
    let (db, mut report) = build_clips(std::mem::take(&mut imported.clips), config, common, Poses::Encoded)?;
    if config.source.strict {
        refuse_glitches(&report)?;
    }
    let file = |error| in_file(common, error);
    if common.config.is_some() {
        config.matcher.validate(&db).context("`[matcher]` does not fit the database").map_err(file)?;
    }
    report.warnings.splice(0..0, imported.notes.iter().map(ToString::to_string));
    interrupt::guarded(output, || db.save(output))?;
    // 0 for a device or a pipe.
    let bytes = std::fs::metadata(output).map_or(0, |m| m.len());
    let verdict = Verdict::of(&db, &config.matcher.speeds.over(&db.stick));
    let elapsed_s = start.elapsed().as_secs_f64();
    if common.json {
        let mut told = to_json(&report, output, cached, bytes, elapsed_s, &format!("{:032x}", db.content_hash()));
        told["fixes"] = fixes_json(&imported, &report);
        told["units"] = json!(imported.units.name());
        told["verdict"] = json!({ "text": verdict.to_string(), "abilities": verdict });
        out!("{told}");
    } else {
        print_report(&report, &imported, output, cached, bytes);
        out!("  the character: {verdict}");
        out!("  built in {elapsed_s:.2} s; next: footwork simulate --db {}", output.display());
    }
    Ok(())
}

/// With `--strict`: returns an error about the first clip that was fixed on reading.
fn refuse_fixes(imported: &Imported) -> Result<()> {
    let Some(fix) = imported.fixes.first() else { return Ok(()) };
    let more = others(imported.fixes.len());
    bail!("clip `{}`: {}{more}; without --strict it is {}", fix.clip, fix.found, fix.done)
}

/// With `--strict`: returns an error about the first glitch.
fn refuse_glitches(report: &BuildReport) -> Result<()> {
    let Some(g) = report.glitches.first() else { return Ok(()) };
    let more = others(report.glitches.len());
    let [start, end] = g.seconds;
    bail!(
        "clip `{}`, {start:.2} to {end:.2} s: `{}` {}{more}; without --strict it is {}",
        g.clip,
        g.joint,
        g.what,
        done(g.done)
    )
}

fn others(count: usize) -> String {
    if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() }
}

fn done(mend: GlitchMend) -> &'static str {
    match mend {
        GlitchMend::Bridged => "bridged",
        GlitchMend::LeftOut => "left out",
        GlitchMend::Kept => "kept, because other clips build upon this one",
    }
}

/// Returns all changes to the motion: fixes on reading, and bridged glitches.
fn fixes_json(imported: &Imported, report: &BuildReport) -> Value {
    let bridged = report.glitches.iter().filter(|g| g.done == GlitchMend::Bridged);
    let bridged = bridged.map(|g| {
        json!({ "clip": g.clip, "what": "glitch", "found": g.what, "done": "bridged", "joint": g.joint, "seconds": g.seconds })
    });
    imported.fixes.iter().map(|f| json!(f)).chain(bridged).collect()
}

/// Opens the cache of an output, for this build of the program.
fn open_cache(output: &Path) -> Option<ClipCache> {
    Some(ClipCache::new(cache_folder(output)?, &kept::program()?))
}

/// Reads the clips named on the command line, else those of the configuration, else the built-in ones.
pub fn source_clips(
    named: &[PathBuf],
    common: &Common,
    config: &CharacterConfig,
    cache: Option<&ClipCache>,
) -> Result<Imported> {
    match sources_of(named, common, config) {
        Some((inputs, base)) => clips::import_cached(&inputs, base, &config.source, common, cache),
        None => Ok(Imported { clips: built_in(common.data), ..Imported::default() }),
    }
}

/// Returns the clips named on the command line, else those of the configuration, and the folder that they are relative to.
pub fn sources_of<'a>(
    named: &[PathBuf],
    common: &'a Common,
    config: &CharacterConfig,
) -> Option<(Vec<PathBuf>, &'a Path)> {
    let here = Path::new("");
    if !named.is_empty() {
        return Some((named.to_vec(), here));
    }
    let base = common.config.as_deref().and_then(Path::parent).unwrap_or(here);
    let clips = &config.source.clips;
    (!clips.is_empty()).then(|| (clips.iter().map(PathBuf::from).collect(), base))
}

fn to_json(report: &BuildReport, output: &Path, cached: usize, bytes: u64, elapsed_s: f64, hash: &str) -> Value {
    json!({
        "output": output,
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
        "glitches": report.glitches,
        "blends": report.blends,
        "made": report.made,
        "pruned": report.pruned,
        "cached_clips": cached,
        "features": report.features,
    })
}

fn print_report(report: &BuildReport, imported: &Imported, output: &Path, cached: usize, bytes: u64) {
    let minutes = report.seconds / 60.0;
    let clips = inspect::clips_line(report.clips.len(), report.made.clips.len());
    out!("{}: {clips}, {minutes:.1} min of motion", output.display());
    out!(
        "  {} poses at {} Hz, {} rows at {} Hz of {} features, {:.1} MB",
        report.frames,
        report.pose_rate_hz,
        report.rows,
        report.search_rate_hz,
        report.columns,
        bytes as f64 / 1e6
    );
    if let Some(units) = imported.units.name() {
        out!("  units of the BVH files: {units} (--units sets another)");
    }
    out!("  root: {}", report.root);
    out!("  contacts: {}", report.contact_joints.join(", "));
    for line in clips::fix_lines(&imported.fixes) {
        out!("  fixed: {line}");
    }
    for g in &report.glitches {
        let [start, end] = g.seconds;
        out!("  glitch: `{}` {start:.2}-{end:.2} s {}: `{}` {}", g.clip, done(g.done), g.joint, g.what);
    }
    print_loops(report);
    print_aside(report);
    print_made(report);
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
}

/// Prints which clips were made for commands that the captured clips do not cover.
fn print_made(report: &BuildReport) {
    let made = &report.made;
    if !made.clips.is_empty() {
        out!(
            "  made {} clips out of {}: the captured ones answer {} of {} commands of a stick{} (`build.multiply`)",
            made.clips.len(),
            made.sources.len(),
            made.answered,
            made.commands,
            match made.dropped.len() {
                0 => String::new(),
                n => format!("; {n} more were not plausible"),
            }
        );
        if let Some(ratio) = made.hip_ratio {
            out!("  hips of made clips at {:.1} % of the captured height at their speed", 100.0 * ratio);
        }
    }
}

/// Prints which clips queries exclude by default.
fn print_aside(report: &BuildReport) {
    let aside: Vec<_> = report.clips.iter().filter(|c| c.taken_for != "locomotion").collect();
    if aside.is_empty() || aside.len() == report.clips.len() {
        return;
    }
    const NAMED: usize = 4;
    let name = |c: &&ClipReport| format!("`{}` ({})", c.name, c.taken_because);
    let named: Vec<String> = aside.iter().take(NAMED).map(name).collect();
    let more = match aside.len().saturating_sub(NAMED) {
        0 => String::new(),
        n => format!(" and {n} more (`footwork inspect` lists them)"),
    };
    out!("  no locomotion, which only queries for a tag of it get: {}{more}", named.join(", "));
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
