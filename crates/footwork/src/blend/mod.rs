//! Hiding the seam of a transition.

pub(crate) mod inertialize;
pub(crate) mod offset;

pub(crate) use offset::Offset;

use crate::math::spring::Decay;
use crate::math::{smoothstep, spring};
use crate::{choices, settings};
use glam::Vec3;

choices! {
    /// How the discontinuity of a transition is blended out.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Seam = Spring {
        /// Inertialization: a critically damped spring removes the offset between the shown pose and the playing clip; the
        /// velocity is continuous. Source: D. Bollo, "Inertialization" (GDC 2018), in the form of D. Holden's "Spring-It-On"
        /// (2021).
        Spring = "spring",
        /// The same with a third pole: the acceleration is continuous, too.
        SmoothSpring = "smooth_spring",
        /// The same along a polynomial of fifth degree. It ends after `blend_s` and does not overshoot. The root uses `spring`.
        /// Source: D. Bollo, "Inertialization" (GDC 2018).
        Quintic = "quintic",
        /// The shown motion is continued, slowing down, and cross-fades into the playing clip within `blend_s`. Smoother than a
        /// spring, but feet slide more. Source: D. Holden, "Dead Blending" (2023).
        DeadBlend = "dead_blend",
    }
}

settings! {
    /// The `[matcher.transition]` table.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct TransitionConfig {
        /// Blend of root, hips and legs.
        seam: Seam = Seam::Spring;
        /// Blend of the joints that carry no foot: spine, head, arms.
        upper_seam: Seam = Seam::Spring;
        /// Duration of a quintic or a dead blend. Higher values are smoother; lower values respond faster.
        blend_s: f32 = 0.3, in 1e-3 to 5.0, unit "s";
        /// Half-life of the offset that hides a transition; in a dead blend, of the velocity. Higher values are smoother; lower
        /// values respond faster.
        half_life_s: f32 = 0.16, in 1e-4 to 5.0, unit "s";
        /// Maximum distance by which a clip is moved at a transition so that planted feet stay in place. At 0, its root starts
        /// where the root is.
        plant_m: f32 = 0.15, in 0.0 to 100.0, unit "m";
        /// Whether two defects of Holden's reference controller are reproduced, for comparisons. The remaining offset of the
        /// root counts twice at every transition, and angular velocities are compared without the offset between the poses.
        reference_defects: bool = false;
    }
}

/// A time since a transition, and what all its offsets have in common then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Since {
    seconds: f32,
    decay: Decay,
    over: bool,
}

/// Seconds of a blend.
pub(crate) const BLENDS: std::ops::Range<f32> = 1e-3..5.0;
/// True for the seconds of a blend, and for 0: the time of the settings.
pub(crate) fn is_blend(blend_s: f32) -> bool {
    blend_s == 0.0 || (BLENDS.start..=BLENDS.end).contains(&blend_s)
}

/// A blend by a spring lasts for so many half-lives: 2.6 % of the offset are left then.
const SPRING_HALF_LIVES: f32 = 4.0;

/// Half-lives after which an offset is over: it is then 2^-24 of what it was, the last bit of the number that it is added to.
/// Without an end, offsets decay into denormal numbers, and these slow every update down.
const OVER_HALF_LIVES: f32 = 12.0;

impl TransitionConfig {
    /// The same for a transition with a blend of so many seconds; 0: with that of the settings.
    pub(crate) fn lasting(self, blend_s: f32) -> Self {
        if blend_s == 0.0 { self } else { Self { blend_s, half_life_s: blend_s / SPRING_HALF_LIVES, ..self } }
    }

    /// How far a dead blend has gone, 0 to 1, and how fast it goes on, per second; `None` when it is over.
    pub(crate) fn share(&self, since_s: f32) -> Option<(f32, f32)> {
        let t = since_s / self.blend_s;
        (t < 1.0).then(|| (smoothstep(t), 6.0 * t * (1.0 - t) / self.blend_s))
    }

    /// How far something has come that moved at `velocity` and slows down by itself, and its velocity then.
    pub(crate) fn extrapolated(&self, velocity: Vec3, since_s: f32) -> (Vec3, Vec3) {
        let left = 1.0 - spring::damp(self.half_life_s, since_s);
        (velocity * ((1.0 - left) * self.half_life_s / std::f32::consts::LN_2), velocity * left)
    }

    /// How the root's seam is hidden: it has velocity to hide and no offset, which a quintic cannot, and its way is not to be
    /// made up by a dead blend.
    pub(crate) fn root_seam(&self) -> Seam {
        match self.seam {
            Seam::Quintic => Seam::Spring,
            Seam::DeadBlend => Seam::SmoothSpring,
            seam => seam,
        }
    }

    /// Does any seam ask for accelerations?
    pub(crate) fn needs_accelerations(&self) -> bool {
        [self.root_seam(), self.seam, self.upper_seam].contains(&Seam::SmoothSpring)
    }

    /// A time since the transition, to ask [`TransitionConfig::left`] with.
    pub(crate) fn since(&self, since_s: f32) -> Since {
        let over = since_s >= OVER_HALF_LIVES * self.half_life_s;
        Since { seconds: since_s, decay: Decay::new(self.half_life_s, since_s), over }
    }

    /// What is left, some time after the transition, of an offset that was `start`.
    #[inline(always)]
    pub(crate) fn left(&self, seam: Seam, start: &Offset, since: &Since) -> Offset {
        match seam {
            Seam::Quintic => start.quintic(self.blend_s, since.seconds),
            _ if since.over => Offset::default(),
            Seam::Spring => start.spring(&since.decay),
            // A dead blend keeps no offset: see `extrapolated`.
            Seam::SmoothSpring | Seam::DeadBlend => start.smooth_spring(&since.decay),
        }
    }
}
