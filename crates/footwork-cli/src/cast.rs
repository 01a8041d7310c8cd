//! The character of a command: a database or networks, and settings.

use crate::args::Common;
use crate::networks;
use anyhow::Result;
use footwork::database::Database;
use footwork::matcher::{Character, MatcherConfig};
use std::sync::Arc;

/// A character and its data.
#[derive(Debug)]
pub struct Cast {
    /// The database of its clips; of networks alone the one with their body.
    pub db: Arc<Database>,
    pub character: Arc<Character>,
    /// What chooses, for summaries.
    pub search: &'static str,
}

/// What networks are called as a search.
const PROJECTOR: &str = "projector";

impl Cast {
    /// Opens `--db` (default: the built-in data) and `--learned`, with the settings of `--config`.
    pub fn open(common: &Common) -> Result<Self> {
        let Some(path) = &common.learned else {
            let (db, config) = common.open()?;
            return Self::of_database(&Arc::new(db), config);
        };
        let networks = Arc::new(networks::open(path)?);
        let (db, config) = match common.db {
            Some(_) => common.open()?,
            // The networks know the body; they were checked when they were loaded.
            None => (Database::clone_of(networks.character()), common.character()?.matcher),
        };
        let db = Arc::new(db);
        let database = common.db.is_some().then(|| Arc::clone(&db));
        let character = Arc::new(Character::learned(networks, database, config)?);
        Ok(Self { db, character, search: PROJECTOR })
    }

    /// A character of clips.
    pub fn of_database(db: &Arc<Database>, config: MatcherConfig) -> Result<Self> {
        let search = config.search.backend.name();
        let character = Arc::new(Character::new(Arc::clone(db), config)?);
        Ok(Self { db: Arc::clone(db), character, search })
    }

    /// What chooses with other settings.
    pub fn search_with(&self, config: &MatcherConfig) -> &'static str {
        if self.search == PROJECTOR { PROJECTOR } else { config.search.backend.name() }
    }
}
