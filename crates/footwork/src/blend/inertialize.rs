//! Inertialization: at a transition the difference between the shown pose and the new clip is stored as an offset, which then
//! decays. Only one clip is ever sampled.
//!
//! Source: D. Bollo, "Inertialization" (GDC 2018). Offsets are stored as they were at the transition.

use super::{Offset, Seam, TransitionConfig};
use crate::frames::JointIndex;
use crate::math::{Quat, moving_rotation, rotation_vector_rate};
use crate::pose::{Pose, PoseVelocity};
use glam::Vec3;

/// A pose with velocities and accelerations.
#[derive(Clone, Debug)]
pub struct Moving {
    /// Local transforms.
    pub pose: Pose,
    /// Their first derivatives.
    pub velocity: PoseVelocity,
    /// Their second derivatives, per second squared.
    pub acceleration: PoseVelocity,
}

/// Offsets inside the state's block, as they were at the transition.
#[derive(Debug)]
pub struct Offsets<B> {
    /// `[joints]` rotations, the root's unused.
    pub rotations: B,
    /// `[translated]` translations, the root's unused.
    pub translations: B,
}

impl<B: AsRef<[Offset]>> Offsets<B> {
    /// Adds the offsets to a sampled pose and its velocities (and accelerations, if given), for all joints but the root.
    pub fn apply(
        &self,
        joints: &Joints,
        since_s: f32,
        now: (&mut Pose, &mut PoseVelocity),
        accelerations: Option<&mut PoseVelocity>,
    ) {
        let (pose, velocity) = now;
        let mut acceleration = accelerations;
        let c = &joints.config;
        let since = c.since(since_s);
        for (j, start) in self.rotations.as_ref().iter().enumerate().skip(1) {
            if joints.feet_alone && !joints.carries_foot[j] {
                continue;
            }
            if joints.seam(j) == Seam::DeadBlend {
                if let Some(share) = c.share(since_s) {
                    let (ahead, spin) = c.extrapolated(start.velocity, since_s);
                    let from = Quat::from_rotation_vector(ahead) * Quat::from_rotation_vector(start.value);
                    let way = (pose.rotations[j] * from.inverse()).to_rotation_vector();
                    pose.rotations[j] = (Quat::from_rotation_vector(way * share.0) * from).renormalize();
                    velocity.angular[j] = spin * (1.0 - share.0) + velocity.angular[j] * share.0 + way * share.1;
                }
                continue;
            }
            let left = c.left(joints.seam(j), start, &since);
            let (turn, spin) = moving_rotation(left.value, left.velocity);
            pose.rotations[j] = (turn * pose.rotations[j]).renormalize();
            velocity.angular[j] = spin + turn * velocity.angular[j];
            if let Some(a) = acceleration.as_deref_mut() {
                a.angular[j] += left.acceleration;
            }
        }
        for (joint, start) in joints.translated.iter().zip(self.translations.as_ref()).skip(1) {
            let j = joint.at();
            if joints.seam(j) == Seam::DeadBlend {
                if let Some(share) = c.share(since_s) {
                    let (ahead, speed) = c.extrapolated(start.velocity, since_s);
                    let from = start.value + ahead;
                    let way = pose.translations[j] - from;
                    pose.translations[j] = from + way * share.0;
                    velocity.linear[j] = speed * (1.0 - share.0) + velocity.linear[j] * share.0 + way * share.1;
                }
                continue;
            }
            let left = c.left(joints.seam(j), start, &since);
            pose.translations[j] += left.value;
            velocity.linear[j] += left.velocity;
            if let Some(a) = acceleration.as_deref_mut() {
                a.linear[j] += left.acceleration;
            }
        }
    }
}

/// Choice of the blend of each joint.
#[derive(Clone, Copy, Debug)]
pub struct Joints<'a> {
    /// Settings.
    pub config: TransitionConfig,
    /// Joints with animated translations.
    pub translated: &'a [JointIndex],
    /// `[joints]` true for those that carry a foot.
    pub carries_foot: &'a [bool],
    /// Whether the rotations of all other joints are left out.
    pub feet_alone: bool,
}

impl Joints<'_> {
    fn seam(&self, joint: usize) -> Seam {
        if self.carries_foot[joint] { self.config.seam } else { self.config.upper_seam }
    }
}

impl<B: AsMut<[Offset]>> Offsets<B> {
    /// Stores the difference between the shown pose and the new clip; for a dead blend, the shown pose itself.
    pub fn start(&mut self, joints: &Joints, shown: &Moving, next: &Moving) {
        for (j, offset) in self.rotations.as_mut().iter_mut().enumerate().skip(1) {
            let dead = joints.seam(j) == Seam::DeadBlend;
            let before = if dead { Quat::IDENTITY } else { next.pose.rotations[j] };
            let turn = shown.pose.rotations[j] * before.inverse();
            let value = turn.to_rotation_vector();
            *offset = Offset::between(value, dead, j, shown, next, |v| &v.angular);
            if !dead && !joints.config.reference_defects {
                // The new clip is shown through the offset: `shown = turn * next`.
                let spin = shown.velocity.angular[j] - turn * next.velocity.angular[j];
                offset.velocity = rotation_vector_rate(value, spin);
            }
        }
        for (joint, offset) in joints.translated.iter().zip(self.translations.as_mut()).skip(1) {
            let j = joint.at();
            let dead = joints.seam(j) == Seam::DeadBlend;
            let before = if dead { Vec3::ZERO } else { next.pose.translations[j] };
            let value = shown.pose.translations[j] - before;
            *offset = Offset::between(value, dead, j, shown, next, |v| &v.linear);
        }
    }
}

impl Offset {
    fn between(
        value: Vec3,
        alone: bool,
        joint: usize,
        shown: &Moving,
        next: &Moving,
        of: fn(&PoseVelocity) -> &[Vec3],
    ) -> Self {
        let (v, a) = (of(&shown.velocity)[joint], of(&shown.acceleration)[joint]);
        if alone {
            return Self { value, velocity: v, acceleration: Vec3::ZERO };
        }
        Self { value, velocity: v - of(&next.velocity)[joint], acceleration: a - of(&next.acceleration)[joint] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moving(pose: Pose, velocity: PoseVelocity) -> Moving {
        let acceleration = PoseVelocity::zero(2);
        Moving { pose, velocity, acceleration }
    }

    fn shown() -> Moving {
        let pose = Pose {
            translations: vec![Vec3::ZERO, Vec3::new(0.1, 0.9, 0.0)],
            rotations: vec![Quat::IDENTITY, Quat::from_rotation_x(0.8)],
        };
        let velocity =
            PoseVelocity { linear: vec![Vec3::ZERO, Vec3::X], angular: vec![Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0)] };
        moving(pose, velocity)
    }

    fn next() -> Moving {
        let pose = Pose {
            translations: vec![Vec3::ZERO, Vec3::Y],
            rotations: vec![Quat::IDENTITY, Quat::from_rotation_x(-0.4)],
        };
        moving(pose, PoseVelocity::zero(2))
    }

    fn after(seam: Seam, t: f32) -> Moving {
        let joints = [JointIndex(0), JointIndex(1)];
        let mut offsets = Offsets { rotations: [Offset::default(); 2], translations: [Offset::default(); 2] };
        let config = TransitionConfig { seam, half_life_s: 0.1, ..Default::default() };
        let seams = Joints { config, translated: &joints, carries_foot: &[true; 2], feet_alone: false };
        offsets.start(&seams, &shown(), &next());
        let mut n = next();
        offsets.apply(&seams, t, (&mut n.pose, &mut n.velocity), Some(&mut n.acceleration));
        n
    }

    #[test]
    fn at_the_transition_the_shown_pose_and_velocity_go_on() {
        for seam in [Seam::Spring, Seam::SmoothSpring, Seam::DeadBlend] {
            let (now, s) = (after(seam, 0.0), shown());
            assert!(now.pose.rotations[1].angle_between(s.pose.rotations[1]) < 1e-3);
            assert!((now.pose.translations[1] - s.pose.translations[1]).length() < 1e-6);
            assert!((now.velocity.angular[1] - s.velocity.angular[1]).length() < 1e-5);
            assert!((now.velocity.linear[1] - s.velocity.linear[1]).length() < 1e-5);
            let moved = after(seam, 1e-4);
            let rate = (moved.pose.rotations[1] * now.pose.rotations[1].inverse()).to_rotation_vector().x / 1e-4;
            assert!((rate - 2.0).abs() < 0.1, "{rate}");
        }
        let smooth = after(Seam::SmoothSpring, 0.0);
        assert!(smooth.acceleration.angular[1].length() < 1e-4, "it would have gone on at constant velocity");
    }

    #[test]
    fn after_a_second_the_clip_plays_as_it_is() {
        for seam in [Seam::Spring, Seam::SmoothSpring, Seam::DeadBlend] {
            let (now, n) = (after(seam, 1.0), next());
            assert!(now.pose.rotations[1].angle_between(n.pose.rotations[1]) < 1e-3);
            assert!((now.pose.translations[1] - n.pose.translations[1]).length() < 1e-3);
        }
    }
}
