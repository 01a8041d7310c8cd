//! The components of a character, and how they come and go.

use crate::assets::{MotionConfig, MotionDatabase, MotionMachine, MotionNetworks};
use crate::convert::{from_matcher, from_quat, into_root};
use crate::input::{MotionInput, Prepared};
use crate::kinds::{KindKey, Kinds};
use crate::model::MotionModel;
use crate::montages::MotionMontages;
use crate::root::RootMotion;
use crate::step::SoFar;
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

/// What an entity plays. Its own joints, or those of the skinned model below it, are moved; so is its `Transform`.
///
/// Changing a handle in mid-motion goes on from the pose that is shown.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
#[require(MotionInput, MotionVariables, RootMotion, Transform)]
pub struct MotionCharacter {
    /// The clips: a `.fwdb` file. May be missing where networks are given.
    pub database: Option<Handle<MotionDatabase>>,
    /// Settings: the character's TOML file. Default: [`footwork::matcher::MatcherConfig::default`].
    pub config: Option<Handle<MotionConfig>>,
    /// Networks in the place of clips and search: a `.fwnet` file.
    pub networks: Option<Handle<MotionNetworks>>,
    /// The state machine that runs it: a `.machine.toml` file, or one that code has added to the assets. Needs a database, and no
    /// networks. Default: none; motion matching alone.
    pub machine: Option<Handle<MotionMachine>>,
    /// What moves the entity.
    pub root: RootDriver,
}

impl MotionCharacter {
    /// A character of the clips of a database.
    pub fn new(database: Handle<MotionDatabase>) -> Self {
        Self { database: Some(database), ..Self::default() }
    }
}

/// What moves a character's entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Default, Clone, PartialEq)]
pub enum RootDriver {
    /// The animation: the plugin writes the entity's `Transform`. Where the game changes it, the character is put there.
    #[default]
    Transform,
    /// The game, by what the animation did: read [`RootMotion::take`], for a physics body. The character is always where the
    /// `Transform` is.
    Displacement,
    /// The game alone, as with a capsule of a physics engine: the animation follows the `Transform` and [`crate::MotionBody`].
    Body,
}

/// While an entity has this, the plugin leaves it to others: a ragdoll, a cut-scene, Bevy's animations. When it is removed,
/// motion goes on from whatever pose the model shows then.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
pub struct MotionPaused;

/// What a character is made of, once its files are loaded.
#[derive(Component, Clone, Debug)]
pub struct MotionKind {
    /// Shared by all entities of the kind.
    pub character: Arc<Character>,
    /// Size of the model over that of the clips' body: metres of the world per metre of [`MotionState`] and [`MotionOutput`].
    pub scale: f32,
}

/// All that must survive a frame: a copy of this and of `Transform` is a rollback.
#[derive(Component, Clone, Debug)]
pub struct MotionState(pub MatcherState);

impl MotionState {
    /// The character's own time, seconds: it begins with the character, and anew where that becomes another one.
    pub fn time_s(&self) -> f64 {
        self.0.header.time_s
    }
}

/// What a character shows, on the skeleton of its clips and in their size ([`MotionKind::scale`]).
#[derive(Component, Clone, Debug)]
pub struct MotionOutput(pub Output);

impl MotionOutput {
    /// The clip that plays.
    pub fn clip(&self) -> ClipIndex {
        self.0.playing.clip
    }
}

/// What the plugin itself remembers from frame to frame, beside the state; nothing of it influences motion.
#[derive(Component, Default)]
pub(crate) struct Backstage {
    pub prepared: Prepared,
    pub variables: PreparedVariables,
    pub turn: Turn,
    /// What was last written to the `Transform`.
    pub written: Option<Transform>,
    /// Said in the log.
    pub fault: Option<String>,
    pub result: Option<InputError>,
    /// Empty but in a frame of several updates.
    pub so_far: SoFar,
    /// Motion begins anew from what the model shows.
    pub enters: bool,
    /// The frame in which it was last found in a group of the scheduler.
    pub counted: u64,
    /// For drawing.
    #[cfg(feature = "debug")]
    pub seen: Option<Box<crate::debug::Seen>>,
}

impl Backstage {
    /// Logs what keeps a character from moving, once.
    pub fn report(&mut self, entity: Entity, fault: Option<String>) {
        if self.fault != fault {
            if let Some(fault) = &fault {
                error!("motion of {entity}: {fault}; the character holds its pose");
            }
            self.fault = fault;
        }
    }
}

/// Gives entities their kind when it is there, and another one when it has changed: motion goes on from the pose shown.
pub(crate) fn adopt_kinds(
    mut commands: Commands,
    mut kinds: ResMut<Kinds>,
    mut characters: Query<(
        Entity,
        &MotionCharacter,
        (&Transform, &mut MotionVariables, Option<&MotionMontages>),
        Option<(&mut MotionKind, &mut MotionState, &mut MotionOutput, &mut Backstage)>,
    )>,
) {
    for (entity, wanted, (transform, mut variables, montages), parts) in &mut characters {
        let Some(character) = kinds.get(KindKey::of(wanted)) else { continue };
        let Some((mut kind, mut state, mut output, mut backstage)) = parts else {
            let Some(parts) = begin(character, transform) else { continue };
            go_on_calling(commands.entity(entity), montages, character, &parts.1.0);
            commands.entity(entity).insert(parts);
            continue;
        };
        if Arc::ptr_eq(character, &kind.character) {
            continue;
        }
        variables.forget_fired();
        // A database of another skeleton has no such pose: the character begins at rest, and its model is fitted again.
        let was = (&*kind.character, &state.0, &output.0);
        let Ok((new, shown)) = character.take_over(was, &mut character.scratch()) else {
            commands.entity(entity).remove::<(Parts, MotionMontages, MotionModel)>();
            continue;
        };
        go_on_calling(commands.entity(entity), montages, character, &new);
        kind.character = character.clone();
        (state.0, output.0) = (new, shown);
        backstage.prepared.forget();
        backstage.variables = PreparedVariables::default();
    }
}

/// Calls of montages go with the state machine.
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

type Parts = (MotionKind, MotionState, MotionOutput, Backstage);

fn begin(character: &Arc<Character>, at: &Transform) -> Option<Parts> {
    let mut state = character.state_at(into_root(at, 1.0)).ok()?;
    let mut output = character.output();
    character.show(&mut state, &mut character.scratch(), &mut output).ok()?;
    let kind = MotionKind { character: character.clone(), scale: 1.0 };
    Some((kind, MotionState(state), MotionOutput(output), Backstage::default()))
}

/// How far above the root of its motion a character stands, metres of the world: motion is level, the ground is not.
pub(crate) fn lift_m(kind: &MotionKind, state: &MotionState) -> f32 {
    let header = &state.0.header;
    let ground = &header.corrections.body;
    let root_m = header.animated_root.translation.y;
    if ground.seen > 0.0 { (ground.height.value - root_m) * kind.scale } else { 0.0 }
}

/// Where a character stands, in Bevy's world.
pub(crate) fn shown_root(kind: &MotionKind, state: &MotionState) -> Transform {
    let root = state.0.world_from_root(kind.character.config());
    let translation = from_matcher(root.translation, kind.scale) + Vec3::Y * lift_m(kind, state);
    Transform::from_translation(translation).with_rotation(from_quat(root.rotation))
}
