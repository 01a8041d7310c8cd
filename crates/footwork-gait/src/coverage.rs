//! Coverage: frames by speed, turn rate and direction of travel relative to the facing, compared with the requests of a
//! stick.

use crate::ground::Ground;
use crate::path::RootPath;
use crate::random_route;
use crate::truth::GaitClip;
use footwork::advanced::math::wrap_angle;

/// A cell of the coverage map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoverageCell {
    /// Lower and upper bound of the speed, in m/s.
    pub speed_mps: [f32; 2],
    /// Bounds of the turn rate of the direction of travel, in degrees/s, positive to the left.
    pub turn_deg_s: [f32; 2],
    /// Direction of travel relative to the facing at the centre of the cell, in degrees, positive to the left.
    pub travel_deg: f32,
    /// Time for which sticks requested this motion, in seconds.
    pub asked_s: f32,
    /// Time for which the clips contain it, in seconds.
    pub have_s: f32,
}

const SPEEDS: [f32; 9] = [0.4, 0.9, 1.4, 1.9, 2.4, 2.9, 3.4, 3.9, 4.4];
const TURNS: [f32; 6] = [-180.0, -90.0, -30.0, 30.0, 90.0, 180.0];
const DIRECTIONS: usize = 8;
const SLICES: usize = (SPEEDS.len() - 1) * (TURNS.len() - 1) * DIRECTIONS;
/// Seeds of the sticks; they differ from those of the data.
const ASKING_SEED: u64 = 0x5EED;
/// Smallest requested time of a cell that counts, and smallest time in the clips that covers it, in seconds.
const ASKED_S: f32 = 0.3;
const HAVE_S: f32 = 0.2;

/// Returns the index of the cell of a motion, if it lies within the map; angles are in degrees.
fn cell(speed: f32, turn: f32, travel: f32) -> Option<usize> {
    let slot = |edges: &[f32], v: f32| edges.windows(2).position(|e| e[0] <= v && v < e[1]);
    let direction = (travel / 45.0 + 8.5).floor() as usize % DIRECTIONS;
    Some((slot(&SPEEDS, speed)? * (TURNS.len() - 1) + slot(&TURNS, turn)?) * DIRECTIONS + direction)
}

/// Returns the coverage map: the requests of random sticks over some minutes, and the motion in the clips.
pub fn coverage(clips: &[GaitClip]) -> Vec<CoverageCell> {
    let mut have = vec![0.0; SLICES];
    // A stick requests an upright body on level ground.
    let plain = |c: &&GaitClip| {
        c.truth.action.is_none()
            && c.truth.root.iter().all(|r| r.translation.y == 0.0)
            && c.truth.crouch.iter().all(|low| *low == 0.0)
    };
    for c in clips.iter().filter(plain) {
        let rate = c.clip.rate_hz;
        let travel: Vec<f32> = c.truth.heading.iter().map(|h| h.yaw()).collect();
        for f in 1..c.clip.frames() {
            let facing = footwork::math::Facing::from_rotation(c.truth.root[f].rotation).yaw();
            let turn = wrap_angle(travel[f] - travel[f - 1]) * rate;
            let off = wrap_angle(travel[f] - facing);
            if let Some(k) = cell(c.truth.speed_mps[f], turn.to_degrees(), off.to_degrees()) {
                have[k] += 1.0 / rate;
            }
        }
    }
    let mut asked = vec![0.0; SLICES];
    for recipe in random_route::recipes(ASKING_SEED).iter().filter(|r| !r.mirrors) {
        let path = RootPath::new(&recipe.legs, Ground::Flat, 0.0, 0.0);
        let dt = 1.0 / 60.0;
        let mut before = None;
        for k in 0..(recipe.seconds() / dt) as usize {
            let p = path.at(k as f32 * dt);
            let travel = footwork::advanced::math::atan2(p.velocity.x, p.velocity.z);
            if let Some(last) = before.replace(travel) {
                let turn = (wrap_angle(travel - last) / dt).to_degrees();
                if let Some(k) = cell(p.velocity.length(), turn, wrap_angle(travel - p.yaw).to_degrees()) {
                    asked[k] += dt;
                }
            }
        }
    }
    (0..SLICES)
        .map(|k| {
            let (speed, rest) = (k / ((TURNS.len() - 1) * DIRECTIONS), k % ((TURNS.len() - 1) * DIRECTIONS));
            let (turn, direction) = (rest / DIRECTIONS, rest % DIRECTIONS);
            CoverageCell {
                speed_mps: [SPEEDS[speed], SPEEDS[speed + 1]],
                turn_deg_s: [TURNS[turn], TURNS[turn + 1]],
                travel_deg: wrap_angle((direction as f32 * 45.0).to_radians()).to_degrees(),
                asked_s: asked[k],
                have_s: have[k],
            }
        })
        .collect()
}

impl CoverageCell {
    /// Returns true if a stick requests motion that the clips lack.
    pub fn is_hole(&self) -> bool {
        self.asked_s >= ASKED_S && self.have_s < HAVE_S
    }
}

/// Returns the requested cells that the clips lack.
pub(crate) fn holes(clips: &[GaitClip]) -> usize {
    coverage(clips).iter().filter(|c| c.is_hole()).count()
}
