//! Script of an action: keys of the pelvis, the trunk and the arms, steps of the feet, holds of the hands.
//!
//! Space: metres relative to the root at the end of the locomotion before, +Z ahead. Times: seconds after that.

use super::base::Base;
use super::curve::Key;
use crate::action_truth::{ActionKind, ActionObstacle};
use crate::body::Side;
use glam::Vec3;
use std::rc::Rc;

/// Locomotion before the action.
#[derive(Clone)]
pub(super) struct Approach {
    pub base: Rc<Base>,
    /// Sample at which the action takes over.
    pub cut: usize,
    /// Length of the locomotion before, in seconds.
    pub seconds: f32,
    /// False if the clip begins in the action's own pose, with the feet of the locomotion.
    pub shown: bool,
}

/// Motion after the action.
#[derive(Clone)]
pub(super) enum Exit {
    /// Locomotion that takes over at its sample `join`, with its root at `root`.
    Join { base: Rc<Base>, join: usize, root: Vec3 },
    /// The locomotion before the action continues.
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
    /// Rise of the heel when the toes land and when they leave, in radians.
    pub heel: [f32; 2],
}

/// A point on the path of a swinging ankle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Via {
    pub t: f32,
    pub at: Place,
    /// Dorsiflexion of the ankle there, in radians.
    pub bend: f32,
}

/// Position of a swinging ankle.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// Relative to the hip joint.
    Hip(Vec3),
    /// In the space of the script.
    Ground(Vec3),
}

/// Steps of one foot.
#[derive(Clone, Debug, Default)]
pub(super) struct FootScript {
    /// Time at which the foot that the locomotion left planted is lifted; `None` if it stays planted.
    pub lift_s: Option<f32>,
    /// Rise of its heel at that time, in radians.
    pub lift_heel: f32,
    pub plants: Vec<Plant>,
    /// Time at which the foot lands in the stance that the next locomotion continues; `None` without such a stance.
    pub down_s: Option<f32>,
    pub vias: Vec<Via>,
}

/// A hand at a position.
#[derive(Clone, Debug)]
pub(super) struct Hold {
    pub side: Side,
    /// In order: the hand arrives; it leaves its position, with or without an object; it lets go.
    pub from_s: f32,
    pub still_s: f32,
    pub to_s: f32,
    /// Duration of the motion to the position, and of the motion back to the arm swing, in seconds.
    pub reach_s: f32,
    pub release_s: f32,
    /// Position of the wrist joint.
    pub at: Vec3,
    /// Later times and positions; the hand stops at each.
    pub moved: Vec<(f32, Vec3)>,
    /// Directions of the fingers and the thumb, and of the elbow relative to the line between shoulder and wrist.
    pub fingers: Vec3,
    pub thumb: Vec3,
    pub elbow: Vec3,
    /// Yaw of the touched surface, in radians.
    pub facing: f32,
}

/// Pairs of time and value, interpolated without overshoot.
pub(super) type Knob = Vec<(f32, f32)>;

/// Free swing of an arm, in radians.
#[derive(Clone, Debug, Default)]
pub(super) struct ArmScript {
    /// Angle of the upper arm forward of the trunk, and away from it; flexion of the elbow.
    pub forward: Knob,
    pub outward: Knob,
    pub elbow: Knob,
}

/// A contact of a joint other than a hand: from, to, joint, yaw of the surface.
pub(super) type Touch = (f32, f32, usize, f32);

/// An object that is moved, or a partner.
#[derive(Clone, Copy, Debug)]
pub(super) enum Object {
    /// Rests at a position until the hold with this index takes it.
    Taken { at: Vec3, hold: usize },
    /// Moves with the wrist of the hold with this index, and stays where that ends.
    Pushed { at: Vec3, hold: usize },
    /// Stands at a position, facing a yaw.
    Stands { at: Vec3, yaw: f32 },
}

/// Script of an action.
#[derive(Clone)]
pub(super) struct Script {
    pub name: String,
    pub kind: ActionKind,
    pub approach: Approach,
    pub exit: Exit,
    /// Length of the action, and of the motion after it, in seconds.
    pub seconds: f32,
    pub after_s: f32,
    /// Durations in which trunk and arms are blended from the locomotion before, and to the one after, in seconds.
    pub blend_s: [f32; 2],
    /// Keys of the `Hips` joint between those of the locomotion: x, y, z.
    pub pelvis: [Vec<Key>; 3],
    /// Pitch (forward), yaw, and roll (to the right) of pelvis and chest, in radians.
    pub pelvis_turn: [Knob; 3],
    pub chest_turn: [Knob; 3],
    /// Pitch of the head, in radians.
    pub gaze: Knob,
    pub arms: [ArmScript; 2],
    pub feet: [FootScript; 2],
    pub holds: Vec<Hold>,
    pub touches: Vec<Touch>,
    /// Height of the ground below the root, in metres.
    pub ground: Knob,
    /// Start of wind-up, action, follow-through and recovery, in seconds.
    pub phases: [f32; 4],
    pub flight: Option<[f32; 2]>,
    pub obstacle: Option<ActionObstacle>,
    pub object: Option<Object>,
    /// True if the clip is followed by its mirror image.
    pub sided: bool,
}

impl Script {
    /// Creates a script that only keeps the feet on the ground.
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

    /// Sets the same motion for both arms.
    pub(super) fn both_arms(&mut self, forward: Knob, outward: Knob, elbow: Knob) {
        self.arms =
            [(); 2].map(|()| ArmScript { forward: forward.clone(), outward: outward.clone(), elbow: elbow.clone() });
    }
}
