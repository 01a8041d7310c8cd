//! Actions with contacts: what a clip does, read from its motion alone; the search for the one that fits a request; its warp.
//!
//! Every clip with the tag `no_locomotion` is read once, when a character is made ([`Actions::of`]): phases, contacts, flight.
//! A request ([`crate::input::ActionRequest`]) is answered by one search over all clips of its kind, all entry rows and their warps
//! ([`Actions::plan`]), or refused with what the nearest candidate misses ([`Refusal`]).

mod config;
mod infer;
mod plan;
mod refusal;
mod track;
mod warp;

pub use config::ActionConfig;
pub(crate) use plan::warp;
pub use plan::{Plan, Situation};
pub use refusal::{Refusal, RefusalReason};
pub use warp::{Place, Warp};

use crate::database::{Database, NameError, TagMask};
use crate::frames::{ClipIndex, JointIndex, RowIndex};
use crate::input::ActionKind;
use glam::Vec3;

/// The contacts of an action that a request can place, at most.
pub const MAX_MARKS: usize = 2;

/// A joint that touches something for a while.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Which joint.
    pub joint: JointIndex,
    /// What kind of joint.
    pub limb: Limb,
    /// From when, seconds of the clip.
    pub start_s: f32,
    /// Until when.
    pub end_s: f32,
    /// Where the joint is meanwhile, in the space of the clip, metres.
    pub position: Vec3,
    /// The mark that it belongs to, if a request places it.
    pub mark: Option<usize>,
}

/// What touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limb {
    /// A hand: 0 left, 1 right.
    Hand(usize),
    /// A foot, by its place among the contact joints.
    Foot(usize),
    /// The hips.
    Hips,
}

/// A contact that a request places: the first touch, or the landing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// When it begins, seconds of the clip.
    pub start_s: f32,
    /// Until when the body is held there.
    pub end_s: f32,
    /// From when on the body may be lifted to it: the last moment on the ground before.
    pub rises_s: f32,
    /// Where it is, in the space of the clip, metres: as [`crate::input::ActionContact::position`].
    pub position: Vec3,
    /// Where the body faces there, radians.
    pub yaw_rad: f32,
    /// Where the root is when it begins, in the space of the clip, metres.
    pub root: Vec3,
}

/// A row from which an action may be entered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// The row.
    pub row: RowIndex,
    /// Its time, seconds of the clip.
    pub time_s: f32,
    /// The root then, in the space of the clip.
    pub root: Place,
    /// Its velocity, in the space of the clip, m/s.
    pub velocity: Vec3,
}

/// What the contacts of a request mean to an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// The first is touched by hands, hips or feet.
    Touched,
    /// A way through the air: where it leaves the ground and where it lands, both given.
    Gap,
    /// A way through the air: one contact, the top of what is cleared.
    Over,
}

/// When the phases of an action begin, seconds of the clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phases {
    /// The body prepares.
    pub wind_up_s: f32,
    /// First contact or take-off.
    pub action_s: f32,
    /// The last contact or landing.
    pub follow_through_s: f32,
    /// The body is free to go on.
    pub recovery_s: f32,
}

/// What a clip does.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Clip.
    pub clip: ClipIndex,
    /// Seen in a mirror.
    pub mirrored: bool,
    /// The tags of the clip: each of them names it.
    pub kinds: TagMask,
    /// The rows from which it may be entered, by time.
    pub entries: Vec<Entry>,
    /// Phases.
    pub phases: Phases,
    /// What the contacts of a request mean.
    pub passes: Passes,
    /// Contacts that a request places, at most [`MAX_MARKS`].
    pub marks: Vec<Mark>,
    /// All contacts, by time.
    pub contacts: Vec<Contact>,
    /// Take-off and landing of the longest flight, seconds of the clip.
    pub flight_s: Option<[f32; 2]>,
    /// How high the ground is at the start and at the end, metres.
    pub ground_m: [f32; 2],
    /// It ends in a contact, which is held: a seat.
    pub holds: bool,
    /// The end of the clip, seconds.
    pub end_s: f32,
}

/// The actions of a database.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Actions {
    all: Vec<Action>,
}

impl Database {
    /// The kind of action that a tag names, for [`crate::input::ActionRequest`].
    ///
    /// # Errors
    /// Returns [`NameError`] with the nearest name if the database has no such tag.
    pub fn action_kind(&self, tag: &str) -> Result<ActionKind, NameError> {
        let tag = self.tag_mask(tag)?.iter().next().unwrap_or(0);
        Ok(ActionKind(tag as u16))
    }
}

impl Actions {
    /// Reads all clips with the tag [`Database::NO_LOCOMOTION`] in which something is touched or jumped.
    pub fn of(db: &Database) -> Self {
        let Ok(apart) = db.tag_mask(Database::NO_LOCOMOTION) else { return Self::default() };
        let mut all = Vec::new();
        for c in 0..db.clips.len() {
            let rows = db.clips[c].row_range();
            let kinds = rows.clone().fold(TagMask::default(), |all, row| all | *db.row_tags(row));
            if rows.is_empty() || db.clips[c].looping() || !kinds.contains(&apart) {
                continue;
            }
            let clip = ClipIndex::new(c);
            all.extend(infer::actions(db, clip, db.clips[c].mirrored, kinds));
            if db.mirror == crate::database::MirrorMode::Query {
                all.extend(infer::actions(db, clip, true, kinds));
            }
        }
        Self { all }
    }

    /// All of them, by clip.
    pub fn all(&self) -> &[Action] {
        &self.all
    }

    /// True where there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Those of a kind, with their places.
    pub fn of_kind(&self, kind: ActionKind) -> impl Iterator<Item = (usize, &Action)> {
        let tag = usize::from(kind.0);
        let known = tag < Database::MAX_TAGS;
        self.all.iter().enumerate().filter(move |(_, a)| known && a.kinds.has(tag))
    }
}
