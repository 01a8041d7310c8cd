//! Inertialization: at a transition the difference between the shown pose and the new clip is stored as an offset, which then
//! decays. Only one clip is ever sampled.
//!
//! Source: D. Bollo, "Inertialization" (GDC 2018). Offsets are stored as they were at the transition.

use super::{Offset, Seam, TransitionConfig};
use crate::frames::JointIndex;
use crate::math::four::{Quats, Vectors, in_fours, moving_rotations};
use crate::math::{Quat, rotation_vector_rate};
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
        let rotations = self.rotations.as_ref();
        for seam in joints.seams() {
            let wanted = (1..rotations.len()).filter(|j| joints.turns(*j) && joints.seam(*j) == seam);
            match seam {
                Seam::DeadBlend => {
                    let Some(share) = c.share(since_s) else { continue };
                    for j in wanted {
                        let start = &rotations[j];
                        let (ahead, spin) = c.extrapolated(start.velocity, since_s);
                        let from = Quat::from_rotation_vector(ahead) * Quat::from_rotation_vector(start.value);
                        let way = (pose.rotations[j] * from.inverse()).to_rotation_vector();
                        pose.rotations[j] = (Quat::from_rotation_vector(way * share.0) * from).renormalize();
                        velocity.angular[j] = spin * (1.0 - share.0) + velocity.angular[j] * share.0 + way * share.1;
                    }
                }
                Seam::Spring | Seam::SmoothSpring if since.over => in_fours(wanted, |four| {
                    // No rotation and no velocity are added, as below: the bits of a zero and the last bit of a length may change.
                    let rotation = Quats::IDENTITY * Quats::new(four.map(|j| pose.rotations[j]));
                    four.into_iter().zip(rotation.renormalize().to_array()).for_each(|(j, q)| pose.rotations[j] = q);
                    let rates = [Some(&mut velocity.angular), acceleration.as_deref_mut().map(|a| &mut a.angular)];
                    for rate in rates.into_iter().flatten() {
                        four.into_iter().for_each(|j| rate[j] += Vec3::ZERO);
                    }
                }),
                Seam::Quintic | Seam::Spring | Seam::SmoothSpring => in_fours(wanted, |four| {
                    let left = c.left_of_four(seam, four.map(|j| &rotations[j]), &since);
                    let (turn, spin) = moving_rotations(left.value, left.velocity);
                    let rotation = (turn * Quats::new(four.map(|j| pose.rotations[j]))).renormalize().to_array();
                    let angular = (spin + turn * Vectors::new(four.map(|j| velocity.angular[j]))).to_array();
                    for (lane, j) in four.into_iter().enumerate() {
                        (pose.rotations[j], velocity.angular[j]) = (rotation[lane], angular[lane]);
                    }
                    if let Some(a) = acceleration.as_deref_mut() {
                        let angular = Vectors::new(four.map(|j| a.angular[j])) + left.acceleration;
                        four.into_iter().zip(angular.to_array()).for_each(|(j, angular)| a.angular[j] = angular);
                    }
                }),
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
    /// Returns the blends that occur, each once.
    fn seams(&self) -> impl Iterator<Item = Seam> {
        let TransitionConfig { seam, upper_seam, .. } = self.config;
        std::iter::once(seam).chain((upper_seam != seam).then_some(upper_seam))
    }

    /// Returns whether the rotation of a joint is blended.
    fn turns(&self, joint: usize) -> bool {
        !self.feet_alone || self.carries_foot[joint]
    }

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
    use crate::math::{Random, moving_rotation};

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

    /// Adds the rest of each offset to its joint by itself, as [`Offsets::apply`] does.
    fn apply_one_by_one(offsets: &[Offset], joints: &Joints, since_s: f32, now: &mut Moving) {
        let c = &joints.config;
        for (j, start) in offsets.iter().enumerate().skip(1).filter(|(j, _)| joints.turns(*j)) {
            let left = c.left(joints.seam(j), start, &c.since(since_s));
            let (turn, spin) = moving_rotation(left.value, left.velocity);
            now.pose.rotations[j] = (turn * now.pose.rotations[j]).renormalize();
            now.velocity.angular[j] = spin + turn * now.velocity.angular[j];
            now.acceleration.angular[j] += left.acceleration;
        }
    }

    #[test]
    fn four_joints_at_a_time_are_blended_out_as_one_by_one_to_the_bit() {
        const JOINTS: usize = 11;
        let mut random = Random(9);
        for k in 0..3000 {
            let mut vector = |by: f32| Vec3::from_array([(); 3].map(|()| random.between(-by, by)));
            let offsets = [(); JOINTS].map(|()| {
                let value = vector(if k % 9 == 0 { 3.0 } else { 0.8 });
                Offset { value, velocity: vector(3.0), acceleration: vector(20.0) }
            });
            let zeros = |v: Vec3| if v.x > 0.3 { v * Vec3::new(1.0, 0.0, -0.0) } else { v };
            let mut angular = || (0..JOINTS).map(|_| zeros(vector(2.0))).collect::<Vec<_>>();
            let linear = vec![Vec3::ZERO; JOINTS];
            let velocity = PoseVelocity { linear: linear.clone(), angular: angular() };
            let acceleration = PoseVelocity { linear: linear.clone(), angular: angular() };
            let rotations = angular().into_iter().map(Quat::from_rotation_vector).collect();
            let pose = Pose { translations: linear, rotations };
            let mut expected = Moving { pose, velocity, acceleration };
            let mut found = expected.clone();
            let seams = [Seam::Spring, Seam::SmoothSpring, Seam::Quintic];
            let (seam, upper_seam) = (seams[k % 3], seams[k / 3 % 3]);
            let config = TransitionConfig { seam, upper_seam, ..TransitionConfig::default() };
            let carries_foot: Vec<bool> = (0..JOINTS).map(|j| j * k % 5 < 2).collect();
            let (translated, feet_alone) = (&[JointIndex(0)], k % 4 == 0);
            let joints = Joints { config, translated, carries_foot: &carries_foot, feet_alone };
            let since_s = if k % 7 == 0 { 3.0 } else { random.between(0.0, 0.6) };
            apply_one_by_one(&offsets, &joints, since_s, &mut expected);
            let (now, accelerations) = ((&mut found.pose, &mut found.velocity), Some(&mut found.acceleration));
            Offsets { rotations: offsets, translations: [Offset::default(); JOINTS] }.apply(
                &joints,
                since_s,
                now,
                accelerations,
            );
            let bits = |m: &Moving| {
                let vectors = m.velocity.angular.iter().chain(&m.acceleration.angular).flat_map(|v| v.to_array());
                let rotations = m.pose.rotations.iter().flat_map(|q| q.to_array());
                vectors.chain(rotations).map(f32::to_bits).collect::<Vec<_>>()
            };
            assert_eq!(bits(&found), bits(&expected), "{k}");
        }
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
