//! Warps of the playing clip: another direction of travel, and longer or shorter strides.
//!
//! Goals are set at control ticks. Between ticks, values are pulled towards the last goals in closed form.

use super::config::MatcherConfig;
use crate::adjust::lower_body::LowerBody;
use crate::adjust::stride_warp::StrideWarp;
use crate::math::spring::Spring;
use crate::math::{Facing, Quat};
use crate::pose::Pose;
use glam::Vec3;

/// Warp of the playing clip. All zeros warps nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Warp {
    /// Angle by which the direction of travel is turned, in radians about +Y.
    pub turn: Spring,
    /// Goal of `turn`.
    pub turn_goal: f32,
    /// Axis of the clip's own travel, in radians about +Y from the root's facing.
    pub travel: Spring,
    /// Goal of `travel`.
    pub travel_goal: f32,
    /// Lengthening of strides along that axis, and lowering of the pelvis for it.
    pub stride: StrideWarp,
    /// Goal of the lengthening.
    pub longer_goal: f32,
}

impl Warp {
    /// Returns the warped displacement (or velocity, or acceleration) of the clip's root, along the root's axes.
    pub fn displacement(&self, own: Vec3) -> Vec3 {
        // Without a warp, the result must be equal to the bit.
        if self.turn.value == 0.0 && self.stride.longer.value == 0.0 {
            return own;
        }
        Quat::from_rotation_y(self.turn.value) * own * (1.0 + self.stride.longer.value)
    }

    /// Advances the warp by `after_s` seconds, for a pose with this lower body.
    pub(super) fn advance(&mut self, config: &MatcherConfig, lower: &LowerBody, after_s: f32) {
        if config.orientation_warp.enabled {
            self.turn.to(self.turn_goal, config.orientation_warp.half_life_s, after_s);
        }
        let c = &config.stride_warp;
        if c.enabled {
            self.travel.to(self.travel_goal, c.half_life_s, after_s);
            self.stride.update(c, self.along(), self.longer_goal, lower, after_s);
        }
    }

    /// Bends a pose, `after_s` seconds after the last tick.
    pub(super) fn apply(&self, config: &MatcherConfig, after_s: f32, lower: &mut LowerBody, pose: &mut Pose) {
        let mut now = *self;
        now.advance(config, lower, after_s);
        if config.orientation_warp.enabled {
            config.orientation_warp.apply(now.turn.value, lower, pose);
        }
        if config.stride_warp.enabled {
            now.stride.apply(now.along(), lower, pose);
        }
    }

    /// Returns the axis along which strides are longer, in root space.
    fn along(&self) -> Facing {
        Facing::from_yaw(self.travel.value + self.turn.value)
    }
}
