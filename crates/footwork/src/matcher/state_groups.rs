//! The groups of a state's header, one for each stage that writes it. All are plain data.

use super::config::MatcherConfig;
use super::output::SAME_INSTANT_S;
use super::played::{Played, REMEMBERED};
use super::playing::Playing;
use super::warp::Warp;
use crate::adjust::ground::GroundedBody;
use crate::adjust::hands::Hand;
use crate::adjust::look_at::LookAt;
use crate::blend::{Offset, TransitionConfig};
use crate::math::spring::Spring;
use crate::math::{Facing, Quat, Transform};
use crate::trajectory::{Desired, PathProgress, Simulation};
use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// Version of the layout of [`MatcherState`](super::MatcherState). States and recordings of other versions are rejected.
pub const STATE_VERSION: u32 = 12;

/// Interval of control ticks, in seconds. Feet are decided at ticks. The desired velocity is evaluated at ticks and whenever the
/// goal changes.
pub(crate) const CONTROL_S: f64 = 1.0 / 60.0;

/// Time, and the numbers of the instants that are due next. The order of the stages writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Clock {
    /// Seconds since the start.
    pub time_s: f64,
    /// Number of searches at regular instants. The next is due at this number times the interval.
    pub next_search: u64,
    /// Number of control ticks. The next is due at this number times 1/60 s.
    pub next_control: u64,
    /// Number of history samples taken.
    pub history_count: u64,
}

/// The last goal and what it requires. The prediction writes it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GoalState {
    /// Signature of the last goal. Another value means that the goal has changed.
    pub signature: u64,
    /// Desired velocity, facing and gait, in world space.
    pub desired: Desired,
    /// Commanded direction and desired facing at the last control tick, in world space.
    pub ticked: [Facing; 2],
    /// Turn rates of both, smoothed, in radians per second.
    pub turn_radps: [f32; 2],
    /// Progress along the path of the goal.
    pub path: PathProgress,
}

/// Result of the last choice of a clip. The choice writes it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LastChoice {
    /// Number of all searches so far.
    pub searches: u64,
    /// True while nothing can be played: the character comes to rest.
    pub stranded: bool,
    /// Desired velocity at the last choice, in world space, in m/s.
    pub searched_velocity: Vec3,
    /// Desired facing at the last choice, in world space.
    pub searched_facing: Facing,
}

/// Playing clip, its time and its rate. Playback writes it, and so does a transition.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Playback {
    /// Playing clip and time.
    pub playing: Playing,
    /// Time of the playing clip at its last transition, in seconds.
    pub entered_s: f64,
    /// Time of the playing clip up to which events were reported, in seconds.
    pub events_s: f64,
    /// Play rate: 1 is as captured, 0 holds the pose.
    pub play_rate: f32,
    /// One bit for each of the first 64 contact joints: 1 if it touched the ground at the last control tick.
    pub touching: u64,
    /// Stretches of clips that were played before. The oldest is replaced.
    pub played: [Played; REMEMBERED],
}

/// The last transition and the offset of the root that decays since. A transition writes it; playback counts the time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LastTransition {
    /// Number of all transitions so far.
    pub count: u64,
    /// Seconds since the last transition.
    pub since_s: f32,
    /// Blend time of the last transition, in seconds. 0 stands for the configured time.
    pub blend_s: f32,
    /// Displacement from the animated root to the shown root at the last transition, in world space, in metres; decays.
    pub root_offset: Offset,
    /// Rotation from the animated root to the shown root at the last transition, as a rotation vector about +Y; decays.
    pub root_turn: Offset,
}

/// Animated root and simulated character. Playback moves both, and the root stage keeps them together.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RootState {
    /// Animated root: the root without the offset of the last transition, in world space.
    pub animated: Transform,
    /// Smoothed velocity of the root's adjustment over the ground, in world space, in m/s.
    pub slip: Vec3,
    /// The simulated character, in world space.
    pub simulation: Simulation,
}

/// The character at the last decision instant (a control tick, a search or a new goal). Frames between two instants are computed
/// from it and are not stored, so that no decision depends on the frame rate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Anchor {
    /// As [`Clock::time_s`].
    pub time_s: f64,
    /// As [`Playing::time_s`].
    pub playing_s: f64,
    /// As [`LastTransition::since_s`].
    pub since_transition_s: f32,
    /// As [`RootState::animated`].
    pub animated_root: Transform,
    /// As [`RootState::slip`].
    pub root_slip: Vec3,
    /// As [`RootState::simulation`].
    pub simulation: Simulation,
}

/// Pelvis and warp. A control tick of the legs writes it. The memory of the feet is in the block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LegState {
    /// Lowering of the pelvis at the last control tick, in metres.
    pub pelvis: Spring,
    /// Lowering that the feet needed at that tick, in metres.
    pub pelvis_needed_m: f32,
    /// Warp of the playing clip.
    pub warp: Warp,
}

/// Memory of the adjustments of the shown pose, which the output writes. All zeros is the initial state. The memory of the feet is
/// in the block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Corrections {
    /// Smoothed weight of clips that bring their own ground, such as slopes: 1 on such a clip, else 0.
    pub own_ground: Spring,
    /// Fit of the body to the ground.
    pub body: GroundedBody,
    /// State of looking at a target.
    pub gaze: LookAt,
    /// State of reaching, left and right hand.
    pub hands: [Hand; 2],
}

impl Clock {
    /// Returns the time of the last control tick, in seconds.
    pub(crate) fn control_s(&self) -> f64 {
        (self.next_control as f64 - 1.0) * CONTROL_S
    }

    /// Returns the time since the last control tick, in seconds.
    pub(crate) fn since_control_s(&self) -> f64 {
        (self.time_s - self.control_s()).max(0.0)
    }

    /// Returns the time since the last control tick, in seconds, at most the interval of ticks.
    pub(crate) fn within_tick_s(&self) -> f32 {
        self.since_control_s().min(CONTROL_S) as f32
    }
}

impl LastChoice {
    /// Returns true if the desired velocity or facing differs so much from that of the last choice that another is due.
    pub(super) fn is_sudden(&self, config: &MatcherConfig, now: &Desired) -> bool {
        (now.velocity - self.searched_velocity).length() > config.search.force_velocity_mps
            || self.searched_facing.angle_to(now.facing).abs() > config.search.force_facing_deg.to_radians()
    }
}

impl Playback {
    /// Returns the playback of a character that begins with `playing`.
    pub(super) fn new(playing: Playing) -> Self {
        Self {
            playing,
            entered_s: playing.time_s,
            events_s: playing.time_s - SAME_INSTANT_S,
            play_rate: 1.0,
            touching: u64::MAX,
            played: [Played::default(); REMEMBERED],
        }
    }

    /// Continues with another clip or time.
    pub(super) fn enter(&mut self, playing: Playing) {
        self.playing = playing;
        self.entered_s = playing.time_s;
        self.events_s = playing.time_s - SAME_INSTANT_S;
    }
}

impl LastTransition {
    /// Returns the remaining offset and rotation of the root, in world space. Inlined, so that callers compute only what they use.
    #[inline(always)]
    pub(crate) fn residual(&self, config: &TransitionConfig) -> (Offset, Offset) {
        let config = config.lasting(self.blend_s);
        let since = config.since(self.since_s);
        let seam = config.root_seam();
        (config.left(seam, &self.root_offset, &since), config.left(seam, &self.root_turn, &since))
    }

    /// Returns the shown root: an animated root with the remaining offset.
    pub(crate) fn shown_root(&self, animated: Transform, config: &TransitionConfig) -> Transform {
        shifted(animated, &self.residual(config))
    }
}

/// Returns a root with the remaining offset `(shift, turn)` of a transition added.
pub(crate) fn shifted(root: Transform, (shift, turn): &(Offset, Offset)) -> Transform {
    Transform::new(root.translation + shift.value, Quat::from_rotation_y(turn.value.y) * root.rotation)
}
