//! Skeleton of the built-in character: 1.75 m tall, 23 joints with the names and order of LAFAN1, in a T-pose.
//!
//! Segment lengths are fractions of body height from R. Drillis and R. Contini, "Body Segment Parameters" (1966), as
//! tabled by D. A. Winter, "Biomechanics and Motor Control of Human Movement". Where the table ends at the skin rather
//! than at a joint (foot, spine, clavicle), the split is an estimate.

use footwork::frames::JointIndex;
use footwork::math::{Quat, Transform};
use footwork::skeleton::Skeleton;
use glam::Vec3;

/// Body height, in metres.
pub const HEIGHT_M: f32 = 1.75;
/// Distance from hip to knee, in metres: 0.245 of height.
pub(crate) const THIGH_M: f32 = 0.245 * HEIGHT_M;
/// Distance from knee to ankle, in metres: 0.246 of height.
pub(crate) const SHANK_M: f32 = 0.246 * HEIGHT_M;
/// Height of the ankle of a flat foot above the ground, in metres: 0.039 of height.
pub(crate) const ANKLE_M: f32 = 0.039 * HEIGHT_M;
/// Height of the toe joint (ball of the foot) above the ground, in metres: half the thickness of the forefoot.
pub const TOE_HEIGHT_M: f32 = 0.02;
/// Distance from ankle to toe joint along the foot, in metres. The foot has 0.152 of height; a quarter lies behind the ankle, the
/// toes are another quarter.
pub(crate) const FOOT_M: f32 = 0.5 * 0.152 * HEIGHT_M;
/// Ankle to heel along the foot, metres.
pub(crate) const HEEL_M: f32 = 0.2 * 0.152 * HEIGHT_M;
/// Toe joint to the tip of the toes, metres.
pub(crate) const TOE_M: f32 = 0.25 * 0.152 * HEIGHT_M;
/// Hip joint centre from the middle, metres: 0.1 of height between the two.
pub(crate) const HALF_HIPS_M: f32 = 0.05 * HEIGHT_M;
/// Distance of the hip joint centres below the `Hips` joint, metres.
pub(crate) const HIPS_ABOVE_HIP_M: f32 = 0.04;
/// Hip joint above the ground with straight legs, metres: 0.530 of height.
pub(crate) const HIP_HEIGHT_M: f32 = THIGH_M + SHANK_M + ANKLE_M;

/// Joint indices, in the order of [`skeleton`].
#[allow(missing_docs)]
pub mod joint {
    pub const ROOT: usize = 0;
    pub const HIPS: usize = 1;
    pub const LEFT_UP_LEG: usize = 2;
    pub const LEFT_LEG: usize = 3;
    pub const LEFT_FOOT: usize = 4;
    pub const LEFT_TOE: usize = 5;
    pub const RIGHT_UP_LEG: usize = 6;
    pub const RIGHT_LEG: usize = 7;
    pub const RIGHT_FOOT: usize = 8;
    pub const RIGHT_TOE: usize = 9;
    pub const SPINE: usize = 10;
    pub const SPINE1: usize = 11;
    pub const SPINE2: usize = 12;
    pub const NECK: usize = 13;
    pub const HEAD: usize = 14;
    pub const LEFT_SHOULDER: usize = 15;
    pub const LEFT_ARM: usize = 16;
    pub const LEFT_FORE_ARM: usize = 17;
    pub const LEFT_HAND: usize = 18;
    pub const RIGHT_SHOULDER: usize = 19;
    pub const RIGHT_ARM: usize = 20;
    pub const RIGHT_FORE_ARM: usize = 21;
    pub const RIGHT_HAND: usize = 22;
    pub const COUNT: usize = 23;
}

/// Name, parent, offset from the parent in the T-pose (metres). Left is +X.
const JOINTS: [(&str, Option<usize>, [f32; 3]); joint::COUNT] = {
    use joint::*;
    const TOE_DROP: f32 = TOE_HEIGHT_M - ANKLE_M;
    const UPPER_ARM: f32 = 0.186 * HEIGHT_M;
    const FORE_ARM: f32 = 0.146 * HEIGHT_M;
    // Neck base at 0.85 of height; shoulder joints at 0.818, 0.129 of height from the middle less the deltoid.
    const CLAVICLE: f32 = 0.025;
    const ACROMION: f32 = 0.105 * HEIGHT_M - CLAVICLE;
    [
        ("Root", None, [0.0, 0.0, 0.0]),
        ("Hips", Some(ROOT), [0.0, HIP_HEIGHT_M + HIPS_ABOVE_HIP_M, 0.0]),
        ("LeftUpLeg", Some(HIPS), [HALF_HIPS_M, -HIPS_ABOVE_HIP_M, 0.0]),
        ("LeftLeg", Some(LEFT_UP_LEG), [0.0, -THIGH_M, 0.0]),
        ("LeftFoot", Some(LEFT_LEG), [0.0, -SHANK_M, 0.0]),
        ("LeftToe", Some(LEFT_FOOT), [0.0, TOE_DROP, FOOT_M]),
        ("RightUpLeg", Some(HIPS), [-HALF_HIPS_M, -HIPS_ABOVE_HIP_M, 0.0]),
        ("RightLeg", Some(RIGHT_UP_LEG), [0.0, -THIGH_M, 0.0]),
        ("RightFoot", Some(RIGHT_LEG), [0.0, -SHANK_M, 0.0]),
        ("RightToe", Some(RIGHT_FOOT), [0.0, TOE_DROP, FOOT_M]),
        ("Spine", Some(HIPS), [0.0, 0.095, 0.0]),
        ("Spine1", Some(SPINE), [0.0, 0.125, 0.0]),
        ("Spine2", Some(SPINE1), [0.0, 0.125, 0.0]),
        ("Neck", Some(SPINE2), [0.0, 0.175, 0.0]),
        ("Head", Some(NECK), [0.0, 0.1, 0.015]),
        ("LeftShoulder", Some(SPINE2), [CLAVICLE, 0.115, 0.0]),
        ("LeftArm", Some(LEFT_SHOULDER), [ACROMION, 0.0, 0.0]),
        ("LeftForeArm", Some(LEFT_ARM), [UPPER_ARM, 0.0, 0.0]),
        ("LeftHand", Some(LEFT_FORE_ARM), [FORE_ARM, 0.0, 0.0]),
        ("RightShoulder", Some(SPINE2), [-CLAVICLE, 0.115, 0.0]),
        ("RightArm", Some(RIGHT_SHOULDER), [-ACROMION, 0.0, 0.0]),
        ("RightForeArm", Some(RIGHT_ARM), [-UPPER_ARM, 0.0, 0.0]),
        ("RightHand", Some(RIGHT_FORE_ARM), [-FORE_ARM, 0.0, 0.0]),
    ]
};

/// Offset of a joint from its parent, metres.
pub(crate) fn offset(joint: usize) -> Vec3 {
    Vec3::from_array(JOINTS[joint].2)
}

/// Returns the skeleton of every clip: the 22 joints of LAFAN1 below a `Root` on the ground. T-pose, facing +Z, left at
/// +X; all rest rotations are the identity; lengths are in metres.
pub fn skeleton() -> Skeleton {
    Skeleton::new(
        JOINTS.iter().map(|j| j.0.to_owned()).collect(),
        JOINTS.iter().map(|j| j.1.map(JointIndex::new)).collect(),
        JOINTS.iter().map(|j| Transform::new(Vec3::from_array(j.2), Quat::IDENTITY)).collect(),
    )
    .expect("the table above is a tree")
}

/// A side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Left, at +X.
    Left,
    /// Right, at -X.
    Right,
}

impl Side {
    /// Both sides, left first: the order of every pair in this crate.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// Returns 0 for left and 1 for right.
    pub const fn at(self) -> usize {
        self as usize
    }

    /// Returns the sign of X: +1 for left, -1 for right.
    pub const fn sign(self) -> f32 {
        match self {
            Self::Left => 1.0,
            Self::Right => -1.0,
        }
    }

    /// Returns the other side.
    pub const fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn left_and_right_mirror_exactly_in_rest() {
        let model = skeleton().rest_model();
        let skeleton = skeleton();
        for (j, name) in skeleton.names().iter().enumerate() {
            let twin = name.strip_prefix("Left").map_or_else(
                || name.strip_prefix("Right").map_or_else(|| name.clone(), |n| format!("Left{n}")),
                |n| format!("Right{n}"),
            );
            let twin = skeleton.require(&twin).unwrap().at();
            let (a, b) = (model[j].translation, model[twin].translation);
            assert_eq!((a.x, a.y, a.z), (-b.x, b.y, b.z), "{name}");
        }
    }

    #[test]
    fn the_person_stands_on_the_ground_and_is_as_tall_as_it_says() {
        let model = skeleton().rest_model();
        assert!((model[joint::LEFT_FOOT].translation.y - ANKLE_M).abs() < 1e-5);
        assert!((model[joint::LEFT_TOE].translation.y - TOE_HEIGHT_M).abs() < 1e-5);
        // The head joint sits at the base of the skull: chin at 0.87 of height, crown at 1.
        let head = model[joint::HEAD].translation.y;
        assert!((0.87..0.93).contains(&(head / HEIGHT_M)), "{head}");
    }
}
