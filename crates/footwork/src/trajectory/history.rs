//! Past path of the root: a ring of samples at fixed times, so that past features do not depend on the frame rate.

use crate::math::{Facing, Transform};
use crate::schema::TrajectorySample;
use glam::Vec3;

/// Seconds between samples.
pub const STEP_S: f32 = 1.0 / 30.0;
/// Floats per sample: x, y, z, and the facing's x, z.
pub const WIDTH: usize = 5;

/// Returns the number of samples needed to look back by `back_s` (0 without past features).
pub fn capacity(back_s: f32) -> usize {
    if back_s <= 0.0 { 0 } else { (back_s / STEP_S).ceil() as usize + 2 }
}

/// A view of the ring inside the state's block: `samples` is `[capacity x WIDTH]`, `count` the number of samples ever written.
#[derive(Debug)]
pub struct History<'a> {
    /// Samples of the ring.
    pub samples: &'a mut [f32],
    /// Samples written so far: sample k was taken at k times [`STEP_S`].
    pub count: &'a mut u64,
}

impl History<'_> {
    fn capacity(&self) -> usize {
        self.samples.len() / WIDTH
    }

    /// Writes the samples between two updates: the character was at `a` at time `from_s` and is at `b` at `to_s`.
    pub fn record(&mut self, a: Transform, b: Transform, from_s: f64, to_s: f64) {
        let capacity = self.capacity();
        if capacity == 0 {
            return;
        }
        loop {
            let due_s = *self.count as f64 * f64::from(STEP_S);
            if due_s > to_s + 1e-9 {
                return;
            }
            let span = to_s - from_s;
            let t = if span > 0.0 { ((due_s - from_s) / span).clamp(0.0, 1.0) as f32 } else { 1.0 };
            let p = a.translation + (b.translation - a.translation) * t;
            let (fa, fb) = (Facing::from_rotation(a.rotation), Facing::from_rotation(b.rotation));
            let f = fa.turned(fa.angle_to(fb) * t);
            let at = (*self.count % capacity as u64) as usize * WIDTH;
            self.samples[at..at + WIDTH].copy_from_slice(&[p.x, p.y, p.z, f.x, f.z]);
            *self.count += 1;
        }
    }

    /// Returns the root `back_s` (> 0) seconds before `now_s`, relative to the current root. Before the oldest sample, the root
    /// is at the oldest sample.
    pub fn look_back(&self, now: Transform, now_s: f64, back_s: f32) -> TrajectorySample {
        let x = (now_s - f64::from(back_s)) / f64::from(STEP_S);
        let Some(newest) = self.count.checked_sub(1).filter(|_| self.capacity() > 0) else {
            return TrajectorySample::default();
        };
        let oldest = self.count.saturating_sub(self.capacity() as u64);
        let x = x.clamp(oldest as f64, newest as f64);
        let i = x as u64;
        let ((p0, f0), (p1, f1)) = (self.at(i), self.at((i + 1).min(newest)));
        let t = (x - i as f64) as f32;
        let position = now.inverse_point(p0 + (p1 - p0) * t);
        let facing = Facing::from_direction(now.inverse_direction(f0.turned(f0.angle_to(f1) * t).direction()));
        let velocity = now.inverse_direction((p1 - p0) / STEP_S);
        TrajectorySample { position, facing: facing.unwrap_or_default(), velocity }
    }

    fn at(&self, index: u64) -> (Vec3, Facing) {
        let at = (index % self.capacity() as u64) as usize * WIDTH;
        let v = &self.samples[at..at + WIDTH];
        (Vec3::new(v[0], v[1], v[2]), Facing { x: v[3], z: v[4] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;

    fn walked(dt: f64) -> TrajectorySample {
        let (mut samples, mut count) = (vec![0.0; capacity(0.7) * WIDTH], 0);
        let at = |t: f64| Transform::new(Vec3::Z * (1.5 * t as f32), Quat::from_rotation_y(0.3 * t as f32));
        let mut t = 0.0;
        while t < 2.0 - 1e-9 {
            let next = t + dt;
            History { samples: &mut samples, count: &mut count }.record(at(t), at(next), t, next);
            t = next;
        }
        History { samples: &mut samples, count: &mut count }.look_back(at(2.0), 2.0, 0.7)
    }

    #[test]
    fn the_past_is_the_same_at_any_frame_rate() {
        let a = walked(1.0 / 30.0);
        let expected = Quat::from_rotation_y(-0.6) * (Vec3::Z * -1.05);
        assert!((a.position - expected).length() < 1e-3, "{} {expected}", a.position);
        assert!((a.facing.yaw() + 0.21).abs() < 1e-3);
        for dt in [1.0 / 60.0, 1.0 / 144.0, 0.25] {
            let b = walked(dt);
            assert!((a.position - b.position).length() < 2e-3 && a.facing.angle_to(b.facing).abs() < 1e-3);
        }
    }

    #[test]
    fn before_its_first_sample_it_stood_there() {
        let (mut samples, mut count) = (vec![0.0; capacity(0.7) * WIDTH], 0);
        let here = Transform::new(Vec3::X * 3.0, Quat::IDENTITY);
        let mut h = History { samples: &mut samples, count: &mut count };
        h.record(here, here, 0.0, 0.0);
        assert_eq!(h.look_back(here, 0.0, 0.7).position, Vec3::ZERO);
    }
}
