//! Cache of the built-in database: generating and building it takes ten times as long as loading it.

use crate::args::{BuiltIn, Common};
use crate::database::{Poses, build_clips, built_in, in_file};
use anyhow::{Context, Result, bail};
use footwork::database::Database;
use footwork::matcher::MatcherConfig;
use footwork_import::{CharacterConfig, cache_folder};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use xxhash_rust::xxh3::xxh3_128;

/// Maximum number of cached databases, for different `[build]` tables and programs. Each has about 50 MB.
const MOST: usize = 3;

impl Common {
    /// Returns the database of `--db`, or one built from the built-in data, and the matcher settings.
    pub fn open(&self) -> Result<(Database, MatcherConfig)> {
        let config = self.character()?;
        let db = match &self.db {
            Some(_) if self.rate.is_some() => bail!("--rate is for building: the rates of --db are fixed"),
            Some(path) => Database::load(path)?,
            None => database(&config, self)?,
        };
        let fits = config.matcher.validate(&db).context("the configuration does not fit the database");
        fits.map_err(|error| in_file(self, error))?;
        Ok((db, config.matcher))
    }
}

/// Returns version, size and time of this program: another build of it may read files and make clips differently.
pub fn program() -> Option<String> {
    let program = fs::metadata(std::env::current_exe().ok()?).ok()?;
    let made = program.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("footwork {} {} {}", env!("CARGO_PKG_VERSION"), program.len(), made.as_nanos()))
}

/// Returns the built-in database: from the cache if it contains one of this program and these settings, else a new one, which
/// is added to it. The cache is in the user's cache folder, or in FOOTWORK_CACHE (`off`: no cache).
///
/// # Errors
/// Returns an error if the settings do not fit the built-in data. An unusable cache is not an error.
pub fn database(config: &CharacterConfig, common: &Common) -> Result<Database> {
    let file = file(config, common.data);
    // A damaged file has a wrong hash: it is written again.
    if let Some(kept) = file.as_ref().and_then(|file| Database::load(file).ok()) {
        return Ok(kept);
    }
    let (db, _) = build_clips(built_in(common.data), config, common, Poses::Captured)?;
    if let Some(file) = file {
        keep(&db, &file);
    }
    Ok(db)
}

fn file(config: &CharacterConfig, data: BuiltIn) -> Option<PathBuf> {
    let folder = cache_folder(&std::env::current_exe().ok()?)?;
    let key = format!("{} {data:?} {}", program()?, serde_json::to_string(&config.build).ok()?);
    Some(folder.join(format!("{:032x}.fwdb", xxh3_128(key.as_bytes()))))
}

/// Writes a database, and removes the oldest ones. A failed write is not an error: the next command takes longer.
fn keep(db: &Database, file: &Path) {
    let Some(folder) = file.parent().filter(|folder| fs::create_dir_all(folder).is_ok()) else { return };
    if db.save(file).is_err() {
        return;
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let age = |path: PathBuf| Some((fs::metadata(&path).ok()?.modified().ok()?, path));
    let databases = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "fwdb"));
    let mut kept: Vec<_> = databases.filter_map(age).collect();
    kept.sort();
    for (_, path) in kept.iter().rev().skip(MOST) {
        // Another command may have removed it.
        let _ = fs::remove_file(path);
    }
}
