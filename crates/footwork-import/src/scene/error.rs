//! Errors of glTF and FBX files, each with its remedy.

use super::limits::{MOST_TIMES_LARGER, SECONDS_MOST};
use footwork::advanced::error::{cut_quotes, quoted};
use footwork::clip::ClipError;
use footwork::skeleton::{Skeleton, SkeletonError};

/// An invalid file, with the reason.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct SceneError {
    /// The source given to the reader, usually a path.
    pub file: String,
    /// The problem.
    pub problem: SceneProblem,
}

/// A problem of a glTF or FBX file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SceneProblem {
    /// The bytes are not a file of this format.
    #[error("this is not a usable {format} file: {what}; export or copy it again", what = cut_quotes(.what))]
    Unreadable {
        /// glTF or FBX.
        format: &'static str,
        /// Message of the reader.
        what: String,
    },
    /// The file uses a feature that is not supported.
    #[error("the file uses {what}, which is not supported: {todo}", what = cut_quotes(.what))]
    Unsupported {
        /// The feature.
        what: String,
        /// Instruction to avoid it.
        todo: &'static str,
    },
    /// A buffer in a separate file could not be read.
    #[error(
        "its buffer `{uri}` cannot be read: {what}; put it beside the .gltf file, or export one .glb file instead",
        uri = quoted(.uri), what = cut_quotes(.what)
    )]
    Buffer {
        /// URI in the file.
        uri: String,
        /// Reason.
        what: String,
    },
    /// An accessor is invalid.
    #[error("accessor {index}: {what}; the file is damaged: export it again", what = cut_quotes(.what))]
    Accessor {
        /// Index of the accessor.
        index: usize,
        /// What is wrong.
        what: String,
    },
    /// The keys of a channel are invalid.
    #[error(
        "animation `{take}`, node `{node}`: {what}; export it again",
        take = quoted(.take), node = quoted(.node), what = cut_quotes(.what)
    )]
    Keys {
        /// Animation.
        take: String,
        /// Node.
        node: String,
        /// What is wrong.
        what: String,
    },
    /// The file holds a model without animation.
    #[error(
        "the file holds a model but no animation: export it with its animation (Blender: tick `Animation`; Mixamo: \
         download the animation, not the character)"
    )]
    NoAnimation,
    /// The animation moves single objects, not a skeleton.
    #[error(
        "its animation moves single objects ({objects}), no skeleton: expected a skinned mesh, bones, or a tree of at \
         least 3 moving nodes; for a character, export its armature too",
        objects = quoted(.objects)
    )]
    NoSkeleton {
        /// Names of some of the objects.
        objects: String,
    },
    /// No animation moves a joint of the skeleton; only materials, cameras or meshes, for example.
    #[error(
        "none of its animations moves a joint of its skeleton: expected keys of translation or rotation that change; bake \
         the animation onto the bones when exporting"
    )]
    NothingMoves,
    /// The file holds two skeletons.
    #[error(
        "it holds two skeletons, under `{first}` ({first_joints} joints) and `{second}` ({second_joints} joints): \
         export each character into a file of its own",
        first = quoted(.first), second = quoted(.second)
    )]
    TwoSkeletons {
        /// Root of the first skeleton.
        first: String,
        /// Number of its joints.
        first_joints: usize,
        /// Root of the second skeleton.
        second: String,
        /// Number of its joints.
        second_joints: usize,
    },
    /// A node is its own ancestor, or has two parents.
    #[error(
        "node `{node}` is its own ancestor, or has two parents: the file is damaged; export it again",
        node = quoted(.node)
    )]
    NotATree {
        /// Name of the node.
        node: String,
    },
    /// The skeleton has more than [`Skeleton::MAX_JOINTS`] joints.
    #[error("more than {} joints: at most so many are supported; export deforming bones only", Skeleton::MAX_JOINTS)]
    TooManyJoints,
    /// A joint is scaled in a way that shears the bones below it.
    #[error(
        "joint `{joint}` is scaled by {scale} (x, y, z), which bends the bones below it: poses have no scale; apply the \
         scale in the modelling program, or remove its keys",
        joint = quoted(.joint)
    )]
    Scale {
        /// Name of the joint.
        joint: String,
        /// Scale factors (x, y, z).
        scale: String,
    },
    /// A joint is mirrored.
    #[error(
        "joint `{joint}` is mirrored (a negative scale of {scale}): poses have no scale; apply the scale in the \
         modelling program",
        joint = quoted(.joint)
    )]
    Mirrored {
        /// Name of the joint.
        joint: String,
        /// Scale factors (x, y, z).
        scale: String,
    },
    /// The matrix of a node is sheared.
    #[error(
        "the matrix of node `{node}` is sheared: expected rotation, scale and translation; apply transforms first",
        node = quoted(.node)
    )]
    Sheared {
        /// Name of the node.
        node: String,
    },
    /// A transform has NaN, infinity, or a rotation of length 0.
    #[error(
        "clip `{clip}`, joint `{joint}`, {time_s:.3} s: expected finite numbers and a rotation of length 1",
        clip = quoted(.clip), joint = quoted(.joint)
    )]
    NotATransform {
        /// Clip.
        clip: String,
        /// Joint.
        joint: String,
        /// Time from the start of the clip, in seconds.
        time_s: f64,
    },
    /// A clip is implausibly long; often a single key has a wrong time.
    #[error(
        "clip `{clip}` would last {seconds:.0} s at {rate_hz} frames per second, {joints} joints each: more than \
         {SECONDS_MOST} s, or more than {MOST_TIMES_LARGER} times the file; are the times of its keys right? Export only \
         the range that is animated",
        clip = quoted(.clip)
    )]
    TooLong {
        /// Clip.
        clip: String,
        /// Time from the first key to the last, in seconds.
        seconds: f64,
        /// Frames per second.
        rate_hz: f64,
        /// Number of joints.
        joints: usize,
    },
    /// The given unit is invalid.
    #[error(
        "{metres_per_unit} metres per unit are not usable: expected a positive number, such as 0.01 for centimetres"
    )]
    BadUnits {
        /// The value given.
        metres_per_unit: f32,
    },
    /// The crate was built without the feature `fbx`.
    #[error(
        "FBX cannot be read: this footwork was built without its feature `fbx`; convert the file to .glb, or build with it"
    )]
    FbxLeftOut,
    /// The names or transforms of the joints do not form a valid skeleton.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// The samples do not form a valid clip.
    #[error(transparent)]
    Clip(#[from] ClipError),
}

impl SceneProblem {
    /// Returns true for valid files without a character's motion: models, T-poses, props.
    pub fn is_no_motion(&self) -> bool {
        matches!(self, Self::NoAnimation | Self::NothingMoves | Self::NoSkeleton { .. })
    }
}
