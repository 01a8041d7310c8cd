//! Settings with all stages enabled, and an input that exercises each of them.

use super::random_stick;
use footwork::adjust::orientation_warp::OrientationWarpConfig;
use footwork::adjust::stride_warp::StrideWarpConfig;
use footwork::advanced::math::{cos, sin};
use footwork::input::HandTarget;
use footwork::input::{GroundHook, GroundPoint, MotionInput, Obstacle, Obstacles};
use footwork::matcher::MatcherConfig;
use footwork::math::Quat;
use glam::{Vec2, Vec3};

/// Returns settings with every stage enabled.
pub fn all_on() -> MatcherConfig {
    MatcherConfig {
        orientation_warp: OrientationWarpConfig { enabled: true, ..OrientationWarpConfig::default() },
        stride_warp: StrideWarpConfig { enabled: true, ..StrideWarpConfig::default() },
        ..MatcherConfig::default()
    }
}

/// Smooth bumps up to 16 cm apart in height.
pub fn hill(at: Vec3) -> GroundPoint {
    let (x, z) = (1.7 * at.x, 2.3 * at.z);
    let height = |x: f32, z: f32| 0.08 * sin(x + 0.9) * cos(z);
    let e = 1e-2;
    let normal = Vec3::new(
        -(height(x + e, z) - height(x - e, z)) / (2.0 * e) * 1.7,
        1.0,
        -(height(x, z + e) - height(x, z - e)) / (2.0 * e) * 2.3,
    );
    GroundPoint { height_m: height(x, z), normal: normal.normalize(), ..Default::default() }
}

/// Obstacles around the start: pillars, and a wall.
const OBSTACLES: [Obstacle; 4] = {
    let pillar = Obstacle {
        position: Vec3::new(1.0, -0.5, 1.0),
        velocity: Vec3::ZERO,
        facing: footwork::math::Facing::FORWARD,
        half_m: Vec2::ZERO,
        radius_m: 0.3,
        height_m: 2.0,
    };
    let wall = Obstacle { position: Vec3::new(0.0, -0.5, -1.2), half_m: Vec2::new(2.0, 0.1), radius_m: 0.0, ..pillar };
    let beside = Obstacle { position: Vec3::new(-0.8, -0.5, 0.5), ..pillar };
    [pillar, beside, Obstacle { position: Vec3::new(2.0, -0.5, -0.5), ..pillar }, wall]
};

/// Returns an input for every stage: a random stick, hills, obstacles, a look-at target, and a hand target from time to time.
pub fn everything<'a>(time_s: f64, ground: &'a GroundHook<'a>) -> MotionInput<'a> {
    let second = ((time_s + 1e-4) as u64) % 4;
    let hand = HandTarget { position: Vec3::new(0.3, 1.3, 0.5), rotation: Some(Quat::from_rotation_y(0.4)) };
    MotionInput {
        ground: Some(ground),
        obstacles: Obstacles::new(&OBSTACLES),
        look_at: (second > 0).then_some(Vec3::new(2.0, 1.5, 3.0)),
        hands: [(second == 1).then_some(hand), (second == 2).then_some(HandTarget { rotation: None, ..hand })],
        ..random_stick(21, time_s)
    }
}
