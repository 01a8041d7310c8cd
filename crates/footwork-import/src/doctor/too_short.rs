//! Finds clips that a build would leave out.

use super::check::Check;
use super::examined_clip::ExaminedClip;
use super::finding::{Finding, Severity};
use super::parts::Parts;
use footwork::advanced::build::Loop;
use footwork::build::BuildConfig;

/// Applies the build's own bound: a clip needs frames to play after the row that a search selects.
pub fn check(p: &mut ExaminedClip, _: &Parts, out: &mut Vec<Finding>) {
    if p.clip.looping && p.frames() > 2 || p.clip.seconds() >= BuildConfig::MIN_CLIP_S || Loop::find(&p.clip).is_some()
    {
        return;
    }
    let (seconds, least) = (p.clip.seconds(), BuildConfig::MIN_CLIP_S);
    let what = format!("lasts {seconds:.2} s: a build leaves out what is shorter than {least} s and no loop");
    let mend = "record more of it, or mark it as a loop (`loop = true`) if it is one";
    out.push(Finding::new(Check::TooShort, Severity::Warning, &p.clip.name, what, mend));
}
