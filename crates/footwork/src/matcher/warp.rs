//! Warping what plays: walked at an angle, and with longer or shorter strides.
//!
//! Goals are set at control ticks. What is seen in between is drawn to the last goals, in closed form.

use super::character::Character;
use super::config::MatcherConfig;
use super::update::Update;
use crate::adjust::lower_body::LowerBody;
use crate::adjust::root::RootMode;
use crate::adjust::stride_warp::StrideWarp;
use crate::input::Goal;
use crate::math::spring::Spring;
use crate::math::{Facing, Quat};
use crate::pose::Pose;
use crate::rig::Body;
use glam::Vec3;
use std::f32::consts::PI;

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
    fn advance(&mut self, config: &MatcherConfig, lower: &LowerBody, after_s: f32) {
        if config.orientation_warp.enabled {
            self.turn.to(self.turn_goal, config.orientation_warp.half_life_s, after_s);
        }
        let c = &config.stride_warp;
        if c.enabled {
            self.travel.to(self.travel_goal, c.half_life_s, after_s);
            let (reach, along) = (config.feet.reach(), self.along());
            self.stride.update(c, reach, along, self.longer_goal, lower, after_s);
        }
    }

    /// Bends a pose, `after_s` after the last tick.
    pub(super) fn apply(
        &self,
        character: &Character,
        body: &Body,
        after_s: f32,
        lower: &mut LowerBody,
        pose: &mut Pose,
    ) {
        let (config, skeleton) = (&character.config, &character.model.skeleton);
        let reach = config.feet.reach();
        let mut now = *self;
        now.advance(config, lower, after_s);
        if config.orientation_warp.enabled {
            config.orientation_warp.apply(skeleton, body, reach, now.turn.value, lower, pose);
        }
        if config.stride_warp.enabled {
            now.stride.apply(skeleton, body, reach, now.along(), lower, pose);
        }
    }

    /// The axis along which strides are longer, root space.
    fn along(&self) -> Facing {
        Facing::from_yaw(self.travel.value + self.turn.value)
    }
}

impl Update<'_> {
    /// A control tick of the warps: as they are `dt_s` after the last, with new goals. Bends `lower` and the pose in
    /// `scratch.shown` by them.
    pub(super) fn tick_warp(&mut self, body: &Body, lower: &mut LowerBody, dt_s: f32) {
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
        warp.apply(character, body, 0.0, lower, &mut self.scratch.shown.pose);
        self.state.header.warp = warp;
    }

    fn set_warp_goals(&self, warp: &mut Warp) {
        let (config, h) = (&self.character.config, &self.state.header);
        let clip = self.character.source.root(self.playing()).velocity * h.play_rate;
        let wanted = h.shown_root(&config.transition).inverse_direction(h.simulation.velocity);
        // Who follows the animation is sent nowhere.
        let led = !matches!(self.input.goal, Goal::None) && config.root.mode != RootMode::Animation;
        let turns = led && config.orientation_warp.enabled;
        warp.turn_goal = if turns { config.orientation_warp.angle(clip, wanted) } else { 0.0 };
        warp.longer_goal = 0.0;
        let Some(facing) = Facing::from_direction(clip) else { return };
        // An axis has no direction: half a turn is none.
        let turn = facing.yaw() - warp.travel.value;
        warp.travel_goal = warp.travel.value + turn - PI * (turn / PI).round();
        let going = Quat::from_rotation_y(warp.turn_goal) * facing.direction();
        let along = wanted.dot(going);
        // Somebody who has to turn round first must not take smaller steps for it.
        if led && config.stride_warp.enabled && along > 0.5 * wanted.length() {
            warp.longer_goal = config.stride_warp.longer(clip.length(), along);
        }
    }
}
