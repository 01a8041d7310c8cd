//! Errors of writing glTF.

use crate::scene::SceneError;
use footwork::advanced::error::{cut_quotes, quoted};

/// Reason why no file was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GlbError {
    /// The lengths of the arrays do not match.
    #[error(
        "clip `{clip}`: {translations} translations and {rotations} rotations do not make whole frames of {joints} \
         joints",
        clip = quoted(.clip)
    )]
    Shape {
        /// Clip.
        clip: String,
        /// Number of translations given.
        translations: usize,
        /// Number of rotations given.
        rotations: usize,
        /// Joints per frame.
        joints: usize,
    },
    /// A clip has no frames.
    #[error("clip `{clip}` has no frames: leave it out or give it at least one", clip = quoted(.clip))]
    NoFrames {
        /// Clip.
        clip: String,
    },
    /// A rate is invalid.
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
    /// A transform has NaN, infinity, or a quaternion of length zero.
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
    /// An option is outside its range.
    #[error("option `{option}` is {got}: expected {expected}")]
    Option {
        /// Field of [`GlbOptions`](super::GlbOptions).
        option: &'static str,
        /// Value given.
        got: f32,
        /// Allowed values.
        expected: &'static str,
    },
    /// The file would exceed 4 GiB: GLB stores its length in 32 bits.
    #[error("the file would have {bytes} bytes, GLB ends at 4 GiB: write fewer clips or a lower rate")]
    TooLarge {
        /// Bytes needed.
        bytes: usize,
    },
    /// The file of the character is invalid.
    #[error("{file}: {what}", what = cut_quotes(.what))]
    Rig {
        /// File.
        file: String,
        /// What is wrong.
        what: String,
    },
    /// The file of the character could not be read.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The destination could not be written.
    #[error("cannot write the glTF file: {0}")]
    Io(#[from] std::io::Error),
}
