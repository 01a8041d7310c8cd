//! Motion files on disk: many at once, all or nothing.

use crate::bvh::{self, Bvh, BvhError, UnitGuess, Units, WriteError, WriteOptions};
use footwork::clip::RawClip;
use rayon::prelude::*;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Why files were not read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The disk says no.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// File or folder.
        path: PathBuf,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// The disk says no; what was there before is still there.
    #[error("cannot write {}: {error}", path.display())]
    Write {
        /// File.
        path: PathBuf,
        /// What went wrong.
        #[source]
        error: WriteError,
    },
    /// A file that cannot be used.
    #[error(transparent)]
    Bvh(#[from] BvhError),
    /// Nothing to read.
    #[error("{} holds no .bvh files: expected at least one, directly in the folder (sub-folders are not searched)", path.display())]
    EmptyFolder {
        /// Folder.
        path: PathBuf,
    },
    /// An empty list.
    #[error("no files were given: expected at least one")]
    NoFiles,
    /// Clips are known by their names.
    #[error("{} and {} both give a clip named `{name}`: rename one", first.display(), second.display())]
    RepeatedName {
        /// Clip name: the file's, without extension.
        name: String,
        /// A file.
        first: PathBuf,
        /// Another.
        second: PathBuf,
    },
    /// One file seems to be in other units than the rest.
    #[error(
        "{} seems to be in {odd_unit} (body of {odd_length} units), most others in {unit} (about {usual_length} units): \
         say which unit holds, or read it apart",
        path.display()
    )]
    MixedUnits {
        /// The odd file.
        path: PathBuf,
        /// Guess for it.
        odd_unit: &'static str,
        /// Its body length, file units.
        odd_length: f32,
        /// Guess for most files.
        unit: &'static str,
        /// Median body length, file units.
        usual_length: f32,
    },
}

/// Reads one BVH file. The clip is named after the file, without extension.
///
/// # Errors
/// An unreadable or unusable file.
pub fn read_clip(path: &Path, units: Units) -> Result<RawClip, ImportError> {
    Ok(load(path)?.to_clip(&clip_name(path), &path.display().to_string(), units)?)
}

/// Reads all `*.bvh` (in any case) directly in a folder, in parallel; see [`read_files`].
///
/// # Errors
/// As [`read_files`]; a folder without such files.
pub fn read_folder(
    folder: &Path,
    units: Units,
    on_progress: Option<&(dyn Fn(usize, usize) + Sync)>,
) -> Result<Vec<RawClip>, ImportError> {
    let refuse = |error| ImportError::Read { path: folder.to_owned(), error };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(refuse)? {
        let path = entry.map_err(refuse)?.path();
        if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("bvh")) && path.is_file() {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Err(ImportError::EmptyFolder { path: folder.to_owned() });
    }
    read_files(&paths, units, on_progress)
}

/// Reads BVH files in parallel. Clips come back sorted by name (the file's, without extension), whatever order was given.
///
/// With [`Units::Auto`] the files decide together: the unit that most of them suggest holds for all. `on_progress` is
/// called with (files done, files in all), from any thread, once per file.
///
/// # Errors
/// The first file in that order that cannot be read or used; two files of one name; with [`Units::Auto`], a file that
/// suggests another unit than the majority while its skeleton is more than 1.5 times larger or smaller than the median.
pub fn read_files(
    paths: &[PathBuf],
    units: Units,
    on_progress: Option<&(dyn Fn(usize, usize) + Sync)>,
) -> Result<Vec<RawClip>, ImportError> {
    let named = sorted_by_name(paths)?;
    let done = AtomicUsize::new(0);
    let files: Vec<_> = named
        .par_iter()
        .map(|(_, path)| {
            let file = load(path);
            let n = done.fetch_add(1, Ordering::Relaxed) + 1;
            if let Some(tell) = on_progress {
                tell(n, named.len());
            }
            file
        })
        .collect();
    // Not collected into a Result by rayon: that would report whichever failed first in time.
    let files: Vec<Bvh> = files.into_iter().collect::<Result<_, _>>()?;
    let units = if units == Units::Auto { common_units(&named, &files)? } else { units };
    let clips: Vec<_> = named
        .par_iter()
        .zip(files)
        .map(|((name, path), file)| file.to_clip(name, &path.display().to_string(), units))
        .collect();
    Ok(clips.into_iter().collect::<Result<_, _>>()?)
}

/// Writes a clip as BVH: to a temporary name beside `path`, synced, then renamed. On an error an old file survives.
///
/// # Errors
/// A clip that BVH cannot hold; what the disk reports.
pub fn write_clip(path: &Path, clip: &RawClip, options: &WriteOptions) -> Result<(), ImportError> {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = write_synced(&temporary, clip, options).and_then(|()| Ok(fs::rename(&temporary, path)?));
    written.map_err(|error| {
        // Best effort: the error that matters is the first.
        let _ = fs::remove_file(&temporary);
        ImportError::Write { path: path.to_owned(), error }
    })
}

fn write_synced(path: &Path, clip: &RawClip, options: &WriteOptions) -> Result<(), WriteError> {
    let mut file = fs::File::create(path)?;
    bvh::write(clip, &mut file, options)?;
    file.flush()?;
    Ok(file.sync_all()?)
}

fn load(path: &Path) -> Result<Bvh, ImportError> {
    let bytes = fs::read(path).map_err(|error| ImportError::Read { path: path.to_owned(), error })?;
    Ok(bvh::parse(&bytes, &path.display().to_string())?)
}

fn clip_name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn sorted_by_name(paths: &[PathBuf]) -> Result<Vec<(String, &Path)>, ImportError> {
    if paths.is_empty() {
        return Err(ImportError::NoFiles);
    }
    let mut named: Vec<_> = paths.iter().map(|p| (clip_name(p), p.as_path())).collect();
    named.sort();
    match named.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some([first, second]) => {
            let (first, second) = (first.1.to_owned(), second.1.to_owned());
            Err(ImportError::RepeatedName { name: clip_name(&first), first, second })
        }
        _ => Ok(named),
    }
}

/// The unit for all files of a set: what most of them suggest.
fn common_units(named: &[(String, &Path)], files: &[Bvh]) -> Result<Units, ImportError> {
    const MOST_RATIO: f32 = 1.5;
    let guesses: Vec<(usize, UnitGuess)> =
        files.iter().enumerate().filter_map(|(i, f)| Some((i, bvh::guess_units(f)?))).collect();
    let votes = |g: &UnitGuess| guesses.iter().filter(|(_, o)| o.unit == g.unit).count();
    // No guess at all: each conversion says so. Ties go to the first file.
    let Some((_, usual)) = guesses.iter().rev().max_by_key(|(_, g)| votes(g)) else { return Ok(Units::Auto) };
    let mut lengths: Vec<f32> = guesses.iter().map(|(_, g)| g.body_length_units).collect();
    lengths.sort_by(f32::total_cmp);
    let median = lengths[(lengths.len() - 1) / 2];
    let odd = guesses.iter().find(|(_, g)| {
        let ratio = g.body_length_units / median;
        g.unit != usual.unit && ratio.max(1.0 / ratio) > MOST_RATIO
    });
    match odd {
        Some((i, g)) => Err(ImportError::MixedUnits {
            path: named[*i].1.to_owned(),
            odd_unit: g.unit,
            odd_length: g.body_length_units,
            unit: usual.unit,
            usual_length: median,
        }),
        None => Ok(Units::MetresPerUnit(usual.metres_per_unit)),
    }
}
