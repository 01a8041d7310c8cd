//! Limits on the output of a file. A clip beyond them has damaged key times.

/// Maximum length of a clip, in seconds: one day.
pub(super) const SECONDS_MOST: f64 = 86_400.0;
/// Maximum ratio of a clip's bytes to its file's bytes.
pub(super) const MOST_TIMES_LARGER: usize = 10;
