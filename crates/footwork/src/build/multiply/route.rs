//! Routes: what the simulated character does when a stick changes. Made clips follow the same springs that the character is
//! led by later, so that a command finds a clip that does just what it asks for.

use crate::input::{MotionInput, Stick};
use crate::math::{Quat, Transform};
use crate::motion::StickSpeeds;
use crate::trajectory::control::Steering;
use crate::trajectory::{Desired, PathProgress, Simulation, SimulationConfig};
use glam::Vec3;

/// Before the change of the stick, seconds.
pub const LEAD_S: f32 = 0.5;

/// What happens on a route.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Name of the clip.
    pub name: String,
    /// Held for long before the change; none: it stands, facing +Z.
    pub before: Option<Stick>,
    /// Sticks after the change, each from a time since then, seconds; turned by `turn_radps` as time goes by.
    pub after: Vec<(f32, Stick)>,
    /// Radians per second by which the movement turns, after the change and before.
    pub turn_radps: f32,
    /// Seconds after the change.
    pub seconds: f32,
    /// Phase of the stride at the start, for one who moves: 0 as the left foot touches down.
    pub phase: f64,
    /// Foot that takes the first step of one who stands (0 left, 1 right).
    pub first: usize,
}

/// A way of the root, frame by frame, on level ground.
#[derive(Clone, Debug, Default)]
pub struct Route {
    pub rate_hz: f32,
    /// `[frames]` of the root.
    pub roots: Vec<Transform>,
    /// `[frames]` world, m/s.
    pub velocities_mps: Vec<Vec3>,
    /// `[frames]` world, m/s2.
    pub accelerations_mps2: Vec<Vec3>,
    /// `[frames]` radians per second.
    pub yaw_rates_radps: Vec<f32>,
}

impl Scenario {
    /// True where the stick changes once and is held then: the answer is over after a while.
    pub fn is_one_change(&self) -> bool {
        self.after.len() == 1 && self.turn_radps == 0.0
    }

    /// The route of the simulated character.
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
            // Long enough to be steady.
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
    let steering =
        Steering { input: &input, now, before: desired, speeds, max_speed_mps: f32::INFINITY, velocity_half_life_s };
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

    /// The root at any time; before and after the route it goes on evenly.
    pub fn at(&self, time_s: f32) -> Transform {
        let f = self.frame(time_s);
        let beyond_s = time_s - f as f32 / self.rate_hz;
        let turn = Quat::from_rotation_y(self.yaw_rates_radps[f] * beyond_s);
        let half = Quat::from_rotation_y(0.5 * self.yaw_rates_radps[f] * beyond_s);
        let root = self.roots[f];
        Transform::new(root.translation + half * self.velocities_mps[f] * beyond_s, turn * root.rotation)
    }

    /// Velocity in root space.
    pub fn velocity_in_root(&self, time_s: f32) -> Vec3 {
        let f = self.frame(time_s);
        self.roots[f].inverse_direction(self.velocities_mps[f])
    }
}
