//! `footwork robot`: transfers clips to the hinges of a humanoid robot.

use crate::args::{Common, RobotArgs, RobotFormat};
use crate::database::{in_source, sources};
use crate::kind::{check_kinds, check_new, extension};
use crate::{clips, output, progress};
use anyhow::{Context, Result, bail};
use footwork::advanced::files::read_text_at_most;
use footwork::build::BuildError;
use footwork::clip::RawClip;
use footwork::retarget::Reference;
use footwork_import::{SourceConfig, resample};
use footwork_robot::{
    Retargeting, RobotClip, RobotError, RobotModel, RobotOptions, RobotReport, RobotSkeleton, RobotSummary, to_csv,
    to_npz,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Maximum size of a file of parts, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// Runs the command.
pub fn robot(args: &RobotArgs, common: &Common) -> Result<()> {
    let config = common.character()?;
    let model = RobotModel::load(&args.model).context("the robot")?;
    let parts = args.parts.as_deref().map_or_else(|| Ok(BTreeMap::new()), read_parts)?;
    let options = RobotOptions { max_speed_rad_s: args.max_speed, parts };
    let units = args.units.as_ref().unwrap_or(&config.source.units).clone();
    let source = SourceConfig { units, ..SourceConfig::default() };
    let clips = clips::read(&args.clips, Path::new(""), &source, common)?;
    let files = output_files(args, &clips)?;
    let body = Reference::of_clips(&clips, &config.build.roles)
        .map_err(|error: BuildError| in_source(&sources(&clips), common, error))
        .context("the clips")?;
    let retargeting = Retargeting::new(model, body, options)?;
    let clips = clips.iter().map(|c| resample(c, args.rate)).collect::<Result<Vec<_>, _>>().context("--rate")?;

    let bar = progress::bar("retargeting", clips.len() as u64, common.json);
    let start = Instant::now();
    let done = retargeting.clips(&clips, Some(&|| bar.inc(1)));
    let elapsed_s = start.elapsed().as_secs_f64();
    bar.finish_and_clear();
    let done = done.map_err(|error| match error {
        RobotError::Retarget(error) => in_source(&sources(&clips), common, error),
        error => error.into(),
    })?;
    write(&retargeting.model, &done, &files)?;
    let (_, reports): (Vec<RobotClip>, Vec<RobotReport>) = done.into_iter().unzip();
    let summary = RobotSummary::of(&reports.iter().collect::<Vec<_>>());
    if common.json {
        out!("{}", to_json(&retargeting, &summary, &reports, args, elapsed_s)?);
    } else {
        print(&retargeting, &summary, &reports, args, elapsed_s);
    }
    Ok(())
}

/// Reads names of parts from a TOML file.
fn read_parts(path: &Path) -> Result<BTreeMap<String, String>> {
    let shown = path.display();
    let text = read_text_at_most(path, MOST_BYTES).with_context(|| format!("--parts {shown}"))?;
    toml::from_str(&text).with_context(|| format!("--parts {shown}: expected lines such as left_foot = \"name\""))
}

/// Returns the files to write, one per clip.
fn output_files(args: &RobotArgs, clips: &[RawClip]) -> Result<Vec<(RobotFormat, PathBuf)>> {
    let path = &args.output;
    let extension = extension(path);
    if let Some(format) = RobotFormat::of_extension(&extension) {
        if clips.len() != 1 {
            bail!(
                "--output {}: expected one clip for a file, found {}; write to a folder",
                path.display(),
                clips.len()
            );
        }
        return Ok(vec![(format, path.clone())]);
    }
    if !extension.is_empty() && clips.len() == 1 {
        bail!("--output {}: cannot write .{extension}: expected .csv, .npz or .bvh", path.display());
    }
    let names = clips.iter().map(|c| c.name.as_str());
    let files = output::clip_files(path, names, args.format.extension());
    check_kinds("--output", &files, args.format.into())?;
    check_new("--output", &files, args.force)?;
    Ok(files.into_iter().map(|file| (args.format, file)).collect())
}

fn write(model: &RobotModel, done: &[(RobotClip, RobotReport)], files: &[(RobotFormat, PathBuf)]) -> Result<()> {
    let skeleton = RobotSkeleton::new(model)?;
    for ((clip, _), (format, path)) in done.iter().zip(files) {
        if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        match format {
            RobotFormat::Csv => output::text(path, &to_csv(model, clip))?,
            RobotFormat::Npz => output::bytes(path, &to_npz(model, clip))?,
            RobotFormat::Bvh => {
                let clip = skeleton.to_clip(model, clip);
                clips::bvh(path, &clip)?;
                clips::write_sidecars(path, std::slice::from_ref(&clip))?;
            }
        }
    }
    Ok(())
}

fn to_json(
    of: &Retargeting,
    summary: &RobotSummary,
    reports: &[RobotReport],
    args: &RobotArgs,
    elapsed_s: f64,
) -> Result<Value> {
    let mut all = json!({
        "output": args.output,
        "model": of.model.name,
        "hinges": of.model.hinges.iter().map(|h| &h.name).collect::<Vec<_>>(),
        "parts": of.part_names(),
        "notes": of.notes(),
        "rate_hz": args.rate,
        "max_speed_rad_s": args.max_speed,
        "scale": of.scale(),
        "clips": reports.len(),
        "ms_per_second_of_motion": 1000.0 * elapsed_s / summary.seconds.max(1e-9),
        "clip_list": reports,
    });
    if let (Value::Object(all), Value::Object(summary)) = (&mut all, serde_json::to_value(summary)?) {
        all.extend(summary);
    }
    Ok(all)
}

fn print(of: &Retargeting, all: &RobotSummary, reports: &[RobotReport], args: &RobotArgs, elapsed_s: f64) {
    let gap = |cm: Option<f64>| cm.map_or_else(|| "-".to_owned(), |cm| format!("{cm:.1}"));
    out!(
        "{} clips, {:.1} s, onto {}: {} hinges, scale {:.3}",
        reports.len(),
        all.seconds,
        of.model.name,
        of.model.hinges.len(),
        of.scale()
    );
    for note in of.notes() {
        out!("  note: {note}");
    }
    out!(
        "{:<36} {:>6} {:>6} {:>7} {:>7} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}",
        "clip",
        "limits",
        "speeds",
        "slide",
        "was",
        "under",
        "apart",
        "root",
        "feet",
        "hands",
        "bones",
        "accel",
        "was"
    );
    for r in reports {
        out!(
            "{:<36} {:>6} {:>6} {:>7.2} {:>7.2} {:>6.2} {:>6} {:>6.1} {:>6.2} {:>6} {:>6.1} {:>6.1} {:>6.1}",
            r.clip,
            r.limit_violations,
            r.speed_violations,
            r.planted_slide_cm_s,
            r.source_planted_slide_cm_s,
            r.penetration_p99_cm,
            gap(r.feet_apart_min_cm),
            r.root_cm,
            r.feet_cm,
            gap(r.hands_cm),
            r.bones_deg,
            r.root_acceleration_max_m_s2,
            r.source_root_acceleration_max_m_s2
        );
    }
    out!("limits, speeds: violations; slide: planted feet, cm/s, and in the source; bones: degrees;");
    out!("accel: greatest acceleration of the root, m/s2, and in the source; all others: cm");
    out!(
        "all: slide {:.2} cm/s (source {:.2}), under ground {:.2} cm, root {:.1} m/s2 (source {:.1}), {:.1} ms per second of motion",
        all.planted_slide_cm_s,
        all.source_planted_slide_cm_s,
        all.penetration_p99_cm,
        all.root_acceleration_max_m_s2,
        all.source_root_acceleration_max_m_s2,
        1000.0 * elapsed_s / all.seconds.max(1e-9)
    );
    out!("written to {}", args.output.display());
}
