//! Inertialization: at a transition the difference between what was shown and what will play is kept as an offset, and
//! the offset decays like a critically damped spring. Only one clip is ever sampled.
//!
//! Source: D. Bollo, "Inertialization" (GDC 2018); the spring form from D. Holden's "Spring-It-On". The offset is stored
//! as it was at the transition and evaluated in closed form, so the frame rate does not matter.

use crate::frames::JointIndex;
use crate::math::{Quat, spring};
use crate::pose::{Pose, PoseVelocity};
use glam::Vec3;

/// Floats per joint rotation: rotation vector and its velocity.
pub const ROTATION_WIDTH: usize = 6;
/// Floats per joint translation: offset and its velocity.
pub const TRANSLATION_WIDTH: usize = 6;

/// Offsets inside the state's block, as they were at the transition.
#[derive(Debug)]
pub struct Offsets<B> {
    /// `[joints x ROTATION_WIDTH]`, the root's unused.
    pub rotations: B,
    /// `[translated x TRANSLATION_WIDTH]`, the root's unused.
    pub translations: B,
}

impl<B: AsRef<[f32]>> Offsets<B> {
    /// Adds what is left of the offsets to a sampled pose and its velocities, all joints but the root.
    pub fn apply(
        &self,
        translated: &[JointIndex],
        half_life_s: f32,
        since_s: f32,
        pose: &mut Pose,
        mut velocity: Option<&mut PoseVelocity>,
    ) {
        for (j, offset) in self.rotations.as_ref().chunks_exact(ROTATION_WIDTH).enumerate().skip(1) {
            let (r, w) = decayed(offset, half_life_s, since_s);
            pose.rotations[j] = (Quat::from_rotation_vector(r) * pose.rotations[j]).normalize();
            if let Some(v) = velocity.as_deref_mut() {
                v.angular[j] += w;
            }
        }
        let offsets = self.translations.as_ref().chunks_exact(TRANSLATION_WIDTH);
        for (joint, offset) in translated.iter().zip(offsets).skip(1) {
            let (x, v) = decayed(offset, half_life_s, since_s);
            pose.translations[joint.at()] += x;
            if let Some(velocity) = velocity.as_deref_mut() {
                velocity.linear[joint.at()] += v;
            }
        }
    }
}

impl<B: AsMut<[f32]>> Offsets<B> {
    /// Keeps the difference between what was shown and what will play.
    pub fn start(&mut self, translated: &[JointIndex], shown: (&Pose, &PoseVelocity), next: (&Pose, &PoseVelocity)) {
        for (j, offset) in self.rotations.as_mut().chunks_exact_mut(ROTATION_WIDTH).enumerate().skip(1) {
            let r = (shown.0.rotations[j] * next.0.rotations[j].inverse()).to_rotation_vector();
            write(offset, r, shown.1.angular[j] - next.1.angular[j]);
        }
        let offsets = self.translations.as_mut().chunks_exact_mut(TRANSLATION_WIDTH);
        for (joint, offset) in translated.iter().zip(offsets).skip(1) {
            let j = joint.at();
            let x = shown.0.translations[j] - next.0.translations[j];
            write(offset, x, shown.1.linear[j] - next.1.linear[j]);
        }
    }
}

fn write(offset: &mut [f32], x: Vec3, v: Vec3) {
    offset[..3].copy_from_slice(&x.to_array());
    offset[3..].copy_from_slice(&v.to_array());
}

fn decayed(offset: &[f32], half_life_s: f32, since_s: f32) -> (Vec3, Vec3) {
    spring::decay(Vec3::from_slice(offset), Vec3::from_slice(&offset[3..]), half_life_s, since_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown() -> (Pose, PoseVelocity) {
        let pose = Pose {
            translations: vec![Vec3::ZERO, Vec3::new(0.1, 0.9, 0.0)],
            rotations: vec![Quat::IDENTITY, Quat::from_rotation_x(0.8)],
        };
        let velocity =
            PoseVelocity { linear: vec![Vec3::ZERO, Vec3::X], angular: vec![Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0)] };
        (pose, velocity)
    }

    fn next() -> (Pose, PoseVelocity) {
        let pose = Pose {
            translations: vec![Vec3::ZERO, Vec3::Y],
            rotations: vec![Quat::IDENTITY, Quat::from_rotation_x(-0.4)],
        };
        (pose, PoseVelocity::zero(2))
    }

    fn after(t: f32) -> (Pose, PoseVelocity) {
        let joints = [JointIndex(0), JointIndex(1)];
        let mut offsets = Offsets { rotations: vec![0.0; 12], translations: vec![0.0; 12] };
        let (s, n) = (shown(), next());
        offsets.start(&joints, (&s.0, &s.1), (&n.0, &n.1));
        let (mut pose, mut velocity) = next();
        offsets.apply(&joints, 0.1, t, &mut pose, Some(&mut velocity));
        (pose, velocity)
    }

    #[test]
    fn at_the_transition_the_shown_pose_and_velocity_go_on() {
        let ((pose, velocity), s) = (after(0.0), shown());
        assert!(pose.rotations[1].angle_between(s.0.rotations[1]) < 1e-3);
        assert!((pose.translations[1] - s.0.translations[1]).length() < 1e-6);
        assert!((velocity.angular[1] - s.1.angular[1]).length() < 1e-5);
        assert!((velocity.linear[1] - s.1.linear[1]).length() < 1e-5);
        let moved = after(1e-4);
        let rate = (moved.0.rotations[1] * pose.rotations[1].inverse()).to_rotation_vector().x / 1e-4;
        assert!((rate - 2.0).abs() < 0.1, "{rate}");
    }

    #[test]
    fn after_a_second_the_clip_plays_as_it_is() {
        let ((pose, _), n) = (after(1.0), next());
        assert!(pose.rotations[1].angle_between(n.0.rotations[1]) < 1e-3);
        assert!((pose.translations[1] - n.0.translations[1]).length() < 1e-3);
    }
}
