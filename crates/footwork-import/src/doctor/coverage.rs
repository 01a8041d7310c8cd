//! Compares the set with the requests of a stick, by speed, turn and direction of travel, and lists what to capture next.

use super::check::Check;
use super::dance_card::{DIRECTIONS, SPEEDS_MPS, dance_card};
use super::examination::Examination;
use super::finding::{Finding, Severity};
use footwork::clip::RawClip;

const TURN_NAMES: [&str; 5] =
    ["turns sharply right", "turns right", "goes straight", "turns left", "turns sharply left"];
/// Minimum motion for a choice, in seconds: about one step.
const LEAST_S: f32 = 0.5;
/// Minimum number of clips, or of seconds, of a set that is checked: fewer clips are usually examined by themselves.
const SET_CLIPS: usize = 3;
const SET_S: f32 = 20.0;

/// Finds motion that a stick can request but no clip has: one finding per direction and turn, from the lowest missing speed.
/// Findings are sorted by how often a random stick requests the motion, most often first.
pub fn check(examination: &mut Examination, out: &mut Vec<Finding>) {
    let Some((_, prepared)) = examination.prepared() else { return };
    let card = dance_card(&prepared, &examination.stick);
    let seconds: f32 = prepared.iter().map(RawClip::seconds).sum();
    examination.card.clone_from(&card);
    if seconds < SET_S && prepared.len() < SET_CLIPS {
        return;
    }
    let cell = |s: usize, t: usize, d: usize| &card[(s * 5 + t) * 4 + d];
    let lacks = |t: usize, d: usize| -> Vec<usize> {
        (0..4).filter(|s| cell(*s, t, d).asked && cell(*s, t, d).have_s < LEAST_S).collect()
    };
    let mut holes: Vec<(f32, Finding)> = Vec::new();
    for (d, direction) in DIRECTIONS.iter().enumerate() {
        let straight = lacks(2, d);
        // Straight ahead comes first: if that is missing, turns at the same speed are not reported.
        for t in [2, 1, 3, 0, 4] {
            let mut missing = lacks(t, d);
            missing.retain(|s| t == 2 || !straight.contains(s));
            // Left and right turns that lack the same speeds become one finding.
            let mut other = lacks(4 - t, d);
            other.retain(|s| !straight.contains(s));
            let both = t != 2 && missing == other;
            let (Some(first), Some(last), false) = (missing.first(), missing.last(), both && t > 2) else { continue };
            let going = if d == 0 { String::new() } else { format!(" going {direction}") };
            let turn = match (both, t) {
                (true, 0) => "turns sharply, either way,",
                (true, _) => "turns, either way,",
                _ => TURN_NAMES[t],
            };
            let asked: Vec<usize> = (0..4).filter(|s| cell(*s, t, d).asked).collect();
            let speeds = if missing == asked {
                "at any speed".to_owned()
            } else if asked.last() == Some(last) {
                format!("above {} m/s", SPEEDS_MPS[*first])
            } else {
                format!("between {} and {} m/s", SPEEDS_MPS[*first], SPEEDS_MPS[last + 1])
            };
            // Checks whether the mirror image exists: turns and sides swapped.
            let image = missing.iter().all(|s| cell(*s, 4 - t, [0, 3, 2, 1][d]).have_s >= LEAST_S);
            let mend = if image { "`mirror` gives it" } else { "capture it" };
            let sides: &[usize] = if both { &[t, 4 - t] } else { &[t] };
            let asked_for = |s: &usize| sides.iter().map(|t| cell(*s, *t, d).asked_s_per_min).sum::<f32>();
            let gain_s: f32 = missing.iter().map(asked_for).sum();
            let what = format!("nothing {turn}{going} {speeds}: a random stick asks for it {gain_s:.1} s per minute");
            holes.push((gain_s, Finding::new(Check::Coverage, Severity::Hint, "", what, mend)));
        }
    }
    holes.sort_by(|a, b| b.0.total_cmp(&a.0));
    out.extend(holes.into_iter().map(|(_, hole)| hole));
}
