//! db
mod mirror;
mod poses;
pub use mirror::*;
pub use poses::*;
