//! Questions about a hierarchy.

use crate::skeleton::Skeleton;

/// The parent of a joint.
pub fn parent(skeleton: &Skeleton, joint: usize) -> Option<usize> {
    skeleton.parents()[joint].map(|p| p.at())
}

/// A joint and all above it, from itself to joint 0.
pub fn upwards(skeleton: &Skeleton, joint: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(joint), |j| parent(skeleton, *j))
}

/// Joints between a joint and joint 0.
pub fn depth(skeleton: &Skeleton, joint: usize) -> usize {
    upwards(skeleton, joint).count()
}

/// True where `below` hangs, near or far, under `above`, which is another joint.
pub fn is_above(skeleton: &Skeleton, above: usize, below: usize) -> bool {
    above != below && upwards(skeleton, below).any(|j| j == above)
}

/// The lowest joint that carries both; one of them where it carries the other.
pub fn meet(skeleton: &Skeleton, a: usize, b: usize) -> usize {
    let mut over_a = vec![false; skeleton.len()];
    upwards(skeleton, a).for_each(|j| over_a[j] = true);
    upwards(skeleton, b).find(|j| over_a[*j]).unwrap_or(0)
}

/// From a joint down to another, both included; `None` where one does not hang under the other.
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

/// Length of the bone from its parent to a joint, metres.
pub fn bone(skeleton: &Skeleton, joint: usize) -> f32 {
    skeleton.rest()[joint].translation.length()
}
