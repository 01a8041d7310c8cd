//! Looking and reaching: what bends the upper body of the pose that is shown, last of all, and decides nothing.
//!
//! These move on with every update, from what was shown last to what is shown now.

use super::character::Update;
use crate::actions::Limb;
use crate::adjust::hands::{Hand, reach_for};
use crate::adjust::look_at::{Gaze, LookAt};
use crate::adjust::lower_body::{LowerBody, MAX_LEGS};
use glam::Vec3;

impl Update<'_> {
    /// Leads hands and hips of an action to their contacts; planted feet stay.
    pub(super) fn touch(&mut self) {
        let (character, pose) = (self.character, &mut self.output.pose);
        let (model, config) = (&character.model, &character.config);
        let root = pose.world_from_root();
        for led in character.led(self.state) {
            let to = root.inverse_point(led.to);
            match (led.limb, &model.rig.body) {
                (Limb::Hips, Some(body)) => {
                    let mut lower = LowerBody::of(&model.skeleton, body, config.feet.reach(), pose);
                    let toes: [Option<Vec3>; MAX_LEGS] =
                        std::array::from_fn(|k| lower.legs().get(k).copied().flatten().map(|leg| leg.toe.translation));
                    lower.shift_hips((to - lower.hips().translation) * led.weight, pose);
                    for (leg, toe) in lower.legs_mut().iter_mut().zip(toes) {
                        let (Some(leg), Some(toe)) = (leg, toe) else { continue };
                        leg.reach(toe, config.feet.reach());
                    }
                    lower.write(pose);
                }
                (Limb::Hand(side), _) => {
                    let Some(arm) = character.resolved.arms[side] else { continue };
                    reach_for(&config.hands, &model.skeleton, arm, pose, (to, led.weight));
                }
                _ => {}
            }
        }
    }

    /// Turns the head towards a target. With `dt_s` the state moves on first; without, it is shown as it was last.
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

    /// Brings hands to their targets; `dt_s` as in [`Update::look`].
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
