//! Finds loops that do not close, and loops that are not marked. Loops are detected and closed as in a build:
//! `footwork::build::loops`.

use super::check::Check;
use super::examined_clip::ExaminedClip;
use super::finding::{Finding, Severity};
use super::parts::Parts;
use footwork::advanced::build::Loop;

/// Minimum visible discontinuity: angle of one joint, in degrees, and metres.
const SEEN_DEG: f32 = 2.0;
const SEEN_M: f32 = 0.01;

/// Finds marked loops that do not close.
pub fn open(p: &mut ExaminedClip, _: &Parts, out: &mut Vec<Finding>) {
    if !p.clip.looping || !p.clip.annotations.discard.is_empty() {
        return;
    }
    let Some(found) = Loop::measure(&p.clip) else { return };
    let gap = &found.gap;
    if found.clean || gap.deg < SEEN_DEG && gap.metres < SEEN_M {
        return;
    }
    let what = format!(
        "is marked as a loop, and its ends are {:.0} degrees ({}) and {:.1} cm apart",
        gap.deg,
        gap.joint,
        100.0 * gap.metres
    );
    let absurd = gap.absurd();
    let mend = match absurd {
        true => "take the mark away: it ends; or cut it to whole strides",
        false => "spread the gap over the round",
    };
    let finding = Finding::new(Check::OpenLoop, Severity::Warning, &p.clip.name, what, mend).mended();
    let finding = finding.over(p, found.frames - 1, found.frames - 1);
    out.push(if absurd { finding.mended_by_loop(false) } else { finding });
    let clip = p.edit();
    match absurd {
        true => clip.looping = false,
        false => found.close(clip),
    }
}

/// Finds loops that are not marked, and marks them. A last frame that repeats the first stays: it shows how the cycle closes,
/// and a build drops it.
pub fn unmarked(p: &mut ExaminedClip, _: &Parts, out: &mut Vec<Finding>) {
    let a = &p.clip.annotations;
    if p.clip.looping || a.loops == Some(false) || !a.discard.is_empty() {
        return;
    }
    let Some(found) = Loop::find(&p.clip) else { return };
    let what = format!("is a loop of {:.2} s and not marked as one", found.frames as f32 / p.clip.rate_hz);
    let mend = "mark it (`loop = true` in its sidecar)";
    out.push(Finding::new(Check::UnmarkedLoop, Severity::Hint, &p.clip.name, what, mend).mended().mended_by_loop(true));
    p.edit().looping = true;
}
