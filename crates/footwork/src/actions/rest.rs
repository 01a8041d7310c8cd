//! Stretches of a track in which feet, hands or hips rest against the world, and in which nothing does.

use super::track::{Track, Way, runs};
use crate::math::flat;
use glam::Vec3;
use std::ops::Range;

/// Shortest contact, in seconds.
pub(super) const CONTACT_S: f32 = 0.07;
/// Shortest contact of a hand, in seconds.
const HAND_S: f32 = 0.18;
/// Way of a shoulder past a hand that bears the body, in metres.
const PASSES_M: f32 = 0.1;
/// Mean distance (root of the mean square) from its mean position of a hand that holds on to something while the body stands, in metres.
const STIRS_M: f32 = 0.003;
/// Height of the hips on a seat, as a share of their height at the standing body.
const SEAT: f32 = 0.75;
/// Distance over the ground from the toes to hips that need a seat, in metres. A crouched body balances over its feet.
const SEAT_BEHIND_M: f32 = 0.3;
/// Shortest time on a seat, in seconds.
const SEAT_S: f32 = 0.2;
/// Seats reach from the first frame or to the last one within this time, in seconds.
const AT_END_S: f32 = 0.05;
/// Shorter flights are those of a run, in seconds.
const FLIGHT_S: f32 = 0.22;

/// Height of the lower foot over the ground in the middle of a flight, in metres. Feet are lower in the flights of a run.
const OFF_M: f32 = 0.1;
/// Height by which the hips rise in a flight over the line from take-off to landing, in metres: that of a body in free fall over
/// [`FLIGHT_S`], `9.81 t^2 / 8`. A foot of a run that is labelled too late looks like a flight.
const RISE_M: f32 = 0.06;
/// Difference in height of two grounds, in metres.
pub(super) const LEVEL_M: f32 = 0.1;

/// A stretch of frames in which a joint rests.
#[derive(Clone, Debug)]
pub(super) struct Rest {
    pub limb: usize,
    pub frames: Range<usize>,
    pub at: Vec3,
}

impl Rest {
    /// Returns the point of the ground under a foot: clip space, in metres.
    pub fn ground(&self, track: &Track) -> Vec3 {
        self.at - Vec3::Y * track.foot_m[self.limb]
    }
}

/// Returns the stretches in which feet are labelled as touching, in order of time.
pub fn plants(track: &Track) -> Vec<Rest> {
    let mut all = Vec::new();
    for (limb, (way, touches)) in track.feet.iter().zip(&track.touches).enumerate() {
        let read = || runs(track.frames(), track.frames_of(CONTACT_S), |f| touches[f]);
        let runs = track.named(way.joint).map_or_else(read, <[_]>::to_vec);
        all.extend(runs.into_iter().map(|frames| Rest { limb, at: way.rest(&frames), frames }));
    }
    all.sort_by_key(|p| (p.frames.start, p.limb));
    all
}

/// Returns the stretches in which hands dwell away from the standing body, in order of time.
pub fn hands(track: &Track) -> Vec<Rest> {
    let least = track.frames_of(CONTACT_S) + 1;
    let mut all: Vec<Rest> = Vec::new();
    for (limb, way) in track.hands.iter().enumerate() {
        let Some(way) = way else { continue };
        if let Some(named) = track.named(way.joint) {
            all.extend(named.iter().map(|frames| Rest { limb, frames: frames.clone(), at: way.rest(frames) }));
            continue;
        }
        let mut dwells = way.dwells(least, track.rate_hz, |f| track.is_away(limb, f));
        dwells.retain(|(frames, at)| bears(track, (limb, way), frames, *at));
        all.extend(dwells.into_iter().map(|(frames, at)| Rest { limb, frames, at }));
    }
    all.sort_by_key(|t| (t.frames.start, t.limb));
    all
}

/// Returns true if a hand that dwells holds on to the world: the body moves past it, or it does not stir. The turn of a swing is over
/// sooner, and a hand that hangs in the air drifts.
fn bears(track: &Track, (limb, hand): (usize, &Way), frames: &Range<usize>, at: Vec3) -> bool {
    if frames.len() < track.frames_of(HAND_S).max(3) {
        return false;
    }
    let last = frames.end - 1;
    let passes = |shoulder: &Way| (shoulder.at[last] - shoulder.at[frames.start]).length() > PASSES_M;
    // A contact begins and ends between two frames.
    let inside = &hand.at[frames.start + 1..last];
    let stirs_m = (inside.iter().map(|p| (*p - at).length_squared()).sum::<f32>() / inside.len() as f32).sqrt();
    stirs_m < STIRS_M || track.shoulders[limb].as_ref().is_some_and(passes)
}

/// Returns the stretch in which the hips dwell on a seat: to the end of the track, or from its start.
pub fn seat(track: &Track) -> Option<(Range<usize>, Vec3)> {
    let way: &Way = track.hips.as_ref()?;
    if let Some([frames, ..]) = track.named(way.joint) {
        return Some((frames.clone(), way.rest(frames)));
    }
    let (frames, at) = low_dwells(track).into_iter().find(|(frames, _)| at_end(track, frames))?;
    if !sits(track, &frames, at) {
        return None;
    }
    let (first, last) = ends(track);
    let start = if frames.start <= first { 0 } else { frames.start };
    let end = if frames.end > last { track.frames() } else { frames.end };
    Some((start..end, at))
}

/// Returns true for a stretch from the first frame, or to the last one.
pub fn at_end(track: &Track, frames: &Range<usize>) -> bool {
    let (first, last) = ends(track);
    frames.start <= first || frames.end > last
}

/// Returns the last frame that counts as the first, and the first that counts as the last.
fn ends(track: &Track) -> (usize, usize) {
    let most = track.frames_of(AT_END_S);
    (most, track.frames().saturating_sub(most + 1))
}

/// Returns all stretches in which the hips dwell on a seat, in order of time.
pub fn seats(track: &Track) -> Vec<Range<usize>> {
    let named = track.hips.as_ref().and_then(|way| track.named(way.joint));
    let read =
        || low_dwells(track).into_iter().filter(|(frames, at)| sits(track, frames, *at)).map(|(frames, _)| frames);
    named.map_or_else(|| read().collect(), <[_]>::to_vec)
}

/// Returns the stretches in which the hips dwell low, with their mean positions.
fn low_dwells(track: &Track) -> Vec<(Range<usize>, Vec3)> {
    let Some(way) = &track.hips else { return Vec::new() };
    let low = |f: usize| way.at[f].y - track.root[f].translation.y < SEAT * track.standing_m;
    way.dwells(track.frames_of(SEAT_S) + 1, track.rate_hz, low)
}

/// Returns true if hips that dwell at a place need a seat.
fn sits(track: &Track, frames: &Range<usize>, at: Vec3) -> bool {
    let toes = track.feet.iter().map(|foot| foot.rest(frames)).sum::<Vec3>() / track.feet.len() as f32;
    flat(at - toes).length() >= SEAT_BEHIND_M
}

/// Returns the stretches in which nothing touches and the feet are off the ground, in order of time.
pub fn flights(track: &Track, plants: &[Rest], hands: &[Rest]) -> Vec<Range<usize>> {
    let touches = |f: usize| plants.iter().chain(hands).any(|rest| rest.frames.contains(&f));
    let mut runs = runs(track.frames(), track.frames_of(FLIGHT_S), |f| !touches(f));
    // A foot that slides or turns on the ground is not labelled as touching either.
    let is_off = |r: &Range<usize>| {
        let middle = (r.start + r.end) / 2;
        let height = |(limb, way): (usize, &Way)| way.at[middle].y - track.foot_m[limb];
        let low_m = track.feet.iter().enumerate().map(height).fold(f32::MAX, f32::min);
        let before = plants.iter().filter(|p| p.frames.end <= r.start).max_by_key(|p| p.frames.end);
        let after = plants.iter().find(|p| p.frames.start >= r.end);
        let ground_m = before.into_iter().chain(after).map(|p| p.ground(track).y).fold(f32::MAX, f32::min);
        let hips_m = |f: usize| track.hips.as_ref().map_or(0.0, |hips| hips.at[f].y);
        let rise_m = hips_m(middle) - 0.5 * (hips_m(r.start) + hips_m(r.end));
        low_m > ground_m + OFF_M && (rise_m > RISE_M || track.hips.is_none())
    };
    runs.retain(|r| r.start > 0 && r.end < track.frames() && is_off(r));
    runs
}
