//! Feet of a blend.
//!
//! Means of joint rotations do not keep a foot still that all samples keep still: it would slide. Therefore each toe is put at the
//! weighted mean of its places in the samples, and its leg bends to reach it.

use crate::adjust::two_bone_ik::{BentLeg, Reach};
use crate::database::Database;
use crate::frames::JointIndex;
use crate::math::{Quat, Transform};
use crate::pose::{Pose, PoseVelocity};
use crate::rig::Leg;
use glam::Vec3;

/// Velocities are differences over twice this time, seconds.
const STEP_S: f32 = 1.0 / 240.0;
/// The mean of legs is as long as the longest of them at most: no leg stretches further than a sample's.
const REACH: Reach = Reach { kept_m: 0.0, soft_m: 0.0 };

/// A sample of a blend.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// Its weight.
    pub weight: f32,
    /// Seconds of its clip per second.
    pub pace: f32,
    /// Change of the weight, per second.
    pub rate: f32,
}

/// Bends the `wanted` legs of a blended pose so that each toe is at the weighted mean of the samples' toes, root space. `sampled`
/// and `parts` are of the samples; `velocity` stays the rate of change of `pose`.
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

/// A joint's local transform `later_s` seconds later.
fn local(pose: &Pose, velocity: &PoseVelocity, joint: JointIndex, later_s: f32) -> Transform {
    let at = pose.local(joint);
    if later_s == 0.0 {
        return at;
    }
    let turn = Quat::from_rotation_vector(velocity.angular[joint.at()] * later_s);
    Transform::new(at.translation + velocity.linear[joint.at()] * later_s, (turn * at.rotation).renormalize())
}

/// Local rotations of a leg whose toe is brought to `target`, root space.
fn bend(db: &Database, leg: Leg, local: impl Fn(JointIndex) -> Transform, target: Vec3) -> [(JointIndex, Quat); 4] {
    let above = db.skeleton.parents()[leg.hip.at()].map_or(Transform::IDENTITY, |p| db.skeleton.in_root(p, &local));
    let mut bent = BentLeg::of_locals(above, local, leg);
    bent.reach(target, REACH);
    bent.local_rotations()
}
