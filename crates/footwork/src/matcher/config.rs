//! How a character behaves. May be changed at any time; nothing has to be rebuilt.

use super::model::Model;
use crate::adjust::feet::{FeetConfig, FootLock};
use crate::adjust::ground::GroundConfig;
use crate::adjust::hands::HandConfig;
use crate::adjust::look_at::{LookAtConfig, MAX_LOOK_JOINTS};
use crate::adjust::orientation_warp::OrientationWarpConfig;
use crate::adjust::play_rate::PlayRateConfig;
use crate::adjust::root::RootConfig;
use crate::adjust::stride_warp::StrideWarpConfig;
use crate::blend::{Seam, TransitionConfig};
use crate::database::Database;
use crate::math::Facing;
use crate::roles::JointRoles;
use crate::search::Backend;
use crate::trajectory::{PredictionConfig, SimulationConfig, SpeedConfig};
use glam::Vec3;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The `[matcher]` table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MatcherConfig {
    /// When and how to search.
    pub search: SearchConfig,
    /// Scales the trajectory's part of the cost: more than 1 obeys sooner, less keeps the motion smoother. Default 1.
    pub responsiveness: f32,
    /// Scales the cost of channels by label (`LeftFoot position = 2.0`); 0 leaves a channel out. Default 1.
    pub channel_cost: BTreeMap<String, f32>,
    /// Speeds of a full stick.
    pub speeds: SpeedConfig,
    /// Springs of the simulated character.
    pub simulation: SimulationConfig,
    /// How the future is drawn.
    pub prediction: PredictionConfig,
    /// While nobody steers: how much of the desired trajectory is the playing clip's own future, 0 to 1. Default 1.
    pub unsteered_clip_blend: f32,
    /// How transitions are hidden.
    pub transition: TransitionConfig,
    /// Playing faster or slower than captured.
    pub play_rate: PlayRateConfig,
    /// Walking a clip at another angle. Off unless the table is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orientation_warp: Option<OrientationWarpConfig>,
    /// Walking a clip with longer or shorter strides. Off unless the table is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stride_warp: Option<StrideWarpConfig>,
    /// Animation and simulation.
    pub root: RootConfig,
    /// Feet that stay where they touch.
    pub feet: FeetConfig,
    /// Feet on uneven ground, where [`crate::input::MotionInput::ground`] is given.
    pub ground: GroundConfig,
    /// Looking at [`crate::input::MotionInput::look_at`].
    pub look_at: LookAtConfig,
    /// Reaching for [`crate::input::MotionInput::hands`].
    pub hands: HandConfig,
}

impl Default for MatcherConfig {
    fn default() -> Self {
        Self {
            search: SearchConfig::default(),
            responsiveness: 1.0,
            channel_cost: BTreeMap::new(),
            speeds: SpeedConfig::default(),
            simulation: SimulationConfig::default(),
            prediction: PredictionConfig::default(),
            unsteered_clip_blend: 1.0,
            transition: TransitionConfig::default(),
            play_rate: PlayRateConfig::default(),
            orientation_warp: None,
            stride_warp: None,
            root: RootConfig::default(),
            feet: FeetConfig::default(),
            ground: GroundConfig::default(),
            look_at: LookAtConfig::default(),
            hands: HandConfig::default(),
        }
    }
}

/// Most rows that are compared once more.
pub const MAX_CANDIDATES: usize = 256;

/// The `[matcher.search]` table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SearchConfig {
    /// Default `tree`. All give the same result.
    pub backend: Backend,
    /// Seconds between searches. Default 0.1.
    pub interval_s: f32,
    /// Added to the cost of every jump, in units of the normalised features. Default 0.02: a tie-breaker in favour of
    /// what plays; much more delays the character (see docs/guide/tuning.md).
    pub transition_cost: f32,
    /// A jump must be cheaper than playing on by this share of the latter's cost. Default 0.05.
    pub minimum_improvement: f32,
    /// While playing on costs less than this, in the units of `transition_cost`, it goes on without a search: what is left
    /// out costs no time, and small gains are let go. Default 0: always search.
    pub keep_playing_within: f32,
    /// The end of a clip that is not jumped to, seconds, unless it loops. Default 0.33.
    pub end_exclusion_s: f32,
    /// So many of the best rows are compared once more, by what a jump there would cost in metres; 1 takes the best row as
    /// it is. Up to 256. Default 128.
    pub candidates: usize,
    /// Cost of a seam that has to hide 10 cm, as a mean over the body: a difference of place, and what a difference of
    /// velocity makes of it. Smoother jumps where it is more. Default 1.5.
    pub seam_cost: f32,
    /// Cost of 10 cm (or 20 degrees) by which the root would have to be dragged within `way_ahead_s` to be where the
    /// simulated character is then. Feet slide less, the path is kept better, where it is more. Default 6.
    pub way_cost: f32,
    /// Seconds. Default 0.22.
    pub way_ahead_s: f32,
    /// Around what plays, not jumped to, seconds either way. Default 0.1.
    pub near_exclusion_s: f32,
    /// Whose pose is matched. Default `clip`.
    pub query_pose: QueryPose,
    /// A change of the desired velocity by this much searches at once, m/s. Default 1.
    pub force_velocity_mps: f32,
    /// A change of the desired facing by this much searches at once, degrees. Default 45.
    pub force_facing_deg: f32,
}

/// Whose pose a query describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueryPose {
    /// That of the clip that plays: what it leads to is known, and playing on fits it exactly.
    #[default]
    Clip,
    /// That which is shown, the seam of the last jump included; without corrections of the feet, gaze or hands.
    Shown,
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self {
            backend: Backend::default(),
            interval_s: 0.1,
            transition_cost: 0.02,
            minimum_improvement: 0.05,
            keep_playing_within: 0.0,
            end_exclusion_s: 0.33,
            candidates: 128,
            seam_cost: 1.5,
            way_cost: 6.0,
            way_ahead_s: 0.22,
            near_exclusion_s: 0.1,
            query_pose: QueryPose::Clip,
            force_velocity_mps: 1.0,
            force_facing_deg: 45.0,
        }
    }
}

/// A setting that cannot be.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("`matcher.{key}`: {what}")]
pub struct ConfigError {
    /// Key.
    pub key: String,
    /// What is wrong and what to do.
    pub what: String,
}

impl ConfigError {
    pub(crate) fn new(key: impl Into<String>, what: impl Into<String>) -> Self {
        Self { key: key.into(), what: what.into() }
    }
}

/// The first of (key, value, least, most) that is out of its range, is an error.
fn in_range(ranges: &[(&str, f32, f32, f32)]) -> Result<(), ConfigError> {
    for (key, value, low, high) in ranges {
        if !(low..=high).contains(&value) {
            return Err(ConfigError { key: (*key).into(), what: format!("{value}: expected {low} to {high}") });
        }
    }
    Ok(())
}

impl MatcherConfig {
    /// Does anything warp what plays?
    pub(crate) fn warps(&self) -> bool {
        self.orientation_warp.is_some() || self.stride_warp.is_some()
    }

    /// The field's reference, D. Holden's motion matching demo (2020), with its published behaviour, parameters and
    /// defects: a yardstick, not something to ship. Its searches come every seventh frame of 60 per second (it counts
    /// down in floats), every result is jumped to, the root's offset is counted twice at transitions.
    pub fn reference() -> Self {
        Self {
            search: SearchConfig {
                interval_s: 7.0 / 60.0,
                transition_cost: 0.0,
                minimum_improvement: 0.0,
                candidates: 1,
                end_exclusion_s: 20.0 / 60.0,
                near_exclusion_s: 20.0 / 60.0,
                ..SearchConfig::default()
            },
            transition: TransitionConfig {
                seam: Seam::Spring,
                upper_seam: Seam::Spring,
                half_life_s: 0.1,
                plant_m: 0.0,
                reference_defects: true,
                ..TransitionConfig::default()
            },
            feet: FeetConfig {
                lock: FootLock::Reference,
                hold_half_life_s: 0.1,
                release_half_life_s: 0.1,
                leash_m: 0.2,
                knee_kept_m: 0.015,
                knee_soft_m: 0.0,
                ..FeetConfig::default()
            },
            play_rate: PlayRateConfig::OFF,
            root: RootConfig::reference(),
            ..Self::default()
        }
    }

    /// Checks ranges, and channel names against a database.
    ///
    /// # Errors
    /// The first key that cannot be.
    pub fn validate(&self, db: &Database) -> Result<(), ConfigError> {
        self.validate_for(&Model::of(db))
    }

    /// Checks ranges, and names against a model.
    pub(crate) fn validate_for(&self, model: &Model) -> Result<(), ConfigError> {
        let (s, r, v, f) = (&self.search, &self.root, &self.speeds, &self.feet);
        let ranges = [
            ("search.interval_s", s.interval_s, 1e-3, 10.0),
            ("search.transition_cost", s.transition_cost, 0.0, 1e6),
            ("search.minimum_improvement", s.minimum_improvement, 0.0, 1.0),
            ("search.keep_playing_within", s.keep_playing_within, 0.0, 1e6),
            ("search.end_exclusion_s", s.end_exclusion_s, 0.0, 60.0),
            ("search.near_exclusion_s", s.near_exclusion_s, 0.0, 60.0),
            ("search.candidates", s.candidates as f32, 1.0, MAX_CANDIDATES as f32),
            ("search.seam_cost", s.seam_cost, 0.0, 1e6),
            ("search.way_cost", s.way_cost, 0.0, 1e6),
            ("search.way_ahead_s", s.way_ahead_s, 0.0, 2.0),
            ("search.force_velocity_mps", s.force_velocity_mps, 0.0, f32::MAX),
            ("search.force_facing_deg", s.force_facing_deg, 0.0, f32::MAX),
            ("responsiveness", self.responsiveness, 0.0, 1e3),
            ("unsteered_clip_blend", self.unsteered_clip_blend, 0.0, 1.0),
            ("transition.half_life_s", self.transition.half_life_s, 1e-4, 5.0),
            ("transition.blend_s", self.transition.blend_s, 1e-3, 5.0),
            ("transition.plant_m", self.transition.plant_m, 0.0, 100.0),
            ("simulation.velocity_half_life_s", self.simulation.velocity_half_life_s, 1e-3, 10.0),
            ("simulation.facing_half_life_s", self.simulation.facing_half_life_s, 1e-3, 10.0),
            ("simulation.gait_half_life_s", self.simulation.gait_half_life_s, 1e-3, 10.0),
            ("prediction.position_bias", self.prediction.position_bias, 0.0, 100.0),
            ("prediction.facing_bias", self.prediction.facing_bias, 0.0, 100.0),
            ("root.position_half_life_s", r.position_half_life_s, 1e-4, 60.0),
            ("root.facing_half_life_s", r.facing_half_life_s, 1e-4, 60.0),
            ("root.max_speed_ratio", r.max_speed_ratio, 0.0, 100.0),
            ("root.max_turn_ratio", r.max_turn_ratio, 0.0, 100.0),
            ("root.clamp_m", r.clamp_m, 0.0, 1e6),
            ("root.clamp_deg", r.clamp_deg, 0.0, 180.0),
            ("play_rate.min", self.play_rate.min, 0.1, 1.0),
            ("play_rate.max", self.play_rate.max, 1.0, 4.0),
            ("play_rate.half_life_s", self.play_rate.half_life_s, 1e-3, 10.0),
            ("play_rate.catch_up_s", self.play_rate.catch_up_s, 1e-2, 100.0),
            ("feet.hold_half_life_s", f.hold_half_life_s, 1e-4, 5.0),
            ("feet.release_half_life_s", f.release_half_life_s, 1e-4, 5.0),
            ("feet.landing_s", f.landing_s, 0.0, 1.0),
            ("feet.leash_m", f.leash_m, 0.0, 100.0),
            ("feet.knee_kept_m", f.knee_kept_m, 0.0, 1.0),
            ("feet.knee_soft_m", f.knee_soft_m, 0.0, 1.0),
            ("feet.pelvis.down_half_life_s", f.pelvis.down_half_life_s, 1e-4, 10.0),
            ("feet.pelvis.up_half_life_s", f.pelvis.up_half_life_s, 1e-4, 10.0),
            ("feet.pelvis.max_m", f.pelvis.max_m, 0.0, 10.0),
            ("feet.toe_clearance_m", f.toe_clearance_m, -1.0, 1.0),
            ("speeds.walk.forward_mps", v.walk.forward_mps, 0.0, 100.0),
            ("speeds.walk.side_mps", v.walk.side_mps, 0.0, 100.0),
            ("speeds.walk.back_mps", v.walk.back_mps, 0.0, 100.0),
            ("speeds.run.forward_mps", v.run.forward_mps, 0.0, 100.0),
            ("speeds.run.side_mps", v.run.side_mps, 0.0, 100.0),
            ("speeds.run.back_mps", v.run.back_mps, 0.0, 100.0),
        ];
        in_range(&ranges)?;
        self.validate_corrections(model)?;
        for (label, cost) in &self.channel_cost {
            let key = format!("channel_cost.\"{label}\"");
            let labels = || model.schema.channels.iter().map(|c| c.label.as_str());
            if !labels().any(|l| l == label) {
                let nearest = crate::error::nearest(label, labels());
                let hint = nearest.map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
                return Err(ConfigError { key, what: format!("the database has no such channel{hint}") });
            }
            if !(0.0..=1e6).contains(cost) {
                return Err(ConfigError { key, what: format!("{cost}: expected 0 or more") });
            }
        }
        Ok(())
    }

    /// Checks what bends the pose.
    fn validate_corrections(&self, model: &Model) -> Result<(), ConfigError> {
        let (g, l, h) = (&self.ground, &self.look_at, &self.hands);
        let (o, s) = (self.orientation_warp.unwrap_or_default(), self.stride_warp.unwrap_or_default());
        let ranges = [
            ("root.give_way_half_life_s", self.root.give_way_half_life_s, 1e-4, 60.0),
            ("orientation_warp.max_deg", o.max_deg, 0.0, 180.0),
            ("orientation_warp.hips_share", o.hips_share, 0.0, 1.0),
            ("orientation_warp.half_life_s", o.half_life_s, 1e-4, 10.0),
            ("orientation_warp.full_speed_mps", o.full_speed_mps, 1e-3, 100.0),
            ("stride_warp.min", s.min, 0.1, 1.0),
            ("stride_warp.max", s.max, 1.0, 4.0),
            ("stride_warp.half_life_s", s.half_life_s, 1e-4, 10.0),
            ("stride_warp.full_speed_mps", s.full_speed_mps, 1e-3, 100.0),
            ("stride_warp.pelvis.down_half_life_s", s.pelvis.down_half_life_s, 1e-4, 10.0),
            ("stride_warp.pelvis.up_half_life_s", s.pelvis.up_half_life_s, 1e-4, 10.0),
            ("stride_warp.pelvis.max_m", s.pelvis.max_m, 0.0, 10.0),
            ("ground.foot_half_life_s", g.foot_half_life_s, 1e-4, 10.0),
            ("ground.ahead_s", g.ahead_s, 0.0, 1.0),
            ("ground.slope_half_life_s", g.slope_half_life_s, 1e-4, 10.0),
            ("ground.max_slope_deg", g.max_slope_deg, 0.0, 80.0),
            ("ground.body_half_life_s", g.body_half_life_s, 1e-4, 10.0),
            ("ground.body_reach_m", g.body_reach_m, 1e-3, 10.0),
            ("ground.slope_sink_m", g.slope_sink_m, 0.0, 10.0),
            ("ground.lean", g.lean, -2.0, 2.0),
            ("ground.pelvis.down_half_life_s", g.pelvis.down_half_life_s, 1e-4, 10.0),
            ("ground.pelvis.up_half_life_s", g.pelvis.up_half_life_s, 1e-4, 10.0),
            ("ground.pelvis.max_m", g.pelvis.max_m, 0.0, 10.0),
            ("look_at.half_life_s", l.half_life_s, 1e-4, 10.0),
            ("look_at.weight_half_life_s", l.weight_half_life_s, 1e-4, 10.0),
            ("look_at.fastest_degps", l.fastest_degps, 0.0, 1e6),
            ("look_at.eyes_up_m", l.eyes_up_m, -1.0, 1.0),
            ("look_at.eyes_ahead_m", l.eyes_ahead_m, -1.0, 1.0),
            ("hands.half_life_s", h.half_life_s, 1e-4, 10.0),
            ("hands.elbow_kept_m", h.elbow_kept_m, 0.0, 1.0),
            ("hands.elbow_soft_m", h.elbow_soft_m, 0.0, 1.0),
        ];
        in_range(&ranges)?;
        if l.joints.len() > MAX_LOOK_JOINTS {
            let what = format!("{} joints: expected at most {MAX_LOOK_JOINTS}", l.joints.len());
            return Err(ConfigError { key: "look_at.joints".into(), what });
        }
        for j in &l.joints {
            in_range(&[
                ("look_at.joints.yaw_deg", j.yaw_deg, 0.0, 180.0),
                ("look_at.joints.pitch_deg", j.pitch_deg, 0.0, 90.0),
            ])?;
        }
        let named = l.joints.iter().map(|j| ("look_at.joints.joint", &j.joint));
        for (key, name) in named.chain(h.joints.iter().map(|j| ("hands.joints", j))) {
            // A role that nobody has here is left out: the defaults are for all rigs.
            if !JointRoles::is_role(name) {
                model.skeleton.require(name).map_err(|e| ConfigError { key: key.into(), what: e.to_string() })?;
            }
        }
        Ok(())
    }

    /// True when the desire has changed so much that the next search cannot wait.
    pub(crate) fn is_sudden(&self, before: (Vec3, Facing), now: (Vec3, Facing)) -> bool {
        (now.0 - before.0).length() > self.search.force_velocity_mps
            || before.1.angle_to(now.1).abs() > self.search.force_facing_deg.to_radians()
    }
}
