//! Recordings whose hash is right although their content is not, as databases in [`crate::fwdb`].

use crate::fwdb::replaced;
use footwork::recorder::{Trace, TraceError};
use std::path::Path;

/// Reads a recording; one with the wrong hash once more, with the right one.
pub fn read(bytes: &[u8]) -> Result<Trace, TraceError> {
    let path = Path::new("t");
    match Trace::from_bytes(bytes, path) {
        Err(TraceError::Hash { recorded, found, .. }) if recorded.len() == found.len() => {
            Trace::from_bytes(&replaced(bytes, recorded.as_bytes(), found.as_bytes()), path)
        }
        other => other,
    }
}
