//! What differs between the files.

/// A kind of file.
#[derive(Debug)]
pub struct Format {
    /// What a file holds, for messages.
    pub what: &'static str,
    /// Extension of its name, with the dot.
    pub extension: &'static str,
    /// Key of its metadata.
    pub key: &'static str,
    /// Value of `kind` in the metadata, which tells files with the same key from each other.
    pub kind: Option<&'static str>,
    /// Format version that this library writes and reads.
    pub version: u32,
    /// The fix of a damaged file.
    pub again: &'static str,
}
