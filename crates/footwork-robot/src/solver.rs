//! Inverse kinematics over the root and all hinges: damped least squares with limits.
//!
//! Each step solves the normal equations of all tasks (Gauss and Newton, with the damping of Levenberg and Marquardt) within the
//! box of ranges and speeds: hinges at a limit that the step would leave are fixed, and the others are solved again, as in
//! projected Newton methods (Bertsekas 1982, doi:10.1137/0320018). Derivatives are exact: those of points and rotations by
//! hinges are cross products and axes.

use crate::kinematics::Placed;
use crate::model::RobotModel;
use crate::spatial::{from_rotation_vector, to_rotation_vector};
use glam::{DQuat, DVec3};

/// Degrees of freedom of the root.
const ROOT: usize = 6;
/// Damping, added to the weights of all unknowns, in units of the tasks.
const DAMPING: f64 = 1e-2;
/// Step below which a solution counts as found, metres and radians.
const DONE: f64 = 1e-6;
/// Maximum rotation of a hinge or of the root in one step, radians.
const MOST_TURN_RAD: f64 = 0.5;
/// Damping after a step that made it worse, relative to the weights of the unknowns, and its growth with each further one.
const LEAST_CAUTION: f64 = 0.01;
const MORE_CAUTION: f64 = 10.0;
/// Maximum number of times that limits are met within one step.
const MOST_LIMITS: usize = 6;

/// Desired position or rotation of a body.
#[derive(Clone, Copy, Debug)]
pub enum Task {
    /// A point of a body, in its frame, should be at a position in the world. `weight`: 1 / (metres tolerated)^2.
    Point { body: usize, local: DVec3, at: DVec3, weight: f64 },
    /// A body should have a rotation in the world. `weight`: 1 / (radians tolerated)^2.
    Turn { body: usize, to: DQuat, weight: f64 },
}

/// Limits and preferences of the hinges in a frame, `[hinges]`.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    pub low: Vec<f64>,
    pub high: Vec<f64>,
    /// Angles to which hinges are pulled.
    pub rest: Vec<f64>,
    /// Weight of the pull: 1 / (radians tolerated)^2.
    pub pull: f64,
}

/// The solver, with its memory.
pub struct Solver<'a> {
    model: &'a RobotModel,
    /// `[bodies]` hinges from the root to a body.
    chains: Vec<Vec<usize>>,
    pub placed: Placed,
    /// `[n x n]` normal matrix, and its factor.
    normal: Vec<f64>,
    factor: Vec<f64>,
    gradient: Vec<f64>,
    step: Vec<f64>,
    fixed: Vec<bool>,
    /// The best pose so far.
    best: Vec<f64>,
}

impl<'a> Solver<'a> {
    pub fn new(model: &'a RobotModel) -> Self {
        let chain = |body: usize| {
            let mut hinges: Vec<usize> =
                model.up_from(body).flat_map(|b| model.bodies[b].hinges.clone().rev()).collect();
            hinges.reverse();
            hinges
        };
        let n = ROOT + model.hinges.len();
        Self {
            model,
            chains: (0..model.bodies.len()).map(chain).collect(),
            placed: Placed::default(),
            normal: vec![0.0; n * n],
            factor: vec![0.0; n * n],
            gradient: vec![0.0; n],
            step: vec![0.0; n],
            fixed: vec![false; n],
            best: model.zero_pose(),
        }
    }

    /// Moves a pose towards the tasks, in at most `most` steps. The hinges stay within their bounds.
    pub fn solve(&mut self, pose: &mut [f64], tasks: &[Task], bounds: &Bounds, most: usize) {
        for (h, angle) in pose[7..].iter_mut().enumerate() {
            *angle = angle.clamp(bounds.low[h], bounds.high[h]);
        }
        let (mut cost, mut caution) = (f64::INFINITY, 0.0);
        for _ in 0..most {
            self.model.place(pose, &mut self.placed);
            let now = self.equations(pose, tasks, bounds);
            // A step that made it worse is undone, and a shorter one is tried from there.
            if now > cost {
                pose.copy_from_slice(&self.best);
                self.model.place(pose, &mut self.placed);
                self.equations(pose, tasks, bounds);
                caution = (caution * MORE_CAUTION).max(LEAST_CAUTION);
            } else {
                cost = now;
                self.best.copy_from_slice(pose);
                caution = if caution > LEAST_CAUTION { caution / MORE_CAUTION } else { 0.0 };
            }
            for i in 0..self.gradient.len() {
                self.normal[i * (self.gradient.len() + 1)] *= 1.0 + caution;
            }
            self.bounded_step(pose, bounds);
            self.apply(pose, bounds);
            if self.step.iter().all(|s| s.abs() < DONE) {
                break;
            }
        }
        self.model.place(pose, &mut self.placed);
        if self.equations(pose, tasks, bounds) > cost {
            pose.copy_from_slice(&self.best);
        }
    }

    /// Sums the normal matrix (lower half) and the gradient of all tasks. Returns the cost: the weighted squares of all errors.
    fn equations(&mut self, pose: &[f64], tasks: &[Task], bounds: &Bounds) -> f64 {
        let n = self.gradient.len();
        let mut cost = 0.0;
        self.normal.fill(0.0);
        self.gradient.fill(0.0);
        for i in 0..n {
            self.normal[i * n + i] = DAMPING;
        }
        for h in 0..n - ROOT {
            self.normal[(ROOT + h) * (n + 1)] += bounds.pull;
            let away = bounds.rest[h] - pose[7 + h];
            self.gradient[ROOT + h] += bounds.pull * away;
            cost += bounds.pull * away * away;
        }
        let root = self.placed.positions[0];
        let mut columns: Vec<(usize, DVec3)> = Vec::with_capacity(n);
        for task in tasks {
            columns.clear();
            let (error, weight) = match *task {
                Task::Point { body, local, at, weight } => {
                    let point = self.placed.point(body, local);
                    for (k, axis) in DVec3::AXES.into_iter().enumerate() {
                        columns.push((k, axis));
                    }
                    for (k, axis) in DVec3::AXES.into_iter().enumerate() {
                        columns.push((3 + k, axis.cross(point - root)));
                    }
                    for h in &self.chains[body] {
                        columns.push((ROOT + h, self.placed.axes[*h].cross(point - self.placed.anchors[*h])));
                    }
                    (at - point, weight)
                }
                Task::Turn { body, to, weight } => {
                    for (k, axis) in DVec3::AXES.into_iter().enumerate() {
                        columns.push((3 + k, axis));
                    }
                    columns.extend(self.chains[body].iter().map(|h| (ROOT + h, self.placed.axes[*h])));
                    (to_rotation_vector(to * self.placed.rotations[body].inverse()), weight)
                }
            };
            cost += weight * error.length_squared();
            for (a, (i, x)) in columns.iter().enumerate() {
                let x = *x * weight;
                self.gradient[*i] += x.dot(error);
                for (j, y) in &columns[..=a] {
                    self.normal[i * n + j] += x.dot(*y);
                }
            }
        }
        cost
    }

    /// Solves for the step, with the hinges that would leave their bounds at these.
    fn bounded_step(&mut self, pose: &[f64], bounds: &Bounds) {
        self.fixed.fill(false);
        self.step.fill(0.0);
        for _ in 0..MOST_LIMITS {
            self.free_step();
            let mut met = false;
            for h in 0..bounds.low.len() {
                let i = ROOT + h;
                let (least, most) = (bounds.low[h] - pose[7 + h], bounds.high[h] - pose[7 + h]);
                if !self.fixed[i] && !(least..=most).contains(&self.step[i]) {
                    self.fixed[i] = true;
                    self.step[i] = self.step[i].clamp(least, most);
                    met = true;
                }
            }
            if !met {
                return;
            }
        }
    }

    /// Solves for all unknowns that are not fixed, by Cholesky's factorisation.
    fn free_step(&mut self) {
        let n = self.gradient.len();
        for i in 0..n {
            if self.fixed[i] {
                continue;
            }
            // The right-hand side, with the steps of fixed hinges moved to it.
            let mut right = self.gradient[i];
            for j in 0..n {
                if self.fixed[j] {
                    right -= self.normal[i.max(j) * n + i.min(j)] * self.step[j];
                }
            }
            for j in 0..i {
                if self.fixed[j] {
                    continue;
                }
                let mut sum = self.normal[i * n + j];
                for k in 0..j {
                    sum -= self.factor[i * n + k] * self.factor[j * n + k];
                }
                self.factor[i * n + j] = sum / self.factor[j * n + j];
            }
            let mut diagonal = self.normal[i * n + i];
            for k in 0..i {
                if self.fixed[k] {
                    // Rows of fixed hinges are no part of the system.
                    self.factor[i * n + k] = 0.0;
                }
                diagonal -= self.factor[i * n + k] * self.factor[i * n + k];
                right -= self.factor[i * n + k] * if self.fixed[k] { 0.0 } else { self.step[k] };
            }
            self.factor[i * n + i] = diagonal.max(DAMPING * 1e-3).sqrt();
            self.step[i] = right / self.factor[i * n + i];
        }
        for i in (0..n).rev().filter(|i| !self.fixed[*i]).collect::<Vec<_>>() {
            let mut value = self.step[i];
            for k in i + 1..n {
                if !self.fixed[k] {
                    value -= self.factor[k * n + i] * self.step[k];
                }
            }
            self.step[i] = value / self.factor[i * n + i];
        }
    }

    /// Moves the pose by the step, which is shortened where it turns too far for a linear model.
    fn apply(&mut self, pose: &mut [f64], bounds: &Bounds) {
        let farthest = self.step[3..].iter().fold(0.0_f64, |most, s| most.max(s.abs()));
        if farthest > MOST_TURN_RAD {
            self.step.iter_mut().for_each(|s| *s *= MOST_TURN_RAD / farthest);
        }
        for k in 0..3 {
            pose[k] += self.step[k];
        }
        let turn = from_rotation_vector(DVec3::new(self.step[3], self.step[4], self.step[5]));
        let q = (turn * DQuat::from_xyzw(pose[4], pose[5], pose[6], pose[3])).normalize();
        (pose[3], pose[4], pose[5], pose[6]) = (q.w, q.x, q.y, q.z);
        for h in 0..bounds.low.len() {
            pose[7 + h] = (pose[7 + h] + self.step[ROOT + h]).clamp(bounds.low[h], bounds.high[h]);
        }
    }
}
