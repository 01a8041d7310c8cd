//! What a character shows.

use super::model::Model;
use super::playing::Playing;
use crate::frames::{EventId, JointIndex};
use crate::math::Transform;
use crate::pose::{Pose, PoseVelocity};
use glam::Vec3;

/// Events that one update can report.
const MAX_EVENTS: usize = 32;
/// Footsteps that one update can report.
const MAX_FOOTSTEPS: usize = 8;

/// An event that playback passed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FiredEvent {
    /// Which event: [`crate::database::Database::event_id`] gives one by name.
    pub event: EventId,
    /// When, in the character's time (`StateHeader::time_s`).
    pub time_s: f64,
}

/// A foot on the ground, or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootContact {
    /// The joint that touches the ground: a toe, or an ankle.
    pub joint: JointIndex,
    /// True where the motion that plays says that it touches.
    pub touching: bool,
    /// Seconds for which the foot has been held where it touched; 0 while it is free.
    pub locked_s: f32,
}

/// A foot that touched down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Footstep {
    /// The joint that touches the ground.
    pub joint: JointIndex,
    /// When, in the character's time (`StateHeader::time_s`), to a control tick (1/60 s).
    pub time_s: f64,
    /// Where that joint is shown at the end of the update, world, metres.
    pub position: Vec3,
}

/// What a character shows after a step.
#[derive(Debug)]
pub struct Output {
    /// Local transforms; joint 0 is `world_from_root`.
    pub pose: Pose,
    /// Velocities of the pose.
    pub velocity: PoseVelocity,
    /// `[contact joints]` the feet.
    pub contacts: Vec<FootContact>,
    /// `[curves]`.
    pub curves: Vec<f32>,
    /// Events passed in the step, in order of time (at most 32).
    pub events: Vec<FiredEvent>,
    /// Feet that touched down in the step, in order of time (at most 8).
    pub footsteps: Vec<Footstep>,
    /// How the root moved in the step, seen from where it was before.
    pub root_delta: Transform,
    /// What plays: clip and time.
    pub playing: Playing,
    /// Searches made in the step.
    pub searches: u32,
    /// Searches of the step in which exact search stood in for a projector.
    pub exact_searches: u32,
    /// Transitions made in the step.
    pub transitions: u32,
    /// True while nothing can be played: the tags of the input forbid what plays and leave no row to go to, or the clip is over
    /// and no row may follow. The character comes to rest until a search finds a row again.
    pub stranded: bool,
}

impl Clone for Output {
    fn clone(&self) -> Self {
        // A copy must have the room that the original has.
        let (mut events, mut footsteps) = (Vec::with_capacity(MAX_EVENTS), Vec::with_capacity(MAX_FOOTSTEPS));
        events.extend_from_slice(&self.events);
        footsteps.extend_from_slice(&self.footsteps);
        Self {
            pose: self.pose.clone(),
            velocity: self.velocity.clone(),
            contacts: self.contacts.clone(),
            curves: self.curves.clone(),
            events,
            footsteps,
            ..*self
        }
    }
}

impl Output {
    pub(super) fn new(model: &Model, playing: Playing) -> Self {
        let contact = |joint: &JointIndex| FootContact { joint: *joint, touching: false, locked_s: 0.0 };
        Self {
            pose: Pose::rest(&model.skeleton),
            velocity: PoseVelocity::zero(model.skeleton.len()),
            contacts: model.rig.contact_joints.iter().map(contact).collect(),
            curves: vec![0.0; model.curves],
            events: Vec::with_capacity(MAX_EVENTS),
            footsteps: Vec::with_capacity(MAX_FOOTSTEPS),
            root_delta: Transform::IDENTITY,
            playing,
            searches: 0,
            exact_searches: 0,
            transitions: 0,
            stranded: false,
        }
    }

    /// True when this has the room that a character needs.
    pub(super) fn fits(&self, model: &Model) -> bool {
        let joints = model.skeleton.len();
        let contacts = self.contacts.iter().map(|c| c.joint);
        (self.pose.rotations.len(), self.pose.translations.len()) == (joints, joints)
            && (self.velocity.linear.len(), self.velocity.angular.len()) == (joints, joints)
            && contacts.eq(model.rig.contact_joints.iter().copied())
            && self.curves.len() == model.curves
            && self.events.capacity() >= MAX_EVENTS
            && self.footsteps.capacity() >= MAX_FOOTSTEPS
    }

    /// A step begins: what happened in the last one is over.
    pub(super) fn begin(&mut self) {
        (self.searches, self.exact_searches, self.transitions) = (0, 0, 0);
        self.events.clear();
        self.footsteps.clear();
    }

    pub(super) fn step(&mut self, footstep: Footstep) {
        // Never grow: that would allocate.
        if self.footsteps.len() < MAX_FOOTSTEPS {
            self.footsteps.push(footstep);
        }
    }

    pub(super) fn fire(&mut self, event: FiredEvent) {
        // Never grow: that would allocate.
        if self.events.len() < MAX_EVENTS {
            self.events.push(event);
        }
    }
}
