//! Queries about a hierarchy.

use crate::frames::JointIndex;
use crate::skeleton::Skeleton;

/// Returns the parent of a joint.
pub fn parent(skeleton: &Skeleton, joint: usize) -> Option<usize> {
    skeleton.parents()[joint].map(|p| p.at())
}

/// Iterates from a joint over its ancestors to joint 0, including the joint itself.
pub fn upwards(skeleton: &Skeleton, joint: usize) -> impl Iterator<Item = usize> {
    skeleton.chain(JointIndex::new(joint)).map(JointIndex::at)
}

/// Returns the number of joints from a joint to joint 0, including both.
pub fn depth(skeleton: &Skeleton, joint: usize) -> usize {
    upwards(skeleton, joint).count()
}

/// Returns whether `above` is an ancestor of `below`; false for the same joint.
pub fn is_above(skeleton: &Skeleton, above: usize, below: usize) -> bool {
    above != below && upwards(skeleton, below).any(|j| j == above)
}

/// Returns the lowest common ancestor of two joints; one of them if it is an ancestor of the other.
pub fn meet(skeleton: &Skeleton, a: usize, b: usize) -> usize {
    let mut over_a = vec![false; skeleton.len()];
    upwards(skeleton, a).for_each(|j| over_a[j] = true);
    upwards(skeleton, b).find(|j| over_a[*j]).unwrap_or(0)
}

/// Returns the path from a joint down to another, including both; `None` if `to` is not below `from`.
pub fn path(skeleton: &Skeleton, from: usize, to: usize) -> Option<Vec<usize>> {
    let mut way: Vec<usize> = Vec::new();
    for j in upwards(skeleton, to) {
        way.push(j);
        if j == from {
            way.reverse();
            return Some(way);
        }
    }
    None
}

/// Returns the length of the bone from its parent to a joint, metres.
pub fn bone(skeleton: &Skeleton, joint: usize) -> f32 {
    skeleton.rest()[joint].translation.length()
}
