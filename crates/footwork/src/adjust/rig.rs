//! What corrections know about a body: which joints play which part, and how it stands.

use super::ground::Sole;
use super::leg::Leg;
use crate::frames::JointIndex;
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
    /// How it stands still, looking ahead with flat feet.
    pub standing: Pose,
}

impl Rig {
    /// The rig of a skeleton with these legs, `[contact joints]`, which stands as in `standing`.
    pub fn new(skeleton: &Skeleton, legs: &[Option<Leg>], standing: Pose) -> Self {
        let sole = |leg: &Option<Leg>| leg.map_or(Sole::default(), |leg| Sole::new(skeleton, &standing, leg));
        Self {
            // Without names given by hand there is nothing to be wrong.
            roles: JointRoles::resolve(skeleton, &BTreeMap::new()).unwrap_or_default(),
            soles: legs.iter().map(sole).collect(),
            standing,
        }
    }

    /// The joint that a name means: a joint's own name first, then a role. Allocates nothing.
    pub fn joint(&self, skeleton: &Skeleton, name: &str) -> Option<JointIndex> {
        skeleton.find(name).or_else(|| self.roles.get(name))
    }
}
