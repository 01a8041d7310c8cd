//! Stride warping: a clip walked with longer or shorter strides, so that it covers more or less ground in the same time.
//!
//! Feet and pelvis are scaled along the direction of travel about the root; the pelvis drops by what the longer leg needs.
//! Source: the node "Stride Warping" in Unreal Engine 5.

use super::lower_body::{LowerBody, PelvisConfig};
use crate::math::Facing;
use crate::math::spring::Spring;
use crate::pose::Pose;
use crate::settings;
use bytemuck::{Pod, Zeroable};
use glam::Vec3;

settings! {
    /// The `[matcher.stride_warp]` table.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct StrideWarpConfig {
        /// Whether strides are warped. Writing the table without this key switches the stage on.
        enabled: bool = false;
        /// Shortest stride, as a factor on the captured one. Lower values let the character slow down further without sliding,
        /// at the cost of unnatural steps.
        min: f32 = 0.8, in 0.1 to 1.0;
        /// Longest stride, as a factor on the captured one. Higher values reach higher speeds, at the cost of stretched legs.
        max: f32 = 1.25, in 1.0 to 4.0;
        /// Half-life of changes of the stride. Lower values follow speed sooner; higher values are smoother.
        half_life_s: f32 = 0.15, in 1e-4 to 10.0, unit "s";
        /// Speed of a clip at which its strides are warped fully. At half of it and below, they are not warped.
        full_speed_mps: f32 = 0.5, in 1e-3 to 100.0, unit "m/s";
        /// Lowering of the pelvis where a leg would be too short for the longer stride.
        pelvis: PelvisConfig;
    }
}

/// State of stride warping between updates. All zeros is the initial state and warps nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct StrideWarp {
    /// Lengthening of strides, as a share: 0.1 is 10 % longer.
    pub longer: Spring,
    /// Drop of the pelvis, metres.
    pub sunk: Spring,
}

impl StrideWarpConfig {
    /// Returns the lengthening of strides for a clip that moves at `clip_mps` and a desired speed of `wanted_mps`.
    pub fn longer(&self, clip_mps: f32, wanted_mps: f32) -> f32 {
        let factor = (wanted_mps / clip_mps.max(1e-3)).clamp(self.min.min(1.0), self.max.max(1.0));
        let counts = (2.0 * clip_mps / self.full_speed_mps.max(1e-3) - 1.0).clamp(0.0, 1.0);
        (factor - 1.0) * counts
    }
}

impl StrideWarp {
    /// Updates the state by `dt_s` towards a lengthening `longer` along `travel` (root space, on the ground). `lower` belongs to
    /// the pose to warp.
    pub fn update(&mut self, config: &StrideWarpConfig, travel: Facing, longer: f32, lower: &LowerBody, dt_s: f32) {
        self.longer.to(longer, config.half_life_s, dt_s);
        let pelvis = self.shift(travel, lower.hips().translation);
        let needed = lower.sink_needed(|toe| toe + self.shift(travel, toe) - pelvis);
        config.pelvis.sink(&mut self.sunk, needed, dt_s);
    }

    /// Warps a pose: the pelvis at once; `lower` writes the legs.
    pub fn apply(&self, travel: Facing, lower: &mut LowerBody, pose: &mut Pose) {
        if self.longer.value.abs() < 1e-4 && self.sunk.value.abs() < 1e-4 {
            return;
        }
        let moved = self.shift(travel, lower.hips().translation) - Vec3::Y * self.sunk.value;
        lower.shift_hips(moved, pose);
        let reach = lower.reach;
        for leg in lower.legs_mut().iter_mut().flatten() {
            let toe = leg.toe.translation - moved;
            leg.reach(toe + self.shift(travel, toe), reach);
        }
    }

    /// Returns the displacement of a point of the body.
    fn shift(&self, travel: Facing, point: Vec3) -> Vec3 {
        travel.direction() * (point.dot(travel.direction()) * self.longer.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_is_limited_and_needs_speed() {
        let config = StrideWarpConfig::default();
        assert!((config.longer(3.6, 4.0) - 1.0 / 9.0).abs() < 1e-5);
        assert!((config.longer(1.0, 9.0) - 0.25).abs() < 1e-6 && (config.longer(1.0, 0.0) + 0.2).abs() < 1e-6);
        assert_eq!(config.longer(0.2, 1.0), 0.0);
        assert_eq!(StrideWarpConfig { min: 1.0, max: 1.0, ..config }.longer(1.0, 2.0), 0.0);
    }
}
