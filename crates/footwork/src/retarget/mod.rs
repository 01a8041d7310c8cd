//! Retargeting: applies the motion of one skeleton to another.
//!
//! ```text
//!  Skeleton + JointRoles + poses --Reference--+
//!                                             +--RetargetMap--apply(&source, &mut target)
//!  Skeleton + JointRoles + poses --Reference--+
//! ```
//!
//! A [`Reference`] holds the orientation of each joint's axes in the body: the direction of a thigh, the axis about which a knee
//! bends, the rotation of a head that looks ahead. It is measured in a rest pose in which the body stands, or in motion if the
//! rest pose does not stand. Two of them make a [`RetargetMap`]. T-poses, A-poses and rest poses with all bones along one axis
//! can be combined, since joints are compared by their function and not by their local axes. Limbs point in the source's
//! directions; spine, neck and head deviate from upright as the source's do; chains of other lengths share the rotations. Hips
//! and travel are scaled by the length of the legs. Joints that only the target has keep their rest pose.
//!
//! [`RetargetMap::apply`] allocates nothing and costs two quaternion products per joint. Feet land on the source's positions only
//! as far as proportions agree: `build::retarget` plants the feet of clips; at run time the matcher's foot locking or
//! [`crate::adjust`] does.

use crate::error::{cut_quotes, quoted};

mod chains;
pub(crate) mod feet;
mod looks;
mod map;
pub(crate) mod reference;

pub use feet::PlantedFoot;
pub use map::RetargetMap;
pub use reference::Reference;

/// Error of retargeting between two skeletons.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RetargetError {
    /// Required roles have no joint.
    #[error(
        "cannot tell which joints of the body are {}: name them in `[build.roles]` (joints there: {})",
        roles.join(", "), joints.join(", ")
    )]
    Roles {
        /// Roles without a joint.
        roles: Vec<String>,
        /// Some joints of the skeleton.
        joints: Vec<String>,
    },
    /// One body walks on two legs, the other on four.
    #[error(
        "the {two} walks on two legs and the {four} on four: their joints do not correspond, and no retargeting between them \
         makes sense; if one was taken for what it is not, say which joint is which in `[build.roles]`"
    )]
    Legs {
        /// The body with two legs: `source` or `target`.
        two: &'static str,
        /// The body with four legs: `source` or `target`.
        four: &'static str,
    },
    /// Both bodies walk on four legs.
    #[error("both bodies walk on four legs: retargeting is made for two")]
    Quadrupeds,
    /// The body does not stand in the rest pose, and there is no motion.
    #[error(
        "the rest pose does not stand (legs down, spine up, toes ahead), so it does not tell how the joints' axes lie in the \
         body: give a pose or a clip in which it stands"
    )]
    RestPose,
    /// The legs have no length.
    #[error("the legs have no length: the rest pose puts hip, knee and foot in one place")]
    NoLegs,
    /// The skeleton of a clip differs from the map's.
    #[error(
        "clip `{clip}` is on another skeleton than the map was made for: {difference}",
        clip = quoted(.clip), difference = cut_quotes(.difference)
    )]
    Skeleton {
        /// Clip.
        clip: String,
        /// The difference.
        difference: String,
    },
    /// A clip is invalid.
    #[error(transparent)]
    Clip(#[from] crate::clip::ClipError),
}
