//! All checks, in the order in which they run.

use super::check::Check;
use super::examination::Examination;
use super::examined_clip::ExaminedClip;
use super::finding::{Finding, Severity};
use super::parts::Parts;
use super::{
    calibration, coverage, duplicate, flip, forward, frozen, glitch, ground, in_place, jitter, loops, rate, repeated,
    roles, root_drift, scale, sides, skeleton, sliding, spike, still_joint, too_short, up_axis,
};

/// Description of a check.
#[derive(Clone, Copy, Debug)]
pub struct CheckInfo {
    /// The check.
    pub check: Check,
    /// Name on the command line and in JSON.
    pub name: &'static str,
    /// Highest severity of its findings.
    pub severity: Severity,
    /// True if `--fix` fixes its findings, or most of them.
    pub mends: bool,
    /// Faults that it finds.
    pub finds: &'static str,
    pub(super) run: Run,
}

/// Function that runs a check.
#[derive(Clone, Copy, Debug)]
pub(super) enum Run {
    /// Runs on each clip, in parallel.
    Clip(fn(&mut ExaminedClip, &Parts, &mut Vec<Finding>)),
    /// Runs on all clips together.
    Set(fn(&mut Examination, &mut Vec<Finding>)),
}

const fn row(check: Check, severity: Severity, mends: bool, finds: &'static str, run: Run) -> CheckInfo {
    CheckInfo { check, name: check.name(), severity, mends, finds, run }
}

use Run::{Clip, Set};
use Severity::{Error, Hint, Warning};

/// Checks of skeleton, axes and size come first, then single frames, then the path and timing of a clip, then the set.
pub const CHECKS: [CheckInfo; 24] = [
    row(Check::Skeleton, Error, false, "another skeleton than most clips have", Set(skeleton::check)),
    row(Check::Roles, Error, false, "sides, hips or feet that nobody recognises", Set(roles::check)),
    row(Check::TooShort, Warning, false, "clips that a build leaves out", Clip(too_short::check)),
    row(Check::UpAxis, Error, true, "up is not +Y", Clip(up_axis::check)),
    row(Check::Scale, Error, true, "a body of an impossible size, or not of the others'", Set(scale::check)),
    row(Check::Calibration, Error, true, "T-poses and rest poses at the ends", Clip(calibration::check)),
    row(
        Check::Repeated,
        Warning,
        true,
        "every second frame (to fourth) real, the others repeated or halfway",
        Clip(repeated::check),
    ),
    row(Check::Frozen, Warning, true, "frames held in the midst of motion", Clip(frozen::check)),
    row(Check::Spike, Warning, true, "one or two frames that stand out", Clip(spike::check)),
    row(Check::Flip, Error, true, "rotations that jump and stay so; two takes in one", Clip(flip::check)),
    row(Check::Jitter, Warning, true, "noise from frame to frame", Clip(jitter::check)),
    row(Check::Glitch, Warning, true, "motion that no body makes, which a build leaves out", Set(glitch::check)),
    row(Check::Sides, Error, true, "left and right swapped", Clip(sides::check)),
    row(Check::InPlace, Error, true, "no root motion: a treadmill take", Clip(in_place::check)),
    row(Check::Forward, Error, true, "a way, or a root bone, turned against the body", Set(forward::check)),
    row(
        Check::RootDrift,
        Error,
        true,
        "a root that leaves its body, a body that drifts off its feet",
        Clip(root_drift::check),
    ),
    row(Check::Ground, Error, true, "feet under or over the ground, all the time or more and more", Set(ground::check)),
    row(Check::Sliding, Warning, true, "feet that carry and slide", Clip(sliding::check)),
    row(Check::Rate, Error, true, "motion at twice or half its speed", Clip(rate::check)),
    row(Check::StillJoint, Warning, false, "joints that never move while their like do", Set(still_joint::check)),
    row(Check::OpenLoop, Warning, true, "marked loops that do not close", Clip(loops::open)),
    row(Check::UnmarkedLoop, Hint, true, "loops that are not marked", Clip(loops::unmarked)),
    row(Check::Duplicate, Warning, true, "copies, overlaps, mirror images", Set(duplicate::check)),
    row(Check::Coverage, Hint, false, "motion that a stick can ask for and nothing does", Set(coverage::check)),
];

impl Check {
    /// Returns the row of this check in [`CHECKS`].
    pub fn info(self) -> &'static CheckInfo {
        // The table is in the order of the variants; a test checks it.
        &CHECKS[self as usize]
    }

    /// Returns the check of a name.
    pub fn named(name: &str) -> Option<Self> {
        CHECKS.iter().find(|c| c.name == name).map(|c| c.check)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_checks_and_names_are_unique() {
        for (i, row) in CHECKS.iter().enumerate() {
            assert_eq!(row.check as usize, i, "{}", row.name);
            assert_eq!(Check::named(row.name), Some(row.check));
        }
    }
}
