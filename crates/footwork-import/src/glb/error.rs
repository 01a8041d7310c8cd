//! Errors of writing glTF.

use crate::scene::SceneError;
use footwork::error::{cut_quotes, quoted};

/// Why no file was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GlbError {
    /// Array lengths disagree.
    #[error(
        "clip `{clip}`: {translations} translations and {rotations} rotations do not make whole frames of {joints} \
         joints",
        clip = quoted(.clip)
    )]
    Shape {
        /// Clip.
        clip: String,
        /// Values given.
        translations: usize,
        /// Values given.
        rotations: usize,
        /// Joints per frame.
        joints: usize,
    },
    /// Nothing to animate.
    #[error("clip `{clip}` has no frames: leave it out or give it at least one", clip = quoted(.clip))]
    NoFrames {
        /// Clip.
        clip: String,
    },
    /// A rate that is no rate.
    #[error(
        "clip `{clip}`: a rate of {rate_hz} frames per second is not usable: expected 1 to 1000",
        clip = quoted(.clip)
    )]
    Rate {
        /// Clip.
        clip: String,
        /// Rate given.
        rate_hz: f32,
    },
    /// NaN, infinity, or a quaternion of length zero.
    #[error(
        "clip `{clip}`, frame {frame}, joint `{joint}`: expected finite numbers and a rotation of length 1",
        clip = quoted(.clip), joint = quoted(.joint)
    )]
    NotATransform {
        /// Clip.
        clip: String,
        /// Frame.
        frame: usize,
        /// Joint.
        joint: String,
    },
    /// An option outside its range.
    #[error("option `{option}` is {got}: expected {expected}")]
    Option {
        /// Field of [`GlbOptions`](super::GlbOptions).
        option: &'static str,
        /// Value given.
        got: f32,
        /// What would be right.
        expected: &'static str,
    },
    /// GLB counts bytes in 32 bits.
    #[error("the file would have {bytes} bytes, GLB ends at 4 GiB: write fewer clips or a lower rate")]
    TooLarge {
        /// Bytes needed.
        bytes: usize,
    },
    /// A character that cannot be used.
    #[error("{file}: {what}", what = cut_quotes(.what))]
    Rig {
        /// File.
        file: String,
        /// What is wrong.
        what: String,
    },
    /// A character that cannot be read.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The destination refused.
    #[error("cannot write the glTF file: {0}")]
    Io(#[from] std::io::Error),
}
