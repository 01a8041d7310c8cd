//! Hooks through which a character queries its surroundings: collisions and the ground.

use glam::Vec3;
use std::sync::atomic::{AtomicU32, Ordering};

/// Limits a predicted step: from start and end (world, metres), it returns the actual end. If the hook slides along walls, paths
/// bend along them; if it stops at walls, paths end there. It is called for steps of one frame and for look-ahead of one second.
pub type CollisionHook<'a> = dyn Fn(Vec3, Vec3) -> Vec3 + Sync + 'a;

/// Returns the ground above or below a point (world, metres).
pub type GroundHook<'a> = dyn Fn(Vec3) -> GroundPoint + Sync + 'a;

/// The ground at a point, world. Default: level ground at height 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundPoint {
    /// Height, in metres.
    pub height_m: f32,
    /// Upward unit vector.
    pub normal: Vec3,
    /// Velocity of the ground at this point, such as on a platform or a ship, in m/s. Zero for static ground.
    pub velocity: Vec3,
}

impl GroundPoint {
    /// Maximum distance between a point and the ground above or below it, in metres, and maximum speed of the ground, in m/s.
    pub const LARGEST: f32 = 1e4;

    /// Returns the ground from a hook for a point. An unusable result is replaced by level ground at the point's own height.
    pub fn under(ground: &GroundHook, at: Vec3) -> Self {
        ground(at).usable(at).unwrap_or_else(|| Self::level(at))
    }

    /// Returns the horizontal part of its velocity, in m/s.
    pub(crate) fn horizontal_velocity(self) -> Vec3 {
        self.velocity * Vec3::new(1.0, 0.0, 1.0)
    }

    /// Returns level ground at the height of a point.
    fn level(at: Vec3) -> Self {
        Self { height_m: at.y, ..Self::default() }
    }

    /// Returns `None` for a result with NaN, infinity, a normal without length, or numbers beyond [`GroundPoint::LARGEST`].
    fn usable(self, at: Vec3) -> Option<Self> {
        let within = |v: f32| v.abs() <= Self::LARGEST;
        let normal = self.normal.try_normalize().filter(|_| self.normal.abs().max_element() <= Self::LARGEST);
        let good = within(self.height_m - at.y) && self.velocity.to_array().into_iter().all(within);
        // A usable result is returned bit for bit.
        normal.filter(|_| good).map(|_| self)
    }
}

/// The hooks of an input during a step. Unusable results are replaced and counted.
pub(crate) struct CheckedHooks<'a> {
    ground: Option<&'a GroundHook<'a>>,
    collide: Option<&'a CollisionHook<'a>>,
    unusable: AtomicU32,
}

impl<'a> CheckedHooks<'a> {
    pub fn new(ground: Option<&'a GroundHook<'a>>, collide: Option<&'a CollisionHook<'a>>) -> Self {
        Self { ground, collide, unusable: AtomicU32::new(0) }
    }

    /// Returns the ground at a point; level ground at the point's height without a hook.
    pub fn ground(&self, at: Vec3) -> GroundPoint {
        let Some(hook) = self.ground else { return GroundPoint::level(at) };
        hook(at).usable(at).unwrap_or_else(|| {
            self.unusable.fetch_add(1, Ordering::Relaxed);
            GroundPoint::level(at)
        })
    }

    /// Returns the end of a step after collision; `to` if no wall is in between.
    pub fn collide(&self, from: Vec3, to: Vec3) -> Vec3 {
        let Some(hook) = self.collide else { return to };
        let end = hook(from, to);
        // A wall shortens the step or pushes back.
        let near = (end - to).abs().max_element() <= GroundPoint::LARGEST;
        if !near {
            self.unusable.fetch_add(1, Ordering::Relaxed);
        }
        if near { end } else { to }
    }

    /// Returns the number of unusable results so far.
    pub fn unusable(&self) -> u32 {
        self.unusable.load(Ordering::Relaxed)
    }
}

impl Default for GroundPoint {
    fn default() -> Self {
        Self { height_m: 0.0, normal: Vec3::Y, velocity: Vec3::ZERO }
    }
}
