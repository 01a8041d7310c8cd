//! Prediction: from the goal to a desired velocity and facing, and to the trajectory ahead.

use super::character::Character;
use super::character::Update;
use super::state::MatcherState;
use crate::input::MotionInput;
use crate::schema::TrajectorySample;
use crate::trajectory::control::Steering;
use crate::trajectory::predict::Prediction;
use glam::Vec3;

impl Update<'_> {
    /// Evaluates the goal: sets desired velocity, facing and gait.
    pub(super) fn predict_desire(&mut self) {
        let max_speed_mps = self.character.max_speed_mps(self.state);
        let h = &mut self.state.header;
        let steering = Steering {
            input: self.input,
            now: &h.simulation,
            before: &h.desired,
            speeds: &self.character.resolved.stick,
            max_speed_mps,
            velocity_half_life_s: self.character.resolved.springs.velocity_half_life_s,
        };
        let unlimited = Steering { max_speed_mps: f32::INFINITY, ..steering };
        let faster = max_speed_mps.is_finite().then(|| unlimited.desired(&mut h.path.clone(), 0.0));
        h.desired = steering.desired(&mut h.path, 0.0);
        let requested = faster.unwrap_or(h.desired).velocity;
        if h.stranded {
            (h.desired.velocity, h.desired.facing) = (Vec3::ZERO, h.simulation.facing);
        }
        self.request_velocity(requested);
    }

    /// Returns the simulated character `ahead_s` seconds later, in root space.
    pub(super) fn predicted(&self, ahead_s: f32) -> TrajectorySample {
        let mut ahead = [TrajectorySample::default()];
        prediction(self.character, self.input, self.state).run(&[ahead_s], &mut ahead);
        ahead[0]
    }
}

/// Returns the prediction of a character, relative to its shown root.
pub(super) fn prediction<'a>(
    character: &'a Character,
    input: &'a MotionInput<'a>,
    state: &MatcherState,
) -> Prediction<'a> {
    let (config, h) = (&character.config, &state.header);
    Prediction {
        input,
        simulation: h.simulation,
        desired: h.desired,
        progress: h.path,
        speeds: &character.resolved.stick,
        max_speed_mps: character.max_speed_mps(state),
        config: &character.resolved.springs,
        prediction: &config.prediction,
        world_from_root: h.shown_root(&config.transition),
    }
}
