//! Motion matching.

pub mod adjust;
pub mod blend;
#[cfg(feature = "build")]
pub mod build;
pub mod clip;
pub mod database;
pub mod error;
pub mod frames;
pub mod matcher;
pub mod math;
pub mod pose;
pub mod schema;
pub mod search;
pub mod skeleton;
pub mod trajectory;
