//! The anatomy of a character: roles of joints, legs and their hinges, soles, and the standing pose.
//!
//! There is one anatomy. The build computes it ([`Rig::find`], then hinges and standing pose from the motion), the database file
//! stores it, and all other code (adjustments, metrics, doctor, drawings) reads it.

mod body;
pub(crate) mod leg;
mod sole;

pub use body::Body;
pub(crate) use leg::Leg;
pub use sole::Sole;

use crate::frames::JointIndex;
use crate::math::{Quat, Transform};
use crate::pose::Pose;
use crate::roles::JointRoles;
use crate::skeleton::Skeleton;

/// The parts of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Rig {
    /// Joints by role.
    pub roles: JointRoles,
    /// Contact joints: toes, or ankles.
    pub contact_joints: Vec<JointIndex>,
    /// Hips, spine and legs; `None` if no contact joint ends a leg.
    pub body: Option<Body>,
    /// `[contact joints]` soles; all zeros for a contact joint that does not end a leg.
    pub soles: Vec<Sole>,
    /// `[joints]` standing pose, facing +Z with flat feet; root space.
    pub standing: Vec<Transform>,
    /// `[joints]` true for contact joints and all joints above them.
    pub carries_foot: Vec<bool>,
}

impl Rig {
    /// Finds the rig of a skeleton with these roles and `contact_joints`. Hinges are unknown, and the standing pose is the rest
    /// pose, until [`Rig::set_hinges`] and [`Rig::set_standing`] are called.
    pub fn find(skeleton: &Skeleton, roles: JointRoles, contact_joints: &[JointIndex]) -> Self {
        let mut rig = Self {
            body: Body::find(skeleton, &roles, contact_joints),
            soles: Vec::new(),
            standing: Vec::new(),
            carries_foot: carriers(skeleton, contact_joints),
            contact_joints: contact_joints.to_vec(),
            roles,
        };
        rig.set_standing(skeleton, Pose::rest(skeleton));
        rig
    }

    /// Sets the hinge of every leg from `poses`: rotations of all joints of some poses, `[joints]` each.
    pub fn set_hinges<'a>(&mut self, skeleton: &Skeleton, poses: impl Iterator<Item = &'a [Quat]> + Clone) {
        for leg in self.body.iter_mut().flat_map(|body| &mut body.legs).flatten() {
            *leg = leg.with_hinge(skeleton, poses.clone().map(|rotations| rotations[leg.knee.at()]));
        }
    }

    /// Sets the standing pose, and the soles, which follow from it.
    pub fn set_standing(&mut self, skeleton: &Skeleton, mut standing: Pose) {
        let legs = self.legs(self.contact_joints.len());
        let sole = |leg: Option<Leg>| leg.map_or(Sole::default(), |leg| Sole::new(skeleton, &standing, leg));
        self.soles = legs.map(sole).collect();
        standing.set_world_from_root(Transform::IDENTITY);
        standing.world(skeleton, &mut self.standing);
    }

    fn legs(&self, contacts: usize) -> impl Iterator<Item = Option<Leg>> {
        (0..contacts).map(|slot| self.body.as_ref().and_then(|body| body.legs[slot]))
    }

    /// Returns the joint with a name: a joint's own name first, then a role, then a name that differs only in prefix and
    /// separators.
    pub fn joint(&self, skeleton: &Skeleton, name: &str) -> Option<JointIndex> {
        skeleton.find(name).or_else(|| self.roles.get(name)).or_else(|| skeleton.require(name).ok())
    }

    /// Returns the arm that ends in a hand, with its three joints as those of a leg. Its hinge is that of the elbow in the standing
    /// pose; unknown where the arm is straight there.
    pub fn arm(&self, skeleton: &Skeleton, hand: JointIndex) -> Option<Leg> {
        let arm = Leg::above(skeleton, hand)?;
        let [upper, lower] = [arm.hip, arm.knee].map(|joint| self.standing[joint.at()].rotation);
        let elbow = upper.inverse() * lower;
        Some(if arm.bends(skeleton, elbow) { arm.with_hinge(skeleton, [elbow].into_iter()) } else { arm })
    }
}

/// Returns `[joints]` true for the contacts and all joints above them.
fn carriers(skeleton: &Skeleton, contacts: &[JointIndex]) -> Vec<bool> {
    let mut carries = vec![false; skeleton.len()];
    for contact in contacts {
        skeleton.chain(*contact).for_each(|j| carries[j.at()] = true);
    }
    carries
}
