//! What all phases share: the device, the seed, and the record of losses.

use crate::pace::{Limit, Pace};
use burn::tensor::{Device, Tensor, TensorData};
use serde::Serialize;

/// The three phases, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Compressor and decompressor.
    Autoencoder,
    /// Stepper.
    Stepper,
    /// Projector.
    Projector,
}

impl Phase {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Autoencoder, Self::Stepper, Self::Projector];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Autoencoder => "autoencoder",
            Self::Stepper => "stepper",
            Self::Projector => "projector",
        }
    }
}

/// What happened in a phase.
#[derive(Clone, Debug, Serialize)]
pub struct PhaseRecord {
    /// Phase.
    pub phase: Phase,
    /// Steps made.
    pub steps: u64,
    /// Time spent, seconds.
    pub seconds: f64,
    /// Names of the parts of the loss.
    pub parts: Vec<&'static str>,
    /// `[points][parts]` means of the parts of the loss over some steps each, after the step of the same place in `at`.
    pub losses: Vec<Vec<f32>>,
    /// `[points]` steps.
    pub at: Vec<u64>,
}

impl PhaseRecord {
    /// The last loss, all parts together.
    pub fn last_loss(&self) -> f32 {
        self.losses.last().map_or(f32::NAN, |parts| parts.iter().sum())
    }
}

/// What an observer of training is told after a step.
#[derive(Clone, Copy, Debug)]
pub struct Tick {
    /// Phase.
    pub phase: Phase,
    /// Steps made.
    pub steps: u64,
    /// 0 to 1.
    pub progress: f32,
    /// Loss of the step.
    pub loss: f32,
}

/// What a phase trains with.
pub struct Workshop<'a> {
    /// Device of the tensors, with derivatives.
    pub device: Device,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Told after each step.
    pub observer: &'a mut dyn FnMut(Tick),
}

impl Workshop<'_> {
    /// `[rows x columns]` numbers as a tensor.
    pub fn tensor(&self, values: Vec<f32>, columns: usize) -> Tensor<2> {
        let rows = values.len() / columns;
        Tensor::from_data(TensorData::new(values, [rows, columns]), &self.device)
    }
}

/// Steps of which a point of the loss curve is the mean.
const STEPS_PER_POINT: u64 = 50;

/// Steps of a phase: their pace and their losses.
#[derive(Debug)]
pub struct Course {
    /// Pace.
    pub pace: Pace,
    record: PhaseRecord,
    sums: Vec<f32>,
    summed: u64,
}

impl Course {
    /// A phase that begins now.
    pub fn new(phase: Phase, limit: Limit, parts: &[&'static str]) -> Self {
        let record =
            PhaseRecord { phase, steps: 0, seconds: 0.0, parts: parts.to_vec(), losses: Vec::new(), at: Vec::new() };
        Self { pace: Pace::new(limit), record, sums: vec![0.0; parts.len()], summed: 0 }
    }

    /// Counts a step.
    pub fn finish_step(&mut self, parts: &[f32], observer: &mut dyn FnMut(Tick)) {
        self.pace.steps += 1;
        self.sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
        self.summed += 1;
        if self.summed == STEPS_PER_POINT {
            self.add_point();
        }
        let (steps, progress) = (self.pace.steps, self.pace.progress().min(1.0));
        observer(Tick { phase: self.record.phase, steps, progress, loss: parts.iter().sum() });
    }

    /// The record of a phase that is over.
    pub fn finish(mut self) -> PhaseRecord {
        if self.summed > 0 {
            self.add_point();
        }
        self.record.steps = self.pace.steps;
        self.record.seconds = self.pace.elapsed().as_secs_f64();
        self.record
    }

    fn add_point(&mut self) {
        let n = self.summed as f32;
        self.record.losses.push(self.sums.iter().map(|s| s / n).collect());
        self.record.at.push(self.pace.steps);
        self.sums.fill(0.0);
        self.summed = 0;
    }
}
