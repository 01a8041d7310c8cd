//! Warping what plays: walked at an angle, and with longer or shorter strides.
//!
//! Goals are set at control ticks. What is seen in between is drawn to the last goals, in closed form.

use super::config::MatcherConfig;
use super::state::StateHeader;
use crate::adjust::body::{Body, LowerBody};
use crate::adjust::root::RootMode;
use crate::adjust::stride_warp::StrideWarp;
use crate::database::Database;
use crate::math::spring::Spring;
use crate::math::{Facing, Quat};
use crate::pose::Pose;
use crate::skeleton::Skeleton;
use crate::trajectory::{Goal, MotionInput};
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

    /// A control tick: as it is `dt_s` after the last, with new goals.
    pub fn tick(
        &mut self,
        db: &Database,
        config: &MatcherConfig,
        input: &MotionInput,
        header: &StateHeader,
        lower: &LowerBody,
        dt_s: f32,
    ) {
        self.advance(config, lower, dt_s);
        if !config.orientation_warp.enabled {
            self.turn = Spring::default();
        }
        if !config.stride_warp.enabled {
            self.stride = StrideWarp::default();
        }
        let (_, clip, _) = db.view(header.playing.clip, header.playing.mirrored).root(header.playing.time_s);
        let clip = clip * header.play_rate;
        let wanted = header.shown_root(&config.transition).inverse_direction(header.simulation.velocity);
        // Who follows the animation is sent nowhere.
        let led = !matches!(input.goal, Goal::None) && config.root.mode != RootMode::Animation;
        let turns = led && config.orientation_warp.enabled;
        self.turn_goal = if turns { config.orientation_warp.angle(clip, wanted) } else { 0.0 };
        self.longer_goal = 0.0;
        let Some(facing) = Facing::from_direction(clip) else { return };
        // An axis has no direction: half a turn is none.
        let turn = facing.yaw() - self.travel.value;
        self.travel_goal = self.travel.value + turn - PI * (turn / PI).round();
        let going = Quat::from_rotation_y(self.turn_goal) * facing.direction();
        let along = wanted.dot(going);
        // Somebody who has to turn round first must not take smaller steps for it.
        if led && config.stride_warp.enabled && along > 0.5 * wanted.length() {
            self.longer_goal = config.stride_warp.longer(clip.length(), along);
        }
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
    pub fn apply(
        &self,
        skeleton: &Skeleton,
        body: &Body,
        config: &MatcherConfig,
        after_s: f32,
        lower: &mut LowerBody,
        pose: &mut Pose,
    ) {
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
