//! A motion file to read.

use std::path::PathBuf;

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Input {
    pub path: PathBuf,
    /// False for a file that a folder or a pattern gave: a model, a prop or an unreadable file is then left out.
    pub named: bool,
}
