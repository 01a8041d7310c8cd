//! Binary glTF 2.0 out: a skeleton, a capsule mannequin skinned to it and any number of animations in one file that
//! every viewer opens; or the same animations in a character of your own ([`write_onto`]). The same input gives the same
//! bytes.
//!
//! glTF has our conventions (metres, right-handed, +Y up, a model faces +Z, quaternions `x y z w`), so nothing is
//! converted. Source: Khronos Group, "glTF 2.0 Specification".

mod mannequin;
mod onto;
mod solid;
mod write;

#[cfg(test)]
mod tests;

pub use onto::write_onto;

use crate::scene::SceneError;
use footwork::clip::{ClipEvent, RawClip};
use footwork::math::Quat;
use footwork::skeleton::Skeleton;
use glam::Vec3;
use std::io::Write;

/// An animation to write: local transforms per frame, struct of arrays.
#[derive(Clone, Copy, Debug)]
pub struct GlbClip<'a> {
    /// What viewers list it as.
    pub name: &'a str,
    /// Frames per second, 1 to 1000.
    pub rate_hz: f32,
    /// `[frames x joints]` translations to the parent, metres.
    pub translations: &'a [Vec3],
    /// `[frames x joints]` rotations to the parent; normalised on the way out.
    pub rotations: &'a [Quat],
    /// Written as `extras.markers` of the animation, where reading finds them.
    pub events: &'a [ClipEvent],
}

impl<'a> From<&'a RawClip> for GlbClip<'a> {
    fn from(clip: &'a RawClip) -> Self {
        Self {
            name: &clip.name,
            rate_hz: clip.rate_hz,
            translations: &clip.translations,
            rotations: &clip.rotations,
            events: &clip.annotations.events,
        }
    }
}

/// How the mannequin looks. Lengths hold for an adult; the mannequin of a smaller or larger skeleton scales them.
#[derive(Clone, Debug, PartialEq)]
pub struct GlbOptions {
    /// Radius over length of a bone whose name tells no body part, above 0. Default 0.18: limbs look like limbs.
    pub radius_per_length: f32,
    /// Smallest radius in metres, above 0. Default 0.02: fingers stay visible.
    pub min_radius_m: f32,
    /// Largest radius in metres, at least the smallest. Default 0.09: long bones stay slim.
    pub max_radius_m: f32,
    /// Corners of a capsule's cross-section, 3 to 64. Default 14: round at arm's length, under 5000 vertices in all.
    pub corners: usize,
    /// Linear RGB of the left side, 0 to 1. Default warm, so that a flipped character is seen at once.
    pub left_rgb: [f32; 3],
    /// Linear RGB of the right side, 0 to 1. Default cool.
    pub right_rgb: [f32; 3],
    /// Linear RGB of the rest, 0 to 1. Default grey.
    pub centre_rgb: [f32; 3],
}

impl Default for GlbOptions {
    fn default() -> Self {
        Self {
            radius_per_length: 0.18,
            min_radius_m: 0.02,
            max_radius_m: 0.09,
            corners: 14,
            left_rgb: [0.80, 0.28, 0.08],
            right_rgb: [0.07, 0.30, 0.70],
            centre_rgb: [0.42, 0.42, 0.44],
        }
    }
}

/// Why no file was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GlbError {
    /// Array lengths disagree.
    #[error(
        "clip `{clip}`: {translations} translations and {rotations} rotations do not make whole frames of {joints} joints"
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
    #[error("clip `{clip}` has no frames: leave it out or give it at least one")]
    NoFrames {
        /// Clip.
        clip: String,
    },
    /// A rate that is no rate.
    #[error("clip `{clip}`: a rate of {rate_hz} frames per second is not usable: expected 1 to 1000")]
    Rate {
        /// Clip.
        clip: String,
        /// Rate given.
        rate_hz: f32,
    },
    /// NaN, infinity, or a quaternion of length zero.
    #[error("clip `{clip}`, frame {frame}, joint `{joint}`: expected finite numbers and a rotation of length 1")]
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
        /// Field of [`GlbOptions`].
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
    #[error("{file}: {what}")]
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

impl GlbOptions {
    fn validate(&self) -> Result<(), GlbError> {
        let refuse = |option, got, expected| Err(GlbError::Option { option, got, expected });
        for (option, v) in [
            ("radius_per_length", self.radius_per_length),
            ("min_radius_m", self.min_radius_m),
            ("max_radius_m", self.max_radius_m),
        ] {
            if !(v.is_finite() && v > 0.0) {
                return refuse(option, v, "a number above 0");
            }
        }
        if self.max_radius_m < self.min_radius_m {
            return refuse("max_radius_m", self.max_radius_m, "at least `min_radius_m`");
        }
        if !(3..=64).contains(&self.corners) {
            return refuse("corners", self.corners as f32, "3 to 64");
        }
        for (option, rgb) in
            [("left_rgb", self.left_rgb), ("right_rgb", self.right_rgb), ("centre_rgb", self.centre_rgb)]
        {
            if let Some(v) = rgb.into_iter().find(|v| !(0.0..=1.0).contains(v)) {
                return refuse(option, v, "0 to 1");
            }
        }
        Ok(())
    }
}

impl GlbClip<'_> {
    fn validate(&self, skeleton: &Skeleton) -> Result<(), GlbError> {
        let clip = || self.name.to_owned();
        let (translations, rotations, joints) = (self.translations.len(), self.rotations.len(), skeleton.len());
        if translations != rotations || rotations % joints != 0 {
            return Err(GlbError::Shape { clip: clip(), translations, rotations, joints });
        }
        if rotations == 0 {
            return Err(GlbError::NoFrames { clip: clip() });
        }
        if !(1.0..=1000.0).contains(&self.rate_hz) {
            return Err(GlbError::Rate { clip: clip(), rate_hz: self.rate_hz });
        }
        // The length of a quaternion of huge components overflows, so a range also catches what is not finite.
        let usable = |t: &Vec3, r: &Quat| t.is_finite() && (1e-3..=1e3).contains(&r.length());
        match self.translations.iter().zip(self.rotations).position(|(t, r)| !usable(t, r)) {
            Some(i) => {
                let joint = skeleton.names()[i % joints].clone();
                Err(GlbError::NotATransform { clip: clip(), frame: i / joints, joint })
            }
            None => Ok(()),
        }
    }
}
