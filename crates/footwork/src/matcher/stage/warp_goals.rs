//! Goals of the warps, set at control ticks.

use crate::adjust::lower_body::LowerBody;
use crate::adjust::root::RootMode;
use crate::adjust::stride_warp::StrideWarp;
use crate::matcher::character::Character;
use crate::matcher::warp::Warp;
use crate::math::spring::Spring;
use crate::math::{Facing, Quat};
use crate::pose::Pose;
use glam::Vec3;
use std::f32::consts::PI;

/// Advances the warps and sets their goals.
pub struct WarpGoals<'a> {
    /// Settings; read.
    pub character: &'a Character,
    /// True if a goal leads the character.
    pub is_led: bool,
    /// Velocity of the playing root along its own axes, in m/s, at its play rate.
    pub clip_velocity: Vec3,
    /// Velocity of the simulated character along the axes of the shown root, in m/s.
    pub wanted: Vec3,
    /// Warp of the playing clip; written.
    pub warp: &'a mut Warp,
}

impl WarpGoals<'_> {
    /// Runs a control tick of `dt_s`, and bends `lower` and the pose.
    pub fn run(self, lower: &mut LowerBody, pose: &mut Pose, dt_s: f32) {
        let config = &self.character.config;
        let mut warp = *self.warp;
        warp.advance(config, lower, dt_s);
        if !config.orientation_warp.enabled {
            warp.turn = Spring::default();
        }
        if !config.stride_warp.enabled {
            warp.stride = StrideWarp::default();
        }
        self.set_goals(&mut warp);
        warp.apply(config, 0.0, lower, pose);
        *self.warp = warp;
    }

    fn set_goals(&self, warp: &mut Warp) {
        let (config, clip, wanted) = (&self.character.config, self.clip_velocity, self.wanted);
        // Without a goal, or with the animation as root driver, there is no direction to warp to.
        let led = self.is_led && config.root.mode != RootMode::Animation;
        let turns = led && config.orientation_warp.enabled;
        warp.turn_goal = if turns { config.orientation_warp.angle(clip, wanted) } else { 0.0 };
        warp.longer_goal = 0.0;
        let Some(facing) = Facing::from_direction(clip) else { return };
        // An axis has no direction: half a turn leaves it the same.
        let turn = facing.yaw() - warp.travel.value;
        warp.travel_goal = warp.travel.value + turn - PI * (turn / PI).round();
        let going = Quat::from_rotation_y(warp.turn_goal) * facing.direction();
        let along = wanted.dot(going);
        // A character that has to turn around first must not take shorter strides for it.
        if led && config.stride_warp.enabled && along > 0.5 * wanted.length() {
            warp.longer_goal = config.stride_warp.longer(clip.length(), along);
        }
    }
}
