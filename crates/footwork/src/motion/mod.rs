//! Motion of many clips in one pool, sampled at any time, with or without mirroring.

mod mirror;
mod poses;
mod stick;

pub use mirror::{MirrorError, MirrorTable, is_left, other_side};
pub(crate) use poses::arc;
pub use poses::{ClipView, PosePool};
#[cfg(feature = "build")]
pub(crate) use poses::{Hermite, cubic, cubic_rotation};
pub use stick::{PaceConfig, PaceSpeeds, SpeedConfig, StickSpeeds};
