//! The schema as people write it: names and numbers, not yet checked against a skeleton.

use serde::{Deserialize, Serialize};

/// What a channel describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChannelType {
    /// Position of a joint, 3 columns.
    JointPosition,
    /// Velocity of a joint, 3 columns.
    JointVelocity,
    /// Acceleration of a joint, 3 columns.
    JointAcceleration,
    /// Rotation of a joint as two axes, 6 columns.
    JointRotation,
    /// Ground direction in which a joint faces, 2 columns.
    JointHeading,
    /// Angular velocity of a joint, 3 columns.
    JointAngularVelocity,
    /// Positions of the root at `times_s`, 2 or 3 columns each.
    TrajectoryPosition,
    /// Facings of the root at `times_s`, 2 columns each.
    TrajectoryFacing,
    /// Velocities of the root at `times_s`, 2 or 3 columns each.
    TrajectoryVelocity,
    /// Ground contact of a joint, 1 column.
    Contact,
    /// Values of the user's, `width` columns.
    User,
}

/// How a difference becomes cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Residual {
    /// d squared: large differences outweigh many small ones.
    #[default]
    Squared,
    /// |d|: linear.
    Absolute,
}

/// One channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChannelSpec {
    /// What it describes.
    #[serde(rename = "type")]
    pub kind: ChannelType,
    /// Joint, role (`left_foot`) or prop, for the joint channels and `contact`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    /// Joint or role in whose space the joint is seen; default: the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative_to: Option<String>,
    /// Axis of the joint that faces, for `joint_heading`; default: found from the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f32; 3]>,
    /// Times from now, seconds, past negative, for the trajectory channels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times_s: Vec<f32>,
    /// 2 (on the ground, default) or 3, for trajectory position and velocity.
    #[serde(default = "two", skip_serializing_if = "is_two")]
    pub dimensions: usize,
    /// Name, for `user`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Values, for `user`; default 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub width: usize,
    /// Influence on the cost: the normalised values are multiplied by it. Default 1.
    #[serde(default = "unit")]
    pub weight: f32,
    /// Default squared.
    #[serde(default)]
    pub residual: Residual,
}

/// A point held by a joint: a weapon's tip, a ball in the hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PropSpec {
    /// Name by which channels call it.
    pub name: String,
    /// Joint or role that holds it.
    pub joint: String,
    /// Where it is along the joint's axes, metres.
    pub offset_m: [f32; 3],
}

/// How raw features become comparable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Normalization {
    /// Minus each column's mean, divided by the mean of the standard deviations of the channel's columns: keeps a
    /// channel's columns in proportion.
    #[default]
    Block,
    /// Minus each column's mean, divided by its own standard deviation.
    Column,
    /// From each column's smallest to its largest value, 0 to 1.
    MinMax,
    /// Raw.
    None,
}

fn one() -> usize {
    1
}
fn two() -> usize {
    2
}
fn unit() -> f32 {
    1.0
}
fn is_one(v: &usize) -> bool {
    *v == 1
}
fn is_two(v: &usize) -> bool {
    *v == 2
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

    /// A channel of a joint (or role, or prop).
    pub fn joint(kind: ChannelType, joint: &str, weight: f32) -> Self {
        Self { joint: Some(joint.to_owned()), ..Self::new(kind, weight) }
    }

    /// A channel of the trajectory on the ground.
    pub fn trajectory(kind: ChannelType, times_s: &[f32], weight: f32) -> Self {
        Self { times_s: times_s.to_vec(), ..Self::new(kind, weight) }
    }

    /// A channel of the user's values.
    pub fn user(name: &str, width: usize, weight: f32) -> Self {
        Self { name: Some(name.to_owned()), width, ..Self::new(ChannelType::User, weight) }
    }
}

/// A ready-made set of channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// 27 columns: both feet's position and velocity, the hips' velocity, trajectory position and facing in 1/3, 2/3
    /// and 1 s. Source: Holden et al., "Learned Motion Matching" (2020), weights of its reference code.
    #[default]
    Holden,
    /// 59 columns: trajectory over the past 0.7 s and the coming 1.2 s, feet and hips, absolute residuals. Source: the
    /// O3DE gem's default schema; its 12 constant columns (three samples at t = 0) are spread over other times here.
    O3de,
    /// 39 columns: as `holden` with four feet.
    Quadruped,
}

impl Preset {
    /// Its channels, by role.
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
