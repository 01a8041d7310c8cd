//! Finds frames held in the midst of motion: hidden markers, or a capture that stalled.

use super::check::Check;
use super::curves::weighted;
use super::examined_clip::{ExaminedClip, runs};
use super::finding::{Finding, Severity};
use super::parts::Parts;
use footwork::math::Quat;
use glam::Vec3;

/// Maximum step of a held joint, in radians and metres: a hundred times less than breathing causes in a frame.
const SAME: f32 = 2e-5;
/// Minimum speed on both sides of a hold, in radians (or metres) per second: a body does not stop from 17 degrees per second
/// within a frame.
const MOVING: f32 = 0.3;
/// Minimum length of a hold, in seconds: of one joint, and of the whole body.
const JOINT_S: f32 = 0.1;
const BODY_S: f32 = 0.045;
/// Maximum length of a hold that is bridged, in seconds: about one step.
const MOST_S: f32 = 0.5;
/// Minimum share of the moving joints that must be held for a hold of the whole body.
const BODY_SHARE: f32 = 0.7;

/// Finds holds, and replaces them with a smooth curve.
pub fn check(p: &mut ExaminedClip, _: &Parts, out: &mut Vec<Finding>) {
    let (n, joints) = (p.frames(), p.joints());
    if n < 8 {
        return;
    }
    let steps: Vec<Vec<f32>> = (0..joints).map(|j| (1..n).map(|f| step(p, f, j)).collect()).collect();
    let holds: Vec<(usize, [usize; 2])> = (0..joints)
        .flat_map(|j| runs(steps[j].iter().map(|s| *s < SAME)).into_iter().map(move |r| (j, r)))
        .filter(|(j, [a, b])| b - a >= 2 && !at_stop(p, *j, *a) && moves(&steps[*j], *a, *b, p.clip.rate_hz))
        .collect();
    let mut spans: Vec<[usize; 2]> = holds.iter().map(|(_, r)| *r).collect();
    spans.sort_unstable();
    spans.dedup();
    for [a, b] in spans {
        let held: Vec<usize> = holds.iter().filter(|(_, r)| *r == [a, b]).map(|(j, _)| *j).collect();
        let moving = (0..joints).filter(|j| moves(&steps[*j], a, b, p.clip.rate_hz)).count();
        let whole = held.len() > 2 && held.len() as f32 >= BODY_SHARE * moving as f32;
        let seconds = (b - a) as f32 / p.clip.rate_hz;
        if seconds < if whole { BODY_S } else { JOINT_S } {
            continue;
        }
        let who = if whole { "the whole body is" } else { "is" };
        let what = format!("{who} held for {seconds:.2} s in the midst of motion");
        let mut finding = Finding::new(Check::Frozen, Severity::Warning, &p.clip.name, what, "").over(p, a, b);
        finding.mend = "cut it out (`discard`): too long to make up".into();
        if seconds <= MOST_S {
            // If the whole body is held, all joints are bridged, including those that had just come to rest.
            let joints: Vec<usize> = if whole { (0..joints).collect() } else { held.clone() };
            joints.into_iter().for_each(|j| bridge(p, j, a, b));
            finding.mend = "curve over the gap".into();
            finding = finding.mended();
        } else {
            finding = finding.mended_by_discard(p);
        }
        match (whole, &held[..]) {
            (false, [first, ..]) => {
                let name = p.name(*first).to_owned();
                out.push(finding.at_joint(&name));
            }
            _ => out.push(finding),
        }
    }
}

/// Returns true for a joint in its rest pose: flat toes and straight knees are held by their stop, not by a fault.
fn at_stop(p: &ExaminedClip, j: usize, f: usize) -> bool {
    j > 0 && p.local(f, j).rotation.angle_between(p.clip.skeleton.rest()[j].rotation) < 1e-3
}

/// Returns the change of a joint from frame f - 1 to f, in radians and metres.
fn step(p: &ExaminedClip, f: usize, j: usize) -> f32 {
    let (a, b) = (p.local(f - 1, j), p.local(f, j));
    a.rotation.angle_between(b.rotation) + (a.translation - b.translation).length()
}

/// Returns true if the joint moves before and after `a..b`.
fn moves(steps: &[f32], a: usize, b: usize, rate_hz: f32) -> bool {
    // Two steps on each side must be fast: a jump to another position and back, with rest between, is not a hold.
    let before = a.checked_sub(2).map(|k| steps[k].min(steps[k + 1]));
    let after = steps.get(b + 1).map(|s| s.min(steps[b]));
    before.zip(after).is_some_and(|(x, y)| x.min(y) * rate_hz > MOVING)
}

/// Fills the frames between `a` and `b + 1` with a cubic that matches position and speed at both ends. The step out of a hold
/// also covers the held time, so the end speed is taken one frame later.
fn bridge(p: &mut ExaminedClip, j: usize, a: usize, b: usize) {
    let (n, joints) = (p.frames(), p.joints());
    let at = [a.saturating_sub(1), a, (b + 1).min(n - 1), (b + 2).min(n - 1)];
    let around = at.map(|f| p.local(f, j));
    let span = (at[2] - at[1]) as f32;
    let q: [Quat; 4] = around.map(|t| t.rotation);
    let clip = p.edit();
    for f in a + 1..=b {
        let t = (f - a) as f32 / span;
        // Weights of the four frames for a Hermite curve, with slopes from differences over one frame.
        let (t2, t3) = (t * t, t * t * t);
        let (m0, m1) = ((t3 - 2.0 * t2 + t) * span, (t3 - t2) * span);
        let w = [-m0, 2.0 * t3 - 3.0 * t2 + 1.0 + m0, 3.0 * t2 - 2.0 * t3 - m1, m1];
        clip.translations[f * joints + j] = around.iter().zip(w).fold(Vec3::ZERO, |s, (t, w)| s + t.translation * w);
        clip.rotations[f * joints + j] = weighted(q, w, q[1]);
    }
}
