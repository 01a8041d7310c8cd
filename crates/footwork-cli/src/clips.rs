//! Reading motion files, with a progress bar and notes.

use crate::{print, progress};
use anyhow::{Context, Result};
use footwork::clip::RawClip;
use footwork_import::{ClipCache, Imported, SourceConfig, import_clips_cached};
use std::path::{Path, PathBuf};

/// Reads clips with the settings of a `[source]` table; `inputs` are relative to `base`.
pub fn import(inputs: &[PathBuf], base: &Path, source: &SourceConfig, json: bool) -> Result<Imported> {
    import_cached(inputs, base, source, json, None)
}

/// As [`import`], but takes unchanged files from `cache`.
pub fn import_cached(
    inputs: &[PathBuf],
    base: &Path,
    source: &SourceConfig,
    json: bool,
    cache: Option<&ClipCache>,
) -> Result<Imported> {
    let bar = progress::bar("reading", inputs.len() as u64, json);
    let tell = |done: usize, all: usize| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    };
    let imported = import_clips_cached(inputs, base, source, Some(&tell), cache);
    bar.finish_and_clear();
    imported.context("the clips could not be read")
}

/// As [`import`], with notes printed to standard error.
pub fn read(inputs: &[PathBuf], base: &Path, source: &SourceConfig, json: bool) -> Result<Vec<RawClip>> {
    let imported = import(inputs, base, source, json)?;
    for note in &imported.notes {
        print::note(format_args!("{note}"));
    }
    Ok(imported.clips)
}
