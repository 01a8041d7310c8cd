//! Where the character should go, and where it has been.
//!
//! [`goal`] is what the user asks for, [`control`] turns it into a desired velocity and facing, [`simulation`] moves an
//! idealised character by it, [`predict`] looks ahead with the same rules, [`history`] looks back.

pub mod control;
pub mod goal;
pub mod history;
pub mod path;
pub mod predict;
pub mod simulation;

pub use control::{SpeedConfig, Speeds};
pub use goal::{CollisionHook, Gait, Goal, GroundHook, GroundPoint, InputError, MotionInput, Stick, TrajectoryPoint};
pub use path::{Path, PathError};
pub use predict::{PredictionConfig, PredictionModel};
pub use simulation::{Desired, Simulation, SimulationConfig};
