//! Finds frames at the ends of a take that are not motion: T-poses and rest poses.

use super::check::Check;
use super::examined_clip::{ExaminedClip, level, median};
use super::finding::{Finding, Severity};
use super::parts::Parts;
use glam::Vec3;

/// Minimum cosine between the arms of a T-pose and the line of the hips: 25 degrees.
const ALONG: f32 = 0.906;
/// Minimum straightness of an arm: distance of its ends over its length.
const STRAIGHT: f32 = 0.97;
/// Maximum mean angle between local rotations and the rest pose for a rest pose, in radians: 2 degrees.
const REST_RAD: f32 = 0.035;
/// Maximum speed of a held pose, rad/s plus m/s, mean over the joints: breathing.
const STILL: f32 = 0.15;
/// Minimum ratio of a jump to the clip's median step; a pose that is left by a smaller step is part of the motion.
const JUMP_STEPS: f32 = 8.0;

/// Finds such frames, and cuts them off.
pub fn check(p: &mut ExaminedClip, body: &Parts, out: &mut Vec<Finding>) {
    let n = p.frames();
    if n < 3 {
        return;
    }
    let odd: Vec<bool> = (0..n).map(|f| is_t_pose(p, body, f) || is_rest(p, f)).collect();
    if odd.iter().all(|o| *o) {
        let what = "nothing but a T-pose or the rest pose".to_owned();
        let mend = "leave it out";
        let finding = Finding::new(Check::Calibration, Severity::Error, &p.clip.name, what, mend);
        out.push(finding.over(p, 0, n - 1).mended_by_discard(p));
        return;
    }
    let steps: Vec<f32> = (1..n).map(|f| p.pose_distance(f - 1, f)).collect();
    let usual = median(steps.clone());
    // Of the qualifying frames, cut those up to an implausible jump, or those held still.
    let jump = |step: f32| step > JUMP_STEPS * usual && step > 0.05;
    let still = |step: f32| step * p.clip.rate_hz < STILL;
    let ending = |frames: &mut dyn Iterator<Item = usize>, step_after: &dyn Fn(usize) -> f32| {
        let run: Vec<usize> = frames.take_while(|f| odd[*f]).collect();
        let jumps = run.iter().rposition(|f| jump(step_after(*f))).map(|i| i + 1);
        let held = run.iter().take_while(|f| still(step_after(**f))).count();
        jumps.unwrap_or(0).max(if held >= p.frames_in(0.2) { held } else { 0 })
    };
    let start = ending(&mut (0..n - 1), &|f| steps[f]);
    let end = ending(&mut (start + 1..n).rev(), &|f| steps[f - 1]);
    let mut say = |first: usize, last: usize, place: &str| {
        let count = last - first + 1;
        let what = format!("{count} frame(s) of a T-pose or the rest pose at the {place}");
        let finding = Finding::new(Check::Calibration, Severity::Error, &p.clip.name, what, "cut them off");
        out.push(finding.mended().over(p, first, last).mended_by_discard(p));
    };
    if start > 0 {
        say(0, start - 1, "start");
    }
    if end > 0 {
        say(n - end, n - 1, "end");
    }
    if start + end > 0 {
        super::edit::cut(p, start..n - end);
    }
}

/// Returns true for an upright body with both arms straight out to the sides.
fn is_t_pose(p: &ExaminedClip, body: &Parts, f: usize) -> bool {
    let (Some(arms), Some((l, r)), Some(top)) = (&body.arms, body.sides, body.top()) else { return false };
    let aside = level(p.at(f, l) - p.at(f, r)).normalize_or_zero();
    let out = |side: usize, sign: f32| {
        let [shoulder, elbow, hand] = arms[side].map(|j| p.at(f, j));
        let (arm, length) = (hand - shoulder, (elbow - shoulder).length() + (hand - elbow).length());
        arm.dot(aside) * sign > ALONG * arm.length() && arm.length() > STRAIGHT * length
    };
    let up = p.at(f, top) - p.at(f, body.hips);
    up.dot(Vec3::Y) > 0.9 * up.length() && out(0, 1.0) && out(1, -1.0)
}

/// Returns true if all joints but the first two (root and hips, which have any position) are as in the rest pose.
fn is_rest(p: &ExaminedClip, f: usize) -> bool {
    let joints = p.joints();
    let off = |j: usize| p.local(f, j).rotation.angle_between(p.clip.skeleton.rest()[j].rotation);
    joints > 4 && (2..joints).map(off).sum::<f32>() < REST_RAD * (joints - 2) as f32
}
