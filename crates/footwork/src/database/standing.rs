//! How a body stands: found in its motion.

use super::DatabaseContent;
use crate::motion::ClipView;
use crate::pose::{Pose, PoseVelocity};

/// Frames that are looked at.
const LOOKED_AT: usize = 256;
/// Lower than this share of the usual height of the body nobody stands.
const UPRIGHT: f32 = 0.93;

/// The stillest of frames in which all feet touch and the body is as high as it usually is then; the rest pose where there
/// are none.
pub fn standing(c: &DatabaseContent) -> Pose {
    let feet = c.contact_joints.len();
    let mut found: Vec<(f32, f32, Pose)> = Vec::new();
    let (mut pose, mut velocity) = (Pose::rest(&c.skeleton), PoseVelocity::zero(c.skeleton.len()));
    let rest = pose.clone();
    let touching = |frame: &usize| feet > 0 && c.contacts[frame * feet..][..feet].iter().all(|t| *t == 1);
    let all: Vec<usize> = (0..c.poses.frames()).filter(touching).collect();
    let originals = c.clips.iter().filter(|clip| !clip.mirrored);
    for clip in originals {
        let range = clip.frame_range();
        let view = ClipView {
            skeleton: &c.skeleton,
            poses: &c.poses,
            start: range.start,
            frames: range.len(),
            rate_hz: c.pose_rate_hz,
            loop_delta: clip.loop_delta,
            mirror: None,
        };
        let first = all.partition_point(|f| *f < range.start);
        let last = all.partition_point(|f| *f < range.end);
        for k in (first..last).filter(|k| k % all.len().div_ceil(LOOKED_AT) == 0) {
            let time_s = (all[k] - range.start) as f64 / f64::from(c.pose_rate_hz);
            view.sample(time_s, &mut pose, &mut velocity);
            let moves = velocity.linear.iter().chain(&velocity.angular).map(|v| v.length_squared()).sum();
            let joints = 1..c.skeleton.len();
            let height = joints.map(|j| pose.in_root(&c.skeleton, crate::frames::JointIndex::new(j)).translation.y);
            found.push((height.fold(0.0, f32::max), moves, pose.clone()));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let usual = found.get(found.len() / 2).map_or(0.0, |f| f.0);
    let upright = found.into_iter().filter(|f| f.0 >= UPRIGHT * usual);
    upright.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(rest, |f| f.2)
}
