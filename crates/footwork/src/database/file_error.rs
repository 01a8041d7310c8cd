//! Reasons why a database file cannot be read or written.

use super::DatabaseError;
use super::file::{FORMAT_VERSION, RAW_POSES};
use crate::error::{cut_quotes, quoted};
use std::path::PathBuf;

/// Reason why a database file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file could not be read or written.
    #[error("{path}: cannot {action}: {error}")]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// `read` or `write`.
        action: &'static str,
        /// Cause.
        error: std::io::Error,
    },
    /// The file is not a safetensors file, or it is damaged.
    #[error("{path}: not a .fwdb file, or a truncated one: {detail}; build it again", detail = cut_quotes(.detail))]
    Container {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        detail: String,
    },
    /// The file is a safetensors file, but not a database.
    #[error("{path}: a safetensors file, but not of footwork (no `footwork` metadata)")]
    NotOurs {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file was written by a newer version.
    #[error(
        "{path}: format version {found}, this footwork reads {FORMAT_VERSION}; update footwork or build the file again"
    )]
    Newer {
        /// Path of the file.
        path: PathBuf,
        /// Format version of the file.
        found: u32,
    },
    /// The file was written by an older version.
    #[error(
        "{path}: format version {found}, this footwork reads {FORMAT_VERSION}; build the file again from its clips"
    )]
    Older {
        /// Path of the file.
        path: PathBuf,
        /// Format version of the file.
        found: u32,
    },
    /// The poses have an encoding that this version does not know.
    #[error("{path}: pose encoding `{found}` is unknown to this footwork (it knows `{RAW_POSES}`): update it")]
    Encoding {
        /// Path of the file.
        path: PathBuf,
        /// Encoding of the file.
        found: String,
    },
    /// The metadata is invalid.
    #[error("{path}: damaged metadata: {detail}; build it again", detail = cut_quotes(.detail))]
    Metadata {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        detail: String,
    },
    /// A tensor is missing, or has a wrong type or shape.
    #[error(
        "{path}: tensor `{tensor}`: {detail}; build it again",
        tensor = quoted(.tensor), detail = cut_quotes(.detail)
    )]
    Tensor {
        /// Path of the file.
        path: PathBuf,
        /// Name of the tensor.
        tensor: String,
        /// Cause.
        detail: String,
    },
    /// The content hash does not match: the bytes have changed since the file was written.
    #[error(
        "{path}: content hash {found} does not match the recorded {recorded}: the file is damaged; build it again",
        recorded = quoted(.recorded)
    )]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// Hash recorded in the file.
        recorded: String,
        /// Hash of the content.
        found: String,
    },
    /// The file is readable, but its content is not a valid database.
    #[error("{path}: {error}")]
    Content {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        error: DatabaseError,
    },
}
