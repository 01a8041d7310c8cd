//! Loss of bodies from the outputs of a decompressor, and its derivatives with respect to the outputs.

use crate::body_loss::{BodyLoss, LossRoom, PARTS, WINDOW, WindowBodies};
use crate::dataset::Dataset;
use crate::perceptron::{Normalization, Perceptron};
use footwork::advanced::learned::Network;
use rayon::prelude::*;

/// A decompressor that is not trained any more, and the loss of its bodies.
#[derive(Debug)]
pub struct Frozen<'a> {
    /// Its weights.
    pub network: Perceptron,
    /// Normalisation of its inputs.
    pub input: Normalization,
    /// Normalisation of its outputs.
    pub output: Normalization,
    /// Loss of its bodies.
    pub loss: &'a BodyLoss,
}

impl<'a> Frozen<'a> {
    /// Creates it from a trained network.
    pub fn new(network: &Network, loss: &'a BodyLoss) -> Self {
        let of = |mean: &[f32], std: &[f32]| Normalization { mean: mean.to_vec(), std: std.to_vec() };
        Self {
            network: Perceptron::of(network),
            input: of(&network.input_mean, &network.input_std),
            output: of(&network.output_mean, &network.output_std),
            loss,
        }
    }

    /// Returns a decoder that compares with the bodies of a data set.
    pub fn decoder<'b>(&'b self, data: &'b Dataset) -> Decoder<'b> {
        Decoder { data, loss: self.loss, output: &self.output }
    }
}

/// Compares the outputs of a decompressor with bodies of the data.
#[derive(Clone, Copy, Debug)]
pub struct Decoder<'a> {
    /// Bodies of the clips.
    pub data: &'a Dataset,
    /// Loss of the bodies.
    pub loss: &'a BodyLoss,
    /// Normalisation of the outputs. Outputs beyond those of the data set are not part of the body, and are ignored.
    pub output: &'a Normalization,
}

impl Decoder<'_> {
    /// Returns the loss of windows by parts (means over the windows), and the derivative of their sum with respect to the
    /// outputs. `starts`: first frames of the windows. `outputs`: `[windows x 2 x outputs]` of the decompressor.
    pub fn losses(&self, starts: &[usize], outputs: &[f32]) -> ([f32; PARTS.len()], Vec<f32>) {
        let columns = self.output.mean.len();
        let mut by_outputs = vec![0.0; outputs.len()];
        let scale = 1.0 / starts.len() as f32;
        let work = starts.par_iter().zip(outputs.par_chunks(WINDOW * columns));
        let work = work.zip(by_outputs.par_chunks_mut(WINDOW * columns));
        let parts: Vec<[f32; PARTS.len()]> = work
            .map_init(LossRoom::default, |room, ((start, outputs), by_outputs)| {
                self.window(*start, (outputs, by_outputs, scale), room)
            })
            .collect();
        let mut sums = [0.0; PARTS.len()];
        for part in parts {
            sums.iter_mut().zip(part).for_each(|(sum, p)| *sum += p * scale);
        }
        (sums, by_outputs)
    }

    fn window(
        &self,
        start: usize,
        (outputs, by_outputs, scale): (&[f32], &mut [f32], f32),
        room: &mut LossRoom,
    ) -> [f32; PARTS.len()] {
        let data = self.data;
        let (columns, width) = (self.output.mean.len(), data.layout.width());
        let found = [0, 1].map(|frame| {
            let mut body = data.means.clone();
            for (i, at) in data.outputs.iter().enumerate() {
                body[*at as usize] = self.output.value(i, outputs[frame * columns + i]);
            }
            body
        });
        let mut by_found = [vec![0.0; width], vec![0.0; width]];
        let [first, second] = &mut by_found;
        let mut window = WindowBodies {
            truth: [data.body(start), data.body(start + 1)],
            found: [&found[0], &found[1]],
            by_found: [first, second],
        };
        let parts = self.loss.window(&mut window, scale, room);
        for frame in 0..WINDOW {
            for (i, at) in data.outputs.iter().enumerate() {
                by_outputs[frame * columns + i] = by_found[frame][*at as usize] * self.output.std[i];
            }
        }
        parts
    }
}
