//! What a character asks of the world around it: collisions and the ground.

use glam::Vec3;

/// Limits a predicted step: from, to (world, metres) -> where it really ends. Paths bend along the walls of a hook that slides
/// along them, and end at those of one that stops where it hits. Asked for steps of a frame and for looks of a second ahead.
pub type CollisionHook<'a> = dyn Fn(Vec3, Vec3) -> Vec3 + Sync + 'a;

/// The ground above or below a point (world, metres).
pub type GroundHook<'a> = dyn Fn(Vec3) -> GroundPoint + Sync + 'a;

/// The ground at a point, world. The default is level ground at height 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundPoint {
    /// Metres.
    pub height_m: f32,
    /// Upwards; a unit vector.
    pub normal: Vec3,
    /// How the ground itself moves there, m/s: a platform, a ship. Zero where it rests.
    pub velocity: Vec3,
}

impl GroundPoint {
    /// What a hook says of a point. Where it says nothing that is a number there is level ground at the point's own height.
    pub fn under(ground: &GroundHook, at: Vec3) -> Self {
        let p = ground(at);
        let finite = p.height_m.is_finite() && p.normal.is_finite() && p.velocity.is_finite();
        if finite { p } else { Self { height_m: at.y, ..Self::default() } }
    }
}

impl Default for GroundPoint {
    fn default() -> Self {
        Self { height_m: 0.0, normal: Vec3::Y, velocity: Vec3::ZERO }
    }
}
