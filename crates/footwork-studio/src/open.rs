//! What can be opened: databases, recordings, settings, clips.

use footwork::build::{BuildOptions, build};
use footwork::database::Database;
use footwork::recorder::Trace;
use footwork_import::{CharacterConfig, import_clips};
use footwork_panels::{Session, Tuning};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What was opened.
#[derive(Debug)]
pub enum Opened {
    /// Data, with settings.
    Session(Box<Session>),
    /// A recording of the data that is open.
    Trace(Box<Trace>),
    /// Settings for the data that is open, and where they are saved.
    Settings(Box<Tuning>, PathBuf),
}

/// Why a file was not opened, in words that name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenError(pub String);

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for OpenError {}

fn error(what: impl ToString) -> OpenError {
    OpenError(what.to_string())
}

/// Opens what the paths name: nothing for the built-in data, one database (`.fwdb`), recording (`.fwtrace`) or file of settings
/// (`.toml`), or motion files and folders of them, which are built with the `[build]` table of the settings.
///
/// # Errors
/// What cannot be read, built or driven, by name.
pub fn open(paths: &[PathBuf], tuning: &Tuning) -> Result<Opened, OpenError> {
    let kind = |path: &PathBuf| path.extension().and_then(OsStr::to_str).map(str::to_lowercase).unwrap_or_default();
    match paths {
        [] => session("built-in data", built_in(tuning)?, tuning),
        [path] if kind(path) == "fwdb" => session(&name(path), Database::load(path).map_err(error)?, tuning),
        [path] if kind(path) == "fwtrace" => Ok(Opened::Trace(Box::new(Trace::load(path).map_err(error)?))),
        [path] if kind(path) == "toml" => {
            let text = footwork::files::read_text_at_most(path, MOST_TOML_BYTES);
            let text = text.map_err(|e| error(format!("{}: {e}", path.display())))?;
            let tuning = Tuning::parse(&text).map_err(|e| error(format!("{}: {e}", path.display())))?;
            Ok(Opened::Settings(Box::new(tuning), path.clone()))
        }
        clips => {
            let config = character(tuning)?;
            let imported = import_clips(clips, Path::new(""), &config.source, None).map_err(error)?;
            let built = build(&imported.clips, &config.build, &BuildOptions::default()).map_err(error)?;
            session(&name(&clips[0]), built.0, tuning)
        }
    }
}

/// Bytes of a file of settings, at most.
const MOST_TOML_BYTES: u64 = 16 << 20;

fn character(tuning: &Tuning) -> Result<CharacterConfig, OpenError> {
    CharacterConfig::parse(&tuning.text(), Path::new("settings")).map_err(error)
}

fn built_in(tuning: &Tuning) -> Result<Database, OpenError> {
    let clips = footwork_gait::clips(&footwork_gait::GaitOptions { terrain: true, ..Default::default() });
    Ok(build(&clips, &character(tuning)?.build, &BuildOptions::default()).map_err(error)?.0)
}

fn session(name: &str, database: Database, tuning: &Tuning) -> Result<Opened, OpenError> {
    let made = Session::new(name, Arc::new(database), tuning.clone());
    made.map(|session| Opened::Session(Box::new(session))).map_err(|e| error(format!("{name}: {e}")))
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
