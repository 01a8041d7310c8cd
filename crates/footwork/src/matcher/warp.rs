//! Warping what plays: walked at an angle, and with longer or shorter strides.
//!
//! Goals are set at control ticks. What is seen in between is drawn to the last goals, in closed form.

use super::config::MatcherConfig;
use crate::adjust::lower_body::LowerBody;
use crate::adjust::stride_warp::StrideWarp;
use crate::math::spring::Spring;
use crate::math::{Facing, Quat};
use crate::pose::Pose;
use glam::Vec3;

/// How what plays is warped; all zeros is not.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Warp {
    /// By which angle it is walked, radians about +Y.
    pub turn: Spring,
    /// What that is drawn to.
    pub turn_goal: f32,
    /// The axis of the clip's own travel, radians about +Y from the root's facing.
    pub travel: Spring,
    /// What that is drawn to.
    pub travel_goal: f32,
    /// How much longer strides are along it, and how low the pelvis is for it.
    pub stride: StrideWarp,
    /// What the former is drawn to.
    pub longer_goal: f32,
}

impl Warp {
    /// What becomes of a way (or velocity, or acceleration) of the clip's root, along the root's axes.
    pub fn way(&self, way: Vec3) -> Vec3 {
        // Nothing is to become of it, to the bit, where nothing warps.
        if self.turn.value == 0.0 && self.stride.longer.value == 0.0 {
            return way;
        }
        Quat::from_rotation_y(self.turn.value) * way * (1.0 + self.stride.longer.value)
    }

    /// As it is `after_s` later, when it bends a pose with this lower body.
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

    /// Bends a pose, `after_s` after the last tick.
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

    /// The axis along which strides are longer, root space.
    fn along(&self) -> Facing {
        Facing::from_yaw(self.travel.value + self.turn.value)
    }
}
