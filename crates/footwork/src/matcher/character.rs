//! A character, resolved: what [`super::step`] runs over.

use super::config::{ConfigError, MatcherConfig};
use super::levers::Levers;
use super::model::Model;
use super::output::Output;
use super::playing::Playing;
use super::scratch::Scratch;
use super::source::{Moment, MotionSource};
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

/// Everything that characters of one kind share, checked and resolved: body, motion, what chooses among it, settings.
/// Immutable; share it with `Arc` between any number of characters and threads. Another configuration over the same motion
/// ([`Character::with_config`]) reuses the search index.
#[derive(Clone, Debug)]
pub struct Character {
    pub(super) model: Arc<Model>,
    pub(super) source: Arc<dyn MotionSource>,
    pub(super) chooser: Arc<dyn Chooser>,
    pub(super) database: Option<Arc<Database>>,
    pub(super) machine: Option<Arc<Machine>>,
    /// Shared, so that a recorder can tell cheaply whether a character still has the settings it had.
    pub(super) config: Arc<MatcherConfig>,
    pub(super) resolved: Resolved,
}

/// Springs are made no slower by less: ten times as slow as they are set.
const LEAST_RESPONSIVENESS: f32 = 0.01;

/// Weights of features.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weights {
    /// `[columns]` run-time weights.
    pub multipliers: Vec<f32>,
    /// `[columns]` the weights by which the moments are found that are compared once more: with about what
    /// [`SearchConfig::way_cost`](super::SearchConfig) will add.
    pub shortlist: Vec<f32>,
}

impl Weights {
    fn new(model: &Model, config: &MatcherConfig) -> Self {
        Self { multipliers: multipliers(model, config), shortlist: shortlist_multipliers(model, config) }
    }
}

/// What names and settings mean for this model.
#[derive(Clone, Debug)]
pub(super) struct Resolved {
    /// Weights of features: those of the settings, then those of states of the machine that have their own.
    pub weights: Vec<Weights>,
    /// `[states of the machine]` which of them.
    pub weights_of_states: Vec<usize>,
    /// What a full stick stands for.
    pub stick: StickSpeeds,
    /// How fast the root is turned at least, radians per second.
    pub free_turn_radps: f32,
    /// Springs of the simulated character.
    pub springs: SimulationConfig,
    /// Tags of motion that brings its own ground.
    pub own_ground: TagMask,
    /// Height of the hips over the lowest contact joint in the rest pose, metres; 0 for a body without legs.
    pub hips_rest_m: f32,
    /// Joints that turn to look, from the lowest to the head.
    pub look: Vec<LookJoint>,
    /// Left and right arm.
    pub arms: [Option<Leg>; 2],
    pub levers: Levers,
    pub layout: BlockLayout,
    /// Events that can fall on one instant, at most.
    pub events_at_once: usize,
}

impl Character {
    /// A character of any parts.
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

    /// The same, searching a database or none.
    pub(crate) fn searching(self, database: Option<Arc<Database>>) -> Self {
        Self { database, ..self }
    }

    /// The same choices among other motion.
    pub(crate) fn with_source(self, model: Arc<Model>, source: Arc<dyn MotionSource>) -> Self {
        let resolved = Resolved::new(&model, &*source, &self.config, self.machine.as_deref());
        Self { model, source, resolved, ..self }
    }

    /// What gives motion.
    pub(crate) fn source(&self) -> &dyn MotionSource {
        &*self.source
    }

    /// What source and machine remember of a character that begins.
    pub(super) fn begin(&self, state: &mut MatcherState) {
        let layout = &self.resolved.layout;
        self.source.begin(&mut state.block[layout.memory.clone()]);
        if let Some(machine) = &self.machine {
            machine.begin(&mut state.block[layout.machine.clone()]);
        }
    }

    /// What all its motion has in common.
    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// Where in a state what lies.
    /// Tags of clips that go up and down by themselves.
    pub(crate) fn resolved_own_ground(&self) -> TagMask {
        self.resolved.own_ground
    }

    pub(crate) fn layout(&self) -> &BlockLayout {
        &self.resolved.layout
    }

    /// Weights of features: the settings' own at 0.
    pub(crate) fn weights(&self, which: usize) -> &Weights {
        &self.resolved.weights[which]
    }

    /// The database that is searched; `None` for a character without one.
    pub fn database(&self) -> Option<&Arc<Database>> {
        self.database.as_ref()
    }

    /// The joints of its poses.
    pub fn skeleton(&self) -> &Skeleton {
        &self.model.skeleton
    }

    /// Its anatomy: roles, legs, feet.
    pub fn rig(&self) -> &Rig {
        &self.model.rig
    }

    /// The features that are matched.
    pub fn schema(&self) -> &FeatureSchema {
        &self.model.schema
    }

    /// True where what plays is a clip of the database.
    pub fn plays_clips(&self) -> bool {
        self.source.clip_name(crate::frames::ClipIndex(0)).is_some()
    }

    /// What a full stick stands for: the settings, else what the clips do.
    pub fn stick(&self) -> &StickSpeeds {
        &self.resolved.stick
    }

    /// The table of [`SearchConfig::foresight_cost`](super::SearchConfig); `None` where that is 0.
    pub fn foresight(&self) -> Option<&Foresight> {
        self.chooser.foresight()
    }

    /// The settings.
    pub fn config(&self) -> &MatcherConfig {
        &self.config
    }

    /// The settings, shared.
    pub(crate) fn shared_config(&self) -> &Arc<MatcherConfig> {
        &self.config
    }

    /// A state at rest at the origin.
    pub(crate) fn resting_state(&self) -> MatcherState {
        self.new_state(Transform::IDENTITY)
    }

    /// A new state: at rest at `world_from_root`, of which position and heading count.
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

    /// Room for what a character of this kind shows.
    pub fn output(&self) -> Output {
        Output::new(&self.model, self.resolved.events_at_once, self.resting())
    }

    /// Room to work in, for any number of characters of this kind on one thread.
    pub fn scratch(&self) -> Scratch {
        Scratch::new(&self.model, self.resolved.layout.memory.len(), self.source.room())
    }

    /// The moment at which a character at rest starts.
    pub(super) fn resting(&self) -> Playing {
        let of_machine = self.machine.as_ref().and_then(|machine| machine.resting());
        of_machine.unwrap_or_else(|| self.chooser.rest(self))
    }

    /// The blend of the last transition, joint by joint.
    pub(super) fn joints(&self, state: &StateHeader) -> Joints<'_> {
        Joints {
            config: self.config.transition.lasting(state.blend_s),
            translated: &self.model.translated,
            carries_foot: &self.model.rig.carries_foot,
            feet_alone: false,
        }
    }

    /// True when a non-looping clip is over in less than `within_s`.
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

/// The springs of the simulated character. Responsiveness is a factor on the cost of distances from the trajectory, which is to
/// them what stiffness is to a spring: so many times as stiff, a spring has a half-life shorter by the square root.
fn springs(config: &MatcherConfig) -> SimulationConfig {
    let (simulation, by) = (&config.simulation, 1.0 / config.responsiveness.max(LEAST_RESPONSIVENESS).sqrt());
    SimulationConfig {
        velocity_half_life_s: simulation.velocity_half_life_s * by,
        facing_half_life_s: simulation.facing_half_life_s * by,
        gait_half_life_s: simulation.gait_half_life_s * by,
    }
}

/// What is to play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Choice {
    /// What plays goes on.
    Continue,
    /// Something else. The chooser leaves in `scratch.memory` what the source is to remember there.
    Transition(Playing),
}

/// Decides what plays next. Allocates nothing.
pub(crate) trait Chooser: Debug + Send + Sync {
    /// Another one for other settings; `None` where this one will do.
    fn for_config(&self, _model: &Model, _now: &MatcherConfig, _next: &MatcherConfig) -> Option<Arc<dyn Chooser>> {
        None
    }

    /// What looks further ahead than features do.
    fn foresight(&self) -> Option<&Foresight> {
        None
    }

    /// The moment at which a character at rest starts.
    fn rest(&self, character: &Character) -> Playing;

    /// The moment that fits best after a pose from elsewhere: the one in `scratch.shown`, whose root is where the state says. The
    /// chooser leaves in `scratch.memory` what the source is to remember there.
    fn enter(&self, update: &mut Update) -> Playing;

    /// Chooses for a character. `may_continue` is false where what plays is over.
    fn choose(&self, update: &mut Update, may_continue: bool) -> Choice;
}

/// A character that is moved on: what it is, what is asked of it, what it remembers, room to work in, what it shows.
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
    /// The moment that plays.
    pub(super) fn playing(&self) -> Moment<'_> {
        self.state.moment(&self.character.resolved.layout)
    }

    /// Velocity of the root as it plays, along its own axes, m/s.
    pub(super) fn root_velocity(&mut self) -> Vec3 {
        let at = self.state.moment(&self.character.resolved.layout);
        self.character.source.root_velocity(at, &mut self.scratch.room)
    }
}
