//! Formats of motion files, identified by file extension.

use std::path::Path;

/// Maximum size of a motion file, or of a buffer beside it, in bytes: hours of capture.
pub(crate) const MOST_BYTES: u64 = 1 << 30;

/// A format of motion files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Biovision Hierarchy, text.
    Bvh,
    /// glTF 2.0, binary.
    Glb,
    /// glTF 2.0, JSON, with or without separate buffers.
    Gltf,
    /// FBX, binary or ASCII.
    Fbx,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Bvh, Self::Glb, Self::Gltf, Self::Fbx];

    /// Returns the extension of such files, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Bvh => "bvh",
            Self::Glb => "glb",
            Self::Gltf => "gltf",
            Self::Fbx => "fbx",
        }
    }

    /// Returns the format of a file by its extension, in upper or lower case.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?;
        Self::ALL.into_iter().find(|f| extension.eq_ignore_ascii_case(f.extension()))
    }
}

/// Returns `.bvh, .glb, .gltf or .fbx`, for messages.
pub fn known() -> String {
    let [rest @ .., last] = Format::ALL.map(|f| format!(".{}", f.extension()));
    format!("{} or {last}", rest.join(", "))
}
