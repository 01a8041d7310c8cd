//! What a character remembers of an action: floats of its state.

use super::playing::Playing;
use crate::actions::{Action, Actions, MAX_MARKS, Place, Warp};
use crate::math::{Facing, Transform, wrap_angle};
use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// A memory may be ahead of the character by this much, seconds: a control tick.
const AHEAD_S: f64 = 1.0 / 60.0;

/// What is remembered of an action. All zeros is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Acting {
    /// [`NONE`], [`APPROACHES`], [`PLAYS`] or [`LEAVES`].
    pub stage: f32,
    /// Which action, by its place in the table, and from which of its entries.
    pub action: f32,
    pub entry: f32,
    /// Play rate up to the first contact.
    pub rate: f32,
    /// The request that was answered last, 16 bits each.
    pub request: [f32; 4],
    /// When the stage began, seconds since the start, as a sum.
    pub since_s: [f32; 2],
    /// The root at the entry, world.
    pub root: Place,
    /// Where the contacts are to be, world.
    pub marks: [Place; MAX_MARKS],
    /// How it is approached, world, m/s.
    pub velocity: Vec3,
    pub facing: [f32; 2],
    /// What entering would have cost at the last tick; [`NEVER`] where it was not possible.
    pub cost: f32,
    /// Contacts that were reported.
    pub reported: f32,
    /// Time of the clip that is held while the action is left, seconds.
    pub held_s: f32,
}

/// Floats in a state.
pub const ACTING_WIDTH: usize = size_of::<Acting>() / size_of::<f32>();

pub const NONE: f32 = 0.0;
pub const APPROACHES: f32 = 1.0;
pub const PLAYS: f32 = 2.0;
/// The last pose is let go of.
pub const LEAVES: f32 = 3.0;
/// A cost beyond all others.
pub const NEVER: f32 = 1e6;
impl Acting {
    pub fn since_s(&self) -> f64 {
        f64::from(self.since_s[0]) + f64::from(self.since_s[1])
    }

    pub fn begin(&mut self, stage: f32, now_s: f64) {
        self.stage = stage;
        self.since_s[0] = now_s as f32;
        self.since_s[1] = (now_s - f64::from(self.since_s[0])) as f32;
    }

    pub fn plays(&self) -> bool {
        self.stage >= PLAYS
    }

    /// The time of the clip at a time of the character.
    pub fn clip_s(&self, action: &Action, now_s: f64) -> f64 {
        if self.stage == LEAVES {
            return f64::from(self.held_s);
        }
        let (entry_s, first_s) =
            (f64::from(action.entries[self.entry as usize].time_s), f64::from(action.marks[0].start_s));
        let (gone_s, rate) = (now_s - self.since_s(), f64::from(self.rate));
        let until_s = (first_s - entry_s) / rate;
        let clip_s = if gone_s < until_s { entry_s + gone_s * rate } else { first_s + (gone_s - until_s) };
        clip_s.min(f64::from(action.end_s))
    }

    /// The same, seen after the character was put elsewhere by `by`, a turn about +Y and a shift.
    pub fn moved(&self, by: Transform) -> Self {
        let turn = Facing::from_rotation(by.rotation).yaw();
        let place = |p: Place| Place { position: by.point(p.position), yaw_rad: wrap_angle(p.yaw_rad + turn) };
        let towards = by.direction(Vec3::new(self.facing[0], 0.0, self.facing[1]));
        Self {
            root: place(self.root),
            marks: self.marks.map(place),
            velocity: by.direction(self.velocity),
            facing: [towards.x, towards.z],
            ..*self
        }
    }

    /// When a time of the clip is reached, the character's time.
    pub fn time_s(&self, action: &Action, clip_s: f32) -> f64 {
        let (entry_s, first_s) = (action.entries[self.entry as usize].time_s, action.marks[0].start_s);
        let before = f64::from(clip_s.min(first_s) - entry_s) / f64::from(self.rate);
        self.since_s() + before + f64::from((clip_s - first_s).max(0.0))
    }

    pub fn warp<'a>(&self, action: &'a Action) -> Warp<'a> {
        crate::actions::warp(action, self.entry as usize, self.root, self.marks)
    }

    /// False where no tick leaves such a memory.
    pub fn is_usable(&self, actions: &Actions, playing: &Playing, now_s: f64) -> bool {
        let whole = |v: f32, below: usize| v >= 0.0 && v < below as f32 && v.fract() == 0.0;
        let stage = whole(self.stage, 4);
        let request = self.request.iter().all(|v| whole(*v, 1 << 16));
        if !stage || !request || self.stage == NONE {
            return stage && request;
        }
        let facing = (self.facing[0] * self.facing[0] + self.facing[1] * self.facing[1]).sqrt();
        let since = self.since_s() <= now_s + AHEAD_S && self.since_s() >= 0.0;
        if self.stage == APPROACHES {
            return since && (facing - 1.0).abs() < 1e-2;
        }
        let actions = actions.all();
        if !since || !whole(self.action, actions.len()) {
            return false;
        }
        let action = &actions[self.action as usize];
        whole(self.entry, action.entries.len())
            && (0.05..=20.0).contains(&self.rate)
            && (action.clip, action.mirrored) == (playing.clip, playing.mirrored)
            && (0.0..=action.end_s).contains(&self.held_s)
    }
}
