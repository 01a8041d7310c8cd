//! Finds one or two frames that stand out of the motion around them. At low rates only one: two frames last as long as the
//! turns of a stride.

use super::check::Check;
use super::curves::{lagrange, weighted};
use super::examined_clip::{ExaminedClip, median};
use super::finding::{Finding, Severity};
use super::parts::Parts;
use footwork::frames::JointIndex;
use footwork::math::{Quat, Transform};
use glam::Vec3;

/// Minimum size of a spike at 60 Hz: 12 degrees, 2 cm. Smaller ones may be motion: landing turns a runner's knee by 10 degrees
/// within a frame. At lower rates the minimum rises, as frames last longer.
const LEAST_RAD: f32 = 0.21;
const LEAST_M: f32 = 0.02;
/// Factor on the minimum for a joint without children: it moves only itself, and toes flick when they land.
const END_TIMES: f32 = 3.0;
/// Minimum ratio of a spike to the deviation of its neighbourhood: impacts reach 4.
const TIMES: f32 = 8.0;
/// Minimum ratio of a spike to its neighbours' steps. Motion that reverses at once (a knee at full extension) deviates by 2/3
/// of a step.
const KINK: f32 = 1.5;
/// Minimum rate for spikes of two frames, in Hz.
const TWO_HZ: f32 = 45.0;
/// Size of the neighbourhood, in frames on either side.
const AROUND: usize = 8;

/// Finds spikes, and replaces them with a curve through their neighbours.
pub fn check(p: &mut ExaminedClip, _: &Parts, out: &mut Vec<Finding>) {
    let n = p.frames();
    if n < 2 * AROUND {
        return;
    }
    let widest = if p.clip.rate_hz < TWO_HZ { 1 } else { 2 };
    for j in 0..p.joints() {
        let is_end = p.clip.skeleton.children(JointIndex::new(j)).next().is_none();
        let slower = (60.0 / p.clip.rate_hz).max(1.0);
        let least = slower * if is_end { END_TIMES } else { 1.0 };
        let mut f = 3;
        let mut off = deviations(p, j);
        while f + 3 < n {
            let here = off[f];
            let is_peak = (f.saturating_sub(2)..=f + 2).all(|k| off[k].score() <= here.score());
            // Two adjacent outliers lower each other's deviation, so the bound is lower here.
            if !(is_peak && here.score() > 0.4 * least) {
                f += 1;
                continue;
            }
            let Some((first, width)) =
                (1..=widest).find_map(|width| best(p, j, f, width, least, &off).map(|a| (a, width)))
            else {
                f += 1;
                continue;
            };
            let size = deviation(p, j, first, width, 0);
            let what = if size.rad / LEAST_RAD >= size.m / LEAST_M {
                format!("stands out of its motion by {:.0} degrees for {width} frame(s)", size.rad.to_degrees())
            } else {
                format!("stands out of its motion by {:.1} cm for {width} frame(s)", 100.0 * size.m)
            };
            let finding =
                Finding::new(Check::Spike, Severity::Warning, &p.clip.name, what, "curve through its neighbours");
            out.push(finding.mended().at_joint(p.name(j)).over(p, first, first + width - 1));
            replace(p, j, first, width);
            for k in first.saturating_sub(3).max(2)..(first + width + 3).min(n - 2) {
                off[k] = deviation(p, j, k, 1, 0);
            }
            f = first + width;
        }
    }
}

/// Deviation of a joint from the curve through its neighbours, in radians and metres.
#[derive(Clone, Copy, Debug, Default)]
struct Off {
    rad: f32,
    m: f32,
}

impl Off {
    /// Returns the deviation relative to the visible minimum: above 1 it is visible.
    fn score(self) -> f32 {
        (self.rad / LEAST_RAD).max(self.m / LEAST_M)
    }
}

fn deviations(p: &ExaminedClip, j: usize) -> Vec<Off> {
    let n = p.frames();
    (0..n).map(|f| if f < 2 || f + 2 >= n { Off::default() } else { deviation(p, j, f, 1, 0) }).collect()
}

/// Returns the value at the k-th frame of the cubic through two frames on either side of `first..first + width`.
fn expected(p: &ExaminedClip, j: usize, first: usize, width: usize, k: usize) -> Transform {
    let w = width as f32;
    let weights = lagrange([-2.0, -1.0, w, w + 1.0], k as f32);
    let around = [first - 2, first - 1, first + width, first + width + 1].map(|f| p.local(f, j));
    let at = around.iter().zip(weights).fold(Vec3::ZERO, |s, (t, w)| s + t.translation * w);
    let q: [Quat; 4] = around.map(|t| t.rotation);
    Transform::new(at, weighted(q, weights, q[1]))
}

fn deviation(p: &ExaminedClip, j: usize, first: usize, width: usize, k: usize) -> Off {
    let (to, is) = (expected(p, j, first, width, k), p.local(first + k, j));
    Off { rad: to.rotation.angle_between(is.rotation), m: (to.translation - is.translation).length() }
}

/// Returns the first frame of a spike of that width near `f`, if the motion is smooth without it.
fn best(p: &ExaminedClip, j: usize, f: usize, width: usize, least_score: f32, off: &[Off]) -> Option<usize> {
    let n = p.frames();
    let (from, to) = if width == 1 { (f, f) } else { (f.saturating_sub(width).max(3), f + width - 1) };
    (from..=to).filter(|a| a + width + 3 < n).find(|a| {
        let size = (0..width).map(|k| deviation(p, j, *a, width, k).score()).fold(0.0, f32::max);
        let least = (0..width).map(|k| deviation(p, j, *a, width, k).score()).fold(f32::MAX, f32::min);
        // Deviation of the frames near the spike but not beside it.
        let outside = |k: &usize| *k + 2 < *a || *k > *a + width + 1;
        let near = (a.saturating_sub(AROUND).max(2)..(a + width + AROUND).min(n - 2)).filter(outside);
        let usual = median(near.map(|k| off[k].score()).collect());
        // Without the spike, its neighbours must be smooth: the step across it is like those beside it.
        let step = |x: usize, y: usize| {
            let (x, y) = (p.local(x, j), p.local(y, j));
            let s = Off { rad: x.rotation.angle_between(y.rotation), m: (x.translation - y.translation).length() };
            s.score()
        };
        let beside = step(a - 3, a - 1).max(step(a + width, a + width + 2));
        let across = step(a - 1, a + width);
        size > least_score
            && least > 0.3 * size
            && size > TIMES * usual
            && size > KINK * width as f32 * 0.5 * beside
            && across < 2.0 * beside * (width + 1) as f32 / 2.0 + 0.5 * size
    })
}

fn replace(p: &mut ExaminedClip, j: usize, first: usize, width: usize) {
    let new: Vec<Transform> = (0..width).map(|k| expected(p, j, first, width, k)).collect();
    let joints = p.joints();
    let clip = p.edit();
    for (k, t) in new.into_iter().enumerate() {
        let i = (first + k) * joints + j;
        (clip.translations[i], clip.rotations[i]) = (t.translation, t.rotation);
    }
}
