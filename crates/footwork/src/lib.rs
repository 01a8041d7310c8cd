//! Motion matching.

pub mod clip;
pub mod error;
pub mod frames;
pub mod math;
pub mod pose;
pub mod skeleton;
