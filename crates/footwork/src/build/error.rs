//! Errors of a build.

use super::{NormalizeError, RoleError, RootError};
use crate::clip::ClipError;
use crate::database::DatabaseError;
use crate::error::{cut_quotes, quoted};
use crate::schema::SchemaError;
use crate::settings::SettingError;
use crate::skeleton::SkeletonError;

/// Reason why a database cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// No clip was given.
    #[error("no clips: there is nothing to build from")]
    NoClips,
    /// All clips were left out.
    #[error("no clip can be used: {}", .reasons.join("; "))]
    NoUsableClip {
        /// Reason for each clip.
        reasons: Vec<String>,
    },
    /// A clip is invalid.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// Two clips have the same name.
    #[error("two clips are named `{name}` ({a} and {b}): rename one", name = quoted(.name))]
    RepeatedClip {
        /// Name.
        name: String,
        /// Source of the first clip.
        a: String,
        /// Source of the second clip.
        b: String,
    },
    /// The clips belong to different characters.
    #[error(
        "clip `{clip}` has another skeleton than `{first}`: {difference}; build them apart, or retarget one",
        clip = quoted(.clip), first = quoted(.first), difference = cut_quotes(.difference)
    )]
    Skeletons {
        /// Clip name.
        clip: String,
        /// Clip that determines the skeleton.
        first: String,
        /// First difference.
        difference: String,
    },
    /// A setting is invalid.
    #[error("`{key}`: {what}", key = quoted(.key), what = cut_quotes(.what))]
    Config {
        /// Key.
        key: String,
        /// Error and fix.
        what: String,
    },
    /// A role is invalid.
    #[error(transparent)]
    Role(#[from] RoleError),
    /// No root can be made.
    #[error(transparent)]
    Root(#[from] RootError),
    /// Retargeting failed.
    #[error(transparent)]
    Retarget(#[from] crate::retarget::RetargetError),
    /// The schema is invalid.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// The features cannot be normalised.
    #[error(transparent)]
    Normalize(#[from] NormalizeError),
    /// The skeleton is invalid.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// The built database is inconsistent.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

impl From<SettingError> for BuildError {
    fn from(e: SettingError) -> Self {
        Self::Config { key: e.key, what: e.what }
    }
}
