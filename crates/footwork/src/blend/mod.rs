//! Hiding the seam of a transition.

pub mod inertialize;
pub mod offset;

pub use offset::Offset;

use serde::{Deserialize, Serialize};

/// How a transition is hidden.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seam {
    /// What was shown and what plays differ by an offset, which a critically damped spring takes away. Velocity goes on
    /// without a step. Source: D. Bollo, "Inertialization" (GDC 2018), in the form of D. Holden's "Spring-It-On" (2021).
    Spring,
    /// The same with a third pole: acceleration goes on without a step, too.
    #[default]
    SmoothSpring,
}

/// The `[matcher.transition]` table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TransitionConfig {
    /// Default `smooth_spring`.
    pub seam: Seam,
    /// Half-life of the offset that hides a transition, seconds. Default 0.1.
    pub half_life_s: f32,
    /// A clip that is jumped to is put down so that feet which touch before and after stay where they are, moved by at
    /// most this much, metres; 0 puts its root where the root is. Default 0.15.
    pub plant_m: f32,
    /// Counts what is left of the root's last offset once more at every transition, so that the root jumps: a defect of
    /// the field's reference, for comparisons with it. Default false.
    pub reference_root: bool,
}

impl Default for TransitionConfig {
    fn default() -> Self {
        Self { seam: Seam::SmoothSpring, half_life_s: 0.1, plant_m: 0.15, reference_root: false }
    }
}

impl TransitionConfig {
    /// What is left of an offset `since_s` seconds after it was `start`.
    pub fn left(&self, start: &Offset, since_s: f32) -> Offset {
        match self.seam {
            Seam::Spring => start.spring(self.half_life_s, since_s),
            Seam::SmoothSpring => start.smooth_spring(self.half_life_s, since_s),
        }
    }
}
