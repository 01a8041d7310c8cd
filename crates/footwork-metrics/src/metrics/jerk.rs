//! Jerk and changes of velocity.

use crate::RATE_HZ;
use crate::motion::{Motion, Space};
use footwork::frames::JointIndex;
use glam::Vec3;

/// Frames after a transition that count as affected by it: 0.2 s.
pub const SEAM_FRAMES: usize = 12;

/// Returns the last `N` positions of a joint, the newest first; `None` near the start.
fn latest<const N: usize>(motion: &Motion, space: Space, frame: usize, joint: JointIndex) -> Option<[Vec3; N]> {
    (frame + 1 >= N).then(|| std::array::from_fn(|k| motion.position(space, frame - k, joint)))
}

/// Returns the jerk of a joint, m/s3: the third difference of its position. `None` in the first three frames.
pub fn jerk_mps3(motion: &Motion, space: Space, frame: usize, joint: JointIndex) -> Option<f32> {
    let [p0, p1, p2, p3] = latest(motion, space, frame, joint)?;
    // Differences of differences, since positions are large compared with them.
    let third = ((p0 - p1) - (p1 - p2)) - ((p1 - p2) - (p2 - p3));
    Some(third.length() * RATE_HZ * RATE_HZ * RATE_HZ)
}

/// Returns the change of a joint's velocity from one frame to the next, m/s. `None` in the first two frames.
pub fn velocity_change_mps(motion: &Motion, space: Space, frame: usize, joint: JointIndex) -> Option<f32> {
    let [p0, p1, p2] = latest(motion, space, frame, joint)?;
    Some(((p0 - p1) - (p1 - p2)).length() * RATE_HZ)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::tests::{circling, moving};
    use footwork::math::Transform;

    const TOE: JointIndex = JointIndex(1);

    #[test]
    fn the_jerk_of_a_cubic_is_six_times_its_factor() {
        let motion = moving(30, |_| Transform::IDENTITY, |t| Vec3::new(0.0, 300.0 * t * t * t, t));
        assert_eq!(jerk_mps3(&motion, Space::World, 2, TOE), None);
        for frame in 3..30 {
            let jerk = jerk_mps3(&motion, Space::World, frame, TOE).unwrap();
            assert!((jerk - 1800.0).abs() < 10.0, "{jerk}");
        }
    }

    #[test]
    fn the_velocity_of_a_parabola_changes_evenly() {
        // 6 m/s2: 0.1 m/s each frame.
        let motion = moving(30, |_| Transform::IDENTITY, |t| Vec3::X * (3.0 * t * t));
        assert_eq!(velocity_change_mps(&motion, Space::World, 1, TOE), None);
        for frame in 2..30 {
            assert!((velocity_change_mps(&motion, Space::World, frame, TOE).unwrap() - 0.1).abs() < 1e-4);
        }
    }

    #[test]
    fn what_stands_still_against_the_root_moves_in_the_world_alone() {
        let motion = moving(30, circling, |t| circling(t).point(Vec3::new(0.5, 1.0, 0.0)));
        for frame in 3..30 {
            assert!(jerk_mps3(&motion, Space::Root, frame, TOE).unwrap() < 0.3);
            assert!(velocity_change_mps(&motion, Space::Root, frame, TOE).unwrap() < 1e-4);
            // On a circle of 2.5 m at 1 rad/s: 2.5 m/s3.
            assert!((jerk_mps3(&motion, Space::World, frame, TOE).unwrap() - 2.5).abs() < 0.5);
        }
    }
}
