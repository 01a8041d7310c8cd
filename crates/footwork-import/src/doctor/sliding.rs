//! Finds planted feet that slide.

use super::check::Check;
use super::examined_clip::{ExaminedClip, level, median, runs};
use super::finding::{Finding, Severity};
use super::parts::Parts;
use super::support::Support;
use footwork::advanced::adjust::{BentLeg, Reach};
use footwork::pose::Pose;
use glam::Vec3;

/// Minimum speed of a sliding toe, m/s: twice the builder's bound for a contact.
const FAST_MPS: f32 = 0.3;
/// Minimum distance of a slide, in metres: rolling toes and soft shoes move less.
const FAR_M: f32 = 0.07;
/// Minimum duration of a slide, in seconds; shorter ones are the ends of a flight.
const LONG_S: f32 = 0.1;
/// Maximum height of a planted toe above its lowest position nearby, in metres: toes that land or leave are higher.
const FLAT_M: f32 = 0.015;
/// Time that counts as nearby, in seconds: about one step.
const NEARBY_S: f32 = 0.4;
/// Time over which the leg blends back to its original motion, in seconds.
const FADE_S: f32 = 0.15;

/// Finds contacts that slide, and pins each foot at its median position by bending the leg.
pub fn check(p: &mut ExaminedClip, body: &Parts, out: &mut Vec<Finding>) {
    let Some(support) = Support::of(p, body) else { return };
    let n = p.frames();
    for k in 0..body.feet.len() {
        let toe = body.feet[k].toe;
        let carries = |f: usize| support.foot[f] == k && support.low[f];
        let fast = |f: usize| level(p.velocity(f, toe)).length() > FAST_MPS;
        let spans: Vec<[usize; 2]> = runs((0..n).map(|f| carries(f) && fast(f)))
            .into_iter()
            .filter(|[a, b]| {
                let way = level(p.at(*b - 1, toe) - p.at(*a, toe)).length();
                let heights: Vec<f32> = (*a..*b).map(|f| p.at(f, toe).y).collect();
                let near = p.frames_in(NEARBY_S);
                let planted =
                    (a.saturating_sub(near)..(b + near).min(n)).map(|f| p.at(f, toe).y).fold(f32::MAX, f32::min);
                let flat = heights.iter().all(|h| h - planted < FLAT_M);
                b - a >= p.frames_in(LONG_S) && way > FAR_M && flat && nobody_else(p, body, k, *a, *b)
            })
            .collect();
        for [a, b] in spans {
            // The finding covers the whole contact, not only its fast part.
            let start = (0..a).rev().take_while(|f| carries(*f)).last().unwrap_or(a);
            let end = (b..n).take_while(|f| carries(*f)).last().map_or(b, |f| f + 1);
            let way = level(p.at(b - 1, toe) - p.at(a, toe)).length();
            let what = format!("slides {:.0} cm while it carries the body", 100.0 * way);
            let finding = Finding::new(Check::Sliding, Severity::Warning, &p.clip.name, what, "").at_joint(p.name(toe));
            let finding = finding.over(p, start, end - 1);
            out.push(match pin(p, body, k, start, end) {
                true => Finding { mend: "pin the foot, bend the leg".into(), ..finding }.mended(),
                false => Finding { mend: "mend the source, or cut it out (`discard`)".into(), ..finding }
                    .mended_by_discard(p),
            });
        }
    }
}

/// Returns true if no other foot is planted meanwhile.
fn nobody_else(p: &ExaminedClip, body: &Parts, k: usize, a: usize, b: usize) -> bool {
    let slow = |f: usize| {
        body.feet.iter().enumerate().any(|(o, foot)| o != k && level(p.velocity(f, foot.toe)).length() < 0.5 * FAST_MPS)
    };
    (a..b).filter(|f| slow(*f)).count() * 4 < b - a
}

/// Pins a foot over frames `a..b`, blended in and out. Returns false if the foot has no leg of three joints.
fn pin(p: &mut ExaminedClip, body: &Parts, k: usize, a: usize, b: usize) -> bool {
    let Some(leg) = body.feet[k].leg else { return false };
    let (n, joints) = (p.frames(), p.joints());
    let toe = body.feet[k].toe;
    let part = |c: usize| median((a..b).map(|f| p.at(f, toe)[c]).collect());
    let place = Vec3::new(part(0), 0.0, part(2));
    let fade = p.frames_in(FADE_S);
    let skeleton = p.clip.skeleton.clone();
    let mut pose = Pose::rest(&skeleton);
    let targets: Vec<(usize, Vec3)> = (a.saturating_sub(fade)..(b + fade).min(n))
        .map(|f| {
            let beyond = if f < a { a - f } else { (f + 1).saturating_sub(b) };
            let share = footwork::advanced::math::smoothstep(1.0 - beyond as f32 / fade as f32);
            // Outside the contact, the offset at its end fades out.
            let at = p.at(f.clamp(a, b - 1), toe);
            let offset = level(place - at) * share;
            (f, p.at(f, toe) + offset)
        })
        .collect();
    let clip = p.edit();
    for (f, target) in targets {
        let range = f * joints..(f + 1) * joints;
        pose.translations.copy_from_slice(&clip.translations[range.clone()]);
        pose.rotations.copy_from_slice(&clip.rotations[range.clone()]);
        let mut bent = BentLeg::of(&skeleton, &pose, leg);
        // Joint 0 may be the hips, which lean.
        bent.carry(pose.world_from_root());
        bent.reach(target, Reach { kept_m: 0.002, soft_m: 0.01 });
        bent.write(&mut pose);
        clip.rotations[range].copy_from_slice(&pose.rotations);
    }
    true
}
