//! Components of a character, and their creation and removal.

use crate::assets::{MotionConfig, MotionDatabase, MotionMachine, MotionNetworks};
use crate::convert::{from_matcher, from_quat, into_root};
use crate::input::{MotionInput, Prepared};
use crate::kinds::{KindKey, Kinds};
use crate::model::MotionModel;
use crate::montages::MotionMontages;
use crate::root::RootMotion;
use crate::step::FrameReports;
use crate::variables::{MotionVariables, PreparedVariables};
use bevy_asset::Handle;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_reflect::prelude::*;
use bevy_transform::components::Transform;
use footwork::frames::ClipIndex;
use footwork::input::InputError;
use footwork::matcher::{Character, MatcherState, Output, Turn};
use std::sync::Arc;
use tracing::error;

/// Motion of an entity. The plugin moves the entity's own joints, or those of the skinned model below it, and its `Transform`.
///
/// If a handle changes during motion, the motion continues from the pose shown.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
#[require(MotionInput, MotionVariables, RootMotion, Transform)]
pub struct MotionCharacter {
    /// Clips, from a `.fwdb` file. Optional with networks.
    pub database: Option<Handle<MotionDatabase>>,
    /// Settings, from the character's TOML file. Default: [`footwork::matcher::MatcherConfig::default`].
    pub config: Option<Handle<MotionConfig>>,
    /// Networks that replace clips and search, from a `.fwnet` file.
    pub networks: Option<Handle<MotionNetworks>>,
    /// State machine that runs the character, from a `.machine.toml` file or from code. Needs a database, and no networks.
    /// Default: none, motion matching alone.
    pub machine: Option<Handle<MotionMachine>>,
    /// Root driver: the source of the entity's movement.
    pub root: RootDriver,
}

impl MotionCharacter {
    /// Returns a character with the clips of a database.
    pub fn new(database: Handle<MotionDatabase>) -> Self {
        Self { database: Some(database), ..Self::default() }
    }
}

/// Source of the movement of a character's entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Default, Clone, PartialEq)]
pub enum RootDriver {
    /// The animation: the plugin writes the entity's `Transform`. If the game changes it, the character moves there.
    #[default]
    Transform,
    /// The game, with the displacement of the animation: apply [`RootMotion::take`] to a physics body. The character is always at
    /// the `Transform`.
    Displacement,
    /// The game alone, as with a capsule of a physics engine: the animation follows the `Transform` and [`crate::MotionBody`].
    Body,
}

/// Marker of an entity that the plugin does not move, for a ragdoll, a cut-scene, or Bevy's animations. When it is removed,
/// motion continues from the pose that the model shows.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
pub struct MotionPaused;

/// Data of a character, once its files are loaded.
#[derive(Component, Clone, Debug)]
pub struct MotionKind {
    /// Character, shared by all entities of the kind.
    pub character: Arc<Character>,
    /// Size of the model relative to the clips' body: metres of the world per metre of [`MotionState`] and [`MotionOutput`].
    pub scale: f32,
}

/// Complete state of a character between frames. For rollback, restore a copy of this and of `Transform`.
#[derive(Component, Clone, Debug)]
pub struct MotionState(pub MatcherState);

impl MotionState {
    /// Returns the character's own time, in seconds. It starts at 0 with the character, and again when the entity gets another
    /// one.
    pub fn time_s(&self) -> f64 {
        self.0.header.time_s
    }
}

/// Output of a character, on the skeleton of its clips and in their size ([`MotionKind::scale`]).
#[derive(Component, Clone, Debug)]
pub struct MotionOutput(pub Output);

impl MotionOutput {
    /// Returns the playing clip.
    pub fn clip(&self) -> ClipIndex {
        self.0.playing.clip
    }
}

/// Data of the plugin from frame to frame, beside the state. It does not influence motion.
#[derive(Component, Default)]
pub(crate) struct PluginState {
    pub prepared: Prepared,
    pub variables: PreparedVariables,
    pub turn: Turn,
    /// Value last written to the `Transform`.
    pub written: Option<Transform>,
    /// Error last reported in the log.
    pub fault: Option<String>,
    pub result: Option<InputError>,
    /// Results of several updates in one frame; empty between frames.
    pub reports: FrameReports,
    /// True if motion continues from the pose that the model shows.
    pub enters: bool,
    /// Frame in which the character was last found in a group of the scheduler.
    pub counted: u64,
    /// Data for drawing.
    #[cfg(feature = "debug")]
    pub debug: Option<Box<crate::debug::DebugData>>,
}

impl PluginState {
    /// Logs an error that prevents a character from moving, once.
    pub fn report(&mut self, entity: Entity, fault: Option<String>) {
        if self.fault != fault {
            if let Some(fault) = &fault {
                error!("motion of {entity}: {fault}; the character holds its pose");
            }
            self.fault = fault;
        }
    }
}

/// Inserts the kind of an entity when it is available, and replaces it when it changes. Motion continues from the pose shown.
pub(crate) fn adopt_kinds(
    mut commands: Commands,
    mut kinds: ResMut<Kinds>,
    mut characters: Query<(
        Entity,
        &MotionCharacter,
        (&Transform, &mut MotionVariables, Option<&MotionMontages>),
        Option<(&mut MotionKind, &mut MotionState, &mut MotionOutput, &mut PluginState)>,
    )>,
) {
    for (entity, wanted, (transform, mut variables, montages), parts) in &mut characters {
        let Some(character) = kinds.get(KindKey::of(wanted)) else { continue };
        let Some((mut kind, mut state, mut output, mut plugin_state)) = parts else {
            let Some(parts) = begin(character, transform) else { continue };
            go_on_calling(commands.entity(entity), montages, character, &parts.1.0);
            commands.entity(entity).insert(parts);
            continue;
        };
        if Arc::ptr_eq(character, &kind.character) {
            continue;
        }
        variables.forget_fired();
        // A database with another skeleton cannot show the pose, so the character starts at rest, and its model is fitted again.
        let was = (&*kind.character, &state.0, &output.0);
        let Ok((new, shown)) = character.take_over(was, &mut character.scratch()) else {
            commands.entity(entity).remove::<(Parts, MotionMontages, MotionModel)>();
            continue;
        };
        go_on_calling(commands.entity(entity), montages, character, &new);
        kind.character = character.clone();
        (state.0, output.0) = (new, shown);
        plugin_state.prepared.forget();
        plugin_state.variables = PreparedVariables::default();
    }
}

/// Inserts or removes the montage calls, as the character has a state machine or not.
fn go_on_calling(
    mut entity: EntityCommands,
    before: Option<&MotionMontages>,
    character: &Character,
    state: &MatcherState,
) {
    match MotionMontages::going_on(before, character, state) {
        Some(calls) => _ = entity.insert(calls),
        None => _ = entity.remove::<MotionMontages>(),
    }
}

type Parts = (MotionKind, MotionState, MotionOutput, PluginState);

fn begin(character: &Arc<Character>, at: &Transform) -> Option<Parts> {
    let mut state = character.state_at(into_root(at, 1.0)).ok()?;
    let mut output = character.output();
    character.show(&mut state, &mut character.scratch(), &mut output).ok()?;
    let kind = MotionKind { character: character.clone(), scale: 1.0 };
    Some((kind, MotionState(state), MotionOutput(output), PluginState::default()))
}

/// Returns the height of a character above the root of its motion, in metres of the world: the motion is level, the ground may
/// not be.
pub(crate) fn lift_m(kind: &MotionKind, state: &MotionState) -> f32 {
    let header = &state.0.header;
    let ground = &header.corrections.body;
    let root_m = header.animated_root.translation.y;
    if ground.seen > 0.0 { (ground.height.value - root_m) * kind.scale } else { 0.0 }
}

/// Returns the position of a character in Bevy's world.
pub(crate) fn shown_root(kind: &MotionKind, state: &MotionState) -> Transform {
    let root = state.0.world_from_root(kind.character.config());
    let translation = from_matcher(root.translation, kind.scale) + Vec3::Y * lift_m(kind, state);
    Transform::from_translation(translation).with_rotation(from_quat(root.rotation))
}
