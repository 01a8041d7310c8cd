//! Value iteration: the loss from each segment on, for each goal.

use super::grid::{BINS, Between, Grid, SPEEDS, TURNS, mirrored};
use super::moments::{Graph, Step};
use super::spec::ForesightSpec;
use glam::Vec3;

/// Iteration ends when a sweep changes no value by more, metres. Late changes are uniform, and only differences count.
const SETTLED_M: f32 = 1e-2;
/// Maximum number of sweeps.
const MOST_SWEEPS: usize = 200;

/// Returns the `[segments x bins]` loss in metres if the segment is played to its end and actions are optimal from there on,
/// and the number of sweeps. Sweeps run backward, so that later segments of a clip are updated before earlier ones.
pub(super) fn solve(graph: &Graph, grid: &Grid) -> (Vec<f32>, usize) {
    let n = graph.steps.len();
    let losses: Vec<f32> = graph.steps.iter().flat_map(|step| (0..BINS).map(|bin| loss(step, grid, bin))).collect();
    // Loss after playing a segment, and loss at its start with the choice to leave it.
    let (mut played, mut free) = (vec![0.0f32; n * BINS], vec![0.0f32; n * BINS]);
    let mut sweeps = 0;
    while sweeps < MOST_SWEEPS {
        sweeps += 1;
        let mut change = 0.0f32;
        for moment in (0..n).rev() {
            let next = graph.next[moment].map_or(moment, |next| next as usize);
            let at = moment * BINS..(moment + 1) * BINS;
            let step = &graph.steps[moment];
            let kept = kept(step.seconds);
            let turned = Turned::new(step);
            let ahead = turned.of(&free[next * BINS..][..BINS]);
            for ((value, loss), ahead) in played[at.clone()].iter_mut().zip(&losses[at.clone()]).zip(ahead) {
                *value = loss + kept * ahead;
            }
            let mut best = [f32::INFINITY; BINS];
            // A clip cannot continue at its end.
            if graph.next[moment].is_some() || graph.neighbours(moment).is_empty() {
                best.copy_from_slice(&played[at.clone()]);
            }
            for to in graph.neighbours(moment) {
                let jump = ForesightSpec::JUMP_M * to.cost;
                let values = &played[to.moment as usize * BINS..][..BINS];
                if to.mirrored {
                    (0..BINS).for_each(|bin| best[bin] = least(best[bin], jump + values[mirrored(bin)]));
                } else {
                    best.iter_mut().zip(values).for_each(|(b, v)| *b = least(*b, jump + v));
                }
            }
            let free = &mut free[at];
            for (old, new) in free.iter().zip(&best) {
                let by = (new - old).abs();
                change = if by > change { by } else { change };
            }
            free.copy_from_slice(&best);
        }
        if change < SETTLED_M {
            break;
        }
    }
    (played, sweeps)
}

/// Returns the lesser of two numbers.
#[inline]
fn least(a: f32, b: f32) -> f32 {
    // `f32::min` also handles NaN, which does not occur here, and is slower.
    if b < a { b } else { a }
}

/// Returns the factor on a loss that occurs after this time.
fn kept(seconds: f32) -> f32 {
    crate::math::exp(-std::f32::consts::LN_2 * seconds / ForesightSpec::HALF_LIFE_S)
}

/// Returns the loss of a segment while it is played.
fn loss(step: &Step, grid: &Grid, bin: usize) -> f32 {
    let (facing, speed_mps) = grid.goal(bin);
    let behind = facing.direction() * speed_mps - Vec3::new(step.velocity.x, 0.0, step.velocity.z);
    step.seconds * (behind.length() + ForesightSpec::TURN_MPS * facing.yaw().abs())
}

/// Maps goals from bin to bin by a segment's rotation.
struct Turned(Between);

impl Turned {
    fn new(step: &Step) -> Self {
        Self(Between::of_turn(-step.turn_rad))
    }

    /// Returns the `[bins]` values of the goals after the rotation.
    fn of(&self, values: &[f32]) -> [f32; BINS] {
        let Between { low, share, .. } = self.0;
        let mut out = [0.0; BINS];
        for speed in 0..SPEEDS {
            let of_speed = speed * TURNS..(speed + 1) * TURNS;
            // The circle twice, so that slices need not wrap around.
            let mut circle = [0.0; 2 * TURNS];
            circle[..TURNS].copy_from_slice(&values[of_speed.clone()]);
            circle[TURNS..].copy_from_slice(&values[of_speed.clone()]);
            let pairs = circle[low..low + TURNS].iter().zip(&circle[low + 1..=low + TURNS]);
            out[of_speed].iter_mut().zip(pairs).for_each(|(out, (a, b))| *out = a + (b - a) * share);
        }
        out
    }
}
