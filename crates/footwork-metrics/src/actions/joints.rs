//! Positions of all joints, and jumps of their velocities.

use crate::{RATE_HZ, is_aside};
use footwork::database::Database;
use footwork::frames::{ClipIndex, JointIndex};
use footwork::pose::{Pose, PoseVelocity};
use glam::Vec3;
use rayon::prelude::*;

/// Returns the largest change of a joint's velocity from one frame to the next in the clips of locomotion, world, in m/s.
pub fn largest_change_mps(db: &Database) -> f32 {
    let of_clip = |clip: usize| {
        let clip = ClipIndex::new(clip);
        if db.is_made(&db.clips[clip.at()]) || is_aside(db, clip) {
            return 0.0;
        }
        let view = db.view(clip, false);
        let (mut pose, mut velocity) = (Pose::rest(&db.skeleton), PoseVelocity::zero(db.skeleton.len()));
        let frames = (view.seconds() * f64::from(RATE_HZ)) as usize;
        let mut last: [Vec<Vec3>; 2] = [Vec::new(), Vec::new()];
        let mut most_mps: f32 = 0.0;
        for frame in 0..frames {
            view.sample(frame as f64 / f64::from(RATE_HZ), &mut pose, &mut velocity);
            let joints = positions(db, &pose);
            if last[1].len() == joints.len() {
                most_mps = (1..joints.len()).map(|k| change_mps(k, &joints, &last)).fold(most_mps, f32::max);
            }
            last.swap(0, 1);
            last[0] = joints;
        }
        most_mps
    };
    (0..db.originals()).into_par_iter().map(of_clip).reduce(|| 0.0, f32::max)
}

/// Returns the positions of all joints: world, in metres.
pub fn positions(db: &Database, pose: &Pose) -> Vec<Vec3> {
    let world = pose.world_from_root();
    (0..db.skeleton.len()).map(|j| world.point(pose.in_root(&db.skeleton, JointIndex::new(j)).translation)).collect()
}

/// Returns the change of the velocity of joint `k`, in m/s, from its positions in this frame and the last two.
pub fn change_mps(k: usize, now: &[Vec3], last: &[Vec<Vec3>; 2]) -> f32 {
    ((now[k] - last[0][k]) - (last[0][k] - last[1][k])).length() * RATE_HZ
}
