//! What the user should know about files that were read.

use footwork::error::cut_quotes;
use std::fmt;

/// Something that the user should know, and that is no error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// File or clip that it is about.
    pub about: String,
    /// One sentence.
    pub text: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.about, cut_quotes(&self.text))
    }
}

/// Something that was wrong with a clip as its file has it, and was mended on reading.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Fix {
    /// Clip.
    pub clip: String,
    /// Kind of fault: `up_axis`, `units`.
    pub what: &'static str,
    /// What was wrong, with its size.
    pub found: String,
    /// What was done.
    pub done: String,
}
