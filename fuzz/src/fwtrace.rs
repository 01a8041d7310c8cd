//! Recordings with a correct hash and invalid content, like databases in [`crate::fwdb`].

use crate::fwdb::replaced;
use footwork::recorder::{FileError, FileFault, Trace};
use std::path::Path;

/// Reads a recording. If its hash is wrong, it is corrected and the file is read again.
pub fn read(bytes: &[u8]) -> Result<Trace, FileError> {
    let path = Path::new("t");
    match Trace::from_bytes(bytes, path) {
        Err(FileError { fault: FileFault::Damaged { recorded, found }, .. }) if recorded.len() == found.len() => {
            Trace::from_bytes(&replaced(bytes, recorded.as_bytes(), found.as_bytes()), path)
        }
        other => other,
    }
}
