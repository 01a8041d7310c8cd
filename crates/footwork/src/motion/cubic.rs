//! Cubics through four frames (Catmull-Rom), of one value and of four joints at a time.

use crate::math::Quat;
use crate::math::four::{Quats, Vectors};
use glam::Vec3;

/// Evaluates a Catmull-Rom cubic through four values at unit spacing, between the second and the third: value and
/// derivative per step. It is one-sided if a neighbour is missing, and constant without any.
#[inline]
pub(crate) fn cubic(p0: Option<Vec3>, p1: Vec3, p2: Option<Vec3>, p3: Option<Vec3>, at: &Hermite) -> (Vec3, Vec3) {
    let Some(p2) = p2 else {
        return (p1, p0.map_or(Vec3::ZERO, |p0| p1 - p0));
    };
    let m1 = p0.map_or(p2 - p1, |p0| (p2 - p0) * 0.5);
    if at.alpha == 0.0 {
        return (p1, m1);
    }
    let m2 = p3.map_or(p2 - p1, |p3| (p3 - p1) * 0.5);
    let Hermite { value: h, slope: d, .. } = at;
    (p1 * h[0] + m1 * h[1] + p2 * h[2] + m2 * h[3], p1 * d[0] + m1 * d[1] + p2 * d[2] + m2 * d[3])
}

/// Evaluates the cubic for rotations, by components in one hemisphere: rotation, and its rotation vector per step in the
/// parent's axes.
#[inline]
pub(crate) fn cubic_rotation(
    q0: Option<Quat>,
    q1: Quat,
    q2: Option<Quat>,
    q3: Option<Quat>,
    at: &Hermite,
) -> (Quat, Vec3) {
    let near = |q: Quat| q.towards(q1);
    let (q0, q3) = (q0.map(near), q3);
    let Some(q2) = q2.map(near) else {
        return (q1, q0.map_or(Vec3::ZERO, |q0| spin(q1, add(q1, q0, -1.0))));
    };
    let m1 = q0.map_or(add(q2, q1, -1.0), |q0| scale(add(q2, q0, -1.0), 0.5));
    if at.alpha == 0.0 {
        return (q1, spin(q1, m1));
    }
    let m2 = q3.map_or(add(q2, q1, -1.0), |q3| scale(add(q3.towards(q2), q1, -1.0), 0.5));
    let blend = |k: &[f32; 4]| {
        Quat::from_xyzw(
            q1.x * k[0] + m1.x * k[1] + q2.x * k[2] + m2.x * k[3],
            q1.y * k[0] + m1.y * k[1] + q2.y * k[2] + m2.y * k[3],
            q1.z * k[0] + m1.z * k[1] + q2.z * k[2] + m2.z * k[3],
            q1.w * k[0] + m1.w * k[1] + q2.w * k[2] + m2.w * k[3],
        )
    };
    let u = blend(&at.value);
    (u.normalize(), spin(u, blend(&at.slope)))
}

/// As [`cubic_rotation`], for four joints.
#[inline(always)]
pub(crate) fn cubic_rotations(
    q0: Option<Quats>,
    q1: Quats,
    q2: Option<Quats>,
    q3: Option<Quats>,
    at: &Hermite,
) -> (Quats, Vectors) {
    let near = |q: Quats| q.towards(q1);
    let q0 = q0.map(near);
    let Some(q2) = q2.map(near) else {
        return (q1, q0.map_or(Vectors::ZERO, |q0| q1.spin(q1 + q0 * -1.0)));
    };
    let m1 = q0.map_or(q2 + q1 * -1.0, |q0| (q2 + q0 * -1.0) * 0.5);
    if at.alpha == 0.0 {
        return (q1, q1.spin(m1));
    }
    let m2 = q3.map_or(q2 + q1 * -1.0, |q3| (q3.towards(q2) + q1 * -1.0) * 0.5);
    let blend = |k: &[f32; 4]| q1 * k[0] + m1 * k[1] + q2 * k[2] + m2 * k[3];
    let u = blend(&at.value);
    (u.normalize(), u.spin(blend(&at.slope)))
}

/// A position between two knots: weights of value 1, tangent 1, value 2, tangent 2, and their derivatives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hermite {
    alpha: f32,
    value: [f32; 4],
    slope: [f32; 4],
}

impl Hermite {
    /// Computes the weights at a fraction of the interval from the first knot to the second, 0..1.
    pub fn at(alpha: f32) -> Self {
        let t = alpha;
        let (t2, t3) = (t * t, t * t * t);
        Self {
            alpha,
            value: [2.0 * t3 - 3.0 * t2 + 1.0, t3 - 2.0 * t2 + t, 3.0 * t2 - 2.0 * t3, t3 - t2],
            slope: [6.0 * t2 - 6.0 * t, 3.0 * t2 - 4.0 * t + 1.0, 6.0 * t - 6.0 * t2, 3.0 * t2 - 2.0 * t],
        }
    }
}

fn add(a: Quat, b: Quat, k: f32) -> Quat {
    Quat::from_xyzw(a.x + b.x * k, a.y + b.y * k, a.z + b.z * k, a.w + b.w * k)
}

fn scale(a: Quat, k: f32) -> Quat {
    Quat::from_xyzw(a.x * k, a.y * k, a.z * k, a.w * k)
}

/// Returns the angular velocity of a quaternion curve with value `u` (any length) and derivative `du`: 2 du u^-1.
fn spin(u: Quat, du: Quat) -> Vec3 {
    let w = du * u.inverse();
    Vec3::new(w.x, w.y, w.z) * (2.0 / u.dot(u).max(1e-12))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    /// Four joints at a time have the bits of one at a time, with and without neighbours, at a frame and between two.
    #[test]
    fn four_joints_follow_their_cubics_to_the_bit() {
        let mut random = Random(5);
        let bits = |q: Quat, w: Vec3| (q.to_array().map(f32::to_bits), w.to_array().map(f32::to_bits));
        for k in 0..4000 {
            let mut quat = || Quat::from_array([(); 4].map(|()| random.between(-1.0, 1.0))).normalize();
            let knots: [[Quat; 4]; 4] = [(); 4].map(|()| [(); 4].map(|()| quat()));
            let at = Hermite::at(if k % 5 == 0 { 0.0 } else { random.unit() });
            let here = |knot: usize| (k >> knot & 1 == 0).then_some(knots[knot]);
            let four = |knot| here(knot).map(Quats::new);
            let (q, w) = cubic_rotations(four(0), Quats::new(knots[1]), four(2), four(3), &at);
            for lane in 0..4 {
                let one = |knot| here(knot).map(|q| q[lane]);
                let (expected, spin) = cubic_rotation(one(0), knots[1][lane], one(2), one(3), &at);
                assert_eq!(bits(q.to_array()[lane], w.to_array()[lane]), bits(expected, spin), "{k}");
            }
        }
    }
}
