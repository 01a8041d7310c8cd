//! Views of a character's action, for panels and courses.

use super::acted::Acted;
use super::character::Character;
use super::state::MatcherState;
use crate::actions::{Action, Approach, MAX_MARKS, Place, Proposals, RayHook, Refusal, Warp, probe};
use crate::input::{ActionRequest, Goal};
use crate::math::Facing;
use glam::Vec3;

/// The action of a character, or the request that waits for one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ActionView {
    /// A request waits to be entered.
    Waits {
        /// Number of the request.
        id: u16,
        /// Time since the request, in seconds.
        since_s: f32,
        /// Cost of entering at the last control tick; `None` if it was impossible.
        cost: Option<f32>,
    },
    /// An action plays.
    Plays {
        /// Number of the request.
        id: u16,
        /// Index in [`Character::actions`].
        action: usize,
        /// Time of the clip, in seconds.
        clip_s: f32,
        /// Play rate before the first contact.
        rate: f32,
        /// Requested contacts: world; as many as the action has marks.
        marks: [Place; MAX_MARKS],
    },
}

impl Character {
    /// Returns the memory of actions; `None` for a character without them.
    pub(super) fn memory_of_actions<'s>(&self, state: &'s MatcherState) -> Option<&'s Acted> {
        self.acting.as_ref().map(|_| Acted::split(state.director(&self.resolved.layout)).0)
    }

    fn acted<'s>(&'s self, state: &'s MatcherState) -> Option<&'s Acted> {
        self.acting.as_ref()?;
        let memory = state.block.get(self.resolved.layout.director.clone())?;
        let (playing, now_s) = (&state.header.playback.playing, state.header.clock.time_s);
        let fits = self.director.is_memory(memory, playing, now_s);
        fits.then(|| Acted::split(memory).0)
    }

    fn played<'s>(&'s self, state: &'s MatcherState) -> Option<(&'s Acted, &'s Action)> {
        let acted = self.acted(state).filter(|acted| acted.acts())?;
        Some((acted, &self.actions.all()[acted.action as usize]))
    }

    /// Returns the action of a state, or the request that waits: of both, the action. `None` without both, and for a state of another
    /// character. Allocates nothing.
    pub fn action_view(&self, state: &MatcherState) -> Option<ActionView> {
        let acted = self.acted(state)?;
        let now_s = state.header.clock.time_s;
        if let Some((acted, action)) = self.played(state) {
            let (clip_s, rate, marks) = (acted.clip_s(action, now_s) as f32, acted.rate, acted.marks);
            return Some(ActionView::Plays { id: acted.id as u16, action: acted.action as usize, clip_s, rate, marks });
        }
        let cost = (acted.cost < super::acted::NEVER).then_some(acted.cost);
        let (id, since_s) = ((acted.request - 1.0) as u16, (now_s - acted.asked_s()) as f32);
        (acted.waits > 0.0).then_some(ActionView::Waits { id, since_s, cost })
    }

    /// Returns where a character has to go to enter an action that meets a request, for one without a player. Allocates nothing.
    ///
    /// # Errors
    /// Returns [`Refusal`] if no other position would help.
    pub fn approach(&self, state: &MatcherState, request: &ActionRequest) -> Result<Approach, Refusal> {
        let (root, velocity) = (Place::of(state.world_from_root(&self.config)), state.header.root.simulation.velocity);
        self.actions.approach(&self.config.actions, request, (root, velocity), state.header.clock.time_s)
    }

    /// Returns the goal that steers a character to the place of [`Character::approach`], in time if the request names one. Allocates
    /// nothing.
    ///
    /// # Errors
    /// As [`Character::approach`].
    pub fn goal_of_approach(&self, state: &MatcherState, request: &ActionRequest) -> Result<Goal<'static>, Refusal> {
        let (velocity, facing) = self.steer_to(state, request, &self.approach(state, request)?);
        Ok(Goal::Velocity { velocity, facing: Some(facing) })
    }

    /// Returns the velocity (world, in m/s) and the facing at which a character is steered to an approach, in time if the request names
    /// one.
    pub(crate) fn steer_to(&self, state: &MatcherState, request: &ActionRequest, to: &Approach) -> (Vec3, Facing) {
        let (root, speed_mps) =
            (Place::of(state.world_from_root(&self.config)), state.header.root.simulation.velocity.length());
        let left_s = request.window_s.map(|[_, to_s]| (to_s - state.header.clock.time_s) as f32);
        to.steer(root, speed_mps, left_s)
    }

    /// Returns requests that would pass the ledges, edges, gaps and seats within 4 m ahead of a character, found by rays of the
    /// game. Allocates nothing.
    pub fn probe(&self, state: &MatcherState, ray: &RayHook) -> Proposals {
        let root = Place::of(state.world_from_root(&self.config));
        let goal = &state.header.goal.desired;
        let along = Facing::from_direction(goal.velocity).unwrap_or(Facing::from_yaw(root.yaw_rad));
        probe(root.position, along, ray)
    }

    /// Returns the index in [`Character::actions`] of the action that plays. Allocates nothing.
    pub fn playing_action(&self, state: &MatcherState) -> Option<usize> {
        self.played(state).map(|(acted, _)| acted.action as usize)
    }

    /// Returns the warp of the action that plays: roots at other times, and places of its contacts. Allocates nothing.
    pub fn action_warp<'s>(&'s self, state: &'s MatcherState) -> Option<Warp<'s>> {
        let (acted, action) = self.played(state)?;
        Some(acted.warp(self.database.as_deref()?, action))
    }
}
