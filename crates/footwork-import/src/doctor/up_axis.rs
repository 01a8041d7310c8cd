//! Finds clips whose up axis is not +Y: bodies that lie in the air.

use super::check::Check;
use super::examined_clip::ExaminedClip;
use super::finding::{Finding, Severity};
use super::parts::Parts;
use footwork::clip::RawClip;
use footwork::math::{Quat, Transform};
use footwork::skeleton::Skeleton;
use glam::Vec3;

/// Minimum cosine between body and axis for an upright body: 35 degrees. People lean less, except when they fall.
const ALONG: f32 = 0.82;
/// Minimum share of a clip in which a body stands along the wrong axis. A body that lies on the ground turns now and then.
const MOSTLY: f32 = 0.8;
/// Minimum height of the hips above the feet, as a share of the leg length: a runner's feet swing up behind. It excludes
/// sitting and crawling, but not lying straight.
const STANDS: f32 = 0.6;

/// Finds the axis along which the body stands, and turns it to +Y.
pub fn check(p: &mut ExaminedClip, body: &Parts, out: &mut Vec<Finding>) {
    let Some((up, share)) = wrong_axis(p, body) else { return };
    let name = axis_name(up);
    let what = format!("up is {name}: the body stands along it in {:.0} % of the clip", 100.0 * share);
    turn_world(p.edit(), up);
    let finding = Finding::new(Check::UpAxis, Severity::Error, &p.clip.name, what, format!("turn {name} up to +Y"));
    out.push(finding.mended());
}

/// Returns the axis other than +Y along which the body stands nearly all the time, and the share of frames.
pub fn wrong_axis(p: &ExaminedClip, body: &Parts) -> Option<(Vec3, f32)> {
    let axes = [Vec3::Z, Vec3::NEG_Z, Vec3::X, Vec3::NEG_X, Vec3::NEG_Y];
    axes.into_iter().find_map(|a| Some((a, stands_along(p, body, a).filter(|share| *share > MOSTLY)?)))
}

/// Returns the share of frames in which the body stands along an axis; `None` if its top or its feet are unknown.
pub fn stands_along(p: &ExaminedClip, body: &Parts, axis: Vec3) -> Option<f32> {
    let top = body.top()?;
    body.feet.first()?;
    let n = p.frames();
    let middle_foot = |f: usize| body.feet.iter().fold(Vec3::ZERO, |s, k| s + p.at(f, k.toe)) / body.feet.len() as f32;
    let leg = leg_length(p, body);
    let stands = |f: &usize| {
        let up = p.at(*f, top) - middle_foot(*f);
        up.dot(axis) > ALONG * up.length() && (p.at(*f, body.hips) - middle_foot(*f)).dot(axis) > STANDS * leg
    };
    Some((0..n).filter(stands).count() as f32 / n as f32)
}

/// Returns the length of the bones from the hips to the first foot, in metres.
pub fn leg_length(p: &ExaminedClip, body: &Parts) -> f32 {
    body.feet.first().map_or(0.0, |foot| chain_length(p, foot.toe, body.hips))
}

/// Returns the axis along which the rest pose stands; `None` if there is none.
pub fn rest_axis(skeleton: &Skeleton, body: &Parts) -> Option<Vec3> {
    let rest = skeleton.rest_model();
    let foot = body.feet.iter().fold(Vec3::ZERO, |s, k| s + rest[k.toe].translation) / body.feet.len().max(1) as f32;
    let up = rest[body.top()?].translation - foot;
    let axes = [Vec3::Y, Vec3::Z, Vec3::NEG_Z, Vec3::X, Vec3::NEG_X, Vec3::NEG_Y];
    axes.into_iter().find(|a| !body.feet.is_empty() && up.dot(*a) > ALONG * up.length() && up.length() > 1e-3)
}

/// Returns the name of an axis.
pub fn axis_name(up: Vec3) -> &'static str {
    let names = [(Vec3::Z, "+Z"), (Vec3::NEG_Z, "-Z"), (Vec3::X, "+X"), (Vec3::NEG_X, "-X"), (Vec3::NEG_Y, "-Y")];
    names.iter().find(|(a, _)| *a == up).map_or("+Y", |(_, n)| n)
}

/// Returns the length of the bones between a joint and one above it, in metres.
fn chain_length(p: &ExaminedClip, joint: usize, above: usize) -> f32 {
    let mut length = 0.0;
    let mut j = joint;
    while j != above {
        let Some(parent) = p.clip.skeleton.parents()[j] else { break };
        length += p.local(0, j).translation.length();
        j = parent.at();
    }
    length
}

/// Rotates the whole clip about the origin, so that `up` becomes +Y.
pub fn turn_world(clip: &mut RawClip, up: Vec3) {
    let turn = match up {
        Vec3::NEG_Y => Quat::from_rotation_x(std::f32::consts::PI),
        _ => Quat::from_rotation_arc(up, Vec3::Y),
    };
    let joints = clip.skeleton.len();
    let whole = Transform::new(Vec3::ZERO, turn);
    for i in (0..clip.rotations.len()).step_by(joints) {
        let t = whole * Transform::new(clip.translations[i], clip.rotations[i]);
        (clip.translations[i], clip.rotations[i]) = (t.translation, t.rotation);
    }
    super::edit::set_rest(clip, |j, t| if j == 0 { whole * t } else { t });
}
