//! Penetration, knee angle, and the displacement of toes by pose adjustments.

use crate::RATE_HZ;
use crate::motion::{Motion, Space};
use footwork::advanced::math::acos;
use footwork::frames::JointIndex;
use footwork::math::Facing;
use glam::Vec3;

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

/// Returns the distance between the shins of two legs, cm: between the nearest points of the lines from knee to ankle.
pub fn shin_gap_cm(motion: &Motion, frame: usize, legs: [[JointIndex; 3]; 2]) -> f32 {
    let [a, b] = legs.map(|[_, knee, ankle]| [knee, ankle].map(|j| motion.position(Space::World, frame, j)));
    segment_distance(a, b) * 100.0
}

/// Returns the smallest distance between two line segments (Ericson, "Real-Time Collision Detection", 5.1.9).
fn segment_distance([p1, q1]: [Vec3; 2], [p2, q2]: [Vec3; 2]) -> f32 {
    let (d1, d2, r) = (q1 - p1, q2 - p2, p1 - p2);
    let (a, e, f) = (d1.length_squared(), d2.length_squared(), d2.dot(r));
    let (b, c) = (d1.dot(d2), d1.dot(r));
    let denominator = a * e - b * b;
    let mut s = if denominator > 1e-9 { ((b * f - c * e) / denominator).clamp(0.0, 1.0) } else { 0.0 };
    let mut t = if e > 0.0 { (b * s + f) / e } else { 0.0 };
    if !(0.0..=1.0).contains(&t) {
        t = t.clamp(0.0, 1.0);
        s = if a > 0.0 { ((b * t - c) / a).clamp(0.0, 1.0) } else { 0.0 };
    }
    ((p1 + d1 * s) - (p2 + d2 * t)).length_squared().sqrt()
}

/// Returns the turn rate of a foot about the vertical axis, degrees per second; `foot`: ankle, toe. `None` in the first frame,
/// and for a vertical foot.
pub fn twist_degps(motion: &Motion, frame: usize, foot: [JointIndex; 2]) -> Option<f32> {
    let ahead = |frame: usize| {
        let [ankle, toe] = foot.map(|joint| motion.position(Space::World, frame, joint));
        Facing::from_direction(toe - ankle)
    };
    let before = ahead(frame.checked_sub(1)?)?;
    Some(before.angle_to(ahead(frame)?).abs().to_degrees() * RATE_HZ)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::tests::moving;
    use footwork::math::Transform;

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

    #[test]
    fn shins_are_as_far_apart_as_their_nearest_points() {
        let mut motion = Motion::new(6);
        // Hips, knees and ankles; the second shin crosses in front of the first.
        motion.world =
            vec![Vec3::Y, Vec3::Y * 0.5, Vec3::ZERO, Vec3::Y, Vec3::new(-0.2, 0.5, 0.07), Vec3::new(0.2, 0.1, 0.07)];
        let legs = [[0, 1, 2].map(JointIndex), [3, 4, 5].map(JointIndex)];
        assert!((shin_gap_cm(&motion, 0, legs) - 7.0).abs() < 1e-3);
        // Parallel, 30 cm apart, and beyond the end.
        (motion.world[4], motion.world[5]) = (Vec3::new(0.3, 0.5, 0.0), Vec3::new(0.3, 0.0, 0.0));
        assert!((shin_gap_cm(&motion, 0, legs) - 30.0).abs() < 1e-3);
        (motion.world[4], motion.world[5]) = (Vec3::new(0.3, 1.2, 0.0), Vec3::new(0.3, 0.9, 0.0));
        assert!((shin_gap_cm(&motion, 0, legs) - 50.0).abs() < 1e-3);
    }

    #[test]
    fn a_foot_that_turns_once_a_second_twists_by_360_degrees() {
        let toe = |t: f32| Facing::from_yaw(std::f32::consts::TAU * t).direction() - Vec3::Y * 0.1;
        let motion = moving(9, |_| Transform::IDENTITY, toe);
        let foot = [JointIndex(0), TOE];
        assert_eq!(twist_degps(&motion, 0, foot), None);
        assert!((1..9).all(|f| (twist_degps(&motion, f, foot).unwrap() - 360.0).abs() < 0.1));
    }
}
