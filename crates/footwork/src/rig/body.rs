//! The joints that carry the body: pelvis, spine, legs.

use super::Leg;
use crate::frames::JointIndex;
use crate::roles::JointRoles;
use crate::skeleton::Skeleton;

/// The joints that corrections of the whole body move.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// What all legs hang from.
    pub hips: JointIndex,
    /// From above the hips to where the arms part, in this order; may be empty.
    pub spine: Vec<JointIndex>,
    /// `[contact joints]`; `None` where a contact is no leg.
    pub legs: Vec<Option<Leg>>,
}

impl Body {
    /// The body whose feet are `contacts`, `[contact joints]`; `None` without legs, or where they hang from the root itself.
    /// Hips given by role win over the joint at which the legs part, if all legs hang from them.
    pub fn find(skeleton: &Skeleton, roles: &JointRoles, contacts: &[JointIndex]) -> Option<Self> {
        let legs = Leg::find(skeleton, roles, contacts);
        let parent = |j: JointIndex| skeleton.parents()[j.at()];
        let above = |j: JointIndex, of: JointIndex| std::iter::successors(Some(of), |j| parent(*j)).any(|a| a == j);
        let first = legs.iter().flatten().next()?;
        let carries_all =
            |j: &JointIndex| j.at() > 0 && legs.iter().flatten().all(|leg| *j != leg.hip && above(*j, leg.hip));
        let parting = || std::iter::successors(parent(first.hip), |j| parent(*j)).find(carries_all);
        let hips = roles.given("hips").filter(carries_all).or_else(parting)?;
        // A spine is what leads up from the hips to where it forks.
        let beside_legs = |j: JointIndex| !legs.iter().flatten().any(|leg| above(j, leg.toe));
        let next = |j: JointIndex| {
            let mut onwards = skeleton.children(j).filter(|c| beside_legs(*c));
            onwards.next().filter(|_| onwards.next().is_none())
        };
        let spine = std::iter::successors(next(hips), |j| next(*j)).collect();
        Some(Self { hips, spine, legs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;

    #[test]
    fn a_body_is_found_by_where_its_legs_part() {
        // Root, hips, two legs of four joints, a spine of two that forks into neck and arm.
        let parents = [None, Some(0), Some(1), Some(2), Some(3), Some(4), Some(1), Some(6), Some(7), Some(8), Some(1)];
        let parents: Vec<_> = parents.into_iter().chain([Some(10), Some(11), Some(11)]).collect();
        let skeleton = |parents: &[Option<usize>]| {
            let names = (0..parents.len()).map(|j| format!("j{j}")).collect();
            let parents: Vec<_> = parents.iter().map(|p| p.map(JointIndex::new)).collect();
            Skeleton::new(names, parents.clone(), vec![Transform::IDENTITY; parents.len()]).unwrap()
        };
        let body = Body::find(&skeleton(&parents), &JointRoles::default(), &[5, 9].map(JointIndex::new)).unwrap();
        assert_eq!((body.hips.at(), body.spine), (1, vec![JointIndex(10), JointIndex(11)]));
        assert!(body.legs.iter().all(Option::is_some));
        assert_eq!(Body::find(&skeleton(&parents), &JointRoles::default(), &[]), None);
        assert_eq!(
            Body::find(&skeleton(&[None, Some(0), Some(1), Some(2)]), &JointRoles::default(), &[JointIndex(3)]),
            None
        );
    }
}
