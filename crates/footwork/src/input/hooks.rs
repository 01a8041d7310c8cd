//! What a character asks of the world around it: collisions and the ground.

use glam::Vec3;
use std::sync::atomic::{AtomicU32, Ordering};

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
    /// Largest usable distance between a point and the ground above or below it, in metres, and speed of the ground, in m/s.
    pub const LARGEST: f32 = 1e4;

    /// Returns the answer of a hook for a point. In the place of an unusable answer it is level ground at the point's own height.
    pub fn under(ground: &GroundHook, at: Vec3) -> Self {
        ground(at).usable(at).unwrap_or_else(|| Self::level(at))
    }

    /// Level ground at the height of a point.
    fn level(at: Vec3) -> Self {
        Self { height_m: at.y, ..Self::default() }
    }

    /// `None` for an answer with NaN, infinity, a normal without length, or numbers beyond [`GroundPoint::LARGEST`].
    fn usable(self, at: Vec3) -> Option<Self> {
        let within = |v: f32| v.abs() <= Self::LARGEST;
        let normal = self.normal.try_normalize().filter(|_| self.normal.abs().max_element() <= Self::LARGEST);
        let good = within(self.height_m - at.y) && self.velocity.to_array().into_iter().all(within);
        // Bits of a usable answer stay.
        normal.filter(|_| good).map(|_| self)
    }
}

/// The hooks of an input as a step uses them: unusable answers are left out and counted.
pub(crate) struct CheckedHooks<'a> {
    ground: Option<&'a GroundHook<'a>>,
    collide: Option<&'a CollisionHook<'a>>,
    unusable: AtomicU32,
}

impl<'a> CheckedHooks<'a> {
    pub fn new(ground: Option<&'a GroundHook<'a>>, collide: Option<&'a CollisionHook<'a>>) -> Self {
        Self { ground, collide, unusable: AtomicU32::new(0) }
    }

    /// The ground; level at the point's height where there is none.
    pub fn ground(&self, at: Vec3) -> GroundPoint {
        let Some(hook) = self.ground else { return GroundPoint::level(at) };
        hook(at).usable(at).unwrap_or_else(|| {
            self.unusable.fetch_add(1, Ordering::Relaxed);
            GroundPoint::level(at)
        })
    }

    /// Returns the end of a step: its own end where no wall is in between.
    pub fn collide(&self, from: Vec3, to: Vec3) -> Vec3 {
        let Some(hook) = self.collide else { return to };
        let end = hook(from, to);
        // A wall ends a step earlier, or pushes back.
        let near = (end - to).abs().max_element() <= GroundPoint::LARGEST;
        if !near {
            self.unusable.fetch_add(1, Ordering::Relaxed);
        }
        if near { end } else { to }
    }

    /// Unusable answers so far.
    pub fn unusable(&self) -> u32 {
        self.unusable.load(Ordering::Relaxed)
    }
}

impl Default for GroundPoint {
    fn default() -> Self {
        Self { height_m: 0.0, normal: Vec3::Y, velocity: Vec3::ZERO }
    }
}
