//! Finds a root that leaves its body, and a body that drifts off its feet.

use super::check::Check;
use super::examined_clip::{ExaminedClip, level, median};
use super::finding::{Finding, Severity};
use super::parts::Parts;
use super::support::Support;
use footwork::advanced::math::savgol;
use footwork::frames::JointIndex;
use footwork::math::Transform;
use glam::Vec3;

/// Maximum horizontal distance between the root bone and the hips, in metres.
const BESIDE_M: f32 = 0.6;
/// Minimum steady drift of the planted feet, m/s: capture without drift stays under 0.02.
const DRIFT_MPS: f32 = 0.04;
/// Maximum drift, m/s; faster feet are running, not drifting.
const MOST_MPS: f32 = 0.6;
/// Minimum share of the stances that must agree, within 40 degrees and a factor of 2.
const AGREE: f32 = 0.75;
/// Minimum number of stances for a finding.
const LEAST_STANCES: usize = 4;
/// Smoothing window of a root that is moved under the hips, in seconds, as in a build.
const SMOOTH_S: f32 = 0.5;

/// Finds both faults, moves the root back and removes the drift.
pub fn check(p: &mut ExaminedClip, body: &Parts, out: &mut Vec<Finding>) {
    beside(p, body, out);
    drift(p, body, out);
}

/// Returns true if the root bone leaves the body.
pub fn is_beside(p: &ExaminedClip, body: &Parts) -> bool {
    farthest(p, body).is_some()
}

/// Returns the largest horizontal distance of the root bone from the body, in metres, and its frame; `None` if it stays near.
fn farthest(p: &ExaminedClip, body: &Parts) -> Option<(f32, usize)> {
    if body.hips == 0 {
        return None;
    }
    let n = p.frames();
    let off = |f: usize| level(p.at(f, body.hips) - p.at(f, 0)).length();
    let (worst, at) = (0..n).map(|f| (off(f), f)).fold((0.0, 0), |m, v| if v.0 > m.0 { v } else { m });
    // A root that never moves is ignored: the build makes its own.
    let still = || (1..n).all(|f| (p.at(f, 0) - p.at(0, 0)).length() < 1e-3);
    (worst >= BESIDE_M && !still()).then_some((worst, at))
}

fn beside(p: &mut ExaminedClip, body: &Parts, out: &mut Vec<Finding>) {
    let Some((worst, at)) = farthest(p, body) else { return };
    let n = p.frames();
    let (severity, told) = match body.root_is_made {
        true => (Severity::Hint, "; a build makes another root"),
        false => (Severity::Error, ""),
    };
    let what = format!("the root bone is up to {worst:.1} m beside its body{told}");
    let finding = Finding::new(Check::RootDrift, severity, &p.clip.name, what, "put the root under the hips");
    out.push(finding.mended().over(p, at, at));
    let place = |k: usize| {
        let values: Vec<f64> = (0..n).map(|f| f64::from(p.at(f, body.hips)[k])).collect();
        savgol::smooth(&values, p.frames_in(SMOOTH_S), 3, false)
    };
    let (x, z) = (place(0), place(2));
    let joints = p.joints();
    let children: Vec<usize> = p.clip.skeleton.children(JointIndex(0)).map(JointIndex::at).collect();
    let clip = p.edit();
    for f in 0..n {
        let i = f * joints;
        let old = Transform::new(clip.translations[i], clip.rotations[i]);
        let new = Transform::new(Vec3::new(x[f] as f32, old.translation.y, z[f] as f32), old.rotation);
        clip.translations[i] = new.translation;
        for c in &children {
            let local = new.inverse() * (old * Transform::new(clip.translations[i + c], clip.rotations[i + c]));
            (clip.translations[i + c], clip.rotations[i + c]) = (local.translation, local.rotation);
        }
    }
}

fn drift(p: &mut ExaminedClip, body: &Parts, out: &mut Vec<Finding>) {
    let Some(support) = Support::of(p, body) else { return };
    if support.stances.len() < LEAST_STANCES {
        return;
    }
    let slides: Vec<Vec3> = support.stances.iter().map(|s| Support::stance_velocity(p, body, s)).collect();
    let usual =
        Vec3::new(median(slides.iter().map(|v| v.x).collect()), 0.0, median(slides.iter().map(|v| v.z).collect()));
    let speed = usual.length();
    // Deviation of the stances from the common drift: in captured data, planted feet creep in different directions.
    let rest = median(slides.iter().map(|v| (*v - usual).length()).collect());
    let agrees =
        |v: &&Vec3| v.dot(usual) > 0.766 * v.length() * speed && v.length() < 2.0 * speed && v.length() > 0.5 * speed;
    let agreeing = slides.iter().filter(agrees).count();
    if !(DRIFT_MPS..MOST_MPS).contains(&speed) || rest > 0.5 * speed || (agreeing as f32) < AGREE * slides.len() as f32
    {
        return;
    }
    let what = format!("drifts against its feet: planted, they all slide {:.0} cm/s one way", 100.0 * speed);
    let finding =
        Finding::new(Check::RootDrift, Severity::Warning, &p.clip.name, what, "take the drift out of the root");
    out.push(finding.mended().over(p, 0, p.frames() - 1));
    let per_frame = usual / p.clip.rate_hz;
    p.shift(|f| -per_frame * f as f32);
}
