//! Vectors and rotations of four joints, for the same operation on each. The bits are those of one joint at a time: every operation
//! acts on each lane alone, in the order of the operation on one. On most processors, four numbers are one register.

use super::quat::{COS, SERIES_RAD2, SINC, SLOW, moving_rotation};
use super::{AngularVelocity, Quat};
use glam::{Mat4, Vec3, Vec4};
use std::ops::{Add, Mul, Neg, Sub};

/// Number of lanes.
pub const LANES: usize = 4;

/// Calls `each` for all joints, four at a time. In the last call, the last joint fills the lanes that are left.
#[inline(always)]
pub fn in_fours(joints: impl Iterator<Item = usize>, mut each: impl FnMut([usize; LANES])) {
    let (mut four, mut n) = ([0; LANES], 0);
    for joint in joints {
        four[n] = joint;
        n += 1;
        if n == LANES {
            each(four);
            n = 0;
        }
    }
    if n > 0 {
        let last = four[n - 1];
        four[n..].fill(last);
        each(four);
    }
}

/// Four vectors.
#[derive(Clone, Copy, Debug)]
pub struct Vectors {
    x: Vec4,
    y: Vec4,
    z: Vec4,
}

impl Vectors {
    /// Four vectors of zero.
    pub const ZERO: Self = Self { x: Vec4::ZERO, y: Vec4::ZERO, z: Vec4::ZERO };

    #[inline(always)]
    pub fn new(v: [Vec3; LANES]) -> Self {
        let lanes = |of: fn(Vec3) -> f32| Vec4::from_array(v.map(of));
        Self { x: lanes(|v| v.x), y: lanes(|v| v.y), z: lanes(|v| v.z) }
    }

    #[inline(always)]
    pub fn to_array(self) -> [Vec3; LANES] {
        let (x, y, z) = (self.x.to_array(), self.y.to_array(), self.z.to_array());
        std::array::from_fn(|lane| Vec3::new(x[lane], y[lane], z[lane]))
    }

    #[inline(always)]
    fn cross(self, b: Self) -> Self {
        let a = self;
        Self { x: a.y * b.z - b.y * a.z, y: a.z * b.x - b.z * a.x, z: a.x * b.y - b.x * a.y }
    }

    #[inline(always)]
    fn length_squared(self) -> Vec4 {
        self.x * self.x + self.y * self.y + self.z * self.z
    }
}

impl Add for Vectors {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self { x: self.x + b.x, y: self.y + b.y, z: self.z + b.z }
    }
}

impl Sub for Vectors {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self { x: self.x - b.x, y: self.y - b.y, z: self.z - b.z }
    }
}

impl Mul<Vec4> for Vectors {
    type Output = Self;
    #[inline(always)]
    fn mul(self, by: Vec4) -> Self {
        Self { x: self.x * by, y: self.y * by, z: self.z * by }
    }
}

impl Mul<f32> for Vectors {
    type Output = Self;
    #[inline(always)]
    fn mul(self, by: f32) -> Self {
        self * Vec4::splat(by)
    }
}

/// Four quaternions: see [`Quat`].
#[derive(Clone, Copy, Debug)]
pub struct Quats {
    x: Vec4,
    y: Vec4,
    z: Vec4,
    w: Vec4,
}

impl Quats {
    /// No rotation, four times.
    pub const IDENTITY: Self = Self { x: Vec4::ZERO, y: Vec4::ZERO, z: Vec4::ZERO, w: Vec4::ONE };

    #[inline(always)]
    pub fn new(q: [Quat; LANES]) -> Self {
        let [a, b, c, d] = q.map(|q| Vec4::from_array(q.to_array()));
        Self::of_columns(Mat4::from_cols(a, b, c, d).transpose())
    }

    #[inline(always)]
    pub fn to_array(self) -> [Quat; LANES] {
        let Mat4 { x_axis: a, y_axis: b, z_axis: c, w_axis: d } =
            Mat4::from_cols(self.x, self.y, self.z, self.w).transpose();
        [a, b, c, d].map(|q| Quat::from_array(q.to_array()))
    }

    #[inline(always)]
    fn of_columns(m: Mat4) -> Self {
        Self { x: m.x_axis, y: m.y_axis, z: m.z_axis, w: m.w_axis }
    }

    /// As [`Quat::dot`].
    #[inline(always)]
    fn dot(self, b: Self) -> Vec4 {
        self.x * b.x + self.y * b.y + self.z * b.z + self.w * b.w
    }

    /// As [`Quat::inverse`].
    #[inline(always)]
    fn inverse(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z, w: self.w }
    }

    /// As [`Quat::towards`].
    #[inline(always)]
    pub fn towards(self, reference: Self) -> Self {
        let opposite = self.dot(reference).cmplt(Vec4::ZERO);
        (-self).each(self, |a, b| Vec4::select(opposite, a, b))
    }

    /// As [`Quat::renormalize`].
    #[inline(always)]
    pub fn renormalize(self) -> Self {
        self * (Vec4::splat(1.5) - Vec4::splat(0.5) * self.dot(self))
    }

    /// As [`Quat::normalize`].
    #[inline(always)]
    pub fn normalize(self) -> Self {
        let n = self.dot(self).sqrt();
        let good = n.cmpgt(Vec4::splat(1e-12)) & n.is_finite_mask();
        (self * (Vec4::ONE / n)).each(Self::IDENTITY, |a, b| Vec4::select(good, a, b))
    }

    #[inline(always)]
    fn each(self, b: Self, of: impl Fn(Vec4, Vec4) -> Vec4) -> Self {
        Self { x: of(self.x, b.x), y: of(self.y, b.y), z: of(self.z, b.z), w: of(self.w, b.w) }
    }

    /// Returns the angular velocities of quaternion curves with these values (of any length) and derivatives `du`: 2 du u^-1.
    #[inline(always)]
    pub fn spin(self, du: Self) -> Vectors {
        let Self { x, y, z, .. } = du * self.inverse();
        let (squared, least) = (self.dot(self), Vec4::splat(1e-12));
        let squared = Vec4::select(squared.cmpgt(least), squared, least);
        Vectors { x, y, z } * (Vec4::splat(2.0) / squared)
    }
}

impl Neg for Quats {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z, w: -self.w }
    }
}

impl Add for Quats {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self { x: self.x + b.x, y: self.y + b.y, z: self.z + b.z, w: self.w + b.w }
    }
}

impl Mul<Vec4> for Quats {
    type Output = Self;
    #[inline(always)]
    fn mul(self, by: Vec4) -> Self {
        Self { x: self.x * by, y: self.y * by, z: self.z * by, w: self.w * by }
    }
}

impl Mul<f32> for Quats {
    type Output = Self;
    #[inline(always)]
    fn mul(self, by: f32) -> Self {
        self * Vec4::splat(by)
    }
}

impl Mul for Quats {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        let a = self;
        Self {
            x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
            w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        }
    }
}

impl Mul<Vectors> for Quats {
    type Output = Vectors;
    #[inline(always)]
    fn mul(self, v: Vectors) -> Vectors {
        let u = Vectors { x: self.x, y: self.y, z: self.z };
        let t = u.cross(v) * 2.0;
        v + t * self.w + u.cross(t)
    }
}

/// As [`moving_rotation`], for four rotation vectors.
#[inline(always)]
pub fn moving_rotations(v: Vectors, rate: Vectors) -> (Quats, Vectors) {
    let half2 = Vec4::splat(0.25) * v.length_squared();
    if half2.cmpgt(Vec4::splat(SERIES_RAD2)).any() {
        return one_by_one(v, rate);
    }
    let sinc = series(SINC, half2);
    let k = Vec4::splat(0.5) * sinc;
    let turn = Quats { x: v.x * k, y: v.y * k, z: v.z * k, w: series(COS, half2) };
    let once = v.cross(rate);
    (turn, rate + once * (k * sinc) + v.cross(once) * series(SLOW, half2))
}

/// As [`moving_rotations`], also for long rotation vectors.
#[cold]
fn one_by_one(v: Vectors, rate: Vectors) -> (Quats, Vectors) {
    let (v, rate) = (v.to_array(), rate.to_array());
    let moving: [(Quat, AngularVelocity); LANES] = std::array::from_fn(|lane| moving_rotation(v[lane], rate[lane]));
    (Quats::new(moving.map(|m| m.0)), Vectors::new(moving.map(|m| m.1)))
}

/// Returns the sum of `k[i] x^i`, as for one number.
#[inline(always)]
fn series(k: [f32; 7], x: Vec4) -> Vec4 {
    let k = k.map(Vec4::splat);
    let x2 = x * x;
    (k[0] + k[1] * x) + (k[2] + k[3] * x) * x2 + ((k[4] + k[5] * x) + k[6] * x2) * (x2 * x2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    fn bits(v: Vec3) -> [u32; 3] {
        v.to_array().map(f32::to_bits)
    }

    fn quat_bits(q: Quat) -> [u32; 4] {
        q.to_array().map(f32::to_bits)
    }

    /// Numbers of all magnitudes, with zeros of both signs among them.
    fn number(random: &mut Random) -> f32 {
        match random.below(8) {
            0 => 0.0,
            1 => -0.0,
            n => random.between(-1.0, 1.0) * [1e-20, 1e-3, 0.3, 1.0, 2.0, 5.0][n - 2],
        }
    }

    #[test]
    fn four_at_a_time_have_the_bits_of_one_at_a_time() {
        let mut random = Random(7);
        for _ in 0..20_000 {
            let vectors: [[Vec3; 4]; 2] = std::array::from_fn(|_| {
                std::array::from_fn(|_| Vec3::from_array([(); 3].map(|()| number(&mut random))))
            });
            let quats: [[Quat; 4]; 2] = std::array::from_fn(|_| {
                std::array::from_fn(|_| Quat::from_array([(); 4].map(|()| number(&mut random))))
            });
            let ([v, rate], [q, r]) = (vectors, quats);
            let (turns, spins) = moving_rotations(Vectors::new(v), Vectors::new(rate));
            let (four_q, four_r) = (Quats::new(q), Quats::new(r));
            let products = (four_q * four_r).to_array();
            let turned = (four_q * Vectors::new(v)).to_array();
            let (renormal, normal) = (four_q.renormalize().to_array(), four_q.normalize().to_array());
            let towards = four_q.towards(four_r).to_array();
            for lane in 0..4 {
                let (turn, spin) = moving_rotation(v[lane], rate[lane]);
                assert_eq!(quat_bits(turns.to_array()[lane]), quat_bits(turn), "{}", v[lane]);
                assert_eq!(bits(spins.to_array()[lane]), bits(spin), "{} {}", v[lane], rate[lane]);
                assert_eq!(quat_bits(products[lane]), quat_bits(q[lane] * r[lane]));
                assert_eq!(bits(turned[lane]), bits(q[lane] * v[lane]));
                assert_eq!(quat_bits(renormal[lane]), quat_bits(q[lane].renormalize()));
                assert_eq!(quat_bits(normal[lane]), quat_bits(q[lane].normalize()));
                assert_eq!(quat_bits(towards[lane]), quat_bits(q[lane].towards(r[lane])));
            }
        }
    }

    #[test]
    fn every_joint_is_in_a_group_of_four() {
        for n in 0..10 {
            let mut groups = Vec::new();
            in_fours(1..1 + n, |four| groups.push(four));
            let mut joints: Vec<usize> = groups.iter().flatten().copied().collect();
            assert_eq!(joints.len(), n.div_ceil(4) * 4);
            joints.dedup();
            assert_eq!(joints, (1..1 + n).collect::<Vec<_>>());
        }
    }
}
