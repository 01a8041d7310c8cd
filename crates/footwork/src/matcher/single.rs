//! Operations on one character beside moving it: show a state, teleport, enter from a pose, take over from another character.
//! They serve callers that keep states, working space and outputs themselves. [`super::MotionMatcher`] has the same as methods.

use super::acted::ACTED_WIDTH;
use super::character::{Character, Choose};
use super::director::{Director, Plain};
use super::output::Output;
use super::scratch::Scratch;
use super::stage::show::Show;
use super::stage::{enter, root};
use super::state::MatcherState;
use crate::database::TagMask;
use crate::input::{Goal, InputError, MotionInput, Stick};
use crate::math::Transform;
use crate::pose::{Pose, PoseVelocity};
use crate::skeleton::Skeleton;
use glam::Vec3;

impl Character {
    /// Fills `output` from a state, as after a restore. No time passes. The state's motion continues from there, bit for bit.
    /// Allocates nothing.
    ///
    /// # Errors
    /// Returns [`InputError`] for a state of another character or version, a damaged one, and for working space or an output
    /// of another character.
    pub fn show(&self, state: &mut MatcherState, scratch: &mut Scratch, output: &mut Output) -> Result<(), InputError> {
        state.check(self, 0)?;
        self.check_room(scratch, output)?;
        self.show_unchecked(state, scratch, output);
        Ok(())
    }

    /// Moves a character elsewhere. Motion continues. The next step or [`Character::show`] shows it there.
    ///
    /// # Errors
    /// Returns [`InputError`] if the transform is not finite, and for a state of another character. The state is unchanged.
    pub fn teleport(&self, world_from_root: Transform, state: &mut MatcherState) -> Result<(), InputError> {
        if !world_from_root.is_finite() {
            return Err(InputError::NotUsable { field: "world_from_root", value: f32::NAN });
        }
        state.check(self, 0)?;
        let layout = &self.resolved.layout;
        let by = root::teleport(&self.config.transition, state, layout, world_from_root);
        self.director.moved(state.director_mut(layout), by);
        Ok(())
    }

    /// Restarts from a pose of any origin: a ragdoll, a cut-scene, another animation. `pose` has local transforms, joint 0 in
    /// world space. A root that lies or is tipped over becomes upright. The character plays the best match of pose and velocity,
    /// and blends the pose out. Time starts at 0.
    ///
    /// # Errors
    /// Returns [`InputError`] if the pose has other joints or is not finite, and for a state, working space or output of another
    /// character. Everything is unchanged.
    pub fn enter(
        &self,
        pose: (&Pose, &PoseVelocity),
        state: &mut MatcherState,
        scratch: &mut Scratch,
        output: &mut Output,
    ) -> Result<(), InputError> {
        self.enter_from(pose, false, state, scratch, output)
    }

    /// As [`Character::enter`]. The director restarts, or continues if `director_goes_on`.
    pub(super) fn enter_from(
        &self,
        (pose, velocity): (&Pose, &PoseVelocity),
        director_goes_on: bool,
        state: &mut MatcherState,
        scratch: &mut Scratch,
        output: &mut Output,
    ) -> Result<(), InputError> {
        enter::check(self, pose, velocity)?;
        state.check(self, 0)?;
        self.check_room(scratch, output)?;
        scratch.shown.pose.copy_from(pose);
        scratch.shown.velocity.copy_from(velocity);
        let acceleration = &mut scratch.shown.acceleration;
        acceleration.linear.fill(Vec3::ZERO);
        acceleration.angular.fill(Vec3::ZERO);
        let user = vec![0.0; self.model.schema.user_width];
        let input = MotionInput { goal: Goal::Stick(Stick::default()), user: &user, ..MotionInput::default() };
        enter::enter(&mut Choose { character: self, input: &input, state, scratch, output }, director_goes_on);
        self.show_unchecked(state, scratch, output);
        Ok(())
    }

    /// Returns state and output of a character that takes over from another one over the same skeleton, in mid-motion; see
    /// [`super::MotionMatcher::switch_to`]. `shown` is the output of the other one.
    ///
    /// # Errors
    /// Returns [`InputError::OtherSkeleton`] if the skeletons differ, and [`InputError`] for working space of another character.
    pub fn take_over(
        &self,
        (other, from, shown): (&Self, &MatcherState, &Output),
        scratch: &mut Scratch,
    ) -> Result<(MatcherState, Output), InputError> {
        if let Some(difference) = difference(&other.model.skeleton, &self.model.skeleton) {
            return Err(InputError::OtherSkeleton { difference });
        }
        let (mut state, mut output) = (self.new_state(shown.pose.world_from_root()), self.output());
        let layout = &self.resolved.layout;
        let before = other.directed_in(from);
        let since_tick_s = from.header.clock.within_tick_s();
        self.director.go_on(state.director_mut(layout), before, since_tick_s);
        self.enter_from((&shown.pose, &shown.velocity), true, &mut state, scratch, &mut output)?;
        self.director.end_of(state.director(layout), before, &mut output);
        Ok((state, output))
    }

    /// Returns the director beside actions and its memory in a state of any origin; no director if they do not fit.
    pub(crate) fn directed_in<'s>(&self, state: &'s MatcherState) -> (&dyn Director, &'s [f32]) {
        let (playing, now_s) = (&state.header.playback.playing, state.header.clock.time_s);
        let memory = state.block.get(self.resolved.layout.director.clone());
        let fits = memory.filter(|memory| self.director.is_memory(memory, playing, now_s));
        let acted = if self.acting.is_some() { ACTED_WIDTH } else { 0 };
        fits.map_or((&Plain, &[]), |memory| (&*self.undirected, &memory[acted..]))
    }

    /// Returns the tags of the playing pose; none for a character without clips.
    pub fn tags(&self, state: &MatcherState) -> TagMask {
        self.source.tags(state.playhead(&self.resolved.layout))
    }

    /// Returns the name of a clip; `None` for motion without clips.
    pub fn clip_name(&self, clip: crate::frames::ClipIndex) -> Option<&str> {
        self.source.clip_name(clip)
    }

    pub(super) fn show_unchecked(&self, state: &mut MatcherState, scratch: &mut Scratch, output: &mut Output) {
        let input = MotionInput::default();
        Show { character: self, input: &input, state, scratch, output }.run(None);
    }

    fn check_room(&self, scratch: &Scratch, output: &Output) -> Result<(), InputError> {
        if !self.owns(scratch) {
            return Err(InputError::Foreign { what: "scratch", character: 0 });
        }
        if !output.fits(&self.model, self.resolved.events_at_once) {
            return Err(InputError::Foreign { what: "output", character: 0 });
        }
        Ok(())
    }

    /// Returns true for working space that this character can use.
    pub(super) fn owns(&self, scratch: &Scratch) -> bool {
        scratch.fits(&self.model, self.resolved.layout.memory.len()) && self.source.owns_scratch(&scratch.source)
    }
}

/// Describes the first joint in which two skeletons differ.
fn difference(a: &Skeleton, b: &Skeleton) -> Option<String> {
    if a.len() != b.len() {
        return Some(format!("{} and {} joints", a.len(), b.len()));
    }
    let j = (0..a.len()).find(|j| a.names()[*j] != b.names()[*j] || a.parents()[*j] != b.parents()[*j])?;
    Some(format!("joint {j} is `{}` and `{}`, or their parents differ", a.names()[j], b.names()[j]))
}
