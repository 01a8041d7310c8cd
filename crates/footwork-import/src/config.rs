//! Configuration of a character in one TOML file: its clips, the build of the database and the matcher.
//!
//! ```toml
//! [source]
//! clips = ["mocap", "extra/**/jump*.fbx"]   # files, folders, patterns; relative to this file
//! units = "auto"                            # or "m", "cm", "mm", "in", or metres per unit
//! pattern = "{action}{take}_{subject}"      # tags from clip names: action=walk, ..
//! ranges = [{ clip = "long_take", name = "walk", start_s = 2.0, end_s = 6.5 }]
//!
//! [build]
//! search_rate_hz = 30
//!
//! [matcher]
//! responsiveness = 1.0
//! ```
//!
//! Beside a motion file, the sidecar `<clip>.tags.toml` may hold annotations of one of its clips: the keys of an entry of
//! `[[build.clips]]` without `name`. A file with one clip gives the clip its own name; one with several gives `file.take`.

use crate::cache::ClipCache;
use crate::config_error::ConfigFileError;
use crate::files::{ImportError, Imported, Input, Unreadable, finish, load_all};
use crate::find::find;
use crate::note::Note;
use crate::pattern::NamePattern;
use crate::place::Place;
use crate::ranges::{self, RangeSpec};
use crate::sidecar::{self, parse_toml};
use crate::take::Take;
use crate::units::Units;
use footwork::advanced::settings::{At, Kind, Setting, SettingError};
use footwork::build::{BuildConfig, ClipRule};
use footwork::clip::RawClip;
use footwork::matcher::MatcherConfig;
use footwork::settings;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use std::path::{Path, PathBuf};

settings! {
    /// The whole file.
    #[derive(Clone, Debug, PartialEq)]
    pub struct CharacterConfig {
        /// Where clips are.
        source: SourceConfig;
        /// How the database is built.
        build: BuildConfig;
        /// How the character behaves.
        matcher: MatcherConfig;
    }

    /// The `[source]` table.
    #[derive(Clone, Debug, PartialEq)]
    pub struct SourceConfig {
        /// Motion files, folders and patterns (`*`, `?`, `[..]`; `**` for any folders), relative to this file. Clips on the
        /// command line win; without either, the built-in clips are used.
        clips: Vec<String>;
        /// Unit of lengths in the files: `auto` (BVH by the body's size, glTF metres, FBX its own), `m`, `cm`, `mm`, `in`, or a
        /// number of metres per unit. A unit other than `auto` holds for every file. `--units` wins.
        units: UnitSetting;
        /// Tags from clip names: `"{action}{take}_{subject}"`; see `docs/guide/formats.md`.
        pattern: Option<String>;
        /// Takes cut into clips.
        ///
        /// A list: `[[source.ranges]]`. The take itself is then left out.
        ranges: Vec<RangeSpec>;
        /// Whether what is wrong with files stops a build: a file in a folder or pattern that cannot be read, another up axis than
        /// +Y, a unit that had to be guessed against what is usual, a glitch. Otherwise such a file is left out or mended, with a
        /// message. A file that is named is always read. `--strict` wins.
        strict: bool = false;
    }
}

/// A unit of length, as written in a configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum UnitSetting {
    /// Metres per unit.
    Scale(f32),
    /// Name of a unit.
    Name(String),
}

impl Setting for UnitSetting {
    const KIND: Kind = Kind::Text;
    fn blank() -> Self {
        Self::default()
    }
    fn read<'de, D: Deserializer<'de>>(self, at: &At, from: D) -> Result<Self, D::Error> {
        Self::deserialize(from).map_err(|_| D::Error::custom(format!("`{at}`: expected {UNITS}")))
    }
    fn check(&self, at: &At, _: Option<(f64, f64)>) -> Result<(), SettingError> {
        self.known().map(|_| ()).map_err(|what| SettingError { key: at.to_string(), what })
    }
}

/// Allowed values of a unit.
const UNITS: &str = "auto, m, cm, mm, in, or a number of metres per unit";

impl Default for UnitSetting {
    fn default() -> Self {
        Self::Name("auto".into())
    }
}

impl std::str::FromStr for UnitSetting {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        let setting = s.parse().map_or_else(|_| Self::Name(s.to_owned()), Self::Scale);
        setting.known().map(|_| setting)
    }
}

impl UnitSetting {
    /// Returns the unit as importers take it.
    ///
    /// # Errors
    /// Returns [`ConfigFileError::Value`] for an unknown name or a scale that is not positive.
    pub fn units(&self) -> Result<Units, ConfigFileError> {
        self.known().map_err(|what| ConfigFileError::Value { key: "source.units", what })
    }

    fn known(&self) -> Result<Units, String> {
        match self {
            Self::Scale(s) if s.is_finite() && *s > 0.0 => Ok(Units::MetresPerUnit(*s)),
            Self::Scale(s) => Err(format!("expected more than 0 metres per unit, found {s}")),
            Self::Name(n) => match n.as_str() {
                "auto" => Ok(Units::Auto),
                "m" => Ok(Units::Metres),
                "cm" => Ok(Units::Centimetres),
                "mm" => Ok(Units::Millimetres),
                "in" => Ok(Units::Inches),
                other => Err(format!("expected {UNITS}, found `{other}`")),
            },
        }
    }
}

impl CharacterConfig {
    /// Reads a configuration from a TOML file.
    ///
    /// # Errors
    /// Returns a [`ConfigFileError`] if the file is unreadable, is not TOML, or has an unknown key (it names the nearest known
    /// key).
    pub fn load(path: &Path) -> Result<Self, ConfigFileError> {
        parse_toml(&read_text(Place::Disk, path)?, path)
    }

    /// As [`CharacterConfig::load`], from text in memory. `path` is only used in messages.
    ///
    /// # Errors
    /// Returns a [`ConfigFileError`] if the text is not TOML, or has an unknown key (it names the nearest known key).
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigFileError> {
        parse_toml(text, path)
    }
}

/// Returns the motion files in a list of files, folders and patterns (relative ones under `base`), sorted by path. These are
/// the files that [`import_clips`] reads, without their sidecars.
///
/// # Errors
/// Returns a [`ConfigFileError`] if a folder cannot be listed, or if a folder or pattern gives nothing. A named file need not
/// exist.
pub fn motion_files(inputs: &[PathBuf], base: &Path) -> Result<Vec<PathBuf>, ConfigFileError> {
    Ok(find(inputs, base)?.into_iter().map(|input| input.path).collect())
}

/// Maximum size of a TOML file, in bytes: far above any real configuration.
const MOST_TOML_BYTES: u64 = 16 << 20;

pub(crate) fn read_text(place: Place, path: &Path) -> Result<String, ConfigFileError> {
    place.read_text(path, MOST_TOML_BYTES).map_err(|error| ConfigFileError::Read { path: path.to_owned(), error })
}

/// Reads the clips of a list of files, folders and patterns (relative ones under `base`), with their sidecars. It is
/// [`import_clips`] with only a unit, and without notes.
///
/// # Errors
/// Returns a [`ConfigFileError`] if a file, folder or pattern gives nothing, or if a clip or sidecar is invalid.
pub fn read_clips(
    inputs: &[PathBuf],
    base: &Path,
    units: Units,
    on_progress: Option<&(dyn Fn(usize, usize) + Sync)>,
) -> Result<Vec<RawClip>, ConfigFileError> {
    let reading = Reading { units, pattern: None, ranges: &[], unreadable: Unreadable::Refused };
    Ok(import(Place::Disk, find(inputs, base)?, &reading, on_progress, None)?.clips)
}

/// Reads the clips of a list of files, folders and patterns (relative ones under `base`) with the settings of a `[source]`
/// table: its units, name pattern, ranges and strictness, and with sidecars. The table's own list of clips is ignored.
///
/// A folder gives all motion files in it and in its sub-folders, except hidden ones. A file that several links lead to is read
/// once. Clips of one name from different folders are named `folder.name`, with as many folders as needed. In folders and
/// patterns, files without a character's motion (a model, a T-pose, a prop) are left out, with a note; so are unreadable files,
/// unless `strict` is set.
///
/// # Errors
/// As [`read_clips`]. Also returns a [`ConfigFileError`] if the units, the pattern or a range is invalid.
pub fn import_clips(
    inputs: &[PathBuf],
    base: &Path,
    source: &SourceConfig,
    on_progress: Option<&(dyn Fn(usize, usize) + Sync)>,
) -> Result<Imported, ConfigFileError> {
    import_clips_cached(inputs, base, source, on_progress, None)
}

/// As [`import_clips`]; BVH files that `cache` holds are not parsed again. Other formats are always parsed. The result is
/// identical, bit for bit.
///
/// # Errors
/// As [`import_clips`].
pub fn import_clips_cached(
    inputs: &[PathBuf],
    base: &Path,
    source: &SourceConfig,
    on_progress: Option<&(dyn Fn(usize, usize) + Sync)>,
    cache: Option<&ClipCache>,
) -> Result<Imported, ConfigFileError> {
    let reading = Reading::of(source)?;
    import(Place::Disk, find(inputs, base)?, &reading, on_progress, cache)
}

/// As [`import_clips`], from `(name, bytes)` of files in memory, for programs without a disk. Sidecars and buffers of glTF are
/// looked up among `files`; all others are motion files. A name may have folders, with `/`.
///
/// # Errors
/// As [`import_clips`].
pub fn import_clips_in_memory(files: &[(String, Vec<u8>)], source: &SourceConfig) -> Result<Imported, ConfigFileError> {
    let is_beside = |name: &str| name.ends_with(".tags.toml") || name.ends_with(".bin");
    let mut motion: Vec<Input> = files
        .iter()
        .filter(|(name, _)| !is_beside(name))
        .map(|(name, _)| Input { path: name.into(), named: true })
        .collect();
    motion.sort();
    import(Place::Memory(files), motion, &Reading::of(source)?, None, None)
}

/// Settings of a `[source]` table for reading files.
struct Reading<'a> {
    units: Units,
    /// Pattern that gives tags from clip names.
    pattern: Option<NamePattern>,
    /// Ranges of takes that become clips.
    ranges: &'a [RangeSpec],
    unreadable: Unreadable,
}

impl<'a> Reading<'a> {
    fn of(source: &'a SourceConfig) -> Result<Self, ConfigFileError> {
        let pattern = source.pattern.as_ref().map(|p| p.parse::<NamePattern>()).transpose();
        let pattern = pattern.map_err(|what| ConfigFileError::Value { key: "source.pattern", what })?;
        let unreadable = if source.strict { Unreadable::Refused } else { Unreadable::LeftOut };
        Ok(Self { units: source.units.units()?, pattern, ranges: &source.ranges, unreadable })
    }
}

fn import(
    place: Place,
    files: Vec<Input>,
    reading: &Reading,
    on_progress: Option<&(dyn Fn(usize, usize) + Sync)>,
    cache: Option<&ClipCache>,
) -> Result<Imported, ConfigFileError> {
    let mut imported = load_all(place, &files, (reading.units, reading.unreadable), on_progress, cache)?;
    for clip in &mut imported.clips {
        let take = annotate(place, clip, reading.pattern.as_ref(), &mut imported.notes)?;
        imported.takes.push(take);
    }
    imported.origins = ranges::cut(&mut imported.clips, reading.ranges)
        .map_err(|what| ConfigFileError::Value { key: "source.ranges", what })?;
    finish(&mut imported)?;
    Ok(imported)
}

/// Applies the tags of a clip's name and the annotations of its sidecar.
fn annotate(
    place: Place,
    clip: &mut RawClip,
    pattern: Option<&NamePattern>,
    notes: &mut Vec<Note>,
) -> Result<Take, ConfigFileError> {
    match pattern.map(|p| (p, p.tags(&clip.name))) {
        Some((_, Some(tags))) => {
            let rule = ClipRule { tags, ..ClipRule::default() };
            rule.apply(clip).map_err(ImportError::Clip)?;
        }
        Some((pattern, None)) => {
            let text = format!("`{}` does not fit `{pattern}`: it gets no tags from its name", clip.name);
            notes.push(Note { about: clip.source.clone(), text });
        }
        None => {}
    }
    let mut take = Take::of(clip);
    if place.has(&take.sidecar) {
        place.look(&take.sidecar).map_err(|error| ConfigFileError::Read { path: take.sidecar.clone(), error })?;
        let text = read_text(place, &take.sidecar)?;
        sidecar::apply(&sidecar::parse_within(&text, &take)?, clip, &take.sidecar)?;
        take.text = Some(text);
    }
    Ok(take)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BVH: &str = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation \
                       Yrotation Xrotation\nEnd Site\n{\nOFFSET 0 -95 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.0333\n0 \
                       95 0 0 0 0\n0 95 4 0 90 0\n";

    fn folder() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for name in ["walk1.bvh", "walk2.BVH", "run.bvh"] {
            std::fs::write(dir.path().join(name), BVH).unwrap();
        }
        std::fs::write(dir.path().join("notes.txt"), "x").unwrap();
        dir
    }

    #[test]
    fn defaults_survive_toml() {
        let text = toml::to_string(&CharacterConfig::default()).unwrap();
        assert_eq!(toml::from_str::<CharacterConfig>(&text).unwrap(), CharacterConfig::default());
        assert_eq!(toml::from_str::<CharacterConfig>("").unwrap(), CharacterConfig::default());
    }

    #[test]
    fn an_unknown_key_names_file_line_and_the_nearest() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.toml");
        std::fs::write(&path, "[build]\nsearch_rate = 30\n").unwrap();
        let message = CharacterConfig::load(&path).unwrap_err().to_string();
        assert!(message.contains("c.toml") && message.contains("line 2"), "{message}");
        assert!(message.contains("unknown key `build.search_rate`; did you mean `search_rate_hz`?"), "{message}");
    }

    #[test]
    fn files_folders_and_patterns_give_clips_once_each() {
        let dir = folder();
        let read = |inputs: &[&str]| {
            let inputs: Vec<PathBuf> = inputs.iter().map(PathBuf::from).collect();
            read_clips(&inputs, dir.path(), Units::Auto, None)
        };
        let names = |clips: Vec<RawClip>| clips.into_iter().map(|c| c.name).collect::<Vec<_>>();
        assert_eq!(names(read(&["."]).unwrap()), ["run", "walk1", "walk2"]);
        assert_eq!(names(read(&["walk*"]).unwrap()), ["walk1", "walk2"]);
        assert_eq!(names(read(&["run.bvh", "*.bvh"]).unwrap()), ["run", "walk1"]);
        assert_eq!(names(read(&["**/walk?.*"]).unwrap()), ["walk1", "walk2"]);
        assert!(read(&["jump*"]).unwrap_err().to_string().contains("matches no"));
        assert!(read(&["nothing.bvh"]).is_err());
    }

    #[test]
    fn a_sidecar_annotates_its_clip() {
        let dir = folder();
        std::fs::write(dir.path().join("run.tags.toml"), "loop = true\ntags = [{ name = \"fast\" }]\n").unwrap();
        let clips = read_clips(&[".".into()], dir.path(), Units::Auto, None).unwrap();
        assert!(clips[0].looping && clips[0].annotations.tags[0].name == "fast");
        std::fs::write(dir.path().join("run.tags.toml"), "tag = 1\n").unwrap();
        let message = read_clips(&[".".into()], dir.path(), Units::Auto, None).unwrap_err().to_string();
        assert!(message.contains("run.tags.toml") && message.contains("did you mean `tags`?"), "{message}");
    }

    #[test]
    fn the_sidecar_of_each_clip_is_told_whatever_the_clip_is_called() {
        let dir = folder();
        std::fs::create_dir(dir.path().join("b")).unwrap();
        std::fs::write(dir.path().join("b/run.bvh"), BVH).unwrap();
        std::fs::write(dir.path().join("b/run.tags.toml"), "loop = true\n").unwrap();
        let piece = RangeSpec {
            clip: "walk1".into(),
            name: "a_piece".into(),
            start_s: Some(0.0333),
            end_s: None,
            looping: false,
        };
        let long = BVH.replace("Frames: 2", "Frames: 3") + "0 95 8 0 90 0\n";
        std::fs::write(dir.path().join("walk1.bvh"), long).unwrap();
        let source = SourceConfig { ranges: vec![piece], ..SourceConfig::default() };
        let imported = import_clips(&[".".into()], dir.path(), &source, None).unwrap();
        let told: Vec<_> = imported
            .clips
            .iter()
            .zip(&imported.origins)
            .map(|(clip, origin)| {
                let take = &imported.takes[origin.take];
                let path = take.sidecar.strip_prefix(dir.path().join(".")).unwrap().display().to_string();
                (clip.name.rsplit('.').next().unwrap().to_owned(), path, take.text.is_some(), origin.start_s > 0.0)
            })
            .collect();
        let one = |name: &str, path: &str, text, later| (name.to_owned(), path.to_owned(), text, later);
        let b = std::path::Path::new("b").join("run.tags.toml").display().to_string();
        let mut wanted = vec![
            one("a_piece", "walk1.tags.toml", false, true),
            one("run", "run.tags.toml", false, false),
            one("run", &b, true, false),
            one("walk2", "walk2.tags.toml", false, false),
        ];
        let mut told = told;
        told.sort();
        wanted.sort();
        assert_eq!(told, wanted);
        let take = imported.takes.iter().find(|t| t.name == "walk1").unwrap();
        assert_eq!((take.frames, take.seconds() > 0.06), (3, true));
    }

    #[test]
    fn memory_gives_what_the_disk_gives() {
        let dir = folder();
        std::fs::remove_file(dir.path().join("notes.txt")).unwrap();
        std::fs::write(dir.path().join("run.tags.toml"), "loop = true\n").unwrap();
        let source = SourceConfig { pattern: Some("{action}".to_owned()), ..SourceConfig::default() };
        let disk = import_clips(&[".".into()], dir.path(), &source, None).unwrap();
        let file = |name: &str| (name.to_owned(), std::fs::read(dir.path().join(name)).unwrap());
        let mut files = ["walk2.BVH", "run.tags.toml", "run.bvh", "walk1.bvh"].map(file).to_vec();
        let memory = import_clips_in_memory(&files, &source).unwrap();
        let nameless = |imported: Imported| {
            imported.clips.into_iter().map(|c| RawClip { source: String::new(), ..c }).collect::<Vec<_>>()
        };
        assert_eq!(nameless(memory), nameless(disk));

        let error = |files: &[(String, Vec<u8>)], source: &SourceConfig| {
            import_clips_in_memory(files, source).unwrap_err().to_string()
        };
        assert!(error(&[], &source).contains("no files were given"));
        files[1].1 = b"loop = 7\n".to_vec();
        assert!(error(&files, &source).contains("run.tags.toml"));
        files[1] = ("notes.txt".to_owned(), Vec::new());
        assert!(error(&files, &source).contains("notes.txt is no motion file"));
        let unclosed = SourceConfig { pattern: Some("{".to_owned()), ..source };
        assert!(error(&files, &unclosed).contains("source.pattern"));
        #[cfg(not(feature = "fbx"))]
        assert!(error(&[("a.fbx".to_owned(), Vec::new())], &SourceConfig::default()).contains("a.fbx"));
    }

    #[test]
    fn a_buffer_of_gltf_is_found_in_memory() {
        let source = SourceConfig::default();
        let text = br#"{ "asset": { "version": "2.0" }, "buffers": [{ "uri": "a.bin", "byteLength": 4 }],
            "bufferViews": [{ "buffer": 0, "byteLength": 4 }],
            "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 1, "type": "SCALAR" }],
            "nodes": [{ "name": "Hips" }], "scenes": [{ "nodes": [0] }],
            "animations": [{ "channels": [{ "sampler": 0, "target": { "node": 0, "path": "rotation" } }],
                "samplers": [{ "input": 0, "output": 0 }] }] }"#;
        let error = |files: &[(String, Vec<u8>)]| import_clips_in_memory(files, &source).unwrap_err().to_string();
        let gltf = ("folder/a.gltf".to_owned(), text.to_vec());
        let missing = error(std::slice::from_ref(&gltf));
        assert!(missing.contains("a.bin") && missing.contains("not among the files"), "{missing}");
        let short = error(&[gltf.clone(), ("folder/a.bin".to_owned(), vec![0; 2])]);
        assert!(short.contains("folder/a.gltf") && !short.contains("not among"), "{short}");
    }

    #[test]
    fn units_are_names_or_numbers() {
        let units = |s: &str| s.parse::<UnitSetting>().and_then(|u| u.units().map_err(|e| e.to_string()));
        assert_eq!(units("cm").unwrap(), Units::Centimetres);
        assert_eq!(units("0.0564").unwrap(), Units::MetresPerUnit(0.0564));
        assert!(units("ells").unwrap_err().contains("expected auto"));
        assert!(units("-1").is_err());
    }
}
