//! Writes binary glTF 2.0: a skeleton, a capsule mannequin skinned to it and any number of animations in one file for any
//! viewer; or the same animations on a character of your own ([`write_onto`]). Equal input gives equal bytes.
//!
//! glTF has the conventions of this library (metres, right-handed, +Y up, a model faces +Z, quaternions `x y z w`), so nothing
//! is converted. Source: Khronos Group, "glTF 2.0 Specification".

mod clip;
mod error;
mod mannequin;
mod onto;
mod options;
mod solid;
mod write;

#[cfg(test)]
mod tests;

pub use clip::GlbClip;
pub use error::GlbError;
pub use onto::write_onto;
pub use options::GlbOptions;

use footwork::clip::RawClip;
use footwork::skeleton::Skeleton;
use std::io::Write;

/// Writes skeleton, mannequin and clips as one binary glTF file. Node `j` is joint `j`; the mannequin is the last node.
///
/// The bind pose is the skeleton's rest pose. A value that does not change in any clip is stored in the node, without keys.
/// Without clips, the file shows the rest pose.
///
/// # Errors
/// Returns a [`GlbError`] if a clip has the wrong shape, no frames, an invalid rate or invalid transforms, if an option is out
/// of range, if the file would exceed 4 GiB, or if `out` fails. All errors but those of `out` are found before anything is
/// written.
pub fn write(
    skeleton: &Skeleton,
    clips: &[GlbClip<'_>],
    options: &GlbOptions,
    out: &mut impl Write,
) -> Result<(), GlbError> {
    options.validate()?;
    for clip in clips {
        clip.validate(skeleton)?;
    }
    let (json, binary) = write::document(skeleton, clips, options);
    write::container(&json, &binary, out)
}

/// Writes one clip with its own skeleton: see [`write()`].
///
/// # Errors
/// As [`write()`].
pub fn write_clip(clip: &RawClip, options: &GlbOptions, out: &mut impl Write) -> Result<(), GlbError> {
    write(&clip.skeleton, &[clip.into()], options, out)
}
