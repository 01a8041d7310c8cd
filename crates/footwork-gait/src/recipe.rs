//! Recipe of a clip: its script and what holds for the whole of it.

use crate::body::Side;
use crate::ground::Ground;
use crate::path::Leg;

/// How somebody stands who has nothing to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Standing {
    /// On both feet.
    Even,
    /// On one leg and then the other, once around in this time.
    Shifting { period_s: f32 },
}

/// A clip to be made.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    pub name: String,
    pub legs: Vec<Leg>,
    /// The foot that starts where the motion does not decide it, or always.
    pub first: Side,
    pub insists: bool,
    /// How far the left foot stands ahead at first, and the right one behind, metres.
    pub stagger_m: f32,
    /// Cut to whole strides and marked as a loop; the script must be one steady leg.
    pub looping: bool,
    pub tags: Vec<&'static str>,
    pub ground: Ground,
    pub standing: Standing,
    /// Seed of what differs from step to step.
    pub seed: u64,
    /// True for the mirror image of the recipe before.
    pub mirrors: bool,
}

impl Recipe {
    pub(crate) fn new(name: impl Into<String>, tags: &[&'static str], legs: Vec<Leg>) -> Self {
        let name = name.into();
        let seed = name.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
        Self {
            name,
            legs,
            first: Side::Right,
            insists: false,
            stagger_m: 0.0,
            looping: false,
            tags: tags.to_vec(),
            ground: Ground::Flat,
            standing: Standing::Even,
            seed,
            mirrors: false,
        }
    }

    /// The mirror image of this one, which must stand just before it, under another name.
    pub(crate) fn mirrored(&self, name: impl Into<String>) -> Self {
        Self { name: name.into(), mirrors: true, ..self.clone() }
    }

    /// Seconds of the script.
    pub(crate) fn seconds(&self) -> f32 {
        self.legs.iter().map(|l| l.seconds).sum()
    }
}
