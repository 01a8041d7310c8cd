//! Inputs and outputs of every command, in one place, checked before any work: an output never replaces an input, another output,
//! or a file of another kind.

use crate::args::{Cli, Command, Common, CorpusCommand, MotionFiles, OutputFormat, RobotFormat};
use crate::course;
use crate::demo;
use crate::kind::{Kind, check_kind, check_new, extension};
use anyhow::{Context, Result, bail};
use footwork::advanced::files::resolve_links;
use footwork_import::motion_files;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A file or a folder to be written.
struct Output {
    /// Flag of the output.
    flag: &'static str,
    path: PathBuf,
    /// Kind of the file, or of the files in the folder.
    kind: Kind,
    folder: bool,
    /// An existing file is kept. Files of a folder are checked once the names of the clips are known.
    keeps: bool,
    /// Missing folders are created.
    makes_folder: bool,
}

/// Inputs and outputs of a command.
#[derive(Default)]
pub struct Files {
    inputs: Vec<PathBuf>,
    outputs: Vec<Output>,
}

impl From<RobotFormat> for Kind {
    fn from(format: RobotFormat) -> Self {
        match format {
            RobotFormat::Csv => Self::Csv,
            RobotFormat::Npz => Self::Npz,
            RobotFormat::Bvh => Self::Bvh,
        }
    }
}

impl Files {
    /// Returns the inputs and outputs of a command.
    ///
    /// # Errors
    /// Returns an error if an input cannot be listed.
    pub fn of(cli: &Cli) -> Result<Self> {
        let mut files = Self::default();
        files.write(cli);
        // A command without outputs cannot replace anything.
        if !files.outputs.is_empty() {
            files.read(cli)?;
        }
        Ok(files)
    }

    fn write(&mut self, cli: &Cli) {
        match &cli.command {
            None => {
                for (name, kind) in demo::FILES {
                    self.file("demo", &demo::path(name), kind);
                }
                self.outputs.iter_mut().for_each(|output| output.makes_folder = true);
            }
            Some(Command::Build(a)) => self.file("--output", &a.output, Kind::Database),
            Some(Command::Corpus(a)) => {
                if let CorpusCommand::Merge(a) = &a.phase {
                    self.file("--output", &a.output, Kind::Database);
                }
            }
            Some(Command::Retarget(a)) => match extension(&a.output).as_str() {
                "bvh" => self.new_file("--output", &a.output, Kind::Bvh, a.force),
                "glb" => self.new_file("--output", &a.output, Kind::Glb, a.force),
                _ => self.folder("--output", &a.output, Kind::Bvh),
            },
            Some(Command::Robot(a)) => match RobotFormat::of_extension(&extension(&a.output)) {
                Some(format) => self.new_file("--output", &a.output, format.into(), a.force),
                None => self.folder("--output", &a.output, a.format.into()),
            },
            Some(Command::Convert(a)) => match extension(&a.output).as_str() {
                "bvh" if !a.output.is_dir() => self.new_file("--output", &a.output, Kind::Bvh, a.force),
                "glb" if !a.output.is_dir() => self.new_file("--output", &a.output, Kind::Glb, a.force),
                _ if a.format == OutputFormat::Glb => self.folder("--output", &a.output, Kind::Glb),
                _ => self.folder("--output", &a.output, Kind::Bvh),
            },
            Some(Command::Doctor(a)) => {
                if let Some(folder) = &a.fix {
                    self.folder("--fix", folder, Kind::Bvh);
                }
            }
            Some(Command::Film(a)) => self.file("--output", &a.output, Kind::Film),
            Some(Command::Report(a)) => self.file("--output", &a.output, Kind::Html),
            Some(Command::Simulate(a)) => {
                self.motion(&a.files);
                a.trace.iter().for_each(|path| self.file("--trace", path, Kind::Trace));
            }
            Some(Command::Replay(a)) => self.motion(&a.files),
            Some(Command::Gait(a)) => a.output.iter().for_each(|f| self.folder("--output", f, Kind::Bvh)),
            Some(Command::Eval(a)) => a.film.iter().for_each(|path| self.file("--film", path, Kind::Picture)),
            Some(
                Command::Inspect(_)
                | Command::Search(_)
                | Command::Bench(_)
                | Command::Config(_)
                // The command checks its folder itself.
                | Command::New(_)
                | Command::Completions(_),
            ) => {}
        }
    }

    fn motion(&mut self, files: &MotionFiles) {
        for (flag, path, kind) in files.flags() {
            path.iter().for_each(|path| self.file(flag, path, kind));
        }
    }

    fn read(&mut self, cli: &Cli) -> Result<()> {
        let common = &cli.common;
        self.inputs.extend(common.db.iter().chain(&common.config).cloned());
        match &cli.command {
            Some(Command::Build(a)) => self.sources(&a.clips, common)?,
            Some(Command::Corpus(a)) => {
                if let CorpusCommand::Merge(a) = &a.phase {
                    // A damaged survey is reported by the command.
                    self.inputs.push(a.folder.join("survey.json"));
                }
            }
            Some(Command::Doctor(a)) => self.sources(&a.clips, common)?,
            Some(Command::Retarget(a)) => {
                self.clips(&a.clips, Path::new(""))?;
                self.inputs.extend(a.roles_from.iter().chain([&a.onto]).cloned());
            }
            Some(Command::Robot(a)) => {
                self.clips(&a.clips, Path::new(""))?;
                self.inputs.extend(a.parts.iter().chain([&a.model]).cloned());
            }
            Some(Command::Convert(a)) => {
                self.clips(&a.clips, Path::new(""))?;
                self.inputs.extend(a.mesh.clone());
            }
            Some(Command::Film(a)) => {
                self.inputs.extend(a.trace.iter().chain(&a.learned).cloned());
                for source in a.source.iter().chain(&a.compare) {
                    self.film_source(source)?;
                }
            }
            Some(Command::Report(a)) => self.inputs.extend(a.trace.clone()),
            Some(Command::Replay(a)) => {
                self.inputs.extend(a.learned.iter().chain(&a.config).chain([&a.trace]).cloned());
            }
            Some(Command::Simulate(a)) => self.inputs.extend(
                course::file(&a.course)
                    .map(PathBuf::from)
                    .into_iter()
                    .chain(a.learned.clone())
                    .chain(a.machine.clone())
                    .chain(a.chooser.clone()),
            ),
            Some(Command::Gait(a)) if !a.reference.is_empty() => self.clips(&a.reference, Path::new(""))?,
            Some(Command::Eval(a)) => {
                let files = a.variants.iter().filter(|v| v.ends_with(".toml")).map(PathBuf::from);
                self.inputs.extend(files.chain(a.gate.clone()).chain(a.learned.clone()).chain(a.machine.clone()));
            }
            None
            | Some(
                Command::Gait(_)
                | Command::Inspect(_)
                | Command::Search(_)
                | Command::Bench(_)
                | Command::Config(_)
                | Command::New(_)
                | Command::Completions(_),
            ) => {}
        }
        Ok(())
    }

    fn file(&mut self, flag: &'static str, path: &Path, kind: Kind) {
        self.outputs.push(Output {
            flag,
            path: path.to_owned(),
            kind,
            folder: false,
            keeps: false,
            makes_folder: false,
        });
    }

    /// Adds a file that replaces no other unless `force` is given.
    fn new_file(&mut self, flag: &'static str, path: &Path, kind: Kind, force: bool) {
        self.outputs.push(Output {
            flag,
            path: path.to_owned(),
            kind,
            folder: false,
            keeps: !force,
            makes_folder: false,
        });
    }

    fn folder(&mut self, flag: &'static str, path: &Path, kind: Kind) {
        self.outputs.push(Output { flag, path: path.to_owned(), kind, folder: true, keeps: false, makes_folder: true });
    }

    /// Adds the clips named on the command line, else those of the configuration.
    fn sources(&mut self, named: &[PathBuf], common: &Common) -> Result<()> {
        if !named.is_empty() {
            return self.clips(named, Path::new(""));
        }
        let Some(config) = &common.config else { return Ok(()) };
        let clips: Vec<PathBuf> = common.character()?.source.clips.iter().map(PathBuf::from).collect();
        self.clips(&clips, config.parent().unwrap_or(Path::new("")))
    }

    fn clips(&mut self, inputs: &[PathBuf], base: &Path) -> Result<()> {
        self.inputs.extend(motion_files(inputs, base).context("the clips could not be read")?);
        Ok(())
    }

    /// Adds a source of `film`, which may end in `#clip`.
    fn film_source(&mut self, source: &Path) -> Result<()> {
        let words = source.to_string_lossy();
        let name = match words.rsplit_once('#') {
            Some((name, _)) if !source.exists() => PathBuf::from(name),
            _ => source.to_owned(),
        };
        if name.is_dir() || words.contains('*') {
            return self.clips(&[name], Path::new(""));
        }
        self.inputs.push(name);
        Ok(())
    }

    /// Rejects outputs that would replace an input, another output, or a file of another kind.
    ///
    /// # Errors
    /// Returns an error about the first such output, with its flag.
    pub fn check(&self) -> Result<()> {
        let mut read: HashMap<Identity, &Path> = HashMap::new();
        for input in &self.inputs {
            read.extend(Identity::of(input).map(|identity| (identity, input.as_path())));
        }
        let mut written: HashMap<Identity, &Output> = HashMap::new();
        for output in &self.outputs {
            if output.folder {
                check_folder(output, &read)?;
                check_place(output)?;
                continue;
            }
            let shown = output.path.display();
            if let Some(identity) = Identity::of(&output.path) {
                if let Some(input) = read.get(&identity) {
                    let same = if *input == output.path { String::new() } else { format!(", as {}", input.display()) };
                    bail!("{} {shown}: expected a file that is not read, found one of the inputs{same}", output.flag);
                }
                if let Some(other) = written.insert(identity, output) {
                    bail!(
                        "{} {} and {} {shown}: expected two files, found one and the same",
                        other.flag,
                        other.path.display(),
                        output.flag
                    );
                }
            }
            check_kind(output.flag, &output.path, output.kind)?;
            if output.keeps {
                check_new(output.flag, std::slice::from_ref(&output.path), false)?;
            }
            check_place(output)?;
        }
        Ok(())
    }
}

/// Rejects a folder for clips that contains one of the inputs.
fn check_folder(output: &Output, read: &HashMap<Identity, &Path>) -> Result<()> {
    let (flag, folder, shown) = (output.flag, &output.path, output.path.display());
    if folder.exists() && !folder.is_dir() {
        bail!("{flag} {shown}: expected a folder, found a file");
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if let Some(input) = Identity::of(&path).and_then(|identity| read.get(&identity)) {
            bail!(
                "{flag} {shown}: {} was read from there and would be overwritten; name another folder: nothing is changed \
                 in place",
                input.display()
            );
        }
    }
    Ok(())
}

/// Checks that the folder of an output exists and can be written to. A folder of clips may be missing: it is created later.
fn check_place(output: &Output) -> Result<()> {
    let (flag, shown) = (output.flag, output.path.display());
    let target = resolve_links(&output.path).with_context(|| format!("{flag} {shown}"))?;
    // Devices and pipes are written to directly.
    if fs::metadata(&output.path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return Ok(());
    }
    let mut folder = if output.folder { target.as_path() } else { parent(&target) };
    while output.makes_folder && !folder.exists() {
        folder = parent(folder);
    }
    if !folder.exists() {
        bail!("{flag} {shown}: expected a folder {}, found none: make it first", folder.display());
    }
    // Writing may fail for reasons other than access rights.
    let made = tempfile::tempfile_in(folder);
    made.map(|_| ()).with_context(|| format!("{flag} {shown}: the folder {} cannot be written to", folder.display()))
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Identity of a file, independent of links to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Identity {
    /// Device and number of an existing file: hard links have the same.
    #[cfg(unix)]
    Node(u64, u64),
    Path(PathBuf),
}

impl Identity {
    /// Returns `None` for files without content to lose: a device such as `/dev/null`.
    fn of(path: &Path) -> Option<Self> {
        let path = resolve_links(path).ok()?;
        let Ok(found) = fs::metadata(&path) else { return Some(Self::Path(place(&path))) };
        #[cfg(unix)]
        {
            use std::os::unix::fs::{FileTypeExt, MetadataExt};
            let kind = found.file_type();
            (!kind.is_char_device() && !kind.is_block_device()).then(|| Self::Node(found.dev(), found.ino()))
        }
        #[cfg(not(unix))]
        (found.is_file() || found.is_dir()).then(|| Self::Path(path.canonicalize().unwrap_or_else(|_| place(&path))))
    }
}

/// Returns the absolute path of a file that does not exist yet.
fn place(path: &Path) -> PathBuf {
    match (parent(path).canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_device_holds_nothing_and_any_number_of_outputs_may_go_there() {
        assert_eq!(Identity::of(Path::new("/dev/null")), None);
        let one = |name: &str| Output {
            flag: "--output",
            path: PathBuf::from(name),
            kind: Kind::Glb,
            folder: false,
            keeps: false,
            makes_folder: false,
        };
        let files = Files { inputs: Vec::new(), outputs: vec![one("/dev/null"), one("/dev/null")] };
        files.check().unwrap();
        let files = Files { inputs: Vec::new(), outputs: vec![one("/a.glb"), one("/./a.glb")] };
        assert!(files.check().is_err());
    }
}
