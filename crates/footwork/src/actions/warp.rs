//! The warp of an action: its root at any time, in closed form.
//!
//! A contact of the clip and the requested one give a correction: a turn about +Y and a shift that bring one onto the other. Between
//! two contacts, one correction goes over into the next, about the next contact. Its share follows the distance that the clip covers:
//! where the clip stands, nothing moves. The height follows the time since the last contact with the ground.

use super::action::{Action, Contact, MAX_MARKS};
use super::place::{Correction, Place};
use crate::math::{Transform, smoothstep, wrap_angle};
use glam::Vec3;

/// Distance between two contacts below which shares follow the time instead of the distance, in metres.
const STANDS_M: f32 = 1e-2;

/// Share of the next correction from which its contact is too near to be moved.
const TOO_NEAR: f32 = 0.8;

/// An action with its requested contacts.
#[derive(Clone, Copy, Debug)]
pub struct Warp<'a> {
    /// The action.
    pub action: &'a Action,
    /// Time of the clip from which it is warped, in seconds: that of the entry, or of the last change of the marks.
    pub base_s: f32,
    /// Root of the clip at that time: clip space.
    pub clip_root: Place,
    /// Root of the character at that time: world.
    pub root: Place,
    /// Requested contacts: world; as many as the action has marks.
    pub marks: [Place; MAX_MARKS],
}

impl Warp<'_> {
    /// Returns the correction at which it begins.
    pub(crate) fn base(&self) -> Correction {
        Correction::between(self.clip_root, self.root)
    }

    /// Returns the correction that brings a mark to its requested contact.
    pub(crate) fn at_mark(&self, k: usize) -> Correction {
        let mark = &self.action.marks[k];
        Correction::between(Place { position: mark.position, yaw_rad: mark.yaw_rad }, self.marks[k])
    }

    /// Returns the correction at a time of the clip, in seconds.
    pub(crate) fn correction(&self, time_s: f32) -> Correction {
        let (mut before, mut since_s) = (self.base(), self.base_s);
        for (k, mark) in self.action.marks.iter().enumerate() {
            if mark.start_s <= self.base_s {
                since_s = since_s.max(mark.end_s);
                continue;
            }
            let next = self.at_mark(k);
            if time_s < mark.start_s {
                return self.between(before, next, [since_s, mark.rises_s.max(since_s), mark.start_s], time_s);
            }
            (before, since_s) = (next, mark.end_s.max(mark.start_s));
            if time_s <= mark.end_s {
                break;
            }
        }
        before
    }

    /// Returns the shares of the next correction over the ground and in height. Times of the clip, in seconds: start of the shift, start of
    /// the lift, end of both.
    fn shares(&self, [since_s, rises_s, to_s]: [f32; 3], time_s: f32) -> [f32; 2] {
        let of_time = |from_s: f32| ((time_s - from_s) / (to_s - from_s).max(1e-3)).clamp(0.0, 1.0);
        let [from_m, now_m, to_m] = [since_s, time_s, to_s].map(|s| self.action.travelled_m(s));
        let of_travel = ((now_m - from_m) / (to_m - from_m).max(1e-3)).clamp(0.0, 1.0);
        let flat = smoothstep(if to_m - from_m > STANDS_M { of_travel } else { of_time(since_s) });
        [flat, smoothstep(of_time(rises_s))]
    }

    /// Returns the correction between two of them, with times as those of [`Warp::shares`].
    fn between(&self, before: Correction, next: Correction, times_s: [f32; 3], time_s: f32) -> Correction {
        let [flat, up] = self.shares(times_s, time_s);
        let (a, b) = (before.point(next.from), next.to);
        Correction {
            from: next.from,
            to: a + (b - a) * Vec3::new(flat, up, flat),
            turn_rad: before.turn_rad + wrap_angle(next.turn_rad - before.turn_rad) * flat,
        }
    }

    /// Returns the root at a time of the clip, in seconds. `root`: that of the clip.
    pub fn root_at(&self, time_s: f32, root: Transform) -> Transform {
        self.correction(time_s).root(root)
    }

    /// Returns the place of a joint in a contact: world, in metres. `None` for a contact that no mark has and that had begun when the
    /// warp began.
    pub fn touched(&self, contact: &Contact) -> Option<Vec3> {
        let correction = match contact.mark {
            Some(mark) => self.at_mark(mark),
            None if contact.start_s > self.base_s => self.correction(0.5 * (contact.start_s + contact.end_s)),
            None => return None,
        };
        Some(correction.point(contact.position))
    }

    /// Returns the warp with mark `k`, the next one after a time of the clip, and those behind it moved to `marks`. Where it is at that
    /// time does not change. `root_of_clip`: root of the clip at a time. `None` if the mark is too near.
    pub(crate) fn moved(
        self,
        k: usize,
        time_s: f32,
        marks: [Place; MAX_MARKS],
        root_of_clip: impl Fn(f32) -> Place,
    ) -> Option<Self> {
        let (mark, last) = (&self.action.marks[k], k.checked_sub(1).map(|k| &self.action.marks[k]));
        let now = self.correction(time_s);
        let mut moved = Self { marks, ..self };
        moved.marks[..k].copy_from_slice(&self.marks[..k]);
        let since_s = last.map_or(self.base_s, |last| self.base_s.max(last.end_s).max(last.start_s));
        if since_s >= time_s {
            return Some(moved);
        }
        // From a mark on, the base is there.
        moved.base_s = since_s;
        moved.clip_root = root_of_clip(since_s);
        let (next, [flat, up]) =
            (moved.at_mark(k), moved.shares([since_s, mark.rises_s.max(since_s), mark.start_s], time_s));
        if flat.max(up) > TOO_NEAR {
            return None;
        }
        // A base from which the correction at this time is the same.
        let (share, to) = (Vec3::new(flat, up, flat), now.point(mark.position));
        let turn_rad = now.turn_rad - wrap_angle(next.turn_rad - now.turn_rad) * (flat / (1.0 - flat));
        let base = Correction { from: mark.position, to: (to - next.to * share) / (Vec3::ONE - share), turn_rad };
        let yaw_rad = wrap_angle(moved.clip_root.yaw_rad + turn_rad);
        moved.root = Place { position: base.point(moved.clip_root.position), yaw_rad };
        Some(moved)
    }

    /// Returns what the warp has to do from a correction to that of mark `k`: shift of the contact over the ground, in metres; turn,
    /// in radians.
    pub(crate) fn needs(&self, before: Correction, k: usize) -> [f32; 2] {
        let next = self.at_mark(k);
        let moved = next.point(self.action.marks[k].root) - before.point(self.action.marks[k].root);
        [crate::math::flat(moved).length(), wrap_angle(next.turn_rad - before.turn_rad).abs()]
    }
}

#[cfg(test)]
mod tests;
