//! Components for the input of a character.

use crate::convert::{into_matcher, into_quat, into_vec};
use bevy_ecs::entity::{EntityMapper, MapEntities};
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec2, Vec3};
use bevy_reflect::prelude::*;
use bevy_transform::components::{GlobalTransform, Transform};
use footwork::advanced::input::{OwnedGoal, OwnedInput};
use footwork::database::{Database, TagCost, TagQuery};
use footwork::expression::ExpressionError;
use footwork::input::{self as core, PathError};
use footwork::math::Facing;
use std::sync::Arc;

/// Goal and filters of a character's motion. Write it every frame, or only when it changes.
///
/// Default: a centred stick, with which the character is idle.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
pub struct MotionInput {
    /// Goal of the movement.
    pub goal: MotionGoal,
    /// Query of tags that limits the playable clips, such as `(walk | run) & !wounded`. Default: empty, which allows all
    /// locomotion.
    pub tags: String,
    /// Cost biases of clips by their tags, in addition to `tags`. At most 16.
    pub tag_costs: Vec<MotionTagCost>,
    /// Tags required at a later time, such as a crouch before a low door.
    pub later: Option<MotionLater>,
    /// Values of the schema's user channels, in its order. Missing values are 0.
    pub user: Vec<f32>,
}

/// Cost bias for clips with some tags.
#[derive(Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Clone, PartialEq)]
pub struct MotionTagCost {
    /// Query of tags, as in [`MotionInput::tags`].
    pub tags: String,
    /// Cost added, in the units of `search.transition_cost`. Negative values attract. Range: -1e6 to 1e6.
    pub cost: f32,
}

/// Tags required at a later time. Prefers clips that reach the tags in time; has no effect if there are none.
#[derive(Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Clone, PartialEq)]
pub struct MotionLater {
    /// Query of tags, as in [`MotionInput::tags`].
    pub tags: String,
    /// Time, in seconds of the character's own time, whose current value is [`crate::MotionState::time_s`].
    pub at_s: f64,
}

/// Goal of the movement.
#[derive(Clone, Debug, PartialEq, Reflect)]
#[reflect(Default, Clone, PartialEq)]
pub enum MotionGoal {
    /// Stick and camera.
    Stick(Stick),
    /// Velocity and facing (`None`: the direction of travel).
    Velocity {
        /// Velocity in world space, in m/s.
        velocity: Vec3,
        /// Facing in world space; its length is ignored.
        facing: Option<Vec3>,
    },
    /// Movement along a path. The character stops at the end of an open path.
    Path {
        /// Path in world space.
        path: MotionPath,
        /// Speed on the path, in m/s.
        speed_mps: f32,
    },
    /// Custom trajectory, in order of time, with at least one point.
    Trajectory(Vec<TrajectoryPoint>),
    /// No goal: the playing clip continues as it was captured.
    Playback,
}

impl Default for MotionGoal {
    fn default() -> Self {
        Self::Stick(Stick::default())
    }
}

/// Stick and camera.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Clone, PartialEq)]
pub struct Stick {
    /// Left stick: x to the right of the screen, y into it. Maximum length: 1.
    pub movement: Vec2,
    /// Right stick, with the same axes: facing while strafing. Zero: the camera's direction.
    pub look: Vec2,
    /// Heading of the camera, in radians; 0 is +Z. [`camera_yaw_rad`] computes it.
    pub camera_yaw_rad: f32,
    /// Turn rate of the camera, in radians per second. The prediction turns the stick with it.
    pub camera_yaw_rate_radps: f32,
    /// True to keep the facing independent of the movement.
    pub strafe: bool,
    /// True to run.
    pub run: bool,
}

/// Returns the heading of a camera, in radians; 0 is +Z.
pub fn camera_yaw_rad(camera: &Transform) -> f32 {
    // Computed by footwork instead of the platform, so that the input is the same on all platforms.
    Facing::from_direction(into_vec(*camera.forward())).map_or(0.0, Facing::yaw)
}

/// Point of a trajectory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Clone, PartialEq)]
pub struct TrajectoryPoint {
    /// Time from now, in seconds.
    pub time_s: f32,
    /// Position in world space, in metres.
    pub position: Vec3,
    /// Facing in world space; its length is ignored.
    pub facing: Vec3,
}

/// Path through points of the world. Copies share their data.
#[derive(Clone, Debug, Reflect)]
#[reflect(opaque, Clone, PartialEq)]
pub struct MotionPath {
    points: Arc<[Vec3]>,
    path: Arc<core::Path>,
}

impl MotionPath {
    /// Creates a path. A closed path leads from its last point to its first.
    ///
    /// # Errors
    /// Returns [`PathError`] if there are fewer than two different points, or a value is NaN or infinite.
    pub fn new(points: impl Into<Vec<Vec3>>, closed: bool) -> Result<Self, PathError> {
        let points: Vec<Vec3> = points.into();
        let path = core::Path::new(points.iter().map(|p| into_vec(*p)).collect(), closed)?;
        Ok(Self { points: points.into(), path: Arc::new(path) })
    }

    /// Returns the points.
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Returns true if the path leads from its last point to its first.
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
    /// Returns an input with a stick: x to the right of the screen, y into it.
    pub fn stick(movement: Vec2, camera: &Transform, run: bool) -> Self {
        let stick = Stick { movement, camera_yaw_rad: camera_yaw_rad(camera), run, ..Stick::default() };
        Self { goal: MotionGoal::Stick(stick), ..Self::default() }
    }

    /// Returns an input with a velocity in world space, in m/s. The character faces the direction of travel.
    pub fn velocity(velocity: Vec3) -> Self {
        Self { goal: MotionGoal::Velocity { velocity, facing: None }, ..Self::default() }
    }

    /// Returns an input with a path and a speed in m/s.
    pub fn path(path: MotionPath, speed_mps: f32) -> Self {
        Self { goal: MotionGoal::Path { path, speed_mps }, ..Self::default() }
    }
}

/// Target of look-at or of a hand.
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Clone, PartialEq)]
pub enum Target {
    /// Point in world space.
    Point(Vec3),
    /// Position of an entity, as of the last frame.
    Entity(Entity),
}

impl Default for Target {
    fn default() -> Self {
        Self::Point(Vec3::ZERO)
    }
}

impl Target {
    /// Returns the position, or `None` if the entity does not exist.
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

/// Target at which the character looks with head and spine. Needs `matcher.look_at`, which is on by default.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
pub struct LookAt(#[entities] pub Target);

/// Target of a hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Clone, PartialEq)]
pub struct HandTarget {
    /// Position.
    pub at: Target,
    /// Rotation from the hand to the world, in the axes of the clips' skeleton. `None` keeps the clip's rotation.
    pub rotation: Option<Quat>,
}

impl MapEntities for HandTarget {
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
        self.at.map_entities(mapper);
    }
}

/// Targets for which the character reaches with its hands.
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

/// Body moved by physics, for [`crate::RootDriver::Body`]. Its `Transform` holds its position and facing.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
pub struct MotionBody {
    /// Velocity in world space, in m/s.
    pub velocity: Vec3,
    /// Turn rate about +Y, in radians per second.
    pub yaw_rate_radps: f32,
    /// Height of the `Transform`'s origin above the ground, in metres: half the height of a capsule.
    pub origin_height_m: f32,
}

/// Input in the form of an update. Refilling it does not allocate.
#[derive(Default)]
pub(crate) struct Prepared {
    pub input: OwnedInput,
    path: Option<(MotionPath, f32, Arc<core::Path>)>,
    /// Texts of tag queries, and their results for the database.
    queries: Vec<(String, Result<TagQuery, ExpressionError>)>,
}

/// Maximum number of cached queries.
const MOST_QUERIES: usize = 32;

impl Prepared {
    /// Clears cached data, because the tags of another database differ.
    pub fn forget(&mut self) {
        self.path = None;
        self.queries.clear();
    }

    /// Returns the query of a text. Parses each text once.
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
    /// Returns the body at the end of an update.
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
