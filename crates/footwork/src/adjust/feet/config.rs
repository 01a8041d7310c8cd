//! Settings of foot locking.

use crate::adjust::lower_body::PelvisConfig;
use crate::adjust::two_bone_ik::Reach;
use crate::{choices, settings};

choices! {
    /// Method of foot locking.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum FootLock = Leash {
        /// A toe further from its animated position than `lock_radius_m` is dragged along at that distance. A toe that touches outside
        /// of this radius is held as soon as it is inside.
        Leash = "leash",
        /// A toe further from its animated position than `lock_radius_m` is released until it touches again, and holds begin with a
        /// spring that overshoots. Holden's reference controller does this; `leash` is better.
        Reference = "reference",
    }
}

settings! {
    /// The `[matcher.feet]` table.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct FeetConfig {
        /// Whether feet are locked to the ground while they touch.
        enabled: bool = true;
        /// What happens to a foot that the body leaves behind.
        lock: FootLock = FootLock::Leash;
        /// Half-life of the spring that brings a touching toe to rest. Lower values slide less; higher values are softer.
        hold_half_life_s: f32 = 0.02, in 1e-4 to 5.0, unit "s";
        /// Time before touching over which a swinging toe is led to the point where it can stand. Higher values correct more
        /// gently.
        landing_s: f32 = 0.3, in 0.0 to 1.0, unit "s";
        /// Half-life of the spring that returns a released toe to its clip. Lower values return sooner; higher values are
        /// smoother.
        release_half_life_s: f32 = 0.1, in 1e-4 to 5.0, unit "s";
        /// Lock radius: maximum distance between a locked toe and its animated position. Higher values slide less; lower values
        /// keep the pose closer to the clip.
        lock_radius_m: f32 = 0.2, in 0.0 to 100.0, unit "m", formerly "leash_m";
        /// Maximum angle between the heading of a locked foot and that of its clip. Higher values turn less on the ground; lower values
        /// keep the pose closer to the clip.
        lock_angle_deg: f32 = 25.0, in 0.0 to 90.0, unit "degrees";
        /// Part of a leg's length that corrections leave unused, so that knees stay bent.
        knee_kept_m: f32 = 0.005, in 0.0 to 1.0, unit "m";
        /// Part before that, in which a stretching leg slows down. Higher values avoid snapping knees and reach less far.
        knee_soft_m: f32 = 0.03, in 0.0 to 1.0, unit "m";
        /// Lowest height of toes above the ground. Higher values keep soles out of the ground.
        toe_clearance_m: f32 = 0.0, in -1.0 to 1.0, unit "m";
        /// Lowering of the pelvis where a locked or landing foot would stretch its leg.
        pelvis: PelvisConfig = PelvisConfig { down_half_life_s: 0.1, up_half_life_s: 0.3, max_m: 0.1 };
    }
}

impl FeetConfig {
    /// Returns a toe's height limited to stay above the ground, continuous in velocity, in metres.
    pub fn above_ground(&self, height_m: f32) -> f32 {
        let h = height_m - self.toe_clearance_m;
        self.toe_clearance_m + 0.5 * (h + (h * h + GROUND_SOFT_M * GROUND_SOFT_M).sqrt())
    }

    /// Returns the reach of the legs.
    pub fn reach(&self) -> Reach {
        Reach { soft_m: self.knee_soft_m, kept_m: self.knee_kept_m }
    }
}

/// Softness of the ground limit: at this height a toe is raised by about 0.2 of it, metres.
const GROUND_SOFT_M: f32 = 0.005;
