//! Clips as stored in their files, and the parts of them that become clips.

use footwork::clip::RawClip;
use std::path::{Path, PathBuf};

/// A clip as stored in its file, before ranges are cut from it, with its sidecar.
#[derive(Clone, Debug, PartialEq)]
pub struct Take {
    /// Name of the file, or `file.take`.
    pub name: String,
    /// Path of the sidecar, which need not exist.
    pub sidecar: PathBuf,
    /// Text of the sidecar; `None` without a sidecar.
    pub text: Option<String>,
    /// Frames per second.
    pub rate_hz: f32,
    /// Number of frames.
    pub frames: usize,
}

impl Take {
    /// Returns the seconds from the first frame to the last.
    pub fn seconds(&self) -> f32 {
        self.frames.saturating_sub(1) as f32 / self.rate_hz
    }

    /// Returns the take of a whole clip.
    pub(crate) fn of(clip: &RawClip) -> Self {
        Self {
            name: clip.name.clone(),
            sidecar: Path::new(&clip.source).with_file_name(format!("{}.tags.toml", clip.name)),
            text: None,
            rate_hz: clip.rate_hz,
            frames: clip.frames(),
        }
    }
}

/// The part of a take that a clip comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Origin {
    /// Index of the take.
    pub take: usize,
    /// Time of the clip's first frame in the take, in seconds.
    pub start_s: f32,
}
