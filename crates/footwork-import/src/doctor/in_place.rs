//! Finds treadmill takes: the legs walk, the body stays in place.

use super::check::Check;
use super::examined_clip::ExaminedClip;
use super::finding::{Finding, Severity};
use super::parts::Parts;
use super::support::Support;
use footwork::advanced::math::savgol;
use glam::Vec3;

/// Minimum speed of planted feet, m/s. On a treadmill they move back with the walking speed; otherwise they stand.
const SLIDES_MPS: f32 = 0.35;
/// Maximum speed of the body relative to its feet's speed: it only sways.
const STAYS: f32 = 0.35;
/// Smoothing window of the restored speed, in seconds: half a step, over which a body's speed hardly varies.
const SMOOTH_S: f32 = 0.35;
/// Minimum consistency of the slide's direction relative to the body: length of the mean velocity over mean speed.
const ONE_WAY: f32 = 0.75;

/// Finds them, and moves the body along the path that its feet push back.
pub fn check(p: &mut ExaminedClip, body: &Parts, out: &mut Vec<Finding>) {
    let Some(support) = Support::of(p, body) else { return };
    let n = p.frames();
    let pushes: Vec<Option<Vec3>> = {
        let mut pushes = vec![None; n];
        support.carried().for_each(|f| pushes[f] = Some(-support.slide(p, body, f)));
        pushes
    };
    let known: Vec<(usize, Vec3)> = pushes.iter().enumerate().filter_map(|(f, v)| v.map(|v| (f, v))).collect();
    if known.len() < p.frames_in(0.4) || support.stances.len() < 2 {
        return;
    }
    // Mean over frames, so that each stance counts by its duration.
    let speed = known.iter().map(|(_, v)| v.length()).sum::<f32>() / known.len() as f32;
    let ahead = |f: usize, v: Vec3| {
        let forward = body.forward(p, f);
        Vec3::new(v.dot(Vec3::Y.cross(forward)), 0.0, v.dot(forward))
    };
    let mean = known.iter().fold(Vec3::ZERO, |s, (f, v)| s + ahead(*f, *v)) / known.len() as f32;
    let half = p.frames_in(0.5 * SMOOTH_S);
    let goes = |f: usize| {
        let (a, b) = (f.saturating_sub(half), (f + half).min(n - 1));
        super::examined_clip::level(p.at(b, body.hips) - p.at(a, body.hips)).length() * p.clip.rate_hz
            / (b - a).max(1) as f32
    };
    let goes = known.iter().map(|(f, _)| goes(*f)).sum::<f32>() / known.len() as f32;
    if speed < SLIDES_MPS || mean.length() < ONE_WAY * speed || goes > STAYS * speed {
        return;
    }
    let velocity = filled(&pushes, p.frames_in(SMOOTH_S));
    let mut at = Vec3::ZERO;
    let way: Vec<Vec3> = (0..n)
        .map(|f| {
            if f > 0 {
                at += (velocity[f - 1] + velocity[f]) * (0.5 / p.clip.rate_hz);
            }
            at
        })
        .collect();
    let what = format!("no root motion: feet run at {speed:.1} m/s under a body that stays (a treadmill take)");
    let finding =
        Finding::new(Check::InPlace, Severity::Error, &p.clip.name, what, "give the body the way of its carrying feet");
    out.push(finding.mended().over(p, 0, n - 1));
    p.shift(|f| way[f]);
}

/// Interpolates linearly between the known values, and smooths the result.
fn filled(values: &[Option<Vec3>], window: usize) -> Vec<Vec3> {
    let n = values.len();
    let known: Vec<usize> = (0..n).filter(|f| values[*f].is_some()).collect();
    let at = |f: usize| {
        let b = known.partition_point(|k| *k < f);
        let (a, b) = (known[b.saturating_sub(1)], known[b.min(known.len() - 1)]);
        let t = if b > a { (f.clamp(a, b) - a) as f32 / (b - a) as f32 } else { 0.0 };
        values[a].unwrap_or_default().lerp(values[b].unwrap_or_default(), t)
    };
    let smooth = |k: usize| savgol::smooth(&(0..n).map(|f| f64::from(at(f)[k])).collect::<Vec<_>>(), window, 1, false);
    let (x, z) = (smooth(0), smooth(2));
    (0..n).map(|f| Vec3::new(x[f] as f32, 0.0, z[f] as f32)).collect()
}
