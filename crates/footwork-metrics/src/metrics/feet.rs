//! Penetration, knee angle, and the displacement of toes by pose adjustments.

use crate::motion::{Motion, Space};
use footwork::advanced::math::acos;
use footwork::frames::JointIndex;

/// Depths up to this count as rounding errors, metres.
const ROUNDING_M: f32 = 1e-5;

/// Returns the depth of a toe below the ground, cm; 0 above it.
pub fn penetration_cm(motion: &Motion, frame: usize, toe: JointIndex) -> f32 {
    let depth_m = -motion.position(Space::World, frame, toe).y;
    if depth_m > ROUNDING_M { depth_m * 100.0 } else { 0.0 }
}

/// Returns the angle between thigh and shin, degrees; 180 for a straight knee. `leg`: hip, knee, ankle.
pub fn knee_extension_deg(motion: &Motion, frame: usize, leg: [JointIndex; 3]) -> f32 {
    let [hip, knee, ankle] = leg.map(|joint| motion.position(Space::World, frame, joint));
    let (thigh, shin) = ((hip - knee).normalize_or_zero(), (ankle - knee).normalize_or_zero());
    acos(thigh.dot(shin)).to_degrees()
}

/// Returns the displacement of a toe by foot locks and IK, cm: the distance between its positions in the same frame with and
/// without them.
pub fn correction_cm(with: &Motion, without: &Motion, frame: usize, toe: JointIndex) -> f32 {
    (with.position(Space::World, frame, toe) - without.position(Space::World, frame, toe)).length() * 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::tests::moving;
    use footwork::math::Transform;
    use glam::Vec3;

    const TOE: JointIndex = JointIndex(1);

    #[test]
    fn depth_counts_below_the_ground_only() {
        let motion = moving(2, |_| Transform::IDENTITY, |t| Vec3::Y * (0.02 - 3.0 * t));
        assert_eq!(penetration_cm(&motion, 0, TOE), 0.0);
        assert!((penetration_cm(&motion, 1, TOE) - 3.0).abs() < 1e-4);
        let touching = moving(1, |_| Transform::IDENTITY, |_| Vec3::Y * -1e-6);
        assert_eq!(penetration_cm(&touching, 0, TOE), 0.0);
    }

    #[test]
    fn a_straight_knee_has_180_degrees_and_a_kneeling_one_90() {
        let mut motion = Motion::new(3);
        motion.world = vec![Vec3::Y, Vec3::ZERO, Vec3::NEG_Y, Vec3::Y, Vec3::ZERO, Vec3::NEG_Z * 0.5];
        let leg = [0, 1, 2].map(JointIndex);
        assert!((knee_extension_deg(&motion, 0, leg) - 180.0).abs() < 0.05);
        assert!((knee_extension_deg(&motion, 1, leg) - 90.0).abs() < 1e-3);
    }

    #[test]
    fn a_correction_is_the_way_a_toe_was_moved() {
        let without = moving(3, |_| Transform::IDENTITY, |_| Vec3::ZERO);
        let with = moving(3, |_| Transform::IDENTITY, |t| Vec3::new(0.0, 1.8 * t, 2.4 * t));
        assert_eq!(correction_cm(&with, &without, 0, TOE), 0.0);
        assert!((correction_cm(&with, &without, 2, TOE) - 10.0).abs() < 1e-4);
    }
}
