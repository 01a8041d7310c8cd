//! The phases of `footwork.ray.build_corpus`; `python/footwork/ray.py` runs them as tasks.

use crate::config::Config;
use crate::database::{Database, paths_of};
use crate::error::{error, rejected};
use footwork_import::Corpus;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};

/// Identifies the package: files that another version has read are read again.
const PROGRAM: &str = concat!("footwork-python ", env!("CARGO_PKG_VERSION"));

/// Lists the motion files of a corpus in a folder. Returns their number.
#[pyfunction]
pub fn corpus_survey(
    py: Python,
    folder: PathBuf,
    paths: &Bound<PyAny>,
    config: Option<Bound<PyAny>>,
) -> PyResult<usize> {
    let (paths, config) = (paths_of(paths)?, Config::of(config.as_ref())?);
    let settings = (&config.character, config.file.as_deref());
    let survey = || Corpus::survey(&folder, (&paths, Path::new("")), settings, PROGRAM);
    Ok(py.detach(survey).map_err(rejected)?.files().len())
}

/// Reads the files of shard `shard` of `shards`, from 0, into the folder. Returns their number.
#[pyfunction]
pub fn corpus_extract(py: Python, folder: PathBuf, shard: usize, shards: usize) -> PyResult<usize> {
    if shard >= shards {
        return Err(error(format_args!("`shard`: expected a number below {shards}, found {shard}")));
    }
    py.detach(|| Ok(Corpus::open(&folder, PROGRAM).map_err(rejected)?.extract(shard, shards)))
}

/// Builds from the folder and writes the database. Returns the number of files that the shards had read.
#[pyfunction]
pub fn corpus_merge(py: Python, folder: PathBuf, output: PathBuf) -> PyResult<usize> {
    py.detach(|| {
        let corpus = Corpus::open(&folder, PROGRAM).map_err(rejected)?;
        let (character, file) = corpus.config();
        let config = Config { character: character.clone(), file: file.map(Path::to_owned) };
        let (imported, read) = corpus.import(&config.character.source, None).map_err(rejected)?;
        Database::from_clips(imported, &config, true)?.save_to(&output)?;
        Ok(read)
    })
}
