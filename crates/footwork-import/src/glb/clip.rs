//! An animation to write, and its validation.

use super::error::GlbError;
use footwork::clip::{ClipEvent, RawClip};
use footwork::math::Quat;
use footwork::skeleton::Skeleton;
use glam::Vec3;

/// An animation to write: local transforms per frame, struct of arrays.
#[derive(Clone, Copy, Debug)]
pub struct GlbClip<'a> {
    /// Name of the animation in the file.
    pub name: &'a str,
    /// Frames per second. Range: 1 to 1000.
    pub rate_hz: f32,
    /// `[frames x joints]` translations relative to the parent, in metres.
    pub translations: &'a [Vec3],
    /// `[frames x joints]` rotations relative to the parent; normalised when written.
    pub rotations: &'a [Quat],
    /// Events, written as `extras.markers` of the animation; the reader takes them from there.
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

impl GlbClip<'_> {
    pub(super) fn validate(&self, skeleton: &Skeleton) -> Result<(), GlbError> {
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
        // The length of a quaternion with huge components overflows, so the range also rejects values that are not finite.
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
