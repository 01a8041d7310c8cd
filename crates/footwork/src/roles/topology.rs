//! Roles without names: two pairs of mirrored limbs, a spine between them, a head beyond.
//!
//! Hierarchy and lengths of bones distinguish limbs from fingers and legs from arms. A pose in which the body stands
//! distinguishes left from right, which requires the facing, and two legs from four.

use super::tree;
use super::words::Side;
use crate::frames::JointIndex;
use crate::skeleton::Skeleton;
use glam::Vec3;
use std::collections::BTreeMap;

/// Maximum difference of the bones of a pair, as a share of their length.
const ALIKE: f32 = 0.05;
/// Minimum length of limbs, as a share of the longest pair; excludes fingers and ears.
const LIMB: f32 = 0.4;
/// Maximum cosine of the angle between legs and spine of a standing body.
const SAME_WAY: f32 = 0.7;
/// Sine of the spine's rise above which the body stands on two legs.
const LYING: f32 = 0.6;
/// Minimum length of fore legs, as a share of the hind legs; arms are shorter.
const FORE_LEG: f32 = 0.85;
/// Confidence in roles by hierarchy; in sides by toes; in sides by knees.
const SURE: [f32; 3] = [0.75, 0.7, 0.55];

/// A body found without names.
#[derive(Debug, Default)]
pub struct Body {
    pub joints: BTreeMap<String, (usize, f32)>,
    pub quadruped: bool,
    /// Whether the pose determines left and right.
    pub sided: bool,
    pub notes: Vec<String>,
}

/// A limb: the joints of its longest path from the branch, and the first of its two long bones.
#[derive(Clone, Debug)]
struct Limb {
    way: Vec<usize>,
    upper: usize,
    reach: f32,
}

/// Two limbs that mirror each other.
struct Pair {
    branch: usize,
    limbs: [Limb; 2],
}

/// Facing of a body.
struct Facing {
    forward: Vec3,
    sure: f32,
}

/// Like [`find`], in the first pose that determines the sides with the right number of feet. The body has four feet if at
/// least half of the poses show it on four, whatever the others show (a dog sits; a gallop stretches). Also returns the pose.
pub fn find_in_poses<'a>(skeleton: &Skeleton, poses: &'a [Vec<Vec3>]) -> (Option<Body>, Option<&'a Vec<Vec3>>) {
    let mut bodies: Vec<(Option<Body>, &Vec<Vec3>)> = poses.iter().map(|p| (find(skeleton, p), p)).collect();
    let fours = bodies.iter().filter(|(b, _)| b.as_ref().is_some_and(|b| b.quadruped)).count();
    let four = 2 * fours >= poses.len();
    let tells = |(b, _): &(Option<Body>, &Vec<Vec3>)| b.as_ref().is_some_and(|b| b.sided && b.quadruped == four);
    let best = bodies.iter().position(tells).unwrap_or(0);
    if bodies.is_empty() {
        (None, None)
    } else {
        let (body, pose) = bodies.swap_remove(best);
        (body, Some(pose))
    }
}

/// Finds a body by hierarchy, bones, and `positions` (`[joints]`, +Y up, of a pose in which the body stands or walks).
pub fn find(skeleton: &Skeleton, positions: &[Vec3]) -> Option<Body> {
    let mut pairs = pairs(skeleton);
    // The pair nearer to the root is that of the legs, or the hind legs: the head is beyond the other.
    pairs.sort_by_key(|p| tree::depth(skeleton, p.branch));
    let mut pairs = pairs.into_iter();
    let (mut legs, mut arms) = (pairs.next()?, pairs.next());
    if let Some(upper) = &mut arms
        && stands_on(positions, upper, &legs)
        && upper.branch == legs.branch
    {
        std::mem::swap(upper, &mut legs);
    }
    let mut body = Body::default();
    let hips = legs.branch;
    body.joints.insert("hips".to_owned(), (hips, SURE[0]));
    trunk(skeleton, hips, arms.as_ref(), &mut body);
    body.quadruped = arms.as_ref().is_some_and(|arms| walks_on_four(positions, &legs, arms));
    let facing = facing(positions, &legs, arms.as_ref(), body.quadruped);
    let Some(facing) = facing else {
        body.notes.push(
            "cannot tell left from right: neither names nor the pose say where the body faces; give `roles.left_up_leg` and \
             so on"
                .to_owned(),
        );
        return Some(body);
    };
    body.sided = true;
    let leg_parts: [&str; 4] = ["up_leg", "leg", "foot", "toe"];
    sides(positions, legs, &leg_parts, "hind_foot", &facing, &mut body);
    if let Some(arms) = arms {
        sides(positions, arms, &["up_arm", "fore_arm", "hand"], "fore_foot", &facing, &mut body);
    }
    Some(body)
}

/// The longest path down from every joint, computed once for all joints.
struct Ways {
    /// `[joints]` the next joint of the longest path, a child.
    next: Vec<Option<usize>>,
    /// `[joints]` number of joints of the longest path, including the joint itself.
    joints: Vec<usize>,
    /// `[joints]` number of joints in the subtree, including the joint itself.
    size: Vec<usize>,
}

impl Ways {
    fn of(skeleton: &Skeleton) -> Self {
        let n = skeleton.len();
        let (mut next, mut joints, mut size) = (vec![None::<usize>; n], vec![1usize; n], vec![1usize; n]);
        // Children come after parents: the length of the path below each joint, from the leaves up.
        let mut below = vec![0.0f32; n];
        let reach = |below: &[f32], j: usize| tree::bone(skeleton, j) + below[j];
        for j in (1..n).rev() {
            let parent = tree::parent(skeleton, j).unwrap_or(0);
            below[parent] = below[parent].max(reach(&below, j));
            size[parent] += size[j];
            // Of equal paths the last child's is chosen: it comes first here.
            if next[parent].is_none_or(|c| reach(&below, j).total_cmp(&reach(&below, c)).is_gt()) {
                (next[parent], joints[parent]) = (Some(j), 1 + joints[j]);
            }
        }
        Self { next, joints, size }
    }

    /// Returns the longest path down from a joint, and its two longest consecutive bones.
    fn limb(&self, skeleton: &Skeleton, start: usize) -> Limb {
        let way: Vec<usize> = std::iter::successors(Some(start), |j| self.next[*j]).collect();
        let bones: Vec<f32> = way.iter().skip(1).map(|j| tree::bone(skeleton, *j)).collect();
        let two = |i: usize| bones[i].min(bones[i + 1]);
        let upper = (0..bones.len().saturating_sub(1)).max_by(|a, b| two(*a).total_cmp(&two(*b))).unwrap_or(0);
        Limb { upper, reach: bones.iter().sum(), way }
    }
}

/// Returns the two longest pairs of mirrored limbs, the longest first.
fn pairs(skeleton: &Skeleton) -> Vec<Pair> {
    const FEWEST_JOINTS: usize = 3;
    let ways = Ways::of(skeleton);
    let mut pairs: Vec<Pair> = Vec::new();
    for branch in 0..skeleton.len() {
        let children = skeleton.children(JointIndex::new(branch)).map(JointIndex::at);
        let mut children: Vec<usize> = children.filter(|j| ways.joints[*j] >= FEWEST_JOINTS).collect();
        // Limbs are only compared among siblings of equal size: each joint is then in few of them.
        let sizes: Vec<(usize, usize)> = children.iter().map(|j| (ways.size[*j], ways.joints[*j])).collect();
        children.retain(|j| sizes.iter().filter(|s| **s == (ways.size[*j], ways.joints[*j])).count() > 1);
        let limbs: Vec<Limb> = children.iter().map(|j| ways.limb(skeleton, *j)).collect();
        for (i, a) in limbs.iter().enumerate() {
            for (k, b) in limbs.iter().enumerate().skip(i + 1) {
                if ways.size[children[i]] == ways.size[children[k]] && alike(skeleton, a, b) {
                    pairs.push(Pair { branch, limbs: [a.clone(), b.clone()] });
                    pairs.sort_by(|a, b| b.limbs[0].reach.total_cmp(&a.limbs[0].reach).then(a.branch.cmp(&b.branch)));
                    pairs.truncate(2);
                }
            }
        }
    }
    let longest = pairs.first().map_or(0.0, |p| p.limbs[0].reach);
    pairs.retain(|p| p.limbs[0].reach >= LIMB * longest);
    pairs
}

fn alike(skeleton: &Skeleton, a: &Limb, b: &Limb) -> bool {
    let close = |(a, b): (&usize, &usize)| {
        let (a, b) = (tree::bone(skeleton, *a), tree::bone(skeleton, *b));
        (a - b).abs() <= ALIKE * a.max(b)
    };
    a.way.len() == b.way.len() && a.way.iter().zip(&b.way).all(close)
}

/// Returns whether the body stands on `a` rather than on `b`.
fn stands_on(positions: &[Vec3], a: &Pair, b: &Pair) -> bool {
    let low = |p: &Pair| p.limbs.iter().map(|l| positions[l.way[l.way.len() - 1]].y).sum::<f32>();
    low(a) < low(b)
}

fn trunk(skeleton: &Skeleton, hips: usize, arms: Option<&Pair>, body: &mut Body) {
    let Some(arms) = arms else { return };
    let mut put = |role: &str, joint: usize| {
        body.joints.insert(role.to_owned(), (joint, SURE[0]));
    };
    let way = tree::path(skeleton, hips, arms.branch).unwrap_or_default();
    if let [_, first, ..] = way[..] {
        put("spine", first);
        put("chest", arms.branch);
    }
    let ways = Ways::of(skeleton);
    let children = skeleton.children(JointIndex::new(arms.branch)).map(JointIndex::at);
    let up = children
        .filter(|j| arms.limbs.iter().all(|l| l.way[0] != *j))
        .map(|j| ways.limb(skeleton, j))
        .max_by(|a, b| a.reach.total_cmp(&b.reach));
    let Some(up) = up.map(|l| l.way) else { return };
    // Neck joints, head, and a marker at the top of the head: the head's bone is the longest.
    let last = up.len() - 1;
    let head =
        if last >= 2 && tree::bone(skeleton, up[last]) > tree::bone(skeleton, up[last - 1]) { last - 1 } else { last };
    put("head", up[head]);
    if head > 0 {
        put("neck", up[0]);
    }
}

/// Returns whether feet and hands are both on the ground under a horizontal spine.
fn walks_on_four(positions: &[Vec3], legs: &Pair, arms: &Pair) -> bool {
    let spine = (positions[arms.branch] - positions[legs.branch]).normalize_or_zero();
    let down = direction_of(positions, legs).y < -0.5 && direction_of(positions, arms).y < -0.5;
    // Only the long bones: a fore limb begins with a shoulder blade.
    let length = |p: &Pair| {
        let at = |k: usize| positions[p.limbs[0].way[k.min(p.limbs[0].way.len() - 1)]];
        let k = p.limbs[0].upper;
        (at(k + 1) - at(k)).length() + (at(k + 2) - at(k + 1)).length()
    };
    down && spine.y.abs() < LYING && length(arms) >= FORE_LEG * length(legs)
}

/// Returns the direction from the start of a pair to the end of its long bones, unit length.
fn direction_of(positions: &[Vec3], pair: &Pair) -> Vec3 {
    let along = |l: &Limb| positions[l.way[l.upper + 2]] - positions[l.way[l.upper]];
    pair.limbs.iter().map(along).sum::<Vec3>().normalize_or_zero()
}

/// Returns the horizontal facing: of two legs by toes or knees, of four by the spine. `None` if the pose does not determine it.
fn facing(positions: &[Vec3], legs: &Pair, arms: Option<&Pair>, quadruped: bool) -> Option<Facing> {
    let level = |v: Vec3| Vec3::new(v.x, 0.0, v.z);
    let spine = arms.map(|a| positions[a.branch] - positions[legs.branch]).unwrap_or(Vec3::Y).normalize_or_zero();
    if quadruped {
        return Some(Facing { forward: level(spine).try_normalize()?, sure: SURE[1] });
    }
    let down = direction_of(positions, legs);
    // A rest pose with all bones along one axis is not usable.
    if down.dot(spine) > SAME_WAY || down.y > -0.5 {
        return None;
    }
    let joint = |l: &Limb, k: usize| l.way.get(l.upper + k).map(|j| positions[*j]);
    let toes: Vec3 = legs.limbs.iter().filter_map(|l| Some(level(joint(l, 3)? - joint(l, 2)?))).sum();
    let foot: f32 = legs.limbs.iter().filter_map(|l| Some((joint(l, 3)? - joint(l, 2)?).length())).sum();
    if foot > 0.0 && toes.length() > 0.3 * foot {
        return Some(Facing { forward: toes.normalize(), sure: SURE[1] });
    }
    let knees: Vec3 = legs.limbs.iter().filter_map(|l| Some(joint(l, 1)? - (joint(l, 0)? + joint(l, 2)?) * 0.5)).sum();
    let length: f32 = legs.limbs.iter().map(|l| l.reach).sum();
    (level(knees).length() > 0.02 * length).then(|| Facing { forward: level(knees).normalize(), sure: SURE[2] })
}

fn sides(positions: &[Vec3], pair: Pair, parts: &[&str], paw: &str, facing: &Facing, body: &mut Body) {
    let left = Vec3::Y.cross(facing.forward);
    let aside = |l: &Limb| l.way.iter().take(l.upper + 1).map(|j| positions[*j].dot(left)).sum::<f32>();
    let [a, b] = pair.limbs;
    let [left, right] = if aside(&a) >= aside(&b) { [a, b] } else { [b, a] };
    for (side, limb) in [(Side::Left, left), (Side::Right, right)] {
        let mut put = |part: &str, joint: usize| {
            body.joints.insert(format!("{}_{part}", side.name()), (joint, facing.sure));
        };
        let joints = &limb.way[limb.upper..];
        parts.iter().zip(joints).for_each(|(part, joint)| put(part, *joint));
        if parts.contains(&"up_arm") && limb.upper > 0 {
            put("shoulder", limb.way[limb.upper - 1]);
        }
        if body.quadruped {
            body.joints.insert(format!("{}_{paw}", side.name()), (limb.way[limb.way.len() - 1], facing.sure));
        }
    }
}
