//! Feet of poses that were not retargeted, such as those of a blend between clips: they are lifted out of the ground.

use crate::error::RobotError;
use crate::kinematics::Placed;
use crate::model::RobotModel;
use crate::parts::Parts;
use crate::solver::{Bounds, Solver, Task};
use crate::stand_in::{Part, StandIn};
use crate::targets::{FOOT_M, ROOT_M, tolerated_rad, weight};

/// Depth below the ground that is left, metres.
const EXACT_M: f64 = 1e-4;
/// Tolerated change of a foot's rotation, radians.
const TURN_RAD: f64 = 0.01;
/// Steps of the solver.
const STEPS: usize = 4;

/// The feet of a robot.
#[derive(Clone, Debug)]
pub struct Footing {
    stand_in: StandIn,
}

impl Footing {
    /// Finds the soles of a robot. `parts`: see [`Parts::find`].
    ///
    /// # Errors
    /// Returns an error for a robot that does not stand in the pose of its file.
    pub fn new(model: &RobotModel, parts: &Parts) -> Result<Self, RobotError> {
        Ok(Self { stand_in: StandIn::new(model, parts)? })
    }

    /// Lifts each foot that is below the ground onto it, within the ranges of all hinges. The root and all other bones stay as near
    /// to the given pose as they can. `pose`: `[7 + hinges]` (`qpos`) of the model for which this was created. What the hinges
    /// cannot do is left to the root, which rises.
    ///
    /// # Panics
    /// Panics if the pose has another number of values.
    pub fn lift(&self, model: &RobotModel, pose: &mut [f64]) {
        let mut placed = Placed::default();
        model.place(pose, &mut placed);
        if self.depth_m(&placed) > EXACT_M {
            let bounds = Bounds {
                low: model.hinges.iter().map(|h| h.range.map_or(f64::NEG_INFINITY, |[low, _]| low)).collect(),
                high: model.hinges.iter().map(|h| h.range.map_or(f64::INFINITY, |[_, high]| high)).collect(),
                rest: pose[7..].to_vec(),
                pull: 1.0,
            };
            Solver::new(model).solve(pose, &self.tasks(&placed), &bounds, STEPS);
            self.raise(model, pose);
        }
    }

    /// Raises the root until no foot is below the ground. `pose` as for [`Self::lift`].
    ///
    /// # Panics
    /// Panics if the pose has another number of values.
    pub fn raise(&self, model: &RobotModel, pose: &mut [f64]) {
        let mut placed = Placed::default();
        model.place(pose, &mut placed);
        pose[2] += self.depth_m(&placed);
    }

    /// Returns the depth of the lower foot below the ground; 0 above it.
    fn depth_m(&self, placed: &Placed) -> f64 {
        let low = self.stand_in.soles.iter().map(|sole| sole.lowest_in_m(placed));
        (-low.fold(0.0, f64::min)).max(0.0)
    }

    /// Returns the tasks of a pose: everything stays, except for the heights of feet.
    fn tasks(&self, placed: &Placed) -> Vec<Task> {
        let mut tasks =
            vec![Task::Point { body: 0, local: glam::DVec3::ZERO, at: placed.positions[0], weight: weight(ROOT_M) }];
        for follower in self.stand_in.followers.iter().filter(|f| f.part != Part::Foot) {
            let (body, tolerated) = (follower.body, tolerated_rad(follower.part));
            tasks.push(Task::Turn { body, to: placed.rotations[body], weight: weight(tolerated) });
        }
        for sole in &self.stand_in.soles {
            let (body, local) = (sole.body, sole.toe);
            let mut at = placed.point(body, local);
            at.z -= sole.lowest_in_m(placed).min(0.0);
            tasks.push(Task::Point { body, local, at, weight: weight(FOOT_M) });
            tasks.push(Task::Turn { body, to: placed.rotations[body], weight: weight(TURN_RAD) });
        }
        tasks
    }
}
