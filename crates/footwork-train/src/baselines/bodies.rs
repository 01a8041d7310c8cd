//! Bodies as normalised numbers, and the loss of predicted bodies.

use crate::body_loss::{BodyLoss, LossRoom, LossWeights, WindowBodies};
use crate::dataset::Dataset;
use crate::perceptron::Normalization;
use footwork::advanced::learned::BodyLayout;
use footwork::database::Database;

/// Minimum standard deviation with which a number is normalised.
const LEAST_SPREAD: f32 = 0.01;

/// The numbers of a body that a baseline predicts: those that vary, without the times until contacts and without curves.
#[derive(Clone, Debug)]
pub struct BodyNumbers {
    /// Layout of a body's numbers.
    pub layout: BodyLayout,
    /// Indices of the numbers in a body, in ascending order.
    places: Vec<usize>,
    /// `[width of a body]` means, used for the numbers that are not predicted.
    means: Vec<f32>,
    spread: Normalization,
}

impl BodyNumbers {
    /// Selects the numbers that vary in a data set.
    pub fn new(data: &Dataset) -> Self {
        let predicted = |at: &usize| *at < data.layout.next_contacts.start;
        let places: Vec<usize> = data.outputs.iter().map(|at| *at as usize).filter(predicted).collect();
        let rows: Vec<Vec<f32>> =
            data.usable().map(|frame| places.iter().map(|at| data.body(frame)[*at]).collect()).collect();
        let spread = Normalization::of(rows.iter().map(Vec::as_slice), places.len(), LEAST_SPREAD);
        Self { layout: data.layout.clone(), places, means: data.means.clone(), spread }
    }

    /// Returns the number of predicted numbers.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// True if no number varies.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Appends the normalised numbers of a body to `out`.
    pub fn push(&self, body: &[f32], out: &mut Vec<f32>) {
        let from = out.len();
        out.extend(self.places.iter().map(|at| body[*at]));
        self.spread.apply(&mut out[from..]);
    }

    /// Writes the body of normalised numbers.
    pub fn body(&self, numbers: &[f32], body: &mut [f32]) {
        body.copy_from_slice(&self.means);
        for ((at, number), (std, mean)) in
            self.places.iter().zip(numbers).zip(self.spread.std.iter().zip(&self.spread.mean))
        {
            body[*at] = number * std + mean;
        }
    }
}

/// Loss of two consecutive bodies, the same as the decompressor's.
#[derive(Clone, Debug)]
pub struct PairLoss {
    loss: BodyLoss,
    /// The predicted numbers.
    pub numbers: BodyNumbers,
}

/// Working buffers for a pair.
#[derive(Clone, Debug, Default)]
pub struct PairScratch {
    loss: LossRoom,
    found: [Vec<f32>; 2],
    by_found: [Vec<f32>; 2],
}

impl PairLoss {
    /// Creates the loss for the bodies of a database.
    pub fn new(db: &Database, data: &Dataset) -> Self {
        let weights = LossWeights { next_contacts: 0.0, curves: 0.0, ..LossWeights::default() };
        Self { loss: BodyLoss::of(db, &data.layout, weights), numbers: BodyNumbers::new(data) }
    }

    /// Returns the loss of normalised numbers predicted for `frame` and its successor. Adds the derivative with respect to them,
    /// times `scale`, to `by_found`.
    pub fn pair(
        &self,
        data: &Dataset,
        frame: usize,
        found: [&[f32]; 2],
        (by_found, scale): ([&mut [f32]; 2], f32),
        room: &mut PairScratch,
    ) -> f32 {
        let width = self.numbers.layout.width();
        for k in 0..2 {
            room.found[k].resize(width, 0.0);
            self.numbers.body(found[k], &mut room.found[k]);
            room.by_found[k].clear();
            room.by_found[k].resize(width, 0.0);
        }
        let [first, second] = &mut room.by_found;
        let mut window = WindowBodies {
            truth: [data.body(frame), data.body(frame + 1)],
            found: [&room.found[0], &room.found[1]],
            by_found: [first, second],
        };
        let parts = self.loss.window(&mut window, scale, &mut room.loss);
        for (out, by_body) in by_found.into_iter().zip(&room.by_found) {
            let spread = self.numbers.places.iter().zip(&self.numbers.spread.std);
            out.iter_mut().zip(spread).for_each(|(out, (at, std))| *out += by_body[*at] * std);
        }
        parts.iter().sum()
    }
}
