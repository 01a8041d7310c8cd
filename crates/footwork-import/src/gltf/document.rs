//! The JSON of a file, and its buffers.

use crate::format::MOST_BYTES;
use crate::place::Place;
use crate::scene::SceneProblem;
use base64::Engine;
use gltf::json::{Buffer, Root};
use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use std::path::{Component, Path};

/// Maximum estimated memory for JSON objects, per byte of the file and for any file. A few bytes of JSON become structures of
/// hundreds, so a file beyond the limit is rejected.
const MOST_TIMES_LARGER: usize = 8;
const ALWAYS_ALLOWED: usize = 1 << 22;
/// Approximate memory of a JSON object, in bytes.
const BYTES_PER_OBJECT: usize = 256;
const HEADER: usize = 12;

/// A parsed file, with its numbers still in bytes.
pub(super) struct Document<'a> {
    pub root: Root,
    /// Bytes of the file.
    pub bytes: usize,
    blob: Option<Cow<'a, [u8]>>,
    /// Folder of the buffers in separate files.
    folder: Option<(Place<'a>, &'a Path)>,
}

impl<'a> Document<'a> {
    pub fn read(bytes: &'a [u8], folder: Option<(Place<'a>, &'a Path)>) -> Result<Self, SceneProblem> {
        let unreadable = |what: String| SceneProblem::Unreadable { format: "glTF", what };
        if bytes.is_empty() {
            return Err(unreadable("it is empty".into()));
        }
        let (json, blob) = if bytes.starts_with(b"glTF") {
            let (json, blob) = container(bytes).map_err(unreadable)?;
            (json, blob)
        } else {
            (Cow::Borrowed(bytes), None)
        };
        let objects = json.iter().filter(|b| **b == b'{').count();
        if objects * BYTES_PER_OBJECT > ALWAYS_ALLOWED + MOST_TIMES_LARGER * bytes.len() {
            return Err(unreadable(format!("{objects} objects in {} bytes", bytes.len())));
        }
        let root = Root::from_slice(json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&json))
            .map_err(|e| unreadable(e.to_string()))?;
        if !root.asset.version.starts_with("2.") {
            let what = format!("glTF version {}", root.asset.version);
            return Err(SceneProblem::Unsupported { what, todo: "export glTF 2.0" });
        }
        if root.extensions_required.iter().any(|e| e == "EXT_meshopt_compression") {
            let todo = "export without compression (gltfpack -noq without -c)";
            return Err(SceneProblem::Unsupported { what: "EXT_meshopt_compression".into(), todo });
        }
        Ok(Self { root, bytes: bytes.len(), blob, folder })
    }

    /// Returns the bytes of a buffer.
    pub fn buffer(&self, index: usize) -> Result<Cow<'_, [u8]>, SceneProblem> {
        let buffer: &Buffer = self
            .root
            .buffers
            .get(index)
            .ok_or_else(|| SceneProblem::Unreadable { format: "glTF", what: format!("there is no buffer {index}") })?;
        let Some(uri) = &buffer.uri else {
            let blob = self.blob.as_deref().filter(|_| index == 0).map(Cow::Borrowed);
            return blob.ok_or_else(|| refuse("(none)", "the file has no binary part that it could be"));
        };
        if let Some(rest) = uri.strip_prefix("data:") {
            let (_, text) = rest
                .split_once(";base64,")
                .ok_or_else(|| refuse(&uri.chars().take(40).collect::<String>(), "expected `data:..;base64,..`"))?;
            let engine = base64::engine::general_purpose::STANDARD;
            return engine.decode(text).map(Cow::Owned).map_err(|e| refuse("data:", &e.to_string()));
        }
        let name = percent_decode_str(uri).decode_utf8_lossy();
        let path = Path::new(name.as_ref());
        let inside = path.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
        if !inside || uri.contains("://") {
            return Err(refuse(uri, "expected a file beside this one, or below"));
        }
        let (place, folder) =
            self.folder.ok_or_else(|| refuse(uri, "it is a file of its own, and no folder is known"))?;
        place.read(&folder.join(path), MOST_BYTES).map_err(|e| refuse(uri, &e.to_string()))
    }
}

fn refuse(uri: &str, what: &str) -> SceneProblem {
    SceneProblem::Buffer { uri: uri.to_owned(), what: what.to_owned() }
}

/// Returns the JSON chunk and the binary chunk of a binary file.
fn container(bytes: &[u8]) -> Result<(Cow<'_, [u8]>, Option<Cow<'_, [u8]>>), String> {
    let claimed = bytes.get(8..HEADER).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    match claimed.map(|c| c as usize) {
        // The library subtracts the header's length without a check.
        Some(c) if (HEADER..=bytes.len()).contains(&c) => {}
        Some(c) => return Err(format!("its header says {c} bytes, it has {}: it is truncated", bytes.len())),
        None => return Err("it ends within its header".into()),
    }
    let glb = gltf::binary::Glb::from_slice(bytes).map_err(|e| e.to_string())?;
    Ok((glb.json, glb.bin))
}
