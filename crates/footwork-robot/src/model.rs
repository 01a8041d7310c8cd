//! The kinematic tree of a robot.

use glam::{DQuat, DVec3};
use std::ops::Range;

/// A ball in the frame of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Centre, metres.
    pub at: DVec3,
    /// Radius, metres; 0 for corners.
    pub radius_m: f64,
}

/// A rigid body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Name; `body_<index>` for a body without one.
    pub name: String,
    /// Index of the body that carries it; `None` for the root.
    pub parent: Option<usize>,
    /// Position in the frame of the parent with all angles at their reference, metres.
    pub position: DVec3,
    /// Rotation relative to the parent with all angles at their reference.
    pub rotation: DQuat,
    /// Its hinges, by index, in the order of their rotations.
    pub hinges: Range<usize>,
    /// Hull of the shapes that touch the ground (those that touch nothing, if there are no others). Without meshes.
    pub balls: Vec<Ball>,
}

/// A joint that turns its body about an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Hinge {
    /// Name; `joint_<index>` for a hinge without one.
    pub name: String,
    /// Index of the body that it turns.
    pub body: usize,
    /// A point on the axis in the frame of the body, metres.
    pub anchor: DVec3,
    /// Unit axis in the frame of the body.
    pub axis: DVec3,
    /// Least and greatest angle, radians; `None`: unlimited.
    pub range: Option<[f64; 2]>,
    /// Angle in the pose that the file describes, radians.
    pub reference: f64,
}

/// A robot: bodies and hinges in the order of MuJoCo, SI units, +Z up. The root moves freely.
///
/// Parents come before children. Body 0 is the root. Hinge `k` is value `7 + k` of a pose (`qpos`).
#[derive(Clone, Debug, PartialEq)]
pub struct RobotModel {
    /// Name of the model.
    pub name: String,
    /// Bodies, without the world and without bodies fixed to it.
    pub bodies: Vec<Body>,
    /// Hinges.
    pub hinges: Vec<Hinge>,
}

impl RobotModel {
    /// Returns the number of values of a pose: 7 of the root and one per hinge.
    pub fn pose_len(&self) -> usize {
        7 + self.hinges.len()
    }

    /// Returns the bodies from one up to the root.
    pub fn up_from(&self, body: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(body), |b| self.bodies[*b].parent)
    }
}
