//! Bodies of an impossible size: lengths read in another unit than they were written in.

use super::check::Check;
use super::finding::{Finding, Severity};
use super::patient::{Patient, median};
use super::ward::Ward;
use crate::units::Bones;

/// Leg plus spine and arm, metres: 0.9 is a child of two, 3.6 nobody's (the tallest person on record: 3.5). Dogs measure 1.5
/// to 1.8, cats 0.7.
const BODY_M: std::ops::RangeInclusive<f32> = 0.6..=3.6;
/// The body length that units are judged by: as the importers do.
const USUAL_M: f32 = 1.9;
/// Clips of one skeleton differ by less: a child of four is half a grown man.
const MOST_RATIO: f32 = 1.9;
/// Ratios of units that are mistaken for each other: m, cm, mm, inches, feet, decimetres.
const RATIOS: [f32; 8] = [0.1, 0.01, 0.001, 0.0254, 0.3048, 10.0, 100.0, 1000.0];

/// Compares with people, and with the rest of the set; scales back.
pub fn check(ward: &mut Ward, out: &mut Vec<Finding>) {
    let sizes: Vec<f32> = ward.patients.iter().map(size).collect();
    let fit = sizes.iter().copied().filter(|s| BODY_M.contains(s)).collect::<Vec<_>>();
    let usual = if 2 * fit.len() > sizes.len() { median(fit) } else { USUAL_M };
    for (p, size) in ward.patients.iter_mut().zip(sizes) {
        let ratio = (size / usual).max(usual / size);
        let alone = BODY_M.contains(&size);
        if size <= 0.0 || alone && (ratio < MOST_RATIO || ward.kind_of.len() < 3) {
            continue;
        }
        let all = RATIOS.iter().flat_map(|r| [*r, 1.0 / *r]);
        let off = |k: &f32| (size * k / usual).max(usual / (size * k));
        let by = all.min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(1.0);
        let like = if alone { format!(", {ratio:.1} times other than the rest") } else { String::new() };
        let what = format!("the body measures {size:.3} m along leg, spine and arm (people: about {USUAL_M}){like}");
        // A size that no mistake of units explains may be meant.
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

/// Parts length as the importers measure it; of the first frame, for rest poses may have other bones.
fn size(p: &Patient) -> f32 {
    let lengths = (0..p.joints()).map(|j| p.local(0, j).translation.length()).collect();
    Bones { lengths, ..Bones::of(&p.clip.skeleton) }.body_length()
}

fn scale(p: &mut Patient, by: f32) {
    let clip = p.edit();
    clip.translations.iter_mut().for_each(|t| *t *= by);
    super::edit::set_rest(clip, |_, t| footwork::math::Transform::new(t.translation * by, t.rotation));
}
