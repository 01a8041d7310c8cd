//! The phases of a build that several processes share: a survey lists the files, each shard reads a part of them into a folder,
//! and a last process builds from that folder. The database is the same as that of one process, byte for byte.

use crate::cache::ClipCache;
use crate::config::{CharacterConfig, SourceConfig, import_clips_cached};
use crate::config_error::ConfigFileError;
use crate::find::find;
use crate::imported::Imported;
use crate::loaded::load;
use crate::place::Place;
use crate::units::Units;
use footwork::advanced::files::write_atomically;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A corpus: motion files, and a folder for what was read from them.
///
/// The folder must be on a disk that all processes share. Files that changed since they were read, and files that no shard read,
/// are read again by [`Corpus::import`].
#[derive(Debug)]
pub struct Corpus {
    folder: PathBuf,
    survey: Survey,
}

/// The file `survey.json` of the folder.
#[derive(Debug, Serialize, Deserialize)]
struct Survey {
    /// Identity of the program: another one may read files differently.
    program: String,
    /// Files, folders and patterns.
    inputs: Vec<PathBuf>,
    /// Folder of relative inputs.
    base: PathBuf,
    config: CharacterConfig,
    config_file: Option<PathBuf>,
    /// Files and their sizes in bytes, the largest first.
    files: Vec<(PathBuf, u64)>,
}

impl Corpus {
    /// Lists the motion files of some inputs (files, folders and patterns, relative ones under `base`), and writes the list and
    /// the configuration to a folder. `program` identifies the program with its version; files read by another one are not used.
    ///
    /// # Errors
    /// Returns a [`ConfigFileError`] if a folder cannot be listed, a folder or pattern gives nothing, or the folder cannot be
    /// written.
    pub fn survey(
        folder: &Path,
        (inputs, base): (&[PathBuf], &Path),
        (config, config_file): (&CharacterConfig, Option<&Path>),
        program: &str,
    ) -> Result<Self, ConfigFileError> {
        let absolute = |path: &Path| std::path::absolute(path).map_err(|error| unread(path, error));
        // Not of an empty path: that is this folder.
        let base = absolute(&Path::new(".").join(base))?;
        let found = find(inputs, &base)?;
        // A missing file gets its error where it is read.
        let size = |path: &Path| fs::metadata(path).map_or(0, |m| m.len());
        let mut files: Vec<(PathBuf, u64)> = found.into_iter().map(|f| (f.path.clone(), size(&f.path))).collect();
        files.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let config_file = config_file.map(absolute).transpose()?;
        let (program, inputs) = (program.to_owned(), inputs.to_vec());
        let survey = Survey { program, inputs, base, config: config.clone(), config_file, files };
        let path = survey_file(folder);
        let written = serde_json::to_vec(&survey).map_err(io::Error::other).and_then(|text| {
            fs::create_dir_all(folder)?;
            write_atomically(&path, |out| out.write_all(&text))
        });
        written.map_err(|error| ConfigFileError::Write { path, error })?;
        Ok(Self { folder: folder.to_owned(), survey })
    }

    /// Opens a folder that [`Corpus::survey`] has written. `program`: as there.
    ///
    /// # Errors
    /// Returns a [`ConfigFileError`] if the folder has no survey, or that of another program.
    pub fn open(folder: &Path, program: &str) -> Result<Self, ConfigFileError> {
        let path = survey_file(folder);
        let text = fs::read(&path).map_err(|error| unread(&path, error))?;
        let survey: Survey = serde_json::from_slice(&text).map_err(|e| ConfigFileError::Parse {
            path: path.clone(),
            message: format!("{e}; survey the corpus again"),
        })?;
        if survey.program != program {
            let message =
                format!("expected the survey of `{program}`, found that of `{}`; survey again", survey.program);
            return Err(ConfigFileError::Parse { path, message });
        }
        Ok(Self { folder: folder.to_owned(), survey })
    }

    /// Returns the files and their sizes in bytes, the largest first: the order in which shards take turns.
    pub fn files(&self) -> &[(PathBuf, u64)] {
        &self.survey.files
    }

    /// Returns the configuration, and the file that it came from.
    pub fn config(&self) -> (&CharacterConfig, Option<&Path>) {
        (&self.survey.config, self.survey.config_file.as_deref())
    }

    /// Reads the BVH files of shard `shard` of `shards` (from 0) into the folder, one after the other: memory is bounded by the
    /// largest file. Files that were read before are skipped, so that an interrupted shard can be repeated. Returns the number of
    /// files that the folder holds of the shard. Other formats and unreadable files are left to [`Corpus::import`].
    pub fn extract(&self, shard: usize, shards: usize) -> usize {
        let cache = self.cache();
        let units = self.survey.config.source.units.units().unwrap_or(Units::Auto);
        let files = self.survey.files.iter().skip(shard).step_by(shards.max(1));
        let read = |path: &Path| {
            let Ok(file) = load(Place::Disk, path, Some(&cache)) else { return false };
            // Most files of a corpus have the unit that is guessed from them alone; others are read again later.
            file.guess().is_some() && file.clips(Place::Disk, path, units, Some(&cache)).is_ok()
        };
        files.filter(|(path, _)| read(path)).count()
    }

    /// Returns the clips, as [`crate::import_clips`] does, and the number of files that were taken from the folder.
    ///
    /// # Errors
    /// As [`crate::import_clips`].
    pub fn import(
        &self,
        source: &SourceConfig,
        on_progress: Option<&(dyn Fn(usize, usize) + Sync)>,
    ) -> Result<(Imported, usize), ConfigFileError> {
        let (cache, survey) = (self.cache(), &self.survey);
        let imported = import_clips_cached(&survey.inputs, &survey.base, source, on_progress, Some(&cache))?;
        Ok((imported, cache.hits()))
    }

    fn cache(&self) -> ClipCache {
        ClipCache::new(self.folder.join("clips"), &self.survey.program)
    }
}

fn survey_file(folder: &Path) -> PathBuf {
    folder.join("survey.json")
}

fn unread(path: &Path, error: io::Error) -> ConfigFileError {
    ConfigFileError::Read { path: path.to_owned(), error }
}
