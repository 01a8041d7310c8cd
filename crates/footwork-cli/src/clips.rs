//! Reading and writing motion files, with a progress bar, notes and sidecars.

use crate::args::Common;
use crate::database::in_file;
use crate::interrupt::guarded;
use crate::kind::{Kind, check_kinds};
use crate::{output, print, progress};
use anyhow::{Context, Result};
use footwork::build::ClipRule;
use footwork::clip::RawClip;
use footwork_import::bvh::WriteOptions;
use footwork_import::{ClipCache, ConfigFileError, Fix, Imported, SourceConfig, import_clips_cached, write_clip};
use std::path::{Path, PathBuf};

/// Reads clips with the settings of a `[source]` table; `inputs` are relative to `base`.
pub fn import(inputs: &[PathBuf], base: &Path, source: &SourceConfig, common: &Common) -> Result<Imported> {
    import_cached(inputs, base, source, common, None)
}

/// As [`import`], but takes unchanged files from `cache`.
pub fn import_cached(
    inputs: &[PathBuf],
    base: &Path,
    source: &SourceConfig,
    common: &Common,
    cache: Option<&ClipCache>,
) -> Result<Imported> {
    let bar = progress::bar("reading", inputs.len() as u64, common.json);
    let tell = |done: usize, all: usize| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    };
    let imported = import_clips_cached(inputs, base, source, Some(&tell), cache);
    bar.finish_and_clear();
    let imported = imported.map_err(|error| match error {
        // The settings of a table `[source]` come from the configuration file.
        ConfigFileError::Value { .. } => in_file(common, error.into()),
        error => error.into(),
    });
    imported.context("the clips could not be read")
}

/// What was mended on reading: a line for each kind of fault, with the clips that had it.
pub fn fix_lines(fixes: &[Fix]) -> Vec<String> {
    let mut kinds: Vec<(&Fix, Vec<&str>)> = Vec::new();
    for fix in fixes {
        match kinds.iter_mut().find(|(f, _)| (f.what, &f.done) == (fix.what, &fix.done)) {
            Some((_, clips)) => clips.push(&fix.clip),
            None => kinds.push((fix, vec![&fix.clip])),
        }
    }
    let line = |(fix, clips): (&Fix, Vec<&str>)| {
        const MOST: usize = 4;
        let named = clips[..clips.len().min(MOST)].join("`, `");
        let more = if clips.len() > MOST { format!(" and {} more", clips.len() - MOST) } else { String::new() };
        format!("`{named}`{more}: {}: {}", fix.found, fix.done)
    };
    kinds.into_iter().map(line).collect()
}

/// As [`import`], with notes printed to standard error.
pub fn read(inputs: &[PathBuf], base: &Path, source: &SourceConfig, common: &Common) -> Result<Vec<RawClip>> {
    let imported = import(inputs, base, source, common)?;
    for note in &imported.notes {
        print::note(format_args!("{note}"));
    }
    for line in fix_lines(&imported.fixes) {
        print::note(format_args!("{line}"));
    }
    Ok(imported.clips)
}

/// Writes every clip into a folder as BVH. A clip with annotations gets a sidecar beside it: BVH cannot store them. Files of
/// other formats are not overwritten; `flag` names the folder in errors.
pub fn write_folder(flag: &str, clips: &[RawClip], folder: &Path, json: bool) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let bar = progress::bar("writing", clips.len() as u64, json);
    let files = output::clip_files(folder, clips.iter().map(|c| c.name.as_str()), "bvh");
    let sidecars: Vec<PathBuf> = files.iter().map(|f| f.with_extension("tags.toml")).collect();
    check_kinds(flag, &files, Kind::Bvh)?;
    check_kinds(flag, &sidecars, Kind::Sidecar)?;
    for (clip, (path, sidecar)) in clips.iter().zip(files.iter().zip(&sidecars)) {
        guarded(path, || write_clip(path, clip, &WriteOptions::default()))?;
        let rule = ClipRule::of(clip);
        if rule == ClipRule::default() {
            // The annotations of an earlier run no longer apply.
            if sidecar.is_file() {
                std::fs::remove_file(sidecar).with_context(|| format!("cannot remove {}", sidecar.display()))?;
            }
        } else {
            output::text(sidecar, &sidecar_text(&rule)?)?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(())
}

/// A rule as the text of a sidecar: without the name, and without empty lists.
fn sidecar_text(rule: &ClipRule) -> Result<String> {
    let mut table = toml::Table::try_from(rule)?;
    table.remove("name");
    table.retain(|_, v| v.as_array().is_none_or(|list| !list.is_empty()));
    Ok(toml::to_string(&table)?)
}
