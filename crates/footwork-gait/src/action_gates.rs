//! Gates of actions: speeds of feet, hands and trunk, accelerations, and durations.

use crate::action_truth::{ActionKind, ActionTruth};
use crate::body::joint;
use crate::gate::{Extreme, Gate};
use crate::measure::Measured;
use crate::truth::GaitClip;

/// Adds the limits that hold in every frame of every action.
pub(crate) fn actions(clips: &[GaitClip], out: &mut Vec<Gate>) {
    let [mut feet, mut hands, mut trunk] = [(); 3].map(|()| Extreme::most());
    let [mut head, mut hips, mut pop, mut length] = [(); 4].map(|()| Extreme::most());
    let takes = clips.iter().filter_map(|clip| Some((clip, clip.truth.action.as_ref()?)));
    let mut found = false;
    for (clip, truth) in takes {
        found = true;
        let (m, rate_hz) = (Measured::new(clip), clip.clip.rate_hz);
        let at = |f: usize| format!("{} {:.2} s", clip.clip.name, f as f32 / rate_hz);
        let mps = |f: usize, j: usize| (m.at(f, j) - m.at(f - 1, j)).length() * rate_hz;
        let change = |f: usize, j: usize| (m.at(f, j) - m.at(f - 1, j) * 2.0 + m.at(f - 2, j)).length() * rate_hz;
        let fastest_mps = (1..m.frames()).map(|f| mps(f, joint::HIPS)).fold(0.0, f32::max);
        for f in 2..m.frames() {
            for j in [joint::LEFT_FOOT, joint::RIGHT_FOOT, joint::LEFT_TOE, joint::RIGHT_TOE] {
                feet.meet(mps(f, j), || at(f));
            }
            [joint::LEFT_HAND, joint::RIGHT_HAND].into_iter().for_each(|j| hands.meet(mps(f, j), || at(f)));
            let turn = m.world[f - 1][joint::SPINE2].rotation.angle_between(m.world[f][joint::SPINE2].rotation);
            trunk.meet(turn.to_degrees() * rate_hz, || at(f));
            head.meet(change(f, joint::HEAD) * rate_hz, || at(f));
            hips.meet(change(f, joint::HIPS) * rate_hz, || at(f));
            // A foot stops when it lands: the change increases with the speed of the body.
            let bound = (2.6 + 0.75 * fastest_mps).max(3.8);
            for j in joint::HIPS..joint::COUNT {
                pop.meet(change(f, j) / bound, || format!("{} joint {j}", at(f)));
            }
        }
        if matches!(truth.kind, ActionKind::Mantle | ActionKind::Climb) {
            length.meet(ascent_s(truth), || clip.clip.name.clone());
        }
    }
    if !found {
        return;
    }
    let source = "feet swing forward at about twice the speed of the body: that of a run at 4 m/s";
    out.push(feet.gate("action_foot_mps", 1.0, 9.1, source));
    let source = "arms of a run at 3.75 m/s swing as fast";
    out.push(hands.gate("action_hand_mps", 1.0, 8.2, source));
    let source = "a trunk that bends by 70 degrees within 0.3 s, with a smooth begin and end";
    out.push(trunk.gate("action_trunk_turn_degps", 50.0, 450.0, source));
    let source = "a landing from 1.75 m stops the head within 0.1 s: 60 m/s2, and as much again for its sway";
    out.push(head.gate("action_head_mps2", 5.0, 120.0, source));
    let source = "knees stop the pelvis within 0.1 s at a landing from 1.75 m";
    out.push(hips.gate("action_hips_mps2", 5.0, 66.0, source));
    let source = "that of locomotion: 2.6 m/s and 0.75 of the fastest speed of the body";
    out.push(pop.gate("action_pop_of_bound", 0.1, 1.0, source));
    let source = "from the take-off until both feet stand on top: a player waits no longer";
    out.push(length.gate("action_ascent_s", 0.6, 1.8, source));
}

/// Returns the time from the take-off of an ascent until both feet stand on top, in seconds.
fn ascent_s(truth: &ActionTruth) -> f32 {
    truth.phases.recovery_s - truth.take_off_s.unwrap_or(truth.phases.wind_up_s)
}
