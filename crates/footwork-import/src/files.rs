//! Reads many motion files from disk at once; either all of them are read or an error is returned.

use crate::bvh::{self, BvhError, WriteOptions};
use crate::cache::ClipCache;
use crate::common_units::common_units;
use crate::import_error::ImportError;
use crate::imported::Imported;
use crate::input::Input;
use crate::loaded::{Loaded, load, stem};
use crate::note::{Fix, Note};
use crate::one_skeleton;
use crate::place::Place;
use crate::unique_names::tell_apart;
use crate::units::Units;
use crate::upright;
use footwork::advanced::files::write_atomically;
use footwork::clip::RawClip;
use rayon::prelude::*;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Treatment of unreadable files of folders and patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// They are left out, with a note.
    LeftOut,
    /// They are errors.
    Refused,
}

/// Reads the one clip of a motion file. It is named after the file, without extension.
///
/// Returns an [`ImportError`] if the file is unreadable or invalid, or holds several clips ([`read_files`] accepts those).
pub fn read_clip(path: &Path, units: Units) -> Result<RawClip, ImportError> {
    let (mut clips, _) = load(Place::Disk, path, None)?.clips(Place::Disk, path, units, None)?;
    if clips.len() > 1 {
        let names = clips.into_iter().map(|c| c.name).collect();
        return Err(ImportError::SeveralClips { path: path.to_owned(), names });
    }
    clips.pop().ok_or(ImportError::NoFiles)
}

/// Reads motion files in parallel: [`import_files`] without its notes.
///
/// # Errors
/// As [`import_files`].
pub fn read_files(
    paths: &[PathBuf],
    units: Units,
    on_progress: Option<&(dyn Fn(usize, usize) + Sync)>,
) -> Result<Vec<RawClip>, ImportError> {
    Ok(import_files(paths, units, on_progress)?.clips)
}

/// Reads motion files of any mixture of formats in parallel. Clips are returned sorted by name, whatever the order of `paths`.
/// A file with one clip gives its own name (without extension), a file with several gives `file.take` for each.
///
/// With [`Units::Auto`], glTF is in metres, FBX in its own unit, and all BVH files get the unit that most of them suggest.
/// Clips of one rig in several files are brought onto one skeleton: see [`Imported`]. `on_progress` is called with (files done,
/// files in all), from any thread, once per file.
///
/// # Errors
/// Returns the [`ImportError`] of the first file, in order of name, that is unreadable or invalid. Also returns one if two
/// clips have the same name, or if, with [`Units::Auto`], a BVH file suggests another unit than the majority while its skeleton
/// is more than 1.5 times larger or smaller than the median.
pub fn import_files(
    paths: &[PathBuf],
    units: Units,
    on_progress: Option<&(dyn Fn(usize, usize) + Sync)>,
) -> Result<Imported, ImportError> {
    let inputs: Vec<Input> = paths.iter().map(|p| Input { path: p.clone(), named: true }).collect();
    let mut imported = load_all(Place::Disk, &inputs, (units, Unreadable::Refused), on_progress, None)?;
    finish(&mut imported)?;
    Ok(imported)
}

/// Reads all clips of all files. Each is named after its file alone, without folders.
pub(crate) fn load_all(
    place: Place,
    inputs: &[Input],
    (units, unreadable): (Units, Unreadable),
    on_progress: Option<&(dyn Fn(usize, usize) + Sync)>,
    cache: Option<&ClipCache>,
) -> Result<Imported, ImportError> {
    if inputs.is_empty() {
        return Err(ImportError::NoFiles);
    }
    let mut inputs = inputs.to_vec();
    inputs.sort_by(|a, b| (stem(&a.path), &a.path).cmp(&(stem(&b.path), &b.path)));
    let done = AtomicUsize::new(0);
    let files: Vec<_> = inputs
        .par_iter()
        .map(|input| {
            // glTF and FBX are converted at once; BVH waits until the unit of all BVH files is known.
            let file = load(place, &input.path, cache).and_then(|f| f.unless_text(place, &input.path, units));
            let n = done.fetch_add(1, Ordering::Relaxed) + 1;
            if let Some(tell) = on_progress {
                tell(n, inputs.len());
            }
            file
        })
        .collect();
    let mut imported = Imported::default();
    let mut left_out = LeftOut { unreadable, first: None };
    let mut kept = Vec::new();
    // Not collected into a Result by rayon: that would report the failure that happened first in time.
    for (input, file) in inputs.iter().zip(files) {
        match file {
            Ok(file) => kept.push((input, file)),
            Err(e) => imported.notes.push(left_out.note(input, e)?),
        }
    }
    let told = units != Units::Auto;
    let has_text = kept.iter().any(|(_, file)| file.guess().is_some());
    let (units, others) = if told { (units, Vec::new()) } else { common_units(&kept) };
    imported.units = if has_text { units } else { Units::Auto };
    for (removed, (at, error)) in others.into_iter().enumerate() {
        let (input, _) = kept.remove(at - removed);
        imported.notes.push(left_out.note(input, error)?);
    }
    let read = |(input, file): (_, Loaded)| {
        let input: &Input = input;
        let surprise = file.guess().filter(|g| !told && units.metres_per_unit() == Some(g.metres_per_unit));
        (input, surprise.and_then(|g| g.surprise()), file.clips(place, &input.path, units, cache))
    };
    let clips: Vec<_> = kept.into_par_iter().map(read).collect();
    for (input, surprise, clips) in clips {
        match clips {
            Ok((clips, notes)) => {
                let odd = clips.iter().zip(surprise.iter().cycle());
                imported.fixes.extend(odd.map(|(c, [found, done])| Fix {
                    clip: c.name.clone(),
                    what: "units",
                    found: found.clone(),
                    done: done.clone(),
                }));
                imported.clips.extend(clips);
                let about = input.path.display().to_string();
                imported.notes.extend(notes.into_iter().map(|text| Note { about: about.clone(), text }));
            }
            Err(e) => imported.notes.push(left_out.note(input, e)?),
        }
    }
    if imported.clips.is_empty() { Err(left_out.first.unwrap_or(ImportError::NoFiles)) } else { Ok(imported) }
}

/// Collects the notes about files that give no clips.
struct LeftOut {
    unreadable: Unreadable,
    /// Error of the first file that gave no clips; returned if no file gives any.
    first: Option<ImportError>,
}

impl LeftOut {
    /// Returns the note about a file that is left out, or the error if it must not be left out.
    fn note(&mut self, input: &Input, error: ImportError) -> Result<Note, ImportError> {
        let no_motion = matches!(&error, ImportError::Scene(e) if e.problem.is_no_motion());
        if input.named || !no_motion && self.unreadable == Unreadable::Refused {
            return Err(error);
        }
        // The note names the file already.
        let why = match &error {
            ImportError::Scene(e) => e.problem.to_string(),
            ImportError::Bvh(BvhError { line: Some(line), problem, .. }) => format!("line {line}: {problem}"),
            ImportError::Bvh(e) => e.problem.to_string(),
            ImportError::MixedUnits { odd_unit, odd_length, unit, usual_length, .. } => format!(
                "it seems to be in {odd_unit} (body of {odd_length} units), most others in {unit} (about {usual_length} units); \
                 build it apart, or set --units"
            ),
            other => other.to_string(),
        };
        self.first.get_or_insert(error);
        Ok(Note { about: input.path.display().to_string(), text: format!("left out: {why}") })
    }
}

/// Makes clip names unique, sorts clips by name, turns them to +Y up and brings them onto one skeleton.
pub(crate) fn finish(imported: &mut Imported) -> Result<(), ImportError> {
    imported.notes.extend(tell_apart(&mut imported.clips));
    let clips = &mut imported.clips;
    let by_name = |a: &RawClip, b: &RawClip| (&a.name, &a.source).cmp(&(&b.name, &b.source));
    let mut order: Vec<usize> = (0..imported.origins.len()).collect();
    order.sort_by(|a, b| by_name(&clips[*a], &clips[*b]));
    imported.origins = order.into_iter().map(|k| imported.origins[k]).collect();
    clips.sort_by(by_name);
    if let Some(pair) = clips.windows(2).find(|pair| pair[0].name == pair[1].name) {
        let [first, second] = [0, 1].map(|i| PathBuf::from(&pair[i].source));
        return Err(ImportError::RepeatedName { name: pair[0].name.clone(), first, second });
    }
    let (turned, lying) = upright::turn(clips);
    imported.fixes.extend(turned);
    imported.notes.extend(lying);
    imported.notes.extend(one_skeleton::bring(clips));
    Ok(())
}

/// Writes a clip as BVH. On an error, an existing file is unchanged.
///
/// # Errors
/// Returns [`ImportError::Write`] if BVH cannot hold the clip, or if the file cannot be written.
pub fn write_clip(path: &Path, clip: &RawClip, options: &WriteOptions) -> Result<(), ImportError> {
    write_atomically(path, |out| bvh::write(clip, out, options).map_err(io::Error::other))
        .map_err(|error| ImportError::Write { path: path.to_owned(), error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Returns a skeleton of hips with two legs, 1 m and 0.9 m long, in the given unit.
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
        assert!(
            error(&dir, Units::Auto)
                .contains("holds no motion files: expected at least one that ends in .bvh, .glb, .gltf or .fbx")
        );
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
        // A given unit overrides the guess.
        assert_eq!(read(dir.path(), Units::Centimetres, None).unwrap().len(), 3);
        // For a size on the border between two units, the other files decide.
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
