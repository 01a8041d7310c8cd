//! A character with resolved settings: the shared, immutable input of [`super::step`].

use super::acting::Acting;
use super::config::{ConfigError, MatcherConfig};
use super::director::{Director, Plain};
use super::levers::Levers;
use super::model::Model;
use super::output::Output;
use super::playing::Playing;
use super::scratch::Scratch;
use super::source::MotionSource;
use super::state::{BlockLayout, MatcherState};
use super::state_groups::LastTransition;
use super::weights::{multipliers, shortlist_multipliers, tagged};
use crate::actions::Actions;
use crate::adjust::look_at::LookJoint;
use crate::blend::inertialize::Joints;
use crate::database::{Database, TagMask};
use crate::foresight::Foresight;
use crate::frames::EventId;
use crate::input::MotionInput;
use crate::math::Transform;
use crate::motion::StickSpeeds;
use crate::rig::{Leg, Rig};
use crate::schema::FeatureSchema;
use crate::search::SearchIndex;
use crate::skeleton::Skeleton;
use crate::trajectory::SimulationConfig;
use std::fmt::Debug;
use std::sync::Arc;

/// Everything that characters of one kind share, checked and resolved: body, motion, chooser, settings. Immutable; share it with
/// `Arc` between any number of characters and threads. [`Character::with_config`] makes one with other settings over the same
/// motion and reuses the search index.
#[derive(Clone, Debug)]
pub struct Character {
    pub(crate) model: Arc<Model>,
    pub(crate) source: Arc<dyn MotionSource>,
    pub(super) chooser: Arc<dyn Chooser>,
    pub(crate) database: Option<Arc<Database>>,
    /// What controls it: its actions, else `undirected`.
    pub(crate) director: Arc<dyn Director>,
    /// What controls it beside its actions: plain matching, or a state machine.
    pub(crate) undirected: Arc<dyn Director>,
    /// The director of its actions; `None` without actions.
    pub(super) acting: Option<Arc<Acting>>,
    pub(super) actions: Arc<Actions>,
    /// Shared, so that a recorder detects changed settings by comparing pointers.
    pub(super) config: Arc<MatcherConfig>,
    pub(super) resolved: Resolved,
}

/// Lower values of responsiveness act as this one: springs are at most ten times as slow as configured.
const LEAST_RESPONSIVENESS: f32 = 0.01;

/// Weights of the features.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weights {
    /// `[columns]` run-time weights.
    pub multipliers: Vec<f32>,
    /// `[columns]` weights of the first pass of a search, which finds the candidates of the second pass: `multipliers` with an
    /// approximation of [`SearchConfig::path_cost`](super::SearchConfig) added.
    pub shortlist: Vec<f32>,
}

impl Weights {
    fn new(model: &Model, config: &MatcherConfig) -> Self {
        Self { multipliers: multipliers(model, config), shortlist: shortlist_multipliers(model, config) }
    }
}

/// Names and settings, resolved for this model.
#[derive(Clone, Debug)]
pub(super) struct Resolved {
    /// Weights of the features: those of the settings, then those of the director's modes with channel costs of their own.
    pub weights: Vec<Weights>,
    /// `[modes of the director]` index into `weights`.
    pub weights_of_modes: Vec<usize>,
    /// Speeds of a full stick.
    pub stick: StickSpeeds,
    /// Turn rate that the adjustment of the root may always use, in radians per second; 0 if clips turn.
    pub free_turn_radps: f32,
    /// Springs of the simulated character.
    pub springs: SimulationConfig,
    /// Tags of clips that bring their own ground, such as slopes.
    pub own_ground: TagMask,
    /// Height of the hips over the lowest contact joint in the rest pose, in metres; 0 for a body without legs.
    pub hips_rest_m: f32,
    /// Joints that turn for looking, from the lowest to the head.
    pub look: Vec<LookJoint>,
    /// Left and right arm; `None` if the rig has none.
    pub arms: [Option<Leg>; 2],
    pub levers: Levers,
    pub layout: BlockLayout,
    /// Maximum number of events at one instant.
    pub events_at_once: usize,
}

impl Character {
    /// Returns a character made of any parts.
    pub(crate) fn from_parts(
        model: Arc<Model>,
        source: Arc<dyn MotionSource>,
        chooser: Arc<dyn Chooser>,
        config: MatcherConfig,
    ) -> Result<Self, ConfigError> {
        config.validate_for(&model)?;
        let resolved = Resolved::new(&model, &*source, &config, &Plain);
        let (director, actions) = (Arc::new(Plain), Arc::new(Actions::NONE));
        let (undirected, config) = (director.clone(), Arc::new(config));
        Ok(Self {
            model,
            source,
            chooser,
            database: None,
            director,
            undirected,
            acting: None,
            actions,
            config,
            resolved,
        })
    }

    /// Returns the same character with the database that it searches, if any.
    pub(crate) fn searching(self, database: Option<Arc<Database>>) -> Self {
        Self { database, ..self }
    }

    /// Returns a character with the same chooser over another source of motion.
    pub(crate) fn with_source(self, model: Arc<Model>, source: Arc<dyn MotionSource>) -> Self {
        let resolved = Resolved::new(&model, &*source, &self.config, &*self.director);
        Self { model, source, resolved, ..self }
    }

    /// Returns the same character with another director beside its actions.
    pub(crate) fn directed_by(self, undirected: Arc<dyn Director>) -> Self {
        let base = self.source.undirected().unwrap_or_else(|| self.source.clone());
        let (model, source) = (self.model.clone(), undirected.clone().source(base));
        let db = self.database.clone().filter(|_| !self.actions.is_empty());
        let acting = db.map(|db| {
            let (inner, actions, config) = (undirected.clone(), self.actions.clone(), self.config.actions);
            Arc::new(Acting { inner, actions, db, config })
        });
        let director = acting.clone().map_or(undirected.clone(), |acting| acting as Arc<dyn Director>);
        Self { director, undirected, acting, ..self }.with_source(model, source)
    }

    /// Returns its actions, as read from its clips; none for a character of networks.
    pub fn actions(&self) -> &Actions {
        &self.actions
    }

    /// Initialises the memories of motion source and director in a new state.
    pub(super) fn begin(&self, state: &mut MatcherState) {
        let layout = &self.resolved.layout;
        self.source.init_memory(&mut state.block[layout.memory.clone()]);
        self.director.init_memory(&mut state.block[layout.director.clone()]);
    }

    /// Returns body, features and names, shared by all its motion.
    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// Returns the ranges of the parts of a state's block.
    pub(crate) fn layout(&self) -> &BlockLayout {
        &self.resolved.layout
    }

    /// Returns the weights of the features by index; 0 is those of the settings.
    pub(crate) fn weights(&self, which: usize) -> &Weights {
        &self.resolved.weights[which]
    }

    /// Returns the database that is searched; `None` for a character without one.
    pub fn database(&self) -> Option<&Arc<Database>> {
        self.database.as_ref()
    }

    /// Returns the joints of its poses.
    pub fn skeleton(&self) -> &Skeleton {
        &self.model.skeleton
    }

    /// Returns its anatomy: roles, legs, feet.
    pub fn rig(&self) -> &Rig {
        &self.model.rig
    }

    /// Returns the features that are matched.
    pub fn schema(&self) -> &FeatureSchema {
        &self.model.schema
    }

    /// Returns true for a character that plays clips of a database.
    pub fn plays_clips(&self) -> bool {
        self.source.clip_name(crate::frames::ClipIndex(0)).is_some()
    }

    /// Returns the speeds of a full stick: those of the settings, else those of the clips.
    pub fn stick(&self) -> &StickSpeeds {
        &self.resolved.stick
    }

    /// Returns the table of [`SearchConfig::foresight_cost`](super::SearchConfig); `None` if that is 0.
    pub fn foresight(&self) -> Option<&Foresight> {
        self.chooser.foresight()
    }

    /// Returns the settings.
    pub fn config(&self) -> &MatcherConfig {
        &self.config
    }

    /// Returns the settings, as a shared pointer.
    pub(crate) fn shared_config(&self) -> &Arc<MatcherConfig> {
        &self.config
    }

    /// Returns a state at rest at the origin.
    pub(crate) fn resting_state(&self) -> MatcherState {
        self.new_state(Transform::IDENTITY)
    }

    /// Returns a new state at rest at `world_from_root`, of which only position and heading are used.
    ///
    /// # Errors
    /// Returns [`ConfigError`] if the transform is not finite.
    pub fn state_at(&self, world_from_root: Transform) -> Result<MatcherState, ConfigError> {
        if !world_from_root.is_finite() {
            return Err(ConfigError::new("world_from_root", "expected a finite transform"));
        }
        Ok(self.new_state(world_from_root))
    }

    pub(super) fn new_state(&self, world_from_root: Transform) -> MatcherState {
        let layout = &self.resolved.layout;
        let mut state = MatcherState::new(&self.model, layout, world_from_root, self.resting());
        self.begin(&mut state);
        state
    }

    /// Returns an empty output for characters of this kind. Allocates.
    pub fn output(&self) -> Output {
        Output::new(&self.model, self.resolved.events_at_once, self.resting(), self.source.memo())
    }

    /// Returns working space for any number of characters of this kind on one thread. Allocates.
    pub fn scratch(&self) -> Scratch {
        Scratch::new(&self.model, self.resolved.layout.memory.len(), self.source.scratch())
    }

    /// Returns the clip and time at which a character at rest starts.
    pub(super) fn resting(&self) -> Playing {
        self.director.resting().unwrap_or_else(|| self.chooser.rest(self))
    }

    /// Returns the blend of the last transition, per joint.
    pub(super) fn joints(&self, last: &LastTransition) -> Joints<'_> {
        Joints {
            config: self.config.transition.lasting(last.blend_s),
            translated: &self.model.translated,
            carries_foot: &self.model.rig.carries_foot,
            feet_alone: false,
        }
    }

    /// Returns the index of the weights that the character uses in this state.
    pub(crate) fn weights_of(&self, state: &MatcherState) -> usize {
        self.director.mode(state.director(&self.resolved.layout)).map_or(0, |mode| self.resolved.weights_of_modes[mode])
    }

    /// Returns the maximum speed of the simulated character, in m/s.
    pub(super) fn max_speed_mps(&self, state: &MatcherState) -> f32 {
        self.director.max_speed_mps(state.director(&self.resolved.layout))
    }

    /// Returns the name of an event of the clips or of the state machine.
    pub fn event_name(&self, event: EventId) -> Option<&str> {
        self.director.event_names().unwrap_or(&self.model.events).get(event.at()).map(String::as_str)
    }

    /// Returns true if a non-looping clip ends within `within_s` seconds.
    pub(crate) fn is_over(&self, playing: &Playing, within_s: f64) -> bool {
        let span = self.source.span(playing.clip);
        !span.looping && playing.time_s + within_s >= span.seconds
    }
}

impl Resolved {
    fn new(model: &Model, source: &dyn MotionSource, config: &MatcherConfig, director: &dyn Director) -> Self {
        let (skeleton, rig) = (&model.skeleton, &model.rig);
        let look = config.look_at.joints.iter().filter_map(|j| {
            let joint = rig.joint(skeleton, &j.joint)?;
            Some(LookJoint { joint, yaw_deg: j.yaw_deg, pitch_deg: j.pitch_deg })
        });
        let rest = skeleton.rest_model();
        let lowest_m = rig.contact_joints.iter().map(|j| rest[j.at()].translation.y).fold(f32::INFINITY, f32::min);
        let hips_rest_m =
            rig.body.as_ref().map_or(0.0, |body| (rest[body.hips.at()].translation.y - lowest_m).max(0.0));
        let arm = |name: &String| rig.joint(skeleton, name).and_then(|hand| rig.arm(skeleton, hand));
        let mut weights = vec![Weights::new(model, config)];
        let weights_of_modes = director.channel_costs().into_iter().map(|costs| match costs {
            Some(channel_cost) => {
                let mut own = config.clone();
                own.channel_cost.extend(channel_cost.iter().map(|(label, cost)| (label.clone(), *cost)));
                weights.push(Weights::new(model, &own));
                weights.len() - 1
            }
            None => 0,
        });
        let weights_of_modes = weights_of_modes.collect();
        Self {
            weights,
            weights_of_modes,
            stick: config.speeds.over(&model.stick),
            free_turn_radps: if model.stick.turns { 0.0 } else { config.root.sparse_turn_degps.to_radians() },
            springs: springs(config),
            own_ground: tagged(model, &config.ground.own_ground_tags),
            hips_rest_m: if hips_rest_m.is_finite() { hips_rest_m } else { 0.0 },
            look: look.collect(),
            arms: [arm(&config.hands.joints[0]), arm(&config.hands.joints[1])],
            levers: Levers::new(skeleton),
            layout: BlockLayout::new(model, source.memory_width(), director.memory_width()),
            events_at_once: source.most_events_at_once() + director.most_events_at_once(),
        }
    }
}

/// Returns the springs of the simulated character. Responsiveness is a factor on the cost of distances from the trajectory, and
/// acts on springs as a factor on their stiffness: `n` times the stiffness divides the half-life by the square root of `n`.
fn springs(config: &MatcherConfig) -> SimulationConfig {
    let (simulation, by) = (&config.simulation, 1.0 / config.responsiveness.max(LEAST_RESPONSIVENESS).sqrt());
    SimulationConfig {
        velocity_half_life_s: simulation.velocity_half_life_s * by,
        facing_half_life_s: simulation.facing_half_life_s * by,
        gait_half_life_s: simulation.gait_half_life_s * by,
    }
}

/// Decision of a chooser.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Choice {
    /// Continue the playing clip.
    Continue,
    /// Go to another clip or time. The chooser leaves the memory of the source for it in `scratch.memory`.
    Transition(Playing),
}

/// The job of choosing the next clip and time: what a chooser reads and writes.
pub(crate) struct Choose<'a> {
    /// Director, chooser, settings; read.
    pub character: &'a Character,
    /// Tags, goal, ground; read.
    pub input: &'a MotionInput<'a>,
    /// Playing clip, desired motion; read. Number of searches, whether nothing can be played, and the desired motion of the last
    /// search; written.
    pub state: &'a mut MatcherState,
    /// Features, candidates, the last search and the source's memory after a transition; written.
    pub scratch: &'a mut Scratch,
    /// Number of searches; written.
    pub output: &'a mut Output,
}

/// Chooses the next clip and time. Allocates nothing.
pub(crate) trait Chooser: Debug + Send + Sync {
    /// Returns another chooser for the next settings; `None` if this one stays valid.
    fn for_config(&self, _model: &Model, _now: &MatcherConfig, _next: &MatcherConfig) -> Option<Arc<dyn Chooser>> {
        None
    }

    /// Returns the search index, if there is one.
    fn index(&self) -> Option<&Arc<SearchIndex>> {
        None
    }

    /// Returns the foresight table, if there is one.
    fn foresight(&self) -> Option<&Foresight> {
        None
    }

    /// Returns the clip and time at which a character at rest starts.
    fn rest(&self, character: &Character) -> Playing;

    /// Returns the clip and time that best follow a pose from elsewhere: the pose in `scratch.shown`, with the root of the state.
    /// The chooser leaves the memory of the source for it in `scratch.memory`.
    fn enter(&self, at: &mut Choose) -> Playing;

    /// Chooses for a character. `may_continue` is false if the playing clip is over.
    fn choose(&self, at: &mut Choose, may_continue: bool) -> Choice;
}
