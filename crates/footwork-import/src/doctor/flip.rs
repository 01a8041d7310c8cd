//! Finds abrupt rotations that persist: flipped axes, half turns, two takes in one clip.
//!
//! The sign of a quaternion does not matter: q and -q are one rotation, and a build aligns them.

use super::check::Check;
use super::examined_clip::{ExaminedClip, median};
use super::finding::{Finding, Severity};
use super::parts::Parts;
use footwork::math::Quat;

/// Maximum speed of a joint, rad/s: 40 degrees per frame at 60 Hz. Even a pitcher's shoulder does not sustain it.
const FASTEST_RAD_S: f32 = 42.0;
/// A rotation above the first value per frame is a jump at any rate, in radians (100 degrees); one below the second never is
/// (35 degrees).
const ALWAYS_RAD: f32 = 1.75;
const NEVER_RAD: f32 = 0.61;
/// Minimum ratio of a jump to the steps of the neighbouring frames.
const STEPS: f32 = 5.0;
/// Minimum length of a run, in frames; a shorter one is a spike.
const LEAST_FRAMES: usize = 3;
/// Maximum length of a run that is turned back, in seconds. Longer runs are only reported: two jumps that far apart may be
/// unrelated.
const MOST_S: f32 = 2.0;
/// Maximum distance between a corrected run and the motion after it, in radians (20 degrees).
const FITS_RAD: f32 = 0.35;
/// If this share of the joints jumps in one frame, another take begins there.
const ALL_SHARE: f32 = 0.4;

/// Finds jumps, and turns back the runs between two of them.
pub fn check(p: &mut ExaminedClip, _: &Parts, out: &mut Vec<Finding>) {
    let (n, joints) = (p.frames(), p.joints());
    if n < 2 * LEAST_FRAMES + 2 {
        return;
    }
    let jumps: Vec<Vec<usize>> = (0..joints).map(|j| jumps(p, j)).collect();
    // Joints that jump in the same frame show a cut, not a fault of a joint.
    let mut at = vec![0usize; n];
    jumps.iter().flatten().for_each(|f| at[*f] += 1);
    let cuts: Vec<usize> = (0..n).filter(|f| at[*f] as f32 > ALL_SHARE * joints as f32 && at[*f] > 2).collect();
    for f in &cuts {
        let what = format!("the whole pose jumps ({} joints): two takes in one", at[*f]);
        let mend = format!("split it at {:.2} s, or cut around it (`discard`)", *f as f32 / p.told_rate_hz);
        let finding = Finding::new(Check::Flip, Severity::Error, &p.clip.name, what, mend);
        out.push(finding.over(p, f - 1, *f).mended_by_discard(p));
    }
    for (j, mut jumps) in jumps.into_iter().enumerate() {
        jumps.retain(|f| !cuts.contains(f));
        let mut from = 0;
        while from < jumps.len() {
            let start = jumps[from];
            let next = jumps.get(from + 1).copied();
            // The run ends at the next jump if that is near enough; otherwise this jump stands alone.
            let back = next.filter(|end| end - start <= p.frames_in(MOST_S));
            let end = back.unwrap_or(n);
            from += 1 + usize::from(back.is_some());
            if end - start < LEAST_FRAMES {
                continue;
            }
            let turned = step(p, start - 1, start, j).to_degrees();
            // A run up to the end can also be read as a run from the start: the shorter one is the fault.
            let (a, b) = if end == n && start < n - start { (0, start) } else { (start, end) };
            let short = b - a <= p.frames_in(MOST_S) && (end < n || next.is_none());
            let stays = if short { ", and stays so for a while" } else { "" };
            let what = format!("turns by {turned:.0} degrees from one frame to the next{stays}");
            let finding = Finding::new(Check::Flip, Severity::Error, &p.clip.name, what, "").at_joint(p.name(j));
            // Without a jump back, the finding covers only the jump.
            let finding = if short { finding.over(p, a, b - 1) } else { finding.over(p, start - 1, start) };
            out.push(match short && turn_back(p, j, a, b) {
                true => Finding { mend: "turn the run back onto the motion around it".into(), ..finding }.mended(),
                false => Finding { mend: "mend the source, or cut it out (`discard`)".into(), ..finding }
                    .mended_by_discard(p),
            });
        }
    }
}

fn step(p: &ExaminedClip, a: usize, b: usize, j: usize) -> f32 {
    p.local(a, j).rotation.angle_between(p.local(b, j).rotation)
}

/// Returns the first frame after each jump.
fn jumps(p: &ExaminedClip, j: usize) -> Vec<usize> {
    let n = p.frames();
    let steps: Vec<f32> = (1..n).map(|f| step(p, f - 1, f, j)).collect();
    let limit = (FASTEST_RAD_S / p.clip.rate_hz).clamp(NEVER_RAD, ALWAYS_RAD);
    let around = |f: usize| {
        let near = (f.saturating_sub(5)..(f + 6).min(steps.len())).filter(|k| *k != f);
        median(near.map(|k| steps[k]).collect())
    };
    (0..steps.len()).filter(|f| steps[*f] > limit && steps[*f] > STEPS * around(*f)).map(|f| f + 1).collect()
}

/// Extrapolates the motion by one frame: continues the step from `back` to `from`.
fn led(p: &ExaminedClip, j: usize, from: usize, back: usize) -> Quat {
    let (a, b) = (p.local(back, j).rotation, p.local(from, j).rotation);
    (b * (a.inverse() * b)).normalize()
}

/// Turns frames `a..b` by the rotation, in the joint's own axes or its parent's, that continues the motion on both sides.
/// Returns false if none fits.
fn turn_back(p: &mut ExaminedClip, j: usize, a: usize, b: usize) -> bool {
    let n = p.frames();
    let q = |f: usize| p.local(f, j).rotation;
    let before = (a >= 2).then(|| led(p, j, a - 1, a - 2));
    let after = (b + 1 < n).then(|| led(p, j, b, b + 1));
    let (own, parent) = match (before, after) {
        (Some(before), _) => (q(a).inverse() * before, before * q(a).inverse()),
        (None, Some(after)) => (q(b - 1).inverse() * after, after * q(b - 1).inverse()),
        (None, None) => return false,
    };
    let miss = |own: Quat, parent: Quat| {
        let end = |f: usize, to: Option<Quat>| to.map_or(0.0, |to| (parent * q(f) * own).angle_between(to));
        end(a, before).max(end(b - 1, after))
    };
    let (by_own, by_parent) = (miss(own, Quat::IDENTITY), miss(Quat::IDENTITY, parent));
    let one_sided = before.is_none() || after.is_none();
    // With motion on one side only, the fit has no second check: then only half and quarter turns are accepted.
    let angle = own.to_rotation_vector().length().to_degrees();
    let plain = (angle - 180.0).abs() < 20.0 || (angle - 90.0).abs() < 20.0;
    if by_own.min(by_parent) > FITS_RAD || one_sided && !plain {
        return false;
    }
    let (own, parent) = if by_own <= by_parent { (own, Quat::IDENTITY) } else { (Quat::IDENTITY, parent) };
    let joints = p.joints();
    let clip = p.edit();
    for f in a..b {
        let q = &mut clip.rotations[f * joints + j];
        *q = (parent * *q * own).normalize();
    }
    true
}
