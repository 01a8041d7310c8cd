//! What must survive a frame: one plain struct. Copy it to save, copy it back to restore; a restored character continues
//! bit for bit.

use super::config::MatcherConfig;
use super::model::Model;
use super::output::SAME_INSTANT_S;
use super::played::{Played, REMEMBERED};
use super::playing::Playing;
use super::source::Moment;
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

/// The layout of [`MatcherState`]: a state of another version is refused.
pub const STATE_VERSION: u32 = 6;

/// Seconds between control ticks: desire is evaluated here, and whenever the goal changes; feet are decided about.
pub(crate) const CONTROL_S: f64 = 1.0 / 60.0;

/// The character at the last instant that mattered (a control tick, a search, a new goal). What is seen between two
/// instants is computed from here and leaves no trace, so that no decision depends on the frame rate.
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

/// What adjustments of the shown pose must remember; all zeros has never adjusted anything. The feet's part is in the block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Corrections {
    /// 1 where what plays brings its own ground along.
    pub own_ground: Spring,
    /// On which ground the body is.
    pub body: GroundedBody,
    /// What is looked at.
    pub gaze: LookAt,
    /// What left and right hand reach for.
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
    /// Searches made at regular instants; the next is due at this times the interval.
    pub next_search: u64,
    /// Control ticks made; the next is due at this times 1/60 s.
    pub next_control: u64,
    /// All searches so far.
    pub searches: u64,
    /// All transitions so far.
    pub transitions: u64,
    /// What plays.
    pub playing: Playing,
    /// Time of the playing clip at which it was entered, seconds.
    pub entered_s: f64,
    /// What was played before; the oldest is replaced.
    pub played: [Played; REMEMBERED],
    /// A bit for each of the first 64 contact joints that touched at the last control tick.
    pub touching: u64,
    /// How fast it plays; 1 is as captured, 0 holds the pose.
    pub play_rate: f32,
    /// True while there is nothing to play: the character comes to rest.
    pub stranded: bool,
    /// Moment of the playing clip up to which events were reported.
    pub events_s: f64,
    /// Seconds since the last transition.
    pub since_transition_s: f32,
    /// Seconds in which the last transition is blended out; 0: the time of the settings.
    pub blend_s: f32,
    /// Where the playing clip alone would have the root, world.
    pub animated_root: Transform,
    /// Where the root was shown at the last transition, seen from where the clip has it since, world, metres; decays.
    pub root_offset: Offset,
    /// By how much it was turned: rotation vector about +Y.
    pub root_turn: Offset,
    /// How the adjustment moves the root over the ground, smoothed, world, m/s.
    pub root_slip: Vec3,
    /// How far the pelvis has sunk at the last control tick, metres.
    pub pelvis: Spring,
    /// How far it had to then.
    pub pelvis_needed_m: f32,
    /// How what plays is warped.
    pub warp: Warp,
    /// What bends the pose that is shown.
    pub corrections: Corrections,
    /// The simulated character.
    pub simulation: Simulation,
    /// Where all of this was at the last instant that mattered.
    pub anchor: Anchor,
    /// What it is drawn to.
    pub desired: Desired,
    /// Desired velocity at the last search.
    pub searched_velocity: Vec3,
    /// Desired facing at the last search.
    pub searched_facing: Facing,
    /// Where on a path it is.
    pub path: PathProgress,
    /// Tells whether the goal has changed.
    pub goal_signature: u64,
    /// Samples of history taken.
    pub history_count: u64,
}

/// One character's state: a header and one block of floats.
///
/// Block: `[joints x 6]` rotation offsets (rotation vector, velocity), `[translated x 6]` translation offsets, `[contact joints
/// x 26]` feet (`Foot`), `[contact joints x 12]` the ground under them
/// ([`crate::adjust::ground::GroundedFoot`]), the history ring `[samples x 5]` (x, y, z, facing x, facing z), what the
/// source of motion remembers, then what the state machine does.
#[derive(Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MatcherState {
    /// The fixed part.
    pub header: StateHeader,
    /// The rest.
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

/// Where in the block what lies.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BlockLayout {
    pub rotations: Range<usize>,
    pub translations: Range<usize>,
    pub feet: Range<usize>,
    pub grounded: Range<usize>,
    pub history: Range<usize>,
    pub memory: Range<usize>,
    pub machine: Range<usize>,
}

impl BlockLayout {
    /// `memory` floats are for the source of motion, `machine` floats for the state machine.
    pub fn new(model: &Model, memory: usize, machine: usize) -> Self {
        const OFFSET_WIDTH: usize = size_of::<Offset>() / size_of::<f32>();
        let rotations = 0..model.skeleton.len() * OFFSET_WIDTH;
        let translations = rotations.end..rotations.end + model.translated.len() * OFFSET_WIDTH;
        let feet = translations.end..translations.end + model.contacts() * FOOT_WIDTH;
        let grounded = feet.end..feet.end + model.contacts() * size_of::<GroundedFoot>() / size_of::<f32>();
        let samples = history::capacity(-model.schema.horizon_s().0);
        let history = grounded.end..grounded.end + samples * history::WIDTH;
        let memory = history.end..history.end + memory;
        let machine = memory.end..memory.end + machine;
        Self { rotations, translations, feet, grounded, history, memory, machine }
    }

    /// Floats of the block.
    pub fn len(&self) -> usize {
        self.machine.end
    }
}

impl MatcherState {
    /// What the state machine remembers.
    pub(crate) fn machine(&self, layout: &BlockLayout) -> &[f32] {
        &self.block[layout.machine.clone()]
    }

    /// A character at rest at `world_from_root`, playing `playing`.
    pub(super) fn new(model: &Model, layout: &BlockLayout, world_from_root: Transform, playing: Playing) -> Self {
        Self::new_in(Vec::new(), model, layout, world_from_root, playing)
    }

    /// The same in the memory of an older block.
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

    /// Bytes that a copy takes.
    pub fn bytes(&self) -> usize {
        size_of::<StateHeader>() + size_of_val(self.block.as_slice())
    }

    /// Where the character stands and faces: the root as shown. All that a server without poses needs.
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

    /// The moment that plays.
    pub(crate) fn moment(&self, layout: &BlockLayout) -> Moment<'_> {
        Moment { playing: self.header.playing, memory: &self.block[layout.memory.clone()] }
    }

    pub(crate) fn history(&mut self, layout: &BlockLayout) -> History<'_> {
        History { samples: &mut self.block[layout.history.clone()], count: &mut self.header.history_count }
    }
}

impl StateHeader {
    /// Makes this moment the one from which the next are computed.
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

    /// Seconds since the last control tick.
    pub(crate) fn since_control_s(&self) -> f64 {
        (self.time_s - self.control_s()).max(0.0)
    }

    /// When the last control tick was, seconds.
    pub(crate) fn control_s(&self) -> f64 {
        (self.next_control as f64 - 1.0) * CONTROL_S
    }

    /// What is left of the root's offset and turn, world.
    pub(crate) fn root_residual(&self, config: &TransitionConfig) -> (Offset, Offset) {
        let config = config.lasting(self.blend_s);
        let since = config.since(self.since_transition_s);
        let seam = config.root_seam();
        (config.left(seam, &self.root_offset, &since), config.left(seam, &self.root_turn, &since))
    }

    /// The root as shown: the animated one, and what is left of its offset.
    pub(crate) fn shown_root(&self, config: &TransitionConfig) -> Transform {
        self.shifted_root(&self.root_residual(config))
    }

    /// The animated root with what is left of its offset.
    pub(crate) fn shifted_root(&self, (shift, turn): &(Offset, Offset)) -> Transform {
        let root = self.animated_root;
        Transform::new(root.translation + shift.value, Quat::from_rotation_y(turn.value.y) * root.rotation)
    }
}
