//! Motion of many clips in one pool, sampled at any time, with or without mirroring.

pub(crate) mod codec;
mod cubic;
pub(crate) mod mirror;
pub(crate) mod poses;
pub(crate) mod stick;

#[cfg(feature = "build")]
pub(crate) use cubic::{Hermite, cubic, cubic_rotation};
pub(crate) use mirror::{MirrorError, MirrorTable};
#[cfg(feature = "build")]
pub(crate) use mirror::{is_left, other_side};
pub(crate) use poses::{ClipView, PosePool, arc};
pub use stick::{PaceConfig, SpeedConfig};
pub(crate) use stick::{PaceSpeeds, StickSpeeds};
