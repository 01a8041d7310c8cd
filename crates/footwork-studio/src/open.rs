//! Files to open: databases, recordings, settings, clips, sidecars. Background work on clips.

use footwork::build::{BuildOptions, build};
use footwork::database::Database;
use footwork::learned::Networks;
use footwork::recorder::Trace;
use footwork_import::{CharacterConfig, Imported, Take, import_clips, import_clips_in_memory};
use footwork_panels::{Findings, Job, Session, Sources, Tuning};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files to open. Without files: the built-in data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Files {
    /// Files and folders on disk.
    Disk(Vec<PathBuf>),
    /// Names and contents of files, where there is no disk, as in a web page.
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

    /// Replaces or adds a file in memory. Does nothing for files on disk.
    pub(crate) fn put(&mut self, path: &Path, text: &str) {
        let Self::Memory(files) = self else { return };
        let bytes = text.as_bytes().to_vec();
        match files.iter_mut().find(|(name, _)| Path::new(name) == path) {
            Some((_, old)) => *old = bytes,
            None => files.push((path.display().to_string(), bytes)),
        }
    }

    fn names(&self) -> Vec<&Path> {
        match self {
            Self::Disk(paths) => paths.iter().map(PathBuf::as_path).collect(),
            Self::Memory(files) => files.iter().map(|(name, _)| Path::new(name)).collect(),
        }
    }

    /// Splits the files into groups in the order of opening: data first (databases, then all motion files together), then files
    /// that need data (settings, state machines, networks, recordings). Empty without files.
    pub(crate) fn in_order(self) -> Vec<Self> {
        match self {
            Self::Disk(paths) => sorted(paths, |path| path).into_iter().map(Self::Disk).collect(),
            Self::Memory(files) => sorted(files, |(name, _)| Path::new(name)).into_iter().map(Self::Memory).collect(),
        }
    }

    /// Returns true if there are files, and none contains its own data.
    pub(crate) fn need_data(&self) -> bool {
        !self.names().is_empty() && self.names().iter().all(|name| rank(name) > MOTION)
    }

    /// Returns true if all files are sidecars.
    fn are_sidecars(&self) -> bool {
        let names = self.names();
        !names.is_empty() && names.iter().all(|n| n.to_string_lossy().ends_with(".tags.toml"))
    }

    fn count(&self) -> usize {
        match self {
            Self::Disk(paths) => paths.len(),
            Self::Memory(files) => files.len(),
        }
    }

    /// Reads the first file, with `load` from disk or `from_bytes` from memory.
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

/// Ranks of motion files and sidecars in the order of opening.
const MOTION: usize = 1;
const SIDECARS: usize = 2;

/// Returns the rank of a file in the order of opening.
fn rank(path: &Path) -> usize {
    let name = path.to_string_lossy().to_lowercase();
    let ends = |ending: &str| name.ends_with(ending);
    match () {
        () if ends(".fwdb") => 0,
        () if ends(".tags.toml") => SIDECARS,
        () if ends(".machine.toml") => 4,
        () if ends(".toml") => 3,
        () if ends(".fwnet") => 5,
        () if ends(".fwtrace") => 6,
        () => MOTION,
    }
}

/// Groups files by kind, in order. Motion files form one group with their sidecars, and sidecars alone form one group. Every
/// other file is its own group.
fn sorted<T>(files: Vec<T>, path: impl Fn(&T) -> &Path) -> Vec<Vec<T>> {
    let has_motion = files.iter().any(|file| rank(path(file)) == MOTION);
    let place = |file: &T| match rank(path(file)) {
        SIDECARS if has_motion => MOTION,
        rank => rank,
    };
    let mut by_place: BTreeMap<usize, Vec<T>> = BTreeMap::new();
    for file in files {
        by_place.entry(place(&file)).or_default().push(file);
    }
    let groups = by_place.into_iter().flat_map(|(place, group)| match place {
        MOTION | SIDECARS => vec![group],
        _ => group.into_iter().map(|file| vec![file]).collect(),
    });
    groups.collect()
}

/// Extensions of files that can be opened.
pub(crate) const KINDS: [&str; 9] = ["fwdb", "fwtrace", "fwnet", "toml", "bvh", "fbx", "glb", "gltf", "bin"];

/// Selection in a file dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chosen {
    /// One file or more.
    Files,
    /// A folder.
    Folder,
}

/// Result of opening files, or of background work.
#[derive(Debug)]
pub enum Opened {
    /// Data, with settings.
    Session(Box<Session>),
    /// Recording of the open data.
    Trace(Box<Trace>),
    /// Networks for the open data.
    Networks(Box<Networks>),
    /// Settings for the open data, and the file where they are saved.
    Settings(Box<Tuning>, PathBuf),
    /// File of a state machine for the open data: path and text.
    Machine(PathBuf, String),
    /// Sidecars of clips of the open data: names and texts.
    Sidecars(Vec<(String, String)>),
    /// The open data, rebuilt.
    Rebuilt(Box<Session>),
    /// Findings of the doctor in the clips of the open data.
    Findings(Box<Findings>),
}

/// Background work.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// Open files.
    Open(Files),
    /// Rebuild the data of motion files.
    Rebuild(Files),
    /// Run the doctor on motion files.
    Examine(Files),
    /// Run the doctor on a database without its files.
    ExamineDatabase(Arc<Database>),
}

impl Work {
    /// Starts the work in the background.
    pub fn start(self, tuning: Tuning) -> Job<Opened, OpenError> {
        Job::start(move || self.run(&tuning))
    }

    fn run(&self, tuning: &Tuning) -> Result<Opened, OpenError> {
        match self {
            Self::Open(files) => open(files, tuning),
            Self::Rebuild(files) => match open(files, tuning)? {
                Opened::Session(session) => Ok(Opened::Rebuilt(session)),
                other => Ok(other),
            },
            Self::Examine(files) => {
                let config = character(tuning)?;
                let Imported { clips, fixes, .. } = import(files, &config)?;
                let found = Findings::of_clips(clips, &fixes, &config).map_err(error)?;
                Ok(Opened::Findings(Box::new(found)))
            }
            Self::ExamineDatabase(database) => {
                let found = Findings::of_database(database, &character(tuning)?).map_err(error)?;
                Ok(Opened::Findings(Box::new(found)))
            }
        }
    }
}

/// Error message of opening a file, including its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenError(pub String);

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for OpenError {}

impl From<String> for OpenError {
    fn from(what: String) -> Self {
        Self(what)
    }
}

fn error(what: impl ToString) -> OpenError {
    OpenError(what.to_string())
}

/// Opens files. Without files, opens the built-in data. Otherwise opens one database (`.fwdb`), recording (`.fwtrace`), networks
/// (`.fwnet`), settings (`.toml`) or state machine (`.machine.toml`, or a `.toml` with states); or sidecars (`.tags.toml`); or
/// motion files and folders of them, built with the `[build]` table of the settings.
///
/// # Errors
/// Returns [`OpenError`] if a file cannot be read, the clips cannot be built, or the data does not fit the settings.
pub fn open(files: &Files, tuning: &Tuning) -> Result<Opened, OpenError> {
    let Some(first) = files.first() else { return built_in(tuning) };
    let name = first.file_name().unwrap_or(first.as_os_str()).to_string_lossy();
    let kind = first.extension().and_then(OsStr::to_str).map(str::to_lowercase);
    if files.are_sidecars() {
        return sidecars(files);
    }
    match kind.as_deref().filter(|_| files.count() == 1) {
        Some("fwdb") => session(&name, files.read(Database::load, Database::from_bytes)?, tuning),
        Some("fwtrace") => Ok(Opened::Trace(Box::new(files.read(Trace::load, Trace::from_bytes)?))),
        Some("fwnet") => Ok(Opened::Networks(Box::new(files.read(Networks::load, Networks::from_bytes)?))),
        Some("toml") => {
            let text = files.read(load_text, parse_text)?;
            if is_machine(first, &text) {
                return Ok(Opened::Machine(absolute_path(first), text));
            }
            let tuning = Tuning::parse(&text).map_err(|e| error(format!("{}: {e}", first.display())))?;
            Ok(Opened::Settings(Box::new(tuning), first.to_owned()))
        }
        _ => {
            let config = character(tuning)?;
            let Imported { clips, takes, origins, .. } = import(files, &config)?;
            let built = build(&clips, &config.build, &BuildOptions::default()).map_err(error)?;
            let sources = Sources {
                takes: takes.into_iter().map(absolute).collect(),
                clips: clips.into_iter().map(|c| c.name).zip(origins).collect(),
            };
            let made = Session::new(name.clone(), Arc::new(built.0), tuning.clone());
            let made = made.and_then(|session| session.with_sources(sources));
            made.map(|session| Opened::Session(Box::new(session))).map_err(|e| error(format!("{name}: {e}")))
        }
    }
}

fn import(files: &Files, config: &CharacterConfig) -> Result<Imported, OpenError> {
    let imported = match files {
        Files::Disk(paths) => import_clips(paths, Path::new(""), &config.source, None),
        Files::Memory(files) => import_clips_in_memory(files, &config.source),
    };
    imported.map_err(error)
}

/// Returns a take with an absolute path of its sidecar.
fn absolute(take: Take) -> Take {
    Take { sidecar: absolute_path(&take.sidecar), ..take }
}

/// Returns an absolute path. A web page has no folders, so there it is unchanged.
fn absolute_path(path: &Path) -> PathBuf {
    match cfg!(target_arch = "wasm32") {
        true => path.to_owned(),
        false => std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
    }
}

/// Returns true for the file of a state machine, recognised by its name or by states in it.
fn is_machine(path: &Path, text: &str) -> bool {
    let named = path.to_string_lossy().ends_with(".machine.toml");
    named || text.lines().any(|line| line.trim_start().starts_with("[[states]]"))
}

/// Reads sidecars, without the clips that they belong to.
fn sidecars(files: &Files) -> Result<Opened, OpenError> {
    let name = |path: &Path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let text = |path: &Path, bytes: Vec<u8>| {
        let text = String::from_utf8(bytes);
        text.map_err(|e| error(format!("{}: not text in UTF-8: {}", path.display(), e.utf8_error())))
    };
    let read = match files {
        Files::Disk(paths) => paths
            .iter()
            .map(|path| {
                let bytes = footwork::advanced::files::read_at_most(path, MOST_TOML_BYTES);
                Ok((name(path), text(path, bytes.map_err(|e| error(format!("{}: {e}", path.display())))?)?))
            })
            .collect::<Result<Vec<_>, OpenError>>(),
        Files::Memory(files) => {
            files.iter().map(|(n, bytes)| Ok((name(Path::new(n)), text(Path::new(n), bytes.clone())?))).collect()
        }
    };
    Ok(Opened::Sidecars(read?))
}

/// Maximum size of a file of settings or of a state machine, in bytes.
const MOST_TOML_BYTES: u64 = 16 << 20;

fn load_text(path: &Path) -> Result<String, String> {
    let bytes = footwork::advanced::files::read_at_most(path, MOST_TOML_BYTES);
    parse_text(&bytes.map_err(|e| format!("{}: {e}", path.display()))?, path)
}

fn parse_text(bytes: &[u8], path: &Path) -> Result<String, String> {
    let text = std::str::from_utf8(bytes).map_err(|e| format!("{}: not text in UTF-8: {e}", path.display()))?;
    Ok(text.to_owned())
}

fn character(tuning: &Tuning) -> Result<CharacterConfig, OpenError> {
    CharacterConfig::parse(&tuning.text(), Path::new("settings")).map_err(error)
}

fn built_in(tuning: &Tuning) -> Result<Opened, OpenError> {
    let clips = footwork_gait::clips(&footwork_gait::GaitOptions::BUILT_IN);
    let (database, _) = build(&clips, &character(tuning)?.build, &BuildOptions::default()).map_err(error)?;
    let mut opened = session("built-in data", database, tuning)?;
    if let Opened::Session(session) = &mut opened {
        session
            .open_machine(Path::new("biped.machine.toml"), footwork_gait::BIPED_MACHINE.to_owned(), None)
            .map_err(error)?;
    }
    // The networks fit only if the settings keep their features. A web page omits them, as they would make it half as large
    // again.
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
