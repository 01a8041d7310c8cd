//! Script of an action: keys of the pelvis, the trunk and the arms, steps of the feet, holds of the hands.
//!
//! Space: metres from where the root is when the action leaves its locomotion, +Z ahead. Times: seconds from then.

use super::base::Base;
use super::curve::Key;
use super::truth::{ActionKind, ActionObstacle};
use crate::body::Side;
use glam::Vec3;
use std::rc::Rc;

/// Locomotion before the action.
#[derive(Clone)]
pub(super) struct Approach {
    pub base: Rc<Base>,
    /// Sample in which the action takes over.
    pub cut: usize,
    /// Length of the locomotion before, in seconds.
    pub seconds: f32,
    /// False: the clip begins in the action's own pose, with the feet of the locomotion.
    pub shown: bool,
}

/// What follows the action.
#[derive(Clone)]
pub(super) enum Exit {
    /// Locomotion, whose root is at `root` where it takes over in its sample `join`.
    Join { base: Rc<Base>, join: usize, root: Vec3 },
    /// The locomotion before the action goes on.
    Continue,
    /// The last pose of the action is held.
    Hold,
}

/// A step of the action: the foot is planted from `down_s` to `up_s`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plant {
    pub down_s: f32,
    pub up_s: f32,
    /// Point of the surface under the toe joint.
    pub toe: Vec3,
    pub yaw: f32,
    /// Rise of the heel when the toes touch, and when they leave, in radians.
    pub heel: [f32; 2],
}

/// A point that a swinging ankle passes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Via {
    pub t: f32,
    pub at: Place,
    /// Dorsiflexion of the ankle there, in radians.
    pub bend: f32,
}

/// Where a swinging ankle is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// From the hip joint.
    Hip(Vec3),
    /// In the space of the script.
    Ground(Vec3),
}

/// Steps of one foot.
#[derive(Clone, Debug, Default)]
pub(super) struct FootScript {
    /// When the foot that the locomotion left planted is lifted; `None`: never.
    pub lift_s: Option<f32>,
    /// Rise of its heel then.
    pub lift_heel: f32,
    pub plants: Vec<Plant>,
    /// When the foot is set down on which the next locomotion finds it planted.
    pub down_s: Option<f32>,
    pub vias: Vec<Via>,
}

/// A hand at a place.
#[derive(Clone, Debug)]
pub(super) struct Hold {
    pub side: Side,
    /// The hand arrives; it leaves its place, with or without what it holds; it lets go.
    pub from_s: f32,
    pub still_s: f32,
    pub to_s: f32,
    /// Time of the way there, and of the way back to the swing of the arms.
    pub reach_s: f32,
    pub release_s: f32,
    /// The wrist joint.
    pub at: Vec3,
    /// Where it goes afterwards, at rest in each.
    pub moved: Vec<(f32, Vec3)>,
    /// Directions of fingers, thumb, and of the elbow from the line between shoulder and wrist.
    pub fingers: Vec3,
    pub thumb: Vec3,
    pub elbow: Vec3,
    /// Yaw of the touched surface, in radians.
    pub facing: f32,
}

/// Values at times, without overshoot between.
pub(super) type Knob = Vec<(f32, f32)>;

/// Free swing of an arm, in radians.
#[derive(Clone, Debug, Default)]
pub(super) struct ArmScript {
    /// Upper arm ahead of the trunk, away from it, and flexion of the elbow.
    pub forward: Knob,
    pub outward: Knob,
    pub elbow: Knob,
}

/// A joint other than hands that touches something: from, to, joint, yaw of the surface.
pub(super) type Touch = (f32, f32, usize, f32);

/// What is moved, or met.
#[derive(Clone, Copy, Debug)]
pub(super) enum Object {
    /// Lies at a place until the hold of this index takes it along.
    Taken { at: Vec3, hold: usize },
    /// Goes with the wrist of the hold of this index, and stays where that lets go.
    Pushed { at: Vec3, hold: usize },
    /// Stands somewhere, facing a yaw.
    Stands { at: Vec3, yaw: f32 },
}

/// A script.
#[derive(Clone)]
pub(super) struct Script {
    pub name: String,
    pub kind: ActionKind,
    pub approach: Approach,
    pub exit: Exit,
    /// Length of the action, and of what follows, in seconds.
    pub seconds: f32,
    pub after_s: f32,
    /// Time in which trunk and arms leave the first locomotion, and reach the last.
    pub blend_s: [f32; 2],
    /// Keys of the `Hips` joint between those of the locomotion: x, y, z.
    pub pelvis: [Vec<Key>; 3],
    /// Pitch (forward), yaw, and roll (to the right) of pelvis and chest, in radians.
    pub pelvis_turn: [Knob; 3],
    pub chest_turn: [Knob; 3],
    /// Pitch of the head.
    pub gaze: Knob,
    pub arms: [ArmScript; 2],
    pub feet: [FootScript; 2],
    pub holds: Vec<Hold>,
    pub touches: Vec<Touch>,
    /// Height of the ground below the root.
    pub ground: Knob,
    /// Wind-up, action, follow-through, recovery.
    pub phases: [f32; 4],
    pub flight: Option<[f32; 2]>,
    pub obstacle: Option<ActionObstacle>,
    pub object: Option<Object>,
    /// The clip is followed by its mirror image.
    pub sided: bool,
}

impl Script {
    /// Nothing but the feet on the ground.
    pub(super) fn new(name: String, kind: ActionKind, approach: Approach) -> Self {
        Self {
            name,
            kind,
            approach,
            exit: Exit::Continue,
            seconds: 0.0,
            after_s: 0.7,
            blend_s: [0.3, 0.4],
            pelvis: Default::default(),
            pelvis_turn: Default::default(),
            chest_turn: Default::default(),
            gaze: Vec::new(),
            arms: Default::default(),
            feet: Default::default(),
            holds: Vec::new(),
            touches: Vec::new(),
            ground: vec![(0.0, 0.0)],
            phases: [0.0; 4],
            flight: None,
            obstacle: None,
            object: None,
            sided: false,
        }
    }

    /// Both arms alike.
    pub(super) fn both_arms(&mut self, forward: Knob, outward: Knob, elbow: Knob) {
        self.arms =
            [(); 2].map(|()| ArmScript { forward: forward.clone(), outward: outward.clone(), elbow: elbow.clone() });
    }
}
