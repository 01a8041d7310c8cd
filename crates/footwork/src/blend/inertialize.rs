//! Inertialization: at a transition the difference between what was shown and what will play is kept as an offset, and
//! the offset goes away. Only one clip is ever sampled.
//!
//! Source: D. Bollo, "Inertialization" (GDC 2018). Offsets are stored as they were at the transition.

use super::{Offset, TransitionConfig};
use crate::frames::JointIndex;
use crate::math::Quat;
use crate::pose::{Pose, PoseVelocity};
use glam::Vec3;

/// A body in motion: pose, velocities, accelerations.
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
    /// Adds what is left of the offsets to a sampled pose and its velocities (and accelerations, where wanted), all joints
    /// but the root.
    pub fn apply(
        &self,
        config: &TransitionConfig,
        translated: &[JointIndex],
        since_s: f32,
        (pose, velocity): (&mut Pose, &mut PoseVelocity),
        mut acceleration: Option<&mut PoseVelocity>,
    ) {
        for (j, start) in self.rotations.as_ref().iter().enumerate().skip(1) {
            let left = config.left(start, since_s);
            pose.rotations[j] = (Quat::from_rotation_vector(left.value) * pose.rotations[j]).normalize();
            velocity.angular[j] += left.velocity;
            if let Some(a) = acceleration.as_deref_mut() {
                a.angular[j] += left.acceleration;
            }
        }
        for (joint, start) in translated.iter().zip(self.translations.as_ref()).skip(1) {
            let (j, left) = (joint.at(), config.left(start, since_s));
            pose.translations[j] += left.value;
            velocity.linear[j] += left.velocity;
            if let Some(a) = acceleration.as_deref_mut() {
                a.linear[j] += left.acceleration;
            }
        }
    }
}

impl<B: AsMut<[Offset]>> Offsets<B> {
    /// Keeps the difference between what was shown and what will play.
    pub fn start(&mut self, translated: &[JointIndex], shown: &Moving, next: &Moving) {
        for (j, offset) in self.rotations.as_mut().iter_mut().enumerate().skip(1) {
            let value = (shown.pose.rotations[j] * next.pose.rotations[j].inverse()).to_rotation_vector();
            let between = |of: fn(&Moving) -> &[Vec3]| of(shown)[j] - of(next)[j];
            *offset = Offset {
                value,
                velocity: between(|m| &m.velocity.angular),
                acceleration: between(|m| &m.acceleration.angular),
            };
        }
        for (joint, offset) in translated.iter().zip(self.translations.as_mut()).skip(1) {
            let between = |of: fn(&Moving) -> &[Vec3]| of(shown)[joint.at()] - of(next)[joint.at()];
            *offset = Offset {
                value: between(|m| &m.pose.translations),
                velocity: between(|m| &m.velocity.linear),
                acceleration: between(|m| &m.acceleration.linear),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Seam;
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
        offsets.start(&joints, &shown(), &next());
        let mut n = next();
        let config = TransitionConfig { seam, ..Default::default() };
        offsets.apply(&config, &joints, t, (&mut n.pose, &mut n.velocity), Some(&mut n.acceleration));
        n
    }

    #[test]
    fn at_the_transition_the_shown_pose_and_velocity_go_on() {
        for seam in [Seam::Spring, Seam::SmoothSpring] {
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
        for seam in [Seam::Spring, Seam::SmoothSpring] {
            let (now, n) = (after(seam, 1.0), next());
            assert!(now.pose.rotations[1].angle_between(n.pose.rotations[1]) < 1e-3);
            assert!((now.pose.translations[1] - n.pose.translations[1]).length() < 1e-3);
        }
    }
}
