//! Facts about the body from its motion: the hinges of its knees, and its standing pose.

use crate::database::Clip;
use crate::motion::PosePool;
use crate::pose::{Pose, PoseVelocity};
use crate::rig::Rig;
use crate::skeleton::Skeleton;

/// Approximate number of frames that are examined.
const LOOKED_AT: usize = 256;
/// Minimum height of a standing body, as a share of its usual height.
const UPRIGHT: f32 = 0.93;

/// Approximate number of poses from which hinges are computed.
const HINGE_POSES: usize = 512;

/// Motion that is examined.
pub struct Motion<'a> {
    pub skeleton: &'a Skeleton,
    pub poses: &'a PosePool,
    pub clips: &'a [Clip],
    /// `[frames x contact joints]`.
    pub contacts: &'a [u8],
    pub pose_rate_hz: f32,
    /// Frames that are used, in rising order.
    pub usual: &'a [usize],
}

/// Completes a rig with facts from the motion.
pub fn complete(rig: &mut Rig, motion: &Motion) {
    let (poses, joints) = (motion.poses, motion.poses.joints);
    let step = (motion.usual.len() / HINGE_POSES).max(1);
    let some = motion.usual.iter().step_by(step).map(|f| &poses.rotations[f * joints..][..joints]);
    rig.set_hinges(motion.skeleton, some);
    rig.set_standing(motion.skeleton, standing(motion, rig.contact_joints.len()));
}

/// Returns the stillest frame in which all feet touch the ground and the body has its usual height. Without such a frame,
/// returns the rest pose.
fn standing(c: &Motion, feet: usize) -> Pose {
    let mut found: Vec<(f32, f32, Pose)> = Vec::new();
    let (mut pose, mut velocity) = (Pose::rest(c.skeleton), PoseVelocity::zero(c.skeleton.len()));
    let rest = pose.clone();
    let touching = |frame: &usize| feet > 0 && c.contacts[frame * feet..][..feet].iter().all(|t| *t == 1);
    let all: Vec<usize> = c.usual.iter().copied().filter(touching).collect();
    let originals = c.clips.iter().filter(|clip| !clip.mirrored);
    for clip in originals {
        let range = clip.frame_range();
        let view = clip.view(c.skeleton, c.poses, c.pose_rate_hz);
        let first = all.partition_point(|f| *f < range.start);
        let last = all.partition_point(|f| *f < range.end);
        for k in (first..last).filter(|k| k % all.len().div_ceil(LOOKED_AT) == 0) {
            let time_s = (all[k] - range.start) as f64 / f64::from(c.pose_rate_hz);
            view.sample(time_s, &mut pose, &mut velocity);
            let moves = velocity.linear.iter().chain(&velocity.angular).map(|v| v.length_squared()).sum();
            let joints = 1..c.skeleton.len();
            let height = joints.map(|j| pose.in_root(c.skeleton, crate::frames::JointIndex::new(j)).translation.y);
            found.push((height.fold(0.0, f32::max), moves, pose.clone()));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let usual = found.get(found.len() / 2).map_or(0.0, |f| f.0);
    let upright = found.into_iter().filter(|f| f.0 >= UPRIGHT * usual);
    upright.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(rest, |f| f.2)
}
