//! The joints that carry the body: pelvis, spine, legs.

use super::Leg;
use crate::frames::JointIndex;
use crate::roles::JointRoles;
use crate::skeleton::Skeleton;

/// The joints that whole-body adjustments move.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Joint that all legs descend from.
    pub hips: JointIndex,
    /// Joints from above the hips to the one where the arms branch off, in this order; may be empty.
    pub spine: Vec<JointIndex>,
    /// `[contact joints]`; `None` for a contact joint that does not end a leg.
    pub legs: Vec<Option<Leg>>,
    /// `[contact joints]` the other leg that descends from the same joint, as an index of `legs`; `None` if there is none.
    pub opposites: Vec<Option<usize>>,
}

impl Body {
    /// Finds the body whose feet are `contacts`, `[contact joints]`; returns `None` without legs, or if they descend directly
    /// from the root. Hips given by role take precedence over the joint at which the legs branch off, if all legs descend from
    /// them.
    pub fn find(skeleton: &Skeleton, roles: &JointRoles, contacts: &[JointIndex]) -> Option<Self> {
        let legs = Leg::find(skeleton, roles, contacts);
        let above = |j: JointIndex, of: JointIndex| skeleton.chain(of).any(|a| a == j);
        let first = legs.iter().flatten().next()?;
        let carries_all =
            |j: &JointIndex| j.at() > 0 && legs.iter().flatten().all(|leg| *j != leg.hip && above(*j, leg.hip));
        let parting = || skeleton.chain(first.hip).skip(1).find(carries_all);
        let hips = roles.given("hips").filter(carries_all).or_else(parting)?;
        // The spine is the chain from the hips up to the first fork.
        let beside_legs = |j: JointIndex| !legs.iter().flatten().any(|leg| above(j, leg.toe));
        let next = |j: JointIndex| {
            let mut onwards = skeleton.children(j).filter(|c| beside_legs(*c));
            onwards.next().filter(|_| onwards.next().is_none())
        };
        let spine = std::iter::successors(next(hips), |j| next(*j)).collect();
        Some(Self::new(skeleton, hips, spine, legs))
    }

    /// Returns the body of these joints; see the fields.
    pub fn new(skeleton: &Skeleton, hips: JointIndex, spine: Vec<JointIndex>, legs: Vec<Option<Leg>>) -> Self {
        let above = |leg: &Option<Leg>| leg.and_then(|leg| skeleton.parents()[leg.hip.at()]);
        let opposite = |slot: usize| {
            let own = above(&legs[slot])?;
            (0..legs.len()).find(|other| *other != slot && above(&legs[*other]) == Some(own))
        };
        let opposites = (0..legs.len()).map(opposite).collect();
        Self { hips, spine, legs, opposites }
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
        assert_eq!(body.opposites, [Some(1), Some(0)]);
        assert_eq!(Body::find(&skeleton(&parents), &JointRoles::default(), &[]), None);
        assert_eq!(
            Body::find(&skeleton(&[None, Some(0), Some(1), Some(2)]), &JointRoles::default(), &[JointIndex(3)]),
            None
        );
    }
}
