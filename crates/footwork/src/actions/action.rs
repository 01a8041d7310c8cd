//! Actions of clips: contacts, flight, and the rows from which they may be entered.

use super::place::Place;
use crate::database::TagMask;
use crate::frames::{ClipIndex, JointIndex, RowIndex};
use glam::Vec3;
use std::sync::Arc;

/// Maximum number of contacts of an action that a request places.
pub const MAX_MARKS: usize = 2;

/// Time after an entry up to which a foot stands at once, in seconds.
pub(crate) const AT_ONCE_S: f32 = 0.1;

/// Time after an entry up to which a foot lands soon, in seconds: it has to arrive at its place by then.
pub(super) const SOON_S: f32 = 0.4;

/// Shortest time before the first contact, in seconds: a shorter action is over before it is seen.
pub(super) const SHORTEST_S: f32 = 0.12;

/// The same if hands touch first, in seconds: the body must have blended in, or the arm is too short.
const HANDS_S: f32 = 0.3;

/// A joint that touches something for a while.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The joint.
    pub joint: JointIndex,
    /// Part of the body that the joint belongs to.
    pub limb: Limb,
    /// Start of the contact, in seconds of the clip.
    pub start_s: f32,
    /// End of the contact, in seconds of the clip.
    pub end_s: f32,
    /// Mean position of the joint during the contact: clip space, in metres.
    pub position: Vec3,
    /// Index of the mark that the contact belongs to; `None` if no request places it.
    pub mark: Option<usize>,
}

/// A part of the body that touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limb {
    /// A hand: 0 is the left one, 1 the right one.
    Hand(usize),
    /// A foot, by its index among the contact joints.
    Foot(usize),
    /// The hips.
    Hips,
}

/// A contact that a request places: the first touch, or the landing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// Start, in seconds of the clip: the time that a request's window names.
    pub start_s: f32,
    /// Time until which the body is held there, in seconds of the clip.
    pub end_s: f32,
    /// Time of the last contact with the ground before, in seconds of the clip: from then on, the body may be lifted.
    pub rises_s: f32,
    /// Position, as that of [`crate::input::ActionContact`]: clip space, in metres.
    pub position: Vec3,
    /// Heading of the body at the start, in radians.
    pub yaw_rad: f32,
    /// Position of the root at the start: clip space, in metres.
    pub root: Vec3,
}

/// A row from which an action may be entered.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The row.
    pub row: RowIndex,
    /// Its time, in seconds of the clip.
    pub time_s: f32,
    /// The root at that time: clip space.
    pub root: Place,
    /// Velocity of the root: clip space, in m/s.
    pub velocity: Vec3,
    /// Feet that stand at that time, or land soon after it.
    pub(crate) stands: Vec<StandingFoot>,
}

/// A foot that stands at an entry, or lands soon after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StandingFoot {
    /// Index among the contact joints.
    pub slot: usize,
    /// Position of the toe at the entry: root space, in metres.
    pub toe: Vec3,
    /// Position of the toe while it stands: root space at the entry, in metres.
    pub place: Vec3,
    /// Time until it stands, in seconds; 0 if it does.
    pub lands_in_s: f32,
    /// True if a request places the contact.
    pub is_marked: bool,
}

/// Meaning of the contacts of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// Hands, hips or feet touch the first contact.
    Touched,
    /// A flight over level ground. Both contacts are needed: take-off and landing.
    Gap,
    /// A flight over level ground. One contact is needed: the top of what is cleared.
    Over,
    /// The root comes to rest at the first contact: an arrival.
    Rests,
}

/// Times at which the phases of an action begin, in seconds of the clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phases {
    /// The body prepares. For display only.
    pub wind_up_s: f32,
    /// First contact or take-off.
    pub action_s: f32,
    /// Last contact or landing.
    pub follow_through_s: f32,
    /// The body is free to go on.
    pub recovery_s: f32,
}

/// An action, as read from the motion of a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Clip.
    pub clip: ClipIndex,
    /// True if the clip is played as its mirror image.
    pub mirrored: bool,
    /// Tags of the clip. Each is a kind of action.
    pub kinds: TagMask,
    /// Rows from which it may be entered, in order of time: those before the first mark.
    pub entries: Vec<Entry>,
    /// Phases.
    pub phases: Phases,
    /// Meaning of the contacts of a request.
    pub passes: Passes,
    /// Contacts that a request places, in order of time: 1 to [`MAX_MARKS`].
    pub marks: Vec<Mark>,
    /// All contacts, in order of time.
    pub contacts: Vec<Contact>,
    /// Take-off and landing of the longest flight, in seconds of the clip.
    pub flight_s: Option<[f32; 2]>,
    /// Height of the ground at the start and at the end: clip space, in metres.
    pub ground_m: [f32; 2],
    /// True if it ends in a contact that is held, such as a seat.
    pub holds: bool,
    /// Time of the last frame, in seconds of the clip.
    pub end_s: f32,
    /// Frames per second of `travel_m`.
    pub rate_hz: f32,
    /// `[frames]` distance over the ground that the root has covered since the first frame, in metres.
    pub travel_m: Arc<[f32]>,
}

impl Action {
    /// Returns the distance over the ground that the root has covered up to a time of the clip, in metres.
    pub fn travelled_m(&self, time_s: f32) -> f32 {
        let last = self.travel_m.len().saturating_sub(1);
        let x = (time_s * self.rate_hz).clamp(0.0, last as f32);
        let k = (x as usize).min(last.saturating_sub(1));
        let (a, b) = (self.travel_m[k], self.travel_m[(k + 1).min(last)]);
        a + (b - a) * (x - k as f32)
    }

    /// Returns true if hands touch, and the feet stay on the ground.
    pub(crate) fn is_reach(&self) -> bool {
        self.marks.len() == 1 && self.is_touched_by_hands()
    }

    /// Returns true if the first mark is touched by hands.
    pub(crate) fn is_touched_by_hands(&self) -> bool {
        let first = self.contacts.iter().find(|c| c.mark == Some(0));
        first.is_some_and(|c| matches!(c.limb, Limb::Hand(_)))
    }

    /// Returns the shortest time from an entry to the first contact, in seconds.
    pub(super) fn shortest_s(&self) -> f32 {
        if self.is_touched_by_hands() { HANDS_S } else { SHORTEST_S }
    }

    /// Returns true for an arrival.
    pub(crate) fn arrives(&self) -> bool {
        self.passes == Passes::Rests
    }

    /// Returns true if a contact of the first mark has begun at a time of the clip.
    pub(crate) fn first_mark_touches(&self, time_s: f32) -> bool {
        let feet = self.contacts.iter().filter(|c| matches!(c.limb, Limb::Foot(_)));
        feet.filter(|c| c.mark == Some(0)).any(|c| c.start_s <= time_s)
    }
}
