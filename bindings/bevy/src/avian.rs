//! Ground, walls and rays from Avian's colliders.

use crate::probe::{GroundPoint, MotionWorld, RayPoint};
use avian3d::prelude::{LinearVelocity, SpatialQuery, SpatialQueryFilter};
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParamItem;
use bevy_math::{Dir3, Vec3};

/// World of Avian's colliders: `FootworkPlugin::in_world(AvianWorld)`. Ignores a character's own collider, and those of carried
/// objects (descendants of its entity).
#[derive(Clone, Copy, Debug, Default)]
pub struct AvianWorld;

/// Start of rays above a point, in metres. Steps up to this height can be climbed.
const ABOVE_M: f32 = 0.6;
/// End of rays below a point, in metres.
const BELOW_M: f32 = 2.0;
/// Distance kept from walls, in metres.
const RADIUS_M: f32 = 0.3;
/// Height of the rays for walls, in metres.
const WAIST_M: f32 = 0.9;

impl MotionWorld for AvianWorld {
    type Param = (
        SpatialQuery<'static, 'static>,
        Query<'static, 'static, &'static LinearVelocity>,
        Query<'static, 'static, &'static ChildOf>,
    );

    fn ground((rays, velocities, parents): &SystemParamItem<Self::Param>, character: Entity, at: Vec3) -> GroundPoint {
        let others = |e: Entity| e != character && !parents.iter_ancestors(e).any(|a| a == character);
        let from = at + Vec3::Y * ABOVE_M;
        let all = SpatialQueryFilter::default();
        let hit = rays.cast_ray_predicate(from, Dir3::NEG_Y, ABOVE_M + BELOW_M, true, &all, &others);
        match hit {
            Some(hit) => GroundPoint {
                height_m: from.y - hit.distance,
                normal: hit.normal,
                velocity: velocities.get(hit.entity).map_or(Vec3::ZERO, |v| v.0),
            },
            None => GroundPoint { height_m: at.y, ..GroundPoint::default() },
        }
    }

    fn wall((rays, _, parents): &SystemParamItem<Self::Param>, character: Entity, from: Vec3, to: Vec3) -> Vec3 {
        let others = |e: Entity| e != character && !parents.iter_ancestors(e).any(|a| a == character);
        let Ok((ahead, length)) = Dir3::new_and_length(to - from) else { return to };
        let start = from + Vec3::Y * WAIST_M;
        let all = SpatialQueryFilter::default();
        let Some(hit) = rays.cast_ray_predicate(start, ahead, length + RADIUS_M, true, &all, &others) else {
            return to;
        };
        // The rest of the step continues along the wall.
        let reached = from + *ahead * (hit.distance - RADIUS_M).max(0.0);
        let left = to - reached;
        let wall = Vec3::new(hit.normal.x, 0.0, hit.normal.z).normalize_or_zero();
        reached + left - wall * left.dot(wall).min(0.0)
    }

    fn ray(
        (rays, _, parents): &SystemParamItem<Self::Param>,
        character: Entity,
        from: Vec3,
        direction: Vec3,
        length_m: f32,
    ) -> Option<RayPoint> {
        let others = |e: Entity| e != character && !parents.iter_ancestors(e).any(|a| a == character);
        let along = Dir3::new(direction).ok()?;
        let hit = rays.cast_ray_predicate(from, along, length_m, true, &SpatialQueryFilter::default(), &others)?;
        Some(RayPoint { distance_m: hit.distance, normal: hit.normal })
    }
}
