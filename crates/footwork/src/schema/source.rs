//! What features are computed from: the same for a database frame and for a live query.

use super::FeatureSchema;
use crate::math::Facing;
use crate::motion::ClipView;
use crate::pose::{Pose, PoseVelocity, RootMotion};
use crate::skeleton::Skeleton;
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// One point of a trajectory, seen from the character's root as it is now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrajectorySample {
    /// Root space, metres.
    pub position: Vec3,
    /// Root space.
    pub facing: Facing,
    /// Root space, metres per second.
    pub velocity: Vec3,
}

/// Everything a channel may look at. The pose comes from a clip in both cases; the trajectory from the clip (database)
/// or from prediction and history (query); user values from the build or from the input.
#[derive(Clone, Copy, Debug)]
pub struct FeatureSource<'a> {
    /// Joints in root space.
    pub motion: &'a RootMotion,
    /// `[joints]` accelerations in root space, m/s2; may be empty unless the schema needs them.
    pub accelerations: &'a [Vec3],
    /// One per entry of [`super::FeatureSchema::times_s`].
    pub trajectory: &'a [TrajectorySample],
    /// One per contact joint of the database: 1 touches, 0 does not.
    pub contacts: &'a [u8],
    /// `[user_width]` values of the user channels, in the order of the schema.
    pub user: &'a [f32],
}

/// Something to draw, in root space: what a channel's (raw) values look like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DebugShape {
    /// A point.
    Point(Vec3),
    /// A vector and where it starts.
    Arrow {
        /// Start.
        from: Vec3,
        /// Direction and length.
        vector: Vec3,
    },
}

/// Where a mirrored column comes from: `mirrored[c] = sign * original[column]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MirrorColumn {
    /// Column of the unmirrored features.
    pub column: usize,
    /// 1 or -1.
    pub sign: f32,
}

/// Space in which a [`FeatureSource`] is put together; reused, so that nothing is allocated per query.
#[derive(Clone, Debug, Default)]
pub struct SourceBuffers {
    /// The pose at the moment, as sampled.
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
    /// Space for a schema and skeleton.
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

    /// The body at a time of a clip; accelerations by differences of velocity one frame to either side, if wanted.
    pub fn gather_body(&mut self, view: &ClipView, time_s: f64, accelerations: bool) {
        if accelerations {
            let step = 1.0 / f64::from(view.rate_hz);
            self.sample(view, time_s + step);
            std::mem::swap(&mut self.motion, &mut self.neighbor);
            self.sample(view, time_s - step);
            let (here, ..) = view.root(time_s);
            // Both neighbours' velocities are along their own roots' axes: bring them to this moment's.
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

    /// The body as some pose has it; accelerations stay as they are.
    pub fn gather_pose(&mut self, skeleton: &Skeleton, pose: &Pose, velocity: &PoseVelocity) {
        self.motion.from_pose(skeleton, pose, velocity);
    }

    /// The clip's own trajectory around a time.
    pub fn gather_trajectory(&mut self, view: &ClipView, time_s: f64, times_s: &[f32]) {
        for (sample, offset) in self.trajectory.iter_mut().zip(times_s) {
            let (position, facing, velocity) = view.trajectory(time_s, *offset);
            *sample = TrajectorySample { position, facing, velocity };
        }
    }

    /// What has been put together.
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
