//! Poses in world space with the facing of the body, and selection of the poses to measure.

use crate::frames::{JointIndex, UP};
use crate::math::{Facing, Quat, Transform, median};
use crate::pose::Pose;
use crate::roles::{JointRoles, Side};
use crate::skeleton::Skeleton;
use glam::Vec3;

/// Share of the poses, the most upright ones, in which a body counts as standing.
const STANDING: f32 = 0.05;
/// Difference between the heights of both feet in a standing pose, as a share of the leg.
const UNEVEN: f32 = 0.08;
/// Height of a toe over its median from which on it is in the air, as a share of the leg.
const IN_THE_AIR: f32 = 0.01;

pub fn role(roles: &JointRoles, side: Side, part: &str) -> Option<usize> {
    roles.get(&format!("{}_{part}", side.name())).map(JointIndex::at)
}

pub fn toe_of(roles: &JointRoles, side: Side) -> Option<usize> {
    role(roles, side, "toe").or(role(roles, side, "foot"))
}

/// A pose to measure: all joints in world space, and their motion.
pub struct Look {
    pub world: Vec<Transform>,
    /// Facing of the body.
    pub body: Quat,
    /// Height of the head (without one, of the chest) above the lower ankle, metres.
    pub height: f32,
    /// Squared displacement of the toes to the next pose, left and right.
    pub toe_motion: [f32; 2],
}

/// Converts all poses to world space, with the motion between them.
pub fn looks(skeleton: &Skeleton, roles: &JointRoles, poses: &[Pose]) -> Vec<Look> {
    let mut looks: Vec<Look> = Vec::with_capacity(poses.len());
    for pose in poses {
        let mut world = Vec::with_capacity(skeleton.len());
        pose.world(skeleton, &mut world);
        let hip = |s| role(roles, s, "up_leg").map_or(Vec3::ZERO, |j| world[j].translation);
        let aside = hip(Side::Left) - hip(Side::Right);
        let Some(facing) = Facing::from_direction(aside.cross(UP)) else { continue };
        let height = |j: Option<usize>| j.map(|j| world[j].translation.y);
        let top = height(roles.get("head").or(roles.get("chest")).map(JointIndex::at)).unwrap_or(0.0);
        let low = Side::BOTH.iter().filter_map(|s| height(role(roles, *s, "foot"))).fold(f32::INFINITY, f32::min);
        looks.push(Look { body: facing.rotation(), height: top - low, world, toe_motion: [0.0; 2] });
    }
    for k in 0..looks.len() {
        // To the next pose; for the last, from the previous one.
        let (a, b) = (k.min(looks.len().saturating_sub(2)), (k + 1).min(looks.len() - 1));
        let moved = |j: usize| (looks[b].world[j].translation - looks[a].world[j].translation).length_squared();
        let toes = Side::BOTH.map(|s| toe_of(roles, s).map_or(0.0, moved));
        looks[k].toe_motion = toes;
    }
    looks
}

/// Returns whether a body stands: legs down, trunk up, toes ahead, both feet equally high and pitched.
///
/// Some files have the first frame of a clip as the rest pose. In the middle of a step, it shows neither flat feet nor an upright
/// trunk.
pub fn stands(roles: &JointRoles, world: &[Transform]) -> bool {
    let at = |role: &str| roles.get(role).map(|j| world[j.at()].translation);
    let along = |a: &str, b: &str| Some((at(b)? - at(a)?).normalize_or_zero());
    let up = along("hips", "head").or(along("hips", "chest")).is_some_and(|d| d.y > 0.7);
    // Heights of the ankle in the world and of the toe over the ankle, relative to the distance from hip to ankle.
    let heights = Side::BOTH.map(|s| {
        let part = |p: &str| role(roles, s, p).map(|j| world[j].translation);
        let (hip, foot) = (part("up_leg")?, part("foot")?);
        let leg_m = (foot - hip).length().max(1e-6);
        let toes = part("toe").map_or(Vec3::ZERO, |toe| toe - foot);
        let stands = (foot.y - hip.y) / leg_m < -0.8 && toes.normalize_or_zero().y > -0.85;
        stands.then_some([foot.y / leg_m, toes.y / leg_m])
    });
    let [Some(left), Some(right)] = heights else { return false };
    up && left.iter().zip(&right).all(|(l, r)| (l - r).abs() < UNEVEN)
}

/// Returns for each side the poses in which its foot is flat on the ground: slow, low, and with the heel down.
pub fn flat_feet<'a>(roles: &JointRoles, looks: &'a [Look], leg_m: f32, rest: bool) -> [Vec<&'a Look>; 2] {
    Side::BOTH.map(|side| {
        let mut some: Vec<&Look> = looks.iter().collect();
        let (Some(foot), Some(toe)) = (role(roles, side, "foot"), toe_of(roles, side)) else { return some };
        if rest {
            return some;
        }
        let height = |l: &Look| l.world[toe].translation.y;
        let heel = |l: &&Look| l.world[foot].translation.y - height(l);
        let typical = median(some.iter().copied().map(height).collect());
        let some_of_all = looks.len().div_ceil(5);
        let low: Vec<&Look> = some.iter().copied().filter(|l| height(l) <= typical).collect();
        some.sort_by(|a, b| a.toe_motion[side as usize].total_cmp(&b.toe_motion[side as usize]));
        some.truncate(some_of_all);
        // In clips made in place, as on a treadmill, a foot is slowest where it turns round: in the air.
        if median(some.iter().copied().map(height).collect()) > typical + IN_THE_AIR * leg_m {
            some = low;
        }
        some.sort_by(|a, b| heel(a).total_cmp(&heel(b)));
        some.truncate(some_of_all);
        // Toes that point up are not flat either: take the middle half.
        let n = some.len();
        some.into_iter().skip(n / 4).take(n.div_ceil(2)).collect()
    })
}

/// Returns the poses in which the body stands most upright: those with the head highest above the ankles.
pub fn standing(looks: &[Look]) -> Vec<&Look> {
    let mut upright: Vec<&Look> = looks.iter().collect();
    upright.sort_by(|a, b| b.height.total_cmp(&a.height));
    upright.truncate(((upright.len() as f32 * STANDING) as usize).max(1));
    upright
}

/// Returns the height of the ankle over the toe, and of the toe over the ground if there is one, metres.
pub fn heights(roles: &JointRoles, flat: &[Vec<&Look>; 2], leg_m: f32, rest: bool) -> (f32, Option<f32>) {
    let (mut ankles, mut toes) = (Vec::new(), Vec::new());
    for side in Side::BOTH {
        let (Some(foot), Some(toe)) = (role(roles, side, "foot"), toe_of(roles, side)) else { continue };
        for look in &flat[side as usize] {
            ankles.push(look.world[foot].translation.y - look.world[toe].translation.y);
            toes.push(look.world[toe].translation.y);
        }
    }
    let toe = median(toes);
    // A rest pose around its hips has no ground.
    let grounded = !rest || (-0.02 * leg_m..0.25 * leg_m).contains(&toe);
    (median(ankles), grounded.then_some(toe))
}

/// Returns the mean over poses of the body's axes in those of a joint.
pub fn mean<'a>(looks: impl Iterator<Item = &'a Look>, joint: usize) -> Option<Quat> {
    let all = looks.map(|look| look.world[joint].rotation.inverse() * look.body);
    let sum = all.reduce(|s, q| {
        let q = q.towards(s);
        Quat::from_xyzw(s.x + q.x, s.y + q.y, s.z + q.z, s.w + q.w)
    });
    sum.map(Quat::normalize)
}
