//! Where the character should go, and where it has been.
//!
//! `control` turns what the user asks for into a desired velocity and facing, `simulation` moves an idealised character by
//! it, `predict` looks ahead with the same rules, `history` looks back.

pub(crate) mod control;
pub(crate) mod history;
pub(crate) mod predict;
mod simulation;

pub use control::{PathProgress, Steering};
pub use predict::{Prediction, PredictionConfig, PredictionModel};
pub use simulation::{Desired, Simulation, SimulationConfig};
