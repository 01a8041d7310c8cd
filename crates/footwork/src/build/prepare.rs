//! Clips as a build uses them.

use super::config::BuildConfig;
use super::error::BuildError;
use super::options::BuildOptions;
use super::pipeline::Draft;
use super::usable;
use crate::clip::{Annotations, ContactTrack, RawClip};

impl BuildConfig {
    /// Returns the clips as a build uses them: with the facts of the configuration, at one rate, with joint 0 as the root on
    /// the ground facing +Z, cut at discarded ranges, and with the contacts of every foot.
    ///
    /// # Errors
    /// Returns the errors of [`super::build`] that concern clips, joints and the root.
    pub fn prepare(&self, clips: &[RawClip]) -> Result<Vec<RawClip>, BuildError> {
        usable::check(clips)?;
        let options = BuildOptions::default();
        let mut draft = Draft::root(clips.into(), self, &options)?;
        draft.label();
        let (skeleton, joints) = (&draft.skeleton, &draft.contact_joints);
        let prepared = draft.tracks.iter().zip(&draft.labels).map(|(t, labels)| {
            let on = |slot: usize| labels.iter().skip(slot).step_by(joints.len()).map(|l| *l == 1).collect();
            let known = joints.iter().enumerate();
            let contacts = known.map(|(slot, j)| ContactTrack { joint: skeleton.name(*j).to_owned(), on: on(slot) });
            RawClip {
                name: t.name.clone(),
                source: "footwork".to_owned(),
                skeleton: skeleton.clone(),
                rate_hz: t.rate_hz,
                looping: t.looping,
                translations: t.translations.clone(),
                rotations: t.rotations.clone(),
                annotations: Annotations { contacts: contacts.collect(), ..t.annotations.clone() },
            }
        });
        Ok(prepared.collect())
    }
}
