//! Why a configuration cannot be used.

use crate::format;
use crate::import_error::ImportError;
use footwork::advanced::error::{cut_quotes, quoted};
use std::path::PathBuf;

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigFileError {
    /// The file could not be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// File.
        path: PathBuf,
        /// Error of the system.
        error: std::io::Error,
    },
    /// The file could not be written.
    #[error("cannot write {}: {error}", path.display())]
    Write {
        /// File.
        path: PathBuf,
        /// Error of the system.
        error: std::io::Error,
    },
    /// Not TOML, or unknown keys.
    #[error("{}: {message}", path.display(), message = cut_quotes(.message))]
    Parse {
        /// File.
        path: PathBuf,
        /// Line, column, and what was expected.
        message: String,
    },
    /// A value is invalid.
    #[error("`{key}`: {what}", what = cut_quotes(.what))]
    Value {
        /// Key.
        key: &'static str,
        /// What is wrong and what to do.
        what: String,
    },
    /// A pattern matches no motion file.
    #[error("`{}` matches no motion file: expected names that end in {}", pattern.display(), format::known())]
    NoMatch {
        /// Pattern.
        pattern: PathBuf,
    },
    /// A pattern is invalid.
    #[error("`{pattern}`: {what}", pattern = quoted(.pattern), what = cut_quotes(.what))]
    Pattern {
        /// Pattern.
        pattern: String,
        /// What is wrong.
        what: String,
    },
    /// Clips could not be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A sidecar does not fit its clip.
    #[error("{}: {error}", path.display())]
    Sidecar {
        /// File.
        path: PathBuf,
        /// What is wrong.
        error: footwork::clip::ClipError,
    },
}
