//! The sole of a foot: heel, tip and height of the toe joint in the standing pose.

use super::Leg;
use crate::math::{Facing, Transform};
use crate::pose::Pose;
use crate::skeleton::Skeleton;
use glam::Vec3;

/// The sole of a foot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sole {
    /// The heel, in the space of the ankle, metres.
    pub heel: Vec3,
    /// The tip of the toes, in the space of the toe joint, metres.
    pub tip: Vec3,
    /// Height of the toe joint in a flat foot, metres.
    pub toe_height_m: f32,
}

/// Distance from the ankle to the back of the heel, metres.
const HEEL_BEHIND_ANKLE_M: f32 = 0.05;
/// Distance from the toe joint to the tip of the toes, metres.
const TIP_BEFORE_TOE_M: f32 = 0.06;

impl Sole {
    /// Computes the sole of a leg from a pose that stands with flat feet: the rest pose, or a frame of an idle.
    pub fn new(skeleton: &Skeleton, standing: &Pose, leg: Leg) -> Self {
        let [ankle, toe] = [leg.ankle, leg.toe].map(|j| standing.in_root(skeleton, j));
        let ahead = Facing::from_direction(toe.translation - ankle.translation).map_or(Vec3::ZERO, Facing::direction);
        let below = |t: Transform| Vec3::new(t.translation.x, 0.0, t.translation.z);
        Self {
            heel: ankle.inverse_point(below(ankle) - ahead * HEEL_BEHIND_ANKLE_M),
            tip: toe.inverse_point(below(toe) + ahead * TIP_BEFORE_TOE_M),
            toe_height_m: toe.translation.y,
        }
    }

    /// Returns all numbers: heel, tip, height of the toe joint.
    pub(crate) fn to_array(self) -> [f32; 7] {
        let (h, t) = (self.heel, self.tip);
        [h.x, h.y, h.z, t.x, t.y, t.z, self.toe_height_m]
    }

    /// Creates a sole from the numbers of [`Sole::to_array`].
    pub(crate) fn from_array(v: [f32; 7]) -> Self {
        Self { heel: Vec3::new(v[0], v[1], v[2]), tip: Vec3::new(v[3], v[4], v[5]), toe_height_m: v[6] }
    }
}
