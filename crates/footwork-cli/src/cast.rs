//! The character of a command: a database or networks, and settings.

use crate::args::Common;
use crate::networks;
use anyhow::{Context, Result};
use footwork::database::Database;
use footwork::machine::Machine;
use footwork::matcher::{Character, MatcherConfig};
use footwork_import::{load_machine, parse_machine};
use std::path::Path;
use std::sync::Arc;

/// A character and its data.
#[derive(Debug)]
pub struct Cast {
    /// The database of its clips; for networks without one, a database with their skeleton only.
    pub db: Arc<Database>,
    pub character: Arc<Character>,
    /// Name of the search, for summaries.
    pub search: &'static str,
}

/// Opens a state machine for a database: a TOML file, or `built-in`.
pub fn open_machine(file: &Path, db: &Arc<Database>) -> Result<Arc<Machine>> {
    let spec = match file.to_str() {
        Some(networks::BUILT_IN) => parse_machine(footwork_gait::BIPED_MACHINE, Path::new("the built-in machine"))?,
        _ => load_machine(file)?,
    };
    Ok(Arc::new(Machine::new(Arc::clone(db), spec).with_context(|| named(file))?))
}

fn named(file: &Path) -> String {
    format!("state machine {}", file.display())
}

/// Name of the networks' search.
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
            // The networks contain the skeleton; they were checked when they were loaded.
            None => (Database::clone_of(networks.character()), common.character()?.matcher),
        };
        let db = Arc::new(db);
        let database = common.db.is_some().then(|| Arc::clone(&db));
        let character = Arc::new(Character::learned(networks, database, config)?);
        Ok(Self { db, character, search: PROJECTOR })
    }

    /// Creates a character of clips.
    pub fn of_database(db: &Arc<Database>, config: MatcherConfig) -> Result<Self> {
        let search = config.search.backend.name();
        let character = Arc::new(Character::new(Arc::clone(db), config)?);
        Ok(Self { db: Arc::clone(db), character, search })
    }

    /// Adds a state machine: a TOML file, or `built-in`.
    pub fn run_by(self, file: Option<&Path>) -> Result<Self> {
        let Some(file) = file else { return Ok(self) };
        let machine = open_machine(file, &self.db)?;
        self.with_machine(machine).with_context(|| named(file))
    }

    /// Adds a state machine.
    pub fn with_machine(self, machine: Arc<Machine>) -> Result<Self> {
        let character = Arc::new(self.character.with_machine(Some(machine))?);
        Ok(Self { character, ..self })
    }

    /// Returns the name of the search with other settings.
    pub fn search_with(&self, config: &MatcherConfig) -> &'static str {
        if self.search == PROJECTOR { PROJECTOR } else { config.search.backend.name() }
    }
}
