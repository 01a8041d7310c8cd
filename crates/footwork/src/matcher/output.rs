//! The output of a character.

use super::memo::Memo;
use super::model::Model;
use super::playing::Playing;
use crate::actions::Refusal;
use crate::frames::{EventId, JointIndex};
use crate::input::InputError;
use crate::math::Transform;
use crate::pose::{Pose, PoseVelocity};
use glam::Vec3;

/// Events that one update can report, beside those that may fall on one more instant.
const EVENTS: usize = 32;
/// Footsteps that one update can report, beside those that may fall on one more instant.
const FOOTSTEPS: usize = 32;
/// Changes of state that one update can report, beside one that may fall on one more instant.
const STATE_CHANGES: usize = 32;
/// Steps of actions that one update can report, and those that may fall on one more instant.
const ACTION_STEPS: usize = 16;
const ACTION_STEPS_AT_ONCE: usize = 8;
/// Maximum distance of events on one instant, in seconds.
pub(super) const SAME_INSTANT_S: f64 = 1e-6;

/// An event that playback passed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FiredEvent {
    /// The event. [`crate::database::Database::event_id`] finds one by name.
    pub event: EventId,
    /// Time, in the character's time (`Clock::time_s`), in seconds.
    pub time_s: f64,
    /// A notify, or the begin or end of a window.
    pub kind: EventKind,
    /// Layer of the state machine that passed the event; `None` for the motion of the body.
    pub layer: Option<u16>,
}

impl FiredEvent {
    /// Returns the end of a window whose montage is broken off.
    pub(crate) fn broken_off(event: EventId, time_s: f64, layer: u16) -> Self {
        Self { event, time_s, kind: EventKind::End(EndCause::BrokenOff), layer: Some(layer) }
    }
}

/// Kind of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EventKind {
    /// A notify: a point in time.
    #[default]
    Moment,
    /// A window begins. Its end will be reported, too.
    Begin,
    /// A window ends. Every window that began ends.
    End(EndCause),
}

/// Cause of a window's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndCause {
    /// Playback reached the end of the window.
    Passed,
    /// Playback continued in a section outside of the window.
    Left,
    /// The montage ended inside the window.
    MontageEnded,
    /// The montage was broken off: by its `stop` condition, by another montage, or with the character's state machine.
    BrokenOff,
}

/// A change of state of the state machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateChange {
    /// Index of the state that was left, in `Machine::state_names`.
    pub from: u16,
    /// Index of the state that was entered.
    pub to: u16,
    /// Index of the transition that was taken, in `Machine::transitions_of` the state that was
    /// left.
    pub transition: u16,
    /// Time of a control tick, in the character's time (`Clock::time_s`), in seconds.
    pub time_s: f64,
}

/// A step in the life of a request for an action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActionEvent {
    /// Number of the request ([`crate::input::ActionRequest::id`]).
    pub id: u16,
    /// Time, in the character's time (`Clock::time_s`), in seconds.
    pub time_s: f64,
    /// The step.
    pub step: ActionStep,
}

/// Step in the life of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ActionStep {
    /// The request can be met, and waits to be entered.
    Accepted,
    /// The action begins. From now on it owns the root.
    Entered {
        /// Index in [`Character::actions`](super::Character::actions).
        action: usize,
    },
    /// A requested contact begins.
    Touched {
        /// Index of the contact; 0 is the first.
        contact: usize,
    },
    /// The action has ended, and motion matching goes on.
    Left,
    /// The request was rejected. The motion is the same as without it.
    Refused(Refusal),
    /// The request was dropped or replaced before the action began.
    CalledOff,
}

/// Contact of a foot with the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootContact {
    /// Joint that touches the ground: a toe, or an ankle.
    pub joint: JointIndex,
    /// True if the joint touches the ground in the playing motion.
    pub touching: bool,
    /// Time for which the foot has been locked, in seconds; 0 while it is free.
    pub locked_s: f32,
}

/// A foot that touched down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Footstep {
    /// Joint that touches the ground.
    pub joint: JointIndex,
    /// Time of a control tick (1/60 s), in the character's time (`Clock::time_s`), in seconds.
    pub time_s: f64,
    /// Position of that joint as shown at the end of the update, in world space, in metres.
    pub position: Vec3,
}

/// Output of a character after a step.
#[derive(Debug)]
pub struct Output {
    /// Local transforms; joint 0 is `world_from_root`.
    pub pose: Pose,
    /// Velocities of the pose.
    pub velocity: PoseVelocity,
    /// `[contact joints]` contacts of the feet.
    pub contacts: Vec<FootContact>,
    /// `[curves]` values of the curves: those of the body's clip, changed by montages whose clips have them.
    pub curves: Vec<f32>,
    /// Events passed in the step, in order of time.
    pub events: Vec<FiredEvent>,
    /// Feet that touched down in the step, in order of time.
    pub footsteps: Vec<Footstep>,
    /// States that the state machine entered in the step, in order of time.
    pub state_changes: Vec<StateChange>,
    /// Steps of requests for actions in the step, in order of time.
    pub actions: Vec<ActionEvent>,
    /// True while an action moves the root. A body that the game moves must follow the pose meanwhile, also with
    /// `root.mode = "external"`.
    pub owns_root: bool,
    /// Time by which the character advanced, in seconds. It is less than the time step if events, footsteps or changes of state
    /// had no more room (32 of each, and those on one more instant). The rest of the time step is left to the next update:
    /// nothing is lost, and the motion is the same.
    pub consumed_s: f32,
    /// Displacement and rotation of the root in the step, relative to the root before.
    pub root_delta: Transform,
    /// Playing clip and time.
    pub playing: Playing,
    /// Searches made in the step.
    pub searches: u32,
    /// Searches of the step in which exact search replaced a projector.
    pub exact_searches: u32,
    /// Transitions made in the step.
    pub transitions: u32,
    /// Number of results of the hooks in the step that were NaN, infinite or too large ([`crate::input::GroundPoint::LARGEST`]).
    /// They are replaced by level ground at the height of the point, and by no wall.
    pub unusable_answers: u32,
    /// Reason why the last step did not move the character; `None` if it did.
    pub refused: Option<InputError>,
    /// True while nothing can be played: the tags of the input exclude the playing clip and leave no other row, or the clip is
    /// over and no row may follow. The character comes to rest until a search finds a row again.
    pub stranded: bool,
    /// Results that the source of motion keeps for the next step.
    pub(super) memo: Memo,
}

impl Clone for Output {
    fn clone(&self) -> Self {
        // A copy must have the capacity of the original.
        fn with_room<T: Copy>(original: &Vec<T>) -> Vec<T> {
            let mut copy = Vec::with_capacity(original.capacity());
            copy.extend_from_slice(original);
            copy
        }
        Self {
            pose: self.pose.clone(),
            velocity: self.velocity.clone(),
            contacts: self.contacts.clone(),
            curves: self.curves.clone(),
            events: with_room(&self.events),
            footsteps: with_room(&self.footsteps),
            state_changes: with_room(&self.state_changes),
            actions: with_room(&self.actions),
            refused: self.refused.clone(),
            memo: self.memo.clone(),
            ..*self
        }
    }
}

impl Output {
    /// `at_once` is the maximum number of events at one instant.
    pub(super) fn new(model: &Model, at_once: usize, playing: Playing, memo: Memo) -> Self {
        let contact = |joint: &JointIndex| FootContact { joint: *joint, touching: false, locked_s: 0.0 };
        Self {
            pose: Pose::rest(&model.skeleton),
            velocity: PoseVelocity::zero(model.skeleton.len()),
            contacts: model.rig.contact_joints.iter().map(contact).collect(),
            curves: vec![0.0; model.curves],
            events: Vec::with_capacity(EVENTS + at_once),
            footsteps: Vec::with_capacity(FOOTSTEPS + model.contacts()),
            state_changes: Vec::with_capacity(STATE_CHANGES + 1),
            actions: Vec::with_capacity(ACTION_STEPS + ACTION_STEPS_AT_ONCE),
            owns_root: false,
            consumed_s: 0.0,
            root_delta: Transform::IDENTITY,
            playing,
            searches: 0,
            exact_searches: 0,
            transitions: 0,
            unusable_answers: 0,
            refused: None,
            stranded: false,
            memo,
        }
    }

    /// Returns true if this fits a character with up to `at_once` events at one instant.
    pub(super) fn fits(&self, model: &Model, at_once: usize) -> bool {
        let joints = model.skeleton.len();
        let contacts = self.contacts.iter().map(|c| c.joint);
        (self.pose.rotations.len(), self.pose.translations.len()) == (joints, joints)
            && (self.velocity.linear.len(), self.velocity.angular.len()) == (joints, joints)
            && contacts.eq(model.rig.contact_joints.iter().copied())
            && self.curves.len() == model.curves
            && self.events.capacity() >= EVENTS + at_once
            && self.footsteps.capacity() >= FOOTSTEPS + model.contacts()
            && self.state_changes.capacity() > STATE_CHANGES
            && self.actions.capacity() >= ACTION_STEPS + ACTION_STEPS_AT_ONCE
    }

    /// Begins a step: clears the results of the last one.
    pub(super) fn begin(&mut self) {
        (self.searches, self.exact_searches, self.transitions) = (0, 0, 0);
        self.events.clear();
        self.footsteps.clear();
        self.state_changes.clear();
        self.actions.clear();
    }

    /// Returns true while the results of another instant have room.
    pub(super) fn has_room(&self) -> bool {
        let steps = self.footsteps.len() < FOOTSTEPS && self.actions.len() < ACTION_STEPS;
        steps && self.events.len() < EVENTS && self.state_changes.len() < STATE_CHANGES
    }

    pub(super) fn step(&mut self, footstep: Footstep) {
        debug_assert!(self.footsteps.len() < self.footsteps.capacity());
        self.footsteps.push(footstep);
    }

    /// Adds a step of a request, in order of time. Without room, drops it.
    pub(super) fn act(&mut self, event: ActionEvent) {
        if self.actions.len() < self.actions.capacity() {
            let at = self.actions.partition_point(|e| e.time_s <= event.time_s);
            self.actions.insert(at, event);
        }
    }

    /// Adds an event in order of time. Without room, drops the latest event, which may be this one, and returns its time.
    pub(crate) fn fire(&mut self, event: FiredEvent) -> Option<f64> {
        let mut dropped = None;
        if self.events.len() == self.events.capacity() {
            match self.events.last() {
                Some(last) if event.time_s < last.time_s => dropped = self.events.pop().map(|e| e.time_s),
                _ => return Some(event.time_s),
            }
        }
        let at = self.events.partition_point(|e| e.time_s <= event.time_s);
        self.events.insert(at, event);
        dropped
    }
}
