//! Files of a kind that a flag does not take: their kind, and the command or flag that takes them.

use crate::args::{Cli, Command, CorpusCommand};
use crate::course;
use crate::kind::found;
use anyhow::{Result, bail};
use footwork::advanced::files::read_text_at_most;
use std::path::{Path, PathBuf};

/// Maximum number of bytes of a TOML file that are read.
const MOST_BYTES: u64 = 1 << 20;

/// Kind of file that a flag takes.
#[derive(Clone, Copy, PartialEq)]
enum Takes {
    Database,
    Recording,
    Networks,
    Motion,
    Settings,
    Machine,
    Chooser,
    Course,
    /// A rigged character.
    Mesh,
}

impl Takes {
    fn named(self) -> &'static str {
        match self {
            Self::Database => "a database (.fwdb)",
            Self::Recording => "a recording (.fwtrace)",
            Self::Networks => "networks (.fwnet)",
            Self::Motion => "motion (.bvh, .glb, .gltf, .fbx)",
            Self::Settings => "settings (.toml)",
            Self::Machine => "a state machine (.machine.toml)",
            Self::Chooser => "a chooser (.chooser.toml)",
            Self::Course => "a course (.csv)",
            Self::Mesh => "a rigged character (.glb)",
        }
    }

    fn takes(self, kind: &str) -> bool {
        match self {
            Self::Database => kind == "fwdb",
            Self::Recording => kind == "fwtrace",
            Self::Networks => kind == "fwnet",
            Self::Motion => ["bvh", "glb", "gltf", "fbx"].contains(&kind),
            Self::Settings => kind == "settings",
            Self::Machine => kind == "machine",
            Self::Chooser => kind == "chooser",
            Self::Course => false,
            Self::Mesh => kind == "glb",
        }
    }
}

/// Rejects files of a known kind that their flag does not take.
///
/// # Errors
/// Returns an error about the first such file, with its kind and the command or flag that takes it.
pub fn check(cli: &Cli) -> Result<()> {
    inputs(cli).into_iter().try_for_each(|(flag, path, takes)| check_one(flag, &path, takes))
}

fn check_one(flag: &str, path: &Path, takes: Takes) -> Result<()> {
    let Some(kind) = found(path).or_else(|| toml(path)).filter(|kind| !takes.takes(kind)) else { return Ok(()) };
    let shown = path.display();
    let database = path.with_extension("fwdb");
    let (what, advice) = match kind {
        "bvh" | "glb" | "gltf" | "fbx" if takes == Takes::Mesh => {
            let glb = path.with_extension("glb");
            (
                format!("motion (.{kind})"),
                format!("`footwork convert {shown} -o {}` makes a .glb file of it", glb.display()),
            )
        }
        "bvh" | "glb" | "gltf" | "fbx" => (
            format!("motion (.{kind})"),
            format!("`footwork build {shown} -o {}` makes a database of it", database.display()),
        ),
        "fwdb" => ("a database".to_owned(), format!("`footwork inspect --db {shown}` lists it, and --db takes it")),
        "fwtrace" => ("a recording".to_owned(), format!("`footwork replay {shown}` plays it")),
        "fwnet" => ("networks".to_owned(), "--learned takes them".to_owned()),
        "machine" => ("a state machine".to_owned(), "--machine takes it".to_owned()),
        "chooser" => ("a chooser".to_owned(), "--chooser takes it".to_owned()),
        "settings" => ("settings".to_owned(), "--config takes it".to_owned()),
        other => (format!("a .{other} file"), "name another file".to_owned()),
    };
    bail!("{flag} {shown}: expected {}, found {what}: {advice}", takes.named());
}

/// Returns the kind of a TOML file, by its tables.
fn toml(path: &Path) -> Option<&'static str> {
    if path.extension()? != "toml" || !path.is_file() {
        return None;
    }
    let table: toml::Table = read_text_at_most(path, MOST_BYTES).ok()?.parse().ok()?;
    let has = |keys: &[&str]| keys.iter().any(|key| table.contains_key(*key));
    match () {
        () if has(&["states", "transitions", "montages"]) => Some("machine"),
        () if has(&["characters", "rows"]) => Some("chooser"),
        () if has(&["source", "build", "matcher"]) => Some("settings"),
        () => None,
    }
}

/// Returns the files of a command: flag, path, and the expected kind.
fn inputs(cli: &Cli) -> Vec<(&'static str, PathBuf, Takes)> {
    let mut inputs = Vec::new();
    let mut add = |flag: &'static str, paths: &[PathBuf], takes: Takes| {
        inputs.extend(paths.iter().map(|path| (flag, path.clone(), takes)));
    };
    let some = |path: &Option<PathBuf>| path.iter().cloned().collect::<Vec<_>>();
    let common = &cli.common;
    add("--db", &some(&common.db), Takes::Database);
    add("--config", &some(&common.config), Takes::Settings);
    add("--learned", &some(&common.learned), Takes::Networks);
    match &cli.command {
        Some(Command::Build(a)) => add("CLIPS", &a.clips, Takes::Motion),
        Some(Command::Corpus(a)) => {
            if let CorpusCommand::Survey(a) = &a.phase {
                add("CLIPS", &a.clips, Takes::Motion);
            }
        }
        Some(Command::Doctor(a)) => add("CLIPS", &a.clips, Takes::Motion),
        Some(Command::Retarget(a)) => {
            add("CLIPS", &a.clips, Takes::Motion);
            add("--onto", std::slice::from_ref(&a.onto), Takes::Motion);
            add("--roles-from", &some(&a.roles_from), Takes::Settings);
        }
        Some(Command::Robot(a)) => add("CLIPS", &a.clips, Takes::Motion),
        Some(Command::Convert(a)) => {
            add("CLIPS", &a.clips, Takes::Motion);
            add("--mesh", &some(&a.mesh), Takes::Mesh);
        }
        Some(Command::Film(a)) => add("--trace", &some(&a.trace), Takes::Recording),
        Some(Command::Report(a)) => add("--trace", &some(&a.trace), Takes::Recording),
        Some(Command::Replay(a)) => {
            add("--config", &some(&a.config), Takes::Settings);
            add("TRACE", std::slice::from_ref(&a.trace), Takes::Recording);
        }
        Some(Command::Simulate(a)) => {
            add("--machine", &some(&a.machine), Takes::Machine);
            add("--chooser", &some(&a.chooser), Takes::Chooser);
            add("--course", &course::file(&a.course).map(PathBuf::from).into_iter().collect::<Vec<_>>(), Takes::Course);
        }
        Some(Command::Eval(a)) => {
            add("--machine", &some(&a.machine), Takes::Machine);
            add("--learned", &some(&a.learned), Takes::Networks);
        }
        Some(Command::Gait(a)) => add("--reference", &a.reference, Takes::Motion),
        Some(Command::New(a)) => add("--model", &some(&a.model), Takes::Mesh),
        None
        | Some(
            Command::Inspect(_) | Command::Search(_) | Command::Bench(_) | Command::Config(_) | Command::Completions(_),
        ) => {}
    }
    inputs
}
