//! Buffers that hold the input of features.

use super::FeatureSchema;
use super::source::{FeatureSource, TrajectorySample};
use crate::motion::ClipView;
use crate::pose::{Pose, PoseVelocity, RootMotion};
use crate::skeleton::Skeleton;
use glam::Vec3;

/// Buffers that hold the input of a [`FeatureSource`]; reused, so that a query allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct SourceBuffers {
    /// The sampled pose.
    pub pose: Pose,
    /// Its velocities.
    pub velocity: PoseVelocity,
    /// The pose in root space.
    pub motion: RootMotion,
    neighbor: RootMotion,
    /// `[joints]`.
    pub accelerations: Vec<Vec3>,
    /// One per time of the schema.
    pub trajectory: Vec<TrajectorySample>,
    /// One per contact joint.
    pub contacts: Vec<u8>,
    /// `[user_width]`.
    pub user: Vec<f32>,
}

impl SourceBuffers {
    /// Creates buffers for a schema and skeleton.
    pub fn new(schema: &FeatureSchema, skeleton: &Skeleton, contact_joints: usize) -> Self {
        let joints = skeleton.len();
        Self {
            pose: Pose::rest(skeleton),
            velocity: PoseVelocity::zero(joints),
            motion: RootMotion::zero(joints),
            neighbor: RootMotion::zero(joints),
            accelerations: vec![Vec3::ZERO; joints],
            trajectory: vec![TrajectorySample::default(); schema.times_s.len()],
            contacts: vec![0; contact_joints],
            user: vec![0.0; schema.user_width],
        }
    }

    /// Samples the body at a time of a clip; accelerations, if requested, are differences of velocity one frame to either side.
    pub fn gather_body(&mut self, view: &ClipView, time_s: f64, accelerations: bool) {
        if accelerations {
            let step = 1.0 / f64::from(view.rate_hz);
            self.sample(view, time_s + step);
            std::mem::swap(&mut self.motion, &mut self.neighbor);
            self.sample(view, time_s - step);
            let (here, ..) = view.root(time_s);
            // Both neighbours' velocities are along their own roots' axes: rotate them to the axes of the current root.
            let turn = |t: f64| here.rotation.inverse() * view.root(t).0.rotation;
            let (before, after) = (turn(time_s - step), turn(time_s + step));
            let half_rate = 0.5 * view.rate_hz;
            for (j, a) in self.accelerations.iter_mut().enumerate() {
                *a = (after * self.neighbor.velocities[j] - before * self.motion.velocities[j]) * half_rate;
            }
        }
        self.sample(view, time_s);
    }

    fn sample(&mut self, view: &ClipView, time_s: f64) {
        view.sample(time_s, &mut self.pose, &mut self.velocity);
        self.motion.from_pose(view.skeleton, &self.pose, &self.velocity);
    }

    /// Takes the body from a pose; accelerations are unchanged.
    pub fn gather_pose(&mut self, skeleton: &Skeleton, pose: &Pose, velocity: &PoseVelocity) {
        self.motion.from_pose(skeleton, pose, velocity);
    }

    /// Samples the clip's own trajectory around a time.
    pub fn gather_trajectory(&mut self, view: &ClipView, time_s: f64, times_s: &[f32]) {
        for (sample, offset) in self.trajectory.iter_mut().zip(times_s) {
            let (position, facing, velocity) = view.trajectory(time_s, *offset);
            *sample = TrajectorySample { position, facing, velocity };
        }
    }

    /// Returns the gathered input.
    pub fn source(&self) -> FeatureSource<'_> {
        FeatureSource {
            motion: &self.motion,
            accelerations: &self.accelerations,
            trajectory: &self.trajectory,
            contacts: &self.contacts,
            user: &self.user,
        }
    }
}
