//! The output of a character: the pose with its adjustments, contacts and curves.

use super::blend::animate;
use super::contacts::write_touching;
use super::legs::BendLegs;
use super::upper_body::{look, reach, touch};
use crate::input::MotionInput;
use crate::matcher::character::Character;
use crate::matcher::output::Output;
use crate::matcher::scratch::Scratch;
use crate::matcher::state::MatcherState;

/// Fills the output from the state.
pub struct Show<'a> {
    /// Source of motion, director, settings; read.
    pub character: &'a Character,
    /// Ground, targets of looking and reaching; read.
    pub input: &'a MotionInput<'a>,
    /// Motion, feet; read. Adjustments of the shown pose; written.
    pub state: &'a mut MatcherState,
    /// Contacts that touch; written.
    pub scratch: &'a mut Scratch,
    /// Pose, contacts, curves, positions of footsteps; written.
    pub output: &'a mut Output,
}

impl Show<'_> {
    /// Fills the output. With `dt_s`, the time step of the update, the adjustments of the pose advance first. Without it, the last
    /// adjustments are shown.
    pub fn run(self, dt_s: Option<f32>) {
        let Self { character, input, state, scratch, output } = self;
        let (director, layout) = (&*character.director, &character.resolved.layout);
        animate(character, state, &mut scratch.source, (&mut output.pose, &mut output.velocity));
        write_touching(character, state, scratch);
        character.source.curves(state.playhead(layout), &mut scratch.source, &mut output.curves);
        let feet = state.feet(layout).iter().zip(&scratch.touching);
        for (out, (foot, touches)) in output.contacts.iter_mut().zip(feet) {
            (out.touching, out.locked_s) = (*touches == 1, foot.held_s);
        }
        output.playing = state.header.playback.playing;
        output.owns_root = director.owns_root(state.director(layout));
        director.bend_curves(state.after_tick(layout), &mut scratch.source, &mut output.curves);
        let body = (&mut output.pose, &mut output.velocity);
        director.bend_pose(state.after_tick(layout), false, scratch.layer_scratch().0, body);
        BendLegs { character, input, state, touching: &scratch.touching, pose: &mut output.pose }.run(dt_s);
        look(character, input, &mut state.header.corrections.gaze, &mut output.pose, dt_s);
        touch(character, state, &mut output.pose);
        reach(character, input, &mut state.header.corrections.hands, &mut output.pose, dt_s);
        let root = output.pose.world_from_root();
        for step in &mut output.footsteps {
            step.position = root.point(output.pose.in_root(&character.model.skeleton, step.joint).translation);
        }
    }
}
