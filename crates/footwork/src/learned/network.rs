//! A multilayer perceptron: layers of weights with rectified linear units between them.
//!
//! Every output is one sum over the inputs in their order, and each product is rounded before it is added. Instruction
//! sets, batches and the skipping of zero inputs do not change this: all give the same bits.

use super::kernels::{GROUP, Kernel};
use super::layer::{Layer, Precision, Weights};
use xxhash_rust::xxh3::Xxh3;

/// A multilayer perceptron with the normalisation of its inputs and outputs: `y = f((x - input_mean) / input_std) * output_std +
/// output_mean`.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// `[inputs]` means, subtracted from the inputs.
    pub input_mean: Vec<f32>,
    /// `[inputs]` divisors of the inputs after that; above 0.
    pub input_std: Vec<f32>,
    /// Layers, at least one, with rectified linear units between them.
    pub layers: Vec<Layer>,
    /// `[outputs]` factors of the last layer's outputs.
    pub output_std: Vec<f32>,
    /// `[outputs]` means, added after that.
    pub output_mean: Vec<f32>,
}

/// Reason why numbers do not form a network.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// There is no layer.
    #[error("the network has no layers")]
    Empty,
    /// The size of a layer does not match the one before.
    #[error("layer {layer} takes {found} inputs, expected {expected}")]
    Chain {
        /// Layer index from 0. The number of layers stands for the output normalisation.
        layer: usize,
        /// Number of outputs of the layer before.
        expected: usize,
        /// Number of inputs found.
        found: usize,
    },
    /// A value is NaN, infinite or too large, or a standard deviation is not above 0.
    #[error("{what}, value {index}: {value} is not usable")]
    Value {
        /// Name of the array.
        what: &'static str,
        /// Index of the value.
        index: usize,
        /// Value.
        value: f32,
    },
}

/// Upper bound of a network's numbers.
const LARGEST: f32 = 1e6;

impl Network {
    /// Returns the number of inputs.
    pub fn inputs(&self) -> usize {
        self.input_mean.len()
    }

    /// Returns the number of outputs.
    pub fn outputs(&self) -> usize {
        self.output_mean.len()
    }

    /// Returns the number of weights and biases.
    pub fn parameters(&self) -> usize {
        self.layers.iter().map(|l| l.weights.len() + l.bias.len()).sum()
    }

    /// Returns the size of weights, biases and normalisation, in bytes.
    pub fn bytes(&self) -> usize {
        let of = |l: &Layer| {
            let factors = if let Weights::I8(_, scale) = &l.weights { scale.len() } else { 0 };
            l.weights.len() * l.weights.precision().bytes() + 4 * (l.bias.len() + factors)
        };
        8 * (self.inputs() + self.outputs()) + self.layers.iter().map(of).sum::<usize>()
    }

    /// Returns the width of the widest layer, which determines the size of the working memory.
    pub fn widest(&self) -> usize {
        self.layers.iter().map(Layer::outputs).fold(self.inputs(), usize::max)
    }

    /// Returns the storage format of the weights.
    pub fn precision(&self) -> Precision {
        self.layers.first().map_or(Precision::F32, |l| l.weights.precision())
    }

    /// Returns the same network with weights in another format.
    pub fn with_precision(&self, precision: Precision) -> Self {
        let stored =
            |l: &Layer| Layer { weights: l.weights.with_precision(precision, l.outputs()), bias: l.bias.clone() };
        Self { layers: self.layers.iter().map(stored).collect(), ..self.clone() }
    }

    /// Checks that the sizes of the layers match, and that every number is valid.
    ///
    /// # Errors
    /// Returns the first error that is found.
    pub fn check(&self) -> Result<(), NetworkError> {
        if self.layers.is_empty() {
            return Err(NetworkError::Empty);
        }
        let mut width = self.inputs();
        for (layer, l) in self.layers.iter().enumerate() {
            let whole = l.inputs() * l.outputs() == l.weights.len() && l.outputs() > 0;
            let factors = if let Weights::I8(_, scale) = &l.weights { scale.len() == l.outputs() } else { true };
            if l.inputs() != width || !whole || !factors {
                return Err(NetworkError::Chain { layer, expected: width, found: l.inputs() });
            }
            width = l.outputs();
        }
        if width != self.outputs() || self.output_std.len() != width || self.input_std.len() != self.inputs() {
            return Err(NetworkError::Chain { layer: self.layers.len(), expected: width, found: self.outputs() });
        }
        usable("input_mean", &self.input_mean, |v| v.abs() < LARGEST)?;
        usable("input_std", &self.input_std, |v| v > 0.0 && v < LARGEST)?;
        usable("output_mean", &self.output_mean, |v| v.abs() < LARGEST)?;
        usable("output_std", &self.output_std, |v| (0.0..LARGEST).contains(&v))?;
        for l in &self.layers {
            usable("bias", &l.bias, |v| v.abs() < LARGEST)?;
            match &l.weights {
                Weights::F32(w) => usable("weights", w, |v| v.abs() < LARGEST)?,
                Weights::F16(_) => usable("weights", &l.weights.to_f32(), |v| v.abs() < LARGEST)?,
                Weights::I8(_, scale) => usable("factors", scale, |v| v > 0.0 && v < LARGEST)?,
            }
        }
        Ok(())
    }

    /// Adds every number to a hash.
    pub(super) fn hash_into(&self, hash: &mut Xxh3) {
        for numbers in [&self.input_mean, &self.input_std, &self.output_std, &self.output_mean] {
            hash.update(bytemuck::cast_slice(numbers));
        }
        for layer in &self.layers {
            hash.update(bytemuck::cast_slice(&layer.bias));
            match &layer.weights {
                Weights::F32(w) => hash.update(bytemuck::cast_slice(w)),
                Weights::F16(w) => hash.update(bytemuck::cast_slice(w)),
                Weights::I8(w, scale) => {
                    hash.update(bytemuck::cast_slice(scale));
                    hash.update(bytemuck::cast_slice(w));
                }
            }
        }
    }

    /// Evaluates the network. Does not allocate once `room` has grown to its size.
    pub fn run(&self, input: &[f32], output: &mut [f32], room: &mut NetworkScratch) {
        self.run_with(Kernel::fastest(), input, output, room);
    }

    /// Does the same as [`Network::run`] with the given instructions. The result has the same bits.
    pub(crate) fn run_with(&self, kernel: Kernel, input: &[f32], output: &mut [f32], room: &mut NetworkScratch) {
        self.run_layers(kernel, |v| v != 0.0, (input, output), room);
    }

    fn run_layers(
        &self,
        kernel: Kernel,
        counts: impl Fn(f32) -> bool,
        (input, output): (&[f32], &mut [f32]),
        room: &mut NetworkScratch,
    ) {
        room.reserve(self.widest());
        let NetworkScratch { now, next, nonzero } = room;
        self.normalize(input, now);
        for (k, layer) in self.layers.iter().enumerate() {
            let (inputs, outputs) = (layer.inputs(), layer.outputs());
            nonzero.clear();
            let values = now[..inputs].iter().enumerate();
            nonzero.extend(values.filter(|(_, v)| counts(**v)).map(|(i, v)| (i as u32, *v)));
            kernel.layer(layer, nonzero, &mut next[..outputs]);
            if k + 1 < self.layers.len() {
                rectify(&mut next[..outputs]);
            }
            std::mem::swap(now, next);
        }
        self.denormalize(now, output);
    }

    /// Does the same as [`Network::run`], but also multiplies zero inputs: slower, with the same bits. For comparison.
    pub fn run_dense(&self, input: &[f32], output: &mut [f32], room: &mut NetworkScratch) {
        self.run_layers(Kernel::fastest(), |_| true, (input, output), room);
    }

    /// Evaluates the network for many inputs: `[many x inputs]` to `[many x outputs]`. The results have the same bits as
    /// those of single evaluations.
    pub fn run_many(&self, inputs: &[f32], outputs: &mut [f32], room: &mut NetworkScratch) {
        self.run_many_with(Kernel::fastest(), inputs, outputs, room);
    }

    /// Does the same as [`Network::run_many`] with the given instructions.
    pub(crate) fn run_many_with(&self, kernel: Kernel, inputs: &[f32], outputs: &mut [f32], room: &mut NetworkScratch) {
        let (width, out, widest) = (self.inputs(), self.outputs(), self.widest());
        room.reserve(widest * GROUP);
        for (inputs, outputs) in inputs.chunks(GROUP * width).zip(outputs.chunks_mut(GROUP * out)) {
            let NetworkScratch { now, next, .. } = &mut *room;
            for (sample, row) in inputs.chunks_exact(width).enumerate() {
                self.normalize(row, &mut now[sample * widest..]);
            }
            for (k, layer) in self.layers.iter().enumerate() {
                kernel.layer_of_group(layer, widest, now, next);
                if k + 1 < self.layers.len() {
                    rectify(next);
                }
                std::mem::swap(now, next);
            }
            for (sample, row) in outputs.chunks_exact_mut(out).enumerate() {
                self.denormalize(&now[sample * widest..], row);
            }
        }
    }

    fn normalize(&self, input: &[f32], out: &mut [f32]) {
        for (i, o) in out.iter_mut().enumerate().take(self.inputs()) {
            *o = (input[i] - self.input_mean[i]) / self.input_std[i];
        }
    }

    fn denormalize(&self, values: &[f32], out: &mut [f32]) {
        for (j, o) in out.iter_mut().enumerate().take(self.outputs()) {
            *o = values[j] * self.output_std[j] + self.output_mean[j];
        }
    }
}

fn rectify(values: &mut [f32]) {
    values.iter_mut().for_each(|v| *v = if *v > 0.0 { *v } else { 0.0 });
}

fn usable(what: &'static str, values: &[f32], good: impl Fn(f32) -> bool) -> Result<(), NetworkError> {
    match values.iter().position(|v| !good(*v)) {
        Some(index) => Err(NetworkError::Value { what, index, value: values[index] }),
        None => Ok(()),
    }
}

/// Working memory of networks. It grows to the size of the widest network.
#[derive(Clone, Debug, Default)]
pub struct NetworkScratch {
    now: Vec<f32>,
    next: Vec<f32>,
    nonzero: Vec<(u32, f32)>,
}

impl NetworkScratch {
    /// Allocates working memory for networks of a width.
    pub fn new(widest: usize) -> Self {
        let mut room = Self::default();
        room.reserve(widest);
        room
    }

    fn reserve(&mut self, widest: usize) {
        if self.now.len() < widest {
            self.now.resize(widest, 0.0);
            self.next.resize(widest, 0.0);
        }
        if self.nonzero.capacity() < widest {
            self.nonzero.reserve(widest - self.nonzero.len());
        }
    }
}

#[cfg(test)]
mod tests;
