//! Unit quaternions for rotations, `x y z w` order, scalar arithmetic in one fixed order.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use serde::{Deserialize, Serialize};
use std::ops::{Mul, Neg};

/// A rotation vector per second: axis times radians per second.
pub type AngularVelocity = Vec3;

/// A rotation as a unit quaternion. `a * b` applies `b` first. Converts from and to `[x, y, z, w]`, the order of glam and glTF.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Serialize, Deserialize)]
#[repr(C)]
pub struct Quat {
    /// Sine of half the angle times the axis, x.
    pub x: f32,
    /// Sine of half the angle times the axis, y.
    pub y: f32,
    /// Sine of half the angle times the axis, z.
    pub z: f32,
    /// Cosine of half the angle.
    pub w: f32,
}

impl Default for Quat {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Quat {
    /// No rotation.
    pub const IDENTITY: Self = Self::from_xyzw(0.0, 0.0, 0.0, 1.0);

    /// Creates a quaternion from components, without normalising.
    #[inline]
    pub const fn from_xyzw(x: f32, y: f32, z: f32, w: f32) -> Self {
        Self { x, y, z, w }
    }

    /// Creates a quaternion from `[x, y, z, w]`, without normalising.
    pub const fn from_array(a: [f32; 4]) -> Self {
        Self::from_xyzw(a[0], a[1], a[2], a[3])
    }

    /// Returns `[x, y, z, w]`.
    pub const fn to_array(self) -> [f32; 4] {
        [self.x, self.y, self.z, self.w]
    }

    /// Returns the rotation about +X by `rad`.
    pub fn from_rotation_x(rad: f32) -> Self {
        let (s, c) = sin_cos_half(rad);
        Self::from_xyzw(s, 0.0, 0.0, c)
    }

    /// Returns the rotation about +Y by `rad`: a yaw; positive turns +Z towards +X.
    pub fn from_rotation_y(rad: f32) -> Self {
        let (s, c) = sin_cos_half(rad);
        Self::from_xyzw(0.0, s, 0.0, c)
    }

    /// Returns the rotation about +Z by `rad`.
    pub fn from_rotation_z(rad: f32) -> Self {
        let (s, c) = sin_cos_half(rad);
        Self::from_xyzw(0.0, 0.0, s, c)
    }

    /// Returns the rotation of a rotation vector (axis times angle in radians).
    pub fn from_rotation_vector(v: Vec3) -> Self {
        let half2 = 0.25 * v.length_squared();
        if half2 <= SERIES_RAD2 {
            let (k, c) = (0.5 * series(SINC, half2), series(COS, half2));
            return Self::from_xyzw(v.x * k, v.y * k, v.z * k, c);
        }
        let angle = v.length();
        let (s, c) = super::sin_cos(angle * 0.5);
        let k = s / angle;
        Self::from_xyzw(v.x * k, v.y * k, v.z * k, c)
    }

    /// Returns the shortest rotation vector (axis times angle); its length is at most pi.
    pub fn to_rotation_vector(self) -> Vec3 {
        let q = self.abs();
        let v = Vec3::new(q.x, q.y, q.z);
        let s = v.length();
        if s < 1e-7 {
            return v * 2.0;
        }
        v * (2.0 * super::atan2(s, q.w) / s)
    }

    /// Returns the shortest rotation that takes direction `from` to direction `to`; both must be unit vectors.
    pub fn from_rotation_arc(from: Vec3, to: Vec3) -> Self {
        let d = from.dot(to);
        if d < -0.999_999 {
            let axis = if from.x.abs() < 0.9 { from.cross(Vec3::X) } else { from.cross(Vec3::Y) }.normalize();
            return Self::from_xyzw(axis.x, axis.y, axis.z, 0.0);
        }
        let c = from.cross(to);
        Self::from_xyzw(c.x, c.y, c.z, 1.0 + d).normalize()
    }

    /// Returns the rotation that takes +X, +Y and +Z to three orthonormal axes.
    pub fn from_axes(x: Vec3, y: Vec3, z: Vec3) -> Self {
        let trace = x.x + y.y + z.z;
        let q = if trace > 0.0 {
            let s = (trace + 1.0).sqrt() * 2.0;
            Self::from_xyzw((y.z - z.y) / s, (z.x - x.z) / s, (x.y - y.x) / s, 0.25 * s)
        } else if x.x > y.y && x.x > z.z {
            let s = (1.0 + x.x - y.y - z.z).sqrt() * 2.0;
            Self::from_xyzw(0.25 * s, (y.x + x.y) / s, (z.x + x.z) / s, (y.z - z.y) / s)
        } else if y.y > z.z {
            let s = (1.0 + y.y - x.x - z.z).sqrt() * 2.0;
            Self::from_xyzw((y.x + x.y) / s, 0.25 * s, (z.y + y.z) / s, (z.x - x.z) / s)
        } else {
            let s = (1.0 + z.z - x.x - y.y).sqrt() * 2.0;
            Self::from_xyzw((z.x + x.z) / s, (z.y + y.z) / s, 0.25 * s, (x.y - y.x) / s)
        };
        q.normalize()
    }

    /// Returns the length of the four components; 1 for a rotation.
    #[inline]
    pub fn length(self) -> f32 {
        self.dot(self).sqrt()
    }

    /// Returns the quaternion scaled to length 1; the identity if the length is zero or not finite.
    #[inline]
    pub fn normalize(self) -> Self {
        let n = self.length();
        if n > 1e-12 && n.is_finite() {
            let k = 1.0 / n;
            Self::from_xyzw(self.x * k, self.y * k, self.z * k, self.w * k)
        } else {
            Self::IDENTITY
        }
    }

    /// Returns the quaternion scaled to length 1, for a product of unit quaternions, whose length is 1 but for rounding. One step
    /// of Newton's method: a fraction of the time of [`Quat::normalize`].
    #[inline]
    pub fn renormalize(self) -> Self {
        let k = 1.5 - 0.5 * self.dot(self);
        Self::from_xyzw(self.x * k, self.y * k, self.z * k, self.w * k)
    }

    /// Returns the opposite rotation (conjugate; exact for unit quaternions).
    #[inline]
    pub const fn inverse(self) -> Self {
        Self::from_xyzw(-self.x, -self.y, -self.z, self.w)
    }

    /// Returns the same rotation with `w >= 0`, the shortest one.
    #[inline]
    pub fn abs(self) -> Self {
        if self.w < 0.0 { -self } else { self }
    }

    /// Returns the four-component dot product: cosine of half the angle between two rotations.
    #[inline]
    pub fn dot(self, b: Self) -> f32 {
        self.x * b.x + self.y * b.y + self.z * b.z + self.w * b.w
    }

    /// Returns the same rotation in the hemisphere of `reference`.
    #[inline]
    pub fn towards(self, reference: Self) -> Self {
        if self.dot(reference) < 0.0 { -self } else { self }
    }

    /// Returns the normalised linear interpolation along the shortest arc.
    pub fn nlerp(self, b: Self, t: f32) -> Self {
        let b = b.towards(self);
        let s = 1.0 - t;
        Self::from_xyzw(self.x * s + b.x * t, self.y * s + b.y * t, self.z * s + b.z * t, self.w * s + b.w * t)
            .normalize()
    }

    /// Returns the spherical interpolation along the shortest arc, at constant speed.
    pub fn slerp(self, b: Self, t: f32) -> Self {
        self * Self::from_rotation_vector((self.inverse() * b).to_rotation_vector() * t)
    }

    /// Returns the angle in radians between two rotations, 0..=pi.
    pub fn angle_between(self, b: Self) -> f32 {
        (self.inverse() * b).to_rotation_vector().length()
    }

    /// Returns the direction of +Z after the rotation: the facing of a character or joint.
    #[inline]
    pub fn forward(self) -> Vec3 {
        self * Vec3::Z
    }

    /// Returns the twist about +Y, not the Euler angle, so there is no gimbal lock.
    pub fn yaw_twist(self) -> Self {
        Self::from_xyzw(0.0, self.y, 0.0, self.w).normalize()
    }

    /// Returns whether all components are finite.
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite() && self.w.is_finite()
    }
}

/// Square of an angle (a right angle) up to which the series below are accurate to the last bit or two, without square root,
/// sine or cancellation.
pub(super) const SERIES_RAD2: f32 = 2.4675;
/// sin(a) / a by powers of a2.
pub(super) const SINC: [f32; 7] =
    [1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0, -1.0 / 39_916_800.0, 1.0 / 6_227_020_800.0];
/// cos(a) by powers of a2.
pub(super) const COS: [f32; 7] =
    [1.0, -0.5, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40_320.0, -1.0 / 3_628_800.0, 1.0 / 479_001_600.0];

/// (b - sin b) / b3, where b = 2a, by powers of a2.
pub(super) const SLOW: [f32; 7] = [
    1.0 / 6.0,
    -4.0 / 120.0,
    16.0 / 5040.0,
    -64.0 / 362_880.0,
    256.0 / 39_916_800.0,
    -1024.0 / 6_227_020_800.0,
    4096.0 / 1_307_674_368_000.0,
];

/// Returns the sum of `k[i] x^i`, by pairs (Estrin), with a third of the latency of sequential evaluation.
#[inline]
fn series(k: [f32; 7], x: f32) -> f32 {
    let x2 = x * x;
    (k[0] + k[1] * x) + (k[2] + k[3] * x) * x2 + ((k[4] + k[5] * x) + k[6] * x2) * (x2 * x2)
}

/// Returns sine and cosine of half an angle.
#[inline]
fn sin_cos_half(rad: f32) -> (f32, f32) {
    let half = 0.5 * rad;
    let half2 = half * half;
    if half2 <= SERIES_RAD2 { (half * series(SINC, half2), series(COS, half2)) } else { super::sin_cos(half) }
}

/// Returns the rotation `exp(v)` and its angular velocity if its rotation vector `v` changes at `rate` per second: the left
/// Jacobian of SO(3). For small `v` the angular velocity is `rate` itself.
#[inline]
pub fn moving_rotation(v: Vec3, rate: Vec3) -> (Quat, AngularVelocity) {
    let t2 = v.length_squared();
    let half2 = 0.25 * t2;
    if half2 > SERIES_RAD2 {
        let t = t2.sqrt();
        let (s, c) = super::sin_cos(t);
        return (Quat::from_rotation_vector(v), jacobian(v, rate, (1.0 - c) / t2, (t - s) / (t2 * t)));
    }
    let sinc = series(SINC, half2);
    let k = 0.5 * sinc;
    let turn = Quat::from_xyzw(v.x * k, v.y * k, v.z * k, series(COS, half2));
    (turn, jacobian(v, rate, k * sinc, series(SLOW, half2)))
}

fn jacobian(v: Vec3, rate: Vec3, first: f32, second: f32) -> AngularVelocity {
    let once = v.cross(rate);
    rate + once * first + v.cross(once) * second
}

/// Returns the rate of a rotation vector `v` (shorter than a whole turn) whose rotation has an angular velocity: the inverse of
/// the Jacobian in [`moving_rotation`].
pub fn rotation_vector_rate(v: Vec3, angular: AngularVelocity) -> Vec3 {
    let t2 = v.length_squared();
    let once = v.cross(angular);
    if t2 < 1e-6 {
        return angular - once * 0.5;
    }
    let half = t2.sqrt() * 0.5;
    let (s, c) = super::sin_cos(half);
    angular - once * 0.5 + v.cross(once) * ((1.0 - half * c / s) / t2)
}

impl Mul for Quat {
    type Output = Self;
    #[inline]
    fn mul(self, b: Self) -> Self {
        let a = self;
        Self::from_xyzw(
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
            a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        )
    }
}

impl Mul<Vec3> for Quat {
    type Output = Vec3;
    #[inline]
    fn mul(self, v: Vec3) -> Vec3 {
        let u = Vec3::new(self.x, self.y, self.z);
        let t = u.cross(v) * 2.0;
        v + t * self.w + u.cross(t)
    }
}

impl Neg for Quat {
    type Output = Self;
    fn neg(self) -> Self {
        Self::from_xyzw(-self.x, -self.y, -self.z, -self.w)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotation_vectors_and_angular_velocities_belong_together() {
        let (v, rate) = (Vec3::new(1.2, -0.7, 0.9), Vec3::new(-0.4, 2.0, 1.1));
        let step = 1e-3;
        let at = |t: f32| Quat::from_rotation_vector(v + rate * t);
        let measured = (at(step) * at(-step).inverse()).to_rotation_vector() / (2.0 * step);
        let w = moving_rotation(v, rate).1;
        assert!((w - measured).length() < 1e-2, "{w} {measured}");
        assert!((rotation_vector_rate(v, w) - rate).length() < 1e-4);
        let small = v * 1e-4;
        assert!((rotation_vector_rate(small, moving_rotation(small, rate).1) - rate).length() < 1e-3);
    }

    fn close(a: Vec3, b: Vec3) {
        assert!((a - b).length() < 1e-5, "{a} != {b}");
    }

    #[test]
    fn a_positive_yaw_turns_forward_towards_left() {
        close(Quat::from_rotation_y(std::f32::consts::FRAC_PI_2) * Vec3::Z, Vec3::X);
    }

    #[test]
    fn a_product_applies_the_right_hand_side_first() {
        let (a, b) = (Quat::from_rotation_x(0.3), Quat::from_rotation_y(-1.1));
        let v = Vec3::new(0.2, -0.7, 1.3);
        close((a * b) * v, a * (b * v));
    }

    #[test]
    fn rotation_vectors_round_trip_the_short_way() {
        for v in [Vec3::new(0.3, -0.2, 0.9), Vec3::new(1e-8, 0.0, 0.0), Vec3::new(0.0, 3.1, 0.0)] {
            close(Quat::from_rotation_vector(v).to_rotation_vector(), v);
        }
        let long = Quat::from_rotation_vector(Vec3::new(0.0, 4.0, 0.0)).to_rotation_vector();
        close(long, Vec3::new(0.0, 4.0 - std::f32::consts::TAU, 0.0));
    }

    #[test]
    fn axes_round_trip() {
        for q in [
            Quat::from_rotation_vector(Vec3::new(0.1, 0.2, 0.3)),
            Quat::from_rotation_vector(Vec3::new(3.1, 0.2, 0.3)),
            Quat::from_rotation_vector(Vec3::new(0.1, 3.0, 0.3)),
            Quat::from_rotation_vector(Vec3::new(0.1, 0.2, 3.1)),
        ] {
            let r = Quat::from_axes(q * Vec3::X, q * Vec3::Y, q * Vec3::Z);
            assert!(r.angle_between(q) < 1e-3, "{r:?} {q:?}");
        }
    }

    #[test]
    fn an_arc_takes_one_direction_to_the_other_even_when_opposite() {
        for to in [Vec3::X, -Vec3::Z, Vec3::Z, Vec3::new(0.6, 0.0, 0.8)] {
            close(Quat::from_rotation_arc(Vec3::Z, to) * Vec3::Z, to);
        }
    }

    #[test]
    fn a_degenerate_quaternion_normalises_to_the_identity() {
        assert_eq!(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0).normalize(), Quat::IDENTITY);
        assert_eq!(Quat::from_xyzw(f32::NAN, 0.0, 0.0, 0.0).normalize(), Quat::IDENTITY);
    }

    #[test]
    fn the_yaw_twist_leaves_pitch_and_roll_out() {
        let q = Quat::from_rotation_y(0.7) * Quat::from_rotation_x(0.4);
        assert!(q.yaw_twist().angle_between(Quat::from_rotation_y(0.7)) < 1e-5);
    }
}
