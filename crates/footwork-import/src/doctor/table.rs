//! All checks, in the order in which they are made.

use super::*;

/// The checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "`CHECKS` says what each finds")]
pub enum Check {
    Skeleton,
    Roles,
    TooShort,
    UpAxis,
    Scale,
    Calibration,
    Repeated,
    Frozen,
    Spike,
    Flip,
    Jitter,
    Sides,
    InPlace,
    Forward,
    RootDrift,
    Ground,
    Sliding,
    Rate,
    StillJoint,
    OpenLoop,
    UnmarkedLoop,
    Duplicate,
    Coverage,
}

/// What a check is.
#[derive(Clone, Copy, Debug)]
pub struct CheckInfo {
    /// Which.
    pub check: Check,
    /// What it is called on the command line and in JSON.
    pub name: &'static str,
    /// The worst that it says.
    pub severity: Severity,
    /// `--fix` mends what it finds (or most of it).
    pub mends: bool,
    /// What it finds.
    pub finds: &'static str,
    pub(super) run: Run,
}

/// How a check is made.
#[derive(Clone, Copy, Debug)]
pub(super) enum Run {
    /// Clip by clip, in parallel.
    Clip(fn(&mut Patient, &Body, &mut Vec<Finding>)),
    /// On all clips together.
    Set(fn(&mut Ward, &mut Vec<Finding>)),
}

const fn row(
    check: Check,
    name: &'static str,
    severity: Severity,
    mends: bool,
    finds: &'static str,
    run: Run,
) -> CheckInfo {
    CheckInfo { check, name, severity, mends, finds, run }
}

use Run::{Clip, Set};
use Severity::{Error, Hint, Warning};

/// The table: what makes sense of a clip at all comes first, then single frames, then the way of the whole, then the set.
pub const CHECKS: [CheckInfo; 23] = [
    row(Check::Skeleton, "skeleton", Error, false, "another skeleton than most clips have", Set(skeleton::check)),
    row(Check::Roles, "roles", Error, false, "sides, hips or feet that nobody recognises", Set(roles::check)),
    row(Check::TooShort, "too_short", Warning, false, "clips that a build leaves out", Clip(too_short::check)),
    row(Check::UpAxis, "up_axis", Error, true, "up is not +Y", Clip(up_axis::check)),
    row(Check::Scale, "scale", Error, true, "a body of an impossible size, or not of the others'", Set(scale::check)),
    row(Check::Calibration, "calibration", Error, true, "T-poses and rest poses at the ends", Clip(calibration::check)),
    row(
        Check::Repeated,
        "repeated",
        Warning,
        true,
        "every second frame (to fourth) real, the others repeated or halfway",
        Clip(repeated::check),
    ),
    row(Check::Frozen, "frozen", Warning, true, "frames held in the midst of motion", Clip(frozen::check)),
    row(Check::Spike, "spike", Warning, true, "one or two frames that stand out", Clip(spike::check)),
    row(Check::Flip, "flip", Error, true, "rotations that jump and stay so; two takes in one", Clip(flip::check)),
    row(Check::Jitter, "jitter", Warning, true, "noise from frame to frame", Clip(jitter::check)),
    row(Check::Sides, "sides", Error, true, "left and right swapped", Clip(sides::check)),
    row(Check::InPlace, "in_place", Error, true, "no root motion: a treadmill take", Clip(in_place::check)),
    row(Check::Forward, "forward", Error, true, "a way, or a root bone, turned against the body", Set(forward::check)),
    row(
        Check::RootDrift,
        "root_drift",
        Error,
        true,
        "a root that leaves its body, a body that drifts off its feet",
        Clip(root_drift::check),
    ),
    row(
        Check::Ground,
        "ground",
        Error,
        true,
        "feet under or over the ground, all the time or more and more",
        Set(ground::check),
    ),
    row(Check::Sliding, "sliding", Warning, true, "feet that carry and slide", Clip(sliding::check)),
    row(Check::Rate, "rate", Error, true, "motion at twice or half its speed", Clip(rate::check)),
    row(
        Check::StillJoint,
        "still_joint",
        Warning,
        false,
        "joints that never move while their like do",
        Set(still_joint::check),
    ),
    row(Check::OpenLoop, "open_loop", Warning, true, "marked loops that do not close", Clip(loops::open)),
    row(Check::UnmarkedLoop, "unmarked_loop", Hint, true, "loops that are not marked", Clip(loops::unmarked)),
    row(Check::Duplicate, "duplicate", Warning, true, "copies, overlaps, mirror images", Set(duplicate::check)),
    row(
        Check::Coverage,
        "coverage",
        Hint,
        false,
        "motion that a stick can ask for and nothing does",
        Set(coverage::check),
    ),
];

impl Check {
    /// Its row of the table.
    pub fn info(self) -> &'static CheckInfo {
        // The table is in the order of the variants; a test checks it.
        &CHECKS[self as usize]
    }

    /// By name.
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
