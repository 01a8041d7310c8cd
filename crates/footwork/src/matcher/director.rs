//! Directors: what controls a character beyond plain matching, such as a state machine.
//!
//! A director has floats of its own in the state of each character ([`Director::memory_width`]). It decides at control ticks; between
//! two ticks, its effect is computed from the last one. Every default is that of plain matching.

use super::output::{FiredEvent, Output};
use super::playing::Playing;
use super::scratch::LayerScratch;
use super::source::{MotionSource, Playhead, SourceScratch};
use super::state::{AfterTick, Commanded};
use super::state_groups::{Clock, Playback};
use crate::actions::Limb;
use crate::blend::Offset;
use crate::database::TagQuery;
use crate::input::{InputError, MotionInput};
use crate::math::Transform;
use crate::pose::{Pose, PoseVelocity};
use glam::Vec3;
use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

/// A character at an instant at which its director decides.
pub(crate) struct Directed<'a> {
    /// Input of the game; read.
    pub input: &'a MotionInput<'a>,
    /// Motion of the character; read.
    pub source: &'a dyn MotionSource,
    /// Time; read.
    pub clock: &'a Clock,
    /// Playing clip, play rate; read.
    pub playback: &'a Playback,
    /// Simulated character, desired motion; read.
    pub body: Commanded<'a>,
    /// True while nothing can be played.
    pub stranded: bool,
    /// True while another director owns the root: motion that moves the root must wait.
    pub root_is_owned: bool,
    /// The director's memory; written.
    pub memory: &'a mut [f32],
    /// Memory of the motion source; written.
    pub source_memory: &'a mut [f32],
    /// `[memory of the source]` memory after the next transition; written where the director plays something.
    pub next_memory: &'a mut [f32],
    /// Working space of the source.
    pub scratch: &'a mut SourceScratch,
    /// Events, changes of state and curves; written.
    pub output: &'a mut Output,
}

impl Directed<'_> {
    /// Returns the character as a director sees it whose memory begins at `from`.
    pub fn inner(&mut self, from: usize, root_is_owned: bool) -> Directed<'_> {
        Directed {
            memory: &mut self.memory[from..],
            source_memory: self.source_memory,
            next_memory: self.next_memory,
            scratch: self.scratch,
            output: self.output,
            root_is_owned,
            ..*self
        }
    }

    /// Returns the playing clip and time.
    pub fn playhead(&self) -> Playhead<'_> {
        Playhead { playing: self.playback.playing, memory: self.source_memory }
    }
}

/// Times of a report of events, in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReportTimes {
    /// The last control tick, in the character's time.
    pub tick_s: f64,
    /// The next control tick, in the character's time.
    pub next_tick_s: f64,
    /// Events up to this time after the last tick are due.
    pub due_s: f32,
}

/// Decision of a director.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Directive {
    /// Motion matching chooses.
    Match,
    /// Motion matching chooses. The playing clip must not continue.
    MatchAnew,
    /// Motion matching chooses once; the clip then plays to its end while its rows are accepted.
    MatchOnce,
    /// The playing clip continues.
    Continue,
    /// Another clip plays. Its memory is in [`Directed::next_memory`].
    Play(Playing),
}

/// A root that a director owns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnedRoot {
    /// Time of the playing clip, in seconds.
    pub clip_s: f64,
    /// The animated root: world.
    pub root: Transform,
}

/// A joint that a director leads to a place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lead {
    /// Shift of the joint that brings it to its place when its clip is there: world, in metres.
    pub shift: Vec3,
    /// Place of the joint: world, in metres.
    pub to: Vec3,
    /// Share of the way to the place, after the shift, 0 to 1.
    pub weight: f32,
    /// True while the joint stands there, or is about to.
    pub holds: bool,
}

impl Lead {
    /// Returns where a joint is led: world, in metres.
    pub fn point(&self, joint: Vec3) -> Vec3 {
        let shifted = joint + self.shift;
        shifted + (self.to - shifted) * self.weight
    }

    /// Returns where a toe is led: world, in metres. It keeps its height over the ground.
    pub fn toe(&self, toe: Vec3) -> Vec3 {
        let (height_m, to) = (toe.y + self.shift.y, self.point(toe));
        Vec3::new(to.x, height_m, to.z)
    }
}

/// What controls a character beyond plain matching. Immutable; its memory is part of the character's state. Allocates nothing while
/// a character moves.
pub(crate) trait Director: Any + Debug + Send + Sync {
    /// Returns the number of floats of its memory.
    fn memory_width(&self) -> usize {
        0
    }

    /// Writes the memory of a new character.
    fn init_memory(&self, _memory: &mut [f32]) {}

    /// Returns false for a memory that no update can produce. `playing`: the playing clip; `now_s`: the character's time, in seconds.
    fn is_memory(&self, _memory: &[f32], _playing: &Playing, _now_s: f64) -> bool {
        true
    }

    /// Returns the maximum number of events at one instant, beside those of clips.
    fn most_events_at_once(&self) -> usize {
        0
    }

    /// Returns the names of the events that a character reports; `None` if only clips have events.
    fn event_names(&self) -> Option<&[String]> {
        None
    }

    /// Returns the source of motion of a character: `base` has the clips.
    fn source(self: Arc<Self>, base: Arc<dyn MotionSource>) -> Arc<dyn MotionSource> {
        base
    }

    /// Returns the clip and time at which a character at rest starts; `None` if motion matching chooses.
    fn resting(&self) -> Option<Playing> {
        None
    }

    /// Returns the factors on the channel costs in each of its modes, by label; `None` without factors.
    fn channel_costs(&self) -> Vec<Option<&BTreeMap<String, f32>>> {
        Vec::new()
    }

    /// Returns the current mode: an index into [`Director::channel_costs`]. `None` without modes.
    fn mode(&self, _memory: &[f32]) -> Option<usize> {
        None
    }

    /// Rejects an input that it cannot use.
    ///
    /// # Errors
    /// Returns [`InputError`].
    fn check(&self, _input: &MotionInput) -> Result<(), InputError> {
        Ok(())
    }

    /// Returns the maximum speed of the simulated character, in m/s.
    fn max_speed_mps(&self, _memory: &[f32]) -> f32 {
        f32::INFINITY
    }

    /// Runs a control tick. `requested`: velocity that the goal requests without that maximum, in world space, in m/s. Returns true if
    /// something else is to play.
    fn tick(&self, _at: &mut Directed, _requested: Vec3) -> bool {
        false
    }

    /// Returns its decision about the next clip and time.
    fn next(&self, _at: &mut Directed) -> Directive {
        Directive::Match
    }

    /// Returns the clip and time at which a character begins that enters from a pose. `None` if motion matching chooses.
    fn enter(&self, _at: &mut Directed) -> Option<Playing> {
        None
    }

    /// Returns the tags of the rows that motion matching may play; `None`: all.
    fn tags(&self, _memory: &[f32]) -> Option<&TagQuery> {
        None
    }

    /// Returns the play rate of the playing clip; `None` if motion matching sets it. `is_over`: a clip that does not loop has ended.
    fn play_rate(&self, _memory: &[f32], _playing: &Playing, _is_over: bool) -> Option<f32> {
        None
    }

    /// Returns the time in which the previous motion is blended out, in seconds; 0: the time of the settings.
    fn blend_s(&self, _memory: &[f32]) -> f32 {
        0.0
    }

    /// Returns true while the simulated character follows the animation.
    fn has_root_motion(&self, _memory: &[f32]) -> bool {
        false
    }

    /// Returns true while it sets the root ([`Director::owned_root`]).
    fn owns_root(&self, _memory: &[f32]) -> bool {
        false
    }

    /// Returns the root at a time of the character, in seconds, in closed form; `None` if simulation and clips move it. `left`: what is
    /// left of the offset of the last transition.
    fn owned_root(&self, _memory: &[f32], _time_s: f64, _left: &(Offset, Offset)) -> Option<OwnedRoot> {
        None
    }

    /// Returns where a part of the body is led at a time of the character, in seconds; `None` if it follows its clip.
    fn lead(&self, _memory: &[f32], _time_s: f64, _limb: Limb) -> Option<Lead> {
        None
    }

    /// Returns the displacement of the root between two times after the last tick, `[from, to]` in seconds. `own` is that of the
    /// playing clip.
    fn displacement(&self, _memory: &[f32], _between_s: [f32; 2], own: Transform) -> Transform {
        own
    }

    /// Returns the share of the root's displacement that comes from the playing clip, 0 to 1.
    fn own_share_of_root(&self, _at: AfterTick) -> f32 {
        1.0
    }

    /// Reports events to `output` that are due. Returns the time of the first event that had no room, in the character's time;
    /// else infinity.
    fn report(&self, _memory: &[f32], _times: ReportTimes, _output: &mut Output) -> f64 {
        f64::INFINITY
    }

    /// Notes that events up to `due_s` after the last tick are reported; `events` are those of this step.
    fn reported(&self, _memory: &mut [f32], _due_s: f32, _events: &[FiredEvent]) {}

    /// Changes the curves of the playing clip into those to be shown.
    fn bend_curves(&self, _at: AfterTick, _scratch: &mut SourceScratch, _curves: &mut [f32]) {}

    /// Changes the pose of the playing clip into the one to be shown; with `legs_alone`, only where legs are affected.
    fn bend_pose(
        &self,
        _at: AfterTick,
        _legs_alone: bool,
        _scratch: LayerScratch,
        _body: (&mut Pose, &mut PoseVelocity),
    ) {
    }

    /// Returns the clip and time that determine the contacts of a leg; `None`: the playing clip. `slot` is the contact's index.
    fn leads_leg(&self, _at: AfterTick, _slot: usize) -> Option<Playing> {
        None
    }

    /// Continues after another director has played something else: what it plays begins again.
    fn resume(&self, _memory: &mut [f32]) {}

    /// Notes that the character was moved by `by`.
    fn moved(&self, _memory: &mut [f32], _by: Transform) {}

    /// Restarts in a character's memory, at the character's time `time_s`. What ends by it is reported to `output`.
    fn restart(&self, _memory: &mut [f32], _time_s: f64, _output: &mut Output) {}

    /// Continues another director in the memory of a new character, `since_tick_s` seconds after its last tick.
    fn go_on(&self, _memory: &mut [f32], _before: (&dyn Director, &[f32]), _since_tick_s: f32) {}

    /// Reports to `output` what ends because another director does not continue it in `memory`.
    fn end_of(&self, _memory: &[f32], _before: (&dyn Director, &[f32]), _output: &mut Output) {}
}

/// Plain matching: no director.
#[derive(Debug)]
pub(crate) struct Plain;

impl Director for Plain {}
