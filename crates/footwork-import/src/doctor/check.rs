//! Names of the checks.

/// The kinds of checks.
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
    Glitch,
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

impl Check {
    /// Returns the name on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Skeleton => "skeleton",
            Self::Roles => "roles",
            Self::TooShort => "too_short",
            Self::UpAxis => "up_axis",
            Self::Scale => "scale",
            Self::Calibration => "calibration",
            Self::Repeated => "repeated",
            Self::Frozen => "frozen",
            Self::Spike => "spike",
            Self::Flip => "flip",
            Self::Jitter => "jitter",
            Self::Glitch => "glitch",
            Self::Sides => "sides",
            Self::InPlace => "in_place",
            Self::Forward => "forward",
            Self::RootDrift => "root_drift",
            Self::Ground => "ground",
            Self::Sliding => "sliding",
            Self::Rate => "rate",
            Self::StillJoint => "still_joint",
            Self::OpenLoop => "open_loop",
            Self::UnmarkedLoop => "unmarked_loop",
            Self::Duplicate => "duplicate",
            Self::Coverage => "coverage",
        }
    }
}
