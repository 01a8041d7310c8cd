//! A leg or an arm: two bones between three joints, and the contact joint.

use crate::frames::JointIndex;
use crate::math::Quat;
use crate::roles::JointRoles;
use crate::skeleton::Skeleton;
use glam::Vec3;

/// Sine of the angle between both bones from which on a limb is bent clearly.
const LEAST_BEND: f32 = 0.05;

/// A leg (or an arm): two bones from `hip` over `knee` to `ankle`, and the contact joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// Upper end of the upper bone.
    pub hip: JointIndex,
    /// Joint between the two bones.
    pub knee: JointIndex,
    /// Lower end of the lower bone.
    pub ankle: JointIndex,
    /// The contact joint: a toe, or the ankle itself.
    pub toe: JointIndex,
    /// Axis about which the knee bends, in the hip joint's space; zero if unknown, in which case the foot's direction sets the
    /// bend.
    pub hinge: Vec3,
}

impl Leg {
    /// Finds the legs that end in `contacts`, `[contact joints]`. A leg lies below the last joint that it shares with another
    /// contact (below the hips, for a person); `None` if it has fewer than three joints. If it has more than three, roles select
    /// them (excluding a shoulder blade), else the lowest are used.
    pub fn find(skeleton: &Skeleton, roles: &JointRoles, contacts: &[JointIndex]) -> Vec<Option<Self>> {
        let shared = |j: JointIndex, of: JointIndex| {
            contacts.iter().any(|other| *other != of && skeleton.chain(*other).any(|a| a == j))
        };
        let leg = |toe: JointIndex| {
            let chain: Vec<JointIndex> = skeleton.chain(toe).take_while(|j| j.at() > 0 && !shared(*j, toe)).collect();
            if let Some(leg) = Self::by_roles(skeleton, roles, &chain) {
                return Some(leg);
            }
            match chain[..] {
                [toe, ankle, knee, hip, ..] => Some(Self { hip, knee, ankle, toe, hinge: Vec3::ZERO }),
                [ankle, knee, hip] => Some(Self { hip, knee, ankle, toe: ankle, hinge: Vec3::ZERO }),
                _ => None,
            }
        };
        contacts.iter().map(|c| leg(*c)).collect()
    }

    /// Returns the leg of a chain (from the contact joint upwards) whose three joints have the roles of a leg, or of a fore leg.
    fn by_roles(skeleton: &Skeleton, roles: &JointRoles, chain: &[JointIndex]) -> Option<Self> {
        const LIMBS: [[&str; 3]; 4] = [
            ["left_up_leg", "left_leg", "left_foot"],
            ["right_up_leg", "right_leg", "right_foot"],
            ["left_up_arm", "left_fore_arm", "left_hand"],
            ["right_up_arm", "right_fore_arm", "right_hand"],
        ];
        let toe = *chain.first()?;
        let hangs = |j: JointIndex, from: JointIndex| skeleton.parents()[j.at()] == Some(from);
        LIMBS.iter().find_map(|limb| {
            let [hip, knee, ankle] = limb.map(|role| roles.get(role).filter(|j| chain.contains(j)));
            let (hip, knee, ankle) = (hip?, knee?, ankle?);
            let whole = hangs(knee, hip) && hangs(ankle, knee) && (toe == ankle || hangs(toe, ankle));
            whole.then_some(Self { hip, knee, ankle, toe, hinge: Vec3::ZERO })
        })
    }

    /// Returns the limb of three joints that ends in `end`: an arm, from the hand.
    pub fn above(skeleton: &Skeleton, end: JointIndex) -> Option<Self> {
        let parent = |j: JointIndex| skeleton.parents()[j.at()].filter(|p| p.at() > 0);
        let knee = parent(end)?;
        Some(Self { hip: parent(knee)?, knee, ankle: end, toe: end, hinge: Vec3::ZERO })
    }

    /// Returns true if a rotation of the knee bends the leg clearly.
    pub fn bends(self, skeleton: &Skeleton, knee: Quat) -> bool {
        let [upper, lower] = self.bones(skeleton).map(Vec3::normalize_or_zero);
        upper.cross(knee * lower).length() > LEAST_BEND
    }

    /// Returns both bones in the frames of the joints from which they begin, in the rest pose, metres.
    fn bones(self, skeleton: &Skeleton) -> [Vec3; 2] {
        [self.knee, self.ankle].map(|joint| skeleton.rest()[joint.at()].translation)
    }

    /// Returns the leg with the hinge axis measured in poses: the mean axis about which the knee bends.
    pub fn with_hinge(self, skeleton: &Skeleton, knee_rotations: impl Iterator<Item = Quat>) -> Self {
        let [upper, lower] = self.bones(skeleton);
        let sum = knee_rotations.fold(Vec3::ZERO, |sum, knee| sum + upper.cross(knee * lower));
        Self { hinge: sum.normalize_or_zero(), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;

    #[test]
    fn legs_are_found_by_where_they_part() {
        let parents = [None, Some(0), Some(1), Some(2), Some(3), Some(4), Some(1), Some(6), Some(7), Some(1)];
        let skeleton = Skeleton::new(
            (0..parents.len()).map(|j| format!("j{j}")).collect(),
            parents.iter().map(|p| p.map(JointIndex::new)).collect(),
            vec![Transform::IDENTITY; parents.len()],
        )
        .unwrap();
        let [toe, foot, head] = [5, 8, 9].map(JointIndex::new);
        let legs = Leg::find(&skeleton, &JointRoles::default(), &[toe, foot, head]);
        let [hip, knee, ankle] = [2, 3, 4].map(JointIndex::new);
        assert_eq!(legs[0], Some(Leg { hip, knee, ankle, toe, hinge: Vec3::ZERO }));
        let [hip, knee, ankle] = [6, 7, 8].map(JointIndex::new);
        assert_eq!(legs[1], Some(Leg { hip, knee, ankle, toe: ankle, hinge: Vec3::ZERO }));
        assert_eq!(legs[2], None);
    }
}
