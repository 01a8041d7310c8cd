//! Hiding the seam of a transition.

pub mod inertialize;
pub mod offset;

pub use offset::Offset;

use crate::math::spring::Decay;
use crate::math::{smoothstep, spring};
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// How a transition is hidden.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seam {
    /// What was shown and what plays differ by an offset, which a critically damped spring takes away. Velocity goes on
    /// without a step. Source: D. Bollo, "Inertialization" (GDC 2018), in the form of D. Holden's "Spring-It-On" (2021).
    #[default]
    Spring,
    /// The same with a third pole: acceleration goes on without a step, too.
    SmoothSpring,
    /// The same along a polynomial of fifth degree, over after `blend_s`, that never overshoots. Source: D. Bollo,
    /// "Inertialization" (GDC 2018). The root, which has velocity to hide and no offset, is left to `spring`.
    Quintic,
    /// What was shown goes on by itself, ever more slowly, and cross-fades into what plays. Smoother than a spring, but it
    /// holds on to what was shown for longer: feet slide. Source: D. Holden, "Dead Blending" (2023).
    DeadBlend,
}

/// The `[matcher.transition]` table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TransitionConfig {
    /// Of the root, the hips and the legs. Default `spring`.
    pub seam: Seam,
    /// Of the joints that carry no foot: spine, head, arms. Default `spring`.
    pub upper_seam: Seam,
    /// How long a quintic or a dead blend takes, seconds. Default 0.3.
    pub blend_s: f32,
    /// Half-life of the offset that hides a transition (of the velocity, in a dead blend), seconds. Default 0.15.
    pub half_life_s: f32,
    /// A clip that is jumped to is put down so that feet which touch before and after stay where they are, moved by at
    /// most this much, metres; 0 puts its root where the root is. Default 0.15.
    pub plant_m: f32,
    /// Two defects of the field's reference, for comparisons with it: what is left of the root's last offset counts once
    /// more at every transition, so that the root jumps; and angular velocities are subtracted as if the offset between
    /// the poses turned nothing. Default false.
    pub reference_defects: bool,
}

impl Default for TransitionConfig {
    fn default() -> Self {
        Self {
            seam: Seam::Spring,
            upper_seam: Seam::Spring,
            blend_s: 0.3,
            half_life_s: 0.15,
            plant_m: 0.15,
            reference_defects: false,
        }
    }
}

/// A time since a transition, and what all its offsets have in common then.
#[derive(Clone, Copy, Debug)]
pub struct Since {
    seconds: f32,
    decay: Decay,
}

impl TransitionConfig {
    /// How far a dead blend has gone, 0 to 1, and how fast it goes on, per second; `None` when it is over.
    pub fn share(&self, since_s: f32) -> Option<(f32, f32)> {
        let t = since_s / self.blend_s;
        (t < 1.0).then(|| (smoothstep(t), 6.0 * t * (1.0 - t) / self.blend_s))
    }

    /// How far something has come that moved at `velocity` and slows down by itself, and its velocity then.
    pub fn extrapolated(&self, velocity: Vec3, since_s: f32) -> (Vec3, Vec3) {
        let left = 1.0 - spring::damp(self.half_life_s, since_s);
        (velocity * ((1.0 - left) * self.half_life_s / std::f32::consts::LN_2), velocity * left)
    }

    /// How the root's seam is hidden: it has velocity to hide and no offset, which a quintic cannot, and its way is not to be
    /// made up by a dead blend.
    pub fn root_seam(&self) -> Seam {
        match self.seam {
            Seam::Quintic => Seam::Spring,
            Seam::DeadBlend => Seam::SmoothSpring,
            seam => seam,
        }
    }

    /// Does any seam ask for accelerations?
    pub fn needs_accelerations(&self) -> bool {
        [self.root_seam(), self.seam, self.upper_seam].contains(&Seam::SmoothSpring)
    }

    /// A time since the transition, to ask [`TransitionConfig::left`] with.
    pub fn since(&self, since_s: f32) -> Since {
        Since { seconds: since_s, decay: Decay::new(self.half_life_s, since_s) }
    }

    /// What is left, some time after the transition, of an offset that was `start`.
    #[inline(always)]
    pub fn left(&self, seam: Seam, start: &Offset, since: &Since) -> Offset {
        match seam {
            Seam::Quintic => start.quintic(self.blend_s, since.seconds),
            Seam::Spring => start.spring(&since.decay),
            // A dead blend keeps no offset: see `extrapolated`.
            Seam::SmoothSpring | Seam::DeadBlend => start.smooth_spring(&since.decay),
        }
    }
}
