//! What every command reads and writes, in one place, checked before any work: nothing is replaced that is read, that another
//! output replaces as well, or that is a file of another kind.

use crate::args::{Cli, Command, Common, OutputFormat};
use crate::course::Course;
use crate::demo;
use anyhow::{Context, Result, bail};
use footwork::files::resolve_links;
use footwork_import::format::Format;
use footwork_import::motion_files;
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What is written to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bvh,
    Glb,
    Database,
    Trace,
    Svg,
    /// PNG or SVG, by the name.
    Picture,
    Json,
    Sidecar,
}

impl Kind {
    fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Bvh => &["bvh"],
            Self::Glb => &["glb"],
            Self::Database => &["fwdb"],
            Self::Trace => &["fwtrace"],
            Self::Svg => &["svg"],
            Self::Picture => &["png", "svg"],
            Self::Json => &["json"],
            Self::Sidecar => &["toml"],
        }
    }

    /// `.png or .svg`, for messages.
    fn names(self) -> String {
        self.extensions().iter().map(|e| format!(".{e}")).collect::<Vec<_>>().join(" or ")
    }
}

/// A file or a folder to be written.
struct Output {
    /// The flag that names it.
    flag: &'static str,
    path: PathBuf,
    /// Of the file, or of the files in the folder.
    kind: Kind,
    folder: bool,
    /// No input may lie in the folder, whatever its format: sidecars are written beside the clips.
    alone: bool,
}

/// What one command reads and writes.
#[derive(Default)]
pub struct Files {
    inputs: Vec<PathBuf>,
    outputs: Vec<Output>,
}

impl Files {
    /// Of a command.
    ///
    /// # Errors
    /// An input that cannot be listed.
    pub fn of(cli: &Cli) -> Result<Self> {
        let mut files = Self::default();
        files.write(cli);
        // What only reads replaces nothing.
        if !files.outputs.is_empty() {
            files.read(cli)?;
        }
        Ok(files)
    }

    fn write(&mut self, cli: &Cli) {
        match &cli.command {
            None => demo::FILES.iter().for_each(|(name, kind)| self.file("demo", &demo::path(name), *kind)),
            Some(Command::Build(a)) => self.file("--output", &a.output, Kind::Database),
            Some(Command::Retarget(a)) => match extension(&a.output).as_str() {
                "bvh" => self.file("--output", &a.output, Kind::Bvh),
                "glb" => self.file("--output", &a.output, Kind::Glb),
                _ => self.folder("--output", &a.output, Kind::Bvh, false),
            },
            Some(Command::Convert(a)) => match extension(&a.output).as_str() {
                "bvh" if !a.output.is_dir() => self.file("--output", &a.output, Kind::Bvh),
                "glb" if !a.output.is_dir() => self.file("--output", &a.output, Kind::Glb),
                _ if a.format == OutputFormat::Glb => self.folder("--output", &a.output, Kind::Glb, false),
                _ => self.folder("--output", &a.output, Kind::Bvh, false),
            },
            Some(Command::Doctor(a)) => {
                if let Some(folder) = &a.fix {
                    self.folder("--fix", folder, Kind::Bvh, true);
                }
            }
            Some(Command::Film(a)) => self.file("--output", &a.output, Kind::Picture),
            Some(Command::Simulate(a)) => {
                let files = [
                    ("--bvh", &a.bvh, Kind::Bvh),
                    ("--glb", &a.glb, Kind::Glb),
                    ("--svg", &a.svg, Kind::Svg),
                    ("--trace", &a.trace, Kind::Trace),
                ];
                for (flag, path, kind) in files {
                    path.iter().for_each(|path| self.file(flag, path, kind));
                }
            }
            Some(Command::Gait(a)) => a.output.iter().for_each(|f| self.folder("--output", f, Kind::Bvh, false)),
            Some(Command::Eval(a)) => a.film.iter().for_each(|path| self.file("--film", path, Kind::Picture)),
            Some(Command::Inspect(_) | Command::Search(_) | Command::Bench(_) | Command::Config) => {}
        }
    }

    fn read(&mut self, cli: &Cli) -> Result<()> {
        let common = &cli.common;
        self.inputs.extend(common.db.iter().chain(&common.config).cloned());
        match &cli.command {
            Some(Command::Build(a)) => self.sources(&a.clips, common)?,
            Some(Command::Doctor(a)) => self.sources(&a.clips, common)?,
            Some(Command::Retarget(a)) => {
                self.clips(&a.clips, Path::new(""))?;
                self.inputs.extend(a.roles_from.iter().chain([&a.onto]).cloned());
            }
            Some(Command::Convert(a)) => {
                self.clips(&a.clips, Path::new(""))?;
                self.inputs.extend(a.mesh.clone());
            }
            Some(Command::Film(a)) => {
                self.inputs.extend(a.trace.clone());
                for source in a.source.iter().chain(&a.compare) {
                    self.film_source(source)?;
                }
            }
            Some(Command::Simulate(a)) => self.inputs.extend(Course::file(&a.course).map(PathBuf::from)),
            Some(Command::Gait(a)) if !a.reference.is_empty() => self.clips(&a.reference, Path::new(""))?,
            Some(Command::Eval(a)) => {
                let files = a.variants.iter().filter(|v| v.ends_with(".toml")).map(PathBuf::from);
                self.inputs.extend(files.chain(a.gate.clone()));
            }
            None
            | Some(Command::Gait(_) | Command::Inspect(_) | Command::Search(_) | Command::Bench(_) | Command::Config) => {}
        }
        Ok(())
    }

    fn file(&mut self, flag: &'static str, path: &Path, kind: Kind) {
        self.outputs.push(Output { flag, path: path.to_owned(), kind, folder: false, alone: false });
    }

    fn folder(&mut self, flag: &'static str, path: &Path, kind: Kind, alone: bool) {
        self.outputs.push(Output { flag, path: path.to_owned(), kind, folder: true, alone });
    }

    /// Clips named on the command line, else those of the configuration.
    fn sources(&mut self, named: &[PathBuf], common: &Common) -> Result<()> {
        if !named.is_empty() {
            return self.clips(named, Path::new(""));
        }
        let Some(config) = &common.config else { return Ok(()) };
        let clips: Vec<PathBuf> = common.character()?.source.clips.iter().map(PathBuf::from).collect();
        self.clips(&clips, config.parent().unwrap_or(Path::new("")))
    }

    fn clips(&mut self, inputs: &[PathBuf], base: &Path) -> Result<()> {
        self.inputs.extend(motion_files(inputs, base).context("cannot read the clips")?);
        Ok(())
    }

    /// A source of `film`, which may have `#clip` behind it.
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

    /// Refuses outputs that would replace what they must not.
    ///
    /// # Errors
    /// The first such output, by its flag.
    pub fn check(&self) -> Result<()> {
        let mut read: HashMap<Identity, &Path> = HashMap::new();
        for input in &self.inputs {
            read.extend(Identity::of(input).map(|identity| (identity, input.as_path())));
        }
        let mut written: HashMap<Identity, &Output> = HashMap::new();
        for output in &self.outputs {
            if output.folder {
                check_folder(output, &read)?;
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
        }
        Ok(())
    }
}

/// Refuses files in a folder that would replace something else than files of their kind, before the first is written.
///
/// # Errors
/// The first such file.
pub fn check_kinds(flag: &str, files: &[PathBuf], kind: Kind) -> Result<()> {
    files.iter().try_for_each(|file| check_kind(flag, file, kind))
}

/// A folder for clips holds none of those that are read.
fn check_folder(output: &Output, read: &HashMap<Identity, &Path>) -> Result<()> {
    let (flag, folder, shown) = (output.flag, &output.path, output.path.display());
    if folder.exists() && !folder.is_dir() {
        bail!("{flag} {shown}: expected a folder, found a file");
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if !(output.alone || has_extension(&path, output.kind.extensions())) {
            continue;
        }
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

/// Refuses a name that contradicts what is written, and a file that is there and is something else.
fn check_kind(flag: &str, path: &Path, kind: Kind) -> Result<()> {
    let shown = path.display();
    let target = resolve_links(path).with_context(|| format!("{flag} {shown}"))?;
    for name in [path, &target] {
        if name.extension().is_some() && !has_extension(name, kind.extensions()) {
            bail!("{flag} {}: expected a name that ends in {}", name.display(), kind.names());
        }
    }
    if kind == Kind::Picture && path.extension().is_none() {
        bail!("{flag} {shown}: expected a name that ends in {}", kind.names());
    }
    if target.is_dir() {
        bail!("{flag} {shown}: expected a file, found a folder");
    }
    let Some(found) = Content::of(&target) else { return Ok(()) };
    // A damaged file of the kind may be written anew: then the name must say so.
    let named_so = target.extension().or(path.extension()).is_some();
    match found {
        Content::Known(found) if !kind.extensions().contains(&found) => {
            bail!("{flag} {shown}: expected a {} file or none, found a .{found} file: name another", kind.names());
        }
        Content::Unknown if !named_so => {
            bail!("{flag} {shown}: expected a {} file or none, found another file: name another", kind.names());
        }
        _ => Ok(()),
    }
}

fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

fn has_extension(path: &Path, of: &[&str]) -> bool {
    of.contains(&extension(path).as_str())
}

/// Which file a path means, whatever links lead to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Identity {
    /// Device and number of a file that is there: hard links have the same.
    #[cfg(unix)]
    Node(u64, u64),
    Path(PathBuf),
}

impl Identity {
    /// `None` for what holds nothing that could be lost: a device such as `/dev/null`.
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

/// Where a file that is not there yet will lie.
fn place(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
    }
}

/// What a file that is there holds, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Content {
    /// As names of such files end.
    Known(&'static str),
    Unknown,
}

impl Content {
    /// `None` where there is nothing that could be lost: no file, an empty one, a device, a pipe.
    fn of(path: &Path) -> Option<Self> {
        const ENOUGH: u64 = 4096;
        if !fs::metadata(path).ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        fs::File::open(path).ok()?.take(ENOUGH).read_to_end(&mut bytes).ok()?;
        if bytes.is_empty() {
            return None;
        }
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_start_matches('\u{feff}').trim_start();
        let known = match () {
            () if bytes.starts_with(b"glTF") => "glb",
            () if bytes.starts_with(b"\x89PNG") => "png",
            () if bytes.starts_with(b"Kaydara FBX Binary") || text.starts_with("; FBX") => "fbx",
            () if text.starts_with("HIERARCHY") => "bvh",
            () if text.starts_with("<svg") || text.starts_with("<?xml") => "svg",
            () if text.starts_with('{') => "json",
            () if bytes.get(8) == Some(&b'{') => return Some(Self::safetensors(path)),
            () => return Some(Self::Unknown),
        };
        // A glTF file of text is named so; any other JSON is JSON.
        let gltf = known == "json" && Format::of(path) == Some(Format::Gltf);
        Some(Self::Known(if gltf { "gltf" } else { known }))
    }

    /// A database, a trace, or somebody else's tensors.
    fn safetensors(path: &Path) -> Self {
        let header = || {
            let mut file = fs::File::open(path).ok()?;
            let mut bytes = Vec::new();
            (&mut file).take(8).read_to_end(&mut bytes).ok()?;
            let size = u64::from_le_bytes(bytes.as_slice().try_into().ok()?);
            (&mut file).take(size.min(100_000_000)).read_to_end(&mut bytes).ok()?;
            let header: Value = serde_json::from_slice(bytes.get(8..)?).ok()?;
            let ours: Value = serde_json::from_str(header["__metadata__"]["footwork"].as_str()?).ok()?;
            Some(if ours["kind"] == "trace" { "fwtrace" } else { "fwdb" })
        };
        header().map_or(Self::Unknown, Self::Known)
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
            alone: false,
        };
        let files = Files { inputs: Vec::new(), outputs: vec![one("/dev/null"), one("/dev/null")] };
        files.check().unwrap();
        let files = Files { inputs: Vec::new(), outputs: vec![one("/a.glb"), one("/./a.glb")] };
        assert!(files.check().is_err());
    }
}
