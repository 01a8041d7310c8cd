//! Why a database cannot be built.

use super::{NormalizeError, RoleError, RootError};
use crate::clip::ClipError;
use crate::database::DatabaseError;
use crate::error::{cut_quotes, quoted};
use crate::schema::SchemaError;
use crate::settings::SettingError;
use crate::skeleton::SkeletonError;

/// Why a database cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Nothing given.
    #[error("no clips: there is nothing to build from")]
    NoClips,
    /// All of it was left out.
    #[error("no clip can be used: {}", .reasons.join("; "))]
    NoUsableClip {
        /// Why each was left out.
        reasons: Vec<String>,
    },
    /// A clip that is broken.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// Two clips of one name.
    #[error("two clips are named `{name}` ({a} and {b}): rename one", name = quoted(.name))]
    RepeatedClip {
        /// Name.
        name: String,
        /// Where one comes from.
        a: String,
        /// Where the other comes from.
        b: String,
    },
    /// Clips of different characters.
    #[error(
        "clip `{clip}` has another skeleton than `{first}`: {difference}; build them apart, or retarget one",
        clip = quoted(.clip), first = quoted(.first), difference = cut_quotes(.difference)
    )]
    Skeletons {
        /// Clip.
        clip: String,
        /// The clip that set the skeleton.
        first: String,
        /// What differs.
        difference: String,
    },
    /// A setting is invalid.
    #[error("`{key}`: {what}", key = quoted(.key), what = cut_quotes(.what))]
    Config {
        /// Key.
        key: String,
        /// What is wrong and what to do.
        what: String,
    },
    /// Roles.
    #[error(transparent)]
    Role(#[from] RoleError),
    /// Root.
    #[error(transparent)]
    Root(#[from] RootError),
    /// Retargeting.
    #[error(transparent)]
    Retarget(#[from] crate::retarget::RetargetError),
    /// Schema.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// Features.
    #[error(transparent)]
    Normalize(#[from] NormalizeError),
    /// Skeleton.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// The result does not hold together.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

impl From<SettingError> for BuildError {
    fn from(e: SettingError) -> Self {
        Self::Config { key: e.key, what: e.what }
    }
}
