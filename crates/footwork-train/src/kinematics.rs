//! Forward kinematics of a body's numbers in root space, and its derivative.

use footwork::advanced::learned::BodyLayout;
use footwork::advanced::learned::ROTATION_WIDTH;
use footwork::frames::JointIndex;
use footwork::skeleton::Skeleton;
use glam::Vec3;

/// The axes of a rotation.
pub type Axes = [Vec3; 3];

const IDENTITY: Axes = [Vec3::X, Vec3::Y, Vec3::Z];
/// Minimum length of an axis in divisions; shorter axes count as this long.
const SHORTEST: f32 = 1e-4;

fn turn(r: &Axes, v: Vec3) -> Vec3 {
    r[0] * v.x + r[1] * v.y + r[2] * v.z
}

fn turn_back(r: &Axes, v: Vec3) -> Vec3 {
    Vec3::new(r[0].dot(v), r[1].dot(v), r[2].dot(v))
}

/// Forward kinematics of a body's numbers.
#[derive(Clone, Debug)]
pub struct Kinematics {
    parents: Vec<usize>,
    rest: Vec<Vec3>,
    /// `[joints]` index of the joint's translation in the body's numbers.
    translations: Vec<Option<usize>>,
    rotations: usize,
}

/// Joints in root space, and intermediate results for their derivative.
#[derive(Clone, Debug, Default)]
pub struct Placed {
    /// `[joints]` metres.
    pub positions: Vec<Vec3>,
    /// `[joints]` rotations to root space.
    pub rotations: Vec<Axes>,
    local: Vec<Axes>,
    /// `[joints]` lengths of the first axis and of its product with the second, before normalisation.
    lengths: Vec<[f32; 2]>,
    offsets: Vec<Vec3>,
}

/// Derivative of a loss with respect to positions and rotations in root space.
#[derive(Clone, Debug, Default)]
pub struct PlacedGradient {
    /// `[joints]`.
    pub positions: Vec<Vec3>,
    /// `[joints]`.
    pub rotations: Vec<Axes>,
}

impl PlacedGradient {
    /// Sets all derivatives to zero.
    pub fn reset(&mut self, joints: usize) {
        self.positions.clear();
        self.positions.resize(joints, Vec3::ZERO);
        self.rotations.clear();
        self.rotations.resize(joints, [Vec3::ZERO; 3]);
    }
}

impl Kinematics {
    /// Creates the kinematics for the bodies of a skeleton.
    pub fn new(skeleton: &Skeleton, layout: &BodyLayout) -> Self {
        let mut translations = vec![None; layout.joints];
        for (slot, joint) in layout.translated.iter().enumerate() {
            translations[joint.at()] = Some(layout.translations.start + 3 * slot);
        }
        Self {
            parents: skeleton.parents().iter().map(|p| p.map_or(0, JointIndex::at)).collect(),
            rest: skeleton.rest().iter().map(|t| t.translation).collect(),
            translations,
            rotations: layout.rotations.start,
        }
    }

    /// Returns the number of joints, including the root.
    pub fn joints(&self) -> usize {
        self.parents.len()
    }

    /// Computes the positions and rotations of all joints of a body; the root is at the origin.
    pub fn place(&self, body: &[f32], placed: &mut Placed) {
        let joints = self.joints();
        placed.positions.resize(joints, Vec3::ZERO);
        placed.rotations.resize(joints, IDENTITY);
        placed.local.resize(joints, IDENTITY);
        placed.lengths.resize(joints, [1.0; 2]);
        placed.offsets.resize(joints, Vec3::ZERO);
        for j in 1..joints {
            let axes = &body[self.rotations + (j - 1) * ROTATION_WIDTH..][..ROTATION_WIDTH];
            let (a, b) = (Vec3::from_slice(&axes[..3]), Vec3::from_slice(&axes[3..]));
            let long_x = a.length().max(SHORTEST);
            let x = a / long_x;
            let c = x.cross(b);
            let long_z = c.length().max(SHORTEST);
            let z = c / long_z;
            let local = [x, z.cross(x), z];
            let offset = self.translations[j].map_or(self.rest[j], |at| Vec3::from_slice(&body[at..at + 3]));
            let parent = placed.rotations[self.parents[j]];
            placed.positions[j] = placed.positions[self.parents[j]] + turn(&parent, offset);
            placed.rotations[j] = local.map(|axis| turn(&parent, axis));
            placed.local[j] = local;
            placed.lengths[j] = [long_x, long_z];
            placed.offsets[j] = offset;
        }
    }

    /// Adds the derivative with respect to the body's numbers to `by_body`. `gradient` is overwritten.
    pub fn differentiate(&self, body: &[f32], placed: &Placed, gradient: &mut PlacedGradient, by_body: &mut [f32]) {
        for j in (1..self.joints()).rev() {
            let p = self.parents[j];
            let parent = placed.rotations[p];
            let (by_position, by_rotation) = (gradient.positions[j], gradient.rotations[j]);
            let (local, offset) = (placed.local[j], placed.offsets[j]);
            gradient.positions[p] += by_position;
            for k in 0..3 {
                let by_columns =
                    by_rotation[0] * local[0][k] + by_rotation[1] * local[1][k] + by_rotation[2] * local[2][k];
                gradient.rotations[p][k] += by_columns + by_position * offset[k];
            }
            if let Some(at) = self.translations[j] {
                add(&mut by_body[at..at + 3], turn_back(&parent, by_position));
            }
            let [by_x, by_y, by_z] = by_rotation.map(|g| turn_back(&parent, g));
            let [x, _, z] = local;
            let at = self.rotations + (j - 1) * ROTATION_WIDTH;
            let b = Vec3::from_slice(&body[at + 3..at + 6]);
            let [long_x, long_z] = placed.lengths[j];
            // y = z cross x, z = c / |c|, c = x cross b, x = a / |a|.
            let by_z = by_z + x.cross(by_y);
            let by_c = (by_z - z * z.dot(by_z)) / long_z;
            let by_x = by_x + by_y.cross(z) + b.cross(by_c);
            add(&mut by_body[at..at + 3], (by_x - x * x.dot(by_x)) / long_x);
            add(&mut by_body[at + 3..at + 6], by_c.cross(x));
        }
    }
}

fn add(to: &mut [f32], v: Vec3) {
    to.iter_mut().zip(v.to_array()).for_each(|(t, v)| *t += v);
}

/// A chain of three joints under a root.
#[cfg(test)]
pub(crate) fn test_skeleton() -> Skeleton {
    let at =
        |x, y, z| footwork::math::Transform { translation: Vec3::new(x, y, z), ..footwork::math::Transform::IDENTITY };
    let names = ["root", "hips", "knee", "toe"].map(str::to_owned).to_vec();
    let parents = vec![None, Some(JointIndex::new(0)), Some(JointIndex::new(1)), Some(JointIndex::new(2))];
    let rest = vec![at(0.0, 0.0, 0.0), at(0.0, 1.0, 0.0), at(0.1, -0.5, 0.0), at(0.0, -0.4, 0.2)];
    Skeleton::new(names, parents, rest).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Three joints in a chain; the second has a translation of its own.
    fn chain() -> (Kinematics, usize) {
        let k = Kinematics {
            parents: vec![0, 0, 1, 2],
            rest: vec![Vec3::ZERO, Vec3::Y, Vec3::new(0.1, 0.5, 0.0), Vec3::new(0.0, 0.4, 0.2)],
            translations: vec![None, Some(18), None, None],
            rotations: 0,
        };
        (k, 21)
    }

    #[test]
    fn the_derivative_is_that_of_differences() {
        let (kinematics, width) = chain();
        let mut random = Random::new(3, 0, 0);
        let mut body: Vec<f32> = (0..width).map(|_| random.normal()).collect();
        let joints = kinematics.joints();
        let weights: Vec<[Vec3; 4]> = (0..joints)
            .map(|_| [(); 4].map(|()| Vec3::new(random.normal(), random.normal(), random.normal())))
            .collect();
        let loss = |body: &[f32]| {
            let mut placed = Placed::default();
            kinematics.place(body, &mut placed);
            let of = |j: usize| {
                let r = placed.rotations[j];
                placed.positions[j].dot(weights[j][3]) + (0..3).map(|k| r[k].dot(weights[j][k])).sum::<f32>()
            };
            (0..joints).map(of).sum::<f32>()
        };
        let mut placed = Placed::default();
        kinematics.place(&body, &mut placed);
        let mut gradient = PlacedGradient {
            positions: weights.iter().map(|w| w[3]).collect(),
            rotations: weights.iter().map(|w| [w[0], w[1], w[2]]).collect(),
        };
        let mut by_body = vec![0.0; width];
        kinematics.differentiate(&body, &placed, &mut gradient, &mut by_body);
        for at in 0..width {
            let (value, step) = (body[at], 1e-2);
            body[at] = value + step;
            let above = loss(&body);
            body[at] = value - step;
            let difference = (above - loss(&body)) / (2.0 * step);
            body[at] = value;
            assert!(
                (difference - by_body[at]).abs() < 0.02 * (1.0 + difference.abs()),
                "{at}: {difference} {}",
                by_body[at]
            );
        }
    }
}
