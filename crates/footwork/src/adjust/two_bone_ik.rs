//! Two-bone inverse kinematics: bends a leg or an arm so that its end reaches a point.

use crate::frames::JointIndex;
use crate::math::{Quat, Transform, acos};
use crate::pose::Pose;
use crate::rig::Leg;
use crate::skeleton::Skeleton;
use glam::Vec3;

/// Weight of the pole against the side to which the knee is bent, per additional bend.
const POLE_SHARE: f32 = 2.0;
/// Softness of the heel's response: a shorter stretch hardly raises the heel, metres.
const HEEL_SOFT_M: f32 = 0.02;
/// Share of a stretch that the heel takes.
const HEEL_SHARE: f32 = 0.8;
/// Softness of the heel's lever: at this length the heel rise is half of its ideal value, metres.
const LEAST_LEVER_M: f32 = 0.05;
/// Softness of the end of the range in which a leg may stretch freely, metres.
const ROOM_SOFT_M: f32 = 0.05;
/// Slack of a leg at which it takes half of a small change of its length in [`BentLeg::approach`], metres.
const STRAIGHT_SOFT_M: f32 = 0.02;
/// A toe is moved by at most this share of the distance from hip to ankle in [`BentLeg::approach`].
const FURTHEST_SHARE: f32 = 0.4;
/// A shorter foot points nowhere, metres: both hinges of a robot's ankle lie at one point.
const LEAST_FOOT_M: f32 = 1e-3;
/// Number of rounds in which the drop of a hip and the rise of its heel are found together.
const HEEL_ROUNDS: usize = 4;
/// Upper limit of the heel rise, radians.
const MOST_HEEL_RISE_RAD: f32 = 0.8;

/// Limits of a leg's stretch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// Length of both bones that stretching leaves unused, metres, so that the knee stays bent.
    pub kept_m: f32,
    /// Range before that in which stretching slows down, metres.
    pub soft_m: f32,
}

impl Reach {
    /// Limits a requested distance to the reach of a leg of `length_m`: unchanged where the leg is bent well, shortened
    /// increasingly towards the end, never more than the length less `kept_m`. Smooth up to its second derivative.
    pub fn limit(self, wished_m: f32, length_m: f32) -> f32 {
        let left = length_m - self.kept_m - wished_m;
        if left >= self.soft_m {
            return wished_m;
        }
        // The integral of a smooth step from 0 to 1.
        let u = (0.5 + 0.5 * left / self.soft_m.max(1e-6)).max(0.0);
        length_m - self.kept_m - 2.0 * self.soft_m * u * u * u * (1.0 - 0.5 * u)
    }
}

/// Joint transforms of a leg in root space, to be bent.
#[derive(Clone, Copy, Debug)]
pub struct BentLeg {
    /// Joints.
    pub leg: Leg,
    /// Parent of the hip.
    pub above: Transform,
    /// Hip.
    pub hip: Transform,
    /// Knee.
    pub knee: Transform,
    /// Ankle.
    pub ankle: Transform,
    /// Toe; equal to the ankle if the ankle is the contact joint.
    pub toe: Transform,
    /// Direction in which an almost straight leg bends (any length): that of the toes. Arms bend the other way.
    pub pole: Vec3,
}

impl BentLeg {
    /// Reads a leg from a pose.
    pub fn of(skeleton: &Skeleton, pose: &Pose, leg: Leg) -> Self {
        Self::below(pose.parent_in_root(skeleton, leg.hip), pose, leg)
    }

    /// Reads a leg from a pose; the parent of its hip joint is at `above`.
    pub fn below(above: Transform, pose: &Pose, leg: Leg) -> Self {
        Self::of_locals(above, |joint| pose.local(joint), leg)
    }

    /// Creates a leg from local transforms; the parent of its hip joint is at `above`.
    pub fn of_locals(above: Transform, local: impl Fn(JointIndex) -> Transform, leg: Leg) -> Self {
        let hip = above * local(leg.hip);
        let knee = hip * local(leg.knee);
        let ankle = knee * local(leg.ankle);
        let toe = if leg.toe == leg.ankle { ankle } else { ankle * local(leg.toe) };
        let pole = if leg.hinge != Vec3::ZERO {
            (ankle.translation - hip.translation).cross(hip.rotation * leg.hinge)
        } else if leg.toe == leg.ankle {
            ankle.rotation.forward()
        } else {
            toe.translation - ankle.translation
        };
        Self { leg, above, hip, knee, ankle, toe, pole }
    }

    /// Moves the leg as a whole, with the joint above it.
    pub fn carry(&mut self, by: Transform) {
        for joint in [&mut self.above, &mut self.hip, &mut self.knee, &mut self.ankle, &mut self.toe] {
            *joint = by * *joint;
        }
        self.pole = by.direction(self.pole);
    }

    /// Moves the leg as a whole by a translation.
    pub fn shift(&mut self, by: Vec3) {
        for joint in [&mut self.above, &mut self.hip, &mut self.knee, &mut self.ankle, &mut self.toe] {
            joint.translation += by;
        }
    }

    /// Rotates the leg about its hip joint.
    pub fn turn(&mut self, by: Quat) {
        let (above, hip) = (self.above, self.hip.translation);
        self.carry(Transform::new(hip - by * hip, by));
        self.above = above;
    }

    /// Returns the drop of the hip (metres along Y, negative where there is room left) at which the toe reaches `toe_target`
    /// with a comfortable length: `soft_m` before the end, or the current length if that is longer.
    pub fn sink_needed(&self, toe_target: Vec3, reach: Reach) -> f32 {
        self.sink_to(self.ankle.translation + toe_target - self.toe.translation, reach)
    }

    /// Like [`BentLeg::sink_needed`], for a heel that rises first; see [`BentLeg::stand`].
    pub fn sink_needed_on_toes(&self, toe_target: Vec3, heel_share: f32, reach: Reach) -> f32 {
        let mut sink_m = 0.0;
        for _ in 0..HEEL_ROUNDS {
            // A lower hip stretches the leg less, and the heel rises less.
            let mut lowered = *self;
            lowered.shift(Vec3::Y * -sink_m);
            let (_, ankle) = lowered.raised(toe_target, heel_share);
            sink_m = self.sink_to(ankle, reach);
            if sink_m <= 0.0 {
                break;
            }
        }
        sink_m
    }

    /// Returns the drop of the hip at which the ankle reaches a point.
    fn sink_to(&self, ankle: Vec3, reach: Reach) -> f32 {
        let (a, b, c) = (self.hip.translation, self.knee.translation, self.ankle.translation);
        let longest = ((b - a).length() + (c - b).length() - reach.kept_m - reach.soft_m).max((c - a).length());
        let to = ankle - a;
        let across = (to.x * to.x + to.z * to.z).min(longest * longest);
        -to.y - (longest * longest - across).sqrt()
    }

    /// Rotates the foot about the ankle.
    pub fn turn_foot(&mut self, by: Quat) {
        let arm = self.toe.translation - self.ankle.translation;
        self.ankle.rotation = (by * self.ankle.rotation).renormalize();
        self.toe = Transform::new(self.ankle.translation + by * arm, (by * self.toe.rotation).renormalize());
    }

    /// Moves the toe to `toe_target`: the ankle moves along, the knee bends about its own hinge, the foot keeps its rotation in
    /// root space. If the leg is too short, the foot rotates so that the toe comes as near as possible.
    pub fn reach(&mut self, toe_target: Vec3, reach: Reach) {
        self.stand(toe_target, 0.0, reach);
    }

    /// Like [`BentLeg::reach`], but where the leg would have to stretch, the heel rises and takes `heel_share` of it: 0 to 1, or more
    /// for a heel that rises further, up to a limit.
    pub fn stand(&mut self, toe_target: Vec3, heel_share: f32, reach: Reach) {
        let (rise, ankle) = self.raised(toe_target, heel_share);
        self.bend(ankle, reach);
        if self.leg.toe != self.leg.ankle {
            self.ankle.rotation = (rise * self.ankle.rotation).renormalize();
            let toes = self.toe.rotation;
            self.toe.translation = self.ankle.translation + rise * (self.toe.translation - self.ankle.translation);
            self.aim_toe(toe_target);
            // The part on the ground stays flat.
            self.toe.rotation = toes;
        }
    }

    /// Returns a target for the toe that stretches the leg less. The leg takes `share` of the stretch (0 to 1), and of the rest as much as
    /// fits before it is almost straight. A leg at its full length would bend in an instant when its clip bends.
    pub fn less_stretched(&self, toe_target: Vec3, share: f32, reach: Reach) -> Vec3 {
        let (hip, ankle) = (self.hip.translation, self.ankle.translation);
        let wished = ankle + toe_target - self.toe.translation - hip;
        let now = (ankle - hip).length();
        let stretch = wished.length() - now;
        if share >= 1.0 || stretch <= 0.0 {
            return toe_target;
        }
        let left = self.length_m() - reach.kept_m - reach.soft_m - now;
        let room = 0.5 * (left + (left * left + ROOM_SOFT_M * ROOM_SOFT_M).sqrt());
        let less = stretch * (1.0 - share) * stretch / (room + stretch);
        toe_target - wished.normalize_or_zero() * less
    }

    /// Moves the toe to `point`, or near it where the leg is almost straight or would become so, since its knee would snap. No leg
    /// becomes straight, and one whose length does not change is not bent. A toe far from `point` moves by a part of the distance: close to
    /// the hip, a small distance turns the leg far.
    pub fn approach(&mut self, point: Vec3) {
        let (hip, ankle) = (self.hip.translation, self.ankle.translation);
        let now = (ankle - hip).length();
        let by = shortened(point - self.toe.translation, FURTHEST_SHARE * now);
        let (point, wished) = (self.toe.translation + by, ankle + by - hip);
        let length = wished.length();
        let slack = (self.length_m() - now).max(1e-6);
        // Small changes of the length are taken by this share; their rate is the same for a leg that stretches and one that bends.
        let share = slack / (slack + STRAIGHT_SOFT_M);
        let more = length - now;
        let taken = if more > 0.0 {
            share * more * slack / (slack + share * more)
        } else {
            more * (share * STRAIGHT_SOFT_M - more) / (STRAIGHT_SOFT_M - more)
        };
        let beside = wished.normalize_or_zero() * (now + taken - length);
        self.reach(point + beside, Reach { kept_m: 0.0, soft_m: 0.0 });
    }

    /// Returns the rotation that raises the heel over a toe at `toe_target`, and the position of the ankle after it.
    fn raised(&self, toe_target: Vec3, heel_share: f32) -> (Quat, Vec3) {
        let moved = toe_target - self.toe.translation;
        let stretched = (self.ankle.translation + moved - self.hip.translation).length()
            - (self.ankle.translation - self.hip.translation).length();
        let rise = self.heel_rise(heel_share * stretched, moved);
        (rise, toe_target + rise * (self.ankle.translation - self.toe.translation))
    }

    /// Returns the rotation about the toe that lifts the heel towards the hip, for a leg that would stretch by `stretched_m`.
    fn heel_rise(&self, stretched_m: f32, moved: Vec3) -> Quat {
        let foot = self.ankle.translation - self.toe.translation;
        let to_hip = self.hip.translation - (self.ankle.translation + moved);
        let Some(axis) = foot.cross(to_hip).try_normalize() else { return Quat::IDENTITY };
        // Distance by which the ankle approaches the hip per radian.
        let lever = axis.cross(foot).dot(to_hip.normalize_or_zero());
        // A leg that bends further does not raise its heel.
        let stretched_m = stretched_m.max(0.0);
        let nearer = stretched_m * stretched_m / (stretched_m + HEEL_SOFT_M);
        // With a short lever the rotation goes to zero.
        let turn = HEEL_SHARE * nearer * lever / (lever * lever + LEAST_LEVER_M * LEAST_LEVER_M);
        // Saturates beyond half of the maximum.
        let turn = MOST_HEEL_RISE_RAD * turn / (MOST_HEEL_RISE_RAD + turn.abs());
        Quat::from_rotation_vector(axis * turn)
    }

    /// Moves the ankle as near to `target` as the leg reaches; the foot keeps its rotation. The knee keeps the side to which it is
    /// bent. The more the leg has to bend beyond that, the more the knee turns to the pole.
    fn bend(&mut self, target: Vec3, reach: Reach) {
        let (a, b, c) = (self.hip.translation, self.knee.translation, self.ankle.translation);
        let (upper, lower, now) = ((b - a).length(), (c - b).length(), (c - a).length());
        let wished = target - a;
        let distance = wished.length();
        if upper < 1e-4 || lower < 1e-4 || now < 1e-4 || distance < 1e-4 {
            return;
        }
        let shortest = (upper - lower).abs() * 1.01;
        let to = reach.limit(distance, upper + lower).max(shortest);
        // The knee relative to the line from hip to ankle, now and bent.
        let along = (c - a) / now;
        let across = |v: Vec3| v - along * v.dot(along);
        let aside = across(b - a);
        let ahead = 0.5 * (to + (upper * upper - lower * lower) / to);
        let bent = (upper * upper - ahead * ahead).max(0.0).sqrt();
        let pole = across(self.pole).normalize_or(aside.normalize_or_zero());
        // A knee that is bent away from the pole is overstretched: that part does not count.
        let aside = aside - pole * aside.dot(pole).min(0.0);
        let more = (bent - aside.length()).max(0.0);
        let Some(side) = (aside + pole * (POLE_SHARE * more)).try_normalize() else { return };
        let swing = Quat::from_rotation_arc(along, wished / distance);
        let knee = a + swing * (along * ahead + side * bent);
        let ankle = a + wished * (to / distance);
        let arc = |from: Vec3, to: Vec3| Quat::from_rotation_arc(from.normalize_or_zero(), to.normalize_or_zero());
        self.hip.rotation = (arc(b - a, knee - a) * self.hip.rotation).renormalize();
        self.knee.rotation = (arc(c - b, ankle - knee) * self.knee.rotation).renormalize();
        self.knee.translation = knee;
        self.ankle.translation = ankle;
        self.toe.translation += ankle - c;
    }

    /// Rotates the foot about the ankle so that the toe points at `target` (root space).
    fn aim_toe(&mut self, target: Vec3) {
        let c = self.ankle.translation;
        let (now, wished) = (self.toe.translation - c, target - c);
        if now.length_squared() < LEAST_FOOT_M * LEAST_FOOT_M {
            return;
        }
        let (Some(from), Some(to)) = (now.try_normalize(), wished.try_normalize()) else { return };
        if (target - self.toe.translation).length() < 1e-5 {
            return;
        }
        self.turn_foot(Quat::from_rotation_arc(from, to));
    }

    /// Writes the local rotations of hip, knee, ankle and toe to a pose.
    pub fn write(&self, pose: &mut Pose) {
        for (joint, rotation) in self.local_rotations() {
            pose.rotations[joint.at()] = rotation;
        }
    }

    /// Returns local rotations of hip, knee, ankle and toe; the ankle's twice if the ankle is the contact joint.
    pub fn local_rotations(&self) -> [(JointIndex, Quat); 4] {
        let local = |parent: Transform, child: Transform| (parent.rotation.inverse() * child.rotation).renormalize();
        let ankle = (self.leg.ankle, local(self.knee, self.ankle));
        let toe = if self.leg.toe == self.leg.ankle { ankle } else { (self.leg.toe, local(self.ankle, self.toe)) };
        [(self.leg.hip, local(self.above, self.hip)), (self.leg.knee, local(self.hip, self.knee)), ankle, toe]
    }

    /// Returns the length of both bones, metres.
    pub fn length_m(&self) -> f32 {
        let (a, b, c) = (self.hip.translation, self.knee.translation, self.ankle.translation);
        (b - a).length() + (c - b).length()
    }

    /// Returns the inner angle of the knee, radians; pi is straight.
    pub fn knee_rad(&self) -> f32 {
        let (a, b, c) = (self.hip.translation, self.knee.translation, self.ankle.translation);
        let (up, down) = ((a - b).normalize_or_zero(), (c - b).normalize_or_zero());
        acos(up.dot(down))
    }
}

/// Returns a vector that is shorter than `most_m`, in metres. One of half that length hardly changes.
fn shortened(v: Vec3, most_m: f32) -> Vec3 {
    let squared = v.length_squared() / (most_m * most_m).max(1e-12);
    v / (1.0 + squared * squared).sqrt().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REACH: Reach = Reach { soft_m: 0.03, kept_m: 0.01 };

    fn leg() -> BentLeg {
        let joint = |x: f32, y: f32, z: f32| Transform::new(Vec3::new(x, y, z), Quat::IDENTITY);
        let [hip, knee, ankle, toe] = [1, 2, 3, 4].map(JointIndex::new);
        BentLeg {
            leg: Leg { hip, knee, ankle, toe, hinge: Vec3::ZERO },
            above: joint(0.0, 1.0, 0.0),
            hip: joint(0.1, 0.95, 0.0),
            knee: joint(0.1, 0.52, 0.08),
            ankle: joint(0.1, 0.1, -0.02),
            toe: joint(0.1, 0.02, 0.12),
            pole: Vec3::new(0.0, -0.08, 0.14),
        }
    }

    #[test]
    fn a_toe_that_stays_leaves_the_leg_as_it_is() {
        // The leg is bent well.
        let (mut bent, before) = (leg(), leg());
        bent.reach(before.toe.translation, Reach { soft_m: 0.005, ..REACH });
        for (a, b) in [(bent.hip, before.hip), (bent.knee, before.knee), (bent.ankle, before.ankle)] {
            assert!((a.translation - b.translation).length() < 1e-5 && a.rotation.angle_between(b.rotation) < 1e-3);
        }
    }

    #[test]
    fn the_toe_arrives_bones_keep_their_length_and_the_foot_its_attitude() {
        for by in [Vec3::new(0.1, 0.05, 0.1), Vec3::new(-0.2, 0.1, -0.1), Vec3::new(0.0, 0.3, 0.2)] {
            let (mut bent, before) = (leg(), leg());
            let target = before.toe.translation + by;
            bent.reach(target, REACH);
            assert!((bent.toe.translation - target).length() < 1e-4, "{by}");
            let bone = |l: &BentLeg| {
                let (a, b, c) = (l.hip.translation, l.knee.translation, l.ankle.translation);
                ((b - a).length(), (c - b).length())
            };
            assert!((bone(&bent).0 - bone(&before).0).abs() < 1e-4 && (bone(&bent).1 - bone(&before).1).abs() < 1e-4);
            assert!(bent.ankle.rotation.angle_between(before.ankle.rotation) < 1e-3);
            // The knee still bends forward.
            assert!(bent.knee.translation.z > (bent.hip.translation.z + bent.ankle.translation.z) * 0.5);
        }
    }

    /// The leg with its knee at an angle to the pole, about the line from hip to ankle; its ankle below the hip.
    fn knee_aside(angle_deg: f32) -> BentLeg {
        let (bent, hip) = (leg(), leg().hip.translation);
        let turn = Quat::from_rotation_y(angle_deg.to_radians());
        let knee = Transform::new(hip + Vec3::Y * -0.4 + turn * (Vec3::Z * 0.15), Quat::IDENTITY);
        let ankle = Transform::new(hip + Vec3::Y * -0.8, Quat::IDENTITY);
        let toe = Transform::new(ankle.translation + Vec3::new(0.0, -0.08, 0.14), Quat::IDENTITY);
        BentLeg { knee, ankle, toe, pole: Vec3::Z, ..bent }
    }

    #[test]
    fn a_knee_that_bends_to_the_side_stays_there_and_turns_to_the_pole_without_a_step() {
        let loose = Reach { soft_m: 0.0, kept_m: 0.0 };
        for angle_deg in [0.0, 40.0, 90.0, -60.0] {
            let (mut bent, before) = (knee_aside(angle_deg), knee_aside(angle_deg));
            bent.reach(before.toe.translation, loose);
            assert!((bent.knee.translation - before.knee.translation).length() < 1e-4, "{angle_deg}");
        }
        // The hip sinks by 8 cm while the knee turns from the front to the back.
        let knee = |angle_deg: f32| {
            let mut bent = knee_aside(angle_deg);
            let toe = bent.toe.translation;
            bent.shift(Vec3::Y * -0.08);
            bent.reach(toe, loose);
            assert!((bent.toe.translation - toe).length() < 1e-4, "{angle_deg}");
            bent.knee.translation
        };
        let steps = (0..180).map(|k| (knee(k as f32 + 1.0) - knee(k as f32)).length());
        assert!(steps.clone().all(|step| step < 0.008), "{:?}", steps.fold(0.0, f32::max));
        assert!(knee(180.0).z > 0.1, "an overstretched knee bends to the pole: {}", knee(180.0));
    }

    #[test]
    fn what_is_out_of_reach_is_pointed_at_and_the_knee_never_straightens() {
        let mut bent = leg();
        bent.reach(Vec3::new(0.1, 0.0, 2.0), REACH);
        let length = 0.437_38 + 0.431_74;
        let distance = (bent.ankle.translation - bent.hip.translation).length();
        assert!(distance < length - REACH.kept_m + 1e-4, "{distance}");
        let aim = (Vec3::new(0.1, 0.0, 2.0) - bent.ankle.translation).normalize();
        assert!((bent.toe.translation - bent.ankle.translation).normalize().dot(aim) > 0.9999);
    }

    #[test]
    fn stretching_slows_down_before_the_end_without_a_step() {
        let at = |d: f32| REACH.limit(d, 1.0);
        assert_eq!(at(0.95), 0.95);
        assert!(at(5.0) <= 0.99 + 1e-6 && at(1.2) > 0.9899);
        for k in 0..200 {
            let d = 0.9 + k as f32 * 0.001;
            let [a, b, c] = [0.0, 0.001, 0.002].map(|by| at(d + by));
            assert!((0.0..=0.001_01).contains(&(b - a)), "{d} {}", b - a);
            assert!((c - 2.0 * b + a).abs() < 5e-5, "{d}");
        }
    }

    #[test]
    fn a_toe_approaches_a_point_without_a_snap_of_the_knee() {
        let down = Vec3::NEG_Y;
        let whole = Reach { soft_m: 0.0, kept_m: 0.0 };
        // A leg with the ankle at a distance from the hip, whose toe approaches a point further down.
        let of = |now_m: f32, by_m: f32| {
            let mut bent = leg();
            let foot = bent.toe.translation - bent.ankle.translation;
            bent.reach(bent.hip.translation + down * now_m + foot, whole);
            let before = bent;
            bent.approach(bent.toe.translation + down * by_m);
            (before, bent)
        };
        let length_m = leg().length_m();
        for now_m in [0.6, 0.75, 0.84, 0.86, length_m - 1e-3] {
            let (before, same) = of(now_m, 0.0);
            assert!((same.knee.translation - before.knee.translation).length() < 1e-3, "{now_m}");
            let knees: Vec<Vec3> = (0..400).map(|k| of(now_m, 0.2 - 0.001 * k as f32).1.knee.translation).collect();
            let steps: Vec<f32> = knees.windows(2).map(|k| (k[1] - k[0]).length()).collect();
            assert!(steps.iter().all(|step| *step < 0.004), "{now_m} {:?}", steps.iter().copied().fold(0.0, f32::max));
            // The knee of a leg that is straight in its clip starts to bend fast.
            let sharpest = steps.windows(2).map(|s| (s[1] - s[0]).abs()).fold(0.0, f32::max);
            assert!(sharpest < 3e-4 || now_m > 0.86, "{now_m} {sharpest}");
            // The leg never becomes straight.
            assert!(
                of(now_m, 5.0).1.length_m() - (of(now_m, 5.0).1.ankle.translation - leg().hip.translation).length()
                    > 0.0
            );
        }
        // The toe of a well bent leg moves by most of the distance.
        for by_m in [-0.05, -0.02, 0.02, 0.05] {
            let (before, after) = of(0.6, by_m);
            let moved_m = (before.toe.translation.y - after.toe.translation.y) / by_m;
            assert!((0.75..=1.0).contains(&moved_m), "{by_m} {moved_m}");
        }
    }

    #[test]
    fn a_folded_leg_is_hardly_turned_towards_a_far_point() {
        let whole = Reach { soft_m: 0.0, kept_m: 0.0 };
        for now_m in [0.15, 0.3, 0.8] {
            let mut before = leg();
            let foot = before.toe.translation - before.ankle.translation;
            before.reach(before.hip.translation + Vec3::NEG_Y * now_m + foot, whole);
            let direction = |leg: &BentLeg| (leg.ankle.translation - leg.hip.translation).normalize();
            for by in [Vec3::X, Vec3::Z, Vec3::new(0.4, 0.5, -0.3), Vec3::Y * 0.2, Vec3::NEG_Z * 0.02] {
                let mut after = before;
                after.approach(before.toe.translation + by);
                let turned_rad = acos(direction(&before).dot(direction(&after)));
                // The arc sine of the share.
                assert!(turned_rad < 0.42, "{now_m} {by} {turned_rad}");
                let moved_m = (after.toe.translation - before.toe.translation).length();
                assert!(by.length() > 0.3 * now_m || moved_m > 0.9 * by.length(), "{now_m} {by} {moved_m}");
            }
        }
    }

    #[test]
    fn a_leg_is_stretched_less_the_straighter_it_is() {
        let (down, whole, behind_m) = (Vec3::NEG_Y, Reach { soft_m: 0.0, kept_m: 0.0 }, 0.08);
        let of = |distance_m: f32, share: f32| {
            let mut bent = leg();
            let foot = bent.toe.translation - bent.ankle.translation;
            bent.reach(bent.hip.translation + down * distance_m + foot, whole);
            let now_m = (bent.ankle.translation - bent.hip.translation).length();
            let toe = bent.toe.translation;
            let target = bent.less_stretched(toe + down * behind_m, share, REACH);
            (now_m, (target - toe).length())
        };
        let stretches: Vec<(f32, f32)> = (0..60).map(|k| of(0.866 - 0.004 * k as f32, 0.0)).collect();
        assert!(stretches[0].1 < 0.015 && stretches[59].1 > 0.7 * behind_m, "{stretches:?}");
        for pair in stretches.windows(2) {
            // The leg becomes shorter, but more slowly than without a correction.
            let (own_m, more_m) = (pair[0].0 - pair[1].0, pair[1].1 - pair[0].1);
            assert!((0.0..=own_m + 1e-6).contains(&more_m), "{pair:?}");
        }
        assert!((of(0.86, 1.0).1 - behind_m).abs() < 1e-6 && of(0.86, 0.5).1 > of(0.86, 0.0).1);
        // Nothing keeps a leg from bending.
        let bent = leg();
        let up = bent.toe.translation + Vec3::Y * 0.05;
        assert_eq!(bent.less_stretched(up, 0.0, REACH), up);
    }
}
