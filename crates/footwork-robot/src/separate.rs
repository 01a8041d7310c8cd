//! Soles that would overlap are moved apart, planted ones over their whole contact.
//!
//! Where soles meet, one direction is chosen for the whole meeting: the one in which the shortest push parts them in all of its
//! frames. A foot that steps across the other one is so moved ahead of it or behind it, and not from one side to the other.

use crate::feet::{FootTrack, smooth};
use crate::kinematics::Placed;
use crate::sole::Sole;
use glam::DVec2;
use std::cmp::Ordering;
use std::f64::consts::TAU;

/// Gap that soles keep, metres.
const GAP_M: f64 = 0.01;
/// Difference in height from which on feet pass over each other, metres.
pub const OVER_M: f64 = 0.05;
/// Missing gap that is tolerated, metres.
const EXACT_M: f64 = 1e-4;
/// Time over which a push in the air fades, and between frames of one meeting, seconds.
const PUSH_S: f64 = 0.2;
/// Number of times that soles are moved apart: a moved foot may meet another contact of the other. In the second half, both feet move:
/// one foot alone might be pushed to and fro between two contacts of the other.
const PUSHES: usize = 24;
/// Number of directions that are compared, and of halvings of the distance to push.
const DIRECTIONS: u32 = 24;
const HALVINGS: usize = 16;

/// A sole seen from above: as wide around the line from heel to toe.
#[derive(Clone, Copy, Debug)]
pub struct Outline {
    pub heel: DVec2,
    pub toe: DVec2,
    pub half_width_m: f64,
}

impl Outline {
    /// Returns the gap to another outline, in metres (negative where they overlap), and the direction from the other one to this.
    pub fn gap(&self, other: &Self) -> (f64, DVec2) {
        let mut best = (f64::INFINITY, DVec2::ZERO);
        let mut take = |between: DVec2| {
            if between.length() < best.0 {
                best = (between.length(), between);
            }
        };
        for p in [self.heel, self.toe] {
            take(p - nearest(p, other.heel, other.toe));
        }
        for p in [other.heel, other.toe] {
            take(nearest(p, self.heel, self.toe) - p);
        }
        let widths = self.half_width_m + other.half_width_m;
        let middle = (self.heel + self.toe - other.heel - other.toe) * 0.5;
        let crossing = cross(self, other);
        let away = best.1.try_normalize().filter(|_| !crossing).or(middle.try_normalize()).unwrap_or(DVec2::X);
        (if crossing { -widths } else { best.0 - widths }, away)
    }
}

fn nearest(p: DVec2, a: DVec2, b: DVec2) -> DVec2 {
    let along = b - a;
    a + along * ((p - a).dot(along) / along.length_squared().max(1e-12)).clamp(0.0, 1.0)
}

fn cross(a: &Outline, b: &Outline) -> bool {
    let side = |of: &Outline, p: DVec2| (of.toe - of.heel).perp_dot(p - of.heel);
    side(a, b.heel) * side(a, b.toe) < 0.0 && side(b, a.heel) * side(b, a.toe) < 0.0
}

/// Frames in which soles meet.
struct Meeting {
    /// Frames, ascending, with the outlines of both soles.
    frames: Vec<(usize, [Outline; 2])>,
}

impl Meeting {
    /// Returns the shortest push of the first sole, in one direction, after which no frame lacks a gap.
    fn way_out(&self) -> DVec2 {
        let [_, other] = self.frames[0].1;
        let ahead = (other.toe - other.heel).try_normalize().unwrap_or(DVec2::X);
        let mut best = (f64::INFINITY, DVec2::ZERO);
        for k in 0..DIRECTIONS {
            let (sin, cos) = libm::sincos(TAU * f64::from(k) / f64::from(DIRECTIONS));
            let direction = ahead.rotate(DVec2::new(cos, sin));
            let mut needed = 0.0_f64;
            for (_, soles) in &self.frames {
                needed = needed.max(exit(soles, direction, needed));
                if needed >= best.0 {
                    break;
                }
            }
            if needed < best.0 {
                best = (needed, direction * needed);
            }
        }
        best.1
    }
}

/// Returns the distance, at least `from`, by which the first sole must move in a direction to have a gap to the second. Soles are
/// convex: once apart, they stay apart.
fn exit([sole, other]: &[Outline; 2], direction: DVec2, from: f64) -> f64 {
    let apart = |by: f64| {
        let moved = Outline { heel: sole.heel + direction * by, toe: sole.toe + direction * by, ..*sole };
        moved.gap(other).0 >= GAP_M
    };
    if apart(from) {
        return from;
    }
    let lengths = (sole.toe - sole.heel).length() + (other.toe - other.heel).length();
    let (mut low, mut high) = (from, from + 2.0 * (lengths + sole.half_width_m + other.half_width_m + GAP_M));
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if apart(middle) { high = middle } else { low = middle }
    }
    high
}

/// Finds where soles meet that are about equally high.
fn meetings(feet: &[FootTrack; 2], soles: &[Sole; 2], zero: &Placed, rate_hz: f64) -> Vec<Meeting> {
    let mut meetings: Vec<Meeting> = Vec::new();
    for f in 0..feet[0].toe.len() {
        let rotations = [0, 1].map(|s| feet[s].rotation(f) * zero.rotations[soles[s].body]);
        let low = [0, 1].map(|s| soles[s].lowest_m(feet[s].toe[f] - rotations[s] * soles[s].toe, rotations[s]));
        if (low[0] - low[1]).abs() > OVER_M {
            continue;
        }
        let outlines = [0, 1].map(|s: usize| {
            let toe = feet[s].toe[f];
            let heel = toe + rotations[s] * (soles[s].heel - soles[s].toe);
            Outline { heel: heel.truncate(), toe: toe.truncate(), half_width_m: soles[s].half_width_m }
        });
        if outlines[0].gap(&outlines[1]).0 > GAP_M - EXACT_M {
            continue;
        }
        match meetings.last_mut() {
            Some(last) if last.frames.last().is_some_and(|(l, _)| ((f - l) as f64) < PUSH_S * rate_hz) => {
                last.frames.push((f, outlines));
            }
            _ => meetings.push(Meeting { frames: vec![(f, outlines)] }),
        }
    }
    meetings
}

/// Moves soles apart that would overlap.
pub fn separate(feet: &mut [FootTrack; 2], soles: &[Sole; 2], zero: &Placed, rate_hz: f64) {
    for turn in 0..PUSHES {
        let meetings = meetings(feet, soles, zero, rate_hz);
        if meetings.is_empty() {
            return;
        }
        let frames = feet[0].toe.len();
        let mut pushes = [vec![DVec2::ZERO; frames], vec![DVec2::ZERO; frames]];
        for meeting in &meetings {
            let away = meeting.way_out();
            // A foot that stands longer stays, if the other one can move.
            let stands = [0, 1].map(|s: usize| meeting.frames.iter().filter(|(f, _)| feet[s].planted[*f]).count());
            let left = match stands[0].cmp(&stands[1]) {
                _ if 2 * turn >= PUSHES => 0.5,
                Ordering::Less => 1.0,
                Ordering::Equal => 0.5,
                Ordering::Greater => 0.0,
            };
            let (first, last) = (meeting.frames[0].0, meeting.frames[meeting.frames.len() - 1].0);
            pushes[0][first..=last].fill(away * left);
            pushes[1][first..=last].fill(-away * (1.0 - left));
        }
        for (track, push) in feet.iter_mut().zip(&mut pushes) {
            spread(track, push, rate_hz);
            for (toe, push) in track.toe.iter_mut().zip(push.iter()) {
                *toe += push.extend(0.0);
            }
        }
    }
}

/// Makes pushes constant over contacts, and smooth in between.
fn spread(track: &FootTrack, push: &mut [DVec2], rate_hz: f64) {
    let longest = |a: DVec2, b: DVec2| if b.length_squared() > a.length_squared() { b } else { a };
    let plants = track.plants();
    for plant in &plants {
        let most = push[plant.clone()].iter().copied().fold(DVec2::ZERO, longest);
        push[plant.clone()].fill(most);
    }
    let reach = (PUSH_S * rate_hz).ceil() as usize;
    let given = push.to_vec();
    let mut next_plant = plants.iter().peekable();
    for f in 0..push.len() {
        while next_plant.peek().is_some_and(|p| p.end <= f) {
            next_plant.next();
        }
        if track.planted[f] {
            continue;
        }
        let from = f.saturating_sub(reach);
        for (k, other) in given[from..(f + reach + 1).min(given.len())].iter().enumerate() {
            let weight = 1.0 - smooth((from + k).abs_diff(f) as f64 / (reach as f64 + 1.0));
            push[f] = longest(push[f], *other * weight);
        }
    }
}
