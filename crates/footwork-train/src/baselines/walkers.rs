//! Baselines at run time: what gives the body of each frame.

use super::direct::{DirectRoom, HORIZON_S, TrainedDirect};
use super::pfnn::{PfnnRoom, TrainedPfnn};
use footwork::learned::STEP_S;
use footwork::math::{lerp, smoothstep};
use std::sync::Arc;

/// Seconds in which one answer of the direct mapping fades into the next.
const FADE_S: f32 = 0.1;
/// A time nearer to a step than this is the step's own, seconds.
const SAME_S: f64 = 1e-5;

/// What gives the body of each frame.
pub trait Walker {
    /// Starts from a body at rest.
    fn begin(&mut self, body: &[f32], features: &[f32]);
    /// Moves on. `features` are the normalised ones of what is shown and where to go; `commanded` is true after a new command.
    fn advance(&mut self, features: &[f32], commanded: bool, dt_s: f32);
    /// The body so many seconds after now, at most a step before or after it.
    fn body(&mut self, after_s: f32, body: &mut [f32]);
}

/// The direct mapping: asked again and again, each answer faded into the next.
#[derive(Clone, Debug)]
pub struct DirectWalker {
    network: Arc<TrainedDirect>,
    interval_s: f32,
    /// Features asked with and seconds since; the later one is the second.
    asked: [(Vec<f32>, f32); 2],
    commanded: bool,
    numbers: [Vec<f32>; 2],
    room: DirectRoom,
}

impl DirectWalker {
    /// Asked at this interval and after each command, but not before the last answer has faded in.
    pub fn new(network: Arc<TrainedDirect>, interval_s: f32) -> Self {
        let width = network.numbers.len();
        Self {
            network,
            interval_s: interval_s.clamp(FADE_S, HORIZON_S as f32),
            asked: Default::default(),
            commanded: false,
            numbers: [(); 2].map(|()| vec![0.0; width]),
            room: DirectRoom::default(),
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
            // What has faded out does not count.
            if k == 1 || share < 1.0 {
                self.network.body_after(features, since_s + after_s, numbers, &mut self.room);
            }
        }
        let [old, new] = &mut self.numbers;
        new.iter_mut().zip(old).for_each(|(new, old)| *new = lerp(*old, *new, share));
        self.network.numbers.body(new, body);
    }
}

/// The phase-functioned network: from step to step, interpolated in between.
#[derive(Clone, Debug)]
pub struct PfnnWalker {
    network: Arc<TrainedPfnn>,
    /// Normalised numbers of the steps before and after now.
    steps: [Vec<f32>; 2],
    /// Phase of the later one, radians.
    phase: f32,
    /// Seconds since the earlier one.
    since_s: f64,
    mixed: Vec<f32>,
    room: PfnnRoom,
}

impl PfnnWalker {
    /// For a trained network.
    pub fn new(network: Arc<TrainedPfnn>) -> Self {
        let none = || vec![0.0; network.numbers.len()];
        let (steps, mixed) = ([none(), none()], none());
        Self { network, steps, phase: 0.0, since_s: 0.0, mixed, room: PfnnRoom::default() }
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
