//! Vaults: over an obstacle with a hand on its top.

use super::leap::{Flight, GRAVITY_MPS2, Hop, LAND_M, LEAVE_M, Leap, Marks, hop, hop_lean_m, leap};
use super::script::{Hold, Place, Script, Via};
use crate::action_truth::{ActionKind, ActionObstacle, HAND_M};
use crate::body::Side;
use crate::options::GaitOptions;
use footwork::advanced::math::lerp;
use glam::Vec3;
use std::f32::consts::PI;

/// Depth of the obstacles, in metres.
const WALL_M: f32 = 0.1;
/// Height of the pelvis above the top, in metres, and its distance to the right of the middle.
const OVER_M: f32 = 0.33;
const ASIDE_M: f32 = 0.20;
/// Time in the air before the hand touches, in seconds.
const FREE_S: f32 = 0.12;
/// Distance of the hand ahead of the pelvis when it touches, in metres.
const REACH_M: f32 = 0.48;
/// Speed over the ground of a vault from standing, in m/s.
const HOP_MPS: f32 = 1.3;
/// Time after the highest point at which the hand lets go, in seconds.
const LETS_GO_S: f32 = 0.02;

/// The path of the pelvis over an obstacle: it flies, is borne by the hand, and flies again.
#[derive(Clone, Copy)]
struct Borne {
    flight: Flight,
    /// Times after the take-off: the hand touches, the pelvis is highest, the hand lets go, in seconds.
    touch_s: f32,
    top_s: f32,
    off_s: f32,
    /// Heights and vertical speeds of the pelvis when the hand touches and lets go.
    touch: [f32; 2],
    off: [f32; 2],
}

impl Borne {
    /// Returns the path from a height over a top to another height, at a speed over the ground.
    fn over(from: f32, to: f32, top: f32, mps: f32) -> Self {
        let rises_s = REACH_M / mps;
        // The hand bears the body so that it rises for this time.
        let up_mps = (top - from - 0.5 * GRAVITY_MPS2 * FREE_S * FREE_S) / (FREE_S + 0.5 * rises_s);
        let slows_mps2 = up_mps / rises_s;
        let touch = [top - 0.5 * up_mps * rises_s, up_mps];
        let off = [top - 0.5 * slows_mps2 * LETS_GO_S * LETS_GO_S, -slows_mps2 * LETS_GO_S];
        let down_mps = -(off[1] * off[1] + 2.0 * GRAVITY_MPS2 * (off[0] - to)).sqrt();
        let top_s = FREE_S + rises_s;
        let off_s = top_s + LETS_GO_S;
        let seconds = off_s + (off[1] - down_mps) / GRAVITY_MPS2;
        let flight = Flight { seconds, up_mps: up_mps + GRAVITY_MPS2 * FREE_S, down_mps };
        Self { flight, touch_s: FREE_S, top_s, off_s, touch, off }
    }
}

/// Vaults with the left hand on the top and the legs to the right of it.
pub(super) fn vaults(options: &GaitOptions) -> Vec<Script> {
    let mut out = Vec::new();
    for height in [0.85, 1.0, 1.15] {
        let name = |gait: &str| format!("vault_{gait}_{}", (height * 100.0 + 0.5) as i32);
        // A hop takes off and lands lower, since the body leans.
        let low = |lean: f32| Borne::over(LEAVE_M - lean, LAND_M - lean, height + OVER_M, HOP_MPS);
        let far = |way: Borne, lean: f32| HOP_MPS * way.flight.seconds + 0.06 + 9.5 * lean;
        let lean = (0..8).fold(0.06, |lean, _| hop_lean_m(far(low(lean), lean)));
        let way = low(lean);
        let (script, marks) = hop(
            options,
            Hop {
                name: name("stand"),
                kind: ActionKind::Vault,
                distance_m: far(way, lean),
                flight: way.flight,
                level: 0.0,
                low_m: 0.68,
                give_m: 0.28,
                tuck_m: 0.42,
            },
        );
        out.push(by_hand(script, marks, height, way));
        for (gait, speed, flight_mps) in [("walk", [1.4, 1.4], 1.9), ("run", [3.6, 2.8], 2.7)] {
            let way = Borne::over(LEAVE_M, LAND_M, height + OVER_M, flight_mps);
            let (script, marks) = leap(
                options,
                Leap {
                    name: name(gait),
                    kind: ActionKind::Vault,
                    speed,
                    flight_mps,
                    flight: way.flight,
                    level: 0.0,
                    give_m: 0.12,
                    both: false,
                },
            );
            out.push(by_hand(script, marks, height, way));
        }
    }
    out
}

fn by_hand(mut s: Script, marks: Marks, height: f32, way: Borne) -> Script {
    let (leave_s, land_s) = (marks.leave_s, marks.land_s);
    // The highest point is over the middle of the obstacle.
    let keys = &s.pelvis[2];
    let z = |t: f32| keys.iter().find(|k| k.t == t).map_or((0.0, 0.0), |k| (k.value, k.rate.unwrap_or(0.0)));
    let (leave_z, speed) = z(leave_s);
    let [from_s, top_s, to_s] = [way.touch_s, way.top_s, way.off_s].map(|t| leave_s + t);
    let at = s.pelvis[1].iter().position(|k| k.t > leave_s).unwrap_or(s.pelvis[1].len());
    let [touch, off] = [(from_s, way.touch), (to_s, way.off)].map(|(t, [y, rate])| super::curve::at_rate(t, y, rate));
    s.pelvis[1].splice(at..at, [touch, off]);
    let middle = leave_z + speed * (top_s - leave_s) - 0.02;
    let front = Vec3::new(0.0, height, middle - 0.5 * WALL_M);
    s.sided = true;
    s.pelvis[0] = vec![
        super::curve::through(leave_s, -0.3 * ASIDE_M),
        super::curve::through(top_s, -ASIDE_M),
        super::curve::through(land_s, -0.3 * ASIDE_M),
    ];
    // The body leans on the hand; the legs move to the other side.
    let late = lerp(top_s, land_s, 0.6);
    let early = 0.4 * leave_s;
    s.pelvis_turn[2] = vec![(0.0, 0.0), (early, 0.0), (from_s, -0.25), (top_s, -0.40), (late, -0.2), (land_s, 0.0)];
    s.chest_turn[2] = vec![(0.0, 0.0), (early, 0.0), (from_s, -0.5), (top_s, -0.75), (late, -0.3), (land_s, 0.0)];
    s.pelvis_turn[0] = vec![(0.0, 0.05), (leave_s, 0.25), (top_s, 0.45), (land_s, 0.25), (s.seconds, 0.05)];
    s.chest_turn[0] = vec![
        (0.0, 0.1),
        (early, 0.25),
        (from_s, 1.15),
        (top_s, 1.1),
        (to_s, 1.05),
        (late, 0.55),
        (land_s, 0.35),
        (s.seconds, 0.08),
    ];
    // The hand stays while the shoulder is within its reach.
    s.holds.push(Hold {
        side: Side::Left,
        from_s,
        still_s: to_s,
        to_s,
        reach_s: (from_s - 0.25 * leave_s).min(0.35),
        release_s: 0.3,
        at: Vec3::new(0.20, height + HAND_M, middle + 0.04),
        moved: Vec::new(),
        fingers: Vec3::new(0.35, 0.0, 0.937),
        thumb: Vec3::new(-0.937, 0.0, 0.35),
        elbow: Vec3::new(1.0, 0.2, -0.6),
        facing: PI,
    });
    // The other arm balances.
    s.arms[1].forward = vec![(0.0, 0.1), (leave_s, 0.1), (top_s, -0.2), (land_s, 0.3), (s.seconds, 0.1)];
    s.arms[1].elbow = vec![(0.0, 0.4), (leave_s, 1.3), (top_s, 0.8), (land_s, 0.7), (s.seconds, 0.4)];
    s.arms[0].forward = vec![(0.0, 0.1), (leave_s, 1.0), (land_s, 0.2), (s.seconds, 0.1)];
    s.arms[0].elbow = vec![(0.0, 0.4), (leave_s, 1.8), (land_s, 0.7), (s.seconds, 0.4)];
    // One leg after the other, sideways and folded. The thighs are level, so that the knees are above the top before it is below
    // them.
    let hip = |t: f32, at: [f32; 3], bend: f32| Via { t, at: Place::Hip(Vec3::from_array(at)), bend };
    for (k, t) in [top_s - 0.01, top_s - 0.09].into_iter().enumerate() {
        let vias = &mut s.feet[k].vias;
        vias.retain(|v| v.t < leave_s - 0.05 || v.t > land_s);
        let at = vias.iter().position(|v| v.t > land_s).unwrap_or(vias.len());
        let aside = if k == 0 { -0.32 } else { -0.28 };
        vias.splice(
            at..at,
            [
                hip(leave_s - 0.03, [0.0, -0.50, -0.12], 0.0),
                hip(lerp(leave_s, t, 0.5), [0.5 * aside, -0.44, -0.20], -0.3),
                hip(lerp(leave_s, t, 0.8), [0.9 * aside, -0.22, -0.06], -0.2),
                hip(t, [aside, if k == 0 { -0.06 } else { -0.11 }, 0.08], -0.1),
                hip(lerp(t, land_s, 0.3), [0.8 * aside, -0.32, 0.16], 0.0),
                hip(lerp(t, land_s, 0.52), [-0.06, -0.68, if k == 0 { -0.02 } else { 0.16 }], 0.0),
                hip(land_s + 0.03, [0.0, -0.46, -0.12], 0.1),
            ],
        );
    }
    s.phases = [0.0, from_s, to_s, s.phases[3]];
    s.flight = Some([leave_s, from_s]);
    s.obstacle = Some(ActionObstacle { front, yaw: 0.0, height_m: height, depth_m: WALL_M });
    s
}
