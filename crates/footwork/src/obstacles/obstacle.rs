//! An obstacle: a rounded box on the ground, with a height.

use crate::math::{Facing, flat};
use glam::{Vec2, Vec3};

/// An obstacle: a box with rounded sides. Without half widths it is a circle; with one of them, a capsule; with a radius of 0, a box.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Obstacle {
    /// Middle of its base at the end of the update: world, in metres.
    pub position: Vec3,
    /// Velocity: world, in m/s. Zero for what stands.
    pub velocity: Vec3,
    /// Direction of its own +Z: world.
    pub facing: Facing,
    /// Half widths along its own X and Z without the radius, in metres. 0 and above.
    pub half_m: Vec2,
    /// Radius by which it is rounded, in metres. 0 and above.
    pub radius_m: f32,
    /// Height above `position`, in metres. 0 and above.
    pub height_m: f32,
}

impl Obstacle {
    /// Returns a pillar, a tree or a person: a circle.
    pub fn circle(position: Vec3, radius_m: f32, height_m: f32) -> Self {
        Self { position, radius_m, height_m, ..Self::default() }
    }

    /// Returns a wall, a table or a car: a box. `half_m`: half widths along its own X and Z, in metres.
    pub fn cuboid(position: Vec3, half_m: Vec2, facing: Facing, height_m: f32) -> Self {
        Self { position, half_m, facing, height_m, ..Self::default() }
    }

    /// Returns the same obstacle with a velocity: world, in m/s.
    pub fn moving(self, velocity: Vec3) -> Self {
        Self { velocity, ..self }
    }

    /// Returns the first number that is not finite, larger than `largest`, or negative where it must not be; 0 for a facing without
    /// length.
    pub(crate) fn unusable(&self, largest: f32) -> Option<f32> {
        let Self { position, velocity, facing, half_m, radius_m, height_m } = *self;
        let mut any = position.to_array().into_iter().chain(velocity.to_array()).chain([facing.x, facing.z]);
        let mut sizes = half_m.to_array().into_iter().chain([radius_m, height_m]);
        let not_finite = any.find(|v| !(0.0..=largest).contains(&v.abs()));
        let points = facing.x.abs().max(facing.z.abs()) >= 1e-3;
        not_finite.or_else(|| sizes.find(|v| !(0.0..=largest).contains(v))).or((!points).then_some(0.0))
    }

    /// Returns true for a circle.
    pub(crate) fn is_round(&self) -> bool {
        self.half_m == Vec2::ZERO
    }

    /// Returns the distance of a point from its sides, negative inside, in metres, and the direction away from it: over the ground,
    /// in the space of `position`.
    pub(crate) fn side(&self, at: Vec3) -> (f32, Vec3) {
        let Facing { x, z } = self.facing;
        let away = flat(at - self.position);
        // Its own axes: X is (z, -x), Z is (x, z).
        let own = Vec2::new(away.x * z - away.z * x, away.x * x + away.z * z);
        let over = own.abs() - self.half_m;
        let outside = over.max(Vec2::ZERO);
        let length = outside.length();
        let (distance_m, normal) = if length > 0.0 {
            (length, outside / length)
        } else if over.x > over.y {
            (over.x, Vec2::X)
        } else {
            (over.y, Vec2::Y)
        };
        let normal = Vec2::new(normal.x * own.x.signum(), normal.y * own.y.signum());
        let normal = Vec3::new(normal.x * z + normal.y * x, 0.0, normal.y * z - normal.x * x);
        (distance_m - self.radius_m, normal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_of_circles_and_turned_boxes_are_where_they_look() {
        let pillar = Obstacle::circle(Vec3::new(1.0, 5.0, 0.0), 0.5, 2.0);
        assert_eq!(pillar.side(Vec3::new(3.0, 0.0, 0.0)), (1.5, Vec3::X));
        assert_eq!(pillar.side(Vec3::new(1.0, 9.0, -0.25)), (-0.25, Vec3::NEG_Z));
        // A wall of 4 m by 0.2 m that runs along Z.
        let wall = Obstacle::cuboid(Vec3::ZERO, Vec2::new(2.0, 0.1), Facing { x: 1.0, z: 0.0 }, 3.0);
        assert_eq!(wall.side(Vec3::new(1.0, 0.0, 1.9)), (0.9, Vec3::X));
        assert_eq!(wall.side(Vec3::new(-0.05, 0.0, 0.0)), (-0.05, Vec3::NEG_X));
        let (corner_m, away) = wall.side(Vec3::new(3.1, 0.0, 6.0));
        assert!((corner_m - 5.0).abs() < 1e-6 && (away - Vec3::new(0.6, 0.0, 0.8)).length() < 1e-6);
    }
}
