//! What a character shows.

use crate::database::Database;
use crate::pose::{Pose, PoseVelocity};

/// Events that one update can report.
const MAX_EVENTS: usize = 32;

/// An event that playback passed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FiredEvent {
    /// Place in `Database::event_names`.
    pub name: u32,
    /// When, in the character's time (`StateHeader::time_s`).
    pub time_s: f64,
}

/// What a character shows after a step.
#[derive(Clone, Debug)]
pub struct Output {
    /// Local transforms; joint 0 is `world_from_root`.
    pub pose: Pose,
    /// Velocities of the pose.
    pub velocity: PoseVelocity,
    /// `[contact joints]`: 1 touches.
    pub contacts: Vec<u8>,
    /// `[contact joints]` seconds for which each has been held where it touched; 0 is free.
    pub locked_s: Vec<f32>,
    /// `[curves]`.
    pub curves: Vec<f32>,
    /// Events passed in the step, in order of time (at most 32).
    pub events: Vec<FiredEvent>,
    /// Searches made in the step.
    pub searches: u32,
    /// Transitions made in the step.
    pub transitions: u32,
}

impl Output {
    /// Space for a database's characters.
    pub fn new(db: &Database) -> Self {
        Self {
            pose: Pose::rest(&db.skeleton),
            velocity: PoseVelocity::zero(db.skeleton.len()),
            contacts: vec![0; db.contact_joints.len()],
            locked_s: vec![0.0; db.contact_joints.len()],
            curves: vec![0.0; db.curve_names.len()],
            events: Vec::with_capacity(MAX_EVENTS),
            searches: 0,
            transitions: 0,
        }
    }

    pub(super) fn fire(&mut self, event: FiredEvent) {
        // Never grow: that would allocate.
        if self.events.len() < MAX_EVENTS {
            self.events.push(event);
        }
    }
}
