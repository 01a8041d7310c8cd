//! The direct mapping: from pose and goal to any time of the next second. It has no input that distinguishes several possible
//! continuations.
//!
//! If the same pose and goal have several continuations, its best prediction is their mean.

use super::bodies::{BodyNumbers, PairLoss, PairScratch};
use super::training::{Training, TrainingRecord};
use crate::dataset::{Dataset, LONGEST_WINDOW, Sequence};
use crate::error::TrainError;
use crate::pace::Pace;
use crate::perceptron::{Normalization, Perceptron, numbers};
use crate::phase::tensor;
use crate::random::Random;
use footwork::advanced::learned::{Network, NetworkScratch, STEP_S};
use footwork::database::Database;
use rayon::prelude::*;
use std::f32::consts::TAU;

/// Longest predicted time, seconds.
pub const HORIZON_S: f64 = 1.0;
/// Number of sine and cosine pairs of the prediction time among the inputs.
const WAVES: usize = 4;
/// Stream of random numbers.
const STREAM: u64 = 12;

/// Sizes of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectSizes {
    /// Width of the two hidden layers.
    pub hidden: usize,
    /// Samples per step.
    pub batch: usize,
}

impl Default for DirectSizes {
    fn default() -> Self {
        Self { hidden: 512, batch: 64 }
    }
}

/// The network in training.
#[derive(Debug)]
pub struct Direct {
    network: Perceptron,
    batch: usize,
    input: Normalization,
    /// `[sequences]` cycle length of a loop, frames; 0 for other clips.
    cycles: Vec<usize>,
}

impl Direct {
    /// Creates an untrained network.
    pub fn new(db: &Database, data: &Dataset, loss: &PairLoss, sizes: DirectSizes, seed: u64) -> Self {
        let mut input = Normalization::of(data.usable().map(|frame| data.features(frame)), data.columns, 1e-4);
        input.share_spread(0..data.columns);
        let mut random = Random::new(seed, STREAM, u64::MAX);
        let widths = vec![data.columns + 1 + 2 * WAVES, sizes.hidden, sizes.hidden, loss.numbers.len()];
        // Loops are sampled beyond their end by the longest window; loops that were cut do not repeat.
        let cycle = |s: &Sequence| {
            let whole = db.clips[s.clip.at()].looping() && s.first == 0;
            let seconds = db.view(s.clip, s.mirrored).seconds();
            let frames = (s.frames.len() + 1).saturating_sub(LONGEST_WINDOW);
            if whole && (frames as f64 * STEP_S - seconds).abs() < 1.5 * STEP_S { frames } else { 0 }
        };
        let cycles = data.sequences.iter().map(cycle).collect();
        Self { network: Perceptron::new(widths, &mut random), batch: sizes.batch, input, cycles }
    }

    /// Trains until the limit.
    ///
    /// # Errors
    /// Returns [`TrainError::NotFinite`] if a loss is not a number.
    pub fn train(
        &mut self,
        data: &Dataset,
        loss: &PairLoss,
        training: &mut Training,
    ) -> Result<TrainingRecord, TrainError> {
        let windows = data.windows(2);
        let parameters = self.network.parameters.iter().map(|p| p.values.len()).sum();
        training.run(("direct", parameters), data, &mut |training, pace| {
            let mut random = Random::new(training.seed, STREAM, pace.steps);
            let asked: Vec<Asked> = (0..self.batch)
                .map(|_| self.asked(data, windows.start(random.below(windows.len())), &mut random))
                .collect();
            (self.step(data, loss, &asked, pace, training), asked[0].frame)
        })
    }

    /// Returns a training sample at a frame: a random time ahead, within the known continuation of the clip.
    fn asked(&self, data: &Dataset, frame: usize, random: &mut Random) -> Asked {
        let at = data.sequences.partition_point(|s| s.frames.start <= frame).saturating_sub(1);
        let (sequence, cycle) = (&data.sequences[at], self.cycles[at]);
        let most = (HORIZON_S / STEP_S).round() as usize;
        let known = if cycle > 0 { most } else { most.min(sequence.frames.end - 1 - frame) };
        let ahead = random.below(known + 1);
        let mut answer = frame + ahead;
        while answer + 1 > sequence.frames.end {
            answer -= cycle;
        }
        Asked { frame, ahead, answer }
    }

    fn step(&mut self, data: &Dataset, loss: &PairLoss, asked: &[Asked], pace: &Pace, training: &Training) -> f32 {
        let n = loss.numbers.len();
        let mut inputs = Vec::new();
        for a in asked {
            for step in [0, 1] {
                let from = inputs.len();
                inputs.extend_from_slice(data.features(a.frame));
                self.input.apply(&mut inputs[from..]);
                push_time(((a.ahead + step) as f64 * STEP_S) as f32, &mut inputs);
            }
        }
        let tensors = self.network.on(&training.device);
        let found = tensors.run(tensor(&training.device, inputs, self.network.sizes[0]));
        let values = numbers(found.clone());
        let mut by_found = vec![0.0; values.len()];
        let scale = 1.0 / asked.len() as f32;
        let work = asked.par_iter().zip(values.par_chunks(2 * n)).zip(by_found.par_chunks_mut(2 * n));
        let losses: Vec<f32> = work
            .map_init(PairScratch::default, |room, ((asked, found), by_found)| {
                let ((first, second), (by_first, by_second)) = (found.split_at(n), by_found.split_at_mut(n));
                loss.pair(data, asked.answer, [first, second], ([by_first, by_second], scale), room)
            })
            .collect();
        let sum = losses.iter().sum::<f32>() * scale;
        if sum.is_finite() {
            let mut gradients = (found * tensor(&training.device, by_found, n)).sum().backward();
            self.network.descend(&[tensors.gradient(&mut gradients)], pace.rate());
        }
        sum
    }

    /// Returns the network for use at run time.
    pub fn finish(&self, numbers: &BodyNumbers) -> TrainedDirect {
        let input = self.input.clone().with(Normalization::none(1 + 2 * WAVES));
        let network = self.network.to_network(&input, &Normalization::none(numbers.len()));
        TrainedDirect { network, numbers: numbers.clone() }
    }
}

/// A training sample: input frame, steps ahead, and target frame.
struct Asked {
    frame: usize,
    /// Number of steps from the input frame to the target.
    ahead: usize,
    answer: usize,
}

/// Appends the inputs for a prediction time: the time, and sines and cosines of 1 to `WAVES` Hz.
fn push_time(ahead_s: f32, out: &mut Vec<f32>) {
    out.push(ahead_s);
    out.extend((1..=WAVES).flat_map(|k| {
        let angle = TAU * k as f32 * ahead_s;
        [angle.sin(), angle.cos()]
    }));
}

/// A trained network.
#[derive(Clone, Debug)]
pub struct TrainedDirect {
    network: Network,
    /// Layout and normalisation of its bodies' numbers.
    pub numbers: BodyNumbers,
}

/// Working buffers for evaluation.
#[derive(Clone, Debug, Default)]
pub struct DirectScratch {
    x: Vec<f32>,
    room: NetworkScratch,
}

impl TrainedDirect {
    /// Computes, from normalised features, the normalised numbers of the body `ahead_s` seconds later, at most [`HORIZON_S`].
    pub fn body_after(&self, features: &[f32], ahead_s: f32, numbers: &mut [f32], room: &mut DirectScratch) {
        room.x.clear();
        room.x.extend_from_slice(features);
        push_time(ahead_s.clamp(0.0, HORIZON_S as f32), &mut room.x);
        self.network.run(&room.x, numbers, &mut room.room);
    }
}
