//! Prediction: from the goal to a desired velocity and facing, and to the trajectory ahead.

use crate::input::{Goal, MotionInput};
use crate::matcher::character::Character;
use crate::matcher::state::MatcherState;
use crate::matcher::state_groups::{CONTROL_S, GoalState};
use crate::math::{Facing, lerp};
use crate::obstacles::Around;
use crate::schema::TrajectorySample;
use crate::trajectory::Simulation;
use crate::trajectory::control::Steering;
use crate::trajectory::predict::Prediction;
use glam::Vec3;

/// Turn rate above which a stick is moved to another direction, in radians per second.
const JUMP_RADPS: f32 = 4.0;
/// Turn rate below which a stick is still, in radians per second.
const STILL_RADPS: f32 = 0.02;
/// Share of the turn rate of the last control tick in the smoothed one.
const TURN_SHARE: f32 = 0.15;

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
    /// Obstacles; read.
    pub around: Option<Around<'a>>,
    /// True at a control tick: the turn rates of the desired velocity and facing are measured.
    pub tick: bool,
    /// True while nothing can be played: the character comes to rest.
    pub stranded: bool,
    /// Desired velocity, facing and gait, their turn rates, and the progress along a path; written.
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
            pace: pace(self.character, self.input, self.simulation.position),
            max_speed_mps,
            velocity_half_life_s: resolved.springs.velocity_half_life_s,
            around: self.around,
        };
        let unlimited = Steering { max_speed_mps: f32::INFINITY, ..steering };
        let faster = max_speed_mps.is_finite().then(|| unlimited.desired(&mut goal.path.clone(), 0.0));
        goal.desired = steering.desired(&mut goal.path, 0.0);
        if self.tick {
            let direction = match &self.input.goal {
                Goal::Stick(stick) => Some(stick.world(stick.movement, 0.0)),
                Goal::Velocity { velocity, .. } => Some(*velocity),
                Goal::None | Goal::Path { .. } | Goal::Trajectory(_) => None,
            };
            measure_turn(goal, direction);
        }
        let requested = faster.unwrap_or(goal.desired).velocity;
        if self.stranded {
            (goal.desired.velocity, goal.desired.facing) = (Vec3::ZERO, self.simulation.facing);
        }
        requested
    }
}

/// Returns the share of its speed, 0 to 1, that a stick keeps on the ground at `at`, world space, metres. Other goals keep theirs: the game
/// has chosen it.
fn pace(character: &Character, input: &MotionInput, at: Vec3) -> f32 {
    match (&input.goal, input.ground) {
        (Goal::Stick(stick), Some(ground)) => {
            character.config.ground.pace(ground, at, stick.world(stick.movement, 0.0))
        }
        _ => 1.0,
    }
}

/// Updates the turn rates of the commanded direction and of the desired facing over a control tick. `direction`: that of the stick or
/// of the requested velocity, in world space. The desired velocity is no measure of it: its speed depends on the facing, and with
/// that its direction. Other goals have no turn rates.
fn measure_turn(goal: &mut GoalState, direction: Option<Vec3>) {
    let facing = direction.map(|_| goal.desired.facing);
    let now = [direction.and_then(Facing::from_direction), facing];
    for (k, now) in now.into_iter().enumerate() {
        let Some(now) = now else {
            goal.turn_radps[k] = 0.0;
            continue;
        };
        let radps = goal.ticked[k].angle_to(now) / CONTROL_S as f32;
        goal.ticked[k] = now;
        // A stick that is moved to another direction does not go on turning.
        let jumps = radps.abs() > JUMP_RADPS;
        let smoothed_radps = lerp(goal.turn_radps[k], radps, TURN_SHARE);
        goal.turn_radps[k] = if jumps || smoothed_radps.abs() < STILL_RADPS { 0.0 } else { smoothed_radps };
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
        turn_radps: h.goal.turn_radps,
        progress: h.goal.path,
        speeds: &character.resolved.stick,
        pace: pace(character, input, h.root.simulation.position),
        max_speed_mps: character.max_speed_mps(state),
        config: &character.resolved.springs,
        prediction: &config.prediction,
        world_from_root: h.shown_root(&config.transition),
        around: around(character, input, state),
    }
}

/// Returns the obstacles around a character now.
pub fn around<'a>(character: &'a Character, input: &MotionInput<'a>, state: &MatcherState) -> Option<Around<'a>> {
    let h = &state.header;
    input.obstacles.around(&character.config.obstacles, h.clock.time_s, h.root.animated.translation.y)
}
