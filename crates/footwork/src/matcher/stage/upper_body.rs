//! Looking and reaching: the last adjustments of the shown pose, which bend the upper body. No decision depends on them.
//!
//! They advance with every update, from the last shown pose to the next.

use crate::actions::Limb;
use crate::adjust::hands::{self, Hand};
use crate::adjust::look_at::{Gaze, LookAt};
use crate::input::MotionInput;
use crate::matcher::character::Character;
use crate::matcher::state::MatcherState;
use crate::pose::Pose;
use glam::Vec3;

/// Turns the head of a pose towards the target of the input. With `dt_s`, the state advances first. Without it, the last state is
/// shown.
pub fn look(character: &Character, input: &MotionInput, state: &mut LookAt, pose: &mut Pose, dt_s: Option<f32>) {
    let (c, model, joints) = (&character.config.look_at, &character.model, &character.resolved.look);
    let target = input.look_at.filter(|_| dt_s.is_some() && c.enabled);
    if target.is_none() && *state == LookAt::default() {
        return;
    }
    let Some(head) = joints.last() else { return };
    let standing = model.rig.standing[head.joint.at()].rotation;
    let gaze = Gaze::new(&model.skeleton, joints, standing, Vec3::new(0.0, c.eyes_up_m, c.eyes_ahead_m));
    if let Some(dt_s) = dt_s {
        state.update(c, &gaze, target, pose, dt_s);
    }
    state.apply(&gaze, pose);
}

/// Moves the hands of a pose to the places to which the director leads them.
pub fn touch(character: &Character, state: &MatcherState, pose: &mut Pose) {
    let (memory, now_s) = (state.director(&character.resolved.layout), state.header.clock.time_s);
    if !character.director.owns_root(memory) {
        return;
    }
    for (side, arm) in character.resolved.arms.iter().enumerate() {
        let (Some(arm), Some(lead)) = (arm, character.director.lead(memory, now_s, Limb::Hand(side))) else { continue };
        let (skeleton, root) = (&character.model.skeleton, pose.world_from_root());
        let hand = root.point(pose.in_root(skeleton, arm.toe).translation);
        let to = lead.point(hand);
        if (to - hand).length_squared() > 1e-10 {
            hands::touch(skeleton, *arm, pose, root.inverse_point(to));
        }
    }
}

/// Moves the hands of a pose, left and right, to the targets of the input; `dt_s` as in [`look`].
pub fn reach(character: &Character, input: &MotionInput, hands: &mut [Hand; 2], pose: &mut Pose, dt_s: Option<f32>) {
    let c = &character.config.hands;
    for (side, hand) in hands.iter_mut().enumerate() {
        let target = input.hands[side].filter(|_| dt_s.is_some() && c.enabled);
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
