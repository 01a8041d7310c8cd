//! A hand that follows a target in the world: a rail, a door, somebody else's hand.

use super::two_bone_ik::{BentLeg, Reach};
use crate::input::HandTarget;
use crate::math::spring::Spring;
use crate::math::{Quat, Transform};
use crate::pose::Pose;
use crate::rig::Leg;
use crate::settings;
use crate::skeleton::Skeleton;
use bytemuck::{Pod, Zeroable};
use glam::Vec3;

settings! {
    /// The `[matcher.hands]` table.
    #[derive(Clone, Debug, PartialEq)]
    pub struct HandConfig {
        /// Whether hands reach for the targets that the game gives.
        enabled: bool = true;
        /// Half-life of reaching out and of letting go. Lower values reach sooner; higher values are smoother.
        half_life_s: f32 = 0.1, in 1e-4 to 10.0, unit "s";
        /// Part of the arm's length that reaching leaves unused, so that elbows stay bent.
        elbow_kept_m: f32 = 0.005, in 0.0 to 1.0, unit "m";
        /// Part before that, in which a stretching arm slows down. Higher values avoid snapping elbows and reach less far.
        elbow_soft_m: f32 = 0.02, in 0.0 to 1.0, unit "m";
        /// Left and right hand: joints or roles. The two joints above each bend.
        joints: [String; 2] = ["left_hand".to_owned(), "right_hand".to_owned()];
    }
}

/// What must be known of a hand from moment to moment. All zeros has never reached for anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Hand {
    /// 0 is where the clip has it, 1 at the target.
    pub weight: Spring,
    /// 1 turns as the target says.
    pub turn: Spring,
    /// The last target, root space, metres: what is let go of fades from there.
    pub position: Vec3,
    /// The last target's rotation, root space.
    pub rotation: Quat,
}

impl Hand {
    /// The state `dt_s` later; `target` is what to reach for, `None` lets go. The root is at `world_from_root`.
    pub fn update(&mut self, config: &HandConfig, target: Option<HandTarget>, world_from_root: Transform, dt_s: f32) {
        if let Some(target) = target {
            self.position = world_from_root.inverse_point(target.position);
            if let Some(rotation) = target.rotation {
                self.rotation = (world_from_root.rotation.inverse() * rotation).normalize();
            }
        }
        let on = |yes: bool| f32::from(u8::from(yes));
        self.weight.to(on(target.is_some()), config.half_life_s, dt_s);
        self.turn.to(on(target.is_some_and(|t| t.rotation.is_some())), config.half_life_s, dt_s);
    }

    /// Bends the arm (`hip` the upper arm, `knee` the forearm, `ankle` and `toe` the hand).
    pub fn apply(&self, config: &HandConfig, skeleton: &Skeleton, arm: Leg, pose: &mut Pose) {
        if self.weight.value < LEAST_WEIGHT && self.turn.value < LEAST_WEIGHT {
            return;
        }
        let mut bent = BentLeg::of(skeleton, pose, arm);
        bent.pole = ELBOW_SIDE;
        let hand = bent.toe.translation;
        let reach = Reach { soft_m: config.elbow_soft_m, kept_m: config.elbow_kept_m };
        bent.reach(hand + (self.position - hand) * self.weight.value, reach);
        let turned = bent.ankle.rotation.slerp(self.rotation.normalize(), self.turn.value);
        bent.turn_foot(turned * bent.ankle.rotation.inverse());
        bent.write(pose);
    }
}

/// Bends an arm so that its hand comes `weight` (0 to 1) of the way to a point of root space; the hand keeps its rotation.
pub(crate) fn reach_for(
    config: &HandConfig,
    skeleton: &Skeleton,
    arm: Leg,
    pose: &mut Pose,
    (to, weight): (Vec3, f32),
) {
    let mut bent = BentLeg::of(skeleton, pose, arm);
    bent.pole = ELBOW_SIDE;
    let (hand, rotation) = (bent.toe.translation, bent.ankle.rotation);
    bent.reach(hand + (to - hand) * weight, Reach { soft_m: config.elbow_soft_m, kept_m: config.elbow_kept_m });
    bent.turn_foot(rotation * bent.ankle.rotation.inverse());
    bent.write(pose);
}

/// Below this nothing is bent.
const LEAST_WEIGHT: f32 = 1e-4;
/// Where the elbow of a straight arm goes, root space: back and down.
const ELBOW_SIDE: Vec3 = Vec3::new(0.0, -0.5, -1.0);
