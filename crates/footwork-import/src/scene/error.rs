//! What can be wrong with a glTF or FBX file, and what to do about it.

use super::limits::{MOST_TIMES_LARGER, SECONDS_MOST};
use footwork::clip::ClipError;
use footwork::error::{cut_quotes, quoted};
use footwork::skeleton::{Skeleton, SkeletonError};

/// A file that cannot be used: which, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct SceneError {
    /// The source given to the reader, usually a path.
    pub file: String,
    /// What is wrong.
    pub problem: SceneProblem,
}

/// What is wrong with a glTF or FBX file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SceneProblem {
    /// Bytes that are no such file.
    #[error("this is not a usable {format} file: {what}; export or copy it again", what = cut_quotes(.what))]
    Unreadable {
        /// glTF or FBX.
        format: &'static str,
        /// What the reader says.
        what: String,
    },
    /// Something that cannot be read without more code than is worth it.
    #[error("the file uses {what}, which is not supported: {todo}", what = cut_quotes(.what))]
    Unsupported {
        /// The feature.
        what: String,
        /// How to do without.
        todo: &'static str,
    },
    /// A file beside the file.
    #[error(
        "its buffer `{uri}` cannot be read: {what}; put it beside the .gltf file, or export one .glb file instead",
        uri = quoted(.uri), what = cut_quotes(.what)
    )]
    Buffer {
        /// As the file names it.
        uri: String,
        /// Why.
        what: String,
    },
    /// A table of numbers that does not fit.
    #[error("accessor {index}: {what}; the file is damaged: export it again", what = cut_quotes(.what))]
    Accessor {
        /// Its number.
        index: usize,
        /// What is wrong.
        what: String,
    },
    /// Keys that are no function of time.
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
    /// A model.
    #[error(
        "the file holds a model but no animation: export it with its animation (Blender: tick `Animation`; Mixamo: \
         download the animation, not the character)"
    )]
    NoAnimation,
    /// Cubes.
    #[error(
        "its animation moves single objects ({objects}), no skeleton: expected a skinned mesh, bones, or a tree of at \
         least 3 moving nodes; for a character, export its armature too",
        objects = quoted(.objects)
    )]
    NoSkeleton {
        /// Names of some.
        objects: String,
    },
    /// Materials, cameras, faces.
    #[error(
        "none of its animations moves a joint of its skeleton: expected keys of translation or rotation that change; bake \
         the animation onto the bones when exporting"
    )]
    NothingMoves,
    /// Two people.
    #[error(
        "it holds two skeletons, under `{first}` ({first_joints} joints) and `{second}` ({second_joints} joints): \
         export each character into a file of its own",
        first = quoted(.first), second = quoted(.second)
    )]
    TwoSkeletons {
        /// Root.
        first: String,
        /// Its joints.
        first_joints: usize,
        /// Root.
        second: String,
        /// Its joints.
        second_joints: usize,
    },
    /// A snake that bites its tail.
    #[error(
        "node `{node}` is its own ancestor, or has two parents: the file is damaged; export it again",
        node = quoted(.node)
    )]
    NotATree {
        /// The node.
        node: String,
    },
    /// More joints than any rig has.
    #[error("more than {} joints: at most so many are supported; export deforming bones only", Skeleton::MAX_JOINTS)]
    TooManyJoints,
    /// Squash and stretch.
    #[error(
        "joint `{joint}` is scaled by {scale} (x, y, z), which bends the bones below it: poses have no scale; apply the \
         scale in the modelling program, or remove its keys",
        joint = quoted(.joint)
    )]
    Scale {
        /// The joint.
        joint: String,
        /// Its factors.
        scale: String,
    },
    /// A left hand made of a right one.
    #[error(
        "joint `{joint}` is mirrored (a negative scale of {scale}): poses have no scale; apply the scale in the \
         modelling program",
        joint = quoted(.joint)
    )]
    Mirrored {
        /// The joint.
        joint: String,
        /// Its factors.
        scale: String,
    },
    /// A matrix that is no rotation and no scale.
    #[error(
        "the matrix of node `{node}` is sheared: expected rotation, scale and translation; apply transforms first",
        node = quoted(.node)
    )]
    Sheared {
        /// The node.
        node: String,
    },
    /// NaN, infinity, a rotation of length 0.
    #[error(
        "clip `{clip}`, joint `{joint}`, {time_s:.3} s: expected finite numbers and a rotation of length 1",
        clip = quoted(.clip), joint = quoted(.joint)
    )]
    NotATransform {
        /// Clip.
        clip: String,
        /// Joint.
        joint: String,
        /// When, seconds.
        time_s: f64,
    },
    /// A key in the year 3000.
    #[error(
        "clip `{clip}` would last {seconds:.0} s at {rate_hz} frames per second, {joints} joints each: more than \
         {SECONDS_MOST} s, or more than {MOST_TIMES_LARGER} times the file; are the times of its keys right? Export only \
         the range that is animated",
        clip = quoted(.clip)
    )]
    TooLong {
        /// Clip.
        clip: String,
        /// From the first key to the last.
        seconds: f64,
        /// Rate.
        rate_hz: f64,
        /// Joints.
        joints: usize,
    },
    /// A unit that is none.
    #[error(
        "{metres_per_unit} metres per unit are not usable: expected a positive number, such as 0.01 for centimetres"
    )]
    BadUnits {
        /// What was given.
        metres_per_unit: f32,
    },
    /// A build without the C code.
    #[error(
        "FBX cannot be read: this footwork was built without its feature `fbx`; convert the file to .glb, or build with it"
    )]
    FbxLeftOut,
    /// Names or places that make no skeleton.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// Numbers that make no clip.
    #[error(transparent)]
    Clip(#[from] ClipError),
}

impl SceneProblem {
    /// True of files that are sound and hold no character's motion: models, T-poses, props.
    pub fn is_no_motion(&self) -> bool {
        matches!(self, Self::NoAnimation | Self::NothingMoves | Self::NoSkeleton { .. })
    }
}
