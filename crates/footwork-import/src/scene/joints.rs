//! Finds the nodes of a file that form its skeleton.

use super::{NodeKind, Scene, SceneProblem, Take};
use footwork::skeleton::Skeleton;

/// Minimum number of moving nodes that form a skeleton in a file without joints; a door, for example, has fewer.
const FEWEST_MOVING: usize = 3;
/// Maximum size of a helper branch (IK targets, for example), as a share of the joints of the largest branch.
const HELPERS_SHARE: f32 = 0.5;

/// A skeleton within a scene.
pub(super) struct SceneSkeleton {
    /// `[joints]` nodes, parents before children, depth first.
    pub nodes: Vec<usize>,
    /// `[joints]`.
    pub parents: Vec<Option<usize>>,
    /// `[joints]` unique.
    pub names: Vec<String>,
    /// Nodes above the root, outermost first.
    pub above: Vec<usize>,
    /// Messages about nodes that were left out or renamed.
    pub notes: Vec<String>,
}

impl SceneSkeleton {
    /// Returns true if a take moves one of the joints.
    pub fn moves_in(&self, take: &Take) -> bool {
        self.nodes.iter().any(|n| take.moved.contains(n))
    }
}

/// Finds the skeleton: the joints of the skins (or the file's bones, or a tree of moving nodes), the nodes that connect them,
/// and the nodes above that move them.
pub(super) fn find(scene: &Scene) -> Result<SceneSkeleton, SceneProblem> {
    let tree = Tree::new(scene)?;
    let mut moved = vec![false; scene.nodes.len()];
    scene.takes.iter().flat_map(|t| &t.moved).for_each(|n| moved[*n] = true);
    let (wanted, by_motion) = wanted(scene, &moved)?;
    let mut notes = Vec::new();
    let root = tree.root(scene, &wanted, &moved, by_motion, &mut notes)?;
    let inside = tree.inside(scene, root, &wanted, by_motion);
    let (mut nodes, mut parents) = (Vec::new(), Vec::new());
    let mut open = vec![(root, None)];
    while let Some((n, parent)) = open.pop() {
        if nodes.len() == Skeleton::MAX_JOINTS {
            return Err(SceneProblem::TooManyJoints);
        }
        let at = nodes.len();
        nodes.push(n);
        parents.push(parent);
        open.extend(tree.children[n].iter().rev().filter(|c| inside[**c]).map(|c| (*c, Some(at))));
    }
    let names = unique(nodes.iter().map(|n| scene.nodes[*n].name.as_str()), &mut notes);
    Ok(SceneSkeleton { nodes, parents, names, above: tree.above(root), notes })
}

/// Returns `[nodes]` whether a node must be in the skeleton, and whether this was derived from motion only.
fn wanted(scene: &Scene, moved: &[bool]) -> Result<(Vec<bool>, bool), SceneProblem> {
    let of = |fits: &dyn Fn(usize) -> bool| -> Vec<bool> { (0..scene.nodes.len()).map(fits).collect() };
    let kind = |n: usize| scene.nodes[n].kind;
    let joints = of(&|n| kind(n) == NodeKind::Joint);
    if joints.contains(&true) {
        return Ok((joints, false));
    }
    let enough = |w: &[bool]| w.iter().filter(|w| **w).count() >= FEWEST_MOVING;
    let plain = of(&|n| moved[n] && kind(n) == NodeKind::Plain);
    if enough(&plain) {
        return Ok((plain, true));
    }
    let bodies = of(&|n| moved[n] && matches!(kind(n), NodeKind::Plain | NodeKind::Mesh));
    if enough(&bodies) {
        return Ok((bodies, true));
    }
    if moved.contains(&true) { Err(no_skeleton(scene, moved)) } else { Err(SceneProblem::NothingMoves) }
}

fn no_skeleton(scene: &Scene, moved: &[bool]) -> SceneProblem {
    const MOST: usize = 3;
    let names: Vec<String> =
        scene.nodes.iter().zip(moved).filter(|(_, m)| **m).map(|(n, _)| format!("`{}`", n.name)).collect();
    let more = if names.len() > MOST { ", .." } else { "" };
    SceneProblem::NoSkeleton { objects: names[..names.len().min(MOST)].join(", ") + more }
}

struct Tree {
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
    /// Node indices, each after its parent.
    order: Vec<usize>,
}

impl Tree {
    fn new(scene: &Scene) -> Result<Self, SceneProblem> {
        let parents: Vec<Option<usize>> = scene.nodes.iter().map(|n| n.parent).collect();
        let mut children = vec![Vec::new(); parents.len()];
        let mut order: Vec<usize> = Vec::with_capacity(parents.len());
        for (n, parent) in parents.iter().enumerate() {
            match parent {
                Some(p) => children[*p].push(n),
                None => order.push(n),
            }
        }
        let mut at = 0;
        while at < order.len() {
            order.extend_from_slice(&children[order[at]]);
            at += 1;
        }
        if order.len() < parents.len() {
            let mut reached = vec![false; parents.len()];
            order.iter().for_each(|n| reached[*n] = true);
            let lost = reached.iter().position(|r| !r).unwrap_or_default();
            return Err(SceneProblem::NotATree { node: scene.nodes[lost].name.clone() });
        }
        Ok(Self { parents, children, order })
    }

    /// Returns the nodes above one, outermost first.
    fn above(&self, node: usize) -> Vec<usize> {
        let mut above: Vec<usize> = std::iter::successors(self.parents[node], |n| self.parents[*n]).collect();
        above.reverse();
        above
    }

    /// Returns `[nodes]` the number of wanted nodes at or below each.
    fn counts(&self, wanted: &[bool]) -> Vec<usize> {
        let mut counts: Vec<usize> = wanted.iter().map(|w| usize::from(*w)).collect();
        for n in self.order.iter().rev() {
            if let Some(p) = self.parents[*n] {
                counts[p] += counts[*n];
            }
        }
        counts
    }

    /// Returns the topmost joint: the root of the largest skeleton, or the highest moving node above it.
    fn root(
        &self,
        scene: &Scene,
        wanted: &[bool],
        moved: &[bool],
        by_motion: bool,
        notes: &mut Vec<String>,
    ) -> Result<usize, SceneProblem> {
        let counts = self.counts(wanted);
        let tops: Vec<usize> = self.order.iter().copied().filter(|n| self.parents[*n].is_none()).collect();
        if by_motion && tops.iter().all(|n| counts[*n] < FEWEST_MOVING) {
            return Err(no_skeleton(scene, moved));
        }
        let mut at = self.largest(scene, &tops, &counts, false, notes)?;
        // Descend to the first joint, or to a fork of the tree.
        while !wanted[at] {
            let forks: Vec<usize> = self.children[at].iter().copied().filter(|c| counts[*c] > 0).collect();
            let next = self.largest(scene, &forks, &counts, true, notes)?;
            if counts[next] < counts[at] && forks.iter().any(|f| *f != next && !is_helper(counts[*f], counts[next])) {
                break;
            }
            at = next;
        }
        let highest = self.above(at).into_iter().find(|n| moved[*n] && scene.nodes[*n].kind != NodeKind::Other);
        Ok(highest.unwrap_or(at))
    }

    /// Returns the branch with most joints. Small branches beside it are left out; large ones are an error, unless they may
    /// share a root.
    fn largest(
        &self,
        scene: &Scene,
        branches: &[usize],
        counts: &[usize],
        may_share: bool,
        notes: &mut Vec<String>,
    ) -> Result<usize, SceneProblem> {
        // On a tie, the first.
        let best = branches.iter().rev().max_by_key(|n| counts[**n]).copied().ok_or(SceneProblem::NothingMoves)?;
        let others = || branches.iter().filter(|n| **n != best && counts[**n] > 0);
        if let Some(second) = others().find(|n| !is_helper(counts[**n], counts[best])) {
            if may_share {
                return Ok(best);
            }
            let name = |n: usize| scene.nodes[n].name.clone();
            return Err(SceneProblem::TwoSkeletons {
                first: name(best),
                first_joints: counts[best],
                second: name(*second),
                second_joints: counts[*second],
            });
        }
        notes.extend(others().map(|n| {
            format!(
                "`{}` and what is below it ({} joints) stands apart from the skeleton: left out",
                scene.nodes[*n].name, counts[*n]
            )
        }));
        Ok(best)
    }

    /// Returns `[nodes]` whether a node belongs to the skeleton below a root.
    fn inside(&self, scene: &Scene, root: usize, wanted: &[bool], by_motion: bool) -> Vec<bool> {
        let counts = self.counts(wanted);
        let mut inside = vec![false; counts.len()];
        for n in &self.order {
            let below = self.parents[*n].is_some_and(|p| inside[p]);
            // If the joints were derived from motion, nodes without motion among them are joints too.
            let rests = by_motion && scene.nodes[*n].kind == NodeKind::Plain;
            inside[*n] = *n == root || below && (counts[*n] > 0 || rests);
        }
        inside
    }
}

fn is_helper(joints: usize, most: usize) -> bool {
    (joints as f32) < HELPERS_SHARE * most as f32
}

/// Makes names unique: a repeated name gets a number.
fn unique<'a>(names: impl Iterator<Item = &'a str>, notes: &mut Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    let mut out = Vec::new();
    for name in names {
        let mut own = name.to_owned();
        let mut number = 2;
        while !seen.insert(own.clone()) {
            own = format!("{name}_{number}");
            number += 1;
        }
        if own != name {
            notes.push(format!("a second joint `{name}` is called `{own}`"));
        }
        out.push(own);
    }
    out
}
