//! The saved part of a character: one plain struct. Copy it to save, copy it back to restore. A restored character continues bit
//! for bit.

use super::config::MatcherConfig;
use super::model::Model;
use super::playing::Playing;
use super::source::Playhead;
use super::state_groups::{
    Anchor, Clock, Corrections, GoalState, LastChoice, LastTransition, LegState, Playback, RootState, STATE_VERSION,
};
use crate::adjust::feet::{FOOT_WIDTH, Foot};
use crate::adjust::ground::GroundedFoot;
use crate::blend::inertialize::Offsets;
use crate::blend::{Offset, TransitionConfig};
use crate::math::{Facing, Transform};
use crate::trajectory::history::{self, History};
use crate::trajectory::{Desired, PathProgress, Simulation};
use glam::Vec3;
use std::ops::Range;

/// The fixed part of a state, in groups: each stage writes its own.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StateHeader {
    /// `STATE_VERSION`.
    pub version: u32,
    /// Low half of the database's content hash.
    pub database: u64,
    /// Time, and the instants that are due next.
    pub clock: Clock,
    /// The last goal and what it requires.
    pub goal: GoalState,
    /// Result of the last choice of a clip.
    pub choice: LastChoice,
    /// Playing clip, its time and its rate.
    pub playback: Playback,
    /// The last transition and the offset of the root since.
    pub transition: LastTransition,
    /// Animated root and simulated character.
    pub root: RootState,
    /// The character at the last decision instant.
    pub anchor: Anchor,
    /// Pelvis and warp.
    pub legs: LegState,
    /// Memory of the adjustments of the shown pose.
    pub corrections: Corrections,
}

/// One character's state: a header and one block of floats.
///
/// Block: `[joints x 9]` rotation offsets (rotation vector, velocity, acceleration), `[translated x 9]` translation offsets,
/// `[contact joints x 9]` offsets of feet (position, velocity, acceleration, in root space), `[contact joints x 35]` feet (`Foot`), `[contact joints x 12]` the ground under them
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

/// The simulated character with its desired motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Commanded<'a> {
    pub simulation: &'a Simulation,
    pub desired: &'a Desired,
    /// Turn rates of the commanded direction and of the desired facing, smoothed, in radians per second.
    pub turn_radps: [f32; 2],
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
    pub points: Range<usize>,
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
        let points = translations.end..translations.end + model.contacts() * OFFSET_WIDTH;
        let feet = points.end..points.end + model.contacts() * FOOT_WIDTH;
        let grounded = feet.end..feet.end + model.contacts() * size_of::<GroundedFoot>() / size_of::<f32>();
        let samples = history::capacity(-model.schema.horizon_s().0);
        let history = grounded.end..grounded.end + samples * history::WIDTH;
        let memory = history.end..history.end + memory;
        let director = memory.end..memory.end + director;
        Self { rotations, translations, points, feet, grounded, history, memory, director }
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
        AfterTick { memory: self.director(layout), elapsed_s: self.header.clock.within_tick_s() }
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
            clock: Clock::default(),
            goal: GoalState {
                signature: 0,
                desired,
                ticked: [desired.facing; 2],
                turn_radps: [0.0; 2],
                path: PathProgress::default(),
            },
            choice: LastChoice { searches: 0, stranded: false, searched_velocity: Vec3::ZERO, searched_facing: facing },
            playback: Playback::new(playing),
            transition: LastTransition::default(),
            root: RootState { animated: root, slip: Vec3::ZERO, simulation },
            anchor,
            legs: LegState::default(),
            corrections: Corrections::default(),
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

    /// `[contact joints]` offsets of the feet in root space, as they were at the transition.
    pub(crate) fn points(&self, layout: &BlockLayout) -> &[Offset] {
        bytemuck::cast_slice(&self.block[layout.points.clone()])
    }

    /// `[contact joints]`.
    pub(crate) fn points_mut(&mut self, layout: &BlockLayout) -> &mut [Offset] {
        bytemuck::cast_slice_mut(&mut self.block[layout.points.clone()])
    }

    /// `[contact joints]`.
    pub(crate) fn feet(&self, layout: &BlockLayout) -> &[Foot] {
        bytemuck::cast_slice(&self.block[layout.feet.clone()])
    }

    /// `[contact joints]`.
    pub(crate) fn feet_mut(&mut self, layout: &BlockLayout) -> &mut [Foot] {
        bytemuck::cast_slice_mut(&mut self.block[layout.feet.clone()])
    }

    /// The adjustments of the shown pose, and `[contact joints]` the ground under the feet.
    pub(crate) fn grounded_mut(&mut self, layout: &BlockLayout) -> (&mut Corrections, &mut [GroundedFoot]) {
        (&mut self.header.corrections, bytemuck::cast_slice_mut(&mut self.block[layout.grounded.clone()]))
    }

    /// Returns the playing clip and time, with the memory of the motion source.
    pub(crate) fn playhead(&self, layout: &BlockLayout) -> Playhead<'_> {
        Playhead { playing: self.header.playback.playing, memory: &self.block[layout.memory.clone()] }
    }

    pub(crate) fn history(&mut self, layout: &BlockLayout) -> History<'_> {
        History { samples: &mut self.block[layout.history.clone()], count: &mut self.header.clock.history_count }
    }
}

impl StateHeader {
    /// Moves the anchor to the current time.
    pub(crate) fn drop_anchor(&mut self) {
        self.anchor = Anchor {
            time_s: self.clock.time_s,
            playing_s: self.playback.playing.time_s,
            since_transition_s: self.transition.since_s,
            animated_root: self.root.animated,
            root_slip: self.root.slip,
            simulation: self.root.simulation,
        };
    }

    /// Returns the simulated character with its desired motion.
    pub(crate) fn commanded(&self) -> Commanded<'_> {
        Commanded { simulation: &self.root.simulation, desired: &self.goal.desired, turn_radps: self.goal.turn_radps }
    }

    /// Returns the shown root: the animated root with the remaining offset.
    pub(crate) fn shown_root(&self, config: &TransitionConfig) -> Transform {
        self.transition.shown_root(self.root.animated, config)
    }
}
