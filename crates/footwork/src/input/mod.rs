//! Input of a character for each update: a goal, the allowed motion, the surroundings, targets.
//!
//! [`MotionInput`] borrows paths, trajectories and hooks, and is passed to an update. [`OwnedInput`] owns its values and has no
//! hooks. It can be stored, copied and sent to other threads: use it for components, networks and bindings.

mod action;
mod error;
mod goal;
mod hooks;
pub(crate) mod montages;
pub(crate) mod owned;
mod path;

pub use action::{ActionContact, ActionKind, ActionRequest};
pub use error::InputError;
pub use goal::{Gait, Goal, Stick, TrajectoryPoint};
pub(crate) use hooks::CheckedHooks;
pub use hooks::{CollisionHook, GroundHook, GroundPoint};
pub use montages::MontageHandle;
pub(crate) use montages::{MontageAction, MontageCall, RATES, SECONDS};
pub(crate) use owned::{OwnedGoal, OwnedInput};
pub use path::{Path, PathError};

use crate::database::{TagCost, TagCosts, TagQuery};
use crate::math::{Facing, Quat};
pub use crate::obstacles::{Obstacle, Obstacles};
use error::LARGEST;
use glam::Vec3;

/// The capsule of a body that the game moves. See [`crate::adjust::root::RootMode::External`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExternalBody {
    /// Position at the end of the update, on the ground under the body; world, metres.
    pub position: Vec3,
    /// Velocity, world, m/s.
    pub velocity: Vec3,
    /// Facing, world.
    pub facing: Facing,
    /// Turn rate of the facing, in radians per second about +Y.
    pub yaw_rate_radps: f32,
}

/// A target of a hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandTarget {
    /// Position, world, metres.
    pub position: Vec3,
    /// Rotation, world from hand; `None` keeps the rotation of the clip.
    pub rotation: Option<Quat>,
}

/// Tags requested from a later time on. As soon as a clip leads from the current pose to such motion just in time, it is taken;
/// if there is none, nothing changes. From that time on, [`MotionInput::tags`] or the state machine must request the tags.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Later {
    /// Query for the rows to play then.
    pub tags: TagQuery,
    /// Time, in seconds of the character (`header.clock.time_s` of its [state](crate::matcher::MatcherState)).
    pub at_s: f64,
}

/// Input of one character for one update.
#[derive(Clone, Copy, Default)]
pub struct MotionInput<'a> {
    /// Goal of the character.
    pub goal: Goal<'a>,
    /// Query for the rows that may be entered. [`Database::tag_query`](crate::database::Database::tag_query) parses it from text.
    pub tags: TagQuery,
    /// Tags requested from a later time on, such as a crouch before a low door.
    pub later: Option<Later>,
    /// Cost biases of rows by tag, at most [`TagCosts::MOST`]: soft preferences in addition to `tags`. Range of the costs: -1e6
    /// to 1e6.
    pub tag_costs: &'a [TagCost],
    /// Values of the schema's user channels, in the order of the schema. May be empty if there are none.
    pub user: &'a [f32],
    /// Values of the variables and triggers of the character's state machine, in the order of
    /// [`Machine::variable_names`](crate::machine::Machine::variable_names). Empty: the machine's defaults.
    pub variables: &'a [f32],
    /// The latest montage calls, at most 16 ([`crate::machine::MontageCalls::calls`]). Each is executed once.
    pub montages: &'a [MontageCall],
    /// Hook that keeps the simulated and predicted path out of walls.
    pub collide: Option<&'a CollisionHook<'a>>,
    /// Hook for the ground; `None`: level ground.
    pub ground: Option<&'a GroundHook<'a>>,
    /// Obstacles near the character, and other characters, at most [`Obstacles::MOST`]: they are walked round, and the body is kept out
    /// of them. `collide` serves worlds that are only known by asking.
    pub obstacles: Obstacles<'a>,
    /// The body that the game moves. Required by `root.mode = "external"`, ignored in the other modes.
    pub body: Option<ExternalBody>,
    /// Look-at target, world, metres; `None` keeps the direction of the clip.
    pub look_at: Option<Vec3>,
    /// Targets of the left and the right hand; `None` keeps the motion of the clip.
    pub hands: [Option<HandTarget>; 2],
    /// An action to take, such as a jump, a climb or a seat. Keep the request in the input:
    /// [`Output::actions`](crate::matcher::Output) reports what becomes of it. The player steers until the action is entered. A request
    /// that is dropped before that is called off. An action that ends in a contact, such as a seat, lasts until its request is dropped or
    /// another one can be entered.
    pub action: Option<ActionRequest>,
}

impl std::fmt::Debug for MotionInput<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MotionInput")
            .field("goal", &self.goal)
            .field("tags", &self.tags)
            .field("later", &self.later)
            .field("tag_costs", &self.tag_costs)
            .field("user", &self.user)
            .field("variables", &self.variables)
            .field("montages", &self.montages)
            .field("collide", &self.collide.is_some())
            .field("ground", &self.ground.is_some())
            .field("obstacles", &self.obstacles.all())
            .field("body", &self.body)
            .field("look_at", &self.look_at)
            .field("hands", &self.hands)
            .field("action", &self.action)
            .finish()
    }
}

impl MotionInput<'_> {
    /// Returns an input that contains only a stick.
    pub fn stick(stick: Stick) -> Self {
        Self { goal: Goal::Stick(stick), ..Self::default() }
    }

    /// Checks all numbers.
    ///
    /// # Errors
    /// Returns [`InputError`] for the first invalid value.
    pub fn validate(&self, user_width: usize) -> Result<(), InputError> {
        let finite = |field, values: &[f32]| match values.iter().find(|v| !(0.0..=LARGEST).contains(&v.abs())) {
            Some(v) => Err(InputError::NotUsable { field, value: *v }),
            None => Ok(()),
        };
        let positive = |field, values: &[f32]| match values.iter().find(|v| !(0.0..=LARGEST).contains(*v)) {
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
        if self.tag_costs.len() > TagCosts::MOST {
            return Err(InputError::TagCosts { found: self.tag_costs.len() });
        }
        for of in self.tag_costs {
            finite("tag_costs", &[of.cost])?;
        }
        if self.user.len() != user_width {
            return Err(InputError::UserWidth { expected: user_width, found: self.user.len() });
        }
        finite("user", self.user)?;
        finite("variables", self.variables)?;
        self.montages.iter().try_for_each(MontageCall::validate)?;
        if let Some(later) = self.later.filter(|later| !later.at_s.is_finite()) {
            return Err(InputError::NotUsable { field: "later.at_s", value: later.at_s as f32 });
        }
        if self.obstacles.all().len() > Obstacles::MOST {
            return Err(InputError::Obstacles { found: self.obstacles.all().len() });
        }
        for o in self.obstacles.all() {
            finite("obstacles.position", &o.position.to_array())?;
            finite("obstacles.velocity", &o.velocity.to_array())?;
            direction("obstacles.facing", o.facing)?;
            positive("obstacles.half_m", &o.half_m.to_array())?;
            positive("obstacles.radius_m", &[o.radius_m])?;
            positive("obstacles.height_m", &[o.height_m])?;
        }
        if let Some(body) = self.body {
            finite("body.position", &body.position.to_array())?;
            finite("body.velocity", &body.velocity.to_array())?;
            finite("body.yaw_rate_radps", &[body.yaw_rate_radps])?;
            direction("body.facing", body.facing)?;
        }
        if let Some(target) = self.look_at {
            finite("look_at", &target.to_array())?;
        }
        self.action.as_ref().map_or(Ok(()), ActionRequest::validate)?;
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

    /// Returns a number that changes when the goal does; `None` for a user-defined trajectory, which counts as changed in every
    /// update.
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
    use glam::Vec2;

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
        let costs = |n: usize, cost: f32| vec![TagCost { cost, ..TagCost::default() }; n];
        let with = |tag_costs: &[TagCost]| MotionInput { tag_costs, ..Default::default() }.validate(0);
        assert_eq!((with(&costs(16, -2.0)), with(&costs(17, 0.0))), (Ok(()), Err(InputError::TagCosts { found: 17 })));
        assert!(with(&costs(1, f32::NAN)).unwrap_err().to_string().contains("tag_costs"));
        let fast = Goal::Velocity { velocity: Vec3::X * 1e30, facing: None };
        assert!(MotionInput { goal: fast, ..Default::default() }.validate(0).is_err());
        let nowhere = Goal::Velocity { velocity: Vec3::X, facing: Some(Facing { x: 0.0, z: 0.0 }) };
        let e = MotionInput { goal: nowhere, ..Default::default() }.validate(0).unwrap_err();
        assert!(e.to_string().contains("no length"));
    }

    #[test]
    fn a_signature_changes_with_the_goal_alone() {
        let a = MotionInput::stick(Stick::towards(Vec3::Z, Gait::Walk));
        let tags = TagQuery::of_codes([0]).unwrap();
        let b = MotionInput::stick(Stick::towards(Vec3::Z, Gait::Run));
        assert_eq!(a.signature(), MotionInput { tags, ..a }.signature());
        assert_ne!(a.signature(), b.signature());
    }
}
