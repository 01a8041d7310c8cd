//! Finds clips with another skeleton than most.

use super::check::Check;
use super::finding::{Finding, Severity};
use super::ward::Ward;

/// Finds clips that a build would reject: a build takes clips of one skeleton only.
pub fn check(ward: &mut Ward, out: &mut Vec<Finding>) {
    let usual = ward.usual_kind();
    let Some(first) = ward.kind_of.iter().position(|k| *k == usual) else { return };
    for (p, kind) in ward.patients.iter().zip(&ward.kind_of) {
        let Some(difference) =
            footwork::build::skeleton_difference(&ward.patients[first].clip.skeleton, &p.clip.skeleton)
        else {
            continue;
        };
        debug_assert_ne!(*kind, usual);
        let what = format!("another skeleton than most clips (`{}`): {difference}", ward.patients[first].clip.name);
        let mend = "retarget it onto the others' skeleton, rename its joints, or build it apart";
        out.push(Finding::new(Check::Skeleton, Severity::Error, &p.clip.name, what, mend));
    }
}
