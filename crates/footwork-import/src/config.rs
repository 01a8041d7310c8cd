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

use crate::config_error::ConfigFileError;
use crate::place::Place;
use crate::ranges::RangeSpec;
use crate::sidecar::parse_toml;
use footwork::build::BuildConfig;
use footwork::matcher::MatcherConfig;
use footwork::settings;
use std::path::Path;

pub use crate::import::{import_clips, import_clips_cached, import_clips_in_memory, motion_files, read_clips};
pub use crate::unit_setting::UnitSetting;

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

/// Maximum size of a TOML file, in bytes: far above any real configuration.
const MOST_TOML_BYTES: u64 = 16 << 20;

pub(crate) fn read_text(place: Place, path: &Path) -> Result<String, ConfigFileError> {
    place.read_text(path, MOST_TOML_BYTES).map_err(|error| ConfigFileError::Read { path: path.to_owned(), error })
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
