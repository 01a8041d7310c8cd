//! Keys of a track, and the values between them.

use crate::math::Quat;
use glam::Vec3;

/// Frames of a segment; the last one of a run may have fewer.
pub const SEGMENT: usize = 32;

/// The keys of a segment, in order: the frames of the stride, and those that have no later neighbour to follow from.
#[derive(Clone)]
pub struct Keys {
    /// First frame of the segment, a key.
    pub first: usize,
    /// First frame after it.
    pub end: usize,
    /// Frames of the run.
    pub frames: usize,
    /// Binary logarithm of the frames from key to key.
    pub stride_log2: u8,
}

impl Iterator for Keys {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let key = self.first;
        if key >= self.end {
            return None;
        }
        self.first = ((key >> self.stride_log2) + 1) << self.stride_log2;
        if self.first >= self.frames {
            // A frame follows from those as far before and after it as its number can be halved.
            let lacks = |f: &usize| f + (1 << f.trailing_zeros()) >= self.frames;
            self.first = (key + 1..self.end).find(lacks).unwrap_or(self.end);
        }
        Some(key)
    }
}

/// Returns the middle of a cubic through four values (Catmull-Rom), of a parabola where one is missing, or of a line.
pub fn midpoint(before: Option<Vec3>, a: Vec3, b: Vec3, after: Option<Vec3>) -> Vec3 {
    match (before, after) {
        (Some(before), Some(after)) => (a + b) * 0.5625 - (before + after) * 0.0625,
        (Some(before), None) => a * 0.75 + b * 0.375 - before * 0.125,
        (None, Some(after)) => b * 0.75 + a * 0.375 - after * 0.125,
        (None, None) => (a + b) * 0.5,
    }
}

/// As [`midpoint`], by components in the hemisphere of `a`.
pub fn midpoint_rotation(before: Option<Quat>, a: Quat, b: Quat, after: Option<Quat>) -> Quat {
    let near = |q: Quat| q.towards(a);
    let (before, b, after) = (before.map(near), near(b), after.map(near));
    let sum = |ka: f32, kb: f32| {
        Quat::from_xyzw(a.x * ka + b.x * kb, a.y * ka + b.y * kb, a.z * ka + b.z * kb, a.w * ka + b.w * kb)
    };
    let less = |q: Quat, o: Quat, k: f32| Quat::from_xyzw(q.x - o.x * k, q.y - o.y * k, q.z - o.z * k, q.w - o.w * k);
    let q = match (before, after) {
        (Some(before), Some(after)) => less(less(sum(0.5625, 0.5625), before, 0.0625), after, 0.0625),
        (Some(before), None) => less(sum(0.75, 0.375), before, 0.125),
        (None, Some(after)) => less(sum(0.375, 0.75), after, 0.125),
        (None, None) => sum(0.5, 0.5),
    };
    q.normalize()
}
