//! Messages for the user about files that were read.

use footwork::advanced::error::cut_quotes;
use std::fmt;

/// A message for the user that is not an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// File or clip that the message is about.
    pub about: String,
    /// The message: one sentence.
    pub text: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.about, cut_quotes(&self.text))
    }
}

/// A fault in a clip's file that was fixed on reading.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Fix {
    /// Name of the clip.
    pub clip: String,
    /// Kind of fault: `up_axis`, `units`.
    pub what: &'static str,
    /// The fault, with its size.
    pub found: String,
    /// The change that was made.
    pub done: String,
}
