//! Inputs that own their values.

use super::{
    ActionRequest, ExternalBody, Goal, HandTarget, Later, MontageCall, MotionInput, Path, Stick, TrajectoryPoint,
};
use crate::database::{TagCost, TagQuery};
use crate::math::Facing;
use crate::obstacles::{Obstacle, Obstacles};
use glam::Vec3;
use std::sync::Arc;

/// [`MotionInput`] without borrows and hooks, for components, messages and bindings. [`OwnedInput::borrow`] returns the input for
/// an update without allocating; add hooks there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnedInput {
    /// Goal of the character.
    pub goal: OwnedGoal,
    /// Query for the rows that may be played.
    pub tags: TagQuery,
    /// Cost biases of rows by tag.
    pub tag_costs: Vec<TagCost>,
    /// Tags requested from a later time on; see [`MotionInput::later`].
    pub later: Option<Later>,
    /// Values of the schema's user channels, in the order of the schema.
    pub user: Vec<f32>,
    /// Values of the variables and triggers of the state machine, in its order. Empty: the machine's defaults.
    pub variables: Vec<f32>,
    /// The latest montage calls.
    pub montages: Vec<MontageCall>,
    /// Obstacles near the character; see [`MotionInput::obstacles`].
    pub obstacles: Vec<Obstacle>,
    /// The body that the game moves.
    pub body: Option<ExternalBody>,
    /// Look-at target, world, metres.
    pub look_at: Option<Vec3>,
    /// Targets of the left and the right hand.
    pub hands: [Option<HandTarget>; 2],
    /// An action to take; see [`MotionInput::action`].
    pub action: Option<ActionRequest>,
}

/// [`Goal`] without borrows.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum OwnedGoal {
    /// See [`Goal::None`].
    #[default]
    None,
    /// See [`Goal::Stick`].
    Stick(Stick),
    /// See [`Goal::Velocity`].
    Velocity {
        /// World, m/s.
        velocity: Vec3,
        /// Desired facing, world.
        facing: Option<Facing>,
    },
    /// See [`Goal::Path`].
    Path {
        /// Path, world.
        path: Arc<Path>,
        /// Speed along it, m/s.
        speed_mps: f32,
    },
    /// See [`Goal::Trajectory`].
    Trajectory(Vec<TrajectoryPoint>),
}

impl OwnedInput {
    /// Returns an input that contains only a stick.
    pub fn stick(stick: Stick) -> Self {
        Self { goal: OwnedGoal::Stick(stick), ..Self::default() }
    }

    /// Returns the input for an update. Allocates nothing.
    pub fn borrow(&self) -> MotionInput<'_> {
        MotionInput {
            goal: match &self.goal {
                OwnedGoal::None => Goal::None,
                OwnedGoal::Stick(stick) => Goal::Stick(*stick),
                OwnedGoal::Velocity { velocity, facing } => Goal::Velocity { velocity: *velocity, facing: *facing },
                OwnedGoal::Path { path, speed_mps } => Goal::Path { path, speed_mps: *speed_mps },
                OwnedGoal::Trajectory(points) => Goal::Trajectory(points),
            },
            tags: self.tags,
            later: self.later,
            tag_costs: &self.tag_costs,
            user: &self.user,
            variables: &self.variables,
            montages: &self.montages,
            obstacles: Obstacles::new(&self.obstacles),
            body: self.body,
            look_at: self.look_at,
            hands: self.hands,
            action: self.action,
            ..MotionInput::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_shared_between_threads_and_owned_ones_are_kept_anywhere() {
        fn shared<T: Sync>() {}
        fn kept<T: Clone + Send + Sync + 'static>() {}
        shared::<MotionInput<'_>>();
        kept::<OwnedInput>();
    }

    #[test]
    fn a_borrowed_input_says_what_the_owned_one_says() {
        let path = Arc::new(Path::new(vec![Vec3::ZERO, Vec3::Z], false).unwrap());
        let at = |time_s: f32| TrajectoryPoint { time_s, position: Vec3::Z * time_s, facing: Facing::FORWARD };
        let goals = [
            OwnedGoal::None,
            OwnedGoal::Stick(Stick::default()),
            OwnedGoal::Velocity { velocity: Vec3::X, facing: Some(Facing::FORWARD) },
            OwnedGoal::Path { path, speed_mps: 1.5 },
            OwnedGoal::Trajectory(vec![at(0.5), at(1.0)]),
        ];
        for goal in goals {
            let tag_costs = vec![TagCost { cost: 0.5, ..TagCost::default() }];
            let owned =
                OwnedInput { goal, tag_costs, user: vec![1.0], look_at: Some(Vec3::Y), ..OwnedInput::default() };
            let input = owned.borrow();
            assert_eq!(input.tag_costs, owned.tag_costs);
            assert_eq!((input.user, input.look_at), (&[1.0][..], Some(Vec3::Y)));
            assert_eq!(input.validate(1), Ok(()));
            let same = match (&owned.goal, input.goal) {
                (OwnedGoal::None, Goal::None) | (OwnedGoal::Stick(_), Goal::Stick(_)) => true,
                (OwnedGoal::Velocity { velocity, .. }, Goal::Velocity { velocity: v, .. }) => *velocity == v,
                (OwnedGoal::Path { path, .. }, Goal::Path { path: p, .. }) => path.id() == p.id(),
                (OwnedGoal::Trajectory(points), Goal::Trajectory(p)) => points == p,
                _ => false,
            };
            assert!(same, "{:?}", owned.goal);
        }
    }
}
