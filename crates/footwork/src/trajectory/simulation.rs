//! The simulated character: an idealised point with a facing, moved by critically damped springs. Games call it the capsule.

use crate::input::ExternalBody;
use crate::math::{Facing, spring};
use crate::obstacles::{Around, Mover};
use crate::settings;
use glam::Vec3;
use serde::{Deserialize, Serialize};

settings! {
    /// The `[matcher.simulation]` table.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct SimulationConfig {
        /// Half-life of the velocity spring. Lower values respond faster; higher values accelerate more gently.
        velocity_half_life_s: f32 = 0.235, in 1e-3 to 10.0, unit "s";
        /// Half-life of the facing spring. Lower values turn sooner; higher values turn more gently.
        facing_half_life_s: f32 = 0.27, in 1e-3 to 10.0, unit "s";
        /// Half-life of the change between walk and run.
        gait_half_life_s: f32 = 0.1, in 1e-3 to 10.0, unit "s";
    }
}

/// Target of the simulated character, world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Desired {
    /// Velocity, m/s.
    pub velocity: Vec3,
    /// Facing.
    pub facing: Facing,
    /// Gait: 0 walk, 1 run.
    pub gait: f32,
}

/// The simulated character, world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Simulation {
    /// Position, metres.
    pub position: Vec3,
    /// Velocity, m/s.
    pub velocity: Vec3,
    /// Acceleration, m/s2.
    pub acceleration: Vec3,
    /// Facing.
    pub facing: Facing,
    /// Turn rate, radians per second.
    pub yaw_rate_radps: f32,
    /// Gait: 0 walk, 1 run.
    pub gait: f32,
    /// Rate of the gait, per second.
    pub gait_rate: f32,
}

impl Simulation {
    /// Advances by `dt_s` towards the desired state: exact for a constant one.
    pub fn advance(&mut self, desired: &Desired, config: &SimulationConfig, dt_s: f32) {
        let half_life = config.velocity_half_life_s;
        (self.position, self.velocity, self.acceleration) =
            spring::to_velocity(self.position, self.velocity, self.acceleration, desired.velocity, half_life, dt_s);
        // The spring runs on the remaining angle, which cannot wrap.
        let left = desired.facing.angle_to(self.facing);
        let (left, rate) = spring::decay(left, self.yaw_rate_radps, config.facing_half_life_s, dt_s);
        self.facing = desired.facing.turned(left);
        self.yaw_rate_radps = rate;
        (self.gait, self.gait_rate) =
            spring::to_goal(self.gait, self.gait_rate, desired.gait, config.gait_half_life_s, dt_s);
    }

    /// Sets the state to that of a body that the game moves, at `after_s` after (negative: before) the end of the update.
    /// Advances the gait by `dt_s`.
    pub fn follow_body(&mut self, body: &ExternalBody, after_s: f32, desired: &Desired, gait: (f32, f32)) {
        let (half_life_s, dt_s) = gait;
        self.position = body.position + body.velocity * after_s;
        self.velocity = body.velocity;
        self.acceleration = Vec3::ZERO;
        self.facing = body.facing.normalized().turned(body.yaw_rate_radps * after_s);
        self.yaw_rate_radps = body.yaw_rate_radps;
        (self.gait, self.gait_rate) = spring::to_goal(self.gait, self.gait_rate, desired.gait, half_life_s, dt_s);
    }

    /// Advances with collision: the user's hook shortens the displacement, and the velocity is reduced accordingly.
    pub fn advance_in_world(
        &mut self,
        desired: &Desired,
        config: &SimulationConfig,
        dt_s: f32,
        collide: Option<&crate::input::CollisionHook>,
    ) {
        let from = self.position;
        self.advance(desired, config, dt_s);
        let Some(collide) = collide else { return };
        let to = collide(from, self.position);
        if to.is_finite() && to != self.position && dt_s > 0.0 {
            self.position = to;
            self.velocity = (to - from) / dt_s;
            self.acceleration = Vec3::ZERO;
        }
    }

    /// Moves out of obstacles, which push within `dt_s`, and loses the speed that leads into them.
    pub(crate) fn keep_out(&mut self, around: Option<Around>, dt_s: f32) {
        let Some(around) = around else { return };
        let by = around.push_out(self.position, dt_s) - self.position;
        let Some(away) = by.try_normalize() else { return };
        self.position += by;
        self.velocity -= away * self.velocity.dot(away).min(0.0);
        self.acceleration -= away * self.acceleration.dot(away).min(0.0);
    }

    /// Returns it as a body among obstacles.
    pub(crate) fn mover(&self, half_life_s: f32) -> Mover {
        Mover { position: self.position, velocity: self.velocity, acceleration: self.acceleration, half_life_s }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn desired() -> Desired {
        Desired { velocity: Vec3::new(1.0, 0.0, 2.0), facing: Facing::from_yaw(3.0), gait: 1.0 }
    }

    #[test]
    fn the_simulation_does_not_care_how_time_is_cut() {
        let config = SimulationConfig::default();
        let (mut a, mut b) = (Simulation::default(), Simulation::default());
        a.advance(&desired(), &config, 0.4);
        for _ in 0..40 {
            b.advance(&desired(), &config, 0.01);
        }
        assert!((a.position - b.position).length() < 1e-5);
        assert!(a.facing.angle_to(b.facing).abs() < 1e-4);
        assert!((a.gait - b.gait).abs() < 1e-5);
    }

    #[test]
    fn it_turns_the_short_way() {
        let mut s = Simulation { facing: Facing::from_yaw(-3.0), ..Default::default() };
        s.advance(&desired(), &SimulationConfig::default(), 0.1);
        assert!(s.facing.yaw() < -3.0 || s.facing.yaw() > 3.0, "{}", s.facing.yaw());
    }

    #[test]
    fn a_wall_stops_it() {
        let mut s = Simulation::default();
        let wall = |_: Vec3, to: Vec3| Vec3::new(to.x, to.y, to.z.min(0.5));
        for _ in 0..120 {
            s.advance_in_world(&desired(), &SimulationConfig::default(), 1.0 / 60.0, Some(&wall));
        }
        assert!(s.position.z <= 0.5 && s.position.x > 1.0);
    }
}
