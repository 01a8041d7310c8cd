//! A network in training: its weights and the optimiser state are on the host; burn evaluates and differentiates.
//!
//! The optimiser is AdamW (Loshchilov and Hutter 2019) in one pass over the weights. With separate tensor operations, fifteen
//! passes through memory took as long as the gradients.

use crate::random::Random;
use burn::tensor::{Device, Gradients, Tensor, TensorData, activation::relu, module::linear};
use footwork::advanced::learned::{Layer, Network, Weights};
use rayon::prelude::*;

/// Decay of the mean of gradients.
const BETA_1: f32 = 0.9;
/// Decay of the mean of squared gradients.
const BETA_2: f32 = 0.999;
/// Keeps the quotient finite.
const EPSILON: f32 = 1e-8;
/// Share of a weight that is subtracted per step and unit of learning rate.
const WEIGHT_DECAY: f32 = 1e-3;
/// Number of weights that one task updates.
const CHUNK: usize = 1 << 14;

/// One array of weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Values, row by row.
    pub values: Vec<f32>,
    /// Mean of the gradients.
    pub first: Vec<f32>,
    /// Mean of the squared gradients.
    pub second: Vec<f32>,
}

impl Parameter {
    fn new(values: Vec<f32>) -> Self {
        let zero = vec![0.0; values.len()];
        Self { values, first: zero.clone(), second: zero }
    }

    /// Makes one step of AdamW. `rate` is the learning rate; `steps` includes this step.
    fn descend(&mut self, gradient: &[f32], rate: f32, steps: u64) {
        let (unbias_1, unbias_2) = (1.0 / (1.0 - power(BETA_1, steps)), 1.0 / (1.0 - power(BETA_2, steps)));
        let decay = 1.0 - rate * WEIGHT_DECAY;
        let chunks = self.values.par_chunks_mut(CHUNK).zip(self.first.par_chunks_mut(CHUNK));
        let chunks = chunks.zip(self.second.par_chunks_mut(CHUNK)).zip(gradient.par_chunks(CHUNK));
        chunks.for_each(|(((values, first), second), gradient)| {
            for (((w, m), v), g) in values.iter_mut().zip(first).zip(second).zip(gradient) {
                *m = BETA_1 * *m + (1.0 - BETA_1) * g;
                *v = BETA_2 * *v + (1.0 - BETA_2) * g * g;
                *w = decay * *w - rate * (*m * unbias_1) / ((*v * unbias_2).sqrt() + EPSILON);
            }
        });
    }
}

fn power(base: f32, exponent: u64) -> f32 {
    f64::from(base).powf(exponent as f64) as f32
}

/// A multilayer perceptron with rectified units between its layers.
#[derive(Clone, Debug, PartialEq)]
pub struct Perceptron {
    /// Inputs, widths of the hidden layers, outputs.
    pub sizes: Vec<usize>,
    /// Weights `[inputs x outputs]` and bias of the first layer, then of the next ones.
    pub parameters: Vec<Parameter>,
    /// Optimiser steps so far.
    pub steps: u64,
}

impl Perceptron {
    /// Creates random weights that keep the variance of signals from layer to layer (He et al. 2015).
    pub fn new(sizes: Vec<usize>, random: &mut Random) -> Self {
        let layers = sizes.len() - 1;
        let mut parameters = Vec::with_capacity(2 * layers);
        for (layer, pair) in sizes.windows(2).enumerate() {
            let gain = if layer + 1 < layers { 6.0 } else { 1.0 };
            let bound = (gain / pair[0] as f32).sqrt();
            let weights = (0..pair[0] * pair[1]).map(|_| bound * (2.0 * random.unit() - 1.0)).collect();
            parameters.extend([Parameter::new(weights), Parameter::new(vec![0.0; pair[1]])]);
        }
        Self { sizes, parameters, steps: 0 }
    }

    /// Returns the weights as tensors on a device, with derivatives.
    pub fn on(&self, device: &Device) -> Tensors {
        let Tensors(layers) = self.frozen_on(device);
        Tensors(layers.into_iter().map(|(weights, bias)| (weights.require_grad(), bias.require_grad())).collect())
    }

    /// Returns the weights as tensors on a device, without derivatives of their own. Inputs are still differentiated.
    pub fn frozen_on(&self, device: &Device) -> Tensors {
        let layers = self.parameters.chunks_exact(2).zip(self.sizes.windows(2)).map(|(p, size)| {
            let weights = Tensor::<2>::from_data(TensorData::new(p[0].values.clone(), [size[0], size[1]]), device);
            let bias = Tensor::<1>::from_data(TensorData::new(p[1].values.clone(), [size[1]]), device);
            (weights, bias)
        });
        Tensors(layers.collect())
    }

    /// Converts a trained network into one whose outputs are not denormalised.
    pub fn of(network: &Network) -> Self {
        let sizes = std::iter::once(network.inputs()).chain(network.layers.iter().map(Layer::outputs)).collect();
        let arrays = network.layers.iter().flat_map(|layer| [layer.weights.to_f32(), layer.bias.clone()]);
        Self { sizes, parameters: arrays.map(Parameter::new).collect(), steps: 0 }
    }

    /// Makes an optimiser step with the mean of gradients; see [`Tensors::gradient`].
    pub fn descend(&mut self, gradients: &[Gradient], rate: f32) {
        self.steps += 1;
        for (at, parameter) in self.parameters.iter_mut().enumerate() {
            let mut mean = gradients[0][at].clone();
            for other in &gradients[1..] {
                mean.iter_mut().zip(&other[at]).for_each(|(a, b)| *a += b);
            }
            let share = 1.0 / gradients.len() as f32;
            mean.iter_mut().for_each(|v| *v *= share);
            parameter.descend(&mean, rate, self.steps);
        }
    }

    /// Returns the network for use at run time, with the normalisation of its inputs and outputs. Outputs beyond those of
    /// `output` are removed.
    pub fn to_network(&self, input: &Normalization, output: &Normalization) -> Network {
        let kept = output.mean.len();
        let layers = self.parameters.chunks_exact(2).zip(self.sizes.windows(2)).enumerate().map(|(at, (p, size))| {
            let width = if at + 2 == self.sizes.len() { kept } else { size[1] };
            let rows = p[0].values.chunks_exact(size[1]);
            let weights = rows.flat_map(|row| row[..width].iter().copied()).collect();
            Layer { weights: Weights::F32(weights), bias: p[1].values[..width].to_vec() }
        });
        Network {
            input_mean: input.mean.clone(),
            input_std: input.std.clone(),
            layers: layers.collect(),
            output_std: output.std.clone(),
            output_mean: output.mean.clone(),
        }
    }
}

/// Returns the values of a tensor.
pub fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    // All tensors here hold 32-bit floats.
    tensor.try_into_vec_as::<f32>().unwrap_or_else(|e| unreachable!("{e:?}"))
}

/// The weights of a [`Perceptron`] on a device.
#[derive(Clone, Debug)]
pub struct Tensors(pub(crate) Vec<(Tensor<2>, Tensor<1>)>);

/// Derivatives of a loss with respect to each of a network's arrays of weights.
pub type Gradient = Vec<Vec<f32>>;

impl Tensors {
    /// Removes and returns this network's part of the derivatives of a loss: zero where the loss does not depend on a weight.
    pub fn gradient(&self, gradients: &mut Gradients) -> Gradient {
        let mut all = Vec::with_capacity(2 * self.0.len());
        for (weights, bias) in &self.0 {
            let none = |size: usize| vec![0.0; size];
            all.push(weights.grad_remove(gradients).map_or_else(|| none(weights.dims().iter().product()), numbers));
            all.push(bias.grad_remove(gradients).map_or_else(|| none(bias.dims()[0]), numbers));
        }
        all
    }

    /// Evaluates the network: `[rows x inputs]` to `[rows x outputs]`.
    pub fn run(&self, input: Tensor<2>) -> Tensor<2> {
        let mut x = input;
        for (layer, (weights, bias)) in self.0.iter().enumerate() {
            x = linear(x, weights.clone(), Some(bias.clone()));
            if layer + 1 < self.0.len() {
                x = relu(x);
            }
        }
        x
    }
}

/// Mean and standard deviation of columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Normalization {
    /// `[columns]` means.
    pub mean: Vec<f32>,
    /// `[columns]` standard deviations, above 0.
    pub std: Vec<f32>,
}

impl Normalization {
    /// Returns a normalisation that does not change values.
    pub fn none(columns: usize) -> Self {
        Self { mean: vec![0.0; columns], std: vec![1.0; columns] }
    }

    /// Returns mean and standard deviation of each column of `[rows x columns]`. The deviation is at least `least`.
    pub fn of<'a>(rows: impl Iterator<Item = &'a [f32]>, columns: usize, least: f32) -> Self {
        let (mut sums, mut squares, mut count) = (vec![0.0f64; columns], vec![0.0f64; columns], 0usize);
        for row in rows {
            count += 1;
            for (column, v) in row.iter().enumerate() {
                sums[column] += f64::from(*v);
                squares[column] += f64::from(*v) * f64::from(*v);
            }
        }
        let n = count.max(1) as f64;
        let std =
            sums.iter().zip(&squares).map(|(s, q)| ((q / n - (s / n) * (s / n)).max(0.0).sqrt() as f32).max(least));
        Self { std: std.collect(), mean: sums.iter().map(|s| (s / n) as f32).collect() }
    }

    /// Gives all columns of a range the same standard deviation: the square root of their mean variance.
    pub fn share_spread(&mut self, columns: std::ops::Range<usize>) {
        let part = &mut self.std[columns];
        let shared = (part.iter().map(|s| s * s).sum::<f32>() / part.len().max(1) as f32).sqrt();
        part.fill(shared.max(1e-6));
    }

    /// Returns the original value of a normalised value of a column.
    pub fn value(&self, column: usize, normalized: f32) -> f32 {
        normalized * self.std[column] + self.mean[column]
    }

    /// Normalises a row in place.
    pub fn apply(&self, row: &mut [f32]) {
        for ((v, mean), std) in row.iter_mut().zip(&self.mean).zip(&self.std) {
            *v = (*v - mean) / std;
        }
    }

    /// Appends the columns of `other`.
    pub fn with(mut self, other: Self) -> Self {
        self.mean.extend(other.mean);
        self.std.extend(other.std);
        self
    }
}
