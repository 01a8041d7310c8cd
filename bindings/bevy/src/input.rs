//! What a game asks of a character: components that own everything they hold.

use crate::convert::{into_matcher, into_quat, into_vec};
use bevy_ecs::entity::{EntityMapper, MapEntities};
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec2, Vec3};
use bevy_reflect::prelude::*;
use bevy_transform::components::{GlobalTransform, Transform};
use footwork::database::{Database, TagCost, TagQuery};
use footwork::expression::ExpressionError;
use footwork::input::{self as core, OwnedGoal, PathError};
use footwork::math::Facing;
use std::sync::Arc;

/// Where a character is to go. Write it every frame, or only where something changes.
///
/// The default is a stick at rest: the character stands.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
pub struct MotionInput {
    /// Where to go.
    pub goal: MotionGoal,
    /// Which clips may be played: a query of their tags, such as `(walk | run) & !wounded`. An empty one, which is the default,
    /// allows all locomotion.
    pub tags: String,
    /// Costs of clips for their tags, beside `tags`: soft preferences, at most 16.
    pub tag_costs: Vec<MotionTagCost>,
    /// Tags that are to be played at a later time, such as a crouch before a low door.
    pub later: Option<MotionLater>,
    /// Values of the schema's user channels, in its order; missing ones are 0.
    pub user: Vec<f32>,
}

/// A soft preference: what clips with some tags cost more.
#[derive(Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Clone, PartialEq)]
pub struct MotionTagCost {
    /// A query of tags, as [`MotionInput::tags`].
    pub tags: String,
    /// Added to the cost, in the units of `search.transition_cost`; negative ones attract. From -1e6 to 1e6.
    pub cost: f32,
}

/// Tags that are to be played at a later time. Clips that arrive in time are taken; where there are none, nothing changes.
#[derive(Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Clone, PartialEq)]
pub struct MotionLater {
    /// A query of tags, as [`MotionInput::tags`].
    pub tags: String,
    /// When, in the character's own time: [`crate::MotionState::time_s`] is now.
    pub at_s: f64,
}

/// Where to go.
#[derive(Clone, Debug, PartialEq, Reflect)]
#[reflect(Default, Clone, PartialEq)]
pub enum MotionGoal {
    /// A stick and a camera.
    Stick(Stick),
    /// A velocity, and a facing (`None`: the direction of travel).
    Velocity {
        /// World, m/s.
        velocity: Vec3,
        /// World; its length does not count.
        facing: Option<Vec3>,
    },
    /// Along a path. The character stops at the end of an open one.
    Path {
        /// World.
        path: MotionPath,
        /// Speed on it, m/s.
        speed_mps: f32,
    },
    /// A trajectory of your own, in order of time, at least one point.
    Trajectory(Vec<TrajectoryPoint>),
    /// Nobody steers: the playing clip continues as it was captured.
    Playback,
}

impl Default for MotionGoal {
    fn default() -> Self {
        Self::Stick(Stick::default())
    }
}

/// A stick and a camera.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Clone, PartialEq)]
pub struct Stick {
    /// Left stick: x to the right of the screen, y into it; length at most 1.
    pub movement: Vec2,
    /// Right stick, same axes: where to face while strafing. Zero: where the camera looks.
    pub look: Vec2,
    /// Where the camera looks, radians; 0 is +Z. [`camera_yaw_rad`] computes it.
    pub camera_yaw_rad: f32,
    /// How fast the camera turns, radians per second; the prediction turns the stick with it.
    pub camera_yaw_rate_radps: f32,
    /// True: the facing does not follow the movement.
    pub strafe: bool,
    /// True: run.
    pub run: bool,
}

/// Where a camera looks, radians; 0 is +Z.
pub fn camera_yaw_rad(camera: &Transform) -> f32 {
    // Not the platform's functions: what is asked must be the same everywhere.
    Facing::from_direction(into_vec(*camera.forward())).map_or(0.0, Facing::yaw)
}

/// A point of a trajectory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Clone, PartialEq)]
pub struct TrajectoryPoint {
    /// Seconds from now.
    pub time_s: f32,
    /// World.
    pub position: Vec3,
    /// World; its length does not count.
    pub facing: Vec3,
}

/// A path through points of the world; copies share it.
#[derive(Clone, Debug, Reflect)]
#[reflect(opaque, Clone, PartialEq)]
pub struct MotionPath {
    points: Arc<[Vec3]>,
    path: Arc<core::Path>,
}

impl MotionPath {
    /// A path. A closed one leads from its last point to its first.
    ///
    /// # Errors
    /// Returns [`PathError`] for fewer than two different points, and for NaN or infinity.
    pub fn new(points: impl Into<Vec<Vec3>>, closed: bool) -> Result<Self, PathError> {
        let points: Vec<Vec3> = points.into();
        let path = core::Path::new(points.iter().map(|p| into_vec(*p)).collect(), closed)?;
        Ok(Self { points: points.into(), path: Arc::new(path) })
    }

    /// Its points.
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// True for one that leads from its last point to its first.
    pub fn closed(&self) -> bool {
        self.path.closed()
    }

    fn scaled(&self, scale: f32) -> Arc<core::Path> {
        if scale == 1.0 {
            return self.path.clone();
        }
        let points = self.points.iter().map(|p| into_matcher(*p, scale)).collect();
        core::Path::new(points, self.closed()).map_or_else(|_| self.path.clone(), Arc::new)
    }
}

impl PartialEq for MotionPath {
    fn eq(&self, other: &Self) -> bool {
        self.path.id() == other.path.id()
    }
}

impl MotionInput {
    /// A stick: x to the right of the screen, y into it.
    pub fn stick(movement: Vec2, camera: &Transform, run: bool) -> Self {
        let stick = Stick { movement, camera_yaw_rad: camera_yaw_rad(camera), run, ..Stick::default() };
        Self { goal: MotionGoal::Stick(stick), ..Self::default() }
    }

    /// A velocity, world, m/s; the character faces where it goes.
    pub fn velocity(velocity: Vec3) -> Self {
        Self { goal: MotionGoal::Velocity { velocity, facing: None }, ..Self::default() }
    }

    /// Along a path, m/s.
    pub fn path(path: MotionPath, speed_mps: f32) -> Self {
        Self { goal: MotionGoal::Path { path, speed_mps }, ..Self::default() }
    }
}

/// What a character looks at or reaches for.
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Clone, PartialEq)]
pub enum Target {
    /// A point of the world.
    Point(Vec3),
    /// The place of an entity, as of the last frame.
    Entity(Entity),
}

impl Default for Target {
    fn default() -> Self {
        Self::Point(Vec3::ZERO)
    }
}

impl Target {
    /// Where it is; `None` for an entity that is gone.
    pub(crate) fn place(&self, places: &Query<&GlobalTransform>) -> Option<Vec3> {
        match self {
            Self::Point(p) => Some(*p),
            Self::Entity(e) => places.get(*e).ok().map(GlobalTransform::translation),
        }
    }
}

impl MapEntities for Target {
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
        if let Self::Entity(e) = self {
            *e = mapper.get_mapped(*e);
        }
    }
}

/// A character with this looks there with head and spine; needs `matcher.look_at` to be on, as it is by default.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
pub struct LookAt(#[entities] pub Target);

/// Where a hand is to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Clone, PartialEq)]
pub struct HandTarget {
    /// Place.
    pub at: Target,
    /// World from hand, in the axes of the clips' skeleton; `None` keeps the rotation of the clip.
    pub rotation: Option<Quat>,
}

impl MapEntities for HandTarget {
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
        self.at.map_entities(mapper);
    }
}

/// A character with this reaches for targets with its hands.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
pub struct HandTargets {
    /// Left hand.
    #[entities]
    pub left: Option<HandTarget>,
    /// Right hand.
    #[entities]
    pub right: Option<HandTarget>,
}

/// The body that physics moves, for [`crate::RootDriver::Body`]. Where it is and faces is its `Transform`.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
pub struct MotionBody {
    /// World, m/s.
    pub velocity: Vec3,
    /// Radians per second about +Y.
    pub yaw_rate_radps: f32,
    /// Height of the origin of its `Transform` above the ground, metres: half the height of a capsule.
    pub origin_height_m: f32,
}

/// An input as an update takes it; filled without allocating once it has been.
#[derive(Default)]
pub(crate) struct Prepared {
    pub input: core::OwnedInput,
    path: Option<(MotionPath, f32, Arc<core::Path>)>,
    /// Texts, and what they mean in the database.
    queries: Vec<(String, Result<TagQuery, ExpressionError>)>,
}

/// Texts of queries that are remembered.
const MOST_QUERIES: usize = 32;

impl Prepared {
    /// Tags mean something else in another database.
    pub fn forget(&mut self) {
        self.path = None;
        self.queries.clear();
    }

    /// What a text of tags means; read once.
    fn query(&mut self, text: &str, db: Option<&Database>) -> Result<TagQuery, ExpressionError> {
        if let Some((_, known)) = self.queries.iter().find(|(known, _)| known == text) {
            return known.clone();
        }
        let query = db.map_or(Ok(TagQuery::default()), |db| db.tag_query(text));
        if self.queries.len() == MOST_QUERIES {
            self.queries.clear();
        }
        self.queries.push((text.to_owned(), query.clone()));
        query
    }

    pub fn fill(
        &mut self,
        input: &MotionInput,
        scale: f32,
        db: Option<&Database>,
        user_width: usize,
    ) -> Result<(), ExpressionError> {
        let facing = |v: Vec3| Facing::from_direction(into_vec(v)).unwrap_or(Facing::FORWARD);
        let goal = &mut self.input.goal;
        match &input.goal {
            MotionGoal::Stick(s) => *goal = OwnedGoal::Stick(s.resolve()),
            MotionGoal::Velocity { velocity, facing: f } => {
                *goal = OwnedGoal::Velocity { velocity: into_matcher(*velocity, scale), facing: f.map(facing) };
            }
            MotionGoal::Path { path, speed_mps } => {
                let path = match &self.path {
                    Some((of, s, scaled)) if of == path && *s == scale => scaled.clone(),
                    _ => self.path.insert((path.clone(), scale, path.scaled(scale))).2.clone(),
                };
                *goal = OwnedGoal::Path { path, speed_mps: speed_mps / scale };
            }
            MotionGoal::Trajectory(points) => {
                let mut list = match std::mem::take(goal) {
                    OwnedGoal::Trajectory(mut list) => {
                        list.clear();
                        list
                    }
                    _ => Vec::new(),
                };
                list.extend(points.iter().map(|p| core::TrajectoryPoint {
                    time_s: p.time_s,
                    position: into_matcher(p.position, scale),
                    facing: facing(p.facing),
                }));
                *goal = OwnedGoal::Trajectory(list);
            }
            MotionGoal::Playback => *goal = OwnedGoal::None,
        }
        self.input.user.clear();
        self.input.user.extend(input.user.iter().copied().chain(std::iter::repeat(0.0)).take(user_width));
        self.input.tags = self.query(&input.tags, db)?;
        self.input.tag_costs.clear();
        for MotionTagCost { tags, cost } in &input.tag_costs {
            let tags = self.query(tags, db)?;
            self.input.tag_costs.push(TagCost { tags, cost: *cost });
        }
        self.input.later = match &input.later {
            Some(later) => Some(core::Later { tags: self.query(&later.tags, db)?, at_s: later.at_s }),
            None => None,
        };
        Ok(())
    }
}

impl Stick {
    fn resolve(&self) -> core::Stick {
        core::Stick {
            movement: glam::Vec2::from_array(self.movement.to_array()),
            look: glam::Vec2::from_array(self.look.to_array()),
            camera_yaw_rad: self.camera_yaw_rad,
            camera_yaw_rate_radps: self.camera_yaw_rate_radps,
            strafe: self.strafe,
            gait: if self.run { core::Gait::Run } else { core::Gait::Walk },
        }
    }
}

impl HandTarget {
    pub(crate) fn resolve(&self, scale: f32, places: &Query<&GlobalTransform>) -> Option<core::HandTarget> {
        let position = into_matcher(self.at.place(places)?, scale);
        Some(core::HandTarget { position, rotation: self.rotation.map(into_quat) })
    }
}

impl MotionBody {
    /// The body at the end of an update.
    pub(crate) fn resolve(&self, at: &Transform, scale: f32) -> core::ExternalBody {
        let ahead = at.rotation * Vec3::Z;
        core::ExternalBody {
            position: into_matcher(at.translation - Vec3::Y * self.origin_height_m, scale),
            velocity: into_matcher(self.velocity, scale),
            facing: Facing::from_direction(into_vec(ahead)).unwrap_or(Facing::FORWARD),
            yaw_rate_radps: self.yaw_rate_radps,
        }
    }
}
