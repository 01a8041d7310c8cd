//! Feet under the ground or above it.

use super::check::Check;
use super::finding::{Finding, Severity};
use super::parts::Parts;
use super::patient::{Patient, level, median};
use super::support::Support;
use super::ward::Ward;
use glam::Vec3;

/// A toe joint that carries is inside a shoe, metres over the ground: rigs put it between the sole and the top of the foot.
/// (Paws and ankles: up to 0.12.)
const TOE_M: std::ops::RangeInclusive<f32> = -0.015..=0.06;
const ANKLE_M: std::ops::RangeInclusive<f32> = 0.0..=0.14;
/// Clips of one capture stand within this of each other, metres: soles are that thick.
const SET_M: f32 = 0.025;
/// Who stands for less in all, seconds, tells little: a stride of running touches the ground and rolls on. Such clips are not
/// compared with others, only with what can be.
const STANDS_S: f32 = 0.3;
/// Stances on level ground are within this of their median, metres, nine in ten of them: who climbs is not judged.
const LEVEL_M: f32 = 0.03;
/// A planted foot sinks or rises by less, m/s.
const SINKS_MPS: f32 = 0.008;
/// The lowest points of stretches of this length are on the ground, seconds: a step.
const WINDOW_S: f32 = 0.6;
/// Slower over the ground a foot is planted, m/s: half of the builder's bound.
const PLANTED_MPS: f32 = 0.08;
/// Height of stances against time fits a line within this, metres.
const FITS_M: f32 = 0.02;

/// Compares with the ground, and with the other clips; lifts and lowers.
pub fn check(ward: &mut Ward, out: &mut Vec<Finding>) {
    out.extend(ward.each_mut(drift).into_iter().flatten());
    let heights: Vec<Option<Stand>> = ward.each(level_of);
    for k in 0..ward.bodies.len() {
        let of_kind: Vec<usize> = (0..heights.len()).filter(|i| ward.kind_of[*i] == k).collect();
        let known: Vec<f32> =
            of_kind.iter().filter_map(|i| heights[*i]).filter(|s| s.lasts).map(|s| s.height).collect();
        let is_toe = ward.bodies[k].feet.iter().all(|f| f.toe != f.ankle);
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
            let p = &mut ward.patients[i];
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

/// Height of each stance's toe, with the frame at its middle.
fn stances(p: &Patient, body: &Parts, support: &Support) -> Vec<(usize, f32)> {
    let height = |s: &super::support::Stance| {
        median((s.frames[0]..s.frames[1]).map(|f| p.at(f, body.feet[s.foot].toe).y).collect())
    };
    support.stances.iter().map(|s| ((s.frames[0] + s.frames[1]) / 2, height(s))).collect()
}

/// Where feet stand.
#[derive(Clone, Copy, Debug)]
struct Stand {
    height: f32,
    /// For long enough to be compared.
    lasts: bool,
}

/// The height at which the feet stand, where the ground is level.
fn level_of(p: &Patient, body: &Parts) -> Option<Stand> {
    let support = Support::of(p, body)?;
    let heights: Vec<f32> = stances(p, body, &support).into_iter().map(|(_, h)| h).collect();
    let usual = median(heights.clone());
    let level = heights.iter().filter(|h| (**h - usual).abs() < LEVEL_M).count();
    let lasts = support.carried().count() >= p.frames_in(STANDS_S);
    (!heights.is_empty() && level * 10 >= heights.len() * 9).then_some(Stand { height: usual, lasts })
}

/// Ground that sinks or rises under planted feet.
fn drift(p: &mut Patient, body: &Parts) -> Vec<Finding> {
    let (n, rate_hz) = (p.frames(), p.clip.rate_hz);
    if body.feet.len() != 2 {
        return Vec::new();
    }
    // Who carries is told by heights: first without the drift of the lowest points.
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
    let mut straight = Patient::new(p.clip.clone());
    straight.shift(|f| Vec3::new(0.0, -first * f as f32 / rate_hz, 0.0));
    let Some(support) = Support::of(&straight, body) else { return Vec::new() };
    let points: Vec<(f32, f32)> =
        stances(p, body, &support).into_iter().map(|(f, h)| (f as f32 / rate_hz, h)).collect();
    let Some((slope, worst, span_s)) = line(&points) else { return Vec::new() };
    // Who climbs gains height from step to step, and planted feet stay where they are; who drifts takes them along. Feet that
    // land and leave are slow for a moment, too: most of the slow ones are planted.
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

/// The line through points (time, height): its slope, the furthest point from it, and the time between first and last.
fn line(points: &[(f32, f32)]) -> Option<(f32, f32, f32)> {
    let [first, .., last] = points else { return None };
    let n = points.len() as f32;
    let (mt, mh) = points.iter().fold((0.0, 0.0), |(a, b), (t, h)| (a + t / n, b + h / n));
    let (th, tt) = points.iter().fold((0.0, 0.0), |(a, b), (t, h)| (a + (t - mt) * (h - mh), b + (t - mt) * (t - mt)));
    let slope = th / tt.max(1e-6);
    let worst = points.iter().map(|(t, h)| (h - mh - slope * (t - mt)).abs()).fold(0.0, f32::max);
    Some((slope, worst, last.0 - first.0))
}
