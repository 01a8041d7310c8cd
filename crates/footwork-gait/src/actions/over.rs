//! Vaults: over an obstacle with a hand on its top.

use super::leap::{Flight, Hop, LAND_M, LEAVE_M, Leap, Marks, hop, leap};
use super::script::{Hold, Place, Script, Via};
use super::truth::{ActionKind, ActionObstacle, HAND_M};
use crate::body::Side;
use crate::options::GaitOptions;
use footwork::math::lerp;
use glam::Vec3;
use std::f32::consts::PI;

/// Depth of the obstacles, in metres.
const WALL_M: f32 = 0.2;
/// How far the pelvis passes over the top, in metres, and to the right of the middle.
const OVER_M: f32 = 0.43;
const ASIDE_M: f32 = 0.20;

/// The left hand on the top, the legs to the right of it.
pub(super) fn vaults(options: &GaitOptions) -> Vec<Script> {
    let mut out = Vec::new();
    for height in [0.85, 1.0, 1.15] {
        let flight = Flight::over(LEAVE_M, LAND_M, height + OVER_M);
        let name = |gait: &str| format!("vault_{gait}_{}", (height * 100.0 + 0.5) as i32);
        let (script, marks) = hop(
            options,
            Hop {
                name: name("stand"),
                kind: ActionKind::Vault,
                distance_m: 1.15,
                flight,
                level: 0.0,
                low_m: 0.64,
                give_m: 0.28,
                tuck_m: 0.42,
            },
        );
        out.push(by_hand(script, marks, height));
        for (gait, speed, flight_mps) in [("walk", [1.4, 1.4], 1.9), ("run", [3.6, 2.8], 2.7)] {
            let (script, marks) = leap(
                options,
                Leap {
                    name: name(gait),
                    kind: ActionKind::Vault,
                    speed,
                    flight_mps,
                    flight,
                    level: 0.0,
                    give_m: 0.12,
                    both: false,
                },
            );
            out.push(by_hand(script, marks, height));
        }
    }
    out
}

fn by_hand(mut s: Script, marks: Marks, height: f32) -> Script {
    let (leave_s, land_s) = (marks.leave_s, marks.land_s);
    // Over the middle of the obstacle in the highest point.
    let keys = &s.pelvis[2];
    let z = |t: f32| keys.iter().find(|k| k.t == t).map_or((0.0, 0.0), |k| (k.value, k.rate.unwrap_or(0.0)));
    let (leave_z, speed) = z(leave_s);
    let up_mps = s.pelvis[1].iter().find(|k| k.t == leave_s).and_then(|k| k.rate).unwrap_or(0.0);
    let top_s = leave_s + up_mps / 9.81;
    let middle = leave_z + speed * (top_s - leave_s) - 0.02;
    let front = Vec3::new(0.0, height, middle - 0.5 * WALL_M);
    s.sided = true;
    s.pelvis[0] = vec![
        super::curve::through(leave_s, -0.3 * ASIDE_M),
        super::curve::through(top_s, -ASIDE_M),
        super::curve::through(land_s, -0.3 * ASIDE_M),
    ];
    // The body leans on the hand, the legs go out to the other side.
    let early = lerp(leave_s, top_s, 0.5);
    let late = lerp(top_s, land_s, 0.6);
    s.pelvis_turn[2] = vec![(0.0, 0.0), (leave_s, -0.08), (early, -0.35), (top_s, -0.55), (late, -0.3), (land_s, 0.0)];
    s.chest_turn[2] = vec![(0.0, 0.0), (leave_s, -0.1), (early, -0.5), (top_s, -0.75), (late, -0.4), (land_s, 0.0)];
    s.pelvis_turn[0] = vec![(0.0, 0.05), (leave_s, 0.15), (top_s, 0.45), (land_s, 0.25), (s.seconds, 0.05)];
    s.chest_turn[0] = vec![(0.0, 0.1), (leave_s, 0.35), (top_s, 0.85), (late, 0.6), (land_s, 0.35), (s.seconds, 0.08)];
    // The hand stays for as long as the shoulder is within its reach.
    let half_s = (0.20 / speed).clamp(0.06, 0.16);
    s.holds.push(Hold {
        side: Side::Left,
        from_s: top_s - half_s,
        still_s: top_s + half_s,
        to_s: top_s + half_s,
        reach_s: (top_s - half_s - 0.25 * leave_s).min(0.35),
        release_s: 0.3,
        at: Vec3::new(0.20, height + HAND_M, middle + 0.04),
        moved: Vec::new(),
        fingers: Vec3::new(0.35, 0.0, 0.937),
        thumb: Vec3::new(-0.937, 0.0, 0.35),
        elbow: Vec3::new(1.0, 0.2, -0.6),
        facing: PI,
    });
    // One leg after the other, aside and folded.
    let over =
        |t: f32, x: f32, above: f32, z: f32| Via { t, at: Place::Ground(Vec3::new(x, height + above, z)), bend: -0.1 };
    let step = 0.07;
    for (k, (t, x)) in [(top_s + step, -0.32), (top_s - step, -0.46)].into_iter().enumerate() {
        let vias = &mut s.feet[k].vias;
        vias.retain(|v| v.t < leave_s - 0.05 || v.t > land_s);
        let behind = Via { t: lerp(leave_s, t, 0.5), at: Place::Hip(Vec3::new(-0.16, -0.50, -0.30)), bend: -0.4 };
        let ahead = Via { t: lerp(t, land_s, 0.45), at: Place::Hip(Vec3::new(-0.14, -0.48, 0.16)), bend: 0.0 };
        let at = vias.iter().position(|v| v.t > land_s).unwrap_or(vias.len());
        let passing = over(t, x - ASIDE_M, 0.16, middle + if k == 0 { -0.02 } else { 0.06 });
        vias.splice(at..at, [behind, passing, ahead]);
    }
    s.phases = [0.0, top_s - half_s, top_s + half_s, s.phases[3]];
    s.obstacle = Some(ActionObstacle { front, yaw: 0.0, height_m: height, depth_m: WALL_M });
    s
}
