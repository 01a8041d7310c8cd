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

/// Returns the turn that a transition adds in its frame, degrees: the distance of the change of the root's turn per frame from
/// the range between the changes of the frames before and after it. A root that speeds its turn up evenly, as the simulated
/// character does after a command, adds nothing. `None` in the first three frames and the last.
pub fn added_yaw_step_deg(roots: &[Transform], frame: usize) -> Option<f32> {
    let first = frame.checked_sub(3)?;
    let [a, b, c, d, e] = *roots.get(first..first + 5)? else { return None };
    let turn = |from: Transform, to: Transform| {
        Facing::from_rotation(from.rotation).angle_to(Facing::from_rotation(to.rotation))
    };
    let turns = [turn(a, b), turn(b, c), turn(c, d), turn(d, e)];
    let [before, change, after] = [0, 1, 2].map(|i| turns[i + 1] - turns[i]);
    Some((change - change.clamp(before.min(after), before.max(after))).abs().to_degrees())
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

    /// Roots that turn by `turn_deg(frame)` from each frame to the next, from 175 degrees on: across the wrap.
    fn turning(turn_deg: impl Fn(usize) -> f32) -> Vec<Transform> {
        let mut yaw_deg = 175.0_f32;
        let mut turn = |frame| {
            yaw_deg += turn_deg(frame);
            Transform::new(Vec3::ZERO, Quat::from_rotation_y(yaw_deg.to_radians()))
        };
        (0..12).map(&mut turn).collect()
    }

    fn assert_steps(roots: &[Transform], expected: impl Fn(usize) -> f32) {
        assert_eq!(added_yaw_step_deg(roots, 2), None);
        assert_eq!(added_yaw_step_deg(roots, 11), None);
        for frame in 3..11 {
            let found = added_yaw_step_deg(roots, frame).unwrap();
            assert!((found - expected(frame)).abs() < 1e-3, "frame {frame}: {found}");
        }
    }

    #[test]
    fn an_even_turn_adds_no_step_and_a_kick_adds_its_own() {
        let kick = |frame| if (7..=8).contains(&frame) { 2.0 } else { 0.0 };
        // The turn is 1 degree per frame, and from frame 7 on 3 degrees.
        assert_steps(&turning(|frame| if frame >= 7 { 3.0 } else { 1.0 }), |frame| if frame == 7 { 2.0 } else { 0.0 });
        // 2 degrees more in frame 7 alone: up, and down again.
        assert_steps(&turning(|frame| if frame == 7 { 3.0 } else { 1.0 }), kick);
    }

    #[test]
    fn a_turn_that_speeds_up_adds_no_step_but_a_kick_in_it_does() {
        let speeding = |frame: usize| frame.saturating_sub(5) as f32 * 0.5;
        assert_steps(&turning(speeding), |_| 0.0);
        assert_steps(&turning(|frame| speeding(frame) + if frame >= 7 { 2.0 } else { 0.0 }), |frame| {
            if frame == 7 { 2.0 } else { 0.0 }
        });
    }
}
