//! Data whose up is not +Y: people who lie in the air.

use super::check::Check;
use super::finding::{Finding, Severity};
use super::parts::Parts;
use super::patient::Patient;
use footwork::math::Quat;
use footwork::math::Transform;
use glam::Vec3;

/// Within this of an axis a body counts as upright along it: cos 35 degrees; people lean less, but to fall.
const ALONG: f32 = 0.82;
/// Share of a clip in which a body must stand along the wrong axis. Who lies on the ground turns on it now and then.
const MOSTLY: f32 = 0.8;
/// Hips are over the feet by this share of the leg: runners' feet fly up behind them;
/// people who lie straight would pass, who sit or crawl would not.
const STANDS: f32 = 0.6;

/// Finds the axis along which the body stands, and turns it to +Y.
pub fn check(p: &mut Patient, body: &Parts, out: &mut Vec<Finding>) {
    let Some(top) = body.top() else { return };
    let Some(foot) = body.feet.first() else { return };
    let n = p.frames();
    let middle_foot = |f: usize| body.feet.iter().fold(Vec3::ZERO, |s, k| s + p.at(f, k.toe)) / body.feet.len() as f32;
    let leg = chain_length(p, foot.toe, body.hips);
    let share = |axis: Vec3| {
        let stands = |f: &usize| {
            let up = p.at(*f, top) - middle_foot(*f);
            up.dot(axis) > ALONG * up.length() && (p.at(*f, body.hips) - middle_foot(*f)).dot(axis) > STANDS * leg
        };
        (0..n).filter(stands).count() as f32 / n as f32
    };
    let axes = [Vec3::Z, Vec3::NEG_Z, Vec3::X, Vec3::NEG_X, Vec3::NEG_Y];
    let Some(up) = axes.into_iter().find(|a| share(*a) > MOSTLY) else { return };
    let names = [(Vec3::Z, "+Z"), (Vec3::NEG_Z, "-Z"), (Vec3::X, "+X"), (Vec3::NEG_X, "-X"), (Vec3::NEG_Y, "-Y")];
    let name = names.iter().find(|(a, _)| *a == up).map_or("?", |(_, n)| n);
    let turn = if up == Vec3::NEG_Y {
        Quat::from_rotation_x(std::f32::consts::PI)
    } else {
        Quat::from_rotation_arc(up, Vec3::Y)
    };
    let what = format!("up is {name}: the body stands along it in {:.0} % of the clip", 100.0 * share(up));
    turn_world(p, turn);
    let finding = Finding::new(Check::UpAxis, Severity::Error, &p.clip.name, what, format!("turn {name} up to +Y"));
    out.push(finding.mended());
}

/// Length of the bones between a joint and one above it, metres.
fn chain_length(p: &Patient, joint: usize, above: usize) -> f32 {
    let mut length = 0.0;
    let mut j = joint;
    while j != above {
        let Some(parent) = p.clip.skeleton.parents()[j] else { break };
        length += p.local(0, j).translation.length();
        j = parent.at();
    }
    length
}

/// Turns everything about the origin.
fn turn_world(p: &mut Patient, turn: Quat) {
    let joints = p.joints();
    let clip = p.edit();
    let whole = Transform::new(Vec3::ZERO, turn);
    for i in (0..clip.rotations.len()).step_by(joints) {
        let t = whole * Transform::new(clip.translations[i], clip.rotations[i]);
        (clip.translations[i], clip.rotations[i]) = (t.translation, t.rotation);
    }
    super::edit::set_rest(clip, |j, t| if j == 0 { whole * t } else { t });
}
