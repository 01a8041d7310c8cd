//! Trains the networks of [`footwork::learned`] from a motion database.
//!
//! ```text
//!  Database --Dataset--> features and bodies at 30 Hz
//!                           |  autoencoder: compressor and decompressor
//!                           v
//!                         codes: features and latent variables
//!                           |  stepper, projector
//!                           v
//!                       Networks --.fwnet-->
//! ```
//!
//! [`train::TrainJob`] runs all of it. burn evaluates and differentiates networks on the selected device; the losses, their
//! derivatives with respect to the networks' outputs, and the optimiser are plain loops on the host.
//!
//! Source: Holden et al., "Learned Motion Matching" (2020).

// The results affect trained weights only, which may differ between machines.
#![allow(clippy::disallowed_methods)]

pub mod autoencoder;
pub mod baselines;
pub mod body_loss;
pub mod calibrate;
pub mod checkpoint;
pub mod dataset;
pub mod decoder;
pub mod error;
pub mod kinematics;
pub mod onnx;
pub mod pace;
pub mod perceptron;
pub mod phase;
pub mod projector;
pub mod random;
pub mod reference;
pub mod report;
pub mod stepper;
pub mod svg;
pub mod train;
pub mod workshop;
