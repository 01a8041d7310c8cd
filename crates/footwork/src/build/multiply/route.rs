//! Routes: paths of the simulated character at a change of the stick. Made clips follow the same springs as the character
//! at run time, so that each command has an exactly matching clip.

use crate::input::{MotionInput, Stick};
use crate::math::{Quat, Transform};
use crate::motion::StickSpeeds;
use crate::trajectory::control::Steering;
use crate::trajectory::{Desired, PathProgress, Simulation, SimulationConfig};
use glam::Vec3;

/// Time before the change of the stick, in seconds.
pub const LEAD_S: f32 = 0.5;

/// Stick input of a route.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Name of the clip.
    pub name: String,
    /// Stick held for long before the change. `None`: the character stands, facing +Z.
    pub before: Option<Stick>,
    /// Sticks after the change, each with its start in seconds since the change, turned by `turn_radps` over time.
    pub after: Vec<(f32, Stick)>,
    /// Turn rate of the movement before and after the change, in radians per second.
    pub turn_radps: f32,
    /// Duration after the change, in seconds.
    pub seconds: f32,
    /// Phase of the stride at the start for a moving character: 0 when the left foot touches down.
    pub phase: f64,
    /// Foot of the first step of a standing character (0 left, 1 right).
    pub first: usize,
}

/// A path of the root, frame by frame, on level ground.
#[derive(Clone, Debug, Default)]
pub struct Route {
    pub rate_hz: f32,
    /// `[frames]` world transforms of the root.
    pub roots: Vec<Transform>,
    /// `[frames]` velocities in world space, in m/s.
    pub velocities_mps: Vec<Vec3>,
    /// `[frames]` accelerations in world space, in m/s2.
    pub accelerations_mps2: Vec<Vec3>,
    /// `[frames]` turn rates, in radians per second.
    pub yaw_rates_radps: Vec<f32>,
}

impl Scenario {
    /// Returns true if the stick changes once and is then held, so that the response ends after a while.
    pub fn is_one_change(&self) -> bool {
        self.after.len() == 1 && self.turn_radps == 0.0
    }

    /// Returns true if the stick is held or turns evenly, so that the body moves in the same way in every stride.
    pub fn is_steady(&self) -> bool {
        let strafes = self.before.is_some_and(|stick| stick.strafe);
        self.before.is_some() && self.after.is_empty() && (self.turn_radps == 0.0 || !strafes)
    }

    /// Returns the route of the simulated character.
    pub fn route(&self, speeds: &StickSpeeds, rate_hz: f32) -> Route {
        let config = SimulationConfig::default();
        let frames = ((LEAD_S + self.seconds) * rate_hz).round() as usize + 1;
        let turned = |stick: Stick, t: f32| {
            let moved = Quat::from_rotation_y(self.turn_radps * t) * stick.world(stick.movement, 0.0);
            Stick { movement: Stick::towards(moved, stick.gait).movement, ..stick }
        };
        let stick = |t: f32| {
            let now = self.after.iter().rev().find(|(from_s, _)| t >= LEAD_S + from_s).map(|(_, s)| *s);
            turned(now.or(self.before).unwrap_or_default(), t)
        };
        let mut now = Simulation::default();
        let mut desired = Desired::default();
        if self.before.is_some() {
            // The time is long enough for steady motion.
            let warm_up = (4.0 * rate_hz) as i32;
            for k in -warm_up..0 {
                step(&mut now, &mut desired, stick(k as f32 / rate_hz), (speeds, &config), 1.0 / rate_hz);
            }
            now.position = Vec3::ZERO;
        }
        let mut route = Route { rate_hz, ..Route::default() };
        for k in 0..frames {
            route.roots.push(Transform::new(now.position, now.facing.rotation()));
            route.velocities_mps.push(now.velocity);
            route.accelerations_mps2.push(now.acceleration);
            route.yaw_rates_radps.push(now.yaw_rate_radps);
            step(&mut now, &mut desired, stick(k as f32 / rate_hz), (speeds, &config), 1.0 / rate_hz);
        }
        route
    }
}

fn step(
    now: &mut Simulation,
    desired: &mut Desired,
    stick: Stick,
    (speeds, config): (&StickSpeeds, &SimulationConfig),
    dt_s: f32,
) {
    let input = MotionInput::stick(stick);
    let velocity_half_life_s = config.velocity_half_life_s;
    let steering = Steering {
        input: &input,
        now,
        before: desired,
        speeds,
        pace: 1.0,
        max_speed_mps: f32::INFINITY,
        velocity_half_life_s,
        around: None,
    };
    *desired = steering.desired(&mut PathProgress::default(), 0.0);
    now.advance(desired, config, dt_s);
}

impl Route {
    pub fn frames(&self) -> usize {
        self.roots.len()
    }

    pub fn seconds(&self) -> f32 {
        (self.frames() - 1) as f32 / self.rate_hz
    }

    pub fn frame(&self, time_s: f32) -> usize {
        ((time_s * self.rate_hz).round().max(0.0) as usize).min(self.frames() - 1)
    }

    /// Returns the root at any time. Before and after the route it moves at constant velocity.
    pub fn at(&self, time_s: f32) -> Transform {
        let f = self.frame(time_s);
        let beyond_s = time_s - f as f32 / self.rate_hz;
        let turn = Quat::from_rotation_y(self.yaw_rates_radps[f] * beyond_s);
        let half = Quat::from_rotation_y(0.5 * self.yaw_rates_radps[f] * beyond_s);
        let root = self.roots[f];
        Transform::new(root.translation + half * self.velocities_mps[f] * beyond_s, turn * root.rotation)
    }

    /// Returns the velocity in root space, in m/s.
    pub fn velocity_in_root(&self, time_s: f32) -> Vec3 {
        let f = self.frame(time_s);
        self.roots[f].inverse_direction(self.velocities_mps[f])
    }
}
