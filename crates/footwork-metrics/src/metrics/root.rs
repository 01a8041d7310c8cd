//! Differences between the root and the simulated character that it is pulled towards.

use footwork::math::{Facing, Transform};
use glam::{Vec3, Vec3Swizzles};

/// Returns the distance on the ground between the simulated character and the root, metres.
pub fn path_error_m(root: Transform, simulated: Vec3) -> f32 {
    (root.translation - simulated).xz().length()
}

/// Returns the angle between their facings, degrees.
pub fn heading_error_deg(root: Transform, simulated: Facing) -> f32 {
    Facing::from_rotation(root.rotation).angle_to(simulated).abs().to_degrees()
}

/// Returns the change of the root's turn per frame from the last frame to this one, degrees. It shows the turn that a transition
/// adds. `None` in the first two frames.
pub fn yaw_step_change_deg(roots: &[Transform], frame: usize) -> Option<f32> {
    let before = frame.checked_sub(2)?;
    let [a, b, c] = [before, before + 1, frame].map(|f| Facing::from_rotation(roots[f].rotation));
    Some((b.angle_to(c) - a.angle_to(b)).abs().to_degrees())
}

#[cfg(test)]
mod tests {
    use super::*;
    use footwork::math::Quat;

    #[test]
    fn errors_are_on_the_ground_and_about_up() {
        let root = Transform::new(Vec3::new(3.0, 7.0, 4.0), Quat::from_rotation_y(3.0));
        assert_eq!(path_error_m(root, Vec3::ZERO), 5.0);
        let error = heading_error_deg(root, Facing::from_yaw(-3.0));
        assert!((error - (std::f32::consts::TAU - 6.0).to_degrees()).abs() < 1e-2, "{error}");
    }

    #[test]
    fn an_even_turn_has_no_step_and_a_kick_has_its_own() {
        // Across the wrap at 180 degrees, with 2 degrees more in frame 7.
        let yaw = |frame: usize| (175.0 + frame as f32 + if frame >= 7 { 2.0 } else { 0.0 }).to_radians();
        let roots: Vec<Transform> =
            (0..12).map(|f| Transform::new(Vec3::ZERO, Quat::from_rotation_y(yaw(f)))).collect();
        assert_eq!(yaw_step_change_deg(&roots, 1), None);
        for frame in 2..12 {
            let expected = if (7..=8).contains(&frame) { 2.0 } else { 0.0 };
            let found = yaw_step_change_deg(&roots, frame).unwrap();
            assert!((found - expected).abs() < 1e-3, "frame {frame}: {found}");
        }
    }
}
