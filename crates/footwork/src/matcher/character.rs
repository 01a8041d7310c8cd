//! A character with resolved settings: the shared, immutable input of [`super::step`].

use super::config::{ConfigError, MatcherConfig};
use super::levers::Levers;
use super::model::Model;
use super::output::Output;
use super::playing::Playing;
use super::scratch::Scratch;
use super::source::{MotionSource, Playhead};
use super::state::{BlockLayout, MatcherState, StateHeader};
use super::weights::{multipliers, shortlist_multipliers, tagged};
use crate::adjust::look_at::LookJoint;
use crate::blend::inertialize::Joints;
use crate::database::{Database, TagMask};
use crate::foresight::Foresight;
use crate::input::MotionInput;
use crate::matcher::machine::{Machine, Plays};
use crate::math::Transform;
use crate::motion::StickSpeeds;
use crate::rig::{Leg, Rig};
use crate::schema::FeatureSchema;
use crate::skeleton::Skeleton;
use crate::trajectory::SimulationConfig;
use glam::Vec3;
use std::fmt::Debug;
use std::sync::Arc;

/// Everything that characters of one kind share, checked and resolved: body, motion, chooser, settings. Immutable; share it with
/// `Arc` between any number of characters and threads. [`Character::with_config`] makes one with other settings over the same
/// motion and reuses the search index.
#[derive(Clone, Debug)]
pub struct Character {
    pub(super) model: Arc<Model>,
    pub(super) source: Arc<dyn MotionSource>,
    pub(super) chooser: Arc<dyn Chooser>,
    pub(super) database: Option<Arc<Database>>,
    pub(super) machine: Option<Arc<Machine>>,
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
    /// Weights of the features: those of the settings, then those of machine states with channel costs of their own.
    pub weights: Vec<Weights>,
    /// `[states of the machine]` index into `weights`.
    pub weights_of_states: Vec<usize>,
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
        let resolved = Resolved::new(&model, &*source, &config, None);
        Ok(Self { model, source, chooser, database: None, machine: None, config: Arc::new(config), resolved })
    }

    /// Returns the same character with the database that it searches, if any.
    pub(crate) fn searching(self, database: Option<Arc<Database>>) -> Self {
        Self { database, ..self }
    }

    /// Returns a character with the same chooser over another source of motion.
    pub(crate) fn with_source(self, model: Arc<Model>, source: Arc<dyn MotionSource>) -> Self {
        let resolved = Resolved::new(&model, &*source, &self.config, self.machine.as_deref());
        Self { model, source, resolved, ..self }
    }

    /// Returns the source of motion.
    pub(crate) fn source(&self) -> &dyn MotionSource {
        &*self.source
    }

    /// Initialises the memories of motion source and state machine in a new state.
    pub(super) fn begin(&self, state: &mut MatcherState) {
        let layout = &self.resolved.layout;
        self.source.init_memory(&mut state.block[layout.memory.clone()]);
        if let Some(machine) = &self.machine {
            machine.init_memory(&mut state.block[layout.machine.clone()]);
        }
    }

    /// Returns body, features and names, shared by all its motion.
    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// Returns the tags of clips that bring their own ground.
    pub(crate) fn resolved_own_ground(&self) -> TagMask {
        self.resolved.own_ground
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
        Output::new(&self.model, self.resolved.events_at_once, self.resting())
    }

    /// Returns working space for any number of characters of this kind on one thread. Allocates.
    pub fn scratch(&self) -> Scratch {
        Scratch::new(&self.model, self.resolved.layout.memory.len(), self.source.scratch())
    }

    /// Returns the clip and time at which a character at rest starts.
    pub(super) fn resting(&self) -> Playing {
        let of_machine = self.machine.as_ref().and_then(|machine| machine.resting());
        of_machine.unwrap_or_else(|| self.chooser.rest(self))
    }

    /// Returns the blend of the last transition, per joint.
    pub(super) fn joints(&self, state: &StateHeader) -> Joints<'_> {
        Joints {
            config: self.config.transition.lasting(state.blend_s),
            translated: &self.model.translated,
            carries_foot: &self.model.rig.carries_foot,
            feet_alone: false,
        }
    }

    /// Returns true if a non-looping clip ends within `within_s` seconds.
    pub(crate) fn is_over(&self, playing: &Playing, within_s: f64) -> bool {
        let span = self.source.span(playing.clip);
        !span.looping && playing.time_s + within_s >= span.seconds
    }
}

impl Resolved {
    fn new(model: &Model, source: &dyn MotionSource, config: &MatcherConfig, machine: Option<&Machine>) -> Self {
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
        let weights_of_states = machine.iter().flat_map(|machine| machine.states()).map(|state| match &state.plays {
            Plays::Matching { channel_cost, .. } if !channel_cost.is_empty() => {
                let mut own = config.clone();
                own.channel_cost.extend(channel_cost.iter().map(|(label, cost)| (label.clone(), *cost)));
                weights.push(Weights::new(model, &own));
                weights.len() - 1
            }
            _ => 0,
        });
        let weights_of_states = weights_of_states.collect();
        Self {
            weights,
            weights_of_states,
            stick: config.speeds.over(&model.stick),
            free_turn_radps: if model.stick.turns { 0.0 } else { config.root.sparse_turn_degps.to_radians() },
            springs: springs(config),
            own_ground: tagged(model, &config.ground.own_ground_tags),
            hips_rest_m: if hips_rest_m.is_finite() { hips_rest_m } else { 0.0 },
            look: look.collect(),
            arms: [arm(&config.hands.joints[0]), arm(&config.hands.joints[1])],
            levers: Levers::new(skeleton),
            layout: BlockLayout::new(model, source.memory_width(), machine.map_or(0, Machine::memory_width)),
            events_at_once: source.most_events_at_once() + machine.map_or(0, Machine::most_events_at_once),
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

/// Chooses the next clip and time. Allocates nothing.
pub(crate) trait Chooser: Debug + Send + Sync {
    /// Returns another chooser for the next settings; `None` if this one stays valid.
    fn for_config(&self, _model: &Model, _now: &MatcherConfig, _next: &MatcherConfig) -> Option<Arc<dyn Chooser>> {
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
    fn enter(&self, update: &mut Update) -> Playing;

    /// Chooses for a character. `may_continue` is false if the playing clip is over.
    fn choose(&self, update: &mut Update, may_continue: bool) -> Choice;
}

/// One update of a character: the character, its input, its state, working space and output.
pub(crate) struct Update<'a> {
    pub character: &'a Character,
    pub input: &'a MotionInput<'a>,
    /// The character's time at the end of the step.
    pub end_s: f64,
    pub state: &'a mut MatcherState,
    pub scratch: &'a mut Scratch,
    pub output: &'a mut Output,
}

impl Update<'_> {
    /// Returns the playing clip and time, with the memory of the motion source.
    pub(super) fn playing(&self) -> Playhead<'_> {
        self.state.playhead(&self.character.resolved.layout)
    }

    /// Returns the velocity of the playing root along its own axes, in m/s, at a play rate of 1.
    pub(super) fn root_velocity(&mut self) -> Vec3 {
        let at = self.state.playhead(&self.character.resolved.layout);
        self.character.source.root_velocity(at, &mut self.scratch.source)
    }
}
