//! Compressor and decompressor, trained together. The compressor finds the latent variables that the features lack to describe a
//! body.

use crate::body_loss::{BodyLoss, PARTS, WINDOW, absolute};
use crate::dataset::Dataset;
use crate::decoder::Decoder;
use crate::error::TrainError;
use crate::pace::Limit;
use crate::perceptron::{Gradient, Normalization, Perceptron, numbers};
use crate::phase::{Phase, PhaseRecord, VALIDATION_BATCHES, halves, tensor};
use crate::random::Random;
use crate::workshop::Workshop;
use burn::tensor::{Device, Tensor};
use footwork::advanced::learned::{Network, STEP_S};

/// Weights of the regularisation of latent variables: absolute values, squares, rates.
const LATENT_WEIGHTS: [f32; 3] = [0.1, 0.1, 0.01];
/// Minimum standard deviation with which a number of the body is normalised.
const LEAST_BODY_SPREAD: f32 = 0.01;
/// The same for rates, per second.
const LEAST_RATE_SPREAD: f32 = 0.1;
/// Frames per batch when all frames are compressed after training.
const FRAMES_AT_ONCE: usize = 1024;

/// Sizes of the networks of this phase.
#[derive(Clone, Copy, Debug)]
pub struct AutoencoderSizes {
    /// Latent variables.
    pub latents: usize,
    /// Width of the hidden layer of the decompressor.
    pub hidden: usize,
    /// Width of the hidden layers of the compressor.
    pub compressor_hidden: usize,
    /// Windows per step.
    pub batch: usize,
}

/// Compressor and decompressor in training.
#[derive(Debug)]
pub struct Autoencoder {
    /// Both networks.
    pub compressor: Perceptron,
    /// The decompressor, with outputs for rates that only training uses.
    pub decompressor: Perceptron,
    sizes: AutoencoderSizes,
    input: Normalization,
    /// Of the outputs, then of the rates.
    output: Normalization,
    /// Indices in a body of the numbers whose rates are predicted.
    rates: Vec<u32>,
}

impl Autoencoder {
    /// Creates untrained networks for a data set.
    pub fn new(data: &Dataset, sizes: AutoencoderSizes, local: std::ops::Range<usize>, seed: u64) -> Self {
        let n = data.outputs.len();
        let rates: Vec<u32> = data.outputs.iter().copied().filter(|at| local.contains(&(*at as usize))).collect();
        let body_rows: Vec<Vec<f32>> = data.usable().map(|frame| body_and_rates(data, frame)).collect();
        let body = Normalization::of(body_rows.iter().map(Vec::as_slice), 2 * n, 0.0);
        let mut features = Normalization::of(data.usable().map(|frame| data.features(frame)), data.columns, 1e-4);
        features.share_spread(0..data.columns);
        let mut input = body.clone();
        input.std[..n].iter_mut().for_each(|s| *s = s.max(LEAST_BODY_SPREAD));
        input.std[n..].iter_mut().for_each(|s| *s = s.max(LEAST_RATE_SPREAD));
        // The rates among the outputs are in the order of the outputs.
        let picked: Vec<usize> =
            (0..n).chain((0..n).filter(|i| rates.binary_search(&data.outputs[*i]).is_ok()).map(|i| n + i)).collect();
        let pick = |values: &[f32]| picked.iter().map(|i| values[*i]).collect();
        let output = Normalization { mean: pick(&body.mean), std: pick(&body.std) };
        let mut random = Random::new(seed, Phase::Autoencoder as u64, u64::MAX);
        let AutoencoderSizes { latents, hidden, compressor_hidden: wide, .. } = sizes;
        let compressor = vec![data.columns + 2 * n, wide, wide, wide, latents];
        let decompressor = vec![data.columns + latents, hidden, n + rates.len()];
        Self {
            compressor: Perceptron::new(compressor, &mut random),
            decompressor: Perceptron::new(decompressor, &mut random),
            sizes,
            input: features.with(input),
            output,
            rates,
        }
    }

    /// Trains until the limit.
    ///
    /// # Errors
    /// Returns a [`TrainError`] if a loss is not a number, or training is interrupted.
    pub fn train(
        &mut self,
        data: &Dataset,
        loss: &BodyLoss,
        limit: Limit,
        shop: &mut Workshop,
    ) -> Result<PhaseRecord, TrainError> {
        let parts: Vec<&str> = PARTS.iter().copied().chain(["latents"]).collect();
        let networks = &mut [&mut self.compressor, &mut self.decompressor];
        let mut course = shop.begin(Phase::Autoencoder, limit, &parts, networks)?;
        // Two frames, and the successor of the second.
        let windows = data.windows(WINDOW + 1);
        let batch = self.sizes.batch;
        let starts = |seed: u64, step: u64| -> Vec<usize> {
            let mut random = Random::new(seed, Phase::Autoencoder as u64, step);
            (0..batch).map(|_| windows.start(random.below(windows.len()))).collect()
        };
        while !course.is_over() && !windows.is_empty() {
            let starts_now = starts(shop.seed, course.pace.steps);
            let rate = course.pace.rate();
            let parts = self.step(data, loss, &starts_now, Some(rate), shop);
            shop.check(data, &course, &parts, &starts_now)?;
            course.finish_step(&parts, shop.observer);
            if course.is_validation_due() {
                let fixed = (1..=VALIDATION_BATCHES).map(|i| starts(shop.seed, u64::MAX - i));
                course.validate(fixed.map(|s| self.step(data, loss, &s, None, shop).iter().sum::<f32>()).sum());
            }
            shop.keep(&course, &[&self.compressor, &self.decompressor])?;
        }
        shop.end(course, &[&self.compressor, &self.decompressor])
    }

    /// Returns the losses of a batch. With a learning rate, makes an optimiser step if they are finite.
    fn step(
        &mut self,
        data: &Dataset,
        loss: &BodyLoss,
        starts: &[usize],
        rate: Option<f32>,
        shop: &Workshop,
    ) -> [f32; PARTS.len() + 1] {
        let device = &shop.device;
        let differentiate = rate.is_some();
        let (parts, gradients) = halves(starts, |half| self.differentiate(data, loss, half, differentiate, device));
        let Some(rate) = rate.filter(|_| parts.iter().all(|part| part.is_finite())) else { return parts };
        let (compressors, decompressors): (Vec<_>, Vec<_>) = gradients.into_iter().unzip();
        self.compressor.descend(&compressors, rate);
        self.decompressor.descend(&decompressors, rate);
        parts
    }

    /// Returns the losses of windows, and their derivatives with respect to the weights of both networks.
    fn differentiate(
        &self,
        data: &Dataset,
        loss: &BodyLoss,
        starts: &[usize],
        differentiate: bool,
        device: &Device,
    ) -> ([f32; PARTS.len() + 1], Option<(Gradient, Gradient)>) {
        let (inputs, features) = self.batch(data, starts.iter().flat_map(|start| *start..start + WINDOW));
        let (compressor, decompressor) = (self.compressor.on(device), self.decompressor.on(device));
        let latents = compressor.run(tensor(device, inputs, self.input.mean.len()));
        let code = Tensor::cat(vec![tensor(device, features, data.columns), latents.clone()], 1);
        let outputs = decompressor.run(code);

        let (parts, by_outputs) = self.losses(data, loss, starts, &numbers(outputs.clone()));
        let (latent_loss, by_latents) = latent_loss(&numbers(latents.clone()), self.sizes.latents);
        let mut all = [latent_loss; PARTS.len() + 1];
        all[..PARTS.len()].copy_from_slice(&parts);
        if !differentiate {
            return (all, None);
        }
        // The derivatives by the outputs are known. A sum weighted with them has the same derivatives by the weights.
        let by_outputs = tensor(device, by_outputs, self.output.mean.len());
        let by_latents = tensor(device, by_latents, self.sizes.latents);
        let mut gradients = ((outputs * by_outputs).sum() + (latents * by_latents).sum()).backward();
        (all, Some((compressor.gradient(&mut gradients), decompressor.gradient(&mut gradients))))
    }

    /// Returns the `[frames]` normalised inputs of the compressor, and the features.
    fn batch(&self, data: &Dataset, frames: impl Iterator<Item = usize>) -> (Vec<f32>, Vec<f32>) {
        let (mut inputs, mut features) = (Vec::new(), Vec::new());
        for frame in frames {
            features.extend_from_slice(data.features(frame));
            let from = inputs.len();
            inputs.extend_from_slice(data.features(frame));
            inputs.extend(body_and_rates(data, frame));
            self.input.apply(&mut inputs[from..]);
        }
        (inputs, features)
    }

    /// Returns the losses of windows by parts, and the derivative of their sum with respect to the outputs.
    fn losses(
        &self,
        data: &Dataset,
        loss: &BodyLoss,
        starts: &[usize],
        outputs: &[f32],
    ) -> ([f32; PARTS.len()], Vec<f32>) {
        let decoder = Decoder { data, loss, output: &self.output };
        let (mut parts, mut by_outputs) = decoder.losses(starts, outputs);
        let (n, columns) = (data.outputs.len(), self.output.mean.len());
        let share = 1.0 / (starts.len() * WINDOW) as f32;
        let frames = starts.iter().flat_map(|start| *start..start + WINDOW);
        let frames = frames.zip(outputs.chunks_exact(columns)).zip(by_outputs.chunks_exact_mut(columns));
        for ((frame, outputs), by_outputs) in frames {
            let (now, later) = (data.body(frame), data.body(frame + 1));
            for (at, i) in self.rates.iter().zip(n..) {
                let truth = (later[*at as usize] - now[*at as usize]) / STEP_S as f32;
                let error = self.output.value(i, outputs[i]) - truth;
                let (part, slope) = absolute(error, loss.rate_weight(self.rates.len()) * share);
                parts[1] += part;
                by_outputs[i] = slope * self.output.std[i];
            }
        }
        (parts, by_outputs)
    }

    /// Returns the `[frames x latents]` latent variables of all frames with a successor; zeros for the others.
    pub fn latents(&self, data: &Dataset, shop: &Workshop) -> Vec<f32> {
        let width = self.sizes.latents;
        let mut all = vec![0.0; data.frames() * width];
        let compressor = self.compressor.on(&shop.device);
        let frames: Vec<usize> = data.usable().collect();
        for frames in frames.chunks(FRAMES_AT_ONCE) {
            let (inputs, _) = self.batch(data, frames.iter().copied());
            let found = numbers(compressor.run(tensor(&shop.device, inputs, self.input.mean.len())));
            for (frame, found) in frames.iter().zip(found.chunks_exact(width)) {
                all[frame * width..][..width].copy_from_slice(found);
            }
        }
        all
    }

    /// Returns the compressor for use at run time.
    pub fn compressor_network(&self) -> Network {
        self.compressor.to_network(&self.input, &Normalization::none(self.sizes.latents))
    }

    /// Returns the decompressor for use at run time, without the rates.
    pub fn decompressor_network(&self, data: &Dataset) -> Network {
        let n = data.outputs.len();
        let output = Normalization { mean: self.output.mean[..n].to_vec(), std: self.output.std[..n].to_vec() };
        self.decompressor.to_network(&Normalization::none(data.columns + self.sizes.latents), &output)
    }
}

/// Returns the outputs of a frame's body, and their rates.
fn body_and_rates(data: &Dataset, frame: usize) -> Vec<f32> {
    let (now, later) = (data.body(frame), data.body(frame + 1));
    let values = data.outputs.iter().map(|at| now[*at as usize]);
    let rates = data.outputs.iter().map(|at| (later[*at as usize] - now[*at as usize]) / STEP_S as f32);
    values.chain(rates).collect()
}

fn latent_loss(values: &[f32], latents: usize) -> (f32, Vec<f32>) {
    let [weight, square_weight, rate_weight] = LATENT_WEIGHTS;
    let share = 1.0 / values.len() as f32;
    let mut loss = 0.0;
    let mut by_values: Vec<f32> = values
        .iter()
        .map(|z| {
            let (part, slope) = absolute(*z, weight * share);
            loss += part + square_weight * share * z * z;
            slope + 2.0 * square_weight * share * z
        })
        .collect();
    let windows = values.chunks_exact(WINDOW * latents).zip(by_values.chunks_exact_mut(WINDOW * latents));
    for (values, by_values) in windows {
        for i in 0..latents {
            let weight = rate_weight * share * WINDOW as f32 / STEP_S as f32;
            let (part, slope) = absolute(values[latents + i] - values[i], weight);
            loss += part;
            by_values[latents + i] += slope;
            by_values[i] -= slope;
        }
    }
    (loss, by_values)
}
