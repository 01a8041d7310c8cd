//! Prediction: from the goal to a desired velocity and facing, and to the trajectory ahead.

use crate::input::MotionInput;
use crate::matcher::character::Character;
use crate::matcher::state::MatcherState;
use crate::matcher::state_groups::GoalState;
use crate::schema::TrajectorySample;
use crate::trajectory::Simulation;
use crate::trajectory::control::Steering;
use crate::trajectory::predict::Prediction;
use glam::Vec3;

/// Evaluates the goal.
pub struct Predict<'a> {
    /// Speeds of the stick, springs; read.
    pub character: &'a Character,
    /// Goal; read.
    pub input: &'a MotionInput<'a>,
    /// Maximum speed that the director allows, in m/s.
    pub max_speed_mps: f32,
    /// Simulated character; read.
    pub simulation: &'a Simulation,
    /// True while nothing can be played: the character comes to rest.
    pub stranded: bool,
    /// Desired velocity, facing and gait, and the progress along a path; written.
    pub goal: &'a mut GoalState,
}

impl Predict<'_> {
    /// Sets desired velocity, facing and gait. Returns the velocity that the goal requests without the maximum speed, in world space,
    /// in m/s.
    pub fn run(self) -> Vec3 {
        let (max_speed_mps, resolved, goal) = (self.max_speed_mps, &self.character.resolved, self.goal);
        let steering = Steering {
            input: self.input,
            now: self.simulation,
            before: &goal.desired,
            speeds: &resolved.stick,
            max_speed_mps,
            velocity_half_life_s: resolved.springs.velocity_half_life_s,
        };
        let unlimited = Steering { max_speed_mps: f32::INFINITY, ..steering };
        let faster = max_speed_mps.is_finite().then(|| unlimited.desired(&mut goal.path.clone(), 0.0));
        goal.desired = steering.desired(&mut goal.path, 0.0);
        let requested = faster.unwrap_or(goal.desired).velocity;
        if self.stranded {
            (goal.desired.velocity, goal.desired.facing) = (Vec3::ZERO, self.simulation.facing);
        }
        requested
    }
}

/// Returns the simulated character `ahead_s` seconds later, in root space.
pub fn predicted(character: &Character, input: &MotionInput, state: &MatcherState, ahead_s: f32) -> TrajectorySample {
    let mut ahead = [TrajectorySample::default()];
    prediction(character, input, state).run(&[ahead_s], &mut ahead);
    ahead[0]
}

/// Returns the prediction of a character, relative to its shown root.
pub fn prediction<'a>(character: &'a Character, input: &'a MotionInput<'a>, state: &MatcherState) -> Prediction<'a> {
    let (config, h) = (&character.config, &state.header);
    Prediction {
        input,
        simulation: h.root.simulation,
        desired: h.goal.desired,
        progress: h.goal.path,
        speeds: &character.resolved.stick,
        max_speed_mps: character.max_speed_mps(state),
        config: &character.resolved.springs,
        prediction: &config.prediction,
        world_from_root: h.shown_root(&config.transition),
    }
}
