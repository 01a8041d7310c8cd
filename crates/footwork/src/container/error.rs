//! Reasons why a file cannot be read or written.

use super::format::Format;
use crate::error::{cut_quotes, quoted};
use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Reason why a `.fwdb`, `.fwnet` or `.fwtrace` file could not be read or written. Its text has the path, the fault and the fix.
#[derive(Debug)]
pub struct FileError {
    /// Path of the file.
    pub path: PathBuf,
    /// Cause.
    pub fault: FileFault,
    format: &'static Format,
}

/// Fault of a file.
#[derive(Debug)]
#[non_exhaustive]
pub enum FileFault {
    /// The file could not be read or written.
    Io {
        /// `read` or `write`.
        action: &'static str,
        /// Cause.
        error: io::Error,
    },
    /// The file is not a safetensors file, or it is damaged.
    Container(String),
    /// The file is a safetensors file, but not from this library, or without the expected metadata.
    NotOurs,
    /// The file is another file of this library.
    OtherKind,
    /// The file was written by a newer version, which is this.
    Newer(u64),
    /// The file was written by an older version, which is this.
    Older(u64),
    /// The poses have an encoding that this version does not know.
    Encoding(String),
    /// The metadata is invalid.
    Metadata(String),
    /// A tensor is missing, or has a wrong type or shape.
    Tensor {
        /// Name of the tensor.
        tensor: String,
        /// Cause.
        detail: String,
    },
    /// The content hash does not match: bytes have changed since the file was written.
    Damaged {
        /// Hash recorded in the file.
        recorded: String,
        /// Hash of the content.
        found: String,
    },
    /// The character inside a file of networks, a `.fwdb` file, has a fault.
    Character(Box<FileError>),
    /// The file is readable, but its content is invalid.
    Content(Box<dyn Error + Send + Sync>),
}

impl FileError {
    pub(crate) fn new(format: &'static Format, path: &Path, fault: FileFault) -> Self {
        Self { path: path.to_owned(), fault, format }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Format { what, extension, key, version, again, .. } = self.format;
        write!(f, "{}: ", self.path.display())?;
        match &self.fault {
            FileFault::Io { action, error } => write!(f, "cannot {action}: {error}"),
            FileFault::Container(detail) => {
                write!(f, "not a {extension} file, or a truncated one: {}; {again}", cut_quotes(detail))
            }
            FileFault::NotOurs => {
                write!(f, "expected {what}, found a safetensors file that is not of footwork (no `{key}` metadata)")
            }
            FileFault::OtherKind => write!(
                f,
                "expected {what}, found another footwork file; open databases with --db, and traces with --trace"
            ),
            FileFault::Newer(found) => {
                write!(f, "format version: expected {version}, found {found}; update footwork, or {again}")
            }
            FileFault::Older(found) => write!(f, "format version: expected {version}, found {found}; {again}"),
            FileFault::Encoding(found) => {
                write!(f, "pose encoding `{}` is unknown to this footwork: update it, or {again}", quoted(found))
            }
            FileFault::Metadata(detail) => write!(f, "damaged metadata: {}; {again}", cut_quotes(detail)),
            FileFault::Tensor { tensor, detail } => {
                write!(f, "tensor `{}`: {}; {again}", quoted(tensor), cut_quotes(detail))
            }
            FileFault::Damaged { recorded, found } => {
                let recorded = quoted(recorded);
                write!(f, "content hash: expected {recorded}, found {found}; the file is damaged: {again}")
            }
            FileFault::Character(error) => write!(f, "the character inside: {error}; {again}"),
            FileFault::Content(error) => write!(f, "{}; {again}", cut_quotes(&error.to_string())),
        }
    }
}

impl Error for FileError {}
