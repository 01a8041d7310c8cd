//! Finds bodies of an impossible size: their lengths were read in another unit than they were written in.

use super::check::Check;
use super::examination::Examination;
use super::examined_clip::{ExaminedClip, median};
use super::finding::{Finding, Severity};
use crate::units::Bones;

/// Plausible length of leg plus spine and arm, in metres. 0.9 is a child of two, the tallest person on record has 3.5; dogs
/// measure 1.5 to 1.8, cats 0.7.
const BODY_M: std::ops::RangeInclusive<f32> = 0.6..=3.6;
/// Body length that units are compared with, in metres, as in the importers.
const USUAL_M: f32 = 1.9;
/// Maximum ratio to the usual size of the set: a child of four has half the size of an adult.
const MOST_RATIO: f32 = 1.9;
/// Ratios of commonly mistaken units: m, cm, mm, inches, feet, decimetres.
const RATIOS: [f32; 8] = [0.1, 0.01, 0.001, 0.0254, 0.3048, 10.0, 100.0, 1000.0];

/// Compares each body with people and with the rest of the set, and scales it.
pub fn check(examination: &mut Examination, out: &mut Vec<Finding>) {
    let sizes: Vec<f32> = examination.clips.iter().map(size).collect();
    let fit = sizes.iter().copied().filter(|s| BODY_M.contains(s)).collect::<Vec<_>>();
    let usual = if 2 * fit.len() > sizes.len() { median(fit) } else { USUAL_M };
    for (p, size) in examination.clips.iter_mut().zip(sizes) {
        let ratio = (size / usual).max(usual / size);
        let alone = BODY_M.contains(&size);
        if size <= 0.0 || alone && (ratio < MOST_RATIO || examination.kind_of.len() < 3) {
            continue;
        }
        let all = RATIOS.iter().flat_map(|r| [*r, 1.0 / *r]);
        let off = |k: &f32| (size * k / usual).max(usual / (size * k));
        let by = all.min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(1.0);
        let like = if alone { format!(", {ratio:.1} times other than the rest") } else { String::new() };
        let what = format!("the body measures {size:.3} m along leg, spine and arm (people: about {USUAL_M}){like}");
        // A size that no mistaken unit explains may be intended.
        if off(&by) > 1.6 {
            let mend = "say the unit of length: `source.units` or --units";
            out.push(Finding::new(Check::Scale, Severity::Warning, &p.clip.name, what, mend));
            continue;
        }
        scale(p, by);
        let finding = Finding::new(Check::Scale, Severity::Error, &p.clip.name, what, format!("scale by {by}"));
        out.push(finding.mended());
    }
}

/// Returns the body length as the importers measure it, from the first frame, as the rest pose may have other bone lengths.
fn size(p: &ExaminedClip) -> f32 {
    let lengths = (0..p.joints()).map(|j| p.local(0, j).translation.length()).collect();
    Bones { lengths, ..Bones::of(&p.clip.skeleton) }.body_length()
}

fn scale(p: &mut ExaminedClip, by: f32) {
    let clip = p.edit();
    clip.translations.iter_mut().for_each(|t| *t *= by);
    super::edit::set_rest(clip, |_, t| footwork::math::Transform::new(t.translation * by, t.rotation));
}
