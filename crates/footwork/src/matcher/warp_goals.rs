//! Goals of the warps, set at control ticks.

use super::character::Update;
use super::warp::Warp;
use crate::adjust::lower_body::LowerBody;
use crate::adjust::root::RootMode;
use crate::adjust::stride_warp::StrideWarp;
use crate::input::Goal;
use crate::math::spring::Spring;
use crate::math::{Facing, Quat};
use std::f32::consts::PI;

impl Update<'_> {
    /// Runs a control tick of the warps: advances them by `dt_s`, sets new goals, and bends `lower` and the pose in
    /// `scratch.shown`.
    pub(super) fn tick_warp(&mut self, lower: &mut LowerBody, dt_s: f32) {
        let character = self.character;
        let config = &character.config;
        let mut warp = self.state.header.warp;
        warp.advance(config, lower, dt_s);
        if !config.orientation_warp.enabled {
            warp.turn = Spring::default();
        }
        if !config.stride_warp.enabled {
            warp.stride = StrideWarp::default();
        }
        self.set_warp_goals(&mut warp);
        warp.apply(config, 0.0, lower, &mut self.scratch.shown.pose);
        self.state.header.warp = warp;
    }

    fn set_warp_goals(&mut self, warp: &mut Warp) {
        let clip = self.root_velocity();
        let (config, h) = (&self.character.config, &self.state.header);
        let clip = clip * h.play_rate;
        let wanted = h.shown_root(&config.transition).inverse_direction(h.simulation.velocity);
        // Without a goal, or with the animation as root driver, there is no direction to warp to.
        let led = !matches!(self.input.goal, Goal::None) && config.root.mode != RootMode::Animation;
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
