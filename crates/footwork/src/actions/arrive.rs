//! Reading of arrivals: stretches of locomotion at whose end the root rests. They are actions with one mark, the root at rest.

use super::action::{Action, Contact, Entry, Limb, Mark, Passes, Phases, SHORTEST_S};
use super::config::ActionConfig;
use super::place::Place;
use super::read::entries;
use super::rest::plants;
use super::track::{Track, runs};
use crate::database::{Database, TagMask};
use crate::frames::ClipIndex;
use crate::math::{Quat, flat, wrap_angle};
use glam::{Vec2, Vec3, Vec3Swizzles};
use std::ops::Range;
use std::sync::Arc;

/// A root below this speed rests, in m/s.
const REST_MPS: f32 = 0.05;
/// A root below this turn rate rests, in radians per second.
const REST_RADPS: f32 = 0.1;
/// Shortest rest at the end of a clip, in seconds.
const REST_S: f32 = 0.25;
/// Shortest rest in the midst of a clip, in seconds: a character that has arrived must not leave with its clip.
const PAUSE_S: f32 = 0.8;
/// Time in which a root that rests has settled, in seconds.
const SETTLES_S: f32 = 0.25;
/// Distance and angle from its place at rest within which the root has arrived: metres, radians.
const ARRIVED: [f32; 2] = [0.01, 0.0175];
/// Longest way that is read, in seconds.
const WAY_S: f32 = 2.5;
/// Time at rest before the way that is read with it, in seconds.
const STANDS_S: f32 = 0.3;
/// Difference in height that counts as level, in metres.
const LEVEL_M: f32 = 0.03;
/// Bound of the rounding errors of bounds, in metres.
const ROUNDING_M: f32 = 1e-3;
/// Distance of a foot from the root: a turn moves the feet by this much per radian, in metres.
pub(super) const FOOT_M: f32 = 0.3;

/// Returns the arrivals of a clip.
pub fn arrivals(db: &Database, clip: ClipIndex, mirrored: bool) -> Vec<Action> {
    let view = db.view(clip, mirrored);
    let time_s = |frame: usize| frame as f64 / f64::from(view.rate_hz);
    let rests = |frame: usize| {
        let (_, along, turn) = view.root(time_s(frame));
        flat(along).length() < REST_MPS && turn.y.abs() < REST_RADPS
    };
    let frames_of = |seconds: f32| (seconds * view.rate_hz).round() as usize;
    let mut rests = runs(view.frames, frames_of(REST_S), rests);
    rests.retain(|rest| rest.end + 1 >= view.frames || rest.len() >= frames_of(PAUSE_S));
    if rests.is_empty() {
        return Vec::new();
    }
    let track = Track::of(db, clip, mirrored);
    let travel_m: Arc<[f32]> = travel_m(&track).into();
    let mut since = 0;
    let arrival = |rest: &Range<usize>| {
        let from = std::mem::replace(&mut since, rest.end.saturating_sub(track.frames_of(STANDS_S)));
        arrival(db, (clip, mirrored), &track, from..rest.end, rest.start, travel_m.clone())
    };
    rests.iter().filter_map(arrival).collect()
}

/// Returns `[frames]` the distance that the feet have covered, in metres: that of the root, and that of its turns.
fn travel_m(track: &Track) -> Vec<f32> {
    let mut turned_m = 0.0;
    let turns = track.travel_m();
    let sum = turns.iter().enumerate().map(|(f, way_m)| {
        turned_m += FOOT_M * wrap_angle(track.yaw_rad[f] - track.yaw_rad[f.saturating_sub(1)]).abs();
        way_m + turned_m
    });
    sum.collect()
}

/// Returns the arrival at the rest that begins at a frame and ends with `frames`; `None` if nothing leads to it on level ground.
fn arrival(
    db: &Database,
    clip: (ClipIndex, bool),
    track: &Track,
    frames: Range<usize>,
    rest: usize,
    travel_m: Arc<[f32]>,
) -> Option<Action> {
    let settled = (rest + track.frames_of(SETTLES_S)).min(frames.end - 1);
    let place = |f: usize| Place { position: track.root[f].translation, yaw_rad: track.yaw_rad[f] };
    let at = place(settled);
    let arrived = |f: &usize| {
        let (way_m, turn_rad) =
            (flat(track.root[*f].translation - at.position).length(), track.yaw_rad[*f] - at.yaw_rad);
        way_m < ARRIVED[0] && wrap_angle(turn_rad).abs() < ARRIVED[1]
    };
    let start = (frames.start..=settled).rev().take_while(arrived).last().unwrap_or(settled);
    // A clip that begins at rest leads there from its first frame.
    let start = if start == frames.start { settled } else { start };
    let level = |f: &usize| (track.root[*f].translation.y - at.position.y).abs() < LEVEL_M;
    let from = start.saturating_sub(track.frames_of(WAY_S)).max(frames.start);
    let from = (from..start).rev().take_while(level).last()?;
    let [from_s, start_s, end_s] = [from, start, frames.end - 1].map(|f| track.time_s(f));
    let contacts: Vec<Contact> = plants(track)
        .into_iter()
        .filter(|p| p.frames.end > from && p.frames.start < frames.end)
        .map(|p| Contact {
            joint: track.feet[p.limb].joint,
            limb: Limb::Foot(p.limb),
            start_s: track.time_s(p.frames.start),
            end_s: track.time_s(p.frames.end - 1),
            position: p.at,
            mark: None,
        })
        .collect();
    let mut entries = entries(db, clip, track, &contacts, start_s);
    entries.retain(|e| (from_s..=start_s - SHORTEST_S).contains(&e.time_s));
    let mark = Mark { start_s, end_s, rises_s: from_s, position: at.position, yaw_rad: at.yaw_rad, root: at.position };
    let recovery_s = track.time_s(settled);
    let ground_m = [at.position.y; 2];
    let found = Action {
        clip: clip.0,
        mirrored: clip.1,
        kinds: TagMask::default(),
        phases: Phases { wind_up_s: from_s, action_s: start_s, follow_through_s: start_s, recovery_s },
        passes: Passes::Rests,
        marks: vec![mark],
        contacts,
        flight_s: None,
        ground_m,
        holds: false,
        end_s: track.time_s(track.frames() - 1),
        rate_hz: track.rate_hz,
        travel_m,
        entries,
    };
    (!found.entries.is_empty()).then_some(found)
}

/// Bounds of the ways of an arrival from its entries to the rest: root space of the entries, on the ground, in metres.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ways {
    low: Vec2,
    high: Vec2,
    /// Longest way that the feet cover.
    travel_m: f32,
    /// `[entries]` way of the root, and of the feet.
    entries: Vec<(Vec2, f32)>,
}

impl Ways {
    pub fn of(action: &Action) -> Self {
        let mark = &action.marks[0];
        let to_m = action.travelled_m(mark.start_s);
        let way = |e: &Entry| (way(e.root, mark.position), to_m - action.travelled_m(e.time_s));
        let entries: Vec<(Vec2, f32)> = action.entries.iter().map(way).collect();
        let low = entries.iter().fold(Vec2::MAX, |low, (way, _)| low.min(*way));
        let high = entries.iter().fold(Vec2::MIN, |high, (way, _)| high.max(*way));
        let travel_m = entries.iter().fold(0.0, |most: f32, (_, m)| most.max(*m));
        Self { low, high, travel_m, entries }
    }

    /// Returns a factor by which every entry exceeds the limit of the shift at least, for a rest at `to` as seen from the root.
    pub fn misses(&self, to: Vec2, config: &ActionConfig) -> f32 {
        least_factor(to - to.clamp(self.low, self.high), self.travel_m, config)
    }

    /// The same for one entry.
    pub fn entry_misses(&self, entry: usize, to: Vec2, config: &ActionConfig) -> f32 {
        let (way, travel_m) = self.entries[entry];
        least_factor(to - way, travel_m, config)
    }
}

fn least_factor(off: Vec2, travel_m: f32, config: &ActionConfig) -> f32 {
    (off.length() - ROUNDING_M) / (config.slide * travel_m + config.slide_m + ROUNDING_M)
}

/// Returns a point as seen from a place: on the ground, in the axes of the place, in metres.
pub(super) fn way(from: Place, to: Vec3) -> Vec2 {
    (Quat::from_rotation_y(-from.yaw_rad) * (to - from.position)).xz()
}
