//! Finds clips with another skeleton than most.

use super::check::Check;
use super::examination::Examination;
use super::finding::{Finding, Severity};

/// Finds clips that a build would reject: a build takes clips of one skeleton only.
pub fn check(examination: &mut Examination, out: &mut Vec<Finding>) {
    let usual = examination.usual_kind();
    let Some(first) = examination.kind_of.iter().position(|k| *k == usual) else { return };
    for (p, kind) in examination.clips.iter().zip(&examination.kind_of) {
        let Some(difference) = examination.clips[first].clip.skeleton.difference(&p.clip.skeleton) else {
            continue;
        };
        debug_assert_ne!(*kind, usual);
        let what = format!("another skeleton than most clips (`{}`): {difference}", examination.clips[first].clip.name);
        let mend = "retarget it onto the others' skeleton, rename its joints, or build it apart";
        out.push(Finding::new(Check::Skeleton, Severity::Error, &p.clip.name, what, mend));
    }
}
