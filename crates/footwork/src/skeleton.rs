//! Joint names, hierarchy and rest pose.

use crate::error::quoted;
use crate::frames::JointIndex;
use crate::math::{Quat, Transform};
use glam::Vec3;

/// A joint tree. Immutable; parents come before children; joint 0 is the only one without a parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Skeleton {
    names: Vec<String>,
    parents: Vec<Option<JointIndex>>,
    rest: Vec<Transform>,
    /// `[joints]` the first child of each joint, and the next child of its parent.
    first_child: Vec<Option<JointIndex>>,
    next_sibling: Vec<Option<JointIndex>>,
}

/// Why a skeleton cannot be.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SkeletonError {
    /// There is nothing to animate.
    #[error("the skeleton has no joints")]
    Empty,
    /// Lists of unequal length.
    #[error("the skeleton has {names} names, {parents} parents and {rest} rest transforms: the three must be equal")]
    Lengths {
        /// Names given.
        names: usize,
        /// Parents given.
        parents: usize,
        /// Rest transforms given.
        rest: usize,
    },
    /// More than one joint without a parent, or the first has one.
    #[error(
        "joint `{joint}` breaks the tree: joint 0 alone has no parent, and parents come before children",
        joint = quoted(.joint)
    )]
    Tree {
        /// The joint.
        joint: String,
    },
    /// A name used twice.
    #[error("joint name `{joint}` is used twice: rename one", joint = quoted(.joint))]
    RepeatedName {
        /// The name.
        joint: String,
    },
    /// NaN or infinity.
    #[error("the rest pose of joint `{joint}` is not finite", joint = quoted(.joint))]
    NotFinite {
        /// The joint.
        joint: String,
    },
    /// Joint indices are small on purpose.
    #[error("the skeleton has {joints} joints; at most {} are supported", Skeleton::MAX_JOINTS)]
    TooMany {
        /// Joints given.
        joints: usize,
    },
    /// A name that is not there.
    #[error("no joint is named `{wanted}`{}", nearest_hint(.nearest), wanted = quoted(.wanted))]
    Missing {
        /// The name asked for.
        wanted: String,
        /// The most similar name there is.
        nearest: Option<String>,
    },
}

fn nearest_hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|n| format!("; the nearest is `{n}`")).unwrap_or_default()
}

/// A name without its namespace.
fn own_name(name: &str) -> &str {
    match name.rsplit([':', '|']).next() {
        Some("") | None => name,
        Some(own) => own,
    }
}

/// Lower-case letters and digits of a name.
fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

impl Skeleton {
    /// More joints than any rig has; keeps a damaged file from asking for the moon.
    pub const MAX_JOINTS: usize = 4096;

    /// Checks and builds. `rest` holds each joint's transform to its parent in the rest pose, metres.
    ///
    /// # Errors
    /// No joints, unequal lengths, a broken tree, repeated names, numbers that are not finite.
    pub fn new(
        names: Vec<String>,
        parents: Vec<Option<JointIndex>>,
        rest: Vec<Transform>,
    ) -> Result<Self, SkeletonError> {
        if names.is_empty() {
            return Err(SkeletonError::Empty);
        }
        if names.len() > Self::MAX_JOINTS {
            return Err(SkeletonError::TooMany { joints: names.len() });
        }
        if names.len() != parents.len() || names.len() != rest.len() {
            return Err(SkeletonError::Lengths { names: names.len(), parents: parents.len(), rest: rest.len() });
        }
        let mut seen = std::collections::HashSet::new();
        for (j, name) in names.iter().enumerate() {
            if parents[j].map_or(j != 0, |p| p.at() >= j) {
                return Err(SkeletonError::Tree { joint: name.clone() });
            }
            if !seen.insert(name.as_str()) {
                return Err(SkeletonError::RepeatedName { joint: name.clone() });
            }
            if !rest[j].is_finite() {
                return Err(SkeletonError::NotFinite { joint: name.clone() });
            }
        }
        let (mut first_child, mut next_sibling) = (vec![None; names.len()], vec![None; names.len()]);
        for (j, parent) in parents.iter().enumerate().rev() {
            if let Some(p) = parent {
                next_sibling[j] = first_child[p.at()].replace(JointIndex::new(j));
            }
        }
        Ok(Self { names, parents, rest, first_child, next_sibling })
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Never true: a skeleton has at least its root.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// `[joints]` names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A joint in root space, up its chain of parents, where `local` has local transforms; allocates nothing.
    pub(crate) fn in_root(&self, joint: JointIndex, local: impl Fn(JointIndex) -> Transform) -> Transform {
        let chain = std::iter::successors(Some(joint), |j| self.parents[j.at()]).take_while(|j| j.at() > 0);
        chain.fold(Transform::IDENTITY, |below, j| local(j) * below)
    }

    /// `[joints]` parents; `None` for joint 0 alone.
    pub fn parents(&self) -> &[Option<JointIndex>] {
        &self.parents
    }

    /// `[joints]` rest transforms, local, metres.
    pub fn rest(&self) -> &[Transform] {
        &self.rest
    }

    /// The name of a joint.
    pub fn name(&self, joint: JointIndex) -> &str {
        &self.names[joint.at()]
    }

    /// The joint of that name.
    pub fn find(&self, name: &str) -> Option<JointIndex> {
        self.names.iter().position(|n| n == name).map(JointIndex::new)
    }

    /// The joint of that name, else the only one whose name is the same but for namespace, prefix, separators and case: see
    /// [`Skeleton::keys`].
    ///
    /// # Errors
    /// [`SkeletonError::Missing`], naming the most similar joint.
    pub fn require(&self, name: &str) -> Result<JointIndex, SkeletonError> {
        self.find(name).or_else(|| self.find_alike(name)).ok_or_else(|| SkeletonError::Missing {
            wanted: name.to_owned(),
            nearest: crate::error::nearest(name, self.names.iter().map(String::as_str)),
        })
    }

    fn find_alike(&self, name: &str) -> Option<JointIndex> {
        let wanted = letters(own_name(name));
        let keys = self.keys();
        let alike = |j: &usize| keys[*j] == wanted || letters(own_name(&self.names[*j])) == wanted;
        let mut found = (0..self.len()).filter(alike);
        found.next().filter(|_| found.next().is_none() && !wanted.is_empty()).map(JointIndex::new)
    }

    /// `[joints]` names as they compare between files: lower-case letters and digits, without a namespace (`mixamorig:Hips`,
    /// `Armature|Hips`) and without what nearly all names begin with (`CC_Base_Hip`). As much of that is left in as keeps them
    /// apart.
    pub fn keys(&self) -> Vec<String> {
        let prefix = self.prefix();
        let bare = |name: &str| letters(own_name(name).strip_prefix(prefix).unwrap_or(own_name(name)));
        let forms: [&dyn Fn(&str) -> String; 3] = [&bare, &|n| letters(own_name(n)), &|n| own_name(n).to_owned()];
        let apart = forms.iter().map(|form| self.names.iter().map(|n| form(n)).collect::<Vec<_>>()).find(|keys| {
            let different: std::collections::BTreeSet<&String> = keys.iter().collect();
            different.len() == keys.len() && !keys.iter().any(String::is_empty)
        });
        apart.unwrap_or_else(|| self.names.clone())
    }

    /// What at least this share of the names begin with, up to a separator.
    fn prefix(&self) -> &str {
        const SHARE: f32 = 0.8;
        const FEWEST: usize = 6;
        if self.len() < FEWEST {
            return "";
        }
        let least = SHARE * self.len() as f32;
        // Sorted, the names that share it stand side by side, and the one in the middle is among them.
        let mut own: Vec<&str> = self.names.iter().map(|n| own_name(n)).collect();
        own.sort_unstable();
        let middle = own[own.len() / 2];
        let shared = |prefix: &str| own.iter().filter(|n| n.starts_with(prefix)).count() as f32 >= least;
        let separators = middle.char_indices().filter(|(_, c)| !c.is_alphanumeric());
        let ends: Vec<usize> = separators.map(|(at, c)| at + c.len_utf8()).collect();
        let found = ends.partition_point(|end| shared(&middle[..*end]));
        found.checked_sub(1).map_or("", |k| &middle[..ends[k]])
    }

    /// Rest pose in the space of the skeleton itself: joint 0's rest transform included.
    pub fn rest_model(&self) -> Vec<Transform> {
        let mut model: Vec<Transform> = Vec::with_capacity(self.len());
        for j in 0..self.len() {
            let parent = self.parents[j].map_or(Transform::IDENTITY, |p| model[p.at()]);
            model.push(parent * self.rest[j]);
        }
        model
    }

    /// All joints, from `local` transforms, in the space that joint 0 is in: `[joints]` into `world`, which is resized.
    pub(crate) fn place(&self, local: impl Fn(usize) -> Transform, world: &mut Vec<Transform>) {
        world.clear();
        for (j, parent) in self.parents.iter().enumerate() {
            let t = match parent {
                Some(p) => world[p.at()] * local(j),
                None => local(j),
            };
            world.push(t);
        }
    }

    /// The skeleton under a new joint 0: a motionless root named `name` at the origin.
    ///
    /// # Errors
    /// [`SkeletonError::RepeatedName`] when a joint has that name already.
    pub fn with_root(&self, name: &str) -> Result<Self, SkeletonError> {
        let mut names = vec![name.to_owned()];
        names.extend(self.names.iter().cloned());
        let mut parents = vec![None];
        parents.extend(self.parents.iter().map(|p| Some(JointIndex(p.map_or(0, |p| p.0 + 1)))));
        let mut rest = vec![Transform::new(Vec3::ZERO, Quat::IDENTITY)];
        rest.extend(self.rest.iter().copied());
        Self::new(names, parents, rest)
    }

    /// Children of a joint, in order.
    pub fn children(&self, joint: JointIndex) -> impl Iterator<Item = JointIndex> + '_ {
        let first = self.first_child.get(joint.at()).copied().flatten();
        std::iter::successors(first, |j| self.next_sibling[j.at()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(names: &[&str]) -> Result<Skeleton, SkeletonError> {
        Skeleton::new(
            names.iter().map(|n| n.to_string()).collect(),
            (0..names.len()).map(|j| (j > 0).then(|| JointIndex::new(j - 1))).collect(),
            vec![Transform::new(Vec3::Y, Quat::IDENTITY); names.len()],
        )
    }

    #[test]
    fn a_missing_joint_names_the_nearest() {
        let s = chain(&["Root", "Hips", "LeftToe"]).unwrap();
        assert_eq!(
            s.require("LeftTo").unwrap_err().to_string(),
            "no joint is named `LeftTo`; the nearest is `LeftToe`"
        );
    }

    #[test]
    fn names_are_found_without_their_prefix_and_whatever_the_separators() {
        let bones = ["Hips", "Spine", "Head", "LeftUpLeg", "LeftLeg", "LeftFoot"];
        for rig in ["mixamorig:", "Armature|", "a:b:", "Model_", "CC_Base_", ""] {
            let s = chain(&bones.map(|b| format!("{rig}{b}")).each_ref().map(String::as_str)).unwrap();
            for asked in ["LeftFoot", "left_foot", "Other:LeftFoot", &format!("{rig}LeftFoot")] {
                assert_eq!(s.require(asked), Ok(JointIndex(5)), "{rig} {asked}");
            }
            assert!(s.require("Foot").is_err(), "{rig}");
            assert_eq!(s.keys()[5], "leftfoot", "{rig}");
        }
        // What is the same without separators is told apart with them, and never guessed.
        let s = chain(&["Hips", "Spine_1", "Spine1"]).unwrap();
        assert_eq!(s.require("Spine1"), Ok(JointIndex(2)));
        assert!(s.require("spine1").is_err());
        assert_eq!(s.keys(), s.names());
    }

    #[test]
    fn broken_trees_are_refused() {
        assert_eq!(chain(&[]), Err(SkeletonError::Empty));
        assert!(matches!(chain(&["A", "A"]), Err(SkeletonError::RepeatedName { .. })));
        let two_roots = Skeleton::new(vec!["A".into(), "B".into()], vec![None, None], vec![Transform::IDENTITY; 2]);
        assert!(matches!(two_roots, Err(SkeletonError::Tree { .. })));
        let nan = Transform::new(Vec3::NAN, Quat::IDENTITY);
        assert!(matches!(Skeleton::new(vec!["A".into()], vec![None], vec![nan]), Err(SkeletonError::NotFinite { .. })));
    }

    #[test]
    fn a_new_root_shifts_the_others() {
        let s = chain(&["Hips", "Spine"]).unwrap().with_root("Root").unwrap();
        assert_eq!(s.names(), ["Root", "Hips", "Spine"]);
        assert_eq!(s.parents(), [None, Some(JointIndex(0)), Some(JointIndex(1))]);
        assert_eq!(s.rest_model()[2].translation, Vec3::Y * 2.0);
        assert!(chain(&["Hips"]).unwrap().with_root("Hips").is_err());
    }
}
