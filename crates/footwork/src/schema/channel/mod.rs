//! The kinds of features, one file each: columns, extraction (one function for database and query), mirroring, drawing.

mod contact;
mod joint_acceleration;
mod joint_angular_velocity;
mod joint_heading;
mod joint_point;
mod joint_position;
mod joint_rotation;
mod joint_velocity;
mod trajectory;
mod trajectory_facing;
mod trajectory_position;
mod trajectory_velocity;
mod user;

pub use contact::Contact;
pub use joint_acceleration::JointAcceleration;
pub use joint_angular_velocity::JointAngularVelocity;
pub use joint_heading::JointHeading;
pub use joint_point::JointPoint;
pub use joint_position::JointPosition;
pub use joint_rotation::JointRotation;
pub use joint_velocity::JointVelocity;
pub use trajectory::Trajectory;
pub use trajectory_facing::TrajectoryFacing;
pub use trajectory_position::TrajectoryPosition;
pub use trajectory_velocity::TrajectoryVelocity;
pub use user::User;

use super::source::{DebugShape, FeatureSource};
use crate::frames::JointIndex;
use glam::Vec3;

/// A channel, resolved against a skeleton.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ChannelKind {
    /// Position of a joint: x, y, z in metres, root space.
    JointPosition(JointPosition),
    /// Velocity of a joint: x, y, z in m/s, root space.
    JointVelocity(JointVelocity),
    /// Acceleration of a joint: x, y, z in m/s2, root space.
    JointAcceleration(JointAcceleration),
    /// Rotation of a joint as two axes: 6 columns, root space.
    JointRotation(JointRotation),
    /// Ground direction of an axis of a joint: x, z of a unit vector, root space.
    JointHeading(JointHeading),
    /// Angular velocity of a joint: x, y, z in radians per second, root axes.
    JointAngularVelocity(JointAngularVelocity),
    /// Position of the root at future and past times: x, z (or x, y, z) in metres per time, root space.
    TrajectoryPosition(TrajectoryPosition),
    /// Facing of the root at future and past times: x, z of a unit vector per time, root space.
    TrajectoryFacing(TrajectoryFacing),
    /// Velocity of the root at future and past times: x, z (or x, y, z) in m/s per time, root space.
    TrajectoryVelocity(TrajectoryVelocity),
    /// Contact of a joint with the ground: 1 or 0.
    Contact(Contact),
    /// Values of the user.
    User(User),
}

impl ChannelKind {
    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        match self {
            Self::JointPosition(_) => JointPosition::WIDTH,
            Self::JointVelocity(_) => JointVelocity::WIDTH,
            Self::JointAcceleration(_) => JointAcceleration::WIDTH,
            Self::JointRotation(_) => JointRotation::WIDTH,
            Self::JointHeading(_) => JointHeading::WIDTH,
            Self::JointAngularVelocity(_) => JointAngularVelocity::WIDTH,
            Self::TrajectoryPosition(c) => c.width(),
            Self::TrajectoryFacing(c) => c.width(),
            Self::TrajectoryVelocity(c) => c.width(),
            Self::Contact(_) => Contact::WIDTH,
            Self::User(c) => c.width,
        }
    }

    /// Returns the unit of the raw values; empty for numbers without one.
    pub fn unit(&self) -> &'static str {
        match self {
            Self::JointPosition(_) | Self::TrajectoryPosition(_) => "m",
            Self::JointVelocity(_) | Self::TrajectoryVelocity(_) => "m/s",
            Self::JointAcceleration(_) => "m/s2",
            Self::JointAngularVelocity(_) => "rad/s",
            Self::JointRotation(_)
            | Self::JointHeading(_)
            | Self::TrajectoryFacing(_)
            | Self::Contact(_)
            | Self::User(_) => "",
        }
    }

    /// Writes the channel's raw values, `[width]`.
    pub fn extract(&self, source: &FeatureSource, out: &mut [f32]) {
        match self {
            Self::JointPosition(c) => c.extract(source, out),
            Self::JointVelocity(c) => c.extract(source, out),
            Self::JointAcceleration(c) => c.extract(source, out),
            Self::JointRotation(c) => c.extract(source, out),
            Self::JointHeading(c) => c.extract(source, out),
            Self::JointAngularVelocity(c) => c.extract(source, out),
            Self::TrajectoryPosition(c) => c.extract(source, out),
            Self::TrajectoryFacing(c) => c.extract(source, out),
            Self::TrajectoryVelocity(c) => c.extract(source, out),
            Self::Contact(c) => c.extract(source, out),
            Self::User(c) => c.extract(source, out),
        }
    }

    /// Draws raw values. User channels draw nothing.
    pub fn draw(&self, source: &FeatureSource, values: &[f32], out: &mut dyn FnMut(DebugShape)) {
        match self {
            Self::JointPosition(c) => c.draw(source, values, out),
            Self::JointVelocity(c) => c.draw(source, values, out),
            Self::JointAcceleration(c) => c.draw(source, values, out),
            Self::JointRotation(c) => c.draw(source, values, out),
            Self::JointHeading(c) => c.draw(source, values, out),
            Self::JointAngularVelocity(c) => c.draw(source, values, out),
            Self::TrajectoryPosition(c) => c.draw(source, values, out),
            Self::TrajectoryFacing(c) => c.draw(source, values, out),
            Self::TrajectoryVelocity(c) => c.draw(source, values, out),
            Self::Contact(c) => c.draw(source, values, out),
            Self::User(_) => {}
        }
    }

    /// Returns the signs of the columns when mirrored; `rest_normal` is the normal of the symmetry plane of the rest pose.
    pub fn mirror_signs(&self, rest_normal: Vec3) -> Vec<f32> {
        match self {
            Self::JointPosition(_) => JointPosition::MIRROR.to_vec(),
            Self::JointVelocity(_) => JointVelocity::MIRROR.to_vec(),
            Self::JointAcceleration(_) => JointAcceleration::MIRROR.to_vec(),
            Self::JointRotation(_) => JointRotation::mirror(rest_normal).to_vec(),
            Self::JointHeading(_) => JointHeading::MIRROR.to_vec(),
            Self::JointAngularVelocity(_) => JointAngularVelocity::MIRROR.to_vec(),
            Self::TrajectoryPosition(c) => c.mirror(),
            Self::TrajectoryFacing(c) => c.mirror(),
            Self::TrajectoryVelocity(c) => c.mirror(),
            Self::Contact(_) => Contact::MIRROR.to_vec(),
            Self::User(c) => vec![1.0; c.width],
        }
    }

    /// Returns whether `other` is the mirror image of `self`: the same feature of the counterpart joint.
    pub fn mirrors(&self, other: &Self, pair: &dyn Fn(JointIndex) -> JointIndex) -> bool {
        let points =
            |a: &JointPoint, b: &JointPoint| pair(a.joint) == b.joint && a.relative_to.map(pair) == b.relative_to;
        match self {
            Self::JointPosition(a) => matches!(other, Self::JointPosition(b) if points(&a.0, &b.0)),
            Self::JointVelocity(a) => matches!(other, Self::JointVelocity(b) if points(&a.0, &b.0)),
            Self::JointAcceleration(a) => matches!(other, Self::JointAcceleration(b) if points(&a.0, &b.0)),
            Self::JointRotation(a) => matches!(other, Self::JointRotation(b) if pair(a.joint) == b.joint),
            Self::JointHeading(a) => matches!(other, Self::JointHeading(b) if pair(a.joint) == b.joint),
            Self::JointAngularVelocity(a) => matches!(other, Self::JointAngularVelocity(b) if pair(a.joint) == b.joint),
            Self::Contact(a) => matches!(other, Self::Contact(b) if pair(a.joint) == b.joint),
            Self::TrajectoryPosition(_) | Self::TrajectoryFacing(_) | Self::TrajectoryVelocity(_) | Self::User(_) => {
                self == other
            }
        }
    }

    /// Returns whether the channel describes the path of the root, not the pose: `responsiveness` scales these channels.
    pub fn is_trajectory(&self) -> bool {
        matches!(self, Self::TrajectoryPosition(_) | Self::TrajectoryFacing(_) | Self::TrajectoryVelocity(_))
    }
}
