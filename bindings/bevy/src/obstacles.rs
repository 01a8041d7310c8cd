//! Obstacles that characters go round.

use crate::components::{MotionKind, MotionPaused, RootMotion};
use crate::convert::{into_matcher, into_quat};
use crate::plugin_state::PluginState;
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec2, Vec3};
use bevy_reflect::prelude::*;
use bevy_transform::components::{GlobalTransform, Transform};
use footwork::input::{Obstacle, Obstacles};
use footwork::math::Facing;

/// Distance up to which a character regards obstacles, in metres of its clips' body.
const NEAR_M: f32 = 6.0;

/// Obstacle that all characters go round and are kept out of: a box with rounded sides, at the `Transform` of its entity. Without half
/// widths it is a circle. On a character, the others go round it.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
#[require(Transform)]
pub struct MotionObstacle {
    /// Half widths along its own X and Z without the radius, in metres.
    pub half_m: Vec2,
    /// Radius by which it is rounded, in metres.
    pub radius_m: f32,
    /// Height, in metres.
    pub height_m: f32,
    /// Height of the `Transform`'s origin above its base, in metres: for a mesh, half its height.
    pub origin_height_m: f32,
    /// Velocity in world space, in m/s. The velocity of a character is known.
    pub velocity: Vec3,
}

impl Default for MotionObstacle {
    /// A person.
    fn default() -> Self {
        Self::circle(0.3, 1.8)
    }
}

impl MotionObstacle {
    /// Returns a pillar, a tree or a person, whose origin is on the ground.
    pub fn circle(radius_m: f32, height_m: f32) -> Self {
        Self { half_m: Vec2::ZERO, radius_m, height_m, origin_height_m: 0.0, velocity: Vec3::ZERO }
    }

    /// Returns a box of a size, whose origin is its middle, as of a mesh.
    pub fn cuboid(size_m: Vec3) -> Self {
        let half_m = Vec2::new(size_m.x, size_m.z) * 0.5;
        Self { half_m, radius_m: 0.0, height_m: size_m.y, origin_height_m: 0.5 * size_m.y, velocity: Vec3::ZERO }
    }

    /// Returns the obstacle at a place, in the form of an update.
    pub(crate) fn resolve(&self, at: Vec3, rotation: Quat, scale: f32) -> Obstacle {
        Obstacle {
            position: into_matcher(at - Vec3::Y * self.origin_height_m, scale),
            velocity: into_matcher(self.velocity, scale),
            facing: Facing::from_rotation(into_quat(rotation)),
            half_m: glam::Vec2::from_array((self.half_m / scale).to_array()),
            radius_m: self.radius_m / scale,
            height_m: self.height_m / scale,
        }
    }
}

/// An obstacle of the world.
type Standing<'a> =
    (Entity, &'a MotionObstacle, (&'a Transform, Option<&'a GlobalTransform>, Has<ChildOf>), Option<&'a RootMotion>);

/// Writes the nearest obstacles to the input of each character.
pub(crate) fn see_obstacles(
    mut characters: Query<(Entity, &MotionKind, &Transform, &mut PluginState), Without<MotionPaused>>,
    obstacles: Query<Standing>,
    parents: Query<&ChildOf>,
    mut near: Local<Vec<(f32, Obstacle)>>,
) {
    for (entity, kind, at, mut plugin_state) in &mut characters {
        let scale = kind.scale;
        let body = into_matcher(at.translation, scale);
        near.clear();
        for (other, shape, (local, global, is_below), motion) in &obstacles {
            if other == entity || (is_below && parents.iter_ancestors(other).any(|e| e == entity)) {
                continue;
            }
            let (_, rotation, place) = match global.filter(|_| is_below) {
                Some(global) => global.to_scale_rotation_translation(),
                None => (local.scale, local.rotation, local.translation),
            };
            let shape = motion.map_or(*shape, |m| MotionObstacle { velocity: m.velocity, ..*shape });
            let obstacle = shape.resolve(place, rotation, scale);
            let off_m = (obstacle.position - body).length() - obstacle.half_m.length() - obstacle.radius_m;
            // The update reports numbers that are invalid.
            if off_m.is_nan() || off_m < NEAR_M {
                near.push((off_m, obstacle));
            }
        }
        if near.len() > Obstacles::MOST {
            near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            near.truncate(Obstacles::MOST);
        }
        let seen = &mut plugin_state.prepared.input.obstacles;
        seen.clear();
        seen.extend(near.iter().map(|(_, obstacle)| *obstacle));
    }
}
