//! Blending out the discontinuity of a transition.

pub(crate) mod inertialize;
pub(crate) mod offset;

pub(crate) use offset::Offset;

use crate::math::four::{LANES, Vectors};
use crate::math::spring::Decay;
use crate::math::{smoothstep, spring};
use crate::{choices, settings};
use glam::Vec3;

choices! {
    /// Method of blending out the discontinuity of a transition.
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
        half_life_s: f32 = 0.18, in 1e-4 to 5.0, unit "s";
        /// Maximum distance by which a clip is moved at a transition so that planted feet stay in place. At 0, its root starts
        /// where the root is.
        plant_m: f32 = 0.15, in 0.0 to 100.0, unit "m";
        /// Half-life of the offset of a foot, which is blended as a point of the world, with the leg bent to it; at most
        /// `half_life_s`. Lower values place feet sooner; higher values are smoother. At 0, only the rotations of joints are
        /// blended, as by `quintic` and `dead_blend`: feet move with the offset of the root, and swing out between two equal
        /// places.
        feet_half_life_s: f32 = 0.12, in 0.0 to 5.0, unit "s";
        /// Whether two defects of Holden's reference controller are reproduced, for comparisons. The remaining offset of the
        /// root counts twice at every transition, and angular velocities are compared without the offset between the poses.
        reference_defects: bool = false;
    }
}

/// A time since a transition, with the decay that all its offsets share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Since {
    seconds: f32,
    decay: Decay,
    over: bool,
}

impl Since {
    /// Returns whether the springs' offsets are dropped.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }
}

/// Four offsets: see [`Offset`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offsets4 {
    pub value: Vectors,
    pub velocity: Vectors,
    pub acceleration: Vectors,
}

impl Offsets4 {
    #[inline(always)]
    fn new(of: [&Offset; LANES]) -> Self {
        Self {
            value: Vectors::new(of.map(|o| o.value)),
            velocity: Vectors::new(of.map(|o| o.velocity)),
            acceleration: Vectors::new(of.map(|o| o.acceleration)),
        }
    }
}

/// Range of a blend's duration, seconds.
pub(crate) const BLENDS: std::ops::Range<f32> = 1e-3..5.0;
/// Returns whether the duration is valid: in range, or 0 for that of the settings.
pub(crate) fn is_blend(blend_s: f32) -> bool {
    blend_s == 0.0 || (BLENDS.start..=BLENDS.end).contains(&blend_s)
}

/// Duration of a spring's blend, in half-lives: 2.6 % of the offset remain then.
const SPRING_HALF_LIVES: f32 = 4.0;

/// Number of half-lives after which an offset is dropped: it is then 2^-24 of its start, the last bit of the number that it is
/// added to. Without this limit, offsets decay into denormal numbers, which slow down every update.
const OVER_HALF_LIVES: f32 = 12.0;

impl TransitionConfig {
    /// Returns the settings for a transition with a blend of `blend_s` seconds; 0 keeps that of the settings.
    pub(crate) fn lasting(self, blend_s: f32) -> Self {
        if blend_s == 0.0 { self } else { Self { blend_s, half_life_s: blend_s / SPRING_HALF_LIVES, ..self } }
    }

    /// Returns the settings of the offsets of feet; `None` if feet are not blended as points.
    pub(crate) fn of_feet(self) -> Option<Self> {
        let half_life_s = self.feet_half_life_s.min(self.half_life_s);
        let springs = matches!(self.seam, Seam::Spring | Seam::SmoothSpring);
        (springs && self.feet_half_life_s > 0.0).then_some(Self { half_life_s, ..self })
    }

    /// Returns the weight of a dead blend, 0 to 1, and its rate, per second; `None` after its end.
    pub(crate) fn share(&self, since_s: f32) -> Option<(f32, f32)> {
        let t = since_s / self.blend_s;
        (t < 1.0).then(|| (smoothstep(t), 6.0 * t * (1.0 - t) / self.blend_s))
    }

    /// Returns displacement and velocity of a motion that started at `velocity` and slows down exponentially.
    pub(crate) fn extrapolated(&self, velocity: Vec3, since_s: f32) -> (Vec3, Vec3) {
        let left = 1.0 - spring::damp(self.half_life_s, since_s);
        (velocity * ((1.0 - left) * self.half_life_s / std::f32::consts::LN_2), velocity * left)
    }

    /// Returns the blend of the root. Its offset has a velocity but no value, which a quintic does not support, and a dead blend
    /// must not move it.
    pub(crate) fn root_seam(&self) -> Seam {
        match self.seam {
            Seam::Quintic => Seam::Spring,
            Seam::DeadBlend => Seam::SmoothSpring,
            seam => seam,
        }
    }

    /// Returns whether a blend needs accelerations.
    pub(crate) fn needs_accelerations(&self) -> bool {
        [self.root_seam(), self.seam, self.upper_seam].contains(&Seam::SmoothSpring)
    }

    /// Returns a time since the transition, for [`TransitionConfig::left`].
    pub(crate) fn since(&self, since_s: f32) -> Since {
        let over = since_s >= OVER_HALF_LIVES * self.half_life_s;
        Since { seconds: since_s, decay: Decay::new(self.half_life_s, since_s), over }
    }

    /// Returns the rest of an offset that was `start` at the transition.
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

    /// As [`TransitionConfig::left`], for four offsets, which are not over.
    #[inline(always)]
    pub(crate) fn left_of_four(&self, seam: Seam, start: [&Offset; LANES], since: &Since) -> Offsets4 {
        if seam == Seam::Quintic {
            return Offsets4::new(start.map(|start| self.left(seam, start, since)).each_ref());
        }
        let Offsets4 { value, velocity, acceleration } = Offsets4::new(start);
        if seam == Seam::Spring {
            let (value, velocity) = since.decay.of(value, velocity);
            return Offsets4 { value, velocity, acceleration: since.decay.acceleration(value, velocity) };
        }
        let [value, velocity, acceleration] = since.decay.smooth([value, velocity, acceleration]);
        Offsets4 { value, velocity, acceleration }
    }
}
