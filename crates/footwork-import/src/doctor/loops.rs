//! Loops that do not close, and clips that are loops and do not say so.

use super::{Body, Check, Finding, Patient, Severity, weighted};
use footwork::math::{Quat, smoothstep};
use glam::Vec3;

/// A seam is seen where its step is so many times the usual one at the ends, and at least so large (mean over the joints,
/// radians and metres: 1 degree).
const STEPS: f32 = 3.0;
const SEEN: f32 = 0.018;
/// Ends that are this near to a step from each other make a loop, as a share of that step, of a clip that moved away by so
/// many steps meanwhile.
const CLOSES: f32 = 0.6;
const AWAY_STEPS: f32 = 8.0;
/// Shortest loop, seconds: a sprinter's stride takes 0.45.
const LEAST_S: f32 = 0.4;
/// The seam's offset is spread over at most this, seconds either side.
const SPREAD_S: f32 = 0.3;

/// Where the seam lies.
struct Seam {
    /// Frames of one round.
    frames: usize,
    /// What the last frame's step to the first should add to the poses' distance, over the usual step.
    off: f32,
    step: f32,
}

/// How far the ends of a clip are from following on each other. A last frame that repeats the first counts as the first.
fn seam(p: &Patient) -> Seam {
    let n = p.frames();
    let step = 0.5 * (p.pose_distance(0, 1) + p.pose_distance(n - 2, n - 1));
    let repeats = p.pose_distance(n - 1, 0) < 0.5 * step;
    let frames = if repeats { n - 1 } else { n };
    // Joint by joint, half of the way back and half of the way on: where both meet nothing is off.
    let led = |j: usize| {
        let q = |f: usize| p.local(f, j).rotation;
        let l = frames - 1;
        let on = q(l) * (q(l - 1).inverse() * q(l));
        let back = q(0) * (q(1).inverse() * q(0));
        let x = |f: usize| p.local(f, j).translation;
        let miss = on.angle_between(q(0)).min(back.angle_between(q(l)));
        miss + (2.0 * x(l) - x(l - 1) - x(0)).length().min((2.0 * x(0) - x(1) - x(l)).length())
    };
    let off = (1..p.joints()).map(led).sum::<f32>() / (p.joints() - 1).max(1) as f32;
    Seam { frames, off, step }
}

/// Marked loops that do not close.
pub fn open(p: &mut Patient, _: &Body, out: &mut Vec<Finding>) {
    if !p.clip.looping || p.frames() < 4 || p.joints() < 2 {
        return;
    }
    let seam = seam(p);
    if seam.off < STEPS * seam.step || seam.off < SEEN {
        return;
    }
    let what = format!(
        "is marked as a loop, and its ends are {:.0} steps (mean {:.1} degrees a joint) apart",
        seam.off / seam.step.max(1e-4),
        seam.off.to_degrees()
    );
    let finding =
        Finding::new(Check::OpenLoop, Severity::Warning, &p.clip.name, what, "bend both ends until they meet");
    out.push(finding.mended().over(p, seam.frames - 1, seam.frames - 1));
    close(p, seam.frames);
}

/// Loops that are not marked.
pub fn unmarked(p: &mut Patient, _: &Body, out: &mut Vec<Finding>) {
    let n = p.frames();
    if p.clip.looping || n < 8 || p.joints() < 2 || p.clip.seconds() < LEAST_S {
        return;
    }
    let seam = seam(p);
    let away = (0..n).map(|f| p.pose_distance(0, f)).fold(0.0, f32::max);
    if seam.step < 1e-3 || seam.off > CLOSES * seam.step || away < AWAY_STEPS * seam.step {
        return;
    }
    let what = format!("is a loop of {:.2} s and not marked as one", seam.frames as f32 / p.clip.rate_hz);
    let finding =
        Finding::new(Check::UnmarkedLoop, Severity::Hint, &p.clip.name, what, "mark it (`loop = true` in its sidecar)");
    out.push(finding.mended());
    p.edit().looping = true;
}

/// Spreads the offset of the seam over both ends, half to each, fading into the clip. Joint 0 travels and is left alone.
fn close(p: &mut Patient, frames: usize) {
    let joints = p.joints();
    let spread = p.frames_in(SPREAD_S).min(frames / 2).max(1);
    let clip = p.edit();
    clip.translations.truncate(frames * joints);
    clip.rotations.truncate(frames * joints);
    clip.annotations.contacts.iter_mut().for_each(|c| c.on.truncate(frames));
    for j in 1..joints {
        let at = |f: usize| f * joints + j;
        let (l, l1) = (at(frames - 1), at(frames - 2));
        // The moment between last and first frame, as led to from before and from after.
        let q = |i: usize| clip.rotations[i];
        let x = |i: usize| clip.translations[i];
        let end = weighted([q(l1), q(l), q(l), q(l)], [-0.5, 0.5, 0.5, 0.5], q(l));
        let start = weighted([q(at(1)), q(at(0)), q(at(0)), q(at(0))], [-0.5, 0.5, 0.5, 0.5], q(at(0)));
        let turn = (end.inverse() * start).to_rotation_vector();
        let shift: Vec3 = (x(at(0)) * 1.5 - x(at(1)) * 0.5) - (x(l) * 1.5 - x(l1) * 0.5);
        for f in 0..spread {
            let share = 0.5 * smoothstep(1.0 - (f as f32 + 0.5) / spread as f32);
            let (a, b) = (at(f), at(frames - 1 - f));
            clip.rotations[a] = (clip.rotations[a] * Quat::from_rotation_vector(-turn * share)).normalize();
            clip.rotations[b] = (clip.rotations[b] * Quat::from_rotation_vector(turn * share)).normalize();
            clip.translations[a] -= shift * share;
            clip.translations[b] += shift * share;
        }
    }
}
