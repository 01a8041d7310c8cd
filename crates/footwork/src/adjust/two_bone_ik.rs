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
mod tests;
