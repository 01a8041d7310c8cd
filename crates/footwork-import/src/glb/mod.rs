//! Binary glTF 2.0 out: a skeleton, a capsule mannequin skinned to it and any number of animations in one file that
//! every viewer opens; or the same animations in a character of your own ([`write_onto`]). The same input gives the same
//! bytes.
//!
//! glTF has our conventions (metres, right-handed, +Y up, a model faces +Z, quaternions `x y z w`), so nothing is
//! converted. Source: Khronos Group, "glTF 2.0 Specification".

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
/// The bind pose is the skeleton's rest pose. What a clip never changes is kept in the node; with no clips at all the
/// file shows the rest pose.
///
/// # Errors
/// A clip of the wrong shape, without frames, with a useless rate or with numbers that are no transform; an option out
/// of range; a file above 4 GiB; an error of `out`. Nothing is written before all but the last are ruled out.
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
