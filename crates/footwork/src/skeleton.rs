//! Skeletons: joint names, hierarchy and rest pose.

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
    /// `[joints]` the first child of each joint.
    first_child: Vec<Option<JointIndex>>,
    next_sibling: Vec<Option<JointIndex>>,
}

/// Reason why a skeleton is invalid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SkeletonError {
    /// The skeleton has no joints.
    #[error("the skeleton has no joints")]
    Empty,
    /// The lists have different lengths.
    #[error("the skeleton has {names} names, {parents} parents and {rest} rest transforms: the three must be equal")]
    Lengths {
        /// Number of names.
        names: usize,
        /// Number of parents.
        parents: usize,
        /// Number of rest transforms.
        rest: usize,
    },
    /// A joint other than the first has no parent, a parent does not precede its child, or the first joint has a parent.
    #[error(
        "joint `{joint}` breaks the tree: joint 0 alone has no parent, and parents come before children",
        joint = quoted(.joint)
    )]
    Tree {
        /// Name of the joint.
        joint: String,
    },
    /// A name is used twice.
    #[error("joint name `{joint}` is used twice: rename one", joint = quoted(.joint))]
    RepeatedName {
        /// The repeated name.
        joint: String,
    },
    /// A value of the rest pose is NaN or infinite.
    #[error("the rest pose of joint `{joint}` is not finite", joint = quoted(.joint))]
    NotFinite {
        /// Name of the joint.
        joint: String,
    },
    /// There are more than [`Skeleton::MAX_JOINTS`] joints.
    #[error("the skeleton has {joints} joints; at most {} are supported", Skeleton::MAX_JOINTS)]
    TooMany {
        /// Number of joints.
        joints: usize,
    },
    /// No joint has the requested name.
    #[error("no joint is named `{wanted}`{}", nearest_hint(.nearest), wanted = quoted(.wanted))]
    Missing {
        /// The requested name.
        wanted: String,
        /// The most similar existing name.
        nearest: Option<String>,
    },
}

fn nearest_hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|n| format!("; the nearest is `{n}`")).unwrap_or_default()
}

/// Returns a name without its namespace.
fn own_name(name: &str) -> &str {
    match name.rsplit([':', '|']).next() {
        Some("") | None => name,
        Some(own) => own,
    }
}

/// Returns the letters and digits of a name in lower case.
fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

impl Skeleton {
    /// Maximum number of joints, far above that of real rigs. It limits memory use on damaged files.
    pub const MAX_JOINTS: usize = 4096;

    /// Builds a skeleton from checked input. `rest` is each joint's transform relative to its parent in the rest pose, in metres.
    ///
    /// # Errors
    /// Returns [`SkeletonError`] for no joints, different lengths, an invalid tree, repeated names, or non-finite numbers.
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

    /// Returns the number of joints.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns false: a skeleton has at least its root.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the names, `[joints]`.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns a joint in root space, computed along its chain of parents from `local` transforms. Allocates nothing.
    pub fn in_root(&self, joint: JointIndex, local: impl Fn(JointIndex) -> Transform) -> Transform {
        let chain = self.chain(joint).take_while(|j| j.at() > 0);
        chain.fold(Transform::IDENTITY, |below, j| local(j) * below)
    }

    /// Returns the parents, `[joints]`; `None` only for joint 0.
    pub fn parents(&self) -> &[Option<JointIndex>] {
        &self.parents
    }

    /// Iterates from a joint over its parents to joint 0, both included.
    pub(crate) fn chain(&self, joint: JointIndex) -> impl Iterator<Item = JointIndex> {
        std::iter::successors(Some(joint), |j| self.parents[j.at()])
    }

    /// Returns the local rest transforms, `[joints]`, in metres.
    pub fn rest(&self) -> &[Transform] {
        &self.rest
    }

    /// Returns the name of a joint.
    pub fn name(&self, joint: JointIndex) -> &str {
        &self.names[joint.at()]
    }

    /// Returns the joint with exactly this name.
    pub fn find(&self, name: &str) -> Option<JointIndex> {
        self.names.iter().position(|n| n == name).map(JointIndex::new)
    }

    /// Returns the first difference in joints or hierarchy that keeps clips of the two skeletons out of one database, as text;
    /// `None` for the same skeleton. Rest poses may differ.
    pub fn difference(&self, other: &Self) -> Option<String> {
        if let Some(missing) = self.names().iter().find(|n| other.find(n).is_none()) {
            return Some(format!("joint `{missing}` is missing"));
        }
        if let Some(extra) = other.names().iter().find(|n| self.find(n).is_none()) {
            return Some(format!("joint `{extra}` is not in the first"));
        }
        let differs = |j: &usize| self.names()[*j] != other.names()[*j] || self.parents()[*j] != other.parents()[*j];
        let j = (0..self.len()).find(differs)?;
        Some(format!("joint `{}` stands elsewhere in the hierarchy", other.names()[j]))
    }

    /// Returns the joint with this name, or else the only joint whose name is the same except for namespace, prefix, separators
    /// and case; see [`Skeleton::keys`].
    ///
    /// # Errors
    /// Returns [`SkeletonError::Missing`] with the most similar name.
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

    /// Returns normalised names to compare files, `[joints]`: lower-case letters and digits, without namespaces
    /// (`mixamorig:Hips`, `Armature
    /// Hips`) and without a prefix that nearly all names share (`CC_Base_Hip`). If the normalised names are not unique, less is
    /// removed.
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

    /// Returns the prefix, up to a separator, that at least this share of the names have.
    fn prefix(&self) -> &str {
        const SHARE: f32 = 0.8;
        const FEWEST: usize = 6;
        if self.len() < FEWEST {
            return "";
        }
        let least = SHARE * self.len() as f32;
        // In sorted order, the names with the prefix are adjacent, and the middle name is one of them.
        let mut own: Vec<&str> = self.names.iter().map(|n| own_name(n)).collect();
        own.sort_unstable();
        let middle = own[own.len() / 2];
        let shared = |prefix: &str| own.iter().filter(|n| n.starts_with(prefix)).count() as f32 >= least;
        let separators = middle.char_indices().filter(|(_, c)| !c.is_alphanumeric());
        let ends: Vec<usize> = separators.map(|(at, c)| at + c.len_utf8()).collect();
        let found = ends.partition_point(|end| shared(&middle[..*end]));
        found.checked_sub(1).map_or("", |k| &middle[..ends[k]])
    }

    /// Returns the rest pose in the space of the skeleton itself, including the rest transform of joint 0.
    pub fn rest_model(&self) -> Vec<Transform> {
        let mut model: Vec<Transform> = Vec::with_capacity(self.len());
        for j in 0..self.len() {
            let parent = self.parents[j].map_or(Transform::IDENTITY, |p| model[p.at()]);
            model.push(parent * self.rest[j]);
        }
        model
    }

    /// Writes all joints to `world`, `[joints]`, in the space of joint 0's transform. `local` are local transforms; `world` is
    /// resized.
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

    /// Returns the skeleton with a new joint 0: a motionless root named `name` at the origin.
    ///
    /// # Errors
    /// Returns [`SkeletonError::RepeatedName`] if a joint already has that name.
    pub fn with_root(&self, name: &str) -> Result<Self, SkeletonError> {
        let mut names = vec![name.to_owned()];
        names.extend(self.names.iter().cloned());
        let mut parents = vec![None];
        parents.extend(self.parents.iter().map(|p| Some(JointIndex(p.map_or(0, |p| p.0 + 1)))));
        let mut rest = vec![Transform::new(Vec3::ZERO, Quat::IDENTITY)];
        rest.extend(self.rest.iter().copied());
        Self::new(names, parents, rest)
    }

    /// Returns the children of a joint, in order.
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
        // Names that are the same without separators are compared with separators; there is no guess between them.
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
