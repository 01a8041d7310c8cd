//! Finds noise from frame to frame.
//!
//! The fourth difference separates white noise from motion: it removes motion and keeps noise. Neighbouring differences of
//! noise have opposite signs (correlation -0.8); those of the remaining motion do not, if frames are close enough.
//!
//! Frames are close enough at 60 Hz. At 30 Hz a landing foot or a sprinter's arm turns within two frames, and the remaining
//! motion alternates in sign like noise. So noise must exceed a share of the motion, larger at lower rates, and last as many
//! frames as at 60 Hz: a shock occurs once in a step, noise is in every frame.

use super::check::Check;
use super::curves::weighted;
use super::examined_clip::ExaminedClip;
use super::finding::{Finding, Severity};
use super::parts::Parts;
use footwork::advanced::math::savgol;
use glam::Vec3;

/// Minimum visible noise: 0.3 degrees, or the angle that displaces the end of the joint's subtree by 1.5 mm.
const LEAST_RAD: f32 = 0.0052;
const LEAST_M: f32 = 0.0015;
/// Assumed length of a joint without children, such as a hand or a toe, in metres.
const END_M: f32 = 0.1;
/// Maximum correlation of neighbouring fourth differences of noise.
const OPPOSITE: f32 = -0.5;
/// Minimum ratio of median square to mean square in a window of noise (0.8 for white noise). Noise is everywhere in the window;
/// one outlier or a landing foot is not.
const TYPICAL: f32 = 0.45;
/// Minimum size of noise at 30 Hz relative to the steps from frame to frame without their mean (pure noise: 0.44). The
/// remaining motion, relative to its steps, falls with the square of the rate, and so does this bound.
const SHARE_AT_30_HZ: f32 = 0.2;
/// Length of a window, in seconds, and its minimum number of frames.
const WINDOW_S: f32 = 0.5;
const WINDOW_FRAMES: usize = 30;
/// Minimum duration of noise, in seconds: a trembling marker continues, the shocks of a landing do not.
const LEAST_S: f32 = 0.95;
/// Standard deviation of (x[-2] - 4 x[-1] + 6 x - 4 x[1] + x[2]) / 6 for noise of standard deviation 1.
const GAIN: f32 = 1.394;
/// Window of the smoothing that fixes it, in seconds. A longer one would round off steps.
const SMOOTH_S: f32 = 0.18;

/// Finds noise per joint and stretch, and smooths it.
pub fn check(p: &mut ExaminedClip, _: &Parts, out: &mut Vec<Finding>) {
    let n = p.frames();
    let window = p.frames_in(WINDOW_S).max(WINDOW_FRAMES);
    if n < window + 6 {
        return;
    }
    for j in 0..p.joints() {
        // Two passes: strong noise leaves a remainder after the first.
        for round in 0..2 {
            let found = noisy(p, j, window);
            for (span, size, by_angle) in &found {
                if round == 0 {
                    let finding = finding(p, *size, *by_angle);
                    out.push(finding.at_joint(p.name(j)).over(p, span[0], span[1]));
                }
                smooth(p, j, *span);
            }
            if found.is_empty() {
                break;
            }
        }
    }
}

/// Returns the finding about noise of a size, in metres or radians.
fn finding(p: &ExaminedClip, size: f32, by_angle: bool) -> Finding {
    let what = if by_angle {
        format!("trembles by {:.1} degrees from frame to frame", size.to_degrees())
    } else {
        format!("trembles by {:.1} mm from frame to frame", 1000.0 * size)
    };
    Finding::new(Check::Jitter, Severity::Warning, &p.clip.name, what, "smooth it there").mended()
}

/// Returns the noisy stretches: first and last frame, size, and whether the size is an angle.
fn noisy(p: &ExaminedClip, j: usize, window: usize) -> Vec<([usize; 2], f32, bool)> {
    let n = p.frames();
    let turn: Vec<Vec3> = (2..n - 2)
        .map(|f| {
            let q = [f - 2, f - 1, f + 1, f + 2].map(|f| p.local(f, j).rotation);
            let expected = weighted(q, [-1.0 / 6.0, 4.0 / 6.0, 4.0 / 6.0, -1.0 / 6.0], q[1]);
            (expected.inverse() * p.local(f, j).rotation).to_rotation_vector()
        })
        .collect();
    let shift: Vec<Vec3> = (2..n - 2)
        .map(|f| {
            let x = |f: usize| p.local(f, j).translation;
            (x(f - 2) + x(f + 2) - 4.0 * (x(f - 1) + x(f + 1)) + 6.0 * x(f)) / 6.0
        })
        .collect();
    let turns: Vec<Vec3> =
        (1..n).map(|f| (p.local(f - 1, j).rotation.inverse() * p.local(f, j).rotation).to_rotation_vector()).collect();
    let ways: Vec<Vec3> = (1..n).map(|f| p.local(f, j).translation - p.local(f - 1, j).translation).collect();
    let slower = 30.0 / p.clip.rate_hz;
    let share = SHARE_AT_30_HZ * slower * slower;
    let angles = spans(&turn, &turns, window, [LEAST_RAD.max(LEAST_M / reach(p, j)), share], n);
    let mut found: Vec<_> = angles.into_iter().map(|(s, size)| (s, size, true)).collect();
    for (span, size) in spans(&shift, &ways, window, [LEAST_M, share], n) {
        if !found.iter().any(|(s, ..)| s[0] <= span[1] && span[0] <= s[1]) {
            found.push((span, size, false));
        }
    }
    found
}

/// Returns the windows in which fourth differences are noise, joined, each with the noise's size. The size must be at least
/// `least`, and at least `share` of the steps from frame to frame.
fn spans(e: &[Vec3], steps: &[Vec3], window: usize, [least, share]: [f32; 2], n: usize) -> Vec<([usize; 2], f32)> {
    let mut found: Vec<([usize; 2], f32)> = Vec::new();
    let mut start = 0;
    while start < e.len() {
        let end = (start + window).min(e.len());
        let start_here = end.saturating_sub(window);
        let part = &e[start_here..end];
        let power: f32 = part.iter().map(|v| v.length_squared()).sum();
        let pairs: f32 = part.windows(2).map(|w| w[0].dot(w[1])).sum();
        let typical = super::examined_clip::median(part.iter().map(|v| v.length_squared()).collect());
        let size = (power / (3.0 * part.len() as f32)).sqrt() / GAIN;
        let least = least.max(share * varying(&steps[start_here..end + 3]));
        if size > least && pairs < OPPOSITE * power && typical > TYPICAL * power / part.len() as f32 {
            let span = [start_here + 2, (end + 1).min(n - 1)];
            match found.last_mut() {
                Some((last, most)) if span[0] <= last[1] + 2 => {
                    last[1] = span[1];
                    *most = most.max(size);
                }
                _ => found.push((span, size)),
            }
        }
        start += window / 2;
    }
    let least = (window as f32 * LEAST_S / WINDOW_S) as usize;
    found.retain(|([a, b], _)| b - a >= least.min(n - 5));
    found
}

/// Returns the length of a joint's subtree, in metres.
fn reach(p: &ExaminedClip, j: usize) -> f32 {
    let (parents, rest) = (p.clip.skeleton.parents(), p.clip.skeleton.rest_model());
    let mut hangs = vec![false; p.joints()];
    hangs[j] = true;
    let mut reach = END_M;
    for k in j + 1..p.joints() {
        hangs[k] = parents[k].is_some_and(|up| hangs[up.at()]);
        if hangs[k] {
            reach = reach.max((rest[k].translation - rest[j].translation).length());
        }
    }
    reach
}

/// Returns the mean length of steps after subtracting their mean.
fn varying(steps: &[Vec3]) -> f32 {
    let n = steps.len() as f32;
    let mean = steps.iter().sum::<Vec3>() / n;
    steps.iter().map(|s| (*s - mean).length()).sum::<f32>() / n
}

/// Applies a Savitzky-Golay filter over a stretch and some frames beside it, faded in and out.
fn smooth(p: &mut ExaminedClip, j: usize, [first, last]: [usize; 2]) {
    let (n, joints) = (p.frames(), p.joints());
    let window = p.frames_in(SMOOTH_S).max(7);
    let (a, b) = (first.saturating_sub(window), (last + window + 1).min(n));
    let mut q: Vec<_> = (a..b).map(|f| p.local(f, j).rotation).collect();
    for k in 1..q.len() {
        q[k] = q[k].towards(q[k - 1]);
    }
    let series = |value: &dyn Fn(usize) -> f32| {
        let values: Vec<f64> = (a..b).map(|f| f64::from(value(f))).collect();
        savgol::smooth(&values, window, 3, false)
    };
    let turned: Vec<Vec<f64>> = (0..4).map(|c| series(&|f| q[f - a].to_array()[c])).collect();
    let shifted: Vec<Vec<f64>> = (0..3).map(|c| series(&|f| p.local(f, j).translation[c])).collect();
    let clip = p.edit();
    for f in a..b {
        // Full weight within the stretch, falling to zero half a window beyond it.
        let beyond = if f < first { first - f } else { f.saturating_sub(last) };
        let share = (1.0 - beyond as f32 / (0.5 * window as f32)).max(0.0);
        let k = f - a;
        let smooth = footwork::math::Quat::from_array([0, 1, 2, 3].map(|c| turned[c][k] as f32)).normalize();
        let i = f * joints + j;
        clip.rotations[i] = q[k].nlerp(smooth, share);
        let to = Vec3::from_array([0, 1, 2].map(|c| shifted[c][k] as f32));
        clip.translations[i] = clip.translations[i].lerp(to, share);
    }
}
