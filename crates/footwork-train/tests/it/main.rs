//! Training on the built-in data.

mod baselines;
mod common;
mod learning;
mod onnx;
mod resuming;
