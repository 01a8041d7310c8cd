//! Predicted and past trajectory of the character.
//!
//! `control` converts the user's input to a desired velocity and facing; `simulation` moves an idealised character by it;
//! `predict` looks ahead with the same rules; `history` looks back. `dance_card` compares coverage with what a stick needs.

pub(crate) mod control;
mod dance_card;
pub(crate) mod history;
pub(crate) mod predict;
mod simulation;

pub use control::{PathProgress, Steering};
pub use dance_card::{DIRECTIONS, DanceCardCell, SPEEDS_MPS, TURNS_DEG_S, TravelSeconds, dance_card, travel_seconds};
pub use predict::{Prediction, PredictionConfig, PredictionModel};
pub use simulation::{Desired, Simulation, SimulationConfig};
