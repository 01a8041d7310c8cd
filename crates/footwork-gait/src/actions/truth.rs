//! Ground truth of an action: its kind, phases, contacts, flight and what it goes over.

use footwork::math::Transform;
use glam::Vec3;

/// How high the wrist joint of a hand that lies on a surface is above it, or in front of it, in metres.
pub const HAND_M: f32 = 0.03;

/// Kind of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ActionKind {
    /// Over a gap, down at the same level.
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
    StandUp,
    /// A hand takes an object.
    PickUp,
    /// A hand pushes a panel.
    Push,
    /// The right hand meets that of a partner.
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
        Self::StandUp,
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
            Self::StandUp => "stand_up",
            Self::PickUp => "pick_up",
            Self::Push => "push",
            Self::Handshake => "handshake",
        }
    }
}

/// Where the phases of an action begin, in seconds from the first frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActionPhases {
    /// The body leaves its locomotion, or its rest, to prepare.
    pub wind_up_s: f32,
    /// The last foot leaves the ground, or a hand first touches; of steps, the foot that goes up or down leaves; of seats,
    /// the pelvis meets or leaves the seat.
    pub action_s: f32,
    /// The body is over or on what it came for: it lands, stands on top, or lets go.
    pub follow_through_s: f32,
    /// Both knees bear, and the body returns to its locomotion or to rest.
    pub recovery_s: f32,
    /// From here on the clip is locomotion or rest again.
    pub end_s: f32,
}

/// One contact of a joint with something other than the ground that is walked on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActionContact {
    /// Index of the joint: a hand, a toe, or the hips on a seat.
    pub joint: usize,
    /// The joint arrives, and is at rest against the world ...
    pub begin_s: f32,
    /// ... until here, in seconds from the first frame.
    pub end_s: f32,
    /// Position of the joint: clip space, in metres.
    pub position: Vec3,
    /// Yaw of the touched surface, in radians: the direction that its front faces; 0 is +Z.
    pub facing_yaw: f32,
}

/// A block: as wide as needed, `depth_m` along the direction of travel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActionObstacle {
    /// Middle of its front edge on top (of a gap or a drop: of the edge that is left): clip space, in metres.
    pub front: Vec3,
    /// Direction of travel over the edge, as a yaw in radians.
    pub yaw: f32,
    /// Height over the ground before it, in metres: 0 for a gap, negative for a drop.
    pub height_m: f32,
    /// Depth, in metres; infinite where one stays on it.
    pub depth_m: f32,
}

/// Ground truth of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionTruth {
    /// Kind.
    pub kind: ActionKind,
    /// Phases.
    pub phases: ActionPhases,
    /// Contacts of hands, pelvis, and of feet with what is stepped onto, in order of time.
    pub contacts: Vec<ActionContact>,
    /// The last foot (or hand) leaves, if the body flies, in seconds from the first frame.
    pub take_off_s: Option<f32>,
    /// The first foot (or hand) meets what it lands on, in seconds from the first frame.
    pub landing_s: Option<f32>,
    /// What the body goes over, onto or down from.
    pub obstacle: Option<ActionObstacle>,
    /// `[frames]` transform of the object that is moved, or of the partner; clip space.
    pub object: Vec<Transform>,
}
