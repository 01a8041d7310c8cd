//! From one skeleton to another: the motion of one body on the bones of the next.
//!
//! ```text
//!  Skeleton + JointRoles + poses --Reference--+
//!                                             +--RetargetMap--apply(&source, &mut target)
//!  Skeleton + JointRoles + poses --Reference--+
//! ```
//!
//! A [`Reference`] says how the axes of each joint lie in the body: which way a thigh points, about which axis a knee bends,
//! how a head is held that looks ahead. It is read off a rest pose in which the body stands, or off motion where the rest pose
//! is none. Two of them make a [`RetargetMap`]: T-poses, A-poses and rest poses with all bones along one axis go together,
//! since joints are compared by what they do and not by their local axes. Limbs point where the source's point; spine, neck and
//! head turn as far from upright as the source's do; chains of other lengths share the bends. Hips and travel are scaled by the
//! length of the legs. What only the target has keeps its rest pose.
//!
//! [`RetargetMap::apply`] allocates nothing and costs two quaternion products per joint. Feet land where the source's land only
//! as far as proportions agree: for clips `build::retarget` plants them, at run time the matcher's feet or
//! [`crate::adjust`] do.

use crate::error::{cut_quotes, quoted};

mod chains;
pub(crate) mod feet;
mod looks;
mod map;
mod reference;

pub use feet::PlantedFoot;
pub use map::RetargetMap;
pub use reference::Reference;

/// Why motion of one skeleton does not go onto another.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RetargetError {
    /// Joints that no body walks without.
    #[error(
        "cannot tell which joints of the body are {}: name them in `[build.roles]` (joints there: {})",
        roles.join(", "), joints.join(", ")
    )]
    Roles {
        /// Roles without a joint.
        roles: Vec<String>,
        /// Some joints that it has.
        joints: Vec<String>,
    },
    /// Two legs and four.
    #[error(
        "the {two} walks on two legs and the {four} on four: their joints do not correspond, and no retargeting between them \
         makes sense; if one was taken for what it is not, say which joint is which in `[build.roles]`"
    )]
    Legs {
        /// Which of both has two.
        two: &'static str,
        /// Which has four.
        four: &'static str,
    },
    /// Four legs on both sides.
    #[error("both bodies walk on four legs: retargeting is made for two")]
    Quadrupeds,
    /// A rest pose that says nothing, and no motion either.
    #[error(
        "the rest pose does not stand (legs down, spine up, toes ahead), so it does not tell how the joints' axes lie in the \
         body: give a pose or a clip in which it stands"
    )]
    RestPose,
    /// A leg without length.
    #[error("the legs have no length: the rest pose puts hip, knee and foot in one place")]
    NoLegs,
    /// A clip on another skeleton than the map is for.
    #[error(
        "clip `{clip}` is on another skeleton than the map was made for: {difference}",
        clip = quoted(.clip), difference = cut_quotes(.difference)
    )]
    Skeleton {
        /// Clip.
        clip: String,
        /// What differs.
        difference: String,
    },
    /// A clip that is none.
    #[error(transparent)]
    Clip(#[from] crate::clip::ClipError),
}
