//! `footwork retarget`: transfers clips to another skeleton.

use crate::args::{Common, OutputFormat, RetargetArgs};
use crate::database::{in_source, sources};
use crate::kind::check_new;
use crate::{clips, output, progress};
use anyhow::{Context, Result, bail};
use footwork::build::retarget::{RetargetOptions, RetargetReport};
use footwork::clip::RawClip;
use footwork::retarget::{Reference, RetargetMap};
use footwork::roles::JointRoles;
use footwork_import::{CharacterConfig, SourceConfig, UnitSetting};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Name of the built-in rig.
const BUILT_IN: &str = "built-in";

/// Runs the command.
pub fn retarget(args: &RetargetArgs, common: &Common) -> Result<()> {
    let start = Instant::now();
    let config = common.character()?;
    let clips = read(&args.clips, args.units.as_ref().unwrap_or(&config.source.units), common)?;
    let file = output_file(&args.output, clips.len())?;
    let folder = clips::Folder { flag: "--output", path: &args.output, format: OutputFormat::Bvh, force: args.force };
    match file {
        None => _ = folder.files(clips.iter().map(|c| c.name.as_str()))?,
        Some(_) => check_new("--output", &clips::sidecars(&args.output, &clips), args.force)?,
    }
    let source =
        Reference::of_clips(&clips, &config.build.roles).map_err(|error| in_source(&sources(&clips), common, error));
    let source = source.context("the clips to retarget")?;
    let target = rig(args, common).with_context(|| format!("the rig {}", args.onto.display()))?;
    let map = RetargetMap::new(source, target)?;

    let bar = progress::bar("retargeting", clips.len() as u64, common.json);
    let options = RetargetOptions { plant_feet: !args.free_feet, ..Default::default() };
    let done = map.retarget_clips(&clips, &options, Some(&|| bar.inc(1)));
    bar.finish_and_clear();
    let done = done.map_err(|error| in_source(&sources(&clips), common, error))?;
    let (clips, reports): (Vec<RawClip>, Vec<RetargetReport>) = done.into_iter().unzip();
    write(&clips, &folder, file, common.json)?;
    if common.json {
        out!("{}", to_json(&map, &reports, args, start.elapsed().as_secs_f64()));
    } else {
        print(&map, &reports, args);
    }
    Ok(())
}

fn read(inputs: &[PathBuf], units: &UnitSetting, common: &Common) -> Result<Vec<RawClip>> {
    clips::read(inputs, Path::new(""), &SourceConfig { units: units.clone(), ..SourceConfig::default() }, common)
}

/// Format of an output file.
#[derive(Clone, Copy, PartialEq)]
enum FileKind {
    Bvh,
    Glb,
}

/// Returns the format of the output file; `None` for a folder.
fn output_file(path: &Path, clips: usize) -> Result<Option<FileKind>> {
    let kind = match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("bvh") => FileKind::Bvh,
        Some("glb") => FileKind::Glb,
        Some(other) if clips == 1 => bail!("--output {}: cannot write .{other}: expected .bvh or .glb", path.display()),
        _ => return Ok(None),
    };
    if clips > 1 {
        bail!("--output {}: expected one clip for a file, found {clips}; write to a folder", path.display());
    }
    Ok(Some(kind))
}

fn rig(args: &RetargetArgs, common: &Common) -> Result<Reference> {
    let roles: BTreeMap<String, String> = match &args.roles_from {
        Some(path) => CharacterConfig::load(path)?.build.roles,
        None => BTreeMap::new(),
    };
    if args.onto.as_os_str() == BUILT_IN {
        let skeleton = footwork_gait::skeleton();
        let roles = JointRoles::resolve(&skeleton, &roles)?;
        return Ok(Reference::from_rest(&skeleton, &roles)?);
    }
    let clips = read(std::slice::from_ref(&args.onto), &args.rig_units, common)?;
    Ok(Reference::of_clips(&clips, &roles)?)
}

fn write(clips: &[RawClip], folder: &clips::Folder, file: Option<FileKind>, json: bool) -> Result<()> {
    let write = match file {
        None => return folder.write(clips, json, clips::bvh).map(|_| ()),
        Some(FileKind::Bvh) => clips::bvh,
        Some(FileKind::Glb) => output::clip_glb,
    };
    write(folder.path, &clips[0])?;
    clips::write_sidecars(folder.path, clips)
}

fn roles_json(of: &Reference) -> Value {
    let json = |a: footwork::roles::Assigned| json!({ "joint": of.skeleton.name(a.joint), "found_by": a.found_by, "confidence": a.confidence });
    of.roles.assigned().map(|(role, a)| (role.to_owned(), json(a))).collect()
}

fn warnings(map: &RetargetMap) -> Vec<String> {
    [("clips", &map.source), ("rig", &map.target)]
        .iter()
        .flat_map(|(whose, of)| of.roles.notes().iter().map(move |n| format!("{whose}: {n}")))
        .collect()
}

fn to_json(map: &RetargetMap, reports: &[RetargetReport], args: &RetargetArgs, elapsed_s: f64) -> Value {
    json!({
        "output": args.output,
        "clips": reports.len(),
        "scale": map.scale,
        "source_leg_m": map.source.leg_m,
        "target_leg_m": map.target.leg_m,
        "source_roles": roles_json(&map.source),
        "target_roles": roles_json(&map.target),
        "warnings": warnings(map),
        "clip_list": reports,
        "elapsed_s": elapsed_s,
    })
}

fn print(map: &RetargetMap, reports: &[RetargetReport], args: &RetargetArgs) {
    out!(
        "{} clips onto {}: legs {:.2} m to {:.2} m, scale {:.3}",
        reports.len(),
        args.onto.display(),
        map.source.leg_m,
        map.target.leg_m,
        map.scale
    );
    for warning in warnings(map) {
        out!("  warning: {warning}");
    }
    out!(
        "{:<36} {:>6} {:>7} {:>7} {:>7} {:>7} {:>7} {:>6}  worst joint",
        "clip",
        "plants",
        "skate",
        "was",
        "height",
        "under",
        "turned",
        "knees"
    );
    for r in reports {
        out!(
            "{:<36} {:>6} {:>7.1} {:>7.1} {:>7.2} {:>7.2} {:>7.1} {:>6}  {} at {}",
            r.clip,
            r.plants,
            r.skate_cm_s,
            r.skate_source_cm_s,
            r.foot_height_error_cm,
            r.toe_under_ground_cm,
            r.worst_direction_deg,
            r.knee_limit_frames + r.knee_hyperextended_frames,
            r.worst_direction_joint,
            r.worst_direction_frame
        );
        for note in &r.notes {
            out!("    {note}");
        }
    }
    out!(
        "skate: standing feet, cm/s, and in the source; height, under ground: cm; turned: degrees; knees: frames at a limit"
    );
    out!("written to {}", args.output.display());
}
