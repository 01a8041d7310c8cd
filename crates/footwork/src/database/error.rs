//! Reasons why content is invalid, and names that a database does not have.

use crate::error::{cut_quotes, nearest, quoted};
use crate::motion::MirrorError;

/// Reason why content is invalid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DatabaseError {
    /// The database has no content to play or match.
    #[error("the database has no {what}")]
    Empty {
        /// The missing content.
        what: &'static str,
    },
    /// The length of an array does not agree with the others.
    #[error("`{array}` has {found} values, expected {expected}")]
    Shape {
        /// Name of the array.
        array: &'static str,
        /// Number of values that the other arrays require.
        expected: usize,
        /// Number of values found.
        found: usize,
    },
    /// A range or index exceeds its array.
    #[error("{what} points outside of the data: {detail}", what = cut_quotes(.what), detail = cut_quotes(.detail))]
    Range {
        /// The part at fault.
        what: String,
        /// The numbers at fault.
        detail: String,
    },
    /// A value is NaN, infinite, implausibly large, an invalid scale or a negative cost.
    #[error("`{array}`, value {index}: {value} is not usable")]
    Value {
        /// Name of the array.
        array: &'static str,
        /// Index of the value.
        index: usize,
        /// The value.
        value: f32,
    },
    /// The skeleton cannot be mirrored, but `mirror` requires it.
    #[error(transparent)]
    Mirror(#[from] MirrorError),
    /// A channel cannot be mirrored, but `mirror` requires it.
    #[error(transparent)]
    Schema(#[from] crate::schema::SchemaError),
    /// A joint that is named by pairs or contacts is missing.
    #[error(transparent)]
    Skeleton(#[from] crate::skeleton::SkeletonError),
}

/// Error: the database does not have a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the database has no {kind} `{name}`{}",
    .nearest.as_ref().map(|n| format!("; the nearest is `{n}`")).unwrap_or_default(), name = quoted(.name)
)]
pub struct NameError {
    /// `tag`, `event` or `clip`.
    pub kind: &'static str,
    /// The name that was looked up.
    pub name: String,
    /// The most similar name that exists.
    pub nearest: Option<String>,
}

pub(super) fn position(kind: &'static str, names: &[String], name: &str) -> Result<usize, NameError> {
    names.iter().position(|n| n == name).ok_or_else(|| NameError {
        kind,
        name: name.to_owned(),
        nearest: nearest(name, names.iter().map(String::as_str)),
    })
}
