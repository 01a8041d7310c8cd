//! Limits on what comes out of a file: beyond them its times are damaged.

/// Longest clip, seconds: a day.
pub(super) const SECONDS_MOST: f64 = 86_400.0;
/// Bytes of a clip over bytes of its file, from which on its times are a mistake.
pub(super) const MOST_TIMES_LARGER: usize = 10;
