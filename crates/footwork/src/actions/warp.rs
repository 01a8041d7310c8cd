//! The warp of an action: where its root is at any time, in closed form.
//!
//! A contact's place in the clip and the one that was asked for give a correction: a turn about +Y and a shift that bring the one
//! onto the other. Between two contacts the correction goes over from one to the next, smoothly, and about the next contact: what is
//! to be met moves along a straight line, and what is held stays where it is.

use super::{Action, MAX_MARKS};
use crate::math::{Facing, Quat, Transform, smoothstep, wrap_angle};
use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// A position and a heading, world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Place {
    /// Metres.
    pub position: Vec3,
    /// Radians about +Y.
    pub yaw_rad: f32,
}

impl Place {
    /// Of a transform.
    pub fn of(t: Transform) -> Self {
        Self { position: t.translation, yaw_rad: Facing::from_rotation(t.rotation).yaw() }
    }
}

/// A correction: what it does to a point, and by how much it turns.
#[derive(Clone, Copy, Debug)]
struct Correction {
    /// A point of the clip.
    from: Vec3,
    /// Where it goes.
    to: Vec3,
    turn_rad: f32,
}

impl Correction {
    fn point(&self, p: Vec3) -> Vec3 {
        self.to + Quat::from_rotation_y(self.turn_rad) * (p - self.from)
    }
}

/// An action as it is warped.
#[derive(Clone, Copy, Debug)]
pub struct Warp<'a> {
    /// What plays.
    pub action: &'a Action,
    /// Time of the clip at the entry, seconds.
    pub entry_s: f32,
    /// The root of the clip at the entry.
    pub clip_root: Place,
    /// The root of the character at the entry, world.
    pub root: Place,
    /// Where the contacts are to be, world; as many as the action has marks.
    pub marks: [Place; MAX_MARKS],
}

impl Warp<'_> {
    fn entry(&self) -> Correction {
        let turn_rad = wrap_angle(self.root.yaw_rad - self.clip_root.yaw_rad);
        Correction { from: self.clip_root.position, to: self.root.position, turn_rad }
    }

    fn at_mark(&self, k: usize) -> Correction {
        let (mark, place) = (&self.action.marks[k], &self.marks[k]);
        Correction { from: mark.position, to: place.position, turn_rad: wrap_angle(place.yaw_rad - mark.yaw_rad) }
    }

    /// The correction at a time of the clip, seconds.
    fn correction(&self, time_s: f32) -> Correction {
        let (mut before, mut since_s) = (self.entry(), self.entry_s);
        for (k, mark) in self.action.marks.iter().enumerate() {
            let next = self.at_mark(k);
            if time_s < mark.start_s {
                let share =
                    |from_s: f32| smoothstep(((time_s - from_s) / (mark.start_s - from_s).max(1e-3)).clamp(0.0, 1.0));
                let (flat, up) = (share(since_s), share(mark.rises_s.max(since_s)));
                let (a, b) = (before.point(next.from), next.to);
                let to = a + (b - a) * Vec3::new(flat, up, flat);
                let turn_rad = before.turn_rad + wrap_angle(next.turn_rad - before.turn_rad) * flat;
                return Correction { from: next.from, to, turn_rad };
            }
            (before, since_s) = (next, mark.end_s);
            if time_s <= mark.end_s {
                break;
            }
        }
        before
    }

    /// The root at a time of the clip, when the clip has it at `root`.
    pub fn root_at(&self, time_s: f32, root: Transform) -> Transform {
        let c = self.correction(time_s);
        Transform::new(c.point(root.translation), (Quat::from_rotation_y(c.turn_rad) * root.rotation).renormalize())
    }

    /// Where a point of the clip that is touched at a mark is, world.
    pub fn touched(&self, mark: usize, position: Vec3) -> Vec3 {
        self.at_mark(mark).point(position)
    }

    /// What the way to a mark asks of the warp: the way by which the root at the mark is moved over the ground (metres), the turn
    /// (radians), the lift (metres).
    pub fn needs(&self, mark: usize, root_there: Vec3) -> [f32; 3] {
        let before = if mark == 0 { self.entry() } else { self.at_mark(mark - 1) };
        let next = self.at_mark(mark);
        let moved = next.point(root_there) - before.point(root_there);
        let lift = next.to.y - before.point(next.from).y;
        [Vec3::new(moved.x, 0.0, moved.z).length(), wrap_angle(next.turn_rad - before.turn_rad).abs(), lift]
    }
}
