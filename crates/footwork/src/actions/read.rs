//! Reading of actions: what rests against the world is a contact, what leaves the ground flies.
//!
//! Contacts that the clip names are taken as they are. Feet touch where the database labels them. Hands touch where they dwell away
//! from the standing body. Hips sit where they dwell low, to the end of the clip or from its start.

use super::action::{Action, Contact, Entry, Limb, MAX_MARKS, Mark, Passes, Phases, SOON_S, StandingFoot};
use super::part::parts;
use super::place::Place;
use super::rest::{CONTACT_S, LEVEL_M, Rest, flights, hands, plants, seat};
use super::track::{Track, runs};
use crate::database::{Database, TagMask};
use crate::frames::{ClipIndex, RowIndex};
use crate::math::flat;
use glam::Vec3;
use std::ops::Range;
use std::sync::Arc;

/// Hands that touch within this time touch together, in seconds.
const TOGETHER_S: f32 = 0.2;
/// Feet that are set down, or leave, within this time do so together, in seconds.
const STEP_S: f32 = 0.1;
/// Distance along the path within which a foot has to clear something, in metres.
const NEAR_M: f32 = 0.12;
/// Height of a foot's joint over what it clears, in metres.
const CLEAR_M: f32 = 0.08;
/// Longest time before a contact in which a body on the ground is lifted, in seconds.
const RISE_S: f32 = 0.4;
/// Time after the last contact at which an action is over, in seconds.
const OUT_S: f32 = 0.15;
/// Change of the hips' height at which the wind-up begins, in metres.
const WIND_UP_M: f32 = 0.02;
/// Change of the root's speed ahead at which the wind-up begins, in m/s.
const WIND_UP_MPS: f32 = 0.4;
/// First part of a clip, in seconds.
const FIRST_S: f32 = 0.35;

/// The joints that make a mark.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Made {
    /// Hands that touch between these frames.
    Hands { from: usize, until: usize },
    /// The hips.
    Hips,
    /// Feet that are set down, or that leave, between these frames.
    Feet { from: usize, until: usize, leave: bool },
    /// Nothing: something is passed over.
    Nothing,
}

/// Returns the actions of a clip, in order of time: none if nothing is touched or jumped, two for a flight over level ground.
pub fn actions(db: &Database, clip: ClipIndex, mirrored: bool) -> Vec<Action> {
    let track = Track::of(db, clip, mirrored);
    if track.frames() < track.frames_of(0.5) || track.feet.is_empty() {
        return Vec::new();
    }
    let travel_m = track.travel_m();
    parts(&track).iter().flat_map(|part| of_part(db, (clip, mirrored), &track.cut(part), &travel_m)).collect()
}

/// Returns the actions of a part of a clip.
fn of_part(db: &Database, clip: (ClipIndex, bool), track: &Track, travel_m: &Arc<[f32]>) -> Vec<Action> {
    let reading = Reading::of(track);
    let readings = [reading.marks(), reading.clears().map(|marks| (Passes::Over, marks))];
    let action = |(passes, marks): (Passes, Vec<(Mark, Made)>)| {
        let contacts = reading.contacts(&marks);
        let marks: Vec<Mark> = marks.into_iter().map(|(mark, _)| mark).collect();
        let entries = entries(db, clip, track, &contacts, marks.first()?.start_s);
        let end_s = track.time_s(track.frames() - 1);
        let found = Action {
            clip: clip.0,
            mirrored: clip.1,
            kinds: kinds(db, clip.0, track),
            entries,
            phases: reading.phases(&marks),
            passes,
            holds: marks[marks.len() - 1].end_s >= end_s - OUT_S,
            marks,
            contacts,
            flight_s: reading.flight.as_ref().map(|f| [track.time_s(f.start), track.time_s(f.end)]),
            ground_m: reading.ground_m,
            end_s,
            rate_hz: track.rate_hz,
            travel_m: travel_m.clone(),
        };
        (!found.entries.is_empty()).then_some(found)
    };
    readings.into_iter().flatten().filter_map(action).collect()
}

/// Returns the tags of the rows of a track.
fn kinds(db: &Database, clip: ClipIndex, track: &Track) -> TagMask {
    rows(db, clip, track).fold(TagMask::default(), |all, row| all | *db.row_tags(row))
}

/// Returns the rows of a track.
fn rows(db: &Database, clip: ClipIndex, track: &Track) -> impl Iterator<Item = usize> {
    let clip = &db.clips[clip.at()];
    let first = clip.frame_range().start + track.first;
    let frames = first..first + track.frames();
    clip.row_range().filter(move |row| frames.contains(&db.row_frames[*row].at()))
}

/// Returns the rows of a track before a time, with these contacts.
pub(super) fn entries(
    db: &Database,
    clip: (ClipIndex, bool),
    track: &Track,
    contacts: &[Contact],
    until_s: f32,
) -> Vec<Entry> {
    let (view, start) = (db.view(clip.0, clip.1), db.clips[clip.0.at()].frame_range().start + track.first);
    let entry = |row: usize| {
        let row = RowIndex::new(row);
        let at_s = db.row_time_s(row);
        let ((root, along, _), time_s) = (view.root(at_s), at_s as f32);
        let frame = db.row_frames[row.at()].at() - start;
        let stands = contacts.iter().filter_map(|c| match c.limb {
            Limb::Foot(slot) if c.start_s <= time_s + SOON_S && time_s < c.end_s => {
                let toe = track.root[frame].inverse_point(track.feet[slot].at[frame]);
                let (place, lands_in_s) = (track.root[frame].inverse_point(c.position), (c.start_s - time_s).max(0.0));
                Some(StandingFoot { slot, toe, place, lands_in_s, is_marked: c.mark.is_some() })
            }
            _ => None,
        });
        Entry { row, time_s, root: Place::of(root), velocity: root.rotation * along, stands: stands.collect() }
    };
    rows(db, clip.0, track).map(entry).filter(|e| e.time_s < until_s).collect()
}

/// A clip, and what was found in it.
struct Reading<'a> {
    track: &'a Track,
    /// Feet on the ground, in order of time.
    plants: Vec<Rest>,
    /// Hands that touch, in order of time.
    hands: Vec<Rest>,
    seat: Option<(Range<usize>, Vec3)>,
    flight: Option<Range<usize>>,
    ground_m: [f32; 2],
}

impl<'a> Reading<'a> {
    fn of(track: &'a Track) -> Self {
        let (plants, hands) = (plants(track), hands(track));
        let ground_m = [track.root[0].translation.y, track.root[track.frames() - 1].translation.y];
        let flight = flights(track, &plants, &hands).into_iter().max_by_key(Range::len);
        Self { track, seat: seat(track), flight, plants, hands, ground_m }
    }

    /// Returns the mark of a contact in a range of frames. The body may be lifted from the frame `rises` on.
    fn mark(&self, frames: Range<usize>, position: Vec3, rises: usize) -> Mark {
        let t = self.track;
        Mark {
            start_s: t.time_s(frames.start),
            end_s: t.time_s(frames.end.max(frames.start)),
            rises_s: t.time_s(rises),
            position,
            yaw_rad: t.yaw_rad[frames.start],
            root: t.root[frames.start].translation,
        }
    }

    /// Returns the last frame before `from` with a foot on the ground, or [`RISE_S`] before if one stands then.
    fn rises(&self, from: usize) -> usize {
        let last = self.plants.iter().filter(|p| p.frames.start < from).map(|p| p.frames.end.min(from)).max();
        let stands = self.plants.iter().any(|p| p.frames.contains(&from));
        if stands { from.saturating_sub(self.track.frames_of(RISE_S)) } else { last.unwrap_or(0) }
    }

    /// Returns the middle of the ground under feet.
    fn middle<'p>(&self, of: impl Iterator<Item = &'p Rest> + Clone) -> Vec3 {
        of.clone().map(|p| p.ground(self.track)).sum::<Vec3>() / of.count().max(1) as f32
    }

    /// Returns the mark of the first foot that is set down from a frame on.
    fn landing(&self, after: usize) -> Option<(Mark, Made)> {
        let first = self.plants.iter().find(|p| p.frames.start >= after)?;
        Some(self.down(first, self.track.frames_of(CONTACT_S)))
    }

    /// Returns the mark of a foot and those that are set down with it, held for so many frames.
    fn down(&self, first: &Rest, held: usize) -> (Mark, Made) {
        let from = first.frames.start;
        let until = from + self.track.frames_of(STEP_S);
        let with = self.plants.iter().filter(|p| (from..until).contains(&p.frames.start));
        let mark = self.mark(from..first.frames.end.min(from + held), self.middle(with), self.rises(from));
        (mark, Made::Feet { from, until, leave: false })
    }

    /// Returns true if no foot is on the ground for a while from a frame on.
    fn leaves_ground(&self, from: usize) -> bool {
        let t = self.track;
        let stands = |f: usize| self.plants.iter().any(|p| p.frames.contains(&f));
        let first = from.saturating_sub(t.frames_of(STEP_S));
        !runs(t.frames() - first, t.frames_of(TOGETHER_S), |f| !stands(first + f)).is_empty()
    }

    /// Returns the contacts that a request places, and their meaning.
    fn marks(&self) -> Option<(Passes, Vec<(Mark, Made)>)> {
        let rises = (self.ground_m[1] - self.ground_m[0]).abs() > LEVEL_M;
        let mut marks = if let Some((frames, at)) = &self.seat {
            vec![self.seat_mark(frames, *at)]
        } else if let Some(first) = self.hands.first() {
            self.hand_marks(first)
        } else if let Some(flight) = &self.flight {
            self.flight_marks(flight)?
        } else if rises {
            let gone =
                |p: &&Rest| (p.ground(self.track).y - self.ground_m[0]) / (self.ground_m[1] - self.ground_m[0]) > 0.5;
            vec![self.down(self.plants.iter().find(gone)?, self.track.frames_of(RISE_S))]
        } else {
            return None;
        };
        apart(&mut marks);
        let gap = marks.iter().any(|(_, made)| matches!(made, Made::Feet { leave: true, .. })) && !rises;
        Some((if gap { Passes::Gap } else { Passes::Touched }, marks))
    }

    /// Returns the mark of a seat: its begin, or for one from which the body gets up its end.
    fn seat_mark(&self, frames: &Range<usize>, at: Vec3) -> (Mark, Made) {
        let frames = if frames.start == 0 { frames.end - 1..frames.end - 1 } else { frames.clone() };
        let rises = frames.start.saturating_sub(self.track.frames_of(RISE_S));
        (self.mark(frames, at, rises), Made::Hips)
    }

    /// Returns the mark of the hands that touch first, and that of the landing if the body leaves the ground.
    fn hand_marks(&self, first: &Rest) -> Vec<(Mark, Made)> {
        let from = first.frames.start;
        let together = from + self.track.frames_of(TOGETHER_S);
        let with: Vec<&Rest> = self.hands.iter().filter(|h| h.frames.start <= together).collect();
        let at = with.iter().map(|h| h.at).sum::<Vec3>() / with.len().max(1) as f32;
        let until = with.iter().map(|h| h.frames.end).max().unwrap_or(first.frames.end);
        let made = Made::Hands { from, until: together + 1 };
        let mut marks = vec![(self.mark(from..until, at, self.rises(from)), made)];
        marks.extend(self.landing(from + 1).filter(|_| self.leaves_ground(from)));
        marks
    }

    /// Returns the marks of take-off and landing.
    fn flight_marks(&self, flight: &Range<usize>) -> Option<Vec<(Mark, Made)>> {
        let t = self.track;
        let before = self.plants.iter().filter(|p| p.frames.start < flight.start);
        let last = before.max_by_key(|p| (p.frames.end, p.limb))?;
        let end = last.frames.end;
        let begin = last.frames.start.max(end.saturating_sub(t.frames_of(RISE_S)));
        let (leave, until) = (end.saturating_sub(t.frames_of(STEP_S)), end + 1);
        let with = self.plants.iter().filter(|p| (leave..until).contains(&p.frames.end));
        let take_off = self.mark(begin..end, self.middle(with), begin);
        let mut marks = vec![(take_off, Made::Feet { from: leave, until, leave: true })];
        marks.extend(self.landing(flight.end.saturating_sub(1)));
        Some(marks)
    }

    /// Returns the marks of a flight over level ground without hands: the top of what both feet clear, and the landing.
    fn clears(&self) -> Option<Vec<(Mark, Made)>> {
        let t = self.track;
        let flight = self.flight.as_ref().filter(|_| self.hands.is_empty() && self.seat.is_none())?;
        if (self.ground_m[1] - self.ground_m[0]).abs() > LEVEL_M {
            return None;
        }
        let (begin, end) = (t.root[flight.start].translation, t.root[flight.end].translation);
        let (ahead, length_m) = ((end - begin).normalize_or_zero(), (end - begin).length());
        // Lowest height of any foot near a point of the path.
        let height = |at_m: f32| {
            let near = |p: &&Vec3| ((**p - begin).dot(ahead) - at_m).abs() < NEAR_M;
            let low = t.feet.iter().flat_map(|way| way.at[flight.clone()].iter().filter(near)).map(|p| p.y);
            low.fold(f32::MAX, f32::min)
        };
        let at_m = |share: usize| length_m * share as f32 * 0.1;
        let share = (2..=8).max_by(|a, b| height(at_m(*a)).total_cmp(&height(at_m(*b))))?;
        let high_m = height(at_m(share)) - self.ground_m[0] - CLEAR_M;
        if !(high_m > LEVEL_M && high_m < 10.0) {
            return None;
        }
        let top = flight.start + (flight.len() * share) / 10;
        let over = begin + ahead * at_m(share);
        let position = Vec3::new(over.x, self.ground_m[0] + high_m, over.z);
        let mut marks = vec![(self.mark(top..top, position, flight.start), Made::Nothing)];
        marks.push(self.landing(flight.end.saturating_sub(1))?);
        apart(&mut marks);
        Some(marks)
    }

    /// Returns all contacts, with the marks that they belong to.
    fn contacts(&self, marks: &[(Mark, Made)]) -> Vec<Contact> {
        let t = self.track;
        let marked = |of: &dyn Fn(Made) -> bool| marks.iter().position(|(_, made)| of(*made));
        let contact = |joint, limb, rest: &Rest, mark| {
            let (start_s, end_s) = (t.time_s(rest.frames.start), t.time_s(rest.frames.end - 1));
            Contact { joint, limb, start_s, end_s, position: rest.at, mark }
        };
        let mut all = Vec::new();
        for touch in &self.hands {
            let Some(way) = &t.hands[touch.limb] else { continue };
            let begins =
                |made| matches!(made, Made::Hands { from, until } if (from..until).contains(&touch.frames.start));
            all.push(contact(way.joint, Limb::Hand(touch.limb), touch, marked(&begins)));
        }
        if let (Some((frames, at)), Some(way)) = (&self.seat, &t.hips) {
            let rest = Rest { limb: 0, frames: frames.clone(), at: *at };
            all.push(contact(way.joint, Limb::Hips, &rest, marked(&|made| made == Made::Hips)));
        }
        for plant in &self.plants {
            let made = |made| match made {
                Made::Feet { from, until, leave } => {
                    (from..until).contains(if leave { &plant.frames.end } else { &plant.frames.start })
                }
                _ => false,
            };
            all.push(contact(t.feet[plant.limb].joint, Limb::Foot(plant.limb), plant, marked(&made)));
        }
        all.sort_by(|a, b| a.start_s.total_cmp(&b.start_s));
        all
    }

    fn phases(&self, marks: &[Mark]) -> Phases {
        let t = self.track;
        let last_s = t.time_s(t.frames() - 1);
        let (first, last) = (&marks[0], &marks[marks.len() - 1]);
        let take_off_s = self.flight.as_ref().map(|flight| t.time_s(flight.start));
        let take_off_s = take_off_s.filter(|s| *s < first.start_s || self.hands.is_empty());
        let action_s = take_off_s.unwrap_or(first.start_s).min(last_s);
        let held_s = self.hands.iter().map(|h| t.time_s(h.frames.end)).filter(|s| *s < last_s - OUT_S);
        let follow_through_s = last.start_s.max(action_s);
        let recovery_s = (last.end_s.max(held_s.fold(0.0, f32::max)) + OUT_S).min(last_s);
        Phases { wind_up_s: self.wind_up_s(action_s), action_s, follow_through_s, recovery_s }
    }

    /// Returns the time at which the body begins to differ from its first part for good, in the height of its hips or in its speed ahead.
    fn wind_up_s(&self, action_s: f32) -> f32 {
        let t = self.track;
        let until = t.frame_at(action_s);
        let first = t.frames_of(FIRST_S).min(until / 2).max(1);
        let height_m = |f: usize| t.hips.as_ref().map_or(0.0, |hips| hips.at[f].y - t.root[f].translation.y);
        let ahead_mps = |f: usize| {
            let (from, to) = (f.saturating_sub(1), (f + 1).min(t.frames() - 1));
            let way = flat(t.root[to].translation - t.root[from].translation);
            (t.root[f].rotation * Vec3::Z).dot(way) * t.rate_hz / (to - from).max(1) as f32
        };
        let kept: [(&dyn Fn(usize) -> f32, f32); 2] = [(&height_m, WIND_UP_M), (&ahead_mps, WIND_UP_MPS)];
        let begins = kept.map(|(value, most)| {
            let (low, high) = (0..first).map(value).fold((f32::MAX, f32::MIN), |(l, h), v| (l.min(v), h.max(v)));
            let usual = |f: &usize| (low - most..=high + most).contains(&value(*f));
            (0..until).rev().find(usual).map_or(0, |f| f + 1)
        });
        t.time_s(begins[0].min(begins[1])).min(action_s)
    }
}

/// Ends each mark before the next begins, and keeps [`MAX_MARKS`] of them.
fn apart(marks: &mut Vec<(Mark, Made)>) {
    marks.truncate(MAX_MARKS);
    for k in 1..marks.len() {
        let next_s = marks[k].0.rises_s.max(marks[k - 1].0.start_s);
        marks[k - 1].0.end_s = marks[k - 1].0.end_s.min(next_s);
    }
}
