//! The phases of `footwork.ray.build_corpus`, which `python/footwork/ray/corpus.py` runs as tasks, and the shards of a database.

use crate::arrays::values;
use crate::config::Config;
use crate::database::{Database, paths_of};
use crate::error::{error, rejected};
use crate::json;
use crate::search::clips_within;
use footwork::database::Database as Content;
use footwork::frames::FrameIndex;
use footwork_import::{Corpus, Shards};
use pyo3::prelude::*;
use std::collections::BTreeSet;
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

/// Reads a manifest of shards. Returns the number of its clips, of its rows, and its shards as dictionaries.
#[pyfunction]
pub fn shards_open(py: Python, manifest: PathBuf) -> PyResult<(usize, usize, Bound<PyAny>)> {
    let shards = py.detach(|| Shards::open(&manifest)).map_err(rejected)?;
    let (clips, rows) = shards.size();
    Ok((clips, rows, json::object(py, &shards.list())?))
}

/// Reads shard `shard` of a manifest, from 0.
#[pyfunction]
pub fn shard_load(py: Python, manifest: PathBuf, shard: usize) -> PyResult<Database> {
    py.detach(|| {
        let shards = Shards::open(&manifest).map_err(rejected)?;
        let count = shards.list().len();
        if shard >= count {
            return Err(error(format_args!(
                "{}: expected more than {shard} shards, found {count}",
                manifest.display()
            )));
        }
        Ok(Database::of(shards.load(shard).map_err(rejected)?))
    })
}

/// Returns the database of some clips, with their stored mirror images.
#[pyfunction]
pub fn database_part(py: Python, database: &Database, clips: Vec<usize>) -> PyResult<Database> {
    let db = &database.content;
    if let Some(clip) = clips.iter().find(|clip| **clip >= db.clips.len()) {
        return Err(error(format_args!("`clips`: expected numbers below {}, found {clip}", db.clips.len())));
    }
    py.detach(|| {
        let original = |clip: usize| db.clip_of_frame(FrameIndex(db.clips[clip].first_frame)).at();
        let originals: BTreeSet<usize> = clips.into_iter().map(original).collect();
        let part = db.part(&originals.into_iter().collect::<Vec<_>>());
        Ok(Database::of(part.map_err(rejected)?.0))
    })
}

/// Joins parts of the database of a manifest. The result excludes the rows that the whole database excludes.
#[pyfunction]
pub fn database_join(py: Python, manifest: PathBuf, parts: Vec<Py<Database>>) -> PyResult<Database> {
    let parts: Vec<&Content> = parts.iter().map(|part| &*part.get().content).collect();
    py.detach(|| {
        let joined = Content::join(&parts).map_err(rejected)?;
        Ok(Database::of(Shards::open(&manifest).and_then(|shards| shards.setting_aside(joined)).map_err(rejected)?))
    })
}

/// Returns the original clips that have, themselves or their mirror images, a row whose features cost no more than the limit of one of the searches: (features, weights, limit).
#[pyfunction]
pub fn database_within(
    py: Python,
    database: &Database,
    searches: Vec<(Bound<PyAny>, Bound<PyAny>, f32)>,
) -> PyResult<BTreeSet<usize>> {
    let (db, mut found) = (&database.content, BTreeSet::new());
    for (features, weights, limit) in searches {
        let columns: &[&[usize]] = &[&[db.features.columns]];
        let features = values::<f32>("features", &features, columns)?.0;
        let weights = values::<f32>("weights", &weights, columns)?.0;
        found.extend(py.detach(|| clips_within(db, &features, &weights, limit)));
    }
    Ok(found)
}
