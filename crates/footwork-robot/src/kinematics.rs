//! Forward kinematics: from the values of a pose to the places of all bodies.

use crate::model::RobotModel;
use crate::spatial::{about, to_rotation_vector};
use glam::{DQuat, DVec3};

/// Places of all bodies and hinges in the world, metres, +Z up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Placed {
    /// `[bodies]` origins.
    pub positions: Vec<DVec3>,
    /// `[bodies]` rotations from the axes of the body to the world's.
    pub rotations: Vec<DQuat>,
    /// `[hinges]` points on the axes.
    pub anchors: Vec<DVec3>,
    /// `[hinges]` unit axes.
    pub axes: Vec<DVec3>,
}

impl Placed {
    /// Returns a point of a body in the world.
    pub fn point(&self, body: usize, local: DVec3) -> DVec3 {
        self.positions[body] + self.rotations[body] * local
    }
}

impl RobotModel {
    /// Returns the pose that the file describes: the root where it is, all angles at their reference.
    pub fn zero_pose(&self) -> Vec<f64> {
        let (p, q) = (self.bodies[0].position, self.bodies[0].rotation);
        let root = [p.x, p.y, p.z, q.w, q.x, q.y, q.z];
        root.into_iter().chain(self.hinges.iter().map(|h| h.reference)).collect()
    }

    /// Computes the velocity between two poses, `[6 + hinges]` in MuJoCo's order (`qvel`): of the root in m/s in the world and in
    /// rad/s about the axes of the body, then of the hinges in rad/s. `dt_s`: time between the poses, in seconds. Allocates nothing.
    ///
    /// # Panics
    /// Panics if a pose or the velocity has another number of values.
    pub fn velocity(&self, before: &[f64], after: &[f64], dt_s: f64, out: &mut [f64]) {
        let given = (before.len(), after.len(), out.len());
        assert_eq!(given, (self.pose_len(), self.pose_len(), self.pose_len() - 1), "values of poses and a velocity");
        let turn = |p: &[f64]| DQuat::from_xyzw(p[4], p[5], p[6], p[3]).normalize();
        let turned = to_rotation_vector(turn(before).inverse() * turn(after));
        for k in 0..3 {
            out[k] = (after[k] - before[k]) / dt_s;
            out[3 + k] = turned[k] / dt_s;
        }
        for h in 0..self.hinges.len() {
            out[6 + h] = (after[7 + h] - before[7 + h]) / dt_s;
        }
    }

    /// Computes the places of all bodies. `pose`: `[7 + hinges]` in MuJoCo's order (`qpos`): position and rotation (w, x, y, z)
    /// of the root, then the angles of the hinges in radians. Allocates nothing after the first call with the same `out`.
    ///
    /// # Panics
    /// Panics if the pose has another number of values.
    pub fn place(&self, pose: &[f64], out: &mut Placed) {
        assert_eq!(pose.len(), self.pose_len(), "values of a pose");
        out.positions.resize(self.bodies.len(), DVec3::ZERO);
        out.rotations.resize(self.bodies.len(), DQuat::IDENTITY);
        out.anchors.resize(self.hinges.len(), DVec3::ZERO);
        out.axes.resize(self.hinges.len(), DVec3::Z);
        for (b, body) in self.bodies.iter().enumerate() {
            let (mut at, mut turn) = match body.parent {
                Some(p) => (out.point(p, body.position), out.rotations[p] * body.rotation),
                None => (
                    DVec3::new(pose[0], pose[1], pose[2]),
                    DQuat::from_xyzw(pose[4], pose[5], pose[6], pose[3]).normalize(),
                ),
            };
            for h in body.hinges.clone() {
                let hinge = &self.hinges[h];
                let anchor = at + turn * hinge.anchor;
                out.anchors[h] = anchor;
                out.axes[h] = turn * hinge.axis;
                turn *= about(hinge.axis, pose[7 + h] - hinge.reference);
                at = anchor - turn * hinge.anchor;
            }
            out.positions[b] = at;
            out.rotations[b] = turn.normalize();
        }
    }
}
