//! Components of a character.

use crate::assets::{MotionConfig, MotionDatabase, MotionMachine, MotionNetworks};
use crate::convert::{from_matcher, from_quat};
use crate::input::MotionInput;
use crate::variables::MotionVariables;
use bevy_asset::Handle;
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_reflect::prelude::*;
use bevy_transform::components::Transform;
use footwork::frames::ClipIndex;
use footwork::matcher::{Character, MatcherState, Output};
use std::sync::Arc;

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
        self.0.header.clock.time_s
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

/// Movement of the character by its animation.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
pub struct RootMotion {
    /// Velocity of the root in world space, in m/s.
    pub velocity: Vec3,
    /// Turn rate about +Y, in radians per second.
    pub yaw_rate_radps: f32,
    /// Displacement since the last [`RootMotion::take`], relative to the root at that time, in metres.
    pub translation: Vec3,
    /// Rotation since the last [`RootMotion::take`].
    pub rotation: Quat,
    /// True while an action moves the root. A body that the game moves must follow [`RootMotion::take`] meanwhile, also with
    /// [`RootDriver::Body`], and must not collide with what the action passes.
    pub by_action: bool,
}

impl RootMotion {
    /// Returns the displacement and rotation since the last call, relative to the body at that time; for a system in
    /// `FixedUpdate`. Divide by the time step for a velocity that physics can use.
    pub fn take(&mut self) -> (Vec3, Quat) {
        let taken = (self.translation, self.rotation);
        (self.translation, self.rotation) = (Vec3::ZERO, Quat::IDENTITY);
        taken
    }
}

/// Returns the height of a character above the root of its motion, in metres of the world: the motion is level, the ground may
/// not be.
pub(crate) fn lift_m(kind: &MotionKind, state: &MotionState) -> f32 {
    let header = &state.0.header;
    let ground = &header.corrections.body;
    let root_m = header.root.animated.translation.y;
    if ground.seen > 0.0 { (ground.height.value - root_m) * kind.scale } else { 0.0 }
}

/// Returns the position of a character in Bevy's world.
pub(crate) fn shown_root(kind: &MotionKind, state: &MotionState) -> Transform {
    let root = state.0.world_from_root(kind.character.config());
    let translation = from_matcher(root.translation, kind.scale) + Vec3::Y * lift_m(kind, state);
    Transform::from_translation(translation).with_rotation(from_quat(root.rotation))
}
