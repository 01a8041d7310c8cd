//! A root that leaves its body, a body that drifts off its feet.

use super::check::Check;
use super::finding::{Finding, Severity};
use super::parts::Parts;
use super::patient::{Patient, level, median};
use super::support::Support;
use footwork::frames::JointIndex;
use footwork::math::{Transform, savgol};
use glam::Vec3;

/// A root bone is under the hips or near: further away than this its character stands beside itself, metres.
const BESIDE_M: f32 = 0.6;
/// A steady drift of the planted feet, m/s: capture without drift stays under 0.02.
const DRIFT_MPS: f32 = 0.04;
/// Feet that slide this fast do not drift, they run.
const MOST_MPS: f32 = 0.6;
/// Share of the stances that must agree, within 40 degrees and a factor of 2.
const AGREE: f32 = 0.75;
/// Stances that prove something.
const LEAST_STANCES: usize = 4;
/// Smoothing of a root that is put under the hips, seconds: as a build does.
const SMOOTH_S: f32 = 0.5;

/// Finds either, puts the root back and takes the drift out.
pub fn check(p: &mut Patient, body: &Parts, out: &mut Vec<Finding>) {
    beside(p, body, out);
    drift(p, body, out);
}

/// True where the root bone leaves the body.
pub fn is_beside(p: &Patient, body: &Parts) -> bool {
    farthest(p, body).is_some()
}

/// Largest distance of the root bone from the body on the ground, in metres, and its frame; `None` where it stays under it.
fn farthest(p: &Patient, body: &Parts) -> Option<(f32, usize)> {
    if body.hips == 0 {
        return None;
    }
    let n = p.frames();
    let off = |f: usize| level(p.at(f, body.hips) - p.at(f, 0)).length();
    let (worst, at) = (0..n).map(|f| (off(f), f)).fold((0.0, 0), |m, v| if v.0 > m.0 { v } else { m });
    // A root that never moves is no root: the build makes its own.
    let still = || (1..n).all(|f| (p.at(f, 0) - p.at(0, 0)).length() < 1e-3);
    (worst >= BESIDE_M && !still()).then_some((worst, at))
}

fn beside(p: &mut Patient, body: &Parts, out: &mut Vec<Finding>) {
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

fn drift(p: &mut Patient, body: &Parts, out: &mut Vec<Finding>) {
    let Some(support) = Support::of(p, body) else { return };
    if support.stances.len() < LEAST_STANCES {
        return;
    }
    let slides: Vec<Vec3> = support.stances.iter().map(|s| Support::stance_velocity(p, body, s)).collect();
    let usual =
        Vec3::new(median(slides.iter().map(|v| v.x).collect()), 0.0, median(slides.iter().map(|v| v.z).collect()));
    let speed = usual.length();
    // What the feet do beside it: capture has them creep, each its own way.
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
