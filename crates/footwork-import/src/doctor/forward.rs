//! Finds bodies that face another direction than their travel, or than their root bone.

use super::check::Check;
use super::examination::Examination;
use super::examined_clip::{ExaminedClip, level, median};
use super::finding::{Finding, Severity};
use super::parts::Parts;
use super::support::Support;
use footwork::advanced::math::{atan2, wrap_angle};
use footwork::math::{Facing, Quat, Transform};
use glam::Vec3;

/// Minimum sliding of planted feet in a path with the wrong direction, m/s.
const SLIDES_MPS: f32 = 0.3;
/// Turning the path must leave less than this share of the sliding.
const LEFT: f32 = 0.4;
/// Minimum turn of a path, in radians (30 degrees): a smaller one is not a mistake of axes.
const LEAST_RAD: f32 = 0.52;
/// Minimum difference of a root bone's forward from that of the other clips, in radians (65 degrees). A wrong root bone differs
/// by a quarter turn or more; running sideways twists the hips by 50 degrees.
const OTHER_RAD: f32 = 1.13;
/// Minimum angle between facing and travel that counts as backward, in radians (120 degrees), and the share of the moving
/// frames that must exceed it.
const BACK_RAD: f32 = 2.1;
const THROUGHOUT: f32 = 0.9;
/// Minimum speed of a moving frame, m/s.
const MOVES_MPS: f32 = 0.4;

/// Compares the path with the feet, the root bone with the other clips', and the travel with the facing.
pub fn check(examination: &mut Examination, out: &mut Vec<Finding>) {
    let yaws: Vec<Option<f32>> = examination.each(root_yaw);
    for k in 0..examination.bodies.len() {
        let of_kind: Vec<usize> =
            (0..yaws.len()).filter(|i| examination.kind_of[*i] == k && yaws[*i].is_some()).collect();
        let known: Vec<f32> = of_kind.iter().filter_map(|i| yaws[*i]).collect();
        let Some(usual) = usual_yaw(&known) else { continue };
        for i in of_kind {
            let off = wrap_angle(yaws[i].unwrap_or(usual) - usual);
            if known.len() < 3 || off.abs() < OTHER_RAD {
                continue;
            }
            let p = &mut examination.clips[i];
            turn_root(p, off);
            let what = format!("the root bone's forward is {:.0} degrees from the other clips'", off.to_degrees());
            let finding = Finding::new(Check::Forward, Severity::Error, &p.clip.name, what, "turn the root bone");
            out.push(finding.mended());
        }
    }
    out.extend(examination.each_mut(way).into_iter().flatten());
}

/// Returns the mean yaw from joint 0's forward to the body's; `None` if joint 0 is not a root bone or the facing is unknown.
fn root_yaw(p: &ExaminedClip, body: &Parts) -> Option<f32> {
    if body.hips == 0 || body.sides.is_none() {
        return None;
    }
    let n = p.frames();
    let frames: Vec<usize> = (0..n).step_by((n / 100).max(1)).collect();
    let upright = |f: usize| (p.local(f, 0).rotation * Vec3::Y).y > 0.999;
    if !frames.iter().all(|f| upright(*f)) {
        return None;
    }
    let sum =
        frames.iter().fold(Vec3::ZERO, |s, f| s + p.local(*f, 0).rotation.yaw_twist().inverse() * body.forward(p, *f));
    // Without a stable facing relative to joint 0, the mean is meaningless.
    (sum.length() > 0.7 * frames.len() as f32).then(|| Facing::from_direction(sum).map(Facing::yaw)).flatten()
}

/// Returns the yaw that most clips share.
fn usual_yaw(known: &[f32]) -> Option<f32> {
    let near = |y: &f32| known.iter().filter(|k| wrap_angle(**k - *y).abs() < 0.4).count();
    let best = known.iter().max_by_key(|y| near(y))?;
    (2 * near(best) > known.len()).then_some(*best)
}

/// Turns joint 0 about its own up axis by `yaw`, and leaves the body in place.
fn turn_root(p: &mut ExaminedClip, yaw: f32) {
    let (n, joints) = (p.frames(), p.joints());
    let turn = Quat::from_rotation_y(yaw);
    let children: Vec<usize> = p.clip.skeleton.children(footwork::frames::JointIndex(0)).map(|j| j.at()).collect();
    let clip = p.edit();
    for f in 0..n {
        let i = f * joints;
        clip.rotations[i] = (clip.rotations[i] * turn).normalize();
        for c in &children {
            let k = i + c;
            let local =
                Transform::new(Vec3::ZERO, turn.inverse()) * Transform::new(clip.translations[k], clip.rotations[k]);
            (clip.translations[k], clip.rotations[k]) = (local.translation, local.rotation);
        }
    }
}

/// Finds a path turned against the feet, which it fixes, and a clip that travels backward throughout.
fn way(p: &mut ExaminedClip, body: &Parts) -> Vec<Finding> {
    let Some(support) = Support::of(p, body) else { return Vec::new() };
    let carried: Vec<usize> = support.carried().collect();
    let n = p.frames();
    // Velocity of joint 0, and of the planted foot relative to it.
    let hips = |f: usize| level(p.velocity(f, 0));
    let slide = |f: usize| support.slide(p, body, f);
    let pairs: Vec<(Vec3, Vec3)> = carried.iter().map(|f| (hips(*f), slide(*f) - hips(*f))).collect();
    let mean = |turn: f32| {
        let turn = Quat::from_rotation_y(turn);
        pairs.iter().map(|(v, rel)| (turn * *v + *rel).length()).sum::<f32>() / pairs.len().max(1) as f32
    };
    let (sin, cos) = pairs
        .iter()
        .fold((0.0f32, 0.0f32), |(s, c), (v, rel)| (s - (v.z * rel.x - v.x * rel.z), c - (v.x * rel.x + v.z * rel.z)));
    let turn = atan2(sin, cos);
    let (now, then) = (mean(0.0), mean(turn));
    let enough = carried.len() > p.frames_in(0.4) && support.stances.len() >= 2;
    if enough && now > SLIDES_MPS && then < LEFT * now && turn.abs() > LEAST_RAD {
        let snapped = (turn / std::f32::consts::FRAC_PI_2).round() * std::f32::consts::FRAC_PI_2;
        let by = if (turn - snapped).abs() < 0.35 { snapped } else { turn };
        let start = p.local(0, 0).translation;
        let q = Quat::from_rotation_y(by);
        let moves: Vec<Vec3> = (0..n).map(|f| level(p.local(f, 0).translation - start)).collect();
        p.shift(|f| q * moves[f] - moves[f]);
        let what = format!("goes {:.0} degrees away from where its feet carry it", by.to_degrees().abs());
        let mend = format!("turn the way by {:.0} degrees about its start", by.to_degrees());
        let finding = Finding::new(Check::Forward, Severity::Error, &p.clip.name, what, mend);
        return vec![finding.mended()];
    }
    let moving: Vec<f32> = (0..n)
        .filter_map(|f| {
            let (v, forward) = (level(p.velocity(f, body.hips)), body.forward(p, f));
            (v.length() > MOVES_MPS && forward != Vec3::ZERO).then(|| {
                Facing::from_direction(forward)
                    .unwrap_or_default()
                    .angle_to(Facing::from_direction(v).unwrap_or_default())
            })
        })
        .collect();
    let back = moving.iter().filter(|a| a.abs() > BACK_RAD).count();
    if moving.len() > p.frames_in(0.8) && back as f32 > THROUGHOUT * moving.len() as f32 {
        let away = median(moving.iter().map(|a| a.abs()).collect()).to_degrees();
        let what = format!("travels {away:.0} degrees away from where its hips face, throughout");
        let mend = "nothing, if it walks backward; else the rig's forward is wrong";
        return vec![Finding::new(Check::Forward, Severity::Hint, &p.clip.name, what, mend)];
    }
    Vec::new()
}
