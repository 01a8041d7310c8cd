//! An input that owns everything it holds.

use super::{ExternalBody, Goal, HandTarget, Later, MontageCall, MotionInput, Path, Stick, TrajectoryPoint};
use crate::database::{TagCost, TagQuery};
use crate::math::Facing;
use glam::Vec3;
use std::sync::Arc;

/// [`MotionInput`] without borrows and hooks: for components, messages and bindings. [`OwnedInput::borrow`] gives what an
/// update takes, without allocating; hooks are added there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnedInput {
    /// Where to go.
    pub goal: OwnedGoal,
    /// Which rows may be played.
    pub tags: TagQuery,
    /// What rows cost more or less for their tags.
    pub tag_costs: Vec<TagCost>,
    /// As [`MotionInput::later`].
    pub later: Option<Later>,
    /// Values of the schema's user channels, in its order.
    pub user: Vec<f32>,
    /// Values of the variables and triggers of the state machine, in its order; empty leaves all as the machine has them.
    pub variables: Vec<f32>,
    /// Calls of montages, the last few.
    pub montages: Vec<MontageCall>,
    /// The body that the game moves.
    pub body: Option<ExternalBody>,
    /// What to look at, world, metres.
    pub look_at: Option<Vec3>,
    /// Targets of the left and the right hand.
    pub hands: [Option<HandTarget>; 2],
}

/// [`Goal`] without borrows.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum OwnedGoal {
    /// As [`Goal::None`].
    #[default]
    None,
    /// As [`Goal::Stick`].
    Stick(Stick),
    /// As [`Goal::Velocity`].
    Velocity {
        /// World, m/s.
        velocity: Vec3,
        /// World.
        facing: Option<Facing>,
    },
    /// As [`Goal::Path`].
    Path {
        /// World.
        path: Arc<Path>,
        /// Speed on it, m/s.
        speed_mps: f32,
    },
    /// As [`Goal::Trajectory`].
    Trajectory(Vec<TrajectoryPoint>),
}

impl OwnedInput {
    /// A stick and nothing else.
    pub fn stick(stick: Stick) -> Self {
        Self { goal: OwnedGoal::Stick(stick), ..Self::default() }
    }

    /// What an update takes. Allocates nothing.
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
            body: self.body,
            look_at: self.look_at,
            hands: self.hands,
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
