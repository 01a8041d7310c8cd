//! Motion matching for Bevy: a character that goes where the stick says, out of captured motion, on your own model.
//!
//! ```
//! use bevy_app::prelude::*;
//! use bevy_asset::{AssetPlugin, AssetServer};
//! use bevy_ecs::prelude::*;
//! use bevy_footwork::prelude::*;
//! use bevy_math::Vec3;
//! use bevy_transform::prelude::Transform;
//!
//! # fn main() {
//! # let folder = tempfile::tempdir().unwrap();
//! # let clips = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() });
//! # let options = (Default::default(), Default::default());
//! # footwork::build::build(&clips, &options.0, &options.1).unwrap().0.save(&folder.path().join("person.fwdb")).unwrap();
//! # let file_path = folder.path().to_str().unwrap().to_owned();
//! fn spawn(mut commands: Commands, assets: Res<AssetServer>) {
//!     let clips = assets.load("person.fwdb");
//!     commands.spawn((MotionCharacter::new(clips), Transform::default()));
//! }
//!
//! fn steer(mut characters: Query<&mut MotionInput>) {
//!     for mut input in &mut characters {
//!         *input = MotionInput::velocity(Vec3::new(0.0, 0.0, 1.5));
//!     }
//! }
//!
//! let mut app = App::new();
//! // A game has `DefaultPlugins` here.
//! app.add_plugins((TaskPoolPlugin::default(), AssetPlugin { file_path, ..AssetPlugin::default() }));
//! app.add_plugins((bevy_time::TimePlugin, FootworkPlugin::default()));
//! app.add_systems(Startup, spawn);
//! app.add_systems(Update, steer);
//! # app.finish();
//! # app.insert_resource(bevy_time::TimeUpdateStrategy::ManualDuration(std::time::Duration::from_secs_f32(1.0 / 60.0)));
//! # let mut moved = 0.0;
//! # for _ in 0..4000 {
//! #     app.update();
//! #     std::thread::sleep(std::time::Duration::from_millis(1));
//! #     let mut characters = app.world_mut().query::<(&MotionCharacter, &Transform)>();
//! #     moved = characters.single(app.world()).unwrap().1.translation.z;
//! #     if moved > 1.0 { break; }
//! # }
//! # assert!(moved > 1.0, "the character is at {moved}");
//! # }
//! ```
//!
//! Add the scene of a skinned model to the entity (`WorldAssetRoot(assets.load("hero.glb#Scene0"))`) to animate that model: its
//! joints are recognised by names, hierarchy and pose. Bevy and footwork use the same space: metres, right-handed, +Y up;
//! characters face +Z, as glTF models do. (That is [`Transform::back`](bevy_transform::components::Transform::back).) A character
//! below another entity moves in the space of that entity.
//!
//! | task | use |
//! |---|---|
//! | steer | [`MotionInput`] |
//! | walk on slopes and stairs, avoid walls | [`GroundProbe`], [`WallProbe`], [`MotionWorld`] |
//! | crouch, aim, wave with a state machine | [`MotionCharacter::machine`], [`MotionVariables`] |
//! | play and stop montages by calls: strike, reload | [`MotionMontages`] |
//! | change to another character: healthy, injured | [`MotionChooser`] |
//! | request a crouch in advance, prefer a style | [`MotionInput::later`], [`MotionInput::tag_costs`] |
//! | look, reach | [`LookAt`], [`HandTargets`] |
//! | jump, vault, climb, sit, pick up | [`MotionAction`], [`ActionProbe`] |
//! | go round walls and each other | [`MotionObstacle`] |
//! | let physics move the body | [`RootDriver`], [`RootMotion`], [`MotionBody`] |
//! | leave arms or a face to Bevy's animation | [`MotionMask`] |
//! | pause for a ragdoll or a cut-scene, and continue | [`MotionPaused`] |
//! | observe footsteps, transitions, states, tags, events, actions | [`events`] |
//! | record, review and explain motion | [`MotionRecorder`]; `MotionPanelsPlugin` (feature `panels`) |
//! | roll back | copy [`MotionState`] and `Transform`, and restore them |
//! | order systems | [`schedule`] |
//! | limit the cost of a crowd | [`MotionBudget`], [`MotionViewer`] |

mod action_probe;
mod actions;
#[cfg(feature = "animation")]
mod animation;
mod assets;
#[cfg(feature = "avian")]
mod avian;
#[cfg(feature = "built-in")]
mod built_in;
#[cfg(feature = "camera")]
mod camera;
mod character;
mod choose;
mod components;
mod convert;
#[cfg(feature = "debug")]
mod debug;
#[cfg(feature = "debug")]
mod debug_data;
pub mod events;
mod input;
mod kinds;
mod learn;
mod matching;
mod model;
mod montages;
mod obstacles;
#[cfg(feature = "panels")]
mod panels;
mod plugin_state;
mod pose;
mod probe;
mod recorder;
mod root;
pub mod schedule;
mod sets;
mod step;
mod unknown_body;
mod variables;

pub use action_probe::ActionProbe;
pub use actions::{MotionAction, MotionBlock, MotionContact};
pub use assets::{
    MotionAssetError, MotionConfig, MotionDatabase, MotionFile, MotionLoader, MotionMachine, MotionNetworks,
};
#[cfg(feature = "avian")]
pub use avian::AvianWorld;
#[cfg(feature = "built-in")]
pub use built_in::{BuiltInActionsPlugin, BuiltInPersonPlugin};
pub use choose::{MotionChoice, MotionChooser};
pub use components::{MotionCharacter, MotionKind, MotionOutput, MotionPaused, MotionState, RootDriver, RootMotion};
#[cfg(feature = "debug")]
pub use debug::{FootworkDebugPlugin, MotionGizmos};
pub use events::{
    MotionActionEvent, MotionActionStep, MotionClipEvent, MotionFootstep, MotionNoCandidate, MotionStateChanged,
    MotionTagEntered, MotionTagLeft, MotionTransition,
};
/// The motion matching library.
pub use footwork;
pub use footwork::input::MontageHandle;
pub use footwork::machine::PlayMontage;
pub use footwork::matcher::{EndCause, EventKind};
pub use input::{
    HandTarget, HandTargets, LookAt, MotionBody, MotionGoal, MotionInput, MotionLater, MotionPath, MotionTagCost,
    Stick, Target, TrajectoryPoint, camera_yaw_rad,
};
pub use matching::{MotionBudget, MotionViewer};
pub use model::{MotionJoint, MotionModel, MotionRoles};
pub use montages::MotionMontages;
pub use obstacles::MotionObstacle;
#[cfg(feature = "panels")]
pub use panels::{MotionInspected, MotionInspection, MotionPanels, MotionPanelsPlugin};
pub use pose::MotionMask;
pub use probe::{GroundFunction, GroundPoint, GroundProbe, LevelWorld, MotionWorld, RayPoint, WallFunction, WallProbe};
pub use recorder::{MotionRecorder, MotionRecordingError};
pub use sets::MotionSystems;
pub use variables::MotionVariables;

use bevy_app::{FixedPostUpdate, PostUpdate};
use bevy_ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use std::marker::PhantomData;

/// Items that most games import.
pub mod prelude {
    #[cfg(feature = "avian")]
    pub use crate::AvianWorld;
    pub use crate::{
        ActionProbe, EndCause, EventKind, FootworkPlugin, GroundPoint, GroundProbe, HandTarget, HandTargets, LookAt,
        MontageHandle, MotionAction, MotionActionEvent, MotionActionStep, MotionBody, MotionBudget, MotionCharacter,
        MotionClipEvent, MotionConfig, MotionContact, MotionDatabase, MotionFootstep, MotionGoal, MotionInput,
        MotionMachine, MotionMask, MotionModel, MotionMontages, MotionNetworks, MotionNoCandidate, MotionObstacle,
        MotionPath, MotionPaused, MotionRecorder, MotionState, MotionStateChanged, MotionSystems, MotionTagEntered,
        MotionTagLeft, MotionTransition, MotionVariables, MotionViewer, PlayMontage, RootDriver, RootMotion, Stick,
        Target, WallProbe, camera_yaw_rad,
    };
    #[cfg(feature = "built-in")]
    pub use crate::{BuiltInActionsPlugin, BuiltInPersonPlugin};
    #[cfg(feature = "debug")]
    pub use crate::{FootworkDebugPlugin, MotionGizmos};
    #[cfg(feature = "panels")]
    pub use crate::{MotionInspected, MotionPanels, MotionPanelsPlugin};
}

/// Motion matching plugin. `FootworkPlugin::default()` has level ground; [`FootworkPlugin::in_world`] uses a physics engine.
pub struct FootworkPlugin<W = LevelWorld> {
    schedule: InternedScheduleLabel,
    world: PhantomData<fn() -> W>,
}

impl Default for FootworkPlugin<LevelWorld> {
    fn default() -> Self {
        Self::in_world(LevelWorld)
    }
}

impl<W: MotionWorld> FootworkPlugin<W> {
    /// Returns a plugin with the ground and walls of a world.
    pub fn in_world(_world: W) -> Self {
        Self { schedule: PostUpdate.intern(), world: PhantomData }
    }

    /// Updates characters in fixed steps, for physics and rollback. The displayed motion is interpolated.
    pub fn in_fixed_steps(self) -> Self {
        self.in_schedule(FixedPostUpdate)
    }

    /// Updates characters in a schedule of the game's own, such as one that runs several times in a frame for rollback. Its
    /// `Time` gives the time step.
    pub fn in_schedule(self, schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern(), ..self }
    }
}
