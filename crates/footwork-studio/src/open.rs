//! What can be opened: databases, recordings, settings, clips.

use footwork::build::{BuildOptions, build};
use footwork::database::Database;
use footwork::learned::Networks;
use footwork::recorder::Trace;
use footwork_import::{CharacterConfig, import_clips, import_clips_in_memory};
use footwork_panels::{Session, Tuning};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files to open. None: the built-in data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Files {
    /// On disk: files and folders.
    Disk(Vec<PathBuf>),
    /// Read already, with their names: where there is no disk, as in a web page.
    Memory(Vec<(String, Vec<u8>)>),
}

impl Default for Files {
    fn default() -> Self {
        Self::Disk(Vec::new())
    }
}

impl Files {
    /// Returns the path or name of the first file.
    pub fn first(&self) -> Option<&Path> {
        match self {
            Self::Disk(paths) => paths.first().map(PathBuf::as_path),
            Self::Memory(files) => files.first().map(|(name, _)| Path::new(name)),
        }
    }

    fn count(&self) -> usize {
        match self {
            Self::Disk(paths) => paths.len(),
            Self::Memory(files) => files.len(),
        }
    }

    /// The first file, by the function that reads it from disk or the one for bytes.
    fn read<T, E: std::fmt::Display>(
        &self,
        load: fn(&Path) -> Result<T, E>,
        from_bytes: fn(&[u8], &Path) -> Result<T, E>,
    ) -> Result<T, OpenError> {
        match self {
            Self::Disk(paths) => load(paths.first().map_or(Path::new(""), PathBuf::as_path)),
            Self::Memory(files) => {
                let (name, bytes) = files.first().map_or(("", [].as_slice()), |(n, b)| (n.as_str(), b.as_slice()));
                from_bytes(bytes, Path::new(name))
            }
        }
        .map_err(error)
    }
}

/// Endings of files that can be opened.
pub(crate) const KINDS: [&str; 9] = ["fwdb", "fwtrace", "fwnet", "toml", "bvh", "fbx", "glb", "gltf", "bin"];

/// What somebody is to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chosen {
    /// One file or more.
    Files,
    /// A folder.
    Folder,
}

/// What was opened.
#[derive(Debug)]
pub enum Opened {
    /// Data, with settings.
    Session(Box<Session>),
    /// A recording of the data that is open.
    Trace(Box<Trace>),
    /// Networks for the data that is open.
    Networks(Box<Networks>),
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

/// Opens files: none for the built-in data, one database (`.fwdb`), recording (`.fwtrace`), networks (`.fwnet`) or file of settings (`.toml`), or
/// motion files and folders of them, which are built with the `[build]` table of the settings.
///
/// # Errors
/// What cannot be read, built or driven, by name.
pub fn open(files: &Files, tuning: &Tuning) -> Result<Opened, OpenError> {
    let Some(first) = files.first() else { return built_in(tuning) };
    let name = first.file_name().unwrap_or(first.as_os_str()).to_string_lossy();
    let kind = first.extension().and_then(OsStr::to_str).map(str::to_lowercase);
    match kind.as_deref().filter(|_| files.count() == 1) {
        Some("fwdb") => session(&name, files.read(Database::load, Database::from_bytes)?, tuning),
        Some("fwtrace") => Ok(Opened::Trace(Box::new(files.read(Trace::load, Trace::from_bytes)?))),
        Some("fwnet") => Ok(Opened::Networks(Box::new(files.read(Networks::load, Networks::from_bytes)?))),
        Some("toml") => {
            let tuning = files.read(load_settings, parse_settings)?;
            Ok(Opened::Settings(Box::new(tuning), first.to_owned()))
        }
        _ => {
            let config = character(tuning)?;
            let imported = match files {
                Files::Disk(paths) => import_clips(paths, Path::new(""), &config.source, None),
                Files::Memory(files) => import_clips_in_memory(files, &config.source),
            };
            let clips = imported.map_err(error)?.clips;
            let built = build(&clips, &config.build, &BuildOptions::default()).map_err(error)?;
            session(&name, built.0, tuning)
        }
    }
}

/// Bytes of a file of settings, at most.
const MOST_TOML_BYTES: u64 = 16 << 20;

fn load_settings(path: &Path) -> Result<Tuning, String> {
    let bytes = footwork::files::read_at_most(path, MOST_TOML_BYTES);
    parse_settings(&bytes.map_err(|e| format!("{}: {e}", path.display()))?, path)
}

fn parse_settings(bytes: &[u8], path: &Path) -> Result<Tuning, String> {
    let text = std::str::from_utf8(bytes).map_err(|e| format!("{}: not text in UTF-8: {e}", path.display()))?;
    Tuning::parse(text).map_err(|e| format!("{}: {e}", path.display()))
}

fn character(tuning: &Tuning) -> Result<CharacterConfig, OpenError> {
    CharacterConfig::parse(&tuning.text(), Path::new("settings")).map_err(error)
}

fn built_in(tuning: &Tuning) -> Result<Opened, OpenError> {
    let clips = footwork_gait::clips(&footwork_gait::GaitOptions { terrain: true, ..Default::default() });
    let (database, _) = build(&clips, &character(tuning)?.build, &BuildOptions::default()).map_err(error)?;
    #[cfg_attr(target_arch = "wasm32", expect(unused_mut))]
    let mut opened = session("built-in data", database, tuning)?;
    // Settings may build other features; a page would grow by half.
    #[cfg(not(target_arch = "wasm32"))]
    if let (Opened::Session(session), Ok(networks)) =
        (&mut opened, Networks::from_bytes(footwork_gait::BIPED_NETWORKS, Path::new("built-in")))
        && networks.check_schema(session.database()).is_ok()
    {
        session.set_networks(Arc::new(networks)).map_err(error)?;
    }
    Ok(opened)
}

fn session(name: &str, database: Database, tuning: &Tuning) -> Result<Opened, OpenError> {
    let made = Session::new(name, Arc::new(database), tuning.clone());
    made.map(|session| Opened::Session(Box::new(session))).map_err(|e| error(format!("{name}: {e}")))
}
