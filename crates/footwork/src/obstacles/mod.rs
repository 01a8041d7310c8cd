//! Obstacles: what a body walks round and is kept out of.
//!
//! ```text
//!  Obstacles (input) --Around--> velocity that slides along them, positions outside of them   (simulation, prediction, root)
//!                    --search::Blocked--> cost of rows whose path leads into them
//! ```

mod around;
mod config;
mod list;
mod obstacle;

pub(crate) use around::{Around, Mover};
pub use config::ObstacleConfig;
pub use list::Obstacles;
pub use obstacle::Obstacle;
