//! Finds the planted foot from heights alone, as the speeds may be wrong.

use super::examined_clip::{ExaminedClip, level, median, runs};
use super::parts::Parts;
use glam::Vec3;

/// Maximum height of a planted foot above the lowest position nearby, in metres: toes clear the ground by little more in a
/// step.
const LOW_M: f32 = 0.03;
/// Time on either side that counts as nearby, in seconds: longer than half a step, and short enough for rising terrain.
const NEARBY_S: f32 = 0.4;
/// Minimum difference in height at which the other foot becomes the lower one, in metres: above the noise of capture.
const TAKES_OVER_M: f32 = 0.01;
/// Minimum length of a stance, in seconds: a sprinter's takes 0.09 s.
const SHORTEST_S: f32 = 0.08;

/// A stretch in which a foot is planted.
#[derive(Clone, Copy, Debug)]
pub struct Stance {
    /// Index into `Parts::feet`.
    pub foot: usize,
    /// First frame, and one past the last; the rolling at both ends is left out.
    pub frames: [usize; 2],
}

/// Planted foot of each frame.
#[derive(Clone, Debug)]
pub struct Support {
    /// `[frames]` the lower foot.
    pub foot: Vec<usize>,
    /// `[frames]` whether the lower foot is near the ground.
    pub low: Vec<bool>,
    /// Stances, in order of time.
    pub stances: Vec<Stance>,
}

impl Support {
    /// Returns `None` unless there are two feet and the body stands on them. For a body on four paws, heights do not show which
    /// paws are planted, even if only the hind ones are recognised.
    pub fn of(p: &ExaminedClip, body: &Parts) -> Option<Self> {
        if body.feet.len() != 2 || p.frames() < 3 || !upright(p, body) {
            return None;
        }
        let n = p.frames();
        // Mean of toe and ankle: the toe of a swinging foot is low at times, its ankle is not.
        let height = |f: usize, k: usize| 0.5 * (p.at(f, body.feet[k].toe).y + p.at(f, body.feet[k].ankle).y);
        let mut foot = Vec::with_capacity(n);
        let mut now = 0;
        for f in 0..n {
            let lowest = (0..body.feet.len()).min_by(|a, b| height(f, *a).total_cmp(&height(f, *b))).unwrap_or(0);
            if f == 0 || height(f, lowest) < height(f, now) - TAKES_OVER_M {
                now = lowest;
            }
            foot.push(now);
        }
        let toe: Vec<f32> = (0..n).map(|f| p.at(f, body.feet[foot[f]].toe).y).collect();
        let near = p.frames_in(NEARBY_S);
        let ground =
            |f: usize| toe[f.saturating_sub(near)..(f + near + 1).min(n)].iter().copied().fold(f32::MAX, f32::min);
        let low: Vec<bool> = (0..n).map(|f| toe[f] - ground(f) < LOW_M).collect();
        let mut stances = Vec::new();
        for k in 0..body.feet.len() {
            for [a, b] in runs((0..n).map(|f| low[f] && foot[f] == k)) {
                let roll = (b - a) / 5;
                if b - a >= p.frames_in(SHORTEST_S).max(3) {
                    stances.push(Stance { foot: k, frames: [a + roll, b - roll] });
                }
            }
        }
        stances.sort_by_key(|s| s.frames);
        Some(Self { foot, low, stances })
    }

    /// Returns the horizontal velocity of the planted toe in a frame, m/s.
    pub fn slide(&self, p: &ExaminedClip, body: &Parts, frame: usize) -> Vec3 {
        level(p.velocity(frame, body.feet[self.foot[frame]].toe))
    }

    /// Returns the frames within stances, each once.
    pub fn carried(&self) -> impl Iterator<Item = usize> + '_ {
        self.stances.iter().flat_map(|s| s.frames[0]..s.frames[1])
    }

    /// Returns the usual horizontal velocity of a foot over a stance, m/s: the median of each component.
    pub fn stance_velocity(p: &ExaminedClip, body: &Parts, stance: &Stance) -> Vec3 {
        let toe = body.feet[stance.foot].toe;
        let part = |k: usize| median((stance.frames[0]..stance.frames[1]).map(|f| p.velocity(f, toe)[k]).collect());
        Vec3::new(part(0), 0.0, part(2))
    }
}

/// Returns false if the body is on all fours most of the time: its trunk is near horizontal, or its hands are on the ground.
fn upright(p: &ExaminedClip, body: &Parts) -> bool {
    /// Sine of the minimum angle between trunk and ground, 35 degrees. Runners bend forward to 45 degrees.
    const RISES: f32 = 0.57;
    /// Minimum height of the hands above the feet, as a share of the leg length. It excludes a sitting dog, whose trunk rises.
    const HANDS: f32 = 0.25;
    const SAMPLES: usize = 100;
    let (Some(top), Some(foot)) = (body.top(), body.feet.first()) else { return true };
    let n = p.frames();
    let leg = foot.leg.map_or(0.0, |l| (p.at(0, l.hip.at()) - p.at(0, l.knee.at())).length());
    let leg = leg + foot.leg.map_or(0.0, |l| (p.at(0, l.knee.at()) - p.at(0, l.ankle.at())).length());
    let frames: Vec<usize> = (0..n).step_by((n / SAMPLES).max(1)).collect();
    let stands = |f: &&usize| {
        let trunk = p.at(**f, top) - p.at(**f, body.hips);
        let feet = body.feet.iter().map(|k| p.at(**f, k.toe).y).fold(f32::MAX, f32::min);
        let hands = body.arms.map_or(f32::MAX, |arms| arms.iter().map(|a| p.at(**f, a[2]).y).fold(f32::MAX, f32::min));
        trunk.y > RISES * trunk.length() && hands - feet > HANDS * leg
    };
    2 * frames.iter().filter(stands).count() >= frames.len()
}
