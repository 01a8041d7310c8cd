//! Looking and reaching: the last adjustments of the shown pose, which bend the upper body. No decision depends on them.
//!
//! They advance with every update, from the last shown pose to the next.

use super::character::Update;
use crate::adjust::hands::Hand;
use crate::adjust::look_at::{Gaze, LookAt};
use glam::Vec3;

impl Update<'_> {
    /// Turns the head towards a target. With `dt_s`, the state advances first. Without it, the last state is shown.
    pub(super) fn look(&mut self, dt_s: Option<f32>) {
        let character = self.character;
        let (state, pose) = (&mut self.state.header.corrections.gaze, &mut self.output.pose);
        let target = self.input.look_at.filter(|_| dt_s.is_some() && character.config.look_at.enabled);
        if target.is_none() && *state == LookAt::default() {
            return;
        }
        let (c, model) = (&character.config.look_at, &character.model);
        let joints = &character.resolved.look;
        let Some(head) = joints.last() else { return };
        let standing = model.rig.standing[head.joint.at()].rotation;
        let gaze = Gaze::new(&model.skeleton, joints, standing, Vec3::new(0.0, c.eyes_up_m, c.eyes_ahead_m));
        if let Some(dt_s) = dt_s {
            state.update(c, &gaze, target, pose, dt_s);
        }
        state.apply(&gaze, pose);
    }

    /// Moves hands to their targets; `dt_s` as in [`Update::look`].
    pub(super) fn reach(&mut self, dt_s: Option<f32>) {
        let character = self.character;
        let c = &character.config.hands;
        let pose = &mut self.output.pose;
        for (side, hand) in self.state.header.corrections.hands.iter_mut().enumerate() {
            let target = self.input.hands[side].filter(|_| dt_s.is_some() && c.enabled);
            if target.is_none() && *hand == Hand::default() {
                continue;
            }
            let Some(arm) = character.resolved.arms[side] else { continue };
            if let Some(dt_s) = dt_s {
                hand.update(c, target, pose.world_from_root(), dt_s);
            }
            hand.apply(c, &character.model.skeleton, arm, pose);
        }
    }
}
