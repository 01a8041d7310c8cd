//! Corrections after playback.

pub mod feet;
pub mod leg;
pub mod play_rate;
pub mod root;
