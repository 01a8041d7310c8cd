//! Path of the root over the ground, as a function of time.
//!
//! A path is a script of legs. Between goals it follows the critically damped velocity
//! spring that `footwork` uses for prediction; steady legs keep speed and turn rate exactly.

use crate::ground::Ground;
use crate::laws::run_weight;
use crate::shapes::{hann, minimum_jerk, ramp};
use footwork::advanced::math::{atan2, cos, lerp, sin_cos, to_goal, to_velocity, wrap_angle};
use glam::Vec3;
use std::f32::consts::{FRAC_PI_2, PI};

/// Samples per second of the path; frames are interpolated.
const PATH_HZ: f32 = 120.0;
/// Duration of the motion into a crouch or out of it, in seconds.
pub(crate) const CROUCH_S: f32 = 0.6;
/// Half-life of velocity and facing, seconds: the default of the simulation.
pub(crate) const SPRING_S: f32 = 0.27;

/// One part of a script. Angles are yaws in radians, +Z is 0, +X (left) is positive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leg {
    /// Length, in seconds.
    pub seconds: f32,
    /// Goal speed, m/s.
    pub speed: f32,
    /// Direction of travel when the leg begins, and its rate of change per second.
    pub travel: f32,
    pub travel_rate: f32,
    /// Facing when the leg begins, and its rate of change per second. Unwrapped: 2 pi more is one more full turn.
    pub facing: f32,
    pub facing_rate: f32,
    /// True: exact from the first frame. False: reached through the spring.
    pub exact: bool,
    /// Depth of the crouch, 0 (upright) to 1; reached [`CROUCH_S`] after the leg begins.
    pub crouch: f32,
}

impl Leg {
    /// Steady motion, exact.
    pub(crate) fn steady(seconds: f32, speed: f32, travel: f32, facing: f32) -> Self {
        Self { seconds, speed, travel, travel_rate: 0.0, facing, facing_rate: 0.0, exact: true, crouch: 0.0 }
    }

    /// The same, crouched.
    pub(crate) fn crouched(self) -> Self {
        Self { crouch: 1.0, ..self }
    }

    /// A new goal, reached through the spring.
    pub(crate) fn goal(seconds: f32, speed: f32, travel: f32, facing: f32) -> Self {
        Self { exact: false, ..Self::steady(seconds, speed, travel, facing) }
    }

    fn velocity(&self, t: f32) -> Vec3 {
        let (s, c) = sin_cos(self.travel + self.travel_rate * t);
        Vec3::new(s, 0.0, c) * self.speed
    }
}

/// Position and motion of the root; world axes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PathPoint {
    /// Position on the ground; its height is smoothed at corners.
    pub position: Vec3,
    /// Along the ground plane, like the acceleration: y is 0.
    pub velocity: Vec3,
    pub acceleration: Vec3,
    /// Unwrapped, radians.
    pub yaw: f32,
    pub yaw_rate: f32,
    /// Rotation of pelvis and feet from the facing towards the direction of travel, radians.
    pub twist: f32,
    /// Speed in m/s, smoothed where a path reverses.
    pub speed: f32,
    /// Cosine of the angle between direction of travel and feet, scaled to 0 when standing.
    pub along: f32,
    /// Rise of the ground per metre travelled.
    pub climb: f32,
    /// Activity of the feet, in m/s: travel, turning and acceleration combined.
    pub activity: f32,
    /// Depth of the crouch, 0 to 1.
    pub crouch: f32,
}

/// A root path over a clip and some time before and after it, in which the gait settles and looks ahead.
#[derive(Clone, Debug)]
pub(crate) struct RootPath {
    pub start_s: f32,
    pub ground: Ground,
    points: Vec<PathPoint>,
    /// `[points]` seconds without motion after each point.
    quiet_s: Vec<f32>,
}

impl RootPath {
    /// Follows a script whose first leg also holds for `run_in_s` before time 0, and whose last leg holds for `run_out_s` after
    /// the end. At time 0, the root is at the origin and the ground has height 0.
    pub(crate) fn new(legs: &[Leg], ground: Ground, run_in_s: f32, run_out_s: f32) -> Self {
        let dt = 1.0 / PATH_HZ;
        let run_in = (run_in_s * PATH_HZ) as i32;
        let total: f32 = legs.iter().map(|l| l.seconds).sum();
        let end = ((total + run_out_s) * PATH_HZ) as i32;
        let start_s = -run_in as f32 / PATH_HZ;
        let (mut leg, mut leg_start) = (0, 0.0);
        let mut crouched = legs[0].crouch;
        let mut p = PathPoint {
            velocity: legs[0].velocity(start_s),
            yaw: legs[0].facing + legs[0].facing_rate * start_s,
            yaw_rate: legs[0].facing_rate,
            ..PathPoint::default()
        };
        let mut points = Vec::with_capacity((end + run_in) as usize + 1);
        let mut origin = Vec3::ZERO;
        for i in -run_in..=end {
            let t = i as f32 / PATH_HZ;
            while leg + 1 < legs.len() && t >= leg_start + legs[leg].seconds - 0.5 * dt {
                leg_start += legs[leg].seconds;
                leg += 1;
                crouched = p.crouch;
            }
            if i == 0 {
                origin = p.position;
            }
            let l = &legs[leg];
            if l.exact {
                p.velocity = l.velocity(t - leg_start);
                p.acceleration = Vec3::new(p.velocity.z, 0.0, -p.velocity.x) * l.travel_rate;
                p.yaw = l.facing + l.facing_rate * (t - leg_start);
                p.yaw_rate = l.facing_rate;
            }
            p.crouch = lerp(crouched, l.crouch, minimum_jerk((t - leg_start) / CROUCH_S));
            points.push(p);
            step(&mut p, l, t - leg_start, dt);
        }
        for p in &mut points {
            p.position -= origin;
            p.position.y = ground.smooth_height(p.position.z);
        }
        let mut path = Self { start_s, ground, points, quiet_s: Vec::new() };
        path.derive();
        path
    }

    /// Derives all values from position and facing.
    fn derive(&mut self) {
        let smooth = |f: &dyn Fn(&PathPoint) -> f32, half_s: f32| {
            hann(&self.points.iter().map(f).collect::<Vec<_>>(), (half_s * PATH_HZ) as usize)
        };
        let speed = smooth(&|p| p.velocity.length(), 0.1);
        let activity = smooth(
            &|p| {
                let a = p.acceleration.length() * 0.08;
                (p.velocity.length_squared() + a * a).sqrt() + 0.3 * p.yaw_rate.abs()
            },
            0.08,
        );
        let last = self.points.len() - 1;
        let climb: Vec<f32> = (0..=last)
            .map(|i| {
                let d = self.points[(i + 6).min(last)].position - self.points[i.saturating_sub(6)].position;
                d.y / (d.x * d.x + d.z * d.z).sqrt().max(0.02)
            })
            .collect();
        let raw = twists(&self.points);
        let twist = hann(&raw, (0.3 * PATH_HZ) as usize);
        for (i, p) in self.points.iter_mut().enumerate() {
            p.speed = speed[i];
            p.activity = activity[i];
            p.climb = climb[i];
            p.twist = twist[i];
            let v = p.velocity.length();
            p.along = if v > 1e-3 {
                cos(atan2(p.velocity.x, p.velocity.z) - p.yaw - p.twist) * ramp(v, 0.1, 0.8)
            } else {
                0.0
            };
        }
        let along = hann(&self.points.iter().map(|p| p.along).collect::<Vec<_>>(), (0.1 * PATH_HZ) as usize);
        self.points.iter_mut().zip(along).for_each(|(p, a)| p.along = a);
        let mut quiet = 0.0;
        self.quiet_s = vec![0.0; self.points.len()];
        for (i, p) in self.points.iter().enumerate().rev() {
            quiet = if p.activity < 0.1 { quiet + 1.0 / PATH_HZ } else { 0.0 };
            self.quiet_s[i] = quiet;
        }
    }

    /// Returns the last time of the path, in seconds.
    pub(crate) fn end_s(&self) -> f32 {
        self.start_s + (self.points.len() - 1) as f32 / PATH_HZ
    }

    /// Returns the time without motion of the root after `t`, in seconds.
    pub(crate) fn quiet_s(&self, t: f32) -> f32 {
        let i = ((t - self.start_s) * PATH_HZ).max(0.0) as usize;
        self.quiet_s[i.min(self.quiet_s.len() - 1)]
    }

    /// Returns the path at a time; beyond the ends, the first or last point.
    pub(crate) fn at(&self, t: f32) -> PathPoint {
        let u = ((t - self.start_s) * PATH_HZ).clamp(0.0, (self.points.len() - 1) as f32);
        let i = (u as usize).min(self.points.len() - 2);
        let u = u - i as f32;
        let (a, b) = (&self.points[i], &self.points[i + 1]);
        let h = 1.0 / PATH_HZ;
        let (s, w) = (u * u * (3.0 - 2.0 * u), 1.0 - u);
        let (ka, kb) = (h * u * w * w, h * u * u * w);
        let mix = |x: f32, y: f32| x + (y - x) * u;
        // Cubic with the exact velocities: the path is smooth at any sample rate.
        let mut position = a.position + (b.position - a.position) * s + a.velocity * ka - b.velocity * kb;
        position.y = mix(a.position.y, b.position.y);
        PathPoint {
            position,
            velocity: a.velocity + (b.velocity - a.velocity) * u,
            acceleration: a.acceleration + (b.acceleration - a.acceleration) * u,
            yaw: mix(a.yaw, b.yaw),
            yaw_rate: mix(a.yaw_rate, b.yaw_rate),
            twist: mix(a.twist, b.twist),
            speed: mix(a.speed, b.speed),
            along: mix(a.along, b.along),
            climb: mix(a.climb, b.climb),
            activity: mix(a.activity, b.activity),
            crouch: mix(a.crouch, b.crouch),
        }
    }
}

/// Advances one step along a leg.
fn step(p: &mut PathPoint, leg: &Leg, leg_time: f32, dt: f32) {
    if leg.exact {
        // The chord of an arc: its middle direction, shortened by sin(x) / x.
        let half = 0.5 * leg.travel_rate * dt;
        let sinc = 1.0 - half * half / 6.0;
        p.position += leg.velocity(leg_time + 0.5 * dt) * (dt * sinc);
    } else {
        let goal = leg.velocity(leg_time);
        (p.position, p.velocity, p.acceleration) =
            to_velocity(p.position, p.velocity, p.acceleration, goal, SPRING_S, dt);
        let goal = leg.facing + leg.facing_rate * leg_time;
        (p.yaw, p.yaw_rate) = to_goal(p.yaw, p.yaw_rate, goal, SPRING_S, dt);
    }
}

/// Returns the rotation of the hips towards the direction of travel at each point. The hips follow it partly, so that in sideways
/// steps one leg passes before the other: forward hips up to about 90 degrees, backward hips beyond. Between 80 and 110 degrees
/// they keep their state, so that a circling strafe does not alternate.
fn twists(points: &[PathPoint]) -> Vec<f32> {
    let mut backward = false;
    points
        .iter()
        .map(|p| {
            let speed = p.velocity.length();
            if speed < 0.05 {
                backward = false;
                return 0.0;
            }
            let travel = wrap_angle(atan2(p.velocity.x, p.velocity.z) - p.yaw);
            let angle = travel.abs();
            backward = if backward { angle > 80.0 * PI / 180.0 } else { angle > 110.0 * PI / 180.0 };
            let reach = if backward { angle - PI } else { angle };
            // The hips rotate further in a run than in a walk.
            let most = 0.6 + 0.2 * run_weight(speed);
            travel.signum() * reach.clamp(-FRAC_PI_2, FRAC_PI_2) / FRAC_PI_2 * most * ramp(speed, 0.3, 1.2)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_path_covers_speed_times_time() {
        let p = RootPath::new(&[Leg::steady(10.0, 1.25, 0.0, 0.0)], Ground::Flat, 2.0, 2.0);
        assert!(p.at(0.0).position.length() < 1e-5);
        assert!((p.at(8.0).position - Vec3::Z * 10.0).length() < 1e-3);
    }

    #[test]
    fn a_crouch_is_reached_in_time_and_kept() {
        let legs = [Leg::steady(1.0, 1.0, 0.0, 0.0), Leg::goal(2.0, 1.0, 0.0, 0.0).crouched()];
        let p = RootPath::new(&legs, Ground::Flat, 1.0, 1.0);
        assert_eq!([0.0, 0.99, 1.0 + CROUCH_S + 0.02, 3.5].map(|t| p.at(t).crouch), [0.0, 0.0, 1.0, 1.0]);
        assert!((p.at(1.0 + 0.5 * CROUCH_S).crouch - 0.5).abs() < 0.05);
    }

    #[test]
    fn a_circle_closes() {
        let circle = Leg { travel_rate: 1.0, facing_rate: 1.0, ..Leg::steady(7.0, 2.0, 0.0, 0.0) };
        let p = RootPath::new(&[circle], Ground::Flat, 1.0, 1.0);
        assert!(p.at(std::f32::consts::TAU).position.length() < 2e-3);
        let top = p.at(std::f32::consts::PI).position;
        assert!((top - Vec3::X * 4.0).length() < 2e-3, "{top}");
    }

    #[test]
    fn a_goal_is_reached_smoothly_and_rest_is_known_ahead() {
        let p = RootPath::new(&[Leg::goal(0.5, 0.0, 0.0, 0.0), Leg::goal(3.0, 1.75, 0.0, 0.0)], Ground::Flat, 1.0, 1.0);
        assert!(p.quiet_s(0.0) > 0.4 && p.quiet_s(1.0) == 0.0);
        assert!((p.at(3.0).velocity - Vec3::Z * 1.75).length() < 1e-3);
        for i in 0..300 {
            let t = i as f32 * 0.01;
            let jump = (p.at(t + 0.01).velocity - p.at(t).velocity).length();
            assert!(jump < 0.05);
        }
    }
}
