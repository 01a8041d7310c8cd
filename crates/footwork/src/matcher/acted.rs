//! A character's memory of its action. It consists of floats in the character's state.

use super::playing::Playing;
use crate::actions::{AT_ONCE_S, Action, ActionConfig, Actions, Contact, Limb, MAX_MARKS, Place, Warp};
use crate::database::Database;
use crate::input::GroundPoint;
use crate::math::Transform;
use bytemuck::{Pod, Zeroable};
use glam::{Vec2, Vec3, Vec3Swizzles};

/// Maximum time by which a memory is ahead of its character, in seconds: a control tick.
const AHEAD_S: f64 = 1.0 / 60.0;
/// Speeds in a memory are lower, in m/s.
const FASTEST_MPS: f32 = 1e3;
/// Range of play rates in a memory.
const RATES: std::ops::RangeInclusive<f32> = 0.05..=20.0;

/// Memory of an action and of a request. All zeros: neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Acted {
    /// [`NONE`], [`PLAYS`] or [`LEAVES`].
    pub stage: f32,
    /// Index of the action.
    pub action: f32,
    /// Number of the request that it answers.
    pub id: f32,
    /// Play rate before the first contact.
    pub rate: f32,
    /// Number of contacts that were reported.
    pub reported: f32,
    /// Time of the character at the base of the warp, in seconds: the sum of both.
    pub base_at_s: [f32; 2],
    /// Time of the clip at the base of the warp, in seconds.
    pub base_s: f32,
    /// Time of the clip that is held while the action is left, in seconds.
    pub held_s: f32,
    /// The root at the base of the warp: world.
    pub root: Place,
    /// Requested contacts: world.
    pub marks: [Place; MAX_MARKS],
    /// Height of the ground at the entry: world, in metres.
    pub level_m: f32,
    /// 1 if the next choice must not continue the action's clip.
    pub over: f32,
    /// 1 + number of the last request; 0 before the first.
    pub request: f32,
    /// 1 while that request waits to be entered.
    pub waits: f32,
    /// Cost of entering at the last control tick; [`NEVER`] if it was impossible.
    pub cost: f32,
    /// Index of the action that had it.
    pub fits: f32,
    /// Time of the character at which the request came, in seconds: the sum of both.
    pub asked_s: [f32; 2],
    /// Time of the clip at the entry, in seconds.
    pub entry_s: f32,
    /// `[feet]` toes at the entry: world, on the ground, in metres.
    pub toes: [[f32; 2]; STANDING],
    /// `[feet]` 1 for a foot that was held at the entry.
    pub stood: [f32; STANDING],
    /// 1 while the character goes to its action by itself, 2 while it steps back from it.
    pub goes: f32,
    /// 1 while an arrival plays at the entry of the action that the request waits for.
    pub on_way: f32,
    /// Velocity (world, in m/s) and heading while it goes.
    pub way: Place,
}

/// Distance from the end of an action within which its character stands on the same ground, in metres.
const LEDGE_M: f32 = 0.4;
/// Depth from which ground near an edge counts as below it, in metres.
const EDGE_M: f32 = 0.3;

/// Number of feet whose places are kept from the entry on.
pub(crate) const STANDING: usize = 4;

/// Number of floats of the memory.
pub(crate) const ACTED_WIDTH: usize = size_of::<Acted>() / size_of::<f32>();

/// No action plays.
pub(crate) const NONE: f32 = 0.0;
/// An action plays.
pub(crate) const PLAYS: f32 = 1.0;
/// The last pose of an action is let go of.
pub(crate) const LEAVES: f32 = 2.0;
/// Cost of an entry that is impossible.
pub(crate) const NEVER: f32 = 1e6;

/// Returns a time as the sum of two floats.
pub(crate) fn split_s(time_s: f64) -> [f32; 2] {
    let high = time_s as f32;
    [high, (time_s - f64::from(high)) as f32]
}

fn sum_s([high, low]: [f32; 2]) -> f64 {
    f64::from(high) + f64::from(low)
}

impl Acted {
    /// Returns the memory at the begin of a director's memory, and the rest.
    pub fn split(memory: &[f32]) -> (&Self, &[f32]) {
        let (own, rest) = memory.split_at(ACTED_WIDTH);
        (bytemuck::from_bytes(bytemuck::cast_slice(own)), rest)
    }

    /// Returns the memory at the begin of a director's memory.
    pub fn of_mut(memory: &mut [f32]) -> &mut Self {
        bytemuck::from_bytes_mut(bytemuck::cast_slice_mut(&mut memory[..ACTED_WIDTH]))
    }

    /// Returns true if a request was noticed.
    pub fn answers(&self, id: u16) -> bool {
        self.request == f32::from(id) + 1.0
    }

    /// Returns true while a request waits for a lower cost of an action that fits.
    pub fn is_near(&self) -> bool {
        self.waits > 0.0 && self.cost < NEVER
    }

    /// Returns true from the entry of an action, or of an arrival on the way to it, to its exit.
    pub fn plays(&self) -> bool {
        self.stage >= PLAYS
    }

    /// Returns true from the entry of the requested action to its exit.
    pub fn acts(&self) -> bool {
        self.plays() && self.on_way == 0.0
    }

    /// Returns the time of the character at the base of the warp, in seconds.
    pub fn base_at_s(&self) -> f64 {
        sum_s(self.base_at_s)
    }

    /// Returns the time of the character at which the request came, in seconds.
    pub fn asked_s(&self) -> f64 {
        sum_s(self.asked_s)
    }

    /// Returns the time of the clip at a time of the character, both in seconds.
    pub fn clip_s(&self, action: &Action, now_s: f64) -> f64 {
        if self.stage == LEAVES {
            return f64::from(self.held_s);
        }
        let (base_s, first_s) = (f64::from(self.base_s), f64::from(action.marks[0].start_s));
        let (gone_s, rate) = ((now_s - self.base_at_s()).max(0.0), f64::from(self.rate));
        let until_s = ((first_s - base_s) / rate).max(0.0);
        let clip_s = if gone_s < until_s { base_s + gone_s * rate } else { base_s.max(first_s) + (gone_s - until_s) };
        clip_s.min(f64::from(action.end_s))
    }

    /// Returns the time of the character at a time of the clip, both in seconds.
    pub fn time_s(&self, action: &Action, clip_s: f32) -> f64 {
        let [base_s, first_s, clip_s] = [self.base_s, action.marks[0].start_s, clip_s].map(f64::from);
        let before = (clip_s.min(first_s) - base_s).max(0.0) / f64::from(self.rate);
        self.base_at_s() + before + (clip_s - first_s.max(base_s)).max(0.0)
    }

    /// Returns the play rate at a time of the clip.
    pub fn rate_at(&self, action: &Action, clip_s: f64) -> f32 {
        if self.stage == LEAVES || clip_s >= f64::from(action.end_s) {
            return 0.0;
        }
        if clip_s < f64::from(action.marks[0].start_s) { self.rate } else { 1.0 }
    }

    /// Returns the warp of the action.
    pub fn warp<'a>(&self, db: &Database, action: &'a Action) -> Warp<'a> {
        let clip_root = Place::of(db.view(action.clip, action.mirrored).root(f64::from(self.base_s)).0);
        Warp { action, base_s: self.base_s, clip_root, root: self.root, marks: self.marks }
    }

    /// Returns where a foot stays that stood at the entry: world, on the ground, in metres. `None` for other contacts.
    pub fn stands(&self, contact: &Contact) -> Option<Vec2> {
        let Limb::Foot(slot) = contact.limb else { return None };
        let toe = self.toes.get(slot).filter(|_| self.stood[slot] > 0.0 && contact.mark.is_none())?;
        let at_entry = contact.start_s <= self.entry_s + AT_ONCE_S && contact.end_s > self.entry_s;
        at_entry.then_some(Vec2::from_array(*toe))
    }

    /// Returns this memory with the contacts that are still ahead moved to `marks`. `None` if nothing changes, or if the limits of the
    /// warp do not allow it.
    pub fn with_marks(
        &self,
        db: &Database,
        (action, marks): (&Action, [Place; MAX_MARKS]),
        now_s: f64,
        config: &ActionConfig,
    ) -> Option<Self> {
        let clip_s = self.clip_s(action, now_s) as f32;
        let k = action.marks.iter().position(|mark| mark.start_s > clip_s)?;
        if marks[k..] == self.marks[k..] {
            return None;
        }
        let root_of_clip = |s: f32| Place::of(db.view(action.clip, action.mirrored).root(f64::from(s)).0);
        let warp = self.warp(db, action);
        let moved = warp.moved(k, clip_s, marks, root_of_clip)?;
        let clip_root = root_of_clip(clip_s);
        let root = Place::of(warp.root_at(clip_s, clip_root.transform()));
        let from_now = Warp { base_s: clip_s, clip_root, root, ..moved };
        let seconds = (self.time_s(action, action.marks[k].start_s) - now_s) as f32;
        let base_at_s = split_s(self.time_s(action, moved.base_s));
        let base = Self { base_s: moved.base_s, base_at_s, root: moved.root, marks: moved.marks, ..*self };
        config.may_move(&from_now, k, seconds).then_some(base)
    }

    /// Notes the root at the end of an action.
    pub fn ends_at(&mut self, root: Transform) {
        (self.stage, self.root, self.level_m) = (NONE, Place::of(root), root.translation.y);
    }

    /// Returns the height on which a character stands that has just ended an action at an edge, such as a climb: world, in metres. `None`
    /// for one that has gone on.
    pub fn ledge_m(&self, root: Vec3) -> Option<f32> {
        let off = root - self.root.position;
        // Only an action that was entered has a play rate.
        let is_there = self.stage == NONE && self.rate > 0.0 && off.xz().length() < LEDGE_M && off.y.abs() < LEDGE_M;
        is_there.then_some(self.level_m)
    }

    /// Returns the ground for a body at `root` that stands at an edge, or waits there for its action: what is far below is not walked on.
    pub fn at_edge(&self, root: Vec3, under_root: GroundPoint, at: GroundPoint) -> GroundPoint {
        let waits = (self.waits > 0.0).then_some(under_root.height_m);
        match self.ledge_m(root).or(waits) {
            Some(level_m) if at.height_m < level_m - EDGE_M => GroundPoint { height_m: level_m, normal: Vec3::Y, ..at },
            _ => at,
        }
    }

    /// Returns this memory after the character was moved by `by`.
    pub fn moved(&self, by: Transform) -> Self {
        let marks = self.marks.map(|mark| mark.moved(by));
        let toes = self.toes.map(|[x, z]| by.point(Vec3::new(x, 0.0, z)).xz().to_array());
        Self { toes, root: self.root.moved(by), marks, level_m: self.level_m + by.translation.y, ..*self }
    }

    /// Returns false for a memory that no control tick can leave.
    pub fn is_usable(&self, actions: &Actions, playing: &Playing, now_s: f64) -> bool {
        let whole = |v: f32, below: usize| v >= 0.0 && v < below as f32 && v.fract() == 0.0;
        let past = |s: [f32; 2]| (0.0..=now_s + AHEAD_S).contains(&sum_s(s));
        let request = whole(self.request, (1 << 16) + 1)
            && whole(self.waits, 2)
            && whole(self.fits, actions.all().len().max(1))
            && whole(self.over, 2)
            && whole(self.goes, 3)
            && whole(self.on_way, 2);
        let way =
            self.way.position.is_finite() && self.way.yaw_rad.is_finite() && self.way.position.length() < FASTEST_MPS;
        if !request || !way || !whole(self.stage, 3) || !past(self.asked_s) {
            return false;
        }
        if self.stage == NONE {
            return true;
        }
        if !past(self.base_at_s) || !whole(self.action, actions.all().len()) {
            return false;
        }
        let action = &actions.all()[self.action as usize];
        whole(self.reported, MAX_MARKS + 1)
            && whole(self.id, 1 << 16)
            && RATES.contains(&self.rate)
            && (action.clip, action.mirrored) == (playing.clip, playing.mirrored)
            && self.stood.iter().all(|stood| whole(*stood, 2))
            && self.toes.iter().flatten().all(|x| x.is_finite())
            && (0.0..=action.end_s).contains(&self.entry_s)
            && (0.0..=action.end_s).contains(&self.held_s)
            && (0.0..=action.end_s).contains(&self.base_s)
    }
}
