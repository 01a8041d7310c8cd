//! Levers: how much of the body a difference between two poses moves.

use crate::database::Database;
use crate::frames::JointIndex;
use crate::pose::{Pose, PoseVelocity};
use crate::skeleton::Skeleton;
use glam::Vec3;

/// Approximate time in which a difference of velocity is blended out, in seconds.
pub(super) const BLEND_S: f32 = 0.1;
/// Effect of the motion of each joint on the body below it.
#[derive(Clone, Debug)]
pub struct Levers {
    /// Joints in the order of [`Levers::turn`], the longest lever first.
    order: Vec<JointIndex>,
    /// `[joints]` mean square over the body of the distances to the joints below, in m2.
    turn: Vec<f32>,
    /// `[joints]` share of the body that moves along, 0 to 1.
    shift: Vec<f32>,
}

impl Levers {
    pub fn new(skeleton: &Skeleton) -> Self {
        let n = skeleton.len();
        let mut at = Vec::new();
        Pose::rest(skeleton).world(skeleton, &mut at);
        let (mut turn, mut shift) = (vec![0.0; n], vec![0.0; n]);
        for k in 1..n {
            let mut above = Some(JointIndex::new(k));
            while let Some(j) = above.filter(|j| j.at() > 0) {
                turn[j.at()] += (at[k].translation - at[j.at()].translation).length_squared() / n as f32;
                shift[j.at()] += 1.0 / n as f32;
                above = skeleton.parents()[j.at()];
            }
        }
        let mut order: Vec<JointIndex> = (1..n).map(JointIndex::new).filter(|j| turn[j.at()] > 0.0).collect();
        order.sort_by(|a, b| turn[b.at()].total_cmp(&turn[a.at()]).then(a.cmp(b)));
        Self { order, turn, shift }
    }

    /// Returns the discontinuity from a shown pose to a frame of the pool, as a mean square over the body, in m2: displacements,
    /// and differences of velocity times `BLEND_S`. Stops summing above `limit`.
    pub fn seam(
        &self,
        db: &Database,
        (pose, velocity): (&Pose, &PoseVelocity),
        (frame, after): (usize, usize),
        limit: f32,
    ) -> f32 {
        let (joints, width, rate_hz) = (db.poses.joints, db.poses.translated.len(), db.pose_rate_hz);
        let (now, then) = (&db.poses.rotations[frame * joints..], &db.poses.rotations[after * joints..]);
        let (root, root_then) = (db.poses.root(frame), db.poses.root(after));
        // Where a loop wraps, the root starts again: its velocity is not compared there.
        let root_velocity = root.inverse_direction(root_then.translation - root.translation) * rate_hz;
        let faster = (velocity.linear[0] - root_velocity) * BLEND_S;
        let mut sum = if after > frame { faster.length_squared() } else { 0.0 };
        for (k, joint) in db.poses.translated.iter().enumerate().skip(1) {
            let (a, b) = (db.poses.translations[frame * width + k], db.poses.translations[after * width + k]);
            let way = pose.translations[joint.at()] - a;
            let faster = (velocity.linear[joint.at()] - (b - a) * rate_hz) * BLEND_S;
            sum += self.shift[joint.at()] * (way.length_squared() + faster.length_squared());
        }
        for joint in &self.order {
            let j = joint.at();
            let (q, r) = (now[j], then[j].towards(now[j]));
            // The chord of the half angle approximates the angle: 8 (1 - cos(a / 2)) is a^2 up to small terms.
            let way = 8.0 * (1.0 - pose.rotations[j].dot(q).abs());
            let step = r * q.inverse();
            let spin = Vec3::new(step.x, step.y, step.z) * (2.0 * rate_hz);
            let faster = (velocity.angular[j] - spin) * BLEND_S;
            sum += self.turn[j] * (way + faster.length_squared());
            if sum > limit {
                break;
            }
        }
        sum
    }

    /// As [`Levers::seam`], for two poses with velocities.
    pub fn between(&self, shown: (&Pose, &PoseVelocity), next: (&Pose, &PoseVelocity)) -> f32 {
        let ((pose, velocity), (to, then)) = (shown, next);
        let mut sum = ((velocity.linear[0] - then.linear[0]) * BLEND_S).length_squared();
        for j in 1..pose.len() {
            let way = pose.translations[j] - to.translations[j];
            let faster = (velocity.linear[j] - then.linear[j]) * BLEND_S;
            sum += self.shift[j] * (way.length_squared() + faster.length_squared());
        }
        for joint in &self.order {
            let j = joint.at();
            let way = 8.0 * (1.0 - pose.rotations[j].dot(to.rotations[j]).abs());
            let faster = (velocity.angular[j] - then.angular[j]) * BLEND_S;
            sum += self.turn[j] * (way + faster.length_squared());
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;

    /// Root, hips, and a chain of two joints below.
    fn skeleton() -> Skeleton {
        let at = |y: f32| Transform { translation: Vec3::Y * y, ..Transform::IDENTITY };
        Skeleton::new(
            ["root", "hips", "upper", "lower"].map(str::to_owned).to_vec(),
            vec![None, Some(JointIndex(0)), Some(JointIndex(1)), Some(JointIndex(2))],
            vec![Transform::IDENTITY, at(1.0), at(-0.4), at(-0.5)],
        )
        .unwrap()
    }

    #[test]
    fn a_joint_weighs_what_hangs_from_it() {
        let levers = Levers::new(&skeleton());
        // The hips move both other joints, by 0.4 and 0.9 m per radian. The last joint moves none.
        assert!((levers.turn[1] - (0.16 + 0.81) / 4.0).abs() < 1e-6, "{:?}", levers.turn);
        assert!((levers.turn[2] - 0.25 / 4.0).abs() < 1e-6);
        assert_eq!((levers.turn[3], levers.shift[1]), (0.0, 0.75));
        assert_eq!(levers.order, [JointIndex(1), JointIndex(2)]);
    }

    #[test]
    fn a_seam_hides_way_and_speed() {
        let skeleton = skeleton();
        let (levers, pose) = (Levers::new(&skeleton), Pose::rest(&skeleton));
        let still = PoseVelocity::zero(4);
        assert_eq!(levers.between((&pose, &still), (&pose, &still)), 0.0);
        let mut raised = pose.clone();
        raised.translations[1].y += 0.2;
        // Three of four joints are 20 cm higher.
        assert!((levers.between((&pose, &still), (&raised, &still)) - 0.75 * 0.04).abs() < 1e-6);
        let mut rising = still.clone();
        rising.linear[1] = Vec3::Y * 0.5;
        assert!((levers.between((&pose, &still), (&pose, &rising)) - 0.75 * 0.0025).abs() < 1e-6);
        let mut turning = still;
        turning.angular[2] = Vec3::X;
        let turned = levers.between((&pose, &turning), (&pose, &PoseVelocity::zero(4)));
        assert!((turned - levers.turn[2] * BLEND_S * BLEND_S).abs() < 1e-7, "{turned}");
    }
}
