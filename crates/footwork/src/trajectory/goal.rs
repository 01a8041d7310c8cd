//! What the user asks of a character, each update.

use super::path::Path;
use crate::adjust::hands::HandTarget;
use crate::math::{Facing, Quat};
use crate::search::TagFilter;
use glam::{Vec2, Vec3};

/// Limits a predicted step: from, to (world, metres) -> where it really ends. Paths bend along the walls of a hook that slides
/// along them, and end at those of one that stops where it hits. Asked for steps of a frame and for looks of a second ahead.
pub type CollisionHook<'a> = dyn Fn(Vec3, Vec3) -> Vec3 + 'a;

/// The ground above or below a point (world, metres).
pub type GroundHook<'a> = dyn Fn(Vec3) -> GroundPoint + 'a;

/// The ground at a point, world. The default is level ground at height 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundPoint {
    /// Metres.
    pub height_m: f32,
    /// Upwards; a unit vector.
    pub normal: Vec3,
    /// How the ground itself moves there, m/s: a platform, a ship. Zero where it rests.
    pub velocity: Vec3,
}

impl GroundPoint {
    /// What a hook says of a point. Where it says nothing that is a number there is level ground at the point's own height.
    pub fn under(ground: &GroundHook, at: Vec3) -> Self {
        let p = ground(at);
        let finite = p.height_m.is_finite() && p.normal.is_finite() && p.velocity.is_finite();
        if finite { p } else { Self { height_m: at.y, ..Self::default() } }
    }
}

impl Default for GroundPoint {
    fn default() -> Self {
        Self { height_m: 0.0, normal: Vec3::Y, velocity: Vec3::ZERO }
    }
}

/// Input of one character for one update.
#[derive(Clone, Copy, Default)]
pub struct MotionInput<'a> {
    /// Where to go.
    pub goal: Goal<'a>,
    /// Which rows may be jumped to.
    pub tags: TagFilter,
    /// Values of the schema's user channels, in its order; may be empty where there are none.
    pub user: &'a [f32],
    /// Keeps the simulated and predicted path out of walls.
    pub collide: Option<&'a CollisionHook<'a>>,
    /// What is stood on; `None` is level ground.
    pub ground: Option<&'a GroundHook<'a>>,
    /// What to look at, world, metres; `None` looks where the clip does.
    pub look_at: Option<Vec3>,
    /// What left and right hand are to reach for; `None` leaves them to the clip.
    pub hands: [Option<HandTarget>; 2],
}

impl std::fmt::Debug for MotionInput<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MotionInput")
            .field("goal", &self.goal)
            .field("tags", &self.tags)
            .field("user", &self.user)
            .field("collide", &self.collide.is_some())
            .field("ground", &self.ground.is_some())
            .field("look_at", &self.look_at)
            .field("hands", &self.hands)
            .finish()
    }
}

/// Where to go.
#[derive(Clone, Copy, Debug, Default)]
pub enum Goal<'a> {
    /// Nobody steers: the playing clip goes on as it was captured.
    #[default]
    None,
    /// A stick and a camera.
    Stick(Stick),
    /// A velocity, m/s, and optionally a facing; both in the world. Without a facing the character faces where it goes.
    Velocity {
        /// World, m/s.
        velocity: Vec3,
        /// World.
        facing: Option<Facing>,
    },
    /// Along a path.
    Path {
        /// World.
        path: &'a Path,
        /// Speed on it, m/s.
        speed_mps: f32,
    },
    /// A trajectory of the user's own, in order of time, world; from now on.
    Trajectory(&'a [TrajectoryPoint]),
}

/// A point of a trajectory of the user's own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrajectoryPoint {
    /// Seconds from now.
    pub time_s: f32,
    /// World, metres.
    pub position: Vec3,
    /// World.
    pub facing: Facing,
}

/// How fast a full stick means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gait {
    /// The `walk` speeds.
    #[default]
    Walk,
    /// The `run` speeds.
    Run,
}

/// A stick and a camera.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stick {
    /// Left stick: x to the right of the screen, y into it; length at most 1.
    pub movement: Vec2,
    /// Right stick, same axes: where to face while strafing. Zero: where the camera looks.
    pub look: Vec2,
    /// Where the camera looks, radians; 0 is +Z.
    pub camera_yaw_rad: f32,
    /// How fast the camera turns, radians per second: prediction turns the stick with it.
    pub camera_yaw_rate_radps: f32,
    /// True: the facing does not follow the movement.
    pub strafe: bool,
    /// Walk or run.
    pub gait: Gait,
}

impl Stick {
    /// A stick given as a world direction on the ground.
    pub fn towards(direction: Vec3, gait: Gait) -> Self {
        Self { movement: Vec2::new(-direction.x, direction.z), gait, ..Self::default() }
    }

    /// A stick vector as a world direction, with the camera `ahead_s` seconds from now. Right on the screen is -X: the
    /// camera looks along +Z and left is +X.
    pub fn world(&self, stick: Vec2, ahead_s: f32) -> Vec3 {
        let camera = Quat::from_rotation_y(self.camera_yaw_rad + self.camera_yaw_rate_radps * ahead_s);
        camera * Vec3::new(-stick.x, 0.0, stick.y)
    }
}

/// Metres, metres per second, radians: nobody moves further or faster.
const LARGEST: f32 = 1e6;

/// Why an input is refused. The state is as it was.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// NaN, infinity, or a number so large that motion would leave what floats can hold.
    #[error("`{field}` is {value}: expected a finite number of at most {LARGEST} either way")]
    NotUsable {
        /// Which.
        field: &'static str,
        /// Value.
        value: f32,
    },
    /// A direction without one.
    #[error("`{field}` has no length: expected a unit vector")]
    NoDirection {
        /// Which.
        field: &'static str,
    },
    /// A time step that is none.
    #[error("a time step of {dt_s} s: expected 0 to 10")]
    TimeStep {
        /// Given.
        dt_s: f32,
    },
    /// User values that do not fit the schema.
    #[error("`user` has {found} values; the schema's user channels take {expected}")]
    UserWidth {
        /// Values that the schema takes.
        expected: usize,
        /// Values given.
        found: usize,
    },
    /// A trajectory without points or out of order.
    #[error("`trajectory`: {what}")]
    Trajectory {
        /// What is wrong.
        what: &'static str,
    },
    /// Slices of different lengths.
    #[error("{what}: {found} given for {expected} characters")]
    Characters {
        /// Which slice.
        what: &'static str,
        /// Characters.
        expected: usize,
        /// Elements given.
        found: usize,
    },
    /// A state of another database.
    #[error("the state of character {character} belongs to another database or version: start it anew")]
    ForeignState {
        /// Which.
        character: usize,
    },
}

impl MotionInput<'_> {
    /// A stick and nothing else.
    pub fn stick(stick: Stick) -> Self {
        Self { goal: Goal::Stick(stick), ..Self::default() }
    }

    /// Checks all numbers.
    ///
    /// # Errors
    /// The first one that is not usable.
    pub fn validate(&self, user_width: usize) -> Result<(), InputError> {
        let finite = |field, values: &[f32]| match values.iter().find(|v| !(0.0..=LARGEST).contains(&v.abs())) {
            Some(v) => Err(InputError::NotUsable { field, value: *v }),
            None => Ok(()),
        };
        let direction = |field, f: Facing| {
            finite(field, &[f.x, f.z])?;
            if f.x.abs().max(f.z.abs()) < 1e-3 { Err(InputError::NoDirection { field }) } else { Ok(()) }
        };
        match &self.goal {
            Goal::None => {}
            Goal::Stick(s) => {
                finite("stick.movement", &s.movement.to_array())?;
                finite("stick.look", &s.look.to_array())?;
                finite("stick.camera_yaw_rad", &[s.camera_yaw_rad])?;
                finite("stick.camera_yaw_rate_radps", &[s.camera_yaw_rate_radps])?;
            }
            Goal::Velocity { velocity, facing } => {
                finite("velocity", &velocity.to_array())?;
                facing.map_or(Ok(()), |f| direction("facing", f))?;
            }
            Goal::Path { speed_mps, .. } => finite("path.speed_mps", &[*speed_mps])?,
            Goal::Trajectory(points) => {
                if points.is_empty() {
                    return Err(InputError::Trajectory { what: "no points" });
                }
                for p in *points {
                    finite("trajectory.position", &p.position.to_array())?;
                    direction("trajectory.facing", p.facing)?;
                    finite("trajectory.time_s", &[p.time_s])?;
                }
                if points.windows(2).any(|w| w[0].time_s >= w[1].time_s) {
                    return Err(InputError::Trajectory { what: "times must rise" });
                }
            }
        }
        if self.user.len() != user_width {
            return Err(InputError::UserWidth { expected: user_width, found: self.user.len() });
        }
        finite("user", self.user)?;
        if let Some(target) = self.look_at {
            finite("look_at", &target.to_array())?;
        }
        for hand in self.hands.iter().flatten() {
            finite("hands.position", &hand.position.to_array())?;
            let Some(rotation) = hand.rotation else { continue };
            finite("hands.rotation", &rotation.to_array())?;
            if rotation.length() < 1e-3 {
                return Err(InputError::NoDirection { field: "hands.rotation" });
            }
        }
        Ok(())
    }

    /// A number that changes when the goal does. A trajectory of the user's own changes every time.
    pub(crate) fn signature(&self) -> Option<u64> {
        let mut bytes = [0u8; 40];
        let mut at = 0;
        let mut put = |values: &[f32]| {
            for v in values {
                bytes[at..at + 4].copy_from_slice(&v.to_le_bytes());
                at += 4;
            }
        };
        match &self.goal {
            Goal::None => put(&[1.0]),
            Goal::Stick(s) => {
                put(&[2.0, s.movement.x, s.movement.y, s.look.x, s.look.y, s.camera_yaw_rad, s.camera_yaw_rate_radps]);
                put(&[f32::from(u8::from(s.strafe)), f32::from(u8::from(s.gait == Gait::Run))]);
            }
            Goal::Velocity { velocity, facing } => {
                put(&[3.0, velocity.x, velocity.y, velocity.z]);
                put(&facing.map_or([0.0, 0.0, 0.0], |f| [1.0, f.x, f.z]));
            }
            Goal::Path { path, speed_mps } => {
                put(&[4.0, *speed_mps]);
                bytes[8..16].copy_from_slice(&path.id().to_le_bytes());
            }
            Goal::Trajectory(_) => return None,
        }
        Some(xxhash_rust::xxh3::xxh3_64(&bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_and_misfits_are_refused_by_name() {
        let stick = |s: Stick| MotionInput::stick(s).validate(0);
        assert_eq!(stick(Stick::default()), Ok(()));
        let e = stick(Stick { movement: Vec2::new(f32::NAN, 0.0), ..Stick::default() }).unwrap_err();
        assert!(e.to_string().contains("stick.movement"));
        let e = stick(Stick { camera_yaw_rad: f32::INFINITY, ..Stick::default() }).unwrap_err();
        assert!(e.to_string().contains("camera_yaw_rad"));
        assert!(MotionInput { user: &[1.0], ..Default::default() }.validate(2).is_err());
        assert!(MotionInput { user: &[f32::NAN], ..Default::default() }.validate(1).is_err());
        assert!(MotionInput { goal: Goal::Trajectory(&[]), ..Default::default() }.validate(0).is_err());
        let fast = Goal::Velocity { velocity: Vec3::X * 1e30, facing: None };
        assert!(MotionInput { goal: fast, ..Default::default() }.validate(0).is_err());
        let nowhere = Goal::Velocity { velocity: Vec3::X, facing: Some(Facing { x: 0.0, z: 0.0 }) };
        let e = MotionInput { goal: nowhere, ..Default::default() }.validate(0).unwrap_err();
        assert!(e.to_string().contains("no length"));
    }

    #[test]
    fn the_stick_is_seen_from_the_camera() {
        let s = Stick { camera_yaw_rad: std::f32::consts::FRAC_PI_2, ..Stick::default() };
        assert!((s.world(Vec2::Y, 0.0) - Vec3::X).length() < 1e-6);
        assert!((Stick::default().world(Vec2::X, 0.0) + Vec3::X).length() < 1e-6);
        let turning = Stick { camera_yaw_rate_radps: std::f32::consts::PI, ..Stick::default() };
        assert!((turning.world(Vec2::Y, 0.5) - Vec3::X).length() < 1e-6);
    }

    #[test]
    fn a_signature_changes_with_the_goal_alone() {
        let a = MotionInput::stick(Stick::towards(Vec3::Z, Gait::Walk));
        let b = MotionInput::stick(Stick::towards(Vec3::Z, Gait::Run));
        assert_eq!(
            a.signature(),
            MotionInput { tags: TagFilter { required: 1, ..Default::default() }, ..a }.signature()
        );
        assert_ne!(a.signature(), b.signature());
    }
}
