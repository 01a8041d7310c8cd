//! Foot placement in a blend.
//!
//! The mean of joint rotations does not keep a foot in place that all samples keep in place: the foot would slide. Therefore each
//! toe is placed at the weighted mean of its sample positions, and its leg bends to reach it.

use crate::adjust::two_bone_ik::{BentLeg, Reach};
use crate::database::Database;
use crate::frames::JointIndex;
use crate::math::{Quat, Transform};
use crate::pose::{Pose, PoseVelocity};
use crate::rig::Leg;
use glam::Vec3;

/// Velocities are central differences with this step, in seconds.
const STEP_S: f32 = 1.0 / 240.0;
/// No leg stretches further than the longest leg of a sample, because the mean of legs is no longer than the longest of them.
const REACH: Reach = Reach { kept_m: 0.0, soft_m: 0.0 };

/// A sample of a blend.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// Weight of the sample.
    pub weight: f32,
    /// Play rate: seconds of the clip per second.
    pub pace: f32,
    /// Change of the weight, per second.
    pub rate: f32,
}

/// Bends the `wanted` legs of a blended pose so that each toe is at the weighted mean of the samples' toes, in root space.
/// `sampled` and `parts` belong to the samples. `velocity` remains the rate of change of `pose`.
pub(super) fn place_feet(
    db: &Database,
    wanted: impl Fn(usize) -> bool,
    (sampled, parts): (&[(Pose, PoseVelocity)], &[Part]),
    (pose, velocity): (&mut Pose, &mut PoseVelocity),
) {
    let Some(body) = &db.rig.body else { return };
    for leg in body.legs.iter().flatten().filter(|leg| wanted(leg.toe.at())) {
        let bent = |later_s: f32| {
            let toe = |((pose, velocity), part): (&(Pose, PoseVelocity), &Part)| {
                let toe = db.skeleton.in_root(leg.toe, |j| local(pose, velocity, j, part.pace * later_s));
                toe.translation * (part.weight + part.rate * later_s)
            };
            let target: Vec3 = sampled.iter().zip(parts).map(toe).sum();
            bend(db, *leg, |j| local(pose, velocity, j, later_s), target)
        };
        let [before, now, after] = [-STEP_S, 0.0, STEP_S].map(bent);
        for ((joint, rotation), ((_, before), (_, after))) in now.into_iter().zip(before.into_iter().zip(after)) {
            pose.rotations[joint.at()] = rotation;
            let turn = after.towards(before) * before.inverse();
            velocity.angular[joint.at()] = turn.to_rotation_vector() / (2.0 * STEP_S);
        }
    }
}

/// Returns a joint's local transform `later_s` seconds later.
fn local(pose: &Pose, velocity: &PoseVelocity, joint: JointIndex, later_s: f32) -> Transform {
    let at = pose.local(joint);
    if later_s == 0.0 {
        return at;
    }
    let turn = Quat::from_rotation_vector(velocity.angular[joint.at()] * later_s);
    Transform::new(at.translation + velocity.linear[joint.at()] * later_s, (turn * at.rotation).renormalize())
}

/// Returns the local rotations of a leg whose toe reaches `target`, in root space.
fn bend(db: &Database, leg: Leg, local: impl Fn(JointIndex) -> Transform, target: Vec3) -> [(JointIndex, Quat); 4] {
    let above = db.skeleton.parents()[leg.hip.at()].map_or(Transform::IDENTITY, |p| db.skeleton.in_root(p, &local));
    let mut bent = BentLeg::of_locals(above, local, leg);
    bent.reach(target, REACH);
    bent.local_rotations()
}
