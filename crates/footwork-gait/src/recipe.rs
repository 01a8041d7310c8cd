//! Recipe of a clip: its script and the settings of the whole clip.

use crate::body::Side;
use crate::gestures::Gesture;
use crate::ground::Ground;
use crate::path::Leg;

/// Motion while standing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Standing {
    /// Weight on both feet.
    Even,
    /// Weight on one leg, then on the other; one cycle takes `period_s`.
    Shifting { period_s: f32 },
    /// No motion, not even breathing: for poses.
    Still,
}

/// Manner of walking: differences between people, constant over a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Manner {
    /// Factor of the cadence at a speed: above 1, steps are shorter and quicker.
    pub cadence: f32,
    /// Addition to the variation of the arm swing, in its standard deviations.
    pub arms: f32,
}

impl Manner {
    pub(crate) const USUAL: Self = Self { cadence: 1.0, arms: 0.0 };
}

/// Recipe of a clip.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    pub name: String,
    pub legs: Vec<Leg>,
    /// Foot that starts if the motion does not decide it, or always if `insists` is set.
    pub first: Side,
    pub insists: bool,
    /// Initial offset of the left foot forward and of the right foot backward, in metres.
    pub stagger_m: f32,
    /// Cut to whole strides and marked as a loop; the script must be one steady leg.
    pub looping: bool,
    pub tags: Vec<&'static str>,
    pub ground: Ground,
    pub standing: Standing,
    /// Motion of head and arms in addition to walking.
    pub gesture: Option<Gesture>,
    /// Seed of the variation from step to step.
    pub seed: u64,
    /// Manner of walking.
    pub manner: Manner,
    /// True for the mirror image of the previous recipe.
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
            gesture: None,
            seed,
            manner: Manner::USUAL,
            mirrors: false,
        }
    }

    /// Returns the mirror image under another name; it must directly follow this recipe.
    pub(crate) fn mirrored(&self, name: impl Into<String>) -> Self {
        Self { name: name.into(), mirrors: true, ..self.clone() }
    }

    /// Returns the length of the script, in seconds.
    pub(crate) fn seconds(&self) -> f32 {
        self.legs.iter().map(|l| l.seconds).sum()
    }
}
