//! Finds clips whose feet are below or above the ground.

use super::check::Check;
use super::examination::Examination;
use super::examined_clip::{ExaminedClip, level, median};
use super::finding::{Finding, Severity};
use super::parts::Parts;
use super::support::Support;
use glam::Vec3;

/// Height of a planted toe joint above the ground, in metres: rigs put it between the sole and the top of the foot. For paws
/// and ankles the range is up to 0.14.
const TOE_M: std::ops::RangeInclusive<f32> = -0.015..=0.06;
const ANKLE_M: std::ops::RangeInclusive<f32> = 0.0..=0.14;
/// Maximum difference in stance height between clips of one capture, in metres: about the thickness of a sole.
const SET_M: f32 = 0.025;
/// Minimum planted time in a clip, in seconds. Below it the height is not reliable, as a foot of a runner rolls on after
/// touching the ground. Such a clip is not compared with other clips, only with the plausible range.
const STANDS_S: f32 = 0.3;
/// Maximum distance of a stance from the median height, in metres, on level ground. Nine in ten stances must be within it;
/// climbing clips are not checked.
const LEVEL_M: f32 = 0.03;
/// Minimum vertical drift of planted feet that is a finding, m/s.
const SINKS_MPS: f32 = 0.008;
/// Length of a stretch whose lowest point is on the ground, in seconds: about one step.
const WINDOW_S: f32 = 0.6;
/// Maximum horizontal speed of a planted foot, m/s: half of the builder's bound.
const PLANTED_MPS: f32 = 0.08;
/// Maximum distance of stance heights from a line over time, in metres.
const FITS_M: f32 = 0.02;

/// Compares each clip with the ground and with the other clips, and shifts it to the right height.
pub fn check(examination: &mut Examination, out: &mut Vec<Finding>) {
    out.extend(examination.each_mut(drift).into_iter().flatten());
    let heights: Vec<Option<Stand>> = examination.each(level_of);
    for k in 0..examination.bodies.len() {
        let of_kind: Vec<usize> = (0..heights.len()).filter(|i| examination.kind_of[*i] == k).collect();
        let known: Vec<f32> =
            of_kind.iter().filter_map(|i| heights[*i]).filter(|s| s.lasts).map(|s| s.height).collect();
        let is_toe = examination.bodies[k].feet.iter().all(|f| f.toe != f.ankle);
        let plausible = if is_toe { TOE_M } else { ANKLE_M };
        let usual = median(known.clone());
        let trusted = known.len() >= 3 && plausible.contains(&usual);
        for i in of_kind {
            let Some(Stand { height, lasts }) = heights[i] else { continue };
            let should = if trusted { usual } else { (plausible.start() + plausible.end()) * 0.5 };
            let off = height - should;
            let odd = if trusted && lasts { off.abs() > SET_M } else { !plausible.contains(&height) };
            if !odd {
                continue;
            }
            let p = &mut examination.clips[i];
            let way = if off < 0.0 { "under" } else { "over" };
            let what = format!("feet stand {:.1} cm {way} where they should", 100.0 * off.abs());
            let severity = if off.abs() > 0.05 { Severity::Error } else { Severity::Warning };
            let mend = if off < 0.0 { "lift the clip" } else { "lower the clip" };
            out.push(Finding::new(Check::Ground, severity, &p.clip.name, what, mend).mended().over(
                p,
                0,
                p.frames() - 1,
            ));
            p.shift(|_| Vec3::new(0.0, -off, 0.0));
        }
    }
}

/// Returns the toe height of each stance, with the frame at its middle.
fn stances(p: &ExaminedClip, body: &Parts, support: &Support) -> Vec<(usize, f32)> {
    let height = |s: &super::support::Stance| {
        median((s.frames[0]..s.frames[1]).map(|f| p.at(f, body.feet[s.foot].toe).y).collect())
    };
    support.stances.iter().map(|s| ((s.frames[0] + s.frames[1]) / 2, height(s))).collect()
}

/// Height at which the feet are planted.
#[derive(Clone, Copy, Debug)]
struct Stand {
    height: f32,
    /// True if the planted time is long enough for a comparison with other clips.
    lasts: bool,
}

/// Returns the height at which the feet are planted; `None` if the ground is not level.
fn level_of(p: &ExaminedClip, body: &Parts) -> Option<Stand> {
    let support = Support::of(p, body)?;
    let heights: Vec<f32> = stances(p, body, &support).into_iter().map(|(_, h)| h).collect();
    let usual = median(heights.clone());
    let level = heights.iter().filter(|h| (**h - usual).abs() < LEVEL_M).count();
    let lasts = support.carried().count() >= p.frames_in(STANDS_S);
    (!heights.is_empty() && level * 10 >= heights.len() * 9).then_some(Stand { height: usual, lasts })
}

/// Finds and removes a constant vertical drift of planted feet.
fn drift(p: &mut ExaminedClip, body: &Parts) -> Vec<Finding> {
    let (n, rate_hz) = (p.frames(), p.clip.rate_hz);
    if body.feet.len() != 2 {
        return Vec::new();
    }
    // Stances are found by height, so the drift of the lowest points is removed first.
    let lowest = |f: usize| body.feet.iter().map(|k| p.at(f, k.toe).y).fold(f32::MAX, f32::min);
    let window = p.frames_in(WINDOW_S);
    let minima: Vec<(f32, f32)> = (0..n)
        .step_by(window)
        .filter(|a| a + window <= n)
        .map(|a| {
            (a..a + window)
                .map(|f| (f as f32 / rate_hz, lowest(f)))
                .min_by(|x, y| x.1.total_cmp(&y.1))
                .unwrap_or_default()
        })
        .collect();
    let Some((first, ..)) = line(&minima) else { return Vec::new() };
    if first.abs() < SINKS_MPS {
        return Vec::new();
    }
    let mut straight = ExaminedClip::new(p.clip.clone());
    straight.shift(|f| Vec3::new(0.0, -first * f as f32 / rate_hz, 0.0));
    let Some(support) = Support::of(&straight, body) else { return Vec::new() };
    let points: Vec<(f32, f32)> =
        stances(p, body, &support).into_iter().map(|(f, h)| (f as f32 / rate_hz, h)).collect();
    let Some((slope, worst, span_s)) = line(&points) else { return Vec::new() };
    // In a climbing clip, height rises from step to step and planted feet stay in place; in a drifting clip, planted feet rise
    // or sink too. Feet that land or leave are also slow, but most slow feet are planted.
    let mut rises = Vec::new();
    for toe in body.feet.iter().map(|k| k.toe) {
        let velocities = (0..n).map(|f| p.velocity(f, toe));
        rises.extend(velocities.filter(|v| level(*v).length() < PLANTED_MPS).map(|v| v.y));
    }
    let sinks = median(rises);
    let agrees = sinks * slope > 0.0 && (0.5..2.0).contains(&(sinks / slope));
    let rise = (slope * span_s).abs();
    if slope.abs() < SINKS_MPS || rise < 2.0 * FITS_M || worst > FITS_M.max(0.2 * rise) || !agrees {
        return Vec::new();
    }
    let way = if slope < 0.0 { "sinks" } else { "rises" };
    let what = format!("{way} by {:.1} cm/s, its planted feet too", 100.0 * slope.abs());
    let finding =
        Finding::new(Check::Ground, Severity::Warning, &p.clip.name, what, "take the drift out of the height");
    let finding = finding.mended().over(p, 0, n - 1);
    p.shift(|f| Vec3::new(0.0, -slope * f as f32 / rate_hz, 0.0));
    vec![finding]
}

/// Fits a line through points (time, height): returns its slope, the largest distance of a point from it, and the time between
/// first and last.
fn line(points: &[(f32, f32)]) -> Option<(f32, f32, f32)> {
    let [first, .., last] = points else { return None };
    let n = points.len() as f32;
    let (mt, mh) = points.iter().fold((0.0, 0.0), |(a, b), (t, h)| (a + t / n, b + h / n));
    let (th, tt) = points.iter().fold((0.0, 0.0), |(a, b), (t, h)| (a + (t - mt) * (h - mh), b + (t - mt) * (t - mt)));
    let slope = th / tt.max(1e-6);
    let worst = points.iter().map(|(t, h)| (h - mh - slope * (t - mt)).abs()).fold(0.0, f32::max);
    Some((slope, worst, last.0 - first.0))
}
