//! Database and settings of a command.

use crate::args::{BuiltIn, Common};
use crate::progress;
use anyhow::Result;
use footwork::advanced::build::matches_pattern;
use footwork::build::{BuildOptions, BuildReport, build};
use footwork::clip::RawClip;
use footwork::database::Database;
use footwork_gait::GaitOptions;
use footwork_import::{CharacterConfig, check_rules};

impl Common {
    /// Returns the configuration file or the defaults. Command-line flags take precedence.
    pub fn character(&self) -> Result<CharacterConfig> {
        let mut config = match &self.config {
            Some(path) => CharacterConfig::load(path)?,
            None => CharacterConfig::default(),
        };
        if let Some(rate) = self.rate {
            config.build.pose_rate_hz = Some(rate);
            config.build.search_rate_hz = rate;
        }
        if let Some(kind) = self.search {
            config.matcher.search.backend = kind.into();
        }
        Ok(config)
    }
}

/// Returns built-in clips.
pub fn built_in(data: BuiltIn) -> Vec<RawClip> {
    footwork_gait::clips(match data {
        BuiltIn::Locomotion => &GaitOptions::BUILT_IN,
        BuiltIn::Actions => &GaitOptions::ACTIONS,
    })
}

/// True if a name contains a text, or matches it as a pattern with `*`.
pub fn name_fits(wanted: &str, name: &str) -> bool {
    if wanted.contains('*') { matches_pattern(wanted, name) } else { name.contains(wanted) }
}

/// Adds the file of the settings to an error about them.
pub fn in_file(common: &Common, error: anyhow::Error) -> anyhow::Error {
    match &common.config {
        Some(file) => error.context(file.display().to_string()),
        None => error,
    }
}

/// Returns names and files of clips, for errors about them.
pub fn sources(clips: &[RawClip]) -> Vec<(String, String)> {
    clips.iter().map(|c| (c.name.clone(), c.source.clone())).collect()
}

/// Adds the source to an error about clips or settings: the file of the clip that it names first, else the settings' file, unless
/// the message contains it.
pub fn in_source(sources: &[(String, String)], common: &Common, error: impl Into<anyhow::Error>) -> anyhow::Error {
    let error = error.into();
    let words = format!("{error:#}");
    let at = |name: &str| words.find(&format!("clip `{name}`"));
    let named = sources.iter().filter_map(|(name, file)| Some((at(name)?, file))).min_by_key(|(at, _)| *at);
    match named {
        Some((_, file)) if !words.contains(file.as_str()) => error.context(file.clone()),
        Some(_) => error,
        None => in_file(common, error),
    }
}

/// Poses of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Poses {
    /// As captured.
    Captured,
    /// As `[build.codec]` says, for a file.
    Encoded,
}

/// Builds with a progress bar.
pub fn build_clips(
    clips: Vec<RawClip>,
    config: &CharacterConfig,
    common: &Common,
    poses: Poses,
) -> Result<(Database, BuildReport)> {
    if let Some(file) = &common.config {
        check_rules(&config.build.clips, &clips, file)?;
    }
    let bar = progress::bar("building", clips.len() as u64, common.json);
    let tell = |done: usize, _| bar.set_position(done as u64);
    let encode_poses = poses == Poses::Encoded;
    let sources = sources(&clips);
    let built =
        build(clips, &config.build, &BuildOptions { encode_poses, progress: Some(&tell), ..Default::default() });
    bar.finish_and_clear();
    built.map_err(|error| in_source(&sources, common, error))
}
