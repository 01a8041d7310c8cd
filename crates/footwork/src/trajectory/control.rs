//! Converts the user's input to a desired velocity and facing.

use super::simulation::{Desired, Simulation};
use crate::input::{CollisionHook, Gait, Goal, MotionInput, Stick, TrajectoryPoint};
use crate::math::Facing;
use crate::motion::StickSpeeds;
use crate::obstacles::Around;
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// Progress along a [`Goal::Path`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathProgress {
    /// Identifier of the path.
    pub id: u64,
    /// Distance along the path, metres.
    pub distance_m: f32,
}

/// Look-ahead of the aim point on a path, as time at the current speed, seconds.
const AIM_AHEAD_S: f32 = 0.25;
/// Minimum look-ahead of the aim point on a path, metres.
const AIM_AHEAD_M: f32 = 0.25;
/// Look-ahead of the aim point on a trajectory of the user, seconds.
const TRAJECTORY_AIM_S: f32 = 0.25;

/// Input for the desired velocity and facing.
#[derive(Clone, Copy)]
pub struct Steering<'a> {
    /// The game's input.
    pub input: &'a MotionInput<'a>,
    /// The simulated character.
    pub now: &'a Simulation,
    /// Last desired state; kept where the goal does not define one.
    pub before: &'a Desired,
    /// Speeds at full stick.
    pub speeds: &'a StickSpeeds,
    /// Share of the stick's speed that the ground leaves, 0 to 1.
    pub pace: f32,
    /// Maximum speed of any goal, m/s.
    pub max_speed_mps: f32,
    /// Half-life of the velocity spring, seconds.
    pub velocity_half_life_s: f32,
    /// Obstacles now.
    pub around: Option<Around<'a>>,
}

/// Share of the wanted velocity in the direction that is faced along an obstacle: a stopped character goes on facing it.
const FACES_WANTED: f32 = 0.2;

impl Steering<'_> {
    /// Returns the desired state `ahead_s` seconds from now. Advances `progress` on a path. Walls limit the velocity.
    pub fn desired(&self, progress: &mut PathProgress, ahead_s: f32) -> Desired {
        let asked = self.asked(progress, ahead_s);
        let wanted = Desired { velocity: asked.velocity.clamp_length_max(self.max_speed_mps), ..asked };
        let wanted = match self.input.collide {
            Some(collide) => {
                let velocity = along_walls(collide, self.now, wanted.velocity, self.velocity_half_life_s);
                Desired { velocity, ..wanted }
            }
            None => wanted,
        };
        match self.around {
            Some(around) => self.along_obstacles(around.later(ahead_s), wanted),
            None => wanted,
        }
    }

    /// Returns a desired state whose velocity does not lead into obstacles. The facing turns along unless the goal
    /// sets it.
    fn along_obstacles(&self, around: Around, wanted: Desired) -> Desired {
        let velocity = around.slide(&self.now.mover(self.velocity_half_life_s), wanted.velocity);
        if velocity == wanted.velocity {
            return wanted;
        }
        let turns = match &self.input.goal {
            Goal::Stick(stick) => !stick.strafe,
            Goal::Velocity { facing, .. } => facing.is_none(),
            Goal::Path { .. } => true,
            Goal::None | Goal::Trajectory(_) => false,
        };
        let along = Facing::from_direction(velocity + wanted.velocity * FACES_WANTED);
        let facing = along.filter(|_| turns).unwrap_or(wanted.facing);
        Desired { velocity, facing, ..wanted }
    }

    fn asked(&self, progress: &mut PathProgress, ahead_s: f32) -> Desired {
        let Self { input, now, before, speeds, velocity_half_life_s, .. } = *self;
        match &input.goal {
            Goal::None => Desired { velocity: now.velocity, facing: now.facing, gait: before.gait },
            Goal::Stick(stick) => {
                let full = from_stick(stick, now, before, speeds, ahead_s);
                Desired { velocity: full.velocity * self.pace, ..full }
            }
            Goal::Velocity { velocity, facing } => {
                let travel = Facing::from_direction(*velocity).filter(|_| velocity.length() > 0.05);
                Desired {
                    velocity: *velocity,
                    facing: facing.map(Facing::normalized).or(travel).unwrap_or(before.facing),
                    gait: before.gait,
                }
            }
            Goal::Path { path, speed_mps } => {
                if progress.id != path.id() {
                    *progress = PathProgress { id: path.id(), distance_m: path.project(now.position, 0.0) };
                }
                progress.distance_m = path.project(now.position, progress.distance_m);
                let speed = speed_mps.max(0.0);
                let mut remaining = path.remaining_m(progress.distance_m);
                if remaining < 1.0 {
                    // Beside the last section, the end is further than the section is long.
                    remaining = remaining.max((path.point(path.length_m()) - now.position).length());
                }
                let ahead = now.velocity.normalize_or_zero();
                let speed = speed.min(now.mover(velocity_half_life_s).arriving_mps(ahead, remaining, Vec3::ZERO));
                let aim = path.point(progress.distance_m + (speed * AIM_AHEAD_S).max(AIM_AHEAD_M));
                let way = Vec3::new(aim.x - now.position.x, 0.0, aim.z - now.position.z);
                let distance = way.length();
                if distance < 1e-3 || speed < 1e-3 {
                    return Desired { velocity: Vec3::ZERO, ..*before };
                }
                let velocity = way * (speed / distance);
                let facing = Facing::from_direction(velocity).filter(|_| speed > 0.2).unwrap_or(before.facing);
                Desired { velocity, facing, gait: before.gait }
            }
            Goal::Trajectory(points) => {
                let (here, _) = sample(points, ahead_s);
                let (there, facing) = sample(points, ahead_s + TRAJECTORY_AIM_S);
                Desired { velocity: (there - here) / TRAJECTORY_AIM_S, facing, gait: before.gait }
            }
        }
    }
}

/// Distance within which walls count, in half-lives at the current speed: nearly three times the stopping distance.
const WALLS_AHEAD: f32 = 4.0;

/// Returns a velocity without the part that would run into a wall: slower the nearer the wall is. With a hook that slides
/// along walls, the part along them remains; with one that stops at the hit, nothing does.
fn along_walls(collide: &CollisionHook, now: &Simulation, wanted: Vec3, velocity_half_life_s: f32) -> Vec3 {
    let to = now.position + wanted * (WALLS_AHEAD * velocity_half_life_s);
    let got = collide(now.position, to);
    let lost = Vec3::new(to.x - got.x, 0.0, to.z - got.z);
    let into = lost.normalize_or_zero();
    if !got.is_finite() || lost.length() < 1e-4 {
        return wanted;
    }
    let left_m = (got - now.position).dot(into).max(0.0);
    let most = now.mover(velocity_half_life_s).arriving_mps(into, left_m, Vec3::ZERO);
    wanted - into * (wanted.dot(into) - most).max(0.0)
}

fn from_stick(stick: &Stick, now: &Simulation, before: &Desired, speeds: &StickSpeeds, ahead_s: f32) -> Desired {
    let direction = stick.world(stick.movement, ahead_s);
    let velocity = speeds.velocity(direction, now.facing, now.gait);
    let way = Facing::from_direction(direction).filter(|_| stick.movement.length() > 0.01);
    let look = stick.strafe.then(|| {
        let look = if stick.look.length() > 0.01 { stick.look } else { glam::Vec2::Y };
        Facing::from_direction(stick.world(look, ahead_s)).unwrap_or(before.facing)
    });
    let look = look.filter(|look| way.is_none_or(|way| speeds.goes(*look, way)));
    let facing = look.or(way).unwrap_or(before.facing);
    Desired { velocity, facing, gait: if stick.gait == Gait::Run { 1.0 } else { 0.0 } }
}

/// Returns position and facing of a user's trajectory at a time, linear between its points, constant outside.
pub fn sample(points: &[TrajectoryPoint], time_s: f32) -> (Vec3, Facing) {
    let i = points.partition_point(|p| p.time_s <= time_s);
    let (a, b) = (&points[i.saturating_sub(1)], &points[i.min(points.len() - 1)]);
    let span = b.time_s - a.time_s;
    let t = if span > 0.0 { (time_s - a.time_s) / span } else { 0.0 };
    (a.position + (b.position - a.position) * t, a.facing.turned(a.facing.angle_to(b.facing) * t))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Path;
    use crate::trajectory::SimulationConfig;
    use std::sync::LazyLock;

    fn steering<'a>(
        input: &'a MotionInput<'a>,
        now: &'a Simulation,
        before: &'a Desired,
        velocity_half_life_s: f32,
    ) -> Steering<'a> {
        static SPEEDS: LazyLock<StickSpeeds> = LazyLock::new(StickSpeeds::default);
        Steering {
            input,
            now,
            before,
            speeds: &SPEEDS,
            pace: 1.0,
            max_speed_mps: f32::INFINITY,
            velocity_half_life_s,
            around: None,
        }
    }

    fn ask(input: &MotionInput, now: &Simulation) -> Desired {
        let before = Desired { facing: now.facing, ..Default::default() };
        steering(input, now, &before, 0.27).desired(&mut PathProgress::default(), 0.0)
    }

    #[test]
    fn who_cannot_strafe_somewhere_turns_to_where_it_goes() {
        let goes = std::array::from_fn(|k| k == 0 || k == 2);
        let speeds = StickSpeeds { goes, ..StickSpeeds::default() };
        let now = Simulation::default();
        let facing = |to: Vec3| {
            let input =
                MotionInput::stick(Stick { strafe: true, look: glam::Vec2::Y, ..Stick::towards(to, Gait::Walk) });
            let before = Desired::default();
            let steering = Steering { speeds: &speeds, ..steering(&input, &now, &before, 0.27) };
            steering.desired(&mut PathProgress::default(), 0.0).facing.yaw().to_degrees().round()
        };
        assert_eq!([Vec3::Z, Vec3::X, Vec3::ZERO].map(facing), [0.0, 0.0, 0.0]);
        assert_eq!([Vec3::NEG_X, Vec3::new(1.0, 0.0, -1.0)].map(facing), [-90.0, 135.0]);
    }

    #[test]
    fn a_released_stick_stops_and_keeps_the_facing() {
        let now = Simulation { facing: Facing::from_yaw(1.0), ..Default::default() };
        let d = ask(&MotionInput::stick(Stick::default()), &now);
        assert_eq!((d.velocity, d.facing), (Vec3::ZERO, now.facing));
    }

    #[test]
    fn strafing_faces_where_the_look_stick_or_the_camera_points() {
        let stick = Stick { movement: glam::Vec2::X, strafe: true, camera_yaw_rad: 0.5, ..Default::default() };
        let d = ask(&MotionInput::stick(stick), &Simulation::default());
        assert!(d.facing.angle_to(Facing::from_yaw(0.5)).abs() < 1e-5);
        let stick = Stick { look: glam::Vec2::X, ..stick };
        let d = ask(&MotionInput::stick(stick), &Simulation::default());
        assert!(d.facing.angle_to(Facing::from_yaw(0.5 - std::f32::consts::FRAC_PI_2)).abs() < 1e-5);
    }

    #[test]
    fn a_path_is_followed_to_its_end_and_stopped_at() {
        let path = Path::new(vec![Vec3::ZERO, Vec3::Z * 5.0, Vec3::new(5.0, 0.0, 5.0)], false).unwrap();
        let input = MotionInput { goal: Goal::Path { path: &path, speed_mps: 1.75 }, ..Default::default() };
        let (mut now, mut d, mut progress) = (Simulation::default(), Desired::default(), PathProgress::default());
        let config = SimulationConfig::default();
        let mut worst: f32 = 0.0;
        for _ in 0..60 * 12 {
            d = steering(&input, &now, &d, 0.27).desired(&mut progress, 0.0);
            now.advance(&d, &config, 1.0 / 60.0);
            worst = worst.max((path.point(progress.distance_m) - now.position).length());
        }
        assert!((now.position - Vec3::new(5.0, 0.0, 5.0)).length() < 0.02, "{}", now.position);
        assert!(now.velocity.length() < 0.02 && worst < 0.4, "{} {worst}", now.velocity);
    }

    #[test]
    fn paths_are_arrived_at_to_the_centimetre_from_any_speed_with_any_spring() {
        let path = Path::new(vec![Vec3::ZERO, Vec3::Z * 16.0], false).unwrap();
        for (speed_mps, half_life) in [(1.0, 0.27), (4.0, 0.27), (4.0, 0.1), (5.5, 0.4)] {
            let input = MotionInput { goal: Goal::Path { path: &path, speed_mps }, ..Default::default() };
            let (mut now, mut d, mut progress) = (Simulation::default(), Desired::default(), PathProgress::default());
            let config = SimulationConfig { velocity_half_life_s: half_life, ..Default::default() };
            let (mut furthest, mut fastest): (f32, f32) = (0.0, 0.0);
            for _ in 0..60 * 24 {
                d = steering(&input, &now, &d, half_life).desired(&mut progress, 0.0);
                now.advance(&d, &config, 1.0 / 60.0);
                (furthest, fastest) = (furthest.max(now.position.z), fastest.max(now.velocity.z));
            }
            assert!((now.position - Vec3::Z * 16.0).length() < 0.01, "{speed_mps} {half_life}: {}", now.position);
            assert!(furthest < 16.02 && fastest > 0.9 * speed_mps, "{speed_mps} {half_life}: {furthest} {fastest}");
            assert!(now.velocity.length() < 1e-3, "{speed_mps} {half_life}: {}", now.velocity);
        }
    }

    #[test]
    fn who_is_steered_at_a_wall_slows_down_before_it_and_bends_along_it() {
        let slides = |_: Vec3, to: Vec3| Vec3::new(to.x, to.y, to.z.min(3.0));
        let stops = |from: Vec3, to: Vec3| {
            if to.z > 3.0 { from + (to - from) * ((3.0 - from.z) / (to.z - from.z)) } else { to }
        };
        let walls: [(&CollisionHook, f32); 2] = [(&slides, 2.0), (&stops, -0.01)];
        for (wall, least_x) in walls {
            let stick = Stick::towards(Vec3::new(0.6, 0.0, 0.8), Gait::Run);
            let input = MotionInput { collide: Some(wall), ..MotionInput::stick(stick) };
            let (mut now, mut d, mut progress) = (Simulation::default(), Desired::default(), PathProgress::default());
            let config = SimulationConfig::default();
            let mut hardest: f32 = 0.0;
            for _ in 0..60 * 3 {
                d = steering(&input, &now, &d, 0.27).desired(&mut progress, 0.0);
                let before = now.velocity;
                now.advance_in_world(&d, &config, 1.0 / 60.0, Some(wall));
                hardest = hardest.max((now.velocity - before).length() * 60.0);
            }
            assert!((2.9..=3.0 + 1e-4).contains(&now.position.z) && now.velocity.z.abs() < 0.05, "{now:?}");
            assert!(now.position.x > least_x, "{now:?}");
            // Without the limit, a collision removes all of the speed in one tick: 240 m/s2.
            assert!(hardest < 15.0, "{hardest}");
        }
    }

    #[test]
    fn a_trajectory_of_the_users_own_is_aimed_along() {
        let at = |t: f32| TrajectoryPoint { time_s: t, position: Vec3::X * t, facing: Facing::from_yaw(t) };
        let points = [at(0.0), at(1.0)];
        let input = MotionInput { goal: Goal::Trajectory(&points), ..Default::default() };
        let d = ask(&input, &Simulation::default());
        assert!((d.velocity - Vec3::X).length() < 1e-5);
        assert!((d.facing.yaw() - 0.25).abs() < 1e-5);
    }
}
