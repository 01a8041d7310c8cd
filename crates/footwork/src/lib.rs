//! Motion matching.

pub mod clip;
pub mod database;
pub mod error;
pub mod frames;
pub mod math;
pub mod pose;
pub mod schema;
pub mod skeleton;
