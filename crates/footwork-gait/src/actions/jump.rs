//! Jumps over gaps, and over obstacles without hands.

use super::leap::{AHEAD_M, Flight, HEEL_BEHIND_M, Hop, LAND_M, LEAVE_M, Leap, Marks, TIP_M, hop, leap};
use super::script::{Place, Script, Via};
use crate::action_truth::{ActionKind, ActionObstacle};
use crate::options::GaitOptions;
use crate::repertoire::cm;
use glam::Vec3;

/// Depth of the obstacles that are hurdled, in metres.
const BAR_M: f32 = 0.15;

/// Jumps over gaps: standing, walking and running.
pub(super) fn jumps(options: &GaitOptions) -> Vec<Script> {
    let mut out = Vec::new();
    for (gap, seconds) in [(1.0, 0.42), (1.4, 0.48), (1.8, 0.54)] {
        let (script, marks) = hop(
            options,
            Hop {
                name: format!("jump_stand_{}", cm(gap)),
                kind: ActionKind::Jump,
                distance_m: gap + TIP_M + HEEL_BEHIND_M,
                flight: Flight::lasting(LEAVE_M, LAND_M, seconds),
                level: 0.0,
                low_m: 0.66,
                give_m: 0.26,
                tuck_m: 0.56,
            },
        );
        out.push(over_gap(script, marks, gap));
    }
    for (gait, speeds, flight_mps, gaps) in
        [("walk", [1.4, 1.4], 2.1, [1.0, 1.4, 1.8]), ("run", [3.75, 3.2], 3.9, [1.8, 2.4, 3.0])]
    {
        for gap in gaps {
            let toe_to_toe = gap + TIP_M + HEEL_BEHIND_M;
            let seconds = (toe_to_toe - AHEAD_M - 0.10 - 0.055 * flight_mps) / flight_mps;
            let (script, marks) = leap(
                options,
                Leap {
                    name: format!("jump_{gait}_{}", cm(gap)),
                    kind: ActionKind::Jump,
                    speed: speeds,
                    flight_mps,
                    flight: Flight::lasting(LEAVE_M, LAND_M, seconds),
                    level: 0.0,
                    give_m: 0.05 + 0.12 * seconds,
                    both: false,
                },
            );
            out.push(over_gap(script, marks, gap));
        }
    }
    out
}

fn over_gap(mut script: Script, marks: Marks, gap: f32) -> Script {
    let front = Vec3::new(0.0, 0.0, marks.from_toe.z + TIP_M);
    script.obstacle = Some(ActionObstacle { front, yaw: 0.0, height_m: 0.0, depth_m: gap });
    script
}

/// Jumps over obstacles of 0.45 to 0.75 m.
pub(super) fn hurdles(options: &GaitOptions) -> Vec<Script> {
    let mut out = Vec::new();
    for height in [0.45, 0.6, 0.75] {
        let tuck = 0.385;
        let apex = height + 0.07 + 0.12 + tuck + 0.055;
        let (script, marks) = hop(
            options,
            Hop {
                name: format!("hurdle_stand_{}", cm(height)),
                kind: ActionKind::Hurdle,
                distance_m: 1.1,
                flight: Flight::over(LEAVE_M, LAND_M, apex.max(LEAVE_M + 0.12)),
                level: 0.0,
                low_m: 0.66,
                give_m: 0.26,
                tuck_m: tuck,
            },
        );
        let front = Vec3::new(0.0, height, 0.5 * (marks.from_toe.z + marks.to_toe.z) - 0.5 * BAR_M + 0.03);
        out.push(over_bar(script, front, height));
    }
    for (gait, speeds, flight_mps) in [("walk", [1.4, 1.4], 2.3), ("run", [3.75, 3.2], 3.5)] {
        for height in [0.45, 0.6, 0.75] {
            let apex = (height + 0.50f32).max(LEAVE_M + 0.13);
            let (mut script, marks) = leap(
                options,
                Leap {
                    name: format!("hurdle_{gait}_{}", cm(height)),
                    kind: ActionKind::Hurdle,
                    speed: speeds,
                    flight_mps,
                    flight: Flight::over(LEAVE_M, LAND_M, apex),
                    level: 0.0,
                    give_m: 0.1,
                    both: false,
                },
            );
            let share = if speeds[0] < 2.0 { 0.49 } else { 0.53 };
            let front = Vec3::new(0.0, height, lerp_z(marks, share) - 0.5 * BAR_M);
            clear(&mut script, marks, front, flight_mps);
            out.push(over_bar(script, front, height));
        }
    }
    out
}

fn lerp_z(marks: Marks, share: f32) -> f32 {
    marks.from_toe.z + (marks.to_toe.z - marks.from_toe.z) * share
}

/// Moves the leading foot over the obstacle, then the other one, heel up.
fn clear(script: &mut Script, marks: Marks, front: Vec3, speed: f32) {
    let leave_z = marks.from_toe.z + AHEAD_M;
    let middle = front.z + 0.5 * BAR_M;
    let when = |pelvis_z: f32| marks.leave_s + (pelvis_z - leave_z) / speed;
    let lead_s = when(middle - 0.46);
    let trail_s = when(middle + 0.24);
    let over = |t: f32, x: f32, above: f32, bend: f32| Via {
        t,
        at: Place::Ground(Vec3::new(x, front.y + above, middle)),
        bend,
    };
    let [left, right] = &mut script.feet;
    let [l, r] = [0.16, -0.09];
    let early = lead_s < marks.leave_s + 0.02;
    right.vias.retain(|v| v.t < marks.leave_s.min(lead_s) - if front.y > 0.5 { 0.15 } else { 0.05 });
    if front.y > 0.5 {
        let t = lead_s.min(marks.leave_s) - 0.11;
        right.vias.push(Via { t, at: Place::Hip(Vec3::new(0.0, -0.40, 0.06)), bend: 0.0 });
    }
    right.vias.push(over(if early { marks.leave_s + 0.02 } else { lead_s }, r, 0.17, 0.15));
    left.vias.retain(|v| v.t > marks.land_s);
    let after = Place::Hip(Vec3::new(0.10, -0.44, -0.16));
    left.vias.insert(0, Via { t: (trail_s + 0.11).min(marks.land_s + 0.02), at: after, bend: 0.2 });
    left.vias.insert(0, over(trail_s, l, 0.25, 0.25));
    let behind = Place::Hip(Vec3::new(0.06, -0.50, -0.42));
    left.vias.insert(0, Via { t: 0.45 * marks.leave_s + 0.55 * trail_s, at: behind, bend: -0.3 });
}

fn over_bar(mut script: Script, front: Vec3, height: f32) -> Script {
    script.obstacle = Some(ActionObstacle { front, yaw: 0.0, height_m: height, depth_m: BAR_M });
    script
}
