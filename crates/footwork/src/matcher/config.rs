//! Settings of a character. They may be changed at any time; nothing has to be rebuilt.

use super::model::Model;
use crate::actions::ActionConfig;
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
use crate::motion::SpeedConfig;
use crate::obstacles::ObstacleConfig;
use crate::roles::JointRoles;
use crate::search::Backend;
use crate::settings::SettingError;
use crate::trajectory::{PredictionConfig, SimulationConfig};
use crate::{choices, settings};
use std::collections::BTreeMap;

settings! {
    /// The `[matcher]` table.
    #[derive(Clone, Debug, PartialEq)]
    pub struct MatcherConfig {
        /// Factor on the cost of distances from the commanded trajectory, and on the stiffness of the springs that follow the
        /// command. Higher values respond faster; lower values are smoother.
        responsiveness: f32 = 1.0, in 0.0 to 1e3;
        /// While the character is not steered: share of the playing clip's own future in the desired trajectory. Higher values
        /// keep to the clip; lower values keep to the last command.
        unsteered_clip_blend: f32 = 1.0, in 0.0 to 1.0;
        /// Cost of single channels.
        ///
        /// Keys are channel labels as `footwork inspect` prints them, values are factors on their cost:
        /// `"LeftFoot position" = 2.0`. The default of every channel is 1. A factor of 0 leaves a channel out.
        channel_cost: BTreeMap<String, f32>, in 0.0 to 1e6;
        /// When and how to search.
        search: SearchConfig;
        /// Speeds of a full stick.
        speeds: SpeedConfig;
        /// The simulated character.
        simulation: SimulationConfig;
        /// The predicted trajectory.
        prediction: PredictionConfig;
        /// Blending out the discontinuity of a transition.
        transition: TransitionConfig;
        /// Playing faster and slower than captured.
        play_rate: PlayRateConfig;
        /// Walking a clip at another angle.
        ///
        /// Off by default. What it does, and what it costs: `docs/guide/corrections.md`.
        orientation_warp: OrientationWarpConfig;
        /// Longer and shorter strides.
        ///
        /// Off by default. What it does, and what it costs: `docs/guide/corrections.md`.
        stride_warp: StrideWarpConfig;
        /// Animation and simulated character.
        root: RootConfig;
        /// Feet stay where they touch.
        feet: FeetConfig;
        /// Feet on uneven ground.
        ///
        /// At work where a game gives a `ground`; see `docs/guide/in-your-game.md`.
        ground: GroundConfig;
        /// Looking at something.
        ///
        /// At work where a game gives a target to look at.
        look_at: LookAtConfig;
        /// Reaching for something.
        ///
        /// At work where a game gives a hand a target.
        hands: HandConfig;
        /// Actions: limits of their warp, and costs.
        ///
        /// At work where a game requests an action.
        actions: ActionConfig;
        /// Obstacles: size of the body, cost of paths into them.
        ///
        /// At work where a game gives obstacles.
        obstacles: ObstacleConfig;
    }

    /// The `[matcher.search]` table.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct SearchConfig {
        /// Structure that is searched. `tree`, `flat`, `boxes`, `kdtree` and `brute` return the same row; `pca`, `voxel` and
        /// `clusters` may miss the best row (`docs/guide/search.md`). `--search` wins.
        backend: Backend = Backend::Tree;
        /// Time between searches. Lower values respond faster and cost more time.
        interval_s: f32 = 0.1, in 1e-3 to 10.0, unit "s";
        /// Added to the cost of every transition, in units of the normalised features. A tie-breaker in favour of the playing
        /// clip; much higher values delay the character. See `docs/guide/tuning.md`.
        transition_cost: f32 = 0.02, in 0.0 to 1e6;
        /// A transition must be cheaper than continuing by this share of the cost of continuing. Higher values make fewer
        /// transitions.
        minimum_improvement: f32 = 0.1, in 0.0 to 1.0;
        /// Number of the best moments (tenths of a second) that are compared once more, by what a transition to them would cost
        /// in metres. At 1, the best row is taken as it is. Higher values cost more time.
        candidates: usize = 24, in 1 to 256;
        /// Cost of a discontinuity of 10 cm, as a mean over the body, that a transition has to hide. Higher values make
        /// smoother transitions.
        discontinuity_cost: f32 = 2.05, in 0.0 to 1e6, formerly "seam_cost";
        /// Cost of 10 cm by which a foot that touches the ground, or lands soon, would slide into its place in the next clip. Higher
        /// values slide less; very high ones choose among fewer clips.
        slide_cost: f32 = 2.0, in 0.0 to 1e6;
        /// Cost of 10 cm (or 20 degrees) by which the root would have to be pulled within `path_ahead_s` to meet the simulated
        /// character. Higher values slide less and keep the path better.
        path_cost: f32 = 8.0, in 0.0 to 1e6, formerly "way_cost";
        /// Cost of a metre by which a clip, and the best that can follow it, falls behind the command over the next seconds.
        /// Above 0, making the character takes 1 to 2 s more. Higher values look further ahead than the trajectory does. 0
        /// switches it off. See `docs/guide/tuning.md`.
        foresight_cost: f32 = 0.0, in 0.0 to 1e6;
        /// Cost of a transition per second while nothing is asked of the character. Higher values make a resting character change
        /// its pose less often.
        rest_cost: f32 = 20.0, in 0.0 to 1e6;
        /// Cost of a transition per second while a moving character follows a steady command. Higher values make it settle sooner
        /// on loops and long clips.
        steady_cost: f32 = 15.0, in 0.0 to 1e6;
        /// Time ahead at which root and simulated character are compared.
        path_ahead_s: f32 = 0.26, in 0.0 to 2.0, unit "s", formerly "way_ahead_s";
        /// Cost of continuing, in the units of `transition_cost`, below which no search is made. Higher values save time and
        /// miss small improvements. See `docs/guide/tuning.md`.
        keep_playing_within: f32 = 0.0, in 0.0 to 1e6;
        /// Cost, in the units of `transition_cost`, above which nothing is played: neither candidates nor what plays. Where
        /// nothing is left, the character comes to rest and is `stranded`, as under tags that leave nothing. Default: no limit.
        max_cost: Option<f32>, in 0.0 to 1e6;
        /// Part before the end of a non-looping clip that is not a target of transitions.
        end_exclusion_s: f32 = 0.33, in 0.0 to 60.0, unit "s";
        /// Part before and after the playing time that is not a target of transitions.
        near_exclusion_s: f32 = 0.1, in 0.0 to 60.0, unit "s";
        /// Pose that the query describes.
        query_pose: QueryPose = QueryPose::Clip;
        /// Change of the desired velocity that triggers a search at once. Lower values respond faster and cost more time.
        force_velocity_mps: f32 = 1.0, in 0.0 to 1e6, unit "m/s";
        /// Change of the desired facing that triggers a search at once. Lower values respond faster and cost more time.
        force_facing_deg: f32 = 45.0, in 0.0 to 1e6, unit "degrees";
    }
}

/// Maximum number of candidates that are compared with the cost of the transition.
pub const MAX_CANDIDATES: usize = 256;

choices! {
    /// Whose pose a query describes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum QueryPose = Clip {
        /// The pose of the playing clip. Continuing fits it exactly.
        Clip = "clip",
        /// The shown pose, with the remaining offset of the last transition and without adjustments of feet, head and hands.
        Shown = "shown",
    }
}

/// A setting is invalid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("`matcher.{key}`: {what}")]
pub struct ConfigError {
    /// Key.
    pub key: String,
    /// Cause and fix.
    pub what: String,
}

impl ConfigError {
    pub(crate) fn new(key: impl Into<String>, what: impl Into<String>) -> Self {
        Self { key: key.into(), what: what.into() }
    }
}

impl From<SettingError> for ConfigError {
    fn from(e: SettingError) -> Self {
        Self { key: e.key, what: e.what }
    }
}

impl SearchConfig {
    /// Returns true if a transition at `cost` is enough of an improvement on continuing, which costs `playing`.
    pub(super) fn is_enough(&self, cost: f32, playing: f32) -> bool {
        // Tags may make costs negative.
        let share = if playing < 0.0 { 1.0 + self.minimum_improvement } else { 1.0 - self.minimum_improvement };
        cost < playing * share
    }
}

impl MatcherConfig {
    /// Returns true if a warp is enabled.
    pub(crate) fn warps(&self) -> bool {
        self.orientation_warp.enabled || self.stride_warp.enabled
    }

    /// Returns the settings of the field's reference: Holden's reference controller, his motion matching demo (2020), with its
    /// published behaviour, parameters and defects. It is a yardstick, not something to ship. It searches every seventh frame of
    /// 60 per second (it counts down in floats), makes a transition to every result, and counts the root's offset twice at
    /// transitions.
    pub fn reference() -> Self {
        Self {
            search: SearchConfig {
                interval_s: 7.0 / 60.0,
                transition_cost: 0.0,
                minimum_improvement: 0.0,
                candidates: 1,
                end_exclusion_s: 20.0 / 60.0,
                near_exclusion_s: 20.0 / 60.0,
                rest_cost: 0.0,
                steady_cost: 0.0,
                ..SearchConfig::default()
            },
            transition: TransitionConfig {
                seam: Seam::Spring,
                upper_seam: Seam::Spring,
                half_life_s: 0.1,
                plant_m: 0.0,
                feet_half_life_s: 0.0,
                reference_defects: true,
                ..TransitionConfig::default()
            },
            feet: FeetConfig {
                lock: FootLock::Reference,
                hold_half_life_s: 0.1,
                release_half_life_s: 0.1,
                lock_radius_m: 0.2,
                knee_kept_m: 0.015,
                knee_soft_m: 0.0,
                ..FeetConfig::default()
            },
            play_rate: PlayRateConfig { enabled: false, ..PlayRateConfig::default() },
            root: RootConfig::reference(),
            ..Self::default()
        }
    }

    /// Checks ranges, and channel names against a database.
    ///
    /// # Errors
    /// Returns [`ConfigError`] for the first key that is invalid.
    pub fn validate(&self, db: &Database) -> Result<(), ConfigError> {
        self.validate_for(&Model::of(db))
    }

    /// Checks ranges, and names against a model.
    pub(crate) fn validate_for(&self, model: &Model) -> Result<(), ConfigError> {
        settings::check(self)?;
        self.validate_corrections(model)?;
        for label in self.channel_cost.keys() {
            let key = format!("channel_cost.\"{label}\"");
            let labels = || model.schema.channels.iter().map(|c| c.label.as_str());
            if !labels().any(|l| l == label) {
                let nearest = crate::error::nearest(label, labels());
                let hint = nearest.map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
                return Err(ConfigError { key, what: format!("the database has no such channel{hint}") });
            }
        }
        Ok(())
    }

    /// Checks the settings of the pose adjustments.
    fn validate_corrections(&self, model: &Model) -> Result<(), ConfigError> {
        let (l, h) = (&self.look_at, &self.hands);
        if l.joints.len() > MAX_LOOK_JOINTS {
            let what = format!("{} joints: expected at most {MAX_LOOK_JOINTS}", l.joints.len());
            return Err(ConfigError { key: "look_at.joints".into(), what });
        }
        let named = l.joints.iter().map(|j| ("look_at.joints.joint", &j.joint));
        for (key, name) in named.chain(h.joints.iter().map(|j| ("hands.joints", j))) {
            // Roles that the rig does not have are skipped: the defaults are for all rigs.
            if !JointRoles::is_role(name) {
                model.skeleton.require(name).map_err(|e| ConfigError { key: key.into(), what: e.to_string() })?;
            }
        }
        Ok(())
    }
}
