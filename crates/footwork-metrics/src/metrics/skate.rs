//! Foot skating: horizontal motion of toes near the ground.

use crate::RATE_HZ;
use crate::motion::{Motion, Space};
use crate::samples::percentile;
use footwork::frames::JointIndex;
use glam::Vec3Swizzles;

/// Maximum height of a low toe above its height in contact, metres.
pub const LOW_M: f32 = 0.025;

/// Returns the horizontal speed of a toe in the world, cm/s; `None` in the first frame. In frames labelled as contact, this is
/// skate.
pub fn toe_speed_cm_s(motion: &Motion, frame: usize, toe: JointIndex) -> Option<f32> {
    let before = frame.checked_sub(1)?;
    let moved = motion.position(Space::World, frame, toe) - motion.position(Space::World, before, toe);
    Some(moved.xz().length() * RATE_HZ * 100.0)
}

/// Returns the contact weight of a toe at a height above its lowest height, from 1 to 0: 2 - 2^(h / 2.5 cm).
///
/// Source: Zhang et al., "Mode-adaptive neural networks for quadruped motion control" (2018).
pub fn height_weight(height_m: f32) -> f32 {
    (2.0 - footwork::advanced::math::powf(2.0, height_m / LOW_M)).clamp(0.0, 1.0)
}

/// Returns the height of the toes in contact in a clip, metres: the median over frames labelled as contact; `None` without any.
pub fn rest_height_m(motion: &Motion, toes: &[JointIndex]) -> Option<f32> {
    let mut heights: Vec<f32> = toe_heights(motion, toes).filter(|(_, touches)| *touches).map(|(h, _)| h).collect();
    (!heights.is_empty()).then(|| percentile(&mut heights, 50.0))
}

/// Returns the lowest height of the toes in a clip, metres: the 5th percentile.
pub fn lowest_height_m(motion: &Motion, toes: &[JointIndex]) -> Option<f32> {
    let mut heights: Vec<f32> = toe_heights(motion, toes).map(|(h, _)| h).collect();
    (!heights.is_empty()).then(|| percentile(&mut heights, 5.0))
}

fn toe_heights(motion: &Motion, toes: &[JointIndex]) -> impl Iterator<Item = (f32, bool)> {
    (0..motion.frames()).flat_map(move |frame| {
        toes.iter().enumerate().map(move |(slot, toe)| {
            let touches = motion.contacts[frame * toes.len() + slot] != 0;
            (motion.position(Space::World, frame, *toe).y, touches)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::tests::moving;
    use footwork::math::Transform;
    use glam::Vec3;

    const TOE: JointIndex = JointIndex(1);

    #[test]
    fn a_toe_that_slides_has_its_speed_over_ground() {
        // 30 cm/s along x, 40 cm/s along z; vertical motion does not count.
        let motion = moving(10, |_| Transform::IDENTITY, |t| Vec3::new(0.3 * t, t * t, 0.4 * t));
        assert_eq!(toe_speed_cm_s(&motion, 0, TOE), None);
        for frame in 1..10 {
            let speed = toe_speed_cm_s(&motion, frame, TOE).unwrap();
            assert!((speed - 50.0).abs() < 1e-3, "{speed}");
        }
    }

    #[test]
    fn the_weight_falls_from_the_ground_to_its_limit() {
        assert_eq!(height_weight(-0.1), 1.0);
        assert_eq!(height_weight(0.0), 1.0);
        assert!((height_weight(0.0125) - (2.0 - 2f32.sqrt())).abs() < 1e-6);
        assert_eq!(height_weight(0.025), 0.0);
        assert_eq!(height_weight(1.0), 0.0);
    }

    #[test]
    fn rest_is_where_labelled_toes_are_and_lowest_counts_all() {
        let mut motion = moving(101, |_| Transform::IDENTITY, |t| Vec3::Y * (t * 60.0));
        motion.contacts[..81].fill(0);
        assert_eq!(rest_height_m(&motion, &[TOE]), Some(90.5));
        assert_eq!(lowest_height_m(&motion, &[TOE]), Some(5.0));
        motion.contacts.fill(0);
        assert_eq!(rest_height_m(&motion, &[TOE]), None);
    }
}
