//! Size of the discontinuity at a transition: the difference between the poses before and after it, without blending.

use footwork::pose::RootMotion;
use glam::Vec3;

/// Returns the mean distance between the joints of two poses in root space, without the root, cm.
pub fn pose_jump_cm(from: &RootMotion, to: &RootMotion) -> f32 {
    mean_distance(&from.positions, &to.positions) * 100.0
}

/// Returns the mean difference between the velocities of their joints in root space, without the root, cm/s.
pub fn velocity_jump_cm_s(from: &RootMotion, to: &RootMotion) -> f32 {
    mean_distance(&from.velocities, &to.velocities) * 100.0
}

fn mean_distance(a: &[Vec3], b: &[Vec3]) -> f32 {
    let joints = a.len().saturating_sub(1).max(1);
    let sum: f32 = a.iter().zip(b).skip(1).map(|(a, b)| (*a - *b).length()).sum();
    sum / joints as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_are_means_over_the_joints_without_the_root() {
        let from = RootMotion::zero(3);
        let mut to = RootMotion::zero(3);
        to.positions = vec![Vec3::X * 9.0, Vec3::new(0.0, 0.03, 0.04), Vec3::Z * 0.01];
        to.velocities = vec![Vec3::X * 9.0, Vec3::ZERO, Vec3::Z];
        assert!((pose_jump_cm(&from, &to) - 3.0).abs() < 1e-5);
        assert!((velocity_jump_cm_s(&from, &to) - 50.0).abs() < 1e-4);
    }
}
