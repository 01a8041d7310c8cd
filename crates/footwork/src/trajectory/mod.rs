//! Predicted and past trajectory of the character.
//!
//! `control` converts the user's input to a desired velocity and facing; `simulation` moves an idealised character by it;
//! `predict` looks ahead with the same rules; `history` looks back. `dance_card` compares coverage with what a stick needs.

pub(crate) mod control;
pub(crate) mod dance_card;
pub(crate) mod history;
pub(crate) mod predict;
pub(crate) mod simulation;

pub(crate) use control::PathProgress;
pub use predict::{PredictionConfig, PredictionModel};
pub use simulation::SimulationConfig;
pub(crate) use simulation::{Desired, Simulation};
