//! Reason why no root can be made.

use crate::skeleton::SkeletonError;

/// Reason why no root can be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RootError {
    /// The joint does not exist.
    #[error("`root.joint`: {0}")]
    Joint(#[from] SkeletonError),
    /// No joint pair distinguishes left from right.
    #[error(
        "cannot tell where the body faces: no joint pair names its sides; give `roles.left_up_leg` and \
         `roles.right_up_leg`, or `root.forward_deg` for data with a root bone"
    )]
    NoSides,
}
