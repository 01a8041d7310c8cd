//! The output of a character: the pose with its adjustments, contacts and curves.

use super::character::Update;
use super::transition::animate;

impl Update<'_> {
    /// Fills the output from the state. With `dt_s`, the time step of the update, the adjustments of the pose advance first.
    /// Without it, the last adjustments are shown.
    pub(super) fn show(&mut self, dt_s: Option<f32>) {
        let character = self.character;
        let (output, layout) = (&mut *self.output, &character.resolved.layout);
        animate(character, self.state, &mut self.scratch.source, (&mut output.pose, &mut output.velocity));
        self.gather_touching();
        let output = &mut *self.output;
        let at = self.state.playhead(layout);
        character.source.curves(at, &mut self.scratch.source, &mut output.curves);
        let feet = self.state.feet(layout).iter().zip(&self.scratch.touching);
        for (out, (foot, touches)) in output.contacts.iter_mut().zip(feet) {
            (out.touching, out.locked_s) = (*touches == 1, foot.held_s);
        }
        output.playing = self.state.header.playing;
        self.bend_curves();
        self.show_layers();
        self.bend_legs(dt_s);
        self.look(dt_s);
        self.reach(dt_s);
        let output = &mut *self.output;
        let root = output.pose.world_from_root();
        for step in &mut output.footsteps {
            step.position = root.point(output.pose.in_root(&character.model.skeleton, step.joint).translation);
        }
    }
}
