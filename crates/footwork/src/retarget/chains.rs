//! Correspondence of joints, and distribution of rotations over chains of different lengths.

use super::reference::{Reference, below};
use crate::frames::JointIndex;
use crate::roles::{self, Side};

/// Position of a target joint in the source's hierarchy: it rotates like joint `joint`, plus a share of the rotation that
/// `next`, the joint below it, adds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    pub joint: usize,
    pub next: Option<(usize, f32)>,
}

impl Place {
    fn at(joint: usize) -> Self {
        Self { joint, next: None }
    }
}

/// A share of the rotation of a source joint relative to its parent; -1 undoes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    pub joint: usize,
    pub share: f32,
}

const PARTS: [&str; 8] = ["shoulder", "up_arm", "fore_arm", "hand", "up_leg", "leg", "foot", "toe"];
const FINGERS: [&str; 6] = ["thumb", "index", "middle", "ring", "pinky", "little"];

/// Returns the place of each target joint; `None` for joints that only the target has.
pub fn places(source: &Reference, target: &Reference) -> Vec<Option<Place>> {
    let mut places: Vec<Option<Place>> = vec![None; target.skeleton.len()];
    let mut pair = |s: Option<usize>, t: Option<usize>| {
        if let (Some(s), Some(t)) = (s, t) {
            places[t] = Some(Place::at(s));
        }
    };
    for role in ["hips", "head"] {
        pair(source.joint(role), target.joint(role));
    }
    for side in Side::BOTH {
        for part in PARTS {
            let role = format!("{}_{part}", side.name());
            pair(source.joint(&role), target.joint(&role));
        }
    }
    for (s, t) in fingers(source, target) {
        pair(Some(s), Some(t));
    }
    for (from, to) in [("spine", "chest"), ("neck", "head")] {
        let (s, t) = (chain(source, from, to), chain(target, from, to));
        share(source, target, &s, &t, &mut places);
    }
    places
}

/// Returns the chain from the joint in one role down to that in another; of the neck all joints but the head.
fn chain(of: &Reference, from: &str, to: &str) -> Vec<usize> {
    let (Some(first), Some(last)) = (of.joint(from), of.joint(to)) else { return Vec::new() };
    let mut way: Vec<usize> = Vec::new();
    let mut next = Some(last);
    while let Some(j) = next {
        way.push(j);
        if j == first {
            way.reverse();
            if to == "head" {
                way.pop();
            }
            return way;
        }
        next = of.skeleton.parents()[j].map(JointIndex::at);
    }
    Vec::new()
}

/// Places a chain on another by their lengths, first on first and last on last.
fn share(source: &Reference, target: &Reference, s: &[usize], t: &[usize], places: &mut [Option<Place>]) {
    if s.len() == t.len() {
        s.iter().zip(t).for_each(|(s, t)| places[*t] = Some(Place::at(*s)));
        return;
    }
    let ([first, ..], [.., last]) = (s, s) else { return };
    if let [t] = t {
        places[*t] = Some(Place::at(*last));
        return;
    }
    let along = |of: &Reference, chain: &[usize]| -> Vec<f32> {
        let length = |pair: &[usize]| below(&of.skeleton, pair[0], pair[1]).translation.length();
        let mut sum = 0.0;
        let mut at: Vec<f32> = vec![0.0];
        at.extend(chain.windows(2).map(|w| {
            sum += length(w).max(1e-6);
            sum
        }));
        at.iter().map(|a| a / sum.max(1e-6)).collect()
    };
    if s.len() == 1 {
        // One source joint for many: evenly distributed; the last one has the whole rotation.
        let above = source.skeleton.parents()[*first].map_or(0, JointIndex::at);
        for (k, joint) in t.iter().enumerate() {
            let part = (k + 1) as f32 / t.len() as f32;
            places[*joint] = Some(if k + 1 == t.len() {
                Place::at(*first)
            } else {
                Place { joint: above, next: Some((*first, part)) }
            });
        }
        return;
    }
    let (from, to) = (along(source, s), along(target, t));
    for (joint, at) in t.iter().zip(to) {
        let k = from.partition_point(|f| *f <= at + 1e-4).clamp(1, s.len());
        let here = from[k - 1];
        places[*joint] = Some(match s.get(k) {
            Some(next) if at - here > 1e-3 => {
                Place { joint: s[k - 1], next: Some((*next, (at - here) / (from[k] - here))) }
            }
            _ => Place::at(s[k - 1]),
        });
    }
}

/// Returns the pairs of finger joints with the same side, finger and number.
fn fingers(source: &Reference, target: &Reference) -> Vec<(usize, usize)> {
    let named = |of: &Reference| -> Vec<(usize, (Side, String, u32))> {
        let words = roles::words(&of.skeleton).into_iter().enumerate();
        words
            .filter_map(|(j, w)| {
                let finger = w.part.strip_prefix("hand").unwrap_or(&w.part).to_owned();
                FINGERS.contains(&finger.as_str()).then_some((j, (w.side?, finger, w.number?)))
            })
            .collect()
    };
    let (s, t) = (named(source), named(target));
    t.iter().filter_map(|(t, key)| Some((s.iter().find(|(_, k)| k == key)?.0, *t))).collect()
}

/// Returns the rotations that lead from one place to another, in the order in which they are applied to the body (leftmost
/// first).
pub fn turns(source: &Reference, from: Place, to: Place) -> Vec<Turn> {
    let parent = |j: usize| source.skeleton.parents()[j].map(JointIndex::at);
    let upwards = |j: usize| std::iter::successors(Some(j), |j| parent(*j));
    let mut turns = Vec::new();
    if let (Some((a, x)), Some((b, y))) = (from.next, to.next)
        && a == b
    {
        turns.push(Turn { joint: a, share: y - x });
        return turns;
    }
    // Back to the whole joint, or on to it if it is on the path.
    let way: Vec<usize> = upwards(to.joint).take_while(|j| *j != from.joint).collect();
    let below = upwards(to.joint).any(|j| j == from.joint);
    let mut down: Vec<usize> = way.into_iter().rev().collect();
    if let Some((next, share)) = from.next {
        if below && down.first() == Some(&next) {
            turns.push(Turn { joint: next, share: 1.0 - share });
            down.remove(0);
        } else {
            turns.push(Turn { joint: next, share: -share });
        }
    }
    if !below {
        let over: Vec<usize> = upwards(to.joint).collect();
        let mut up = from.joint;
        while !over.contains(&up) {
            turns.push(Turn { joint: up, share: -1.0 });
            up = parent(up).unwrap_or(0);
        }
        down = over.into_iter().take_while(|j| *j != up).collect();
        down.reverse();
    }
    turns.extend(down.into_iter().map(|joint| Turn { joint, share: 1.0 }));
    if let Some((next, share)) = to.next {
        turns.push(Turn { joint: next, share });
    }
    turns
}
