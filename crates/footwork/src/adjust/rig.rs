//! What corrections know about a body: which joints play which part, and how it stands.

use super::ground::Sole;
use super::leg::Leg;
use crate::frames::JointIndex;
use crate::math::Transform;
use crate::pose::Pose;
use crate::roles::JointRoles;
use crate::skeleton::Skeleton;
use std::collections::BTreeMap;

/// How a body is built, beside its joints.
#[derive(Clone, Debug)]
pub struct Rig {
    /// As guessed from the joints' names.
    pub roles: JointRoles,
    /// `[contact joints]`; all zeros where a contact is no leg.
    pub soles: Vec<Sole>,
    /// `[joints]` how it stands still, looking ahead with flat feet; root space.
    pub standing: Vec<Transform>,
}

impl Rig {
    /// The rig of a skeleton with these legs, `[contact joints]`, which stands as in `standing`.
    pub fn new(skeleton: &Skeleton, legs: &[Option<Leg>], mut standing: Pose) -> Self {
        let sole = |leg: &Option<Leg>| leg.map_or(Sole::default(), |leg| Sole::new(skeleton, &standing, leg));
        let soles = legs.iter().map(sole).collect();
        let mut in_root = Vec::new();
        standing.set_world_from_root(Transform::IDENTITY);
        standing.world(skeleton, &mut in_root);
        Self {
            // Without names given by hand there is nothing to be wrong.
            roles: JointRoles::resolve(skeleton, &BTreeMap::new()).unwrap_or_default(),
            soles,
            standing: in_root,
        }
    }

    /// The joint that a name means: a joint's own name first, then a role. Allocates nothing.
    pub fn joint(&self, skeleton: &Skeleton, name: &str) -> Option<JointIndex> {
        skeleton.find(name).or_else(|| self.roles.get(name))
    }
}
