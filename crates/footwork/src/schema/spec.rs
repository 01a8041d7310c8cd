//! The schema as written: names and numbers, not yet checked against a skeleton.

use crate::{choices, settings};

choices! {
    /// Subject of a channel.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum ChannelType {
        /// Position of a joint, 3 columns.
        JointPosition = "joint_position",
        /// Velocity of a joint, 3 columns.
        JointVelocity = "joint_velocity",
        /// Acceleration of a joint, 3 columns.
        JointAcceleration = "joint_acceleration",
        /// Rotation of a joint as two axes, 6 columns.
        JointRotation = "joint_rotation",
        /// Ground direction in which a joint faces, 2 columns.
        JointHeading = "joint_heading",
        /// Angular velocity of a joint, 3 columns.
        JointAngularVelocity = "joint_angular_velocity",
        /// Positions of the root at `times_s`, 2 or 3 columns each.
        TrajectoryPosition = "trajectory_position",
        /// Facings of the root at `times_s`, 2 columns each.
        TrajectoryFacing = "trajectory_facing",
        /// Velocities of the root at `times_s`, 2 or 3 columns each.
        TrajectoryVelocity = "trajectory_velocity",
        /// Ground contact of a joint, 1 column.
        Contact = "contact",
        /// Values of the user's, `width` columns.
        User = "user",
    }

    /// Conversion of a difference to cost.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Residual = Squared {
        /// The square of the difference: large differences outweigh many small ones.
        Squared = "squared",
        /// The magnitude of the difference: linear.
        Absolute = "absolute",
    }
}

settings! {
    /// One channel.
    #[derive(Clone, Debug, PartialEq)]
    pub entry ChannelSpec {
        /// What it describes.
        kind: ChannelType, key "type";
        /// Joint, role (`left_foot`) or attachment point. Must be given for joint channels and `contact`.
        joint: Option<String> = None;
        /// Joint or role in whose space the joint is seen. Default: the root.
        relative_to: Option<String> = None;
        /// Axis of the joint that faces, for `joint_heading`. Default: found from the data.
        axis: Option<[f32; 3]> = None, in -1e6 to 1e6;
        /// Times from now, past negative. Must be given for trajectory channels.
        times_s: Vec<f32> = Vec::new(), in -60.0 to 60.0, unit "s", brief true;
        /// 2 on the ground or 3 in space, for trajectory position and velocity.
        dimensions: usize = 2, in 2 to 3, brief true;
        /// Name. Must be given for `user`.
        name: Option<String> = None;
        /// Number of values, for `user`.
        width: usize = 1, in 1 to 256, brief true;
        /// Influence on the cost: the normalised values are multiplied by it.
        weight: f32 = 1.0, in 1e-6 to 1e6;
        /// How a difference becomes cost.
        residual: Residual = Residual::Squared;
    }

    /// A point attached to a joint: a weapon's tip, a ball in the hand.
    #[derive(Clone, Debug, PartialEq)]
    pub entry PropSpec {
        /// Name by which channels call it.
        name: String;
        /// Joint or role that holds it.
        joint: String;
        /// Position along the joint's axes: `[x, y, z]`.
        offset_m: [f32; 3], in -1000.0 to 1000.0, unit "m";
    }
}

choices! {
    /// Normalisation of raw features.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Normalization = Block {
        /// Minus each column's mean, divided by the mean of the standard deviations of the channel's columns. Keeps a channel's
        /// columns in proportion.
        Block = "block",
        /// Minus each column's mean, divided by its own standard deviation.
        Column = "column",
        /// From each column's smallest to its largest value, 0 to 1.
        MinMax = "min_max",
        /// Raw.
        None = "none",
    }
}

impl ChannelSpec {
    fn new(kind: ChannelType, weight: f32) -> Self {
        Self {
            kind,
            joint: None,
            relative_to: None,
            axis: None,
            times_s: Vec::new(),
            dimensions: 2,
            name: None,
            width: 1,
            weight,
            residual: Residual::Squared,
        }
    }

    /// Creates a channel of a joint (or role, or attachment point).
    pub fn joint(kind: ChannelType, joint: &str, weight: f32) -> Self {
        Self { joint: Some(joint.to_owned()), ..Self::new(kind, weight) }
    }

    /// Creates a channel of the trajectory on the ground.
    pub fn trajectory(kind: ChannelType, times_s: &[f32], weight: f32) -> Self {
        Self { times_s: times_s.to_vec(), ..Self::new(kind, weight) }
    }

    /// Creates a channel of the user's values.
    pub fn user(name: &str, width: usize, weight: f32) -> Self {
        Self { name: Some(name.to_owned()), width, ..Self::new(ChannelType::User, weight) }
    }
}

choices! {
    /// A ready-made set of channels.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Preset = Holden {
        /// 27 columns: both feet's position and velocity, the hips' velocity, trajectory position and facing in 1/3, 2/3 and 1 s.
        /// Source: Holden et al., "Learned Motion Matching" (2020), weights of its reference code.
        Holden = "holden",
        /// 59 columns: trajectory over the past 0.7 s and the coming 1.2 s, feet and hips, absolute residuals. Source: the O3DE
        /// gem's default schema. Its 12 constant columns (three samples at t = 0) are spread over other times here.
        O3de = "o3de",
        /// 39 columns: as `holden` with four feet.
        Quadruped = "quadruped",
    }
}

impl Preset {
    /// Returns its channels, by role.
    pub fn channels(self) -> Vec<ChannelSpec> {
        use ChannelType::*;
        let joint = ChannelSpec::joint;
        let trajectory = ChannelSpec::trajectory;
        const FUTURE_S: [f32; 3] = [20.0 / 60.0, 40.0 / 60.0, 1.0];
        match self {
            Self::Holden => vec![
                joint(JointPosition, "left_foot", 0.75),
                joint(JointPosition, "right_foot", 0.75),
                joint(JointVelocity, "left_foot", 1.0),
                joint(JointVelocity, "right_foot", 1.0),
                joint(JointVelocity, "hips", 1.0),
                trajectory(TrajectoryPosition, &FUTURE_S, 1.0),
                trajectory(TrajectoryFacing, &FUTURE_S, 1.5),
            ],
            Self::Quadruped => {
                let feet = ["left_fore_foot", "right_fore_foot", "left_hind_foot", "right_hind_foot"];
                let mut channels: Vec<_> = feet.iter().map(|f| joint(JointPosition, f, 0.75)).collect();
                channels.extend(feet.iter().map(|f| joint(JointVelocity, f, 1.0)));
                channels.push(joint(JointVelocity, "hips", 1.0));
                channels.push(trajectory(TrajectoryPosition, &FUTURE_S, 1.0));
                channels.push(trajectory(TrajectoryFacing, &FUTURE_S, 1.5));
                channels
            }
            Self::O3de => {
                let past = [-0.7, -0.56, -0.42, -0.28, -0.14];
                let future = [0.2, 0.4, 0.6, 0.8, 1.0, 1.2];
                let mut channels = vec![
                    trajectory(TrajectoryPosition, &past, 0.5),
                    trajectory(TrajectoryFacing, &past, 1.0),
                    trajectory(TrajectoryPosition, &future, 0.75),
                    trajectory(TrajectoryFacing, &future, 1.5),
                    joint(JointPosition, "left_foot", 1.0),
                    joint(JointPosition, "right_foot", 1.0),
                    joint(JointVelocity, "left_foot", 0.75),
                    joint(JointVelocity, "right_foot", 0.75),
                    joint(JointVelocity, "hips", 1.0),
                ];
                for c in &mut channels {
                    c.residual = Residual::Absolute;
                }
                channels
            }
        }
    }
}
