//! The saved part of a character: one plain struct. Copy it to save, copy it back to restore. A restored character continues bit
//! for bit.

use super::config::MatcherConfig;
use super::model::Model;
use super::output::SAME_INSTANT_S;
use super::played::{Played, REMEMBERED};
use super::playing::Playing;
use super::source::Playhead;
use super::warp::Warp;
use crate::adjust::feet::{FOOT_WIDTH, Foot};
use crate::adjust::ground::{GroundedBody, GroundedFoot};
use crate::adjust::hands::Hand;
use crate::adjust::look_at::LookAt;
use crate::blend::inertialize::Offsets;
use crate::blend::{Offset, TransitionConfig};
use crate::math::spring::Spring;
use crate::math::{Facing, Quat, Transform};
use crate::trajectory::history::{self, History};
use crate::trajectory::{Desired, PathProgress, Simulation};
use glam::Vec3;
use std::ops::Range;

/// Version of the layout of [`MatcherState`]. States of other versions are rejected.
pub const STATE_VERSION: u32 = 6;

/// Interval of control ticks, in seconds. Feet are decided at ticks. The desired velocity is evaluated at ticks and whenever the
/// goal changes.
pub(crate) const CONTROL_S: f64 = 1.0 / 60.0;

/// The character at the last decision instant (a control tick, a search or a new goal). Frames between two instants are computed
/// from it and are not stored, so that no decision depends on the frame rate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Anchor {
    /// Seconds since the start.
    pub time_s: f64,
    /// As [`Playing::time_s`].
    pub playing_s: f64,
    /// As [`StateHeader::since_transition_s`].
    pub since_transition_s: f32,
    /// As [`StateHeader::animated_root`].
    pub animated_root: Transform,
    /// As [`StateHeader::root_slip`].
    pub root_slip: Vec3,
    /// As [`StateHeader::simulation`].
    pub simulation: Simulation,
}

/// Memory of the adjustments of the shown pose. All zeros is the initial state. The memory of the feet is in the block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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

/// The fixed part of a state.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StateHeader {
    /// `STATE_VERSION`.
    pub version: u32,
    /// Low half of the database's content hash.
    pub database: u64,
    /// Seconds since the start.
    pub time_s: f64,
    /// Number of searches at regular instants. The next is due at this number times the interval.
    pub next_search: u64,
    /// Number of control ticks. The next is due at this number times 1/60 s.
    pub next_control: u64,
    /// Number of all searches so far.
    pub searches: u64,
    /// Number of all transitions so far.
    pub transitions: u64,
    /// Playing clip and time.
    pub playing: Playing,
    /// Time of the playing clip at its last transition, in seconds.
    pub entered_s: f64,
    /// Stretches of clips that were played before. The oldest is replaced.
    pub played: [Played; REMEMBERED],
    /// One bit for each of the first 64 contact joints: 1 if it touched the ground at the last control tick.
    pub touching: u64,
    /// Play rate: 1 is as captured, 0 holds the pose.
    pub play_rate: f32,
    /// True while nothing can be played: the character comes to rest.
    pub stranded: bool,
    /// Time of the playing clip up to which events were reported, in seconds.
    pub events_s: f64,
    /// Seconds since the last transition.
    pub since_transition_s: f32,
    /// Blend time of the last transition, in seconds. 0 stands for the configured time.
    pub blend_s: f32,
    /// Animated root: the root without the offset of the last transition, in world space.
    pub animated_root: Transform,
    /// Displacement from the animated root to the shown root at the last transition, in world space, in metres; decays.
    pub root_offset: Offset,
    /// Rotation from the animated root to the shown root at the last transition, as a rotation vector about +Y; decays.
    pub root_turn: Offset,
    /// Smoothed velocity of the root's adjustment over the ground, in world space, in m/s.
    pub root_slip: Vec3,
    /// Lowering of the pelvis at the last control tick, in metres.
    pub pelvis: Spring,
    /// Lowering that the feet needed at that tick, in metres.
    pub pelvis_needed_m: f32,
    /// Warp of the playing clip.
    pub warp: Warp,
    /// Memory of the adjustments of the shown pose.
    pub corrections: Corrections,
    /// The simulated character.
    pub simulation: Simulation,
    /// The character at the last decision instant.
    pub anchor: Anchor,
    /// Desired velocity, facing and gait.
    pub desired: Desired,
    /// Desired velocity at the last search.
    pub searched_velocity: Vec3,
    /// Desired facing at the last search.
    pub searched_facing: Facing,
    /// Progress along the path of the goal.
    pub path: PathProgress,
    /// Signature of the last goal. Another value means that the goal has changed.
    pub goal_signature: u64,
    /// Number of history samples taken.
    pub history_count: u64,
}

/// One character's state: a header and one block of floats.
///
/// Block: `[joints x 9]` rotation offsets (rotation vector, velocity, acceleration), `[translated x 9]` translation offsets,
/// `[contact joints x 27]` feet (`Foot`), `[contact joints x 12]` the ground under them
/// ([`crate::adjust::ground::GroundedFoot`]), the history ring `[samples x 5]` (x, y, z, facing x, facing z), the memory of the
/// motion source, then the memory of the director (a state machine).
#[derive(Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MatcherState {
    /// The fixed part.
    pub header: StateHeader,
    /// The floats that [`MatcherState`] lists.
    pub block: Vec<f32>,
}

impl Clone for MatcherState {
    fn clone(&self) -> Self {
        Self { header: self.header, block: self.block.clone() }
    }

    /// Allocates nothing when both are of one database.
    fn clone_from(&mut self, source: &Self) {
        self.header = source.header;
        self.block.clone_from(&source.block);
    }
}

/// A director's memory, some time after the control tick that wrote it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AfterTick<'a> {
    pub memory: &'a [f32],
    /// Seconds since the tick, at most its interval.
    pub elapsed_s: f32,
}

/// Ranges of the parts of the block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BlockLayout {
    pub rotations: Range<usize>,
    pub translations: Range<usize>,
    pub feet: Range<usize>,
    pub grounded: Range<usize>,
    pub history: Range<usize>,
    pub memory: Range<usize>,
    pub director: Range<usize>,
}

impl BlockLayout {
    /// Returns the layout with `memory` floats for the motion source and `director` floats for the director.
    pub fn new(model: &Model, memory: usize, director: usize) -> Self {
        const OFFSET_WIDTH: usize = size_of::<Offset>() / size_of::<f32>();
        let rotations = 0..model.skeleton.len() * OFFSET_WIDTH;
        let translations = rotations.end..rotations.end + model.translated.len() * OFFSET_WIDTH;
        let feet = translations.end..translations.end + model.contacts() * FOOT_WIDTH;
        let grounded = feet.end..feet.end + model.contacts() * size_of::<GroundedFoot>() / size_of::<f32>();
        let samples = history::capacity(-model.schema.horizon_s().0);
        let history = grounded.end..grounded.end + samples * history::WIDTH;
        let memory = history.end..history.end + memory;
        let director = memory.end..memory.end + director;
        Self { rotations, translations, feet, grounded, history, memory, director }
    }

    /// Returns the number of floats in the block.
    pub fn len(&self) -> usize {
        self.director.end
    }
}

impl MatcherState {
    /// Returns the memory of the director.
    pub(crate) fn director(&self, layout: &BlockLayout) -> &[f32] {
        &self.block[layout.director.clone()]
    }

    /// Returns the memory of the director.
    pub(crate) fn director_mut(&mut self, layout: &BlockLayout) -> &mut [f32] {
        &mut self.block[layout.director.clone()]
    }

    /// Returns the memory of the director, and the time since the last control tick.
    pub(crate) fn after_tick(&self, layout: &BlockLayout) -> AfterTick<'_> {
        AfterTick { memory: self.director(layout), elapsed_s: self.header.since_control_s().min(CONTROL_S) as f32 }
    }

    /// Returns the header, the memory of the motion source, and that of the director.
    pub(crate) fn memories(&mut self, layout: &BlockLayout) -> (&StateHeader, &mut [f32], &mut [f32]) {
        let (block, director) = self.block.split_at_mut(layout.director.start);
        (&self.header, &mut block[layout.memory.clone()], director)
    }

    /// Returns a character at rest at `world_from_root`, playing `playing`.
    pub(super) fn new(model: &Model, layout: &BlockLayout, world_from_root: Transform, playing: Playing) -> Self {
        Self::new_in(Vec::new(), model, layout, world_from_root, playing)
    }

    /// As [`MatcherState::new`], in the allocation of an older block.
    pub(super) fn new_in(
        mut block: Vec<f32>,
        model: &Model,
        layout: &BlockLayout,
        world_from_root: Transform,
        playing: Playing,
    ) -> Self {
        block.clear();
        block.resize(layout.len(), 0.0);
        let facing = Facing::from_rotation(world_from_root.rotation);
        let root = Transform::new(world_from_root.translation, facing.rotation());
        let desired = Desired { velocity: Vec3::ZERO, facing, gait: 0.0 };
        let simulation = Simulation { position: root.translation, facing, ..Simulation::default() };
        let anchor = Anchor {
            time_s: 0.0,
            playing_s: playing.time_s,
            since_transition_s: 0.0,
            animated_root: root,
            root_slip: Vec3::ZERO,
            simulation,
        };
        let header = StateHeader {
            version: STATE_VERSION,
            database: model.hash,
            time_s: 0.0,
            next_search: 0,
            next_control: 0,
            searches: 0,
            transitions: 0,
            playing,
            touching: u64::MAX,
            play_rate: 1.0,
            stranded: false,
            entered_s: playing.time_s,
            played: [Played::default(); REMEMBERED],
            events_s: playing.time_s - SAME_INSTANT_S,
            since_transition_s: 0.0,
            blend_s: 0.0,
            animated_root: root,
            root_offset: Offset::default(),
            root_turn: Offset::default(),
            root_slip: Vec3::ZERO,
            pelvis: Spring::default(),
            pelvis_needed_m: 0.0,
            warp: Warp::default(),
            corrections: Corrections::default(),
            simulation,
            anchor,
            desired,
            searched_velocity: Vec3::ZERO,
            searched_facing: facing,
            path: PathProgress::default(),
            goal_signature: 0,
            history_count: 0,
        };
        Self { header, block }
    }

    /// Returns the size of a copy, in bytes.
    pub fn bytes(&self) -> usize {
        size_of::<StateHeader>() + size_of_val(self.block.as_slice())
    }

    /// Returns the shown root, in world space: position and facing of the character. Servers without poses need nothing else.
    pub fn world_from_root(&self, config: &MatcherConfig) -> Transform {
        self.header.shown_root(&config.transition)
    }

    pub(crate) fn offsets(&self, layout: &BlockLayout) -> Offsets<&[Offset]> {
        Offsets {
            rotations: bytemuck::cast_slice(&self.block[layout.rotations.clone()]),
            translations: bytemuck::cast_slice(&self.block[layout.translations.clone()]),
        }
    }

    pub(crate) fn offsets_mut(&mut self, layout: &BlockLayout) -> Offsets<&mut [Offset]> {
        let (rotations, rest) = self.block.split_at_mut(layout.rotations.end);
        Offsets {
            rotations: bytemuck::cast_slice_mut(rotations),
            translations: bytemuck::cast_slice_mut(&mut rest[..layout.translations.len()]),
        }
    }

    /// `[contact joints]`.
    pub(crate) fn feet(&self, layout: &BlockLayout) -> &[Foot] {
        bytemuck::cast_slice(&self.block[layout.feet.clone()])
    }

    /// `[contact joints]`.
    pub(crate) fn feet_mut(&mut self, layout: &BlockLayout) -> &mut [Foot] {
        bytemuck::cast_slice_mut(&mut self.block[layout.feet.clone()])
    }

    /// The header, and `[contact joints]` the ground under the feet.
    pub(crate) fn grounded_mut(&mut self, layout: &BlockLayout) -> (&mut StateHeader, &mut [GroundedFoot]) {
        (&mut self.header, bytemuck::cast_slice_mut(&mut self.block[layout.grounded.clone()]))
    }

    /// Returns the playing clip and time, with the memory of the motion source.
    pub(crate) fn playhead(&self, layout: &BlockLayout) -> Playhead<'_> {
        Playhead { playing: self.header.playing, memory: &self.block[layout.memory.clone()] }
    }

    pub(crate) fn history(&mut self, layout: &BlockLayout) -> History<'_> {
        History { samples: &mut self.block[layout.history.clone()], count: &mut self.header.history_count }
    }
}

impl StateHeader {
    /// Moves the anchor to the current time.
    pub(crate) fn drop_anchor(&mut self) {
        self.anchor = Anchor {
            time_s: self.time_s,
            playing_s: self.playing.time_s,
            since_transition_s: self.since_transition_s,
            animated_root: self.animated_root,
            root_slip: self.root_slip,
            simulation: self.simulation,
        };
    }

    /// Returns the time since the last control tick, in seconds.
    pub(crate) fn since_control_s(&self) -> f64 {
        (self.time_s - self.control_s()).max(0.0)
    }

    /// Returns the time of the last control tick, in seconds.
    pub(crate) fn control_s(&self) -> f64 {
        (self.next_control as f64 - 1.0) * CONTROL_S
    }

    /// Returns the remaining offset and rotation of the root, in world space.
    pub(crate) fn root_residual(&self, config: &TransitionConfig) -> (Offset, Offset) {
        let config = config.lasting(self.blend_s);
        let since = config.since(self.since_transition_s);
        let seam = config.root_seam();
        (config.left(seam, &self.root_offset, &since), config.left(seam, &self.root_turn, &since))
    }

    /// Returns the shown root: the animated root with the remaining offset.
    pub(crate) fn shown_root(&self, config: &TransitionConfig) -> Transform {
        self.shifted_root(&self.root_residual(config))
    }

    /// Returns the animated root with the remaining offset `(shift, turn)` added.
    pub(crate) fn shifted_root(&self, (shift, turn): &(Offset, Offset)) -> Transform {
        let root = self.animated_root;
        Transform::new(root.translation + shift.value, Quat::from_rotation_y(turn.value.y) * root.rotation)
    }
}
