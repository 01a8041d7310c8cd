//! Clips as their files have them, and which part of one became a clip.

use footwork::clip::RawClip;
use std::path::{Path, PathBuf};

/// A clip as its file has it, before ranges are cut from it, and its sidecar.
#[derive(Clone, Debug, PartialEq)]
pub struct Take {
    /// Name: of the file, or `file.take`.
    pub name: String,
    /// Path of the sidecar, which need not exist.
    pub sidecar: PathBuf,
    /// Text of the sidecar; `None` where there is none.
    pub text: Option<String>,
    /// Frames per second.
    pub rate_hz: f32,
    /// Number of frames.
    pub frames: usize,
}

impl Take {
    /// Seconds from the first frame to the last.
    pub fn seconds(&self) -> f32 {
        self.frames.saturating_sub(1) as f32 / self.rate_hz
    }

    /// The take of a clip that was read whole.
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

/// The part of a take that became a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Origin {
    /// Index of the take.
    pub take: usize,
    /// Time in the take of the clip's first frame, in seconds.
    pub start_s: f32,
}
