//! The skeleton of a robot: one joint per hinge, so that its clips become a database, and poses of such a database angles again.

use crate::clip::RobotClip;
use crate::model::RobotModel;
use crate::spatial::{rotation_to_clip, rotation_to_robot, to_clip, to_robot, twist};
use footwork::clip::RawClip;
use footwork::frames::JointIndex;
use footwork::math::{Quat, Transform};
use footwork::skeleton::{Skeleton, SkeletonError};
use glam::{DQuat, DVec3, Vec3};
use std::collections::BTreeSet;

/// A skeleton with a joint for each hinge and each body without hinges, in the axes of clips.
///
/// The last hinge of a body (or the body without one) has the name of the body; others have their own. A joint is on the axis of
/// its hinge.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotSkeleton {
    /// The skeleton, in the pose that the model's file describes.
    pub skeleton: Skeleton,
    /// `[hinges]` joint of each hinge.
    pub joint_of_hinge: Vec<usize>,
    /// `[joints]` hinge of each joint.
    hinge_of_joint: Vec<Option<usize>>,
    /// `[joints]` transform relative to the parent with the hinge at its reference, in the axes of the robot.
    local: Vec<(DVec3, DQuat)>,
}

impl RobotSkeleton {
    /// Creates the skeleton of a robot.
    ///
    /// # Errors
    /// Returns an error if a body and a hinge of another body have one name.
    pub fn new(model: &RobotModel) -> Result<Self, SkeletonError> {
        let bodies: BTreeSet<&str> = model.bodies.iter().map(|b| b.name.as_str()).collect();
        let (mut names, mut parents, mut local) = (Vec::new(), Vec::new(), Vec::new());
        let mut hinge_of_joint = Vec::new();
        let mut joint_of_hinge = vec![0; model.hinges.len()];
        // Per body: its joint, and the origin of this joint in the frame of the body.
        let mut ends: Vec<(usize, DVec3)> = Vec::new();
        for body in &model.bodies {
            let (mut above, from) = body.parent.map_or((None, DVec3::ZERO), |p| (Some(ends[p].0), ends[p].1));
            let (mut at, mut turn) = (body.position - from, body.rotation);
            let mut origin = DVec3::ZERO;
            let hinges: Vec<Option<usize>> =
                if body.hinges.is_empty() { vec![None] } else { body.hinges.clone().map(Some).collect() };
            for (k, hinge) in hinges.iter().enumerate() {
                if let Some(h) = *hinge {
                    at += turn * (model.hinges[h].anchor - origin);
                    origin = model.hinges[h].anchor;
                    joint_of_hinge[h] = names.len();
                }
                let own = hinge.map(|h| model.hinges[h].name.clone()).filter(|_| k + 1 < hinges.len());
                let own = own.map(|name| if bodies.contains(name.as_str()) { format!("{name}_hinge") } else { name });
                names.push(own.unwrap_or_else(|| body.name.clone()));
                parents.push(above.map(JointIndex::new));
                local.push((at, turn));
                hinge_of_joint.push(*hinge);
                above = Some(names.len() - 1);
                (at, turn) = (DVec3::ZERO, DQuat::IDENTITY);
            }
            ends.push((names.len() - 1, origin));
        }
        let rest = local.iter().map(|(at, turn)| Transform::new(to_clip(*at), rotation_to_clip(*turn))).collect();
        let skeleton = Skeleton::new(names, parents, rest)?;
        Ok(Self { skeleton, joint_of_hinge, hinge_of_joint, local })
    }

    /// Returns a clip of the robot as a clip of this skeleton.
    pub fn to_clip(&self, model: &RobotModel, clip: &RobotClip) -> RawClip {
        let (mut translations, mut rotations): (Vec<Vec3>, Vec<Quat>) = (Vec::new(), Vec::new());
        for pose in clip.poses.chunks_exact(model.pose_len()) {
            for (j, hinge) in self.hinge_of_joint.iter().enumerate() {
                let (mut at, mut turn) = self.local[j];
                if j == 0 {
                    at = DVec3::new(pose[0], pose[1], pose[2]);
                    turn = DQuat::from_xyzw(pose[4], pose[5], pose[6], pose[3]).normalize();
                }
                if let Some(h) = *hinge {
                    let of = &model.hinges[h];
                    turn *= crate::spatial::about(of.axis, pose[7 + h] - of.reference);
                }
                translations.push(to_clip(at));
                rotations.push(rotation_to_clip(turn.normalize()));
            }
        }
        RawClip {
            name: clip.name.clone(),
            source: model.name.clone(),
            skeleton: self.skeleton.clone(),
            rate_hz: clip.rate_hz as f32,
            looping: clip.looping,
            translations,
            rotations,
            annotations: clip.annotations.clone(),
        }
    }

    /// Writes the pose of the robot (`qpos`, `[7 + hinges]`) for a pose of a skeleton with these joints. `root`: the robot's root
    /// in the world of clips. `rotations`: `[hinges]` local rotations of the joints of the hinges. Turns about other axes than a
    /// hinge's are left out, and angles are limited to its range. Allocates nothing.
    ///
    /// # Panics
    /// Panics if there is not one rotation per hinge, or `pose` has another number of values.
    pub fn pose(&self, model: &RobotModel, root: Transform, rotations: &[Quat], pose: &mut [f64]) {
        assert_eq!(
            (rotations.len(), pose.len()),
            (model.hinges.len(), model.pose_len()),
            "rotations and values of a pose"
        );
        let (at, turn) = (to_robot(root.translation), rotation_to_robot(root.rotation));
        pose[..3].copy_from_slice(&at.to_array());
        pose[3..7].copy_from_slice(&[turn.w, turn.x, turn.y, turn.z]);
        for (h, hinge) in model.hinges.iter().enumerate() {
            let rest = self.local[self.joint_of_hinge[h]].1;
            let angle = hinge.reference + twist(rest.inverse() * rotation_to_robot(rotations[h]), hinge.axis);
            pose[7 + h] = hinge.range.map_or(angle, |[low, high]| angle.clamp(low, high));
        }
    }
}
