//! The training loop of the baselines.

use crate::dataset::Dataset;
use crate::error::TrainError;
use crate::pace::{Limit, Pace};
use burn::tensor::Device;
use serde::Serialize;
use std::time::Duration;

/// Steps per point of the loss curve, which is their mean.
const STEPS_PER_POINT: usize = 50;

/// Device, seed, limit and observer of a training.
pub struct Training<'a> {
    /// Device of the tensors, with derivatives.
    pub device: Device,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Time or number of steps.
    pub limit: Limit,
    /// Called after each step with the name, the progress from 0 to 1, and the loss.
    pub observer: &'a mut dyn FnMut(&str, f32, f32),
}

/// Record of a training.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrainingRecord {
    /// Name of the baseline.
    pub name: &'static str,
    /// Weights and biases.
    pub parameters: usize,
    /// Number of steps.
    pub steps: u64,
    /// Time spent, seconds.
    pub seconds: f64,
    /// Means of the loss over 50 steps each.
    pub losses: Vec<f32>,
}

impl TrainingRecord {
    /// Returns the mean loss of the last steps.
    pub fn last_loss(&self) -> f32 {
        self.losses.last().copied().unwrap_or(f32::NAN)
    }
}

impl Training<'_> {
    /// Makes steps until the limit. `step` makes one, and returns its loss and one of its frames.
    ///
    /// # Errors
    /// Returns [`TrainError::NotFinite`] if a loss is not a number.
    pub fn run(
        &mut self,
        (name, parameters): (&'static str, usize),
        data: &Dataset,
        step: &mut dyn FnMut(&Self, &Pace) -> (f32, usize),
    ) -> Result<TrainingRecord, TrainError> {
        let mut pace = Pace::new(self.limit, 0, Duration::ZERO);
        let (mut losses, mut recent) = (Vec::new(), Vec::with_capacity(STEPS_PER_POINT));
        let mean = |recent: &[f32]| recent.iter().sum::<f32>() / recent.len() as f32;
        while !pace.is_over() {
            let (loss, frame) = step(self, &pace);
            if !loss.is_finite() {
                let sequence = data.sequence_of(frame);
                return Err(TrainError::NotFinite {
                    phase: name,
                    step: pace.steps,
                    loss,
                    clip: data.clip_names[sequence.clip.at()].clone(),
                    time_s: sequence.time_s(frame),
                    advice: "look at that clip with `footwork doctor`".into(),
                });
            }
            pace.steps += 1;
            recent.push(loss);
            if recent.len() == STEPS_PER_POINT {
                losses.push(mean(&recent));
                recent.clear();
            }
            (self.observer)(name, pace.progress().min(1.0), loss);
        }
        if losses.is_empty() && !recent.is_empty() {
            losses.push(mean(&recent));
        }
        Ok(TrainingRecord { name, parameters, steps: pace.steps, seconds: pace.elapsed().as_secs_f64(), losses })
    }
}
