//! Smooth lowering of the pelvis where legs are too short.

use crate::frames::JointIndex;
use crate::pose::Pose;
use crate::skeleton::Skeleton;
use glam::Vec3;

/// Returns, for each frame, the mean over `half` frames on each side of the maximum need over as many frames: never less
/// than needed, and smooth.
pub fn eased(needed_m: &[f32], half: usize) -> Vec<f32> {
    let around = |f: usize| f.saturating_sub(half)..(f + half + 1).min(needed_m.len());
    let frames = 0..needed_m.len();
    let held: Vec<f32> = frames.clone().map(|f| needed_m[around(f)].iter().copied().fold(0.0, f32::max)).collect();
    frames.map(|f| held[around(f)].iter().sum::<f32>() / around(f).len() as f32).collect()
}

/// Lowers the hips of each pose by `by_m`, `[frames]`, in metres in world space.
pub fn lower(poses: &mut [Pose], skeleton: &Skeleton, hips: JointIndex, by_m: &[f32]) {
    for (pose, by_m) in poses.iter_mut().zip(by_m).filter(|(_, by_m)| **by_m > 0.0) {
        if hips.at() == 0 {
            pose.translations[0].y -= by_m;
        } else {
            let mut in_root = pose.in_root(skeleton, hips);
            in_root.translation -= pose.world_from_root().inverse_direction(Vec3::Y * *by_m);
            pose.set_in_root(skeleton, hips, in_root);
        }
    }
}
