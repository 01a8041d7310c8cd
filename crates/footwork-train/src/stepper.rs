//! The stepper: rates of change of features and latent variables. It is trained on its own predictions, from starts as inexact
//! as those that the projector gives it.

use crate::body_loss::absolute;
use crate::dataset::{Dataset, LONGEST_WINDOW};
use crate::error::TrainError;
use crate::pace::Limit;
use crate::perceptron::{Normalization, Perceptron, numbers};
use crate::phase::{Phase, PhaseRecord, VALIDATION_BATCHES, Workshop};
use crate::random::Random;
use burn::tensor::{Tensor, TensorData};
use footwork::learned::{Network, STEP_S};

/// Weights of features, latent variables, and the rates of both.
const WEIGHTS: [f32; 4] = [2.0, 7.5, 0.2, 0.5];
/// Names of the parts of the loss.
const PARTS: [&str; 4] = ["features", "latents", "feature rates", "latent rates"];
/// Share of the phase after which windows have their full length.
const GROWN: f32 = 0.5;
/// Noise of the first frame is up to this share of the spread.
const NOISE: f32 = 0.03;

/// The stepper in training.
#[derive(Debug)]
pub struct Stepper {
    /// The network.
    pub network: Perceptron,
    batch: usize,
    input: Normalization,
    output: Normalization,
    columns: usize,
}

impl Stepper {
    /// An untrained network for codes, `[frames x width]`.
    pub fn new(data: &Dataset, codes: &[f32], (hidden, batch): (usize, usize), seed: u64) -> Self {
        let width = codes.len() / data.frames();
        let code = |frame: usize| &codes[frame * width..][..width];
        let mut input = Normalization::of(data.usable().map(code), width, 1e-4);
        input.share_spread(0..data.columns);
        input.share_spread(data.columns..width);
        let pairs = data.sequences.iter().flat_map(|s| s.frames.start..s.frames.end - 1);
        let rates: Vec<Vec<f32>> = pairs
            .map(|frame| code(frame).iter().zip(code(frame + 1)).map(|(a, b)| (b - a) / STEP_S as f32).collect())
            .collect();
        let output = Normalization::of(rates.iter().map(Vec::as_slice), width, 1e-3);
        let mut random = Random::new(seed, Phase::Stepper as u64, u64::MAX);
        let network = Perceptron::new(vec![width, hidden, hidden, width], &mut random);
        Self { network, batch, input, output, columns: data.columns }
    }

    /// Trains until the limit.
    ///
    /// # Errors
    /// Returns a [`TrainError`] if a loss is not a number, or training is interrupted.
    pub fn train(
        &mut self,
        data: &Dataset,
        codes: &[f32],
        limit: Limit,
        shop: &mut Workshop,
    ) -> Result<PhaseRecord, TrainError> {
        let mut course = shop.begin(Phase::Stepper, limit, &PARTS, &mut [&mut self.network])?;
        let longest = (2..=LONGEST_WINDOW).rev().find(|w| !data.windows(w + 1).is_empty()).unwrap_or(2);
        let windows: Vec<_> = (0..=longest).map(|w| data.windows(w + 1)).collect();
        let batch = self.batch;
        let starts = |length: usize, random: &mut Random| -> Vec<usize> {
            let here = &windows[length];
            (0..batch).map(|_| here.start(random.below(here.len()))).collect()
        };
        while !course.is_over() && !windows[2].is_empty() {
            let grown = (course.pace.progress() / GROWN).min(1.0);
            let length = 2 + (grown * (longest - 2) as f32).round() as usize;
            let mut random = Random::new(shop.seed, Phase::Stepper as u64, course.pace.steps);
            let starts_now = starts(length, &mut random);
            let parts = self.step(codes, &starts_now, (length, Some(course.pace.rate())), &mut random, shop);
            shop.check(data, &course, &parts, &starts_now)?;
            course.finish_step(&parts, shop.observer);
            if course.is_validation_due() {
                let mut sum = 0.0;
                for i in 1..=VALIDATION_BATCHES {
                    let mut random = Random::new(shop.seed, Phase::Stepper as u64, u64::MAX - i);
                    let starts = starts(longest, &mut random);
                    sum += self.step(codes, &starts, (longest, None), &mut random, shop).iter().sum::<f32>();
                }
                course.validate(sum);
            }
            shop.keep(&course, &[&self.network])?;
        }
        shop.end(course, &[&self.network])
    }

    /// The losses of a batch, and with a learning rate a step against them if they are finite.
    fn step(
        &mut self,
        codes: &[f32],
        starts: &[usize],
        (length, rate): (usize, Option<f32>),
        random: &mut Random,
        shop: &Workshop,
    ) -> [f32; PARTS.len()] {
        let width = self.input.mean.len();
        // Frame after frame, all windows of the batch; normalised.
        let mut truth = Vec::with_capacity(length * starts.len() * width);
        for t in 0..length {
            for start in starts {
                let from = truth.len();
                truth.extend_from_slice(&codes[(start + t) * width..][..width]);
                self.input.apply(&mut truth[from..]);
            }
        }
        let frame = starts.len() * width;
        let mut first = truth[..frame].to_vec();
        for row in first.chunks_exact_mut(width) {
            let sigma = NOISE * random.unit();
            row.iter_mut().for_each(|v| *v += sigma * random.normal());
        }
        // From a normalised rate to the change of a normalised code.
        let h = STEP_S as f32;
        let per_column = |f: &dyn Fn(usize) -> f32| {
            let values: Vec<f32> = (0..width).map(f).collect();
            Tensor::<2>::from_data(TensorData::new(values, [1, width]), &shop.device)
        };
        let gain = per_column(&|i| h * self.output.std[i] / self.input.std[i]);
        let drift = per_column(&|i| h * self.output.mean[i] / self.input.std[i]);
        let network = self.network.on(&shop.device);
        let mut code = shop.tensor(first, width);
        let (mut all, mut all_rates) = (Vec::with_capacity(length), Vec::with_capacity(length));
        for _ in 1..length {
            let rates = network.run(code.clone());
            code = code + (rates.clone() * gain.clone() + drift.clone());
            all_rates.push(rates);
            all.push(code.clone());
        }
        let (all, all_rates) = (Tensor::cat(all, 0), Tensor::cat(all_rates, 0));
        let (parts, by_codes, by_rates) =
            self.losses(&truth, frame, &numbers(all.clone()), &numbers(all_rates.clone()));
        let Some(rate) = rate.filter(|_| parts.iter().all(|part| part.is_finite())) else { return parts };
        let sum = (all * shop.tensor(by_codes, width)).sum() + (all_rates * shop.tensor(by_rates, width)).sum();
        let mut gradients = sum.backward();
        self.network.descend(&network, &mut gradients, rate);
        parts
    }

    fn losses(
        &self,
        truth: &[f32],
        frame: usize,
        codes: &[f32],
        rates: &[f32],
    ) -> ([f32; PARTS.len()], Vec<f32>, Vec<f32>) {
        let (width, columns) = (self.input.mean.len(), self.columns);
        let rows = (codes.len() / width) as f32;
        let mut parts = [0.0; PARTS.len()];
        let (mut by_codes, mut by_rates) = (vec![0.0; codes.len()], vec![0.0; rates.len()]);
        for i in 0..codes.len() {
            let column = i % width;
            let part = usize::from(column >= columns);
            let share = 1.0 / (rows * if part == 0 { columns } else { width - columns } as f32);
            let (loss, slope) = absolute(codes[i] - truth[frame + i], WEIGHTS[part] * share);
            parts[part] += loss;
            by_codes[i] = slope;
            let change = (truth[frame + i] - truth[i]) * self.input.std[column] / STEP_S as f32;
            let true_rate = (change - self.output.mean[column]) / self.output.std[column];
            let (loss, slope) = absolute(rates[i] - true_rate, WEIGHTS[2 + part] * share);
            parts[2 + part] += loss;
            by_rates[i] = slope;
        }
        (parts, by_codes, by_rates)
    }

    /// The network for use.
    pub fn to_network(&self) -> Network {
        self.network.to_network(&self.input, &self.output)
    }
}
