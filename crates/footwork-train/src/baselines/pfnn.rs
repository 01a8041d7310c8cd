//! A phase-functioned neural network: its weights are a function of the phase of the gait.
//!
//! ```text
//!  goal, body --layer--> --layer--> --layer--> next body, increase of the phase
//!               ^          ^          ^
//!               +----------+----------+-- Catmull-Rom spline of four sets of weights at the phase
//! ```
//!
//! Source: Holden, Komura and Saito, "Phase-Functioned Neural Networks for Character Control" (2017).

use super::bodies::{BodyNumbers, PairLoss, PairScratch};
use super::phase_labels;
use super::training::{Training, TrainingRecord};
use crate::body_loss::absolute;
use crate::dataset::{Dataset, LONGEST_WINDOW};
use crate::error::TrainError;
use crate::pace::Pace;
use crate::perceptron::{Normalization, Perceptron, Tensors, numbers};
use crate::phase::tensor;
use crate::random::Random;
use burn::tensor::Tensor;
use burn::tensor::activation::elu;
use footwork::advanced::learned::{Network, NetworkScratch, STEP_S};
use footwork::advanced::schema::ChannelKind;
use footwork::database::Database;
use rayon::prelude::*;
use std::f32::consts::TAU;

/// Control sets of weights.
pub const SETS: usize = 4;
/// Layers.
const LAYERS: usize = 3;
/// Stream of random numbers; lower ones belong to other networks.
const STREAM: u64 = 11;
/// Maximum noise of the first body and of the goals, in standard deviations.
const NOISE: f32 = 0.1;
/// Length of the longest rollout, seconds.
const ROLLOUT_S: f64 = 0.2;
/// Share of the training after which rollouts have their full length.
const GROWN: f32 = 0.5;
/// Weight of the phase's increase in the loss.
const PHASE_WEIGHT: f32 = 1.0;

/// Returns the weights of the control sets at a phase, radians: a cyclic Catmull-Rom spline. Their sum is 1.
pub fn blend(phase: f32) -> [f32; SETS] {
    let at = phase.rem_euclid(TAU) / TAU * SETS as f32;
    let (set, w) = (at.floor(), at - at.floor());
    let (w2, w3) = (w * w, w * w * w);
    let along =
        [-0.5 * w3 + w2 - 0.5 * w, 1.5 * w3 - 2.5 * w2 + 1.0, -1.5 * w3 + 2.0 * w2 + 0.5 * w, 0.5 * w3 - 0.5 * w2];
    let mut blend = [0.0; SETS];
    for (k, weight) in along.into_iter().enumerate() {
        blend[(set as usize + SETS - 1 + k) % SETS] += weight;
    }
    blend
}

/// Evaluates a phase-functioned layer on a device: the weighted sum of the products with all sets. `blend`: `[rows x sets]`.
pub fn layer(sets: &Tensors, x: Tensor<2>, blend: &Tensor<2>) -> Tensor<2> {
    let all = sets.run(x);
    let [rows, wide] = all.dims();
    let weighted = all.reshape([rows, SETS, wide / SETS]) * blend.clone().reshape([rows, SETS, 1]);
    weighted.sum_dim(1).reshape([rows, wide / SETS])
}

/// Sizes of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PfnnSizes {
    /// Width of the hidden layers.
    pub hidden: usize,
    /// Rollouts per step.
    pub batch: usize,
}

impl Default for PfnnSizes {
    fn default() -> Self {
        Self { hidden: 256, batch: 32 }
    }
}

/// A network in training.
#[derive(Debug)]
pub struct Pfnn {
    /// Each has the outputs of all sets side by side.
    layers: [Perceptron; LAYERS],
    sizes: PfnnSizes,
    /// Columns of the features that describe the goal.
    goal: Vec<usize>,
    goal_spread: Normalization,
    /// `[frames]` phases, radians.
    phases: Vec<f32>,
    /// Mean and standard deviation of the phase's increase per step.
    rise: [f32; 2],
}

impl Pfnn {
    /// Creates an untrained network.
    ///
    /// # Errors
    /// Returns [`TrainError::NoGait`] for bodies without a left and a right foot.
    pub fn new(
        db: &Database,
        data: &Dataset,
        loss: &PairLoss,
        sizes: PfnnSizes,
        seed: u64,
    ) -> Result<Self, TrainError> {
        let phases = phase_labels::label(data, phase_labels::sides(db).ok_or(TrainError::NoGait)?);
        let goal = goal_columns(db);
        let rows: Vec<Vec<f32>> = data.usable().map(|frame| picked(data.features(frame), &goal)).collect();
        let goal_spread = Normalization::of(rows.iter().map(Vec::as_slice), goal.len(), 1e-3);
        let rises: Vec<[f32; 1]> = data.usable().map(|frame| [phases[frame + 1] - phases[frame]]).collect();
        let rise = Normalization::of(rises.iter().map(<[f32; 1]>::as_slice), 1, 1e-4);
        let mut random = Random::new(seed, STREAM, u64::MAX);
        let widths = [goal.len() + loss.numbers.len(), sizes.hidden, sizes.hidden, loss.numbers.len() + 1];
        let layers = std::array::from_fn(|k| Perceptron::new(vec![widths[k], SETS * widths[k + 1]], &mut random));
        Ok(Self { layers, sizes, goal, goal_spread, phases, rise: [rise.mean[0], rise.std[0]] })
    }

    /// Trains until the limit, on its own predictions.
    ///
    /// # Errors
    /// Returns [`TrainError::NotFinite`] if a loss is not a number.
    pub fn train(
        &mut self,
        data: &Dataset,
        loss: &PairLoss,
        training: &mut Training,
    ) -> Result<TrainingRecord, TrainError> {
        let longest = ((ROLLOUT_S / STEP_S).round() as usize).clamp(2, LONGEST_WINDOW);
        let longest = (2..=longest).rev().find(|w| !data.windows(w + 1).is_empty()).ok_or(TrainError::NoMotion)?;
        let windows: Vec<_> = (0..=longest).map(|w| data.windows(w + 1)).collect();
        let parameters = self.layers.iter().flat_map(|l| &l.parameters).map(|p| p.values.len()).sum();
        training.run(("pfnn", parameters), data, &mut |training, pace| {
            let grown = (pace.progress() / GROWN).min(1.0);
            let length = 2 + (grown * (longest - 2) as f32).round() as usize;
            let mut random = Random::new(training.seed, STREAM, pace.steps);
            let here = &windows[length];
            let starts: Vec<usize> = (0..self.sizes.batch).map(|_| here.start(random.below(here.len()))).collect();
            (self.step((data, loss), (&starts, length), pace, &mut random, training), starts[0])
        })
    }

    /// Makes an optimiser step for rollouts of some length, and returns their loss.
    fn step(
        &mut self,
        (data, loss): (&Dataset, &PairLoss),
        (starts, length): (&[usize], usize),
        pace: &Pace,
        random: &mut Random,
        training: &Training,
    ) -> f32 {
        let n = loss.numbers.len();
        let mut first = Vec::with_capacity(starts.len() * n);
        for start in starts {
            let from = first.len();
            loss.numbers.push(data.body(*start), &mut first);
            add_noise(&mut first[from..], random);
        }
        let tensors: Vec<Tensors> = self.layers.iter().map(|l| l.on(&training.device)).collect();
        let mut body = tensor(&training.device, first, n);
        let mut found = Vec::with_capacity(length);
        for t in 0..length {
            let mut goals = Vec::with_capacity(starts.len() * self.goal.len());
            for start in starts {
                let from = goals.len();
                goals.extend(picked(data.features(start + t), &self.goal));
                self.goal_spread.apply(&mut goals[from..]);
                add_noise(&mut goals[from..], random);
            }
            let blends = starts.iter().flat_map(|start| blend(self.phases[start + t])).collect();
            let blends = tensor(&training.device, blends, SETS);
            let mut x = Tensor::cat(vec![tensor(&training.device, goals, self.goal.len()), body], 1);
            for (k, sets) in tensors.iter().enumerate() {
                x = layer(sets, x, &blends);
                if k + 1 < LAYERS {
                    x = elu(x, 1.0);
                }
            }
            body = x.clone().narrow(1, 0, n);
            found.push(x);
        }
        let found = Tensor::cat(found, 0);
        let (sum, by_found) = self.losses(data, loss, (starts, length), &numbers(found.clone()));
        if sum.is_finite() {
            // The derivatives by the outputs are known. A sum weighted with them has the same derivatives by the weights.
            let mut gradients = (found * tensor(&training.device, by_found, n + 1)).sum().backward();
            for (layer, tensors) in self.layers.iter_mut().zip(&tensors) {
                layer.descend(&[tensors.gradient(&mut gradients)], pace.rate());
            }
        }
        sum
    }

    /// Returns the loss of `[length][starts][numbers of a body, increase of the phase]`, and its derivative.
    fn losses(
        &self,
        data: &Dataset,
        loss: &PairLoss,
        (starts, length): (&[usize], usize),
        found: &[f32],
    ) -> (f32, Vec<f32>) {
        let (n, rows) = (loss.numbers.len(), starts.len());
        let row = |t: usize, window: usize| &found[(t * rows + window) * (n + 1)..][..n + 1];
        let scale = 1.0 / (rows * (length - 1)) as f32;
        let of_window = |room: &mut PairScratch, (window, start): (usize, &usize)| {
            let mut sum = 0.0;
            let mut by_found = vec![0.0; length * (n + 1)];
            for t in 0..length - 1 {
                let (before, after) = by_found.split_at_mut((t + 1) * (n + 1));
                let by_pair = [&mut before[t * (n + 1)..][..n], &mut after[..n]];
                let pair = [&row(t, window)[..n], &row(t + 1, window)[..n]];
                sum += scale * loss.pair(data, start + t + 1, pair, (by_pair, scale), room);
            }
            for t in 0..length {
                let rise = self.phases[start + t + 1] - self.phases[start + t];
                let off = row(t, window)[n] - (rise - self.rise[0]) / self.rise[1];
                let (part, slope) = absolute(off, PHASE_WEIGHT / (rows * length) as f32);
                sum += part;
                by_found[t * (n + 1) + n] = slope;
            }
            (sum, by_found)
        };
        let windows: Vec<(f32, Vec<f32>)> = starts
            .par_iter()
            .enumerate()
            .map_init(PairScratch::default, |room, at| of_window(room, (at.0, at.1)))
            .collect();
        let mut by_found = Vec::with_capacity(found.len());
        for t in 0..length {
            windows.iter().for_each(|(_, by)| by_found.extend_from_slice(&by[t * (n + 1)..][..n + 1]));
        }
        (windows.iter().map(|(sum, _)| sum).sum(), by_found)
    }

    /// Returns the network for use at run time.
    pub fn finish(&self, numbers: &BodyNumbers) -> TrainedPfnn {
        let network = |layer: &Perceptron| {
            let none = |at: usize| Normalization::none(layer.sizes[at]);
            layer.to_network(&none(0), &none(1))
        };
        TrainedPfnn {
            layers: std::array::from_fn(|k| network(&self.layers[k])),
            goal: self.goal.clone(),
            goal_spread: self.goal_spread.clone(),
            rise: self.rise,
            numbers: numbers.clone(),
        }
    }
}

/// Returns the columns of a database's features that describe the goal.
fn goal_columns(db: &Database) -> Vec<usize> {
    use ChannelKind::{TrajectoryFacing, TrajectoryPosition, TrajectoryVelocity};
    let goal = |kind: &ChannelKind| matches!(kind, TrajectoryPosition(_) | TrajectoryFacing(_) | TrajectoryVelocity(_));
    db.schema.channels.iter().filter(|c| goal(&c.kind)).flat_map(|c| c.columns.clone()).collect()
}

fn picked(values: &[f32], columns: &[usize]) -> Vec<f32> {
    columns.iter().map(|column| values[*column]).collect()
}

fn add_noise(values: &mut [f32], random: &mut Random) {
    let sigma = NOISE * random.unit();
    values.iter_mut().for_each(|v| *v += sigma * random.normal());
}

/// A trained network.
#[derive(Clone, Debug)]
pub struct TrainedPfnn {
    layers: [Network; LAYERS],
    goal: Vec<usize>,
    goal_spread: Normalization,
    rise: [f32; 2],
    /// Layout and normalisation of its bodies' numbers.
    pub numbers: BodyNumbers,
}

/// Working buffers for evaluation.
#[derive(Clone, Debug, Default)]
pub struct PfnnScratch {
    x: Vec<f32>,
    all: Vec<f32>,
    room: NetworkScratch,
}

impl TrainedPfnn {
    /// Computes the numbers of the body [`STEP_S`] later, from the goal columns of normalised features and the normalised numbers
    /// of a body at a phase. Returns the increase of the phase until then, radians.
    pub fn advance(&self, features: &[f32], numbers: &mut [f32], phase: f32, room: &mut PfnnScratch) -> f32 {
        room.x.clear();
        room.x.extend(self.goal.iter().map(|column| features[*column]));
        self.goal_spread.apply(&mut room.x);
        room.x.extend_from_slice(numbers);
        let weights = blend(phase);
        for (k, layer) in self.layers.iter().enumerate() {
            room.all.resize(layer.outputs(), 0.0);
            layer.run(&room.x, &mut room.all, &mut room.room);
            let width = layer.outputs() / SETS;
            let blended =
                (0..width).map(|i| (0..SETS).map(|set| weights[set] * room.all[set * width + i]).sum::<f32>());
            room.x.clear();
            room.x.extend(blended.map(|y: f32| if k + 1 < LAYERS && y < 0.0 { y.exp() - 1.0 } else { y }));
        }
        numbers.copy_from_slice(&room.x[..numbers.len()]);
        (room.x[numbers.len()] * self.rise[1] + self.rise[0]).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::DeviceKind;
    use burn::tensor::TensorData;
    use std::f32::consts::FRAC_PI_2;

    #[test]
    fn the_spline_passes_through_its_sets_is_smooth_and_comes_round() {
        for set in 0..SETS {
            let at = blend(set as f32 * FRAC_PI_2);
            assert!((0..SETS).all(|k| (at[k] - f32::from(u8::from(k == set))).abs() < 1e-5), "{at:?}");
        }
        let near = |a: [f32; SETS], b: [f32; SETS], by: f32| a.iter().zip(&b).all(|(a, b)| (a - b).abs() < by);
        for k in 0..200 {
            let phase = k as f32 * 0.0631;
            assert!((blend(phase).iter().sum::<f32>() - 1.0).abs() < 1e-5);
            assert!(near(blend(phase), blend(phase + TAU), 1e-4) && near(blend(phase), blend(phase - TAU), 1e-4));
            // The derivative is continuous: slopes on both sides are equal.
            let slope = |at: f32| -> [f32; SETS] {
                let (a, b) = (blend(at - 1e-2), blend(at + 1e-2));
                std::array::from_fn(|i| (b[i] - a[i]) / 2e-2)
            };
            assert!(near(slope(phase - 1e-2), slope(phase + 1e-2), 0.1), "{phase}");
        }
    }

    #[test]
    fn the_derivative_of_a_layer_is_that_of_differences_and_use_gives_what_training_does() {
        let device = DeviceKind::Cpu.open().unwrap();
        let (inputs, outputs) = (3, 2);
        let mut sets = Perceptron::new(vec![inputs, SETS * outputs], &mut Random::new(7, 0, 0));
        let tensor = |values: &[f32], columns: usize| {
            Tensor::<2>::from_data(TensorData::new(values.to_vec(), [values.len() / columns, columns]), &device)
        };
        let (x, by) = ([0.3, -1.2, 0.7, 1.1, 0.2, -0.4], [1.0, -2.0, 0.5, 1.5]);
        let blends: Vec<f32> = [0.4, 4.0].into_iter().flat_map(blend).collect();
        let value = |sets: &Perceptron| {
            let y = layer(&sets.on(&device), tensor(&x, inputs), &tensor(&blends, SETS));
            numbers(elu(y, 1.0) * tensor(&by, outputs)).iter().sum::<f32>()
        };
        let tensors = sets.on(&device);
        let y = elu(layer(&tensors, tensor(&x, inputs), &tensor(&blends, SETS)), 1.0);
        let mut gradients = (y * tensor(&by, outputs)).sum().backward();
        let weights = tensors.0[0].0.clone();
        let found = weights.grad_remove(&mut gradients).map(numbers).unwrap();
        for at in 0..found.len() {
            let middle = sets.parameters[0].values[at];
            sets.parameters[0].values[at] = middle + 1e-2;
            let above = value(&sets);
            sets.parameters[0].values[at] = middle - 1e-2;
            let slope = (above - value(&sets)) / 2e-2;
            sets.parameters[0].values[at] = middle;
            assert!((slope - found[at]).abs() < 1e-2, "{at}: {slope} {}", found[at]);
        }
    }
}
