//! The stepper: rates of change of features and latent variables. It is trained on its own predictions. Half of them start from
//! results of the projector, and must lead to the frames after the row that a search returns. Since a small error of a code can
//! make a foot slide, predicted codes are also decompressed, and the bodies are compared.

use crate::body_loss::absolute;
use crate::dataset::{Dataset, LONGEST_WINDOW};
use crate::decoder::Frozen;
use crate::error::TrainError;
use crate::pace::Limit;
use crate::perceptron::{Gradient, Normalization, Perceptron, numbers};
use crate::phase::{Phase, PhaseRecord, VALIDATION_BATCHES, halves, tensor};
use crate::projector::Oracle;
use crate::random::Random;
use crate::workshop::Workshop;
use burn::tensor::{Device, Tensor};
use footwork::advanced::learned::{Network, NetworkScratch, STEP_S};
use rayon::prelude::*;

/// Weights of features, latent variables, and the rates of both.
const WEIGHTS: [f32; 4] = [2.0, 7.5, 0.2, 0.5];
/// Names of the parts of the loss.
const PARTS: [&str; 5] = ["features", "latents", "feature rates", "latent rates", "bodies"];
/// Weight of the loss of decompressed bodies, relative to the training of the decompressor.
const BODY_WEIGHT: f32 = 1.5;
/// Pairs of frames per window whose bodies are compared; each step draws others.
const PAIRS: usize = 2;
/// Share of the phase after which windows have their full length.
const GROWN: f32 = 0.5;
/// Maximum noise of the first frame, in standard deviations.
const NOISE: f32 = 0.03;

/// Results of the projector, as starting points.
#[derive(Debug)]
pub struct Projected {
    /// Frames of the rows that a search finds.
    frames: Vec<usize>,
    /// `[frames x width]` codes that the projector returns for the same queries.
    codes: Vec<f32>,
    width: usize,
}

impl Projected {
    /// Runs a projector and a search on the same queries. Results near the end of a clip are excluded.
    pub fn new(data: &Dataset, oracle: &Oracle, projector: &Network, seed: u64) -> Self {
        let width = projector.outputs();
        let asked: Vec<Option<(usize, Vec<f32>)>> = (0..QUERIES)
            .into_par_iter()
            .map(|i| {
                let mut random = Random::new(seed, 2 + Phase::ALL.len() as u64, i);
                let (body, query) = oracle.query(data, &mut random);
                let (frame, _) = oracle.find_frame(body, &query)?;
                let mut code = vec![0.0; width];
                projector.run(&query, &mut code, &mut NetworkScratch::new(projector.widest()));
                (frame + LONGEST_WINDOW <= data.sequence_of(frame).frames.end).then_some((frame, code))
            })
            .collect();
        let (frames, codes): (Vec<usize>, Vec<Vec<f32>>) = asked.into_iter().flatten().unzip();
        Self { frames, codes: codes.concat(), width }
    }

    fn any(&self, random: &mut Random) -> Option<(usize, &[f32])> {
        let at = random.below(self.frames.len().max(1));
        self.frames.get(at).map(|frame| (*frame, &self.codes[at * self.width..][..self.width]))
    }
}

/// A batch of training windows.
struct Batch<'a> {
    data: &'a Dataset,
    windows: Vec<Window>,
    length: usize,
    /// First frames of the pairs whose bodies are compared.
    decompressed: [usize; PAIRS],
}

/// A series of consecutive frames.
struct Window {
    start: usize,
    /// `[length x width]` normalised codes.
    truth: Vec<f32>,
    /// `[width]` code at which the stepper starts.
    first: Vec<f32>,
}

/// Share of the windows that start at a result of the projector.
const PROJECTED: f32 = 0.5;
/// Number of queries for the projector.
const QUERIES: u64 = 20_000;

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
    /// Creates an untrained network for codes, `[frames x width]`.
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
        (frozen, projected): (&Frozen, &Projected),
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
            let batch = self.batch(data, codes, projected, (&starts_now, length), &mut random);
            let parts = self.step(&batch, frozen, Some(course.pace.rate()), shop);
            // Some windows start at other frames than the drawn ones.
            let frames: Vec<usize> = batch.windows.iter().map(|window| window.start).collect();
            shop.check(data, &course, &parts, &frames)?;
            course.finish_step(&parts, shop.observer);
            if course.is_validation_due() {
                let mut sum = 0.0;
                for i in 1..=VALIDATION_BATCHES {
                    let mut random = Random::new(shop.seed, Phase::Stepper as u64, u64::MAX - i);
                    let starts = starts(longest, &mut random);
                    let batch = self.batch(data, codes, projected, (&starts, longest), &mut random);
                    sum += self.step(&batch, frozen, None, shop).iter().sum::<f32>();
                }
                course.validate(sum);
            }
            shop.keep(&course, &[&self.network])?;
        }
        shop.end(course, &[&self.network])
    }

    /// Returns windows with noise on their first codes.
    fn batch<'a>(
        &self,
        data: &'a Dataset,
        codes: &[f32],
        projected: &Projected,
        (starts, length): (&[usize], usize),
        random: &mut Random,
    ) -> Batch<'a> {
        let width = self.input.mean.len();
        let window = |start: &usize| {
            let found = if random.unit() < PROJECTED { projected.any(random) } else { None };
            let start = found.map_or(*start, |(frame, _)| frame);
            let mut truth = codes[start * width..][..length * width].to_vec();
            truth.chunks_exact_mut(width).for_each(|row| self.input.apply(row));
            let first = if let Some((_, code)) = found {
                let mut code = code.to_vec();
                self.input.apply(&mut code);
                code
            } else {
                let sigma = NOISE * random.unit();
                truth[..width].iter().map(|v| v + sigma * random.normal()).collect()
            };
            Window { start, truth, first }
        };
        let windows = starts.iter().map(window).collect();
        let decompressed = std::array::from_fn(|_| random.below(length - 1));
        Batch { data, windows, length, decompressed }
    }

    /// Returns the losses of a batch. With a learning rate, makes an optimiser step if they are finite.
    fn step(&mut self, batch: &Batch, frozen: &Frozen, rate: Option<f32>, shop: &Workshop) -> [f32; PARTS.len()] {
        let device = &shop.device;
        let differentiate = rate.is_some();
        let work = |half: &[Window]| self.differentiate(batch, half, frozen, differentiate, device);
        let (parts, gradients) = halves(&batch.windows, work);
        let Some(rate) = rate.filter(|_| parts.iter().all(|part| part.is_finite())) else { return parts };
        self.network.descend(&gradients, rate);
        parts
    }

    /// Returns the losses of windows, and their derivatives with respect to the weights.
    fn differentiate(
        &self,
        batch: &Batch,
        windows: &[Window],
        frozen: &Frozen,
        differentiate: bool,
        device: &Device,
    ) -> ([f32; PARTS.len()], Option<Gradient>) {
        let width = self.input.mean.len();
        let per_column = |f: &dyn Fn(usize) -> f32| tensor(device, (0..width).map(f).collect(), width);
        // From a normalised rate to the change of a normalised code.
        let h = STEP_S as f32;
        let gain = per_column(&|i| h * self.output.std[i] / self.input.std[i]);
        let drift = per_column(&|i| h * self.output.mean[i] / self.input.std[i]);
        let network = self.network.on(device);
        let first = windows.iter().flat_map(|w| w.first.iter().copied()).collect();
        let mut codes = vec![tensor(device, first, width)];
        let mut rates = Vec::with_capacity(batch.length);
        for t in 1..batch.length {
            let rate = network.run(codes[t - 1].clone());
            codes.push(codes[t - 1].clone() + (rate.clone() * gain.clone() + drift.clone()));
            rates.push(rate);
        }
        let (all, all_rates) = (Tensor::cat(codes[1..].to_vec(), 0), Tensor::cat(rates, 0));

        // From a normalised code to an input of the decompressor.
        let scale = per_column(&|i| self.input.std[i] / frozen.input.std[i]);
        let shift = per_column(&|i| (self.input.mean[i] - frozen.input.mean[i]) / frozen.input.std[i]);
        let pairs = batch.decompressed.iter().flat_map(|t| [codes[*t].clone(), codes[t + 1].clone()]);
        let inputs = Tensor::cat(pairs.collect(), 0) * scale + shift;
        let bodies = frozen.network.frozen_on(device).run(inputs);

        let (mut parts, by_codes, by_rates) = self.losses(windows, &numbers(all.clone()), &numbers(all_rates.clone()));
        let (part, by_bodies) = body_losses(batch, windows, frozen, &numbers(bodies.clone()));
        parts[PARTS.len() - 1] = part;
        if !differentiate {
            return (parts, None);
        }
        // The derivatives by codes, rates and bodies are known. A sum weighted with them has the same derivatives by the weights.
        let sum = (all * tensor(device, by_codes, width)).sum()
            + (all_rates * tensor(device, by_rates, width)).sum()
            + (bodies * tensor(device, by_bodies, frozen.output.mean.len())).sum();
        (parts, Some(network.gradient(&mut sum.backward())))
    }

    fn losses(&self, windows: &[Window], codes: &[f32], rates: &[f32]) -> ([f32; PARTS.len()], Vec<f32>, Vec<f32>) {
        let (width, columns) = (self.input.mean.len(), self.columns);
        let rows = codes.len() / width;
        let mut parts = [0.0; PARTS.len()];
        let (mut by_codes, mut by_rates) = (vec![0.0; codes.len()], vec![0.0; rates.len()]);
        for row in 0..rows {
            let (t, window) = (row / windows.len(), &windows[row % windows.len()]);
            let (before, truth) = (&window.truth[t * width..][..width], &window.truth[(t + 1) * width..][..width]);
            for column in 0..width {
                let i = row * width + column;
                let part = usize::from(column >= columns);
                let share = 1.0 / (rows * if part == 0 { columns } else { width - columns }) as f32;
                let (loss, slope) = absolute(codes[i] - truth[column], WEIGHTS[part] * share);
                parts[part] += loss;
                by_codes[i] = slope;
                let change = (truth[column] - before[column]) * self.input.std[column] / STEP_S as f32;
                let true_rate = (change - self.output.mean[column]) / self.output.std[column];
                let (loss, slope) = absolute(rates[i] - true_rate, WEIGHTS[2 + part] * share);
                parts[2 + part] += loss;
                by_rates[i] = slope;
            }
        }
        (parts, by_codes, by_rates)
    }

    /// Returns the network for use at run time.
    pub fn to_network(&self) -> Network {
        self.network.to_network(&self.input, &self.output)
    }
}

/// Returns the loss of decompressed pairs of frames, and its derivative with respect to the outputs. Outputs are ordered by pair:
/// for each, first the earlier frames of all windows, then the later ones.
fn body_losses(batch: &Batch, windows: &[Window], frozen: &Frozen, outputs: &[f32]) -> (f32, Vec<f32>) {
    let columns = frozen.output.mean.len();
    let places: Vec<usize> = (0..PAIRS)
        .flat_map(|pair| {
            let here = 2 * pair * windows.len();
            (0..windows.len()).flat_map(move |w| [here + w, here + windows.len() + w])
        })
        .collect();
    let starts: Vec<usize> =
        batch.decompressed.iter().flat_map(|t| windows.iter().map(move |window| window.start + t)).collect();
    let sorted: Vec<f32> = places.iter().flat_map(|row| outputs[row * columns..][..columns].iter().copied()).collect();
    let (parts, by_sorted) = frozen.decoder(batch.data).losses(&starts, &sorted);
    let mut by_outputs = vec![0.0; outputs.len()];
    for (row, by) in places.iter().zip(by_sorted.chunks_exact(columns)) {
        by_outputs[row * columns..][..columns].iter_mut().zip(by).for_each(|(o, v)| *o = BODY_WEIGHT * v);
    }
    (BODY_WEIGHT * parts.iter().sum::<f32>(), by_outputs)
}
