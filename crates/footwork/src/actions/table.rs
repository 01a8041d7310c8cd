//! The actions of a database.

use super::action::Action;
use super::arrive::Ways;
use super::config::ActionConfig;
use super::place::{Correction, Place};
use super::refusal::{Miss, RefusalReason};
use super::sweep::{Body, THROUGH_M};
use super::warp::Warp;
use super::{arrive, read};
use crate::database::{Database, MirrorMode, NameError, TagMask};
use crate::frames::ClipIndex;
use crate::input::{ActionKind, ActionRequest};

/// The actions of a database, read from the motion of its clips. Immutable.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Actions {
    all: Vec<Action>,
    /// The last of all are arrivals. Their bounds.
    ways: Vec<Ways>,
    /// Highest speed from which the root comes to rest, in m/s.
    pub(super) fastest_mps: f32,
    /// Bodies of the others, for sweeps.
    bodies: Vec<Body>,
}

impl Database {
    /// Returns the kind of action that a tag names.
    ///
    /// # Errors
    /// Returns [`NameError`] with the nearest name if the database has no such tag.
    pub fn action_kind(&self, tag: &str) -> Result<ActionKind, NameError> {
        let tag = self.tag_mask(tag)?.iter().next().unwrap_or(0);
        Ok(ActionKind(tag as u16))
    }
}

impl Actions {
    /// No actions.
    pub(crate) const NONE: Self = Self { all: Vec::new(), ways: Vec::new(), fastest_mps: 0.0, bodies: Vec::new() };

    /// Reads all clips that do not loop, at least in parts with the tag [`Database::NO_LOCOMOTION`]. Allocates.
    pub fn of(db: &Database) -> Self {
        let Ok(apart) = db.tag_mask(Database::NO_LOCOMOTION) else { return Self::default() };
        let mut all = Vec::new();
        for (c, clip) in db.clips.iter().enumerate() {
            let is_apart = |row| db.row_tags(row).contains(&apart);
            if clip.looping() || !clip.row_range().any(is_apart) {
                continue;
            }
            let index = ClipIndex::new(c);
            all.extend(read::actions(db, index, clip.mirrored));
            if db.mirror == MirrorMode::Query {
                all.extend(read::actions(db, index, true));
            }
        }
        all.retain(|action| action.kinds.contains(&apart));
        let bodies = all.iter().map(|action| Body::of(db, action)).collect();
        Self { all, bodies, ..Self::NONE }
    }

    /// Returns these and the arrivals of the clips of locomotion: the ways on level ground at whose end the root rests. Allocates.
    pub(crate) fn with_arrivals(mut self, db: &Database) -> Self {
        let apart = db.tag_mask(Database::NO_LOCOMOTION).unwrap_or_default();
        for (c, clip) in db.clips.iter().enumerate() {
            let is_apart = |row| !apart.is_empty() && db.row_tags(row).contains(&apart);
            if clip.row_range().is_empty() || clip.looping() || clip.row_range().any(is_apart) {
                continue;
            }
            let index = ClipIndex::new(c);
            self.all.extend(arrive::arrivals(db, index, clip.mirrored));
            if db.mirror == MirrorMode::Query {
                self.all.extend(arrive::arrivals(db, index, true));
            }
        }
        self.ways = self.all.iter().filter(|a| a.arrives()).map(Ways::of).collect();
        let entries = self.all.iter().filter(|a| a.arrives()).flat_map(|a| &a.entries);
        self.fastest_mps = entries.map(|e| e.velocity.length()).fold(0.0, f32::max);
        self
    }

    /// Returns the bounds of an arrival.
    pub(super) fn ways(&self, k: usize) -> &Ways {
        &self.ways[k + self.ways.len() - self.all.len()]
    }

    /// Returns all of them, in the order of their clips.
    pub fn all(&self) -> &[Action] {
        &self.all
    }

    /// Returns what a body misses that goes through the block of a request. Allocates nothing.
    ///
    /// # Errors
    /// Returns the depth as a miss.
    pub(super) fn clears(&self, k: usize, warp: &Warp, request: &ActionRequest) -> Result<(), Miss> {
        // Arrivals are not swept.
        let swept = request.block.as_ref().zip(self.bodies.get(k));
        let depth_m = swept.map_or(0.0, |(block, body)| body.depth_m(warp, block));
        let reason = RefusalReason::Blocked { depth_m, limit_m: THROUGH_M };
        // A take that fits but for the block is nearer than one of another height.
        if depth_m > THROUGH_M { Err((1.0 + depth_m - THROUGH_M, reason)) } else { Ok(()) }
    }

    /// Returns the cost of an action that is the same for every entry; its first entry is that of the warp. The body is swept as if it
    /// entered where the first contact needs no shift. Allocates nothing.
    ///
    /// # Errors
    /// Returns what is missed.
    pub(super) fn fixed(
        &self,
        config: &ActionConfig,
        k: usize,
        first: &Warp,
        request: &ActionRequest,
    ) -> Result<f32, Miss> {
        let cost = config.fixed(first, request)?;
        if request.block.is_some() {
            let at: Correction = first.at_mark(0);
            let yaw_rad = first.clip_root.yaw_rad + at.turn_rad;
            let root = Place { position: at.point(first.clip_root.position), yaw_rad };
            self.clears(k, &Warp { root, ..*first }, request)?;
        }
        Ok(cost)
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns those of a kind, with their indices in [`Actions::all`].
    pub fn of_kind(&self, kind: ActionKind) -> impl Iterator<Item = (usize, &Action)> {
        self.all.iter().enumerate().filter(move |(_, a)| is_of(a, kind))
    }

    /// Returns those of the kinds of a request, with their indices in [`Actions::all`].
    pub(crate) fn of_request<'a>(
        &'a self,
        request: &ActionRequest,
    ) -> impl Iterator<Item = (usize, &'a Action)> + use<'a> {
        let kinds = request.kinds;
        let is_one = move |a: &Action| kinds.iter().flatten().any(|kind| is_of(a, *kind));
        self.all.iter().enumerate().filter(move |(_, a)| is_one(a))
    }
}

fn is_of(action: &Action, kind: ActionKind) -> bool {
    if action.arrives() {
        return kind == ActionKind::ARRIVAL;
    }
    let tag = usize::from(kind.0);
    tag < TagMask::CAPACITY && action.kinds.has(tag)
}
