//! Reading and writing motion files, with a progress bar, notes and sidecars.

use crate::args::{Common, OutputFormat};
use crate::database::in_file;
use crate::interrupt::guarded;
use crate::kind::{Kind, check_kinds, check_new};
use crate::{output, print, progress};
use anyhow::{Context, Result};
use footwork::advanced::files::read_regular_at_most;
use footwork::build::ClipRule;
use footwork::clip::RawClip;
use footwork_import::bvh::WriteOptions;
use footwork_import::{ClipCache, ConfigFileError, Fix, Imported, SourceConfig, import_clips_cached, write_clip};
use std::borrow::Borrow;
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

/// Returns a line for each kind of fix on reading, with the clips that had it.
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

/// A folder with one file per clip.
pub struct Folder<'a> {
    /// The flag of the folder, for errors.
    pub flag: &'static str,
    pub path: &'a Path,
    /// Format of the files.
    pub format: OutputFormat,
    /// True: existing files are replaced.
    pub force: bool,
}

impl Folder<'_> {
    /// Returns the files of the clips with these names.
    ///
    /// # Errors
    /// Returns an error if a file would be replaced: of this kind without `force`, or of another kind.
    pub fn files<'c>(&self, names: impl Iterator<Item = &'c str>) -> Result<Vec<PathBuf>> {
        let (extension, kind) = match self.format {
            OutputFormat::Bvh => ("bvh", Kind::Bvh),
            OutputFormat::Glb => ("glb", Kind::Glb),
        };
        let files = output::clip_files(self.path, names, extension);
        let sidecars: Vec<PathBuf> = files.iter().map(|file| sidecar(file)).collect();
        check_kinds(self.flag, &files, kind)?;
        check_kinds(self.flag, &sidecars, Kind::Sidecar)?;
        check_new(self.flag, &[files.as_slice(), &sidecars].concat(), self.force)?;
        Ok(files)
    }

    /// Writes every clip with its sidecar, and returns the files of the clips.
    ///
    /// # Errors
    /// Returns the errors of [`Self::files`], and an error if a write fails.
    pub fn write(
        &self,
        clips: &[RawClip],
        json: bool,
        write: impl FnMut(&Path, &RawClip) -> Result<()>,
    ) -> Result<Vec<PathBuf>> {
        self.write_each(clips.iter().map(|c| c.name.as_str()), clips, json, write)
    }

    /// As [`Self::write`], for clips that are made one by one; `names` are theirs, in order.
    pub fn write_each<'c, C: Borrow<RawClip>>(
        &self,
        names: impl Iterator<Item = &'c str>,
        clips: impl IntoIterator<Item = C>,
        json: bool,
        mut write: impl FnMut(&Path, &RawClip) -> Result<()>,
    ) -> Result<Vec<PathBuf>> {
        let files = self.files(names)?;
        let shown = self.path.display();
        std::fs::create_dir_all(self.path).with_context(|| format!("cannot make the folder {shown}"))?;
        let bar = progress::bar("writing", files.len() as u64, json);
        for (clip, path) in clips.into_iter().zip(&files) {
            let clip = clip.borrow();
            write(path, clip)?;
            write_sidecars(path, std::slice::from_ref(clip))?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(files)
    }
}

/// Maximum size of a character's file, in bytes: meshes and textures.
const MOST_MODEL_BYTES: u64 = 1 << 30;

/// Reads the file of a rigged character.
pub fn read_model(path: &Path) -> Result<Vec<u8>> {
    read_regular_at_most(path, MOST_MODEL_BYTES).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a clip as BVH.
pub fn bvh(path: &Path, clip: &RawClip) -> Result<()> {
    Ok(guarded(path, || write_clip(path, clip, &WriteOptions::default()))?)
}

/// Returns the sidecars of the clips in a motion file.
pub fn sidecars(file: &Path, clips: &[RawClip]) -> Vec<PathBuf> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let of = |clip: &RawClip| file.with_file_name(format!("{stem}.{}.tags.toml", clip.name.replace(['/', '\\'], "_")));
    if let [_] = clips { vec![sidecar(file)] } else { clips.iter().map(of).collect() }
}

/// Returns the sidecar of a motion file with one clip.
fn sidecar(file: &Path) -> PathBuf {
    file.with_extension("tags.toml")
}

/// Writes what the file format cannot store: tags, events, curves, costs, loop flags.
pub fn write_sidecars(file: &Path, clips: &[RawClip]) -> Result<()> {
    for (clip, sidecar) in clips.iter().zip(sidecars(file, clips)) {
        let rule = ClipRule::of(clip);
        if rule != ClipRule::default() {
            output::text(&sidecar, &sidecar_text(&rule)?)?;
        } else if sidecar.is_file() {
            // The annotations of an earlier file no longer apply.
            std::fs::remove_file(&sidecar).with_context(|| format!("cannot remove {}", sidecar.display()))?;
        }
    }
    Ok(())
}

/// Returns a rule as the text of a sidecar: without the name, and without empty lists.
fn sidecar_text(rule: &ClipRule) -> Result<String> {
    let mut table = toml::Table::try_from(rule)?;
    table.remove("name");
    table.retain(|_, v| v.as_array().is_none_or(|list| !list.is_empty()));
    Ok(toml::to_string(&table)?)
}
