//! Prediction: the trajectory of the query.

use super::control::{PathProgress, Steering, sample};
use super::simulation::{Desired, Simulation, SimulationConfig};
use crate::input::{Goal, GroundHook, GroundPoint, MotionInput};
use crate::math::{Facing, Quat, Transform, powf};
use crate::motion::StickSpeeds;
use crate::obstacles::Around;
use crate::schema::TrajectorySample;
use crate::{choices, settings};
use glam::Vec3;

choices! {
    /// Model of the predicted trajectory.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum PredictionModel = Spring {
        /// The simulated character's own springs, stepped ahead.
        Spring = "spring",
        /// Velocity and facing bend from their current to their desired values along O3DE's exponential curve, quickly at first.
        Bend = "bend",
    }
}

settings! {
    /// The `[matcher.prediction]` table.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct PredictionConfig {
        /// How the predicted trajectory is computed.
        model: PredictionModel = PredictionModel::Spring;
        /// `bend`: higher values turn the velocity sooner.
        position_bias: f32 = 2.0, in 0.0 to 100.0;
        /// `bend`: higher values turn the facing sooner.
        facing_bias: f32 = 3.0, in 0.0 to 100.0;
    }
}

/// Time for which a stick is expected to go on turning, seconds.
const TURNS_ON_S: f32 = 1.0;
/// Longest step of the prediction, seconds: the desired state depends on the facing, which turns meanwhile.
const STEP_S: f32 = 0.1;

/// Input of a prediction.
#[derive(Debug)]
pub struct Prediction<'a> {
    /// The game's input.
    pub input: &'a MotionInput<'a>,
    /// Current state of the simulated character.
    pub simulation: Simulation,
    /// Current desired state.
    pub desired: Desired,
    /// Turn rates of the commanded direction and of the desired facing, in radians per second.
    pub turn_radps: [f32; 2],
    /// Progress along a path.
    pub progress: PathProgress,
    /// Speeds at full stick.
    pub speeds: &'a StickSpeeds,
    /// Share of the stick's speed that the ground leaves, 0 to 1.
    pub pace: f32,
    /// Maximum speed of any goal, m/s.
    pub max_speed_mps: f32,
    /// Settings of the springs.
    pub config: &'a SimulationConfig,
    /// Settings of the prediction.
    pub prediction: &'a PredictionConfig,
    /// Root that the trajectory is relative to.
    pub world_from_root: Transform,
    /// Obstacles now.
    pub around: Option<Around<'a>>,
}

impl Prediction<'_> {
    /// Fills the samples with positive times; `times_s` is ascending. Allocates nothing.
    pub fn run(self, times_s: &[f32], samples: &mut [TrajectorySample]) {
        let (input, root) = (self.input, self.world_from_root);
        match (&self.input.goal, self.prediction.model) {
            (Goal::Trajectory(points), _) => {
                for (t, out) in ahead(times_s, samples) {
                    let (position, facing) = sample(points, t);
                    let (before, _) = sample(points, t - 0.05);
                    let (after, _) = sample(points, t + 0.05);
                    *out = seen(self.world_from_root, position, facing, (after - before) * 10.0);
                }
            }
            (_, PredictionModel::Spring) => self.springs(times_s, samples),
            (_, PredictionModel::Bend) => self.bend(times_s, samples),
        }
        if let Some(ground) = input.ground {
            ahead(times_s, samples).for_each(|(_, sample)| lay_on(ground, root, sample));
        }
    }

    fn springs(mut self, times_s: &[f32], samples: &mut [TrajectorySample]) {
        let mut now_s = 0.0;
        for (t, out) in ahead(times_s, samples) {
            let steps = ((t - now_s) / STEP_S).ceil().max(1.0);
            let step = (t - now_s) / steps;
            for _ in 0..steps as usize {
                self.desired = self.desire(now_s);
                let turning = self.turned(now_s + 0.5 * step);
                self.simulation.advance_in_world(&turning, self.config, step, self.input.collide);
                now_s += step;
                self.simulation.keep_out(self.around.map(|around| around.later(now_s)), step);
            }
            now_s = t;
            let s = &self.simulation;
            *out = seen(self.world_from_root, s.position, s.facing, s.velocity);
        }
    }

    /// Returns the desired state as it will be if the stick goes on turning as it does now.
    fn turned(&self, ahead_s: f32) -> Desired {
        if self.turn_radps == [0.0; 2] {
            return self.desired;
        }
        let [velocity_rad, facing_rad] = self.turn_radps.map(|radps| radps * ahead_s.min(TURNS_ON_S));
        Desired {
            velocity: Quat::from_rotation_y(velocity_rad) * self.desired.velocity,
            facing: self.desired.facing.turned(facing_rad),
            ..self.desired
        }
    }

    fn desire(&mut self, ahead_s: f32) -> Desired {
        let steering = Steering {
            input: self.input,
            now: &self.simulation,
            before: &self.desired,
            speeds: self.speeds,
            pace: self.pace,
            max_speed_mps: self.max_speed_mps,
            velocity_half_life_s: self.config.velocity_half_life_s,
            around: self.around,
        };
        steering.desired(&mut self.progress, ahead_s)
    }

    fn bend(mut self, times_s: &[f32], samples: &mut [TrajectorySample]) {
        let horizon = times_s.last().copied().unwrap_or(1.0).max(1e-3);
        let (start, mut now_s) = (self.simulation, 0.0);
        for (t, out) in ahead(times_s, samples) {
            let steps = ((t - now_s) / STEP_S).ceil().max(1.0);
            let step = (t - now_s) / steps;
            for k in 0..steps as usize {
                self.desired = self.desire(now_s);
                // Middle of the step: its mean velocity, approximately.
                let middle = (now_s + (k as f32 + 0.5) * step) / horizon;
                let bent = |bias: f32| 1.0 - powf((1.0 - middle).clamp(0.0, 1.0), bias);
                let s = &mut self.simulation;
                s.velocity =
                    start.velocity + (self.desired.velocity - start.velocity) * bent(self.prediction.position_bias);
                let turn = start.facing.angle_to(self.desired.facing) * bent(self.prediction.facing_bias);
                s.facing = start.facing.turned(turn);
                let to = s.position + s.velocity * step;
                let to = self.input.collide.map_or(to, |c| c(s.position, to));
                s.position = if to.is_finite() { to } else { s.position };
                s.keep_out(self.around.map(|around| around.later(now_s + (k + 1) as f32 * step)), step);
            }
            now_s = t;
            let s = &self.simulation;
            *out = seen(self.world_from_root, s.position, s.facing, s.velocity);
        }
    }
}

/// Sets the height of a trajectory sample, relative to a root on the ground, to that of the ground.
pub fn lay_on(ground: &GroundHook, world_from_root: Transform, sample: &mut TrajectorySample) {
    /// Distance over which the slope is measured, metres.
    const STEP_M: f32 = 0.05;
    let height = |at: Vec3| GroundPoint::under(ground, at).height_m;
    let at = world_from_root.point(sample.position);
    let along = world_from_root.direction(Vec3::new(sample.velocity.x, 0.0, sample.velocity.z));
    let step = along.normalize_or_zero() * STEP_M;
    sample.position.y = height(at) - height(world_from_root.translation);
    sample.velocity.y = (height(at + step) - height(at - step)) / (2.0 * STEP_M) * along.length();
}

/// Returns the samples with positive times, with their times.
fn ahead<'s>(
    times_s: &[f32],
    samples: &'s mut [TrajectorySample],
) -> impl Iterator<Item = (f32, &'s mut TrajectorySample)> {
    times_s.iter().copied().zip(samples.iter_mut()).filter(|(t, _)| *t > 0.0)
}

fn seen(root: Transform, position: Vec3, facing: Facing, velocity: Vec3) -> TrajectorySample {
    TrajectorySample {
        position: root.inverse_point(position),
        facing: Facing::from_direction(root.inverse_direction(facing.direction())).unwrap_or_default(),
        velocity: root.inverse_direction(velocity),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Gait, Stick};
    use crate::math::Quat;

    const TIMES: [f32; 4] = [-0.5, 1.0 / 3.0, 2.0 / 3.0, 1.0];

    fn run(input: &MotionInput, model: PredictionModel, root: Transform) -> [TrajectorySample; 4] {
        let mut out = [TrajectorySample::default(); 4];
        Prediction {
            input,
            simulation: Simulation {
                position: root.translation,
                facing: Facing::from_rotation(root.rotation),
                ..Default::default()
            },
            desired: Desired { facing: Facing::from_rotation(root.rotation), ..Default::default() },
            turn_radps: [0.0; 2],
            progress: PathProgress::default(),
            speeds: &StickSpeeds::default(),
            pace: 1.0,
            max_speed_mps: f32::INFINITY,
            config: &SimulationConfig::default(),
            prediction: &PredictionConfig { model, ..Default::default() },
            world_from_root: root,
            around: None,
        }
        .run(&TIMES, &mut out);
        out
    }

    #[test]
    fn the_springs_look_ahead_exactly_as_the_simulation_will_move() {
        let input = MotionInput::stick(Stick::towards(Vec3::Z, Gait::Walk));
        let out = run(&input, PredictionModel::Spring, Transform::IDENTITY);
        let mut s = Simulation::default();
        let want = Desired { velocity: Vec3::Z * 1.75, ..Default::default() };
        s.advance(&want, &SimulationConfig::default(), 1.0);
        assert!((out[3].position - s.position).length() < 1e-4);
        assert_eq!(out[0], TrajectorySample::default());
    }

    #[test]
    fn a_trajectory_is_seen_from_the_root() {
        let root = Transform::new(Vec3::new(5.0, 0.0, -2.0), Quat::from_rotation_y(1.0));
        let forward = root.rotation * Vec3::Z;
        for model in [PredictionModel::Spring, PredictionModel::Bend] {
            let out = run(&MotionInput::stick(Stick::towards(forward, Gait::Run)), model, root);
            assert!(out[3].position.x.abs() < 1e-3 && out[3].position.z > 1.0, "{model:?} {}", out[3].position);
            assert!(out[3].facing.yaw().abs() < 1e-3);
        }
    }

    #[test]
    fn walls_shorten_the_look_ahead() {
        let wall = |_: Vec3, to: Vec3| Vec3::new(to.x, to.y, to.z.min(0.3));
        let input = MotionInput { collide: Some(&wall), ..MotionInput::stick(Stick::towards(Vec3::Z, Gait::Run)) };
        for model in [PredictionModel::Spring, PredictionModel::Bend] {
            let out = run(&input, model, Transform::IDENTITY);
            assert!(out.iter().all(|s| s.position.z <= 0.3 + 1e-6));
        }
    }

    #[test]
    fn the_path_bends_along_a_wall_and_slows_down_before_it() {
        let slides = |_: Vec3, to: Vec3| Vec3::new(to.x, to.y, to.z.min(1.2));
        let open = MotionInput::stick(Stick::towards(Vec3::new(0.6, 0.0, 0.8), Gait::Run));
        let input = MotionInput { collide: Some(&slides), ..open };
        let free = run(&open, PredictionModel::Spring, Transform::IDENTITY);
        let out = run(&input, PredictionModel::Spring, Transform::IDENTITY);
        // Not at the wall yet, although without the hook it would have passed it by now.
        assert!(out[3].position.z < 1.15 && free[3].position.z > 1.3, "{out:?} {free:?}");
        assert!(out[3].velocity.z < 0.5 * free[3].velocity.z && out[3].position.x > 0.9 * free[3].position.x);
    }

    #[test]
    fn the_path_goes_up_where_the_ground_does() {
        let slope = |at: Vec3| GroundPoint { height_m: 2.0 + 0.3 * at.z, ..Default::default() };
        let root = Transform::new(Vec3::new(1.0, 2.3, 1.0), Quat::from_rotation_y(0.5));
        let open = MotionInput::stick(Stick::towards(Vec3::Z, Gait::Walk));
        for model in [PredictionModel::Spring, PredictionModel::Bend] {
            let level = run(&open, model, root);
            let out = run(&MotionInput { ground: Some(&slope), ..open }, model, root);
            for (a, b) in level.iter().zip(&out).skip(1) {
                let way = root.direction(a.position);
                assert!(
                    (b.position.y - 0.3 * way.z).abs() < 1e-4
                        && (b.velocity.y - 0.3 * root.direction(a.velocity).z).abs() < 1e-3
                );
                assert_eq!((a.position.x, a.position.z, a.velocity.x), (b.position.x, b.position.z, b.velocity.x));
            }
            assert!(out[3].position.y > 0.2 && out[0] == TrajectorySample::default());
        }
        let nowhere = |_: Vec3| GroundPoint { height_m: f32::NAN, ..Default::default() };
        let out = run(&MotionInput { ground: Some(&nowhere), ..open }, PredictionModel::Spring, root);
        assert!(out.iter().all(|s| s.position.is_finite() && s.velocity.is_finite()));
    }

    #[test]
    fn a_turning_camera_bends_the_path() {
        let stick = Stick { movement: glam::Vec2::Y, camera_yaw_rate_radps: 1.0, ..Default::default() };
        let out = run(&MotionInput::stick(stick), PredictionModel::Spring, Transform::IDENTITY);
        assert!(out[3].position.x > 0.05 && out[3].facing.yaw() > 0.1);
    }
}
