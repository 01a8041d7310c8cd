//! Hand IK: a hand follows a target in the world, such as a rail, a door or another character's hand.

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

/// State of a hand between updates. All zeros is the initial state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Hand {
    /// Weight of the position: 0 keeps the clip's, 1 is at the target.
    pub weight: Spring,
    /// Weight of the rotation: 0 keeps the clip's, 1 is the target's.
    pub turn: Spring,
    /// The last target, root space, metres; a released hand blends out from there.
    pub position: Vec3,
    /// Rotation of the last target, root space.
    pub rotation: Quat,
}

impl Hand {
    /// Updates the state by `dt_s`. `target` is the point to reach for; `None` releases the hand. The root is at
    /// `world_from_root`.
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

/// Bends an arm so that its hand comes to a point in root space. The hand keeps its rotation.
pub(crate) fn touch(skeleton: &Skeleton, arm: Leg, pose: &mut Pose, to: Vec3) {
    let mut bent = BentLeg::of(skeleton, pose, arm);
    if arm.hinge == Vec3::ZERO {
        // The elbow stays on its side.
        let [upper, whole] = [bent.knee, bent.ankle].map(|joint| joint.translation - bent.hip.translation);
        let along = whole.normalize_or_zero();
        bent.pole = upper - along * upper.dot(along) + ELBOW_SIDE * STRAIGHT_M;
    }
    let rotation = bent.ankle.rotation;
    bent.reach(to, TOUCH_REACH);
    bent.turn_foot(rotation * bent.ankle.rotation.inverse());
    bent.write(pose);
}

/// Reach of an arm that touches: its clip stretches it, too, so almost its whole length is used.
const TOUCH_REACH: Reach = Reach { soft_m: 0.005, kept_m: 0.001 };
/// Distance of the elbow from the line between shoulder and hand in an arm that counts as straight, in metres.
const STRAIGHT_M: f32 = 0.01;
/// Weight below which the pose is not changed.
const LEAST_WEIGHT: f32 = 1e-4;
/// Direction in which the elbow of a straight arm bends, root space: back and down.
const ELBOW_SIDE: Vec3 = Vec3::new(0.0, -0.5, -1.0);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::JointIndex;

    #[test]
    fn the_elbow_of_an_arm_that_bends_the_wrong_way_does_not_jump() {
        let at = |x: f32, y: f32| Transform::new(Vec3::new(x, y, 0.0), Quat::IDENTITY);
        let skeleton = Skeleton::new(
            ["Root", "Arm", "ForeArm", "Hand"].map(str::to_owned).to_vec(),
            vec![None, Some(JointIndex::new(0)), Some(JointIndex::new(1)), Some(JointIndex::new(2))],
            vec![Transform::IDENTITY, at(0.0, 1.4), at(0.3, 0.0), at(0.27, 0.0)],
        )
        .unwrap();
        let [hip, knee, ankle] = [1, 2, 3].map(JointIndex::new);
        // A positive angle about +Y bends the elbow.
        let arm = Leg { hip, knee, ankle, toe: ankle, hinge: Vec3::Y };
        let elbow = |angle_rad: f32| {
            let mut pose = Pose::rest(&skeleton);
            pose.rotations[knee.at()] = Quat::from_rotation_y(angle_rad);
            touch(&skeleton, arm, &mut pose, Vec3::new(0.5, 1.4, 0.0));
            pose.in_root(&skeleton, knee).translation
        };
        for k in -20..20 {
            let [now, next] = [k, k + 1].map(|k| elbow(0.01 * k as f32));
            assert!((next - now).length() < 0.02, "{k}: {now} {next}");
            assert!(next.z > 0.05, "{k}: {next}");
        }
    }
}
