//! Finds swapped left and right: joint names that contradict the body.

use super::check::Check;
use super::examined_clip::ExaminedClip;
use super::finding::{Finding, Severity};
use super::parts::Parts;
use footwork::roles::FoundBy;
use glam::Vec3;

/// Maximum mean of the toes' direction along the facing that the names suggest: cos 130 degrees. Splayed and crossed feet stay
/// within 60 degrees of the facing.
const AGAINST: f32 = -0.64;
/// Approximate number of sampled frames.
const SAMPLES: usize = 200;

/// Checks the legs by their toes and the arms by the legs; swaps the sides.
pub fn check(p: &mut ExaminedClip, body: &Parts, out: &mut Vec<Finding>) {
    let Some((l, r)) = body.sides else { return };
    // Roles that were found from the shape do not depend on names.
    if body.rig.roles.assigned().any(|(role, a)| role.ends_with("up_leg") && a.found_by == FoundBy::Topology) {
        return;
    }
    let n = p.frames();
    let frames: Vec<usize> = (0..n).step_by((n / SAMPLES).max(1)).collect();
    let toes: Vec<f32> = frames
        .iter()
        .filter_map(|f| {
            let feet = body.feet.iter().filter(|k| k.ankle != k.toe);
            let sum = feet.fold(Vec3::ZERO, |s, k| s + p.at(*f, k.toe) - p.at(*f, k.ankle));
            let forward = body.forward(p, *f);
            let v = super::examined_clip::level(sum).try_normalize()?;
            (forward != Vec3::ZERO).then(|| v.dot(forward))
        })
        .collect();
    let ahead = toes.iter().sum::<f32>() / toes.len().max(1) as f32;
    let legs_wrong = !toes.is_empty() && ahead < AGAINST;
    let arms_wrong = body.arms.is_some_and(|[left, right]| {
        let across = |f: &usize| (p.at(*f, l) - p.at(*f, r)).dot(p.at(*f, left[0]) - p.at(*f, right[0]));
        frames.iter().filter(|f| across(f) < 0.0).count() * 10 > 9 * frames.len()
    });
    let (which, what) = match (legs_wrong, arms_wrong) {
        (false, false) => return,
        (true, false) => (None, "left and right are swapped: by the names the body faces where its heels are"),
        (false, true) => (Some(false), "left and right arm are swapped: each is on the other leg's side"),
        (true, true) => (Some(true), "left and right leg are swapped: by the names the legs face where the heels are"),
    };
    let mend = match swap(p, body, which) {
        true => "swap them",
        false => "rename the joints: their tree is not the same on both sides",
    };
    let finding = Finding::new(Check::Sides, Severity::Error, &p.clip.name, what, mend);
    out.push(if mend == "swap them" { finding.mended() } else { finding });
}

/// Swaps the motion of joint pairs: all, those of the legs (`true`), or all others (`false`). Returns false if the sides
/// differ.
fn swap(p: &mut ExaminedClip, body: &Parts, legs: Option<bool>) -> bool {
    let skeleton = p.clip.skeleton.clone();
    let parent = |j: usize| skeleton.parents()[j].map(|p| p.at());
    let carries = |j: usize| {
        let below = |toe: usize| std::iter::successors(Some(toe), |j| parent(*j)).any(|a| a == j);
        body.feet.iter().any(|k| below(k.toe)) || parent(j).is_some_and(|up| body.feet.iter().any(|k| k.toe == up))
    };
    let pairs: Vec<(usize, usize)> =
        body.pairs(&skeleton).filter(|(l, _)| legs.is_none_or(|legs| carries(*l) == legs)).collect();
    let twin = |j: usize| body.twins[j].unwrap_or(j);
    let even = pairs.iter().all(|(l, r)| parent(*l).map(twin) == parent(*r));
    if pairs.is_empty() || !even {
        return false;
    }
    let joints = p.joints();
    let clip = p.edit();
    for f in 0..clip.rotations.len() / joints {
        for (l, r) in &pairs {
            clip.rotations.swap(f * joints + l, f * joints + r);
            clip.translations.swap(f * joints + l, f * joints + r);
        }
    }
    let rest = skeleton.rest().to_vec();
    super::edit::set_rest(clip, |j, t| {
        let other = pairs.iter().find_map(|(l, r)| (*l == j).then_some(*r).or((*r == j).then_some(*l)));
        other.map_or(t, |o| rest[o])
    });
    true
}
