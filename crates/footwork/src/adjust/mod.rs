//! Corrections after playback.

pub mod root;
