//! Ground truth of an action: its kind, phases, contacts, flight and obstacle.

use footwork::math::Transform;
use glam::Vec3;

/// Distance of the wrist joint from a surface that the hand touches, in metres.
pub const HAND_M: f32 = 0.03;

/// Kind of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ActionKind {
    /// Over a gap, landing at the same level.
    Jump,
    /// Over an obstacle without hands.
    Hurdle,
    /// Over an obstacle with a hand on top.
    Vault,
    /// Up onto an obstacle by pushing up from its edge.
    Mantle,
    /// Up onto an obstacle by hanging from its edge and pulling up.
    Climb,
    /// Down to lower ground.
    Drop,
    /// One step up.
    StepUp,
    /// One step down.
    StepDown,
    /// Down onto a seat.
    Sit,
    /// Up from a seat.
    GetUp,
    /// A hand takes an object.
    PickUp,
    /// A hand pushes a panel.
    Push,
    /// The right hand touches that of a partner.
    Handshake,
}

impl ActionKind {
    /// All kinds, in the order of their clips.
    pub const ALL: [Self; 13] = [
        Self::Jump,
        Self::Hurdle,
        Self::Vault,
        Self::Mantle,
        Self::Climb,
        Self::Drop,
        Self::StepUp,
        Self::StepDown,
        Self::Sit,
        Self::GetUp,
        Self::PickUp,
        Self::Push,
        Self::Handshake,
    ];

    /// Returns the tag of its clips.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::Jump => "jump",
            Self::Hurdle => "hurdle",
            Self::Vault => "vault",
            Self::Mantle => "mantle",
            Self::Climb => "climb",
            Self::Drop => "drop",
            Self::StepUp => "step_up",
            Self::StepDown => "step_down",
            Self::Sit => "sit",
            Self::GetUp => "get_up",
            Self::PickUp => "pick_up",
            Self::Push => "push",
            Self::Handshake => "handshake",
        }
    }
}

/// Times at which the phases of an action begin, in seconds from the first frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActionPhases {
    /// The body leaves locomotion or standing to prepare.
    pub wind_up_s: f32,
    /// The last foot leaves the ground, or a hand first touches. For steps, the foot that goes up or down leaves; for seats, the
    /// pelvis touches or leaves the seat.
    pub action_s: f32,
    /// The goal of the action is reached: the body lands, stands on top, or lets go.
    pub follow_through_s: f32,
    /// Both legs carry the weight, and the body returns to locomotion or standing.
    pub recovery_s: f32,
    /// After this time, the clip is locomotion or standing again.
    pub end_s: f32,
}

/// One contact of a joint with something other than the walked ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActionContact {
    /// Index of the joint: a hand, a toe, or the hips on a seat.
    pub joint: usize,
    /// Start of the contact, in seconds from the first frame. The joint does not move in the world until `end_s`.
    pub begin_s: f32,
    /// End of the contact, in seconds from the first frame.
    pub end_s: f32,
    /// Position of the joint: clip space, in metres.
    pub position: Vec3,
    /// Yaw of the touched surface, in radians: direction of its front; 0 is +Z.
    pub facing_yaw: f32,
}

/// A block of unlimited width that extends `depth_m` along the direction of travel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActionObstacle {
    /// Middle of its top front edge (for a gap or a drop, of the edge that the body leaves): clip space, in metres.
    pub front: Vec3,
    /// Direction of travel over the edge, as a yaw in radians.
    pub yaw: f32,
    /// Height over the ground before it, in metres: 0 for a gap, negative for a drop.
    pub height_m: f32,
    /// Depth, in metres; infinite if the body stays on it.
    pub depth_m: f32,
}

/// Ground truth of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionTruth {
    /// Kind.
    pub kind: ActionKind,
    /// Phases.
    pub phases: ActionPhases,
    /// Contacts of hands and pelvis, and of feet with the surface that is stepped onto, in order of time.
    pub contacts: Vec<ActionContact>,
    /// Time at which the last foot (or hand) leaves, in seconds from the first frame; `None` without a flight.
    pub take_off_s: Option<f32>,
    /// Time at which the first foot (or hand) lands, in seconds from the first frame.
    pub landing_s: Option<f32>,
    /// Obstacle that the body moves over, onto or down from.
    pub obstacle: Option<ActionObstacle>,
    /// `[frames]` transform of the moved object, or of the partner; clip space.
    pub object: Vec<Transform>,
}
