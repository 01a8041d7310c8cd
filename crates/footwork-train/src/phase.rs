//! Phases of training: their course, and the record of their losses.

use crate::pace::{Limit, Pace};
use burn::tensor::{Device, Tensor, TensorData};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The three phases, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Compressor and decompressor.
    Autoencoder,
    /// Projector.
    Projector,
    /// Stepper.
    Stepper,
}

impl Phase {
    /// All phases.
    pub const ALL: [Self; 3] = [Self::Autoencoder, Self::Projector, Self::Stepper];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Autoencoder => "autoencoder",
            Self::Stepper => "stepper",
            Self::Projector => "projector",
        }
    }
}

/// Record of a phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseRecord {
    /// Phase.
    pub phase: Phase,
    /// Steps done.
    pub steps: u64,
    /// Time spent, seconds.
    pub seconds: f64,
    /// Names of the parts of the loss.
    pub parts: Vec<String>,
    /// `[points][parts]` means of the parts of the loss over some steps each, up to the step with the same index in `at`.
    pub losses: Vec<Vec<f32>>,
    /// `[points]` steps.
    pub at: Vec<u64>,
    /// Step after which each validation was done, and its loss. All validations use the same samples.
    pub validation: Vec<(u64, f32)>,
    /// True if the phase ended before its limit, since the validation loss no longer improved.
    pub stopped_early: bool,
}

impl PhaseRecord {
    /// Returns the last loss, summed over its parts.
    pub fn last_loss(&self) -> f32 {
        self.losses.last().map_or(f32::NAN, |parts| parts.iter().sum())
    }
}

/// Progress that an observer of training receives after a step.
#[derive(Clone, Copy, Debug)]
pub struct Tick {
    /// Phase.
    pub phase: Phase,
    /// Steps done.
    pub steps: u64,
    /// Progress from 0 to 1.
    pub progress: f32,
    /// Loss of the step.
    pub loss: f32,
    /// Estimated seconds until the end of the phase.
    pub left_s: f64,
}

/// Returns `[rows x columns]` numbers as a tensor.
pub fn tensor(device: &Device, values: Vec<f32>, columns: usize) -> Tensor<2> {
    let rows = values.len() / columns;
    Tensor::from_data(TensorData::new(values, [rows, columns]), device)
}

/// Processes both halves of a batch at the same time. Returns the mean of the halves' losses, and the other result of each. The
/// split does not depend on the machine: results have equal bits on any number of threads. A batch of one is not split.
pub fn halves<S: Sync, T: Send, const N: usize>(
    samples: &[S],
    work: impl Fn(&[S]) -> ([f32; N], Option<T>) + Sync,
) -> ([f32; N], Vec<T>) {
    let (first, second) = samples.split_at(samples.len().div_ceil(2));
    if second.is_empty() {
        let (losses, other) = work(first);
        return (losses, Vec::from_iter(other));
    }
    let ((first, one), (second, other)) = rayon::join(|| work(first), || work(second));
    let mean = std::array::from_fn(|i| 0.5 * (first[i] + second[i]));
    (mean, one.into_iter().chain(other).collect())
}

/// Steps per point of the loss curve, which is their mean.
const STEPS_PER_POINT: u64 = 50;
/// Number of validations per phase.
const VALIDATIONS: f32 = 20.0;
/// Batches per validation.
pub const VALIDATION_BATCHES: u64 = 8;
/// Number of validations without improvement after which a phase ends early.
const PATIENCE: usize = 4;
/// Minimum progress for an early end: losses fall most while the learning rate does.
const LEAST_SHARE: f32 = 0.6;
/// Minimum relative improvement.
const LEAST_IMPROVEMENT: f32 = 1e-3;

/// Progress of a phase, without its networks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CourseState {
    /// Record so far.
    pub record: PhaseRecord,
    /// `[parts]` sums of losses that are not yet in the record.
    pub sums: Vec<f32>,
    /// Number of steps in the sums.
    pub summed: u64,
    /// True if the phase is over.
    pub over: bool,
}

impl CourseState {
    /// Returns the state of a phase that has not begun.
    pub(crate) fn new(phase: Phase, parts: &[&str]) -> Self {
        let record = PhaseRecord {
            phase,
            steps: 0,
            seconds: 0.0,
            parts: parts.iter().map(|p| (*p).to_owned()).collect(),
            losses: Vec::new(),
            at: Vec::new(),
            validation: Vec::new(),
            stopped_early: false,
        };
        Self { record, sums: vec![0.0; parts.len()], summed: 0, over: false }
    }
}

/// Course of a phase: its pace and its losses.
#[derive(Debug)]
pub struct Course {
    /// Pace.
    pub pace: Pace,
    pub(crate) record: PhaseRecord,
    sums: Vec<f32>,
    summed: u64,
    pub(crate) over: bool,
}

impl Course {
    /// Starts or continues a phase.
    pub fn new(limit: Limit, state: CourseState) -> Self {
        let CourseState { record, sums, summed, over } = state;
        let before = Duration::try_from_secs_f64(record.seconds).unwrap_or_default();
        Self { pace: Pace::new(limit, record.steps, before), record, sums, summed, over }
    }

    /// True if the limit is reached, or the validation no longer improves.
    pub fn is_over(&self) -> bool {
        self.over || self.record.stopped_early || self.pace.is_over()
    }

    /// True if a validation is due.
    pub fn is_validation_due(&self) -> bool {
        self.pace.progress() * VALIDATIONS >= (self.record.validation.len() + 1) as f32
    }

    /// Records the loss of a validation, the sum over its batches.
    pub fn validate(&mut self, sum: f32) {
        self.record.validation.push((self.pace.steps, sum / VALIDATION_BATCHES as f32));
        let all = &self.record.validation;
        let (before, last) = all.split_at(all.len().saturating_sub(PATIENCE));
        let least = |of: &[(u64, f32)]| of.iter().map(|v| v.1).fold(f32::INFINITY, f32::min);
        let improves = before.is_empty() || least(last) < least(before) * (1.0 - LEAST_IMPROVEMENT);
        self.record.stopped_early = !improves && (LEAST_SHARE..0.99).contains(&self.pace.progress());
    }

    /// Counts a step, and calls the observer.
    pub fn finish_step(&mut self, parts: &[f32], observer: &mut dyn FnMut(Tick)) {
        self.pace.steps += 1;
        self.sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
        self.summed += 1;
        if self.summed == STEPS_PER_POINT {
            self.add_point();
        }
        let (steps, progress) = (self.pace.steps, self.pace.progress().min(1.0));
        let (phase, left_s) = (self.record.phase, self.pace.left_s());
        observer(Tick { phase, steps, progress, loss: parts.iter().sum(), left_s });
    }

    /// Returns the progress of the phase.
    pub fn state(&self) -> CourseState {
        let record =
            PhaseRecord { steps: self.pace.steps, seconds: self.pace.elapsed().as_secs_f64(), ..self.record.clone() };
        CourseState { record, sums: self.sums.clone(), summed: self.summed, over: false }
    }

    /// Ends the phase.
    pub(crate) fn finish(mut self) -> CourseState {
        if self.summed > 0 {
            self.add_point();
        }
        CourseState { over: true, ..self.state() }
    }

    fn add_point(&mut self) {
        let n = self.summed as f32;
        self.record.losses.push(self.sums.iter().map(|s| s / n).collect());
        self.record.at.push(self.pace.steps);
        self.sums.fill(0.0);
        self.summed = 0;
    }
}
