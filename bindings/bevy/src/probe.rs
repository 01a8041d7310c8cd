//! Queries of a character to the world around it: ground below its feet, and walls on its path.

use bevy_ecs::prelude::*;
use bevy_ecs::system::{ReadOnlySystemParam, SystemParamItem};
use bevy_math::Vec3;
use std::sync::Arc;

/// Ground above or below a point, in world space. Default: level ground at height 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundPoint {
    /// Height, in metres.
    pub height_m: f32,
    /// Upward normal, a unit vector.
    pub normal: Vec3,
    /// Velocity of the ground itself, in m/s, such as of a platform or a ship.
    pub velocity: Vec3,
}

impl Default for GroundPoint {
    fn default() -> Self {
        Self { height_m: 0.0, normal: Vec3::Y, velocity: Vec3::ZERO }
    }
}

/// What a ray meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayPoint {
    /// Distance from its origin, in metres.
    pub distance_m: f32,
    /// Normal of the surface in world space, a unit vector.
    pub normal: Vec3,
}

/// Function of the game that returns the ground at a point.
pub type GroundFunction = dyn Fn(Vec3) -> GroundPoint + Send + Sync;
/// Function of the game that shortens or bends a step at walls, from its start and end.
pub type WallFunction = dyn Fn(Vec3, Vec3) -> Vec3 + Send + Sync;

/// Ground of a character: its pelvis lowers and its feet tilt to fit the ground. Without it, the ground is level at the height of
/// the root.
#[derive(Component, Clone, Default)]
pub enum GroundProbe {
    /// Ground of the plugin's [`MotionWorld`].
    #[default]
    World,
    /// Ground from a function.
    Function(Arc<GroundFunction>),
}

impl GroundProbe {
    /// Creates a probe from a function.
    pub fn new(ground: impl Fn(Vec3) -> GroundPoint + Send + Sync + 'static) -> Self {
        Self::Function(Arc::new(ground))
    }
}

/// Walls of a character: its predicted path avoids them.
#[derive(Component, Clone, Default)]
pub enum WallProbe {
    /// Walls of the plugin's [`MotionWorld`].
    #[default]
    World,
    /// Walls from a function.
    Function(Arc<WallFunction>),
}

impl WallProbe {
    /// Creates a probe from a function.
    pub fn new(wall: impl Fn(Vec3, Vec3) -> Vec3 + Send + Sync + 'static) -> Self {
        Self::Function(Arc::new(wall))
    }
}

/// World of a game, which characters with a [`GroundProbe`] or [`WallProbe`] of kind `World` query from several threads during an
/// update. Implement it with the ray casts of a physics engine; `AvianWorld` (feature `avian`) is an implementation.
pub trait MotionWorld: Send + Sync + 'static {
    /// Data that it reads: any read-only system parameter.
    type Param: ReadOnlySystemParam + 'static;

    /// Returns the ground above or below a point.
    fn ground(world: &SystemParamItem<Self::Param>, character: Entity, at: Vec3) -> GroundPoint;

    /// Returns the end of a step that would lead from one point to another.
    fn wall(world: &SystemParamItem<Self::Param>, character: Entity, from: Vec3, to: Vec3) -> Vec3 {
        let _ = (world, character, from);
        to
    }

    /// Returns what a ray meets, other than the character itself; `None` if it meets nothing. `direction` is a unit vector. Serves
    /// [`ActionProbe`](crate::ActionProbe).
    fn ray(
        world: &SystemParamItem<Self::Param>,
        character: Entity,
        from: Vec3,
        direction: Vec3,
        length_m: f32,
    ) -> Option<RayPoint> {
        let _ = (world, character, from, direction, length_m);
        None
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
