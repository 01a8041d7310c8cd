//! Kinds of written files: their names, and the files that they may replace.

use anyhow::{Context, Result, bail};
use footwork::advanced::files::resolve_links;
use footwork_import::format::Format;
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Kind of a written file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bvh,
    Csv,
    Npz,
    Glb,
    Database,
    Trace,
    Svg,
    /// PNG or SVG, by the extension.
    Picture,
    /// A picture, possibly an animated one: GIF or WebP.
    Film,
    Html,
    Json,
    Sidecar,
}

impl Kind {
    /// Returns the extensions of the kind, without the dot.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Bvh => &["bvh"],
            Self::Csv => &["csv"],
            Self::Npz => &["npz"],
            Self::Glb => &["glb"],
            Self::Database => &["fwdb"],
            Self::Trace => &["fwtrace"],
            Self::Svg => &["svg"],
            Self::Picture => &["png", "svg"],
            Self::Film => &["png", "svg", "gif", "webp"],
            Self::Html => &["html"],
            Self::Json => &["json"],
            Self::Sidecar => &["toml"],
        }
    }

    /// Returns the extensions as text, such as `.png or .svg`, for messages.
    pub fn names(self) -> String {
        let names: Vec<String> = self.extensions().iter().map(|e| format!(".{e}")).collect();
        match &names[..] {
            [] => String::new(),
            [only] => only.clone(),
            [first @ .., last] => format!("{} or {last}", first.join(", ")),
        }
    }
}

/// Rejects files in a folder that would replace a file of another kind, before the first is written.
///
/// # Errors
/// Returns an error about the first such file.
pub fn check_kinds(flag: &str, files: &[PathBuf], kind: Kind) -> Result<()> {
    files.iter().try_for_each(|file| check_kind(flag, file, kind))
}

/// Rejects a name whose extension contradicts `kind`, and an existing file of another kind.
///
/// # Errors
/// Returns an error that names `flag`.
pub fn check_kind(flag: &str, path: &Path, kind: Kind) -> Result<()> {
    let shown = path.display();
    let target = resolve_links(path).with_context(|| format!("{flag} {shown}"))?;
    for name in [path, &target] {
        if name.extension().is_some() && !has_extension(name, kind.extensions()) {
            bail!("{flag} {}: expected a name that ends in {}", name.display(), kind.names());
        }
    }
    if matches!(kind, Kind::Picture | Kind::Film) && path.extension().is_none() {
        bail!("{flag} {shown}: expected a name that ends in {}", kind.names());
    }
    if target.is_dir() {
        bail!("{flag} {shown}: expected a file, found a folder");
    }
    let Some(found) = Content::of(&target) else { return Ok(()) };
    // A damaged file may be replaced only if its name has the right extension.
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

/// Returns the kind of an existing file by its content, as an extension: `fwdb`, `bvh`, `png`. `None` for other content, and
/// without a file.
pub fn found(path: &Path) -> Option<&'static str> {
    match Content::of(path)? {
        Content::Known(kind) => Some(kind),
        Content::Unknown => None,
    }
}

/// Rejects files that would be replaced, before any is written.
///
/// # Errors
/// Returns an error that names `flag`, the first file and the number of others.
pub fn check_new(flag: &str, files: &[PathBuf], force: bool) -> Result<()> {
    let there: Vec<&PathBuf> = files.iter().filter(|file| !force && file.is_file()).collect();
    let Some(first) = there.first() else { return Ok(()) };
    let others = match there.len() - 1 {
        0 => String::new(),
        1 => " and another file".to_owned(),
        n => format!(" and {n} other files"),
    };
    bail!("{flag}: {}{others} would be replaced: name another place, or replace with --force", first.display());
}

/// Returns the extension of a path in lower case; empty without one.
pub fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// True if a path has one of some extensions.
pub fn has_extension(path: &Path, of: &[&str]) -> bool {
    of.contains(&extension(path).as_str())
}

/// Content of an existing file, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Content {
    /// Extension of such files.
    Known(&'static str),
    Unknown,
}

impl Content {
    /// Returns `None` if there is no content to lose: no file, an empty one, a device, a pipe.
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
            () if bytes.starts_with(b"PK\x03\x04") && extension(path) == "npz" => "npz",
            () if bytes.starts_with(b"glTF") => "glb",
            () if bytes.starts_with(b"\x89PNG") => "png",
            () if bytes.starts_with(b"GIF8") => "gif",
            () if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") => "webp",
            () if text.get(..14).is_some_and(|t| t.eq_ignore_ascii_case("<!doctype html")) => "html",
            () if bytes.starts_with(b"Kaydara FBX Binary") || text.starts_with("; FBX") => "fbx",
            () if text.starts_with("HIERARCHY") => "bvh",
            () if text.starts_with("<svg") || text.starts_with("<?xml") => "svg",
            () if text.starts_with('{') => "json",
            () if bytes.get(8) == Some(&b'{') => return Some(Self::safetensors(path)),
            () => return Some(Self::Unknown),
        };
        // A JSON file is glTF if its extension says so.
        let gltf = known == "json" && Format::of(path) == Some(Format::Gltf);
        Some(Self::Known(if gltf { "gltf" } else { known }))
    }

    /// Distinguishes databases, recordings, networks and foreign files of tensors.
    fn safetensors(path: &Path) -> Self {
        let header = || {
            let mut file = fs::File::open(path).ok()?;
            let mut bytes = Vec::new();
            (&mut file).take(8).read_to_end(&mut bytes).ok()?;
            let size = u64::from_le_bytes(bytes.as_slice().try_into().ok()?);
            (&mut file).take(size.min(100_000_000)).read_to_end(&mut bytes).ok()?;
            let header: Value = serde_json::from_slice(bytes.get(8..)?).ok()?;
            if !header["__metadata__"]["footwork_networks"].is_null() {
                return Some("fwnet");
            }
            let ours: Value = serde_json::from_str(header["__metadata__"]["footwork"].as_str()?).ok()?;
            Some(if ours["kind"] == "trace" { "fwtrace" } else { "fwdb" })
        };
        header().map_or(Self::Unknown, Self::Known)
    }
}
