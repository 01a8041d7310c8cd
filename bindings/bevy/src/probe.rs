//! What a character asks of the world around it: the ground under its feet, and walls in its way.

use bevy_ecs::prelude::*;
use bevy_ecs::system::{ReadOnlySystemParam, SystemParamItem};
use bevy_math::Vec3;
use std::sync::Arc;

/// The ground above or below a point, world. The default is level ground at height 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundPoint {
    /// Metres.
    pub height_m: f32,
    /// Upwards; a unit vector.
    pub normal: Vec3,
    /// How the ground itself moves there, m/s: a platform, a ship.
    pub velocity: Vec3,
}

impl Default for GroundPoint {
    fn default() -> Self {
        Self { height_m: 0.0, normal: Vec3::Y, velocity: Vec3::ZERO }
    }
}

/// A function of the game that tells the ground at a point.
pub type GroundFunction = dyn Fn(Vec3) -> GroundPoint + Send + Sync;
/// A function of the game that shortens or bends a step, from and to a point, at walls.
pub type WallFunction = dyn Fn(Vec3, Vec3) -> Vec3 + Send + Sync;

/// Feet of a character with this stand on the ground that it tells: its pelvis lowers and its feet tilt. Without it, ground is
/// level at the height of the root.
#[derive(Component, Clone, Default)]
pub enum GroundProbe {
    /// Asks the plugin's [`MotionWorld`].
    #[default]
    World,
    /// Asks a function.
    Function(Arc<GroundFunction>),
}

impl GroundProbe {
    /// Asks a function.
    pub fn new(ground: impl Fn(Vec3) -> GroundPoint + Send + Sync + 'static) -> Self {
        Self::Function(Arc::new(ground))
    }
}

/// The predicted path of a character with this is kept out of walls.
#[derive(Component, Clone, Default)]
pub enum WallProbe {
    /// Asks the plugin's [`MotionWorld`].
    #[default]
    World,
    /// Asks a function.
    Function(Arc<WallFunction>),
}

impl WallProbe {
    /// Asks a function.
    pub fn new(wall: impl Fn(Vec3, Vec3) -> Vec3 + Send + Sync + 'static) -> Self {
        Self::Function(Arc::new(wall))
    }
}

/// The world of a game: what characters with a [`GroundProbe`] or [`WallProbe`] of kind `World` ask, from several threads, in
/// the middle of an update. Implement it over the ray casts of a physics engine; `AvianWorld` (feature `avian`) is one.
pub trait MotionWorld: Send + Sync + 'static {
    /// What it reads: any read-only system parameter.
    type Param: ReadOnlySystemParam + 'static;

    /// The ground above or below a point.
    fn ground(world: &SystemParamItem<Self::Param>, character: Entity, at: Vec3) -> GroundPoint;

    /// Where a step ends that would lead from one point to another.
    fn wall(world: &SystemParamItem<Self::Param>, character: Entity, from: Vec3, to: Vec3) -> Vec3 {
        let _ = (world, character, from);
        to
    }
}

/// Level ground at height 0, without walls.
#[derive(Clone, Copy, Debug, Default)]
pub struct LevelWorld;

impl MotionWorld for LevelWorld {
    type Param = ();

    fn ground(_world: &(), _character: Entity, _at: Vec3) -> GroundPoint {
        GroundPoint::default()
    }
}
