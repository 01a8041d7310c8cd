//! Motion files on disk: many at once, all or nothing.

use crate::bvh::{self, Bvh, BvhError, UnitGuess, Units, WriteOptions};
use crate::cache::{ClipCache, Kept};
use footwork::clip::RawClip;
use footwork::files::write_atomically;
use rayon::prelude::*;
use std::fs;
use std::io;
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
        error: io::Error,
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
    read_files_cached(paths, units, on_progress, None)
}

/// As [`read_files`]; what `cache` holds is not parsed again. The result is the same to the bit.
///
/// # Errors
/// As [`read_files`].
pub fn read_files_cached(
    paths: &[PathBuf],
    units: Units,
    on_progress: Option<&(dyn Fn(usize, usize) + Sync)>,
    cache: Option<&ClipCache>,
) -> Result<Vec<RawClip>, ImportError> {
    let named = sorted_by_name(paths)?;
    let done = AtomicUsize::new(0);
    let files: Vec<_> = named
        .par_iter()
        .map(|(_, path)| {
            let file = Loaded::new(path, cache);
            let n = done.fetch_add(1, Ordering::Relaxed) + 1;
            if let Some(tell) = on_progress {
                tell(n, named.len());
            }
            file
        })
        .collect();
    // Not collected into a Result by rayon: that would report whichever failed first in time.
    let files: Vec<Loaded> = files.into_iter().collect::<Result<_, _>>()?;
    let units = if units == Units::Auto { common_units(&named, &files)? } else { units };
    let clips: Vec<_> =
        named.par_iter().zip(files).map(|((name, path), file)| file.into_clip(name, path, units, cache)).collect();
    clips.into_iter().collect()
}

/// Writes a clip as BVH, all or nothing: on an error an old file survives.
///
/// # Errors
/// A clip that BVH cannot hold; what the disk reports.
pub fn write_clip(path: &Path, clip: &RawClip, options: &WriteOptions) -> Result<(), ImportError> {
    write_atomically(path, |out| bvh::write(clip, out, options).map_err(io::Error::other))
        .map_err(|error| ImportError::Write { path: path.to_owned(), error })
}

fn load(path: &Path) -> Result<Bvh, ImportError> {
    Ok(bvh::parse(&read_bytes(path)?, &path.display().to_string())?)
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, ImportError> {
    fs::read(path).map_err(|error| ImportError::Read { path: path.to_owned(), error })
}

/// A file's content: parsed, or as it was read before.
enum Loaded {
    Parsed(Bvh, Option<String>),
    Kept(Box<Kept>, String),
}

impl Loaded {
    fn new(path: &Path, cache: Option<&ClipCache>) -> Result<Self, ImportError> {
        let bytes = read_bytes(path)?;
        let key = cache.map(|c| c.key(&bytes, "bvh"));
        if let Some((cache, key)) = cache.zip(key.as_ref())
            && let Some(kept) = cache.get(key)
        {
            return Ok(Self::Kept(Box::new(kept), key.clone()));
        }
        Ok(Self::Parsed(bvh::parse(&bytes, &path.display().to_string())?, key))
    }

    fn guess(&self) -> Option<UnitGuess> {
        match self {
            Self::Parsed(file, _) => bvh::guess_units(file),
            Self::Kept(kept, _) => bvh::guess(kept.body_length_units),
        }
    }

    fn into_clip(
        self,
        name: &str,
        path: &Path,
        units: Units,
        cache: Option<&ClipCache>,
    ) -> Result<RawClip, ImportError> {
        let source = path.display().to_string();
        let scale = units.metres_per_unit().or(self.guess().map(|g| g.metres_per_unit));
        let length = self.guess().map_or(f32::NAN, |g| g.body_length_units);
        let (file, key) = match self {
            Self::Kept(kept, key) if scale == Some(kept.metres_per_unit) => {
                if let Some(cache) = cache {
                    cache.hit(&key);
                }
                return Ok(RawClip { name: name.to_owned(), source, ..kept.clip });
            }
            // Read with another unit then.
            Self::Kept(_, key) => (load(path)?, Some(key)),
            Self::Parsed(file, key) => (file, key),
        };
        let clip = file.to_clip(name, &source, units)?;
        if let (Some(cache), Some(key), Some(scale)) = (cache, key, scale) {
            cache.put(&key, scale, length, &clip);
        }
        Ok(clip)
    }
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
fn common_units(named: &[(String, &Path)], files: &[Loaded]) -> Result<Units, ImportError> {
    const MOST_RATIO: f32 = 1.5;
    let guesses: Vec<(usize, UnitGuess)> =
        files.iter().enumerate().filter_map(|(i, f)| Some((i, f.guess()?))).collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Hips with two legs, 1 m and 0.9 m long, in the given unit.
    fn text(units_per_metre: f32) -> String {
        let (a, b) = (units_per_metre, 0.9 * units_per_metre);
        format!(
            "HIERARCHY\nROOT Hips {{ OFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n\
             JOINT L {{ OFFSET 0 -{a} 0 }}\nJOINT R {{ OFFSET 0 -{b} 0 }} }}\n\
             MOTION\nFrames: 2\nFrame Time: 0.016667\n0 {a} 0\n0 {a} 1\n"
        )
    }

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(dir.path().join(name), text).unwrap();
        }
        dir
    }

    fn read(dir: &Path, units: Units, tell: Option<&(dyn Fn(usize, usize) + Sync)>) -> Result<Vec<RawClip>, String> {
        crate::read_clips(&[dir.to_owned()], Path::new(""), units, tell).map_err(|e| e.to_string())
    }

    fn error(dir: &tempfile::TempDir, units: Units) -> String {
        read(dir.path(), units, None).unwrap_err()
    }

    #[test]
    fn a_folder_reads_sorted_with_progress_and_leaves_other_files_alone() {
        let cm = text(100.0);
        let dir = folder(&[("b.bvh", &cm), ("c.BVH", &cm), ("a.bvh", &cm), ("notes.txt", "no"), ("bvh", "no")]);
        fs::create_dir(dir.path().join("d.bvh")).unwrap();
        let seen = AtomicUsize::new(0);
        let tell = |done: usize, total: usize| {
            assert!(total == 3 && (1..=3).contains(&done));
            seen.fetch_add(done, Ordering::Relaxed);
        };
        let clips = read(dir.path(), Units::Auto, Some(&tell)).unwrap();
        assert_eq!(clips.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(seen.into_inner(), 1 + 2 + 3);
        assert!(clips[2].source.ends_with("c.BVH") && clips[0].rate_hz == 60.0);
        assert!((clips[1].translations[0].y - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_folder_without_motion_says_so() {
        let dir = folder(&[("notes.txt", "no")]);
        assert!(error(&dir, Units::Auto).contains("holds no .bvh files: expected at least one"));
        let missing = read(&dir.path().join("nowhere"), Units::Auto, None).unwrap_err();
        assert!(missing.starts_with("cannot read ") && missing.contains("nowhere"), "{missing}");
        assert!(matches!(read_files(&[], Units::Auto, None), Err(ImportError::NoFiles)));
    }

    #[test]
    fn the_first_bad_file_by_name_is_reported_with_its_path() {
        let cm = text(100.0);
        let bad = cm.replace("Frames: 2", "Frames: 9");
        let dir = folder(&[("a.bvh", &cm), ("b.bvh", &bad), ("c.bvh", "")]);
        let e = error(&dir, Units::Auto);
        assert!(e.contains("b.bvh:10: found 2 frames, expected 9"), "{e}");
    }

    #[test]
    fn the_majority_decides_the_unit_and_an_odd_file_is_named() {
        let (cm, inches) = (text(100.0), text(1.0 / 0.0254));
        let dir = folder(&[("a.bvh", &inches), ("b.bvh", &cm), ("c.bvh", &cm)]);
        let e = error(&dir, Units::Auto);
        assert!(e.contains("a.bvh seems to be in inches") && e.contains("most others in centimetres"), "{e}");
        // The user's word settles it.
        assert_eq!(read(dir.path(), Units::Centimetres, None).unwrap().len(), 3);
        // On the border between two units, the others decide.
        let small = text(66.0);
        let dir = folder(&[("a.bvh", &text(60.0)), ("b.bvh", &small), ("c.bvh", &small)]);
        let clips = read(dir.path(), Units::Auto, None).unwrap();
        assert!((clips[0].translations[0].y / clips[1].translations[0].y - 60.0 / 66.0).abs() < 1e-6);
    }

    #[test]
    fn two_files_of_one_name_are_refused() {
        let dir = folder(&[("a.bvh", &text(1.0)), ("a.BVH", &text(1.0))]);
        let e = error(&dir, Units::Auto);
        assert!(e.contains("both give a clip named `a`: rename one"), "{e}");
    }

    #[test]
    fn a_clip_is_written_whole_or_not_at_all() {
        let dir = folder(&[("a.bvh", &text(100.0))]);
        let (from, to) = (dir.path().join("a.bvh"), dir.path().join("out.bvh"));
        let mut clip = read_clip(&from, Units::Auto).unwrap();
        write_clip(&to, &clip, &WriteOptions::default()).unwrap();
        let back = read_clip(&to, Units::Centimetres).unwrap();
        assert_eq!((back.name.as_str(), back.frames()), ("out", 2));
        let before = fs::read(&to).unwrap();
        clip.translations[0].x = f32::NAN;
        let e = write_clip(&to, &clip, &WriteOptions::default()).unwrap_err().to_string();
        assert!(e.starts_with("cannot write ") && e.contains("not a finite number"), "{e}");
        assert_eq!(fs::read(&to).unwrap(), before);
        assert!(write_clip(&dir.path().join("no/where.bvh"), &back, &WriteOptions::default()).is_err());
        let left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left.len(), 2, "{left:?}");
    }
}
