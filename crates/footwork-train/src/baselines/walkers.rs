//! Baselines at run time: the source of each frame's body.

use super::direct::{DirectScratch, HORIZON_S, TrainedDirect};
use super::pfnn::{PfnnScratch, TrainedPfnn};
use footwork::advanced::learned::STEP_S;
use footwork::advanced::math::{lerp, smoothstep};
use std::sync::Arc;

/// Duration of the blend from one prediction of the direct mapping to the next, seconds.
const FADE_S: f32 = 0.1;
/// Tolerance for times at a step, seconds.
const SAME_S: f64 = 1e-5;

/// Source of each frame's body.
pub trait Walker {
    /// Starts from an idle body.
    fn begin(&mut self, body: &[f32], features: &[f32]);
    /// Advances the time. `features`: normalised features of the displayed body and of the goal. `commanded`: true after a new
    /// command.
    fn advance(&mut self, features: &[f32], commanded: bool, dt_s: f32);
    /// Writes the body `after_s` seconds from now, at most a step before or after.
    fn body(&mut self, after_s: f32, body: &mut [f32]);
}

/// The direct mapping. It is evaluated repeatedly, and each prediction is blended into the next.
#[derive(Clone, Debug)]
pub struct DirectWalker {
    network: Arc<TrainedDirect>,
    interval_s: f32,
    /// Input features, and the seconds since the evaluation; the second entry is the later one.
    asked: [(Vec<f32>, f32); 2],
    commanded: bool,
    numbers: [Vec<f32>; 2],
    room: DirectScratch,
}

impl DirectWalker {
    /// Creates a walker that evaluates the network at this interval and after each command, but not before the last blend has
    /// ended.
    pub fn new(network: Arc<TrainedDirect>, interval_s: f32) -> Self {
        let width = network.numbers.len();
        Self {
            network,
            interval_s: interval_s.clamp(FADE_S, HORIZON_S as f32),
            asked: Default::default(),
            commanded: false,
            numbers: [(); 2].map(|()| vec![0.0; width]),
            room: DirectScratch::default(),
        }
    }
}

impl Walker for DirectWalker {
    fn begin(&mut self, _body: &[f32], features: &[f32]) {
        self.asked = [(); 2].map(|()| (features.to_vec(), 0.0));
        self.commanded = false;
    }

    fn advance(&mut self, features: &[f32], commanded: bool, dt_s: f32) {
        self.commanded |= commanded;
        let since_s = self.asked[1].1 + SAME_S as f32;
        if since_s >= self.interval_s || (self.commanded && since_s >= FADE_S) {
            self.asked.swap(0, 1);
            self.asked[1].0.copy_from_slice(features);
            (self.asked[1].1, self.commanded) = (0.0, false);
        }
        self.asked.iter_mut().for_each(|(_, since_s)| *since_s += dt_s);
    }

    fn body(&mut self, after_s: f32, body: &mut [f32]) {
        let share = smoothstep(((self.asked[1].1 + after_s) / FADE_S).clamp(0.0, 1.0));
        for (k, ((features, since_s), numbers)) in self.asked.iter().zip(&mut self.numbers).enumerate() {
            // After the blend, the earlier prediction is not needed.
            if k == 1 || share < 1.0 {
                self.network.body_after(features, since_s + after_s, numbers, &mut self.room);
            }
        }
        let [old, new] = &mut self.numbers;
        new.iter_mut().zip(old).for_each(|(new, old)| *new = lerp(*old, *new, share));
        self.network.numbers.body(new, body);
    }
}

/// The phase-functioned network, evaluated step by step, with interpolation between steps.
#[derive(Clone, Debug)]
pub struct PfnnWalker {
    network: Arc<TrainedPfnn>,
    /// Normalised numbers of the previous and the next step.
    steps: [Vec<f32>; 2],
    /// Phase of the next step, radians.
    phase: f32,
    /// Seconds since the previous step.
    since_s: f64,
    mixed: Vec<f32>,
    room: PfnnScratch,
}

impl PfnnWalker {
    /// Creates a walker for a trained network.
    pub fn new(network: Arc<TrainedPfnn>) -> Self {
        let none = || vec![0.0; network.numbers.len()];
        let (steps, mixed) = ([none(), none()], none());
        Self { network, steps, phase: 0.0, since_s: 0.0, mixed, room: PfnnScratch::default() }
    }
}

impl Walker for PfnnWalker {
    fn begin(&mut self, body: &[f32], _features: &[f32]) {
        for step in &mut self.steps {
            step.clear();
            self.network.numbers.push(body, step);
        }
        (self.phase, self.since_s) = (0.0, 0.0);
    }

    fn advance(&mut self, features: &[f32], _commanded: bool, dt_s: f32) {
        self.since_s += f64::from(dt_s);
        while self.since_s + SAME_S >= STEP_S {
            self.since_s -= STEP_S;
            let [before, after] = &mut self.steps;
            before.copy_from_slice(after);
            let rise = self.network.advance(features, after, self.phase, &mut self.room);
            self.phase = (self.phase + rise).rem_euclid(std::f32::consts::TAU);
        }
    }

    fn body(&mut self, after_s: f32, body: &mut [f32]) {
        let share = ((self.since_s + f64::from(after_s)) / STEP_S) as f32;
        let [before, after] = &self.steps;
        let mixed = before.iter().zip(after).map(|(a, b)| lerp(*a, *b, share));
        self.mixed.clear();
        self.mixed.extend(mixed);
        self.network.numbers.body(&self.mixed, body);
    }
}
