//! The phase of a gait: an angle that increases over time, with 0 at a strike of the right foot and pi at a strike of the left
//! one.

use crate::dataset::Dataset;
use footwork::advanced::learned::STEP_S;
use footwork::advanced::motion::is_left;
use footwork::database::Database;
use std::f32::consts::{PI, TAU};

/// Minimum time in which both feet touch for a body to count as standing, seconds.
const STANDING_S: f32 = 0.5;
/// Factor of the phase's rate while both feet stand.
const STANDING_RATE: f32 = 0.05;
/// Time between strikes for sequences without two strikes, seconds.
const USUAL_STRIKE_S: f32 = 0.5;

/// Returns the indices of the right and the left foot among two contact joints; `None` for other bodies.
pub fn sides(db: &Database) -> Option<[usize; 2]> {
    let left: Vec<bool> = db.rig.contact_joints.iter().map(|joint| is_left(db.skeleton.name(*joint))).collect();
    match left.as_slice() {
        [false, true] => Some([0, 1]),
        [true, false] => Some([1, 0]),
        _ => None,
    }
}

/// Returns the `[frames]` phases of a data set, radians, increasing along each sequence. `sides`: result of [`sides`].
pub fn label(data: &Dataset, sides: [usize; 2]) -> Vec<f32> {
    let mut all = vec![0.0; data.frames()];
    for sequence in &data.sequences {
        let frames = sequence.frames.start..sequence.frames.end + 1;
        let touches = |frame: usize, side: usize| data.body(frame)[data.layout.contacts.start + sides[side]] > 0.5;
        let contacts: Vec<[bool; 2]> = frames.clone().map(|frame| [0, 1].map(|side| touches(frame, side))).collect();
        all[frames].copy_from_slice(&phases(&contacts, STEP_S as f32));
    }
    all
}

/// Returns the `[frames]` phases of one sequence, from the contacts of the right and the left foot. Between strikes, the phase
/// increases in proportion to time; standing counts with a small factor. Before the first strike and after the last one, it
/// continues at the adjacent rate.
pub fn phases(contacts: &[[bool; 2]], step_s: f32) -> Vec<f32> {
    let pace = paces(contacts, step_s);
    // Strikes: frame and phase.
    let mut strikes: Vec<(usize, f32)> = Vec::new();
    for frame in 1..contacts.len() {
        for (side, angle) in [(0, 0.0), (1, PI)] {
            if contacts[frame][side] && !contacts[frame - 1][side] {
                let phase = strikes.last().map_or(angle, |(_, before)| next_at(*before, angle));
                strikes.push((frame, phase));
            }
        }
    }
    let mut ways = vec![0.0; contacts.len()];
    for frame in 1..contacts.len() {
        ways[frame] = ways[frame - 1] + pace[frame - 1];
    }
    let rate = |pair: &[(usize, f32)]| (pair[1].1 - pair[0].1) / (ways[pair[1].0] - ways[pair[0].0]).max(1e-6);
    let usual = PI * step_s / USUAL_STRIKE_S;
    let first = strikes.windows(2).map(rate).next().unwrap_or(usual);
    let last = strikes.windows(2).map(rate).next_back().unwrap_or(usual);
    let at = |frame: usize| {
        let after = strikes.partition_point(|(strike, _)| *strike <= frame);
        let Some((from, phase)) = strikes.get(after.saturating_sub(1)).copied() else { return ways[frame] * usual };
        let rate = match (after, strikes.get(after)) {
            (0, _) => first,
            (_, Some(next)) => rate(&[(from, phase), *next]),
            _ => last,
        };
        phase + (ways[frame] - ways[from]) * rate
    };
    (0..contacts.len()).map(at).collect()
}

/// Returns the next phase after `before` at which the angle is reached, at least a little later.
fn next_at(before: f32, angle: f32) -> f32 {
    let ahead = (angle - before).rem_euclid(TAU);
    // Both feet at once, or the same foot again: a whole turn.
    before + if !(0.1..=TAU - 0.1).contains(&ahead) { TAU } else { ahead }
}

/// Returns the `[frames]` weight of each frame's time: 1, and less while both feet stand.
fn paces(contacts: &[[bool; 2]], step_s: f32) -> Vec<f32> {
    let mut pace = vec![1.0; contacts.len()];
    let mut from = 0;
    while from < contacts.len() {
        let stands = |frame: &usize| contacts[*frame] == [true, true];
        let end = (from..contacts.len()).find(|frame| !stands(frame)).unwrap_or(contacts.len());
        if (end - from) as f32 * step_s > STANDING_S {
            pace[from..end].fill(STANDING_RATE);
        }
        from = end.max(from) + 1;
    }
    pace
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: f32 = 1.0 / 50.0;

    /// Walking: each foot touches for 0.6 s of a cycle of 1 s, the left one half a cycle later.
    fn walking(frames: usize, from: usize) -> Vec<[bool; 2]> {
        let touches = |frame: usize, lag: usize| (frame + 50 - lag) % 50 < 30;
        (from..from + frames).map(|frame| [touches(frame, 0), touches(frame, 25)]).collect()
    }

    #[test]
    fn the_phase_is_0_at_right_strikes_and_pi_at_left_ones_and_linear_in_between() {
        let phases = phases(&walking(240, 10), STEP);
        // Right strikes: 40, 90, ...; left strikes: 15, 65, ...
        for (frame, angle) in [(15, PI), (40, 0.0), (65, PI), (90, 0.0)] {
            let off = (phases[frame] - angle + 1.0).rem_euclid(TAU) - 1.0;
            assert!(off.abs() < 1e-3, "{frame}: {}", phases[frame]);
        }
        for pair in phases.windows(2) {
            assert!((pair[1] - pair[0] - TAU / 50.0).abs() < 1e-3, "{pair:?}");
        }
    }

    #[test]
    fn the_phase_of_who_stands_rises_slowly_and_the_next_strike_is_met() {
        let mut contacts = walking(90, 0);
        contacts.extend([[true, true]; 200]);
        contacts.extend(walking(120, 25));
        let phases = phases(&contacts, STEP);
        assert!(phases.windows(2).all(|pair| pair[1] > pair[0]));
        let standing = (phases[280] - phases[100]) / 180.0;
        assert!(standing < 0.1 * TAU / 50.0, "{standing}");
        // The next right strike: frame 25 of the last walk.
        let off = (phases[90 + 200 + 25] + 1.0).rem_euclid(TAU) - 1.0;
        assert!(off.abs() < 1e-2, "{off}");
        let still = super::phases(&[[true, true]; 100], STEP);
        assert!(still[99] > 0.0 && still[99] < 1.0, "{}", still[99]);
    }

    #[test]
    fn a_foot_that_strikes_twice_makes_a_whole_turn() {
        let hops: Vec<[bool; 2]> = (0..100).map(|frame| [frame % 40 > 20, false]).collect();
        let phases = phases(&hops, STEP);
        assert!((phases[61] - phases[21] - TAU).abs() < 1e-3, "{} {}", phases[21], phases[61]);
    }
}
