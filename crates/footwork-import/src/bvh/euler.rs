//! Converts a quaternion to the three angles of a BVH joint, for any order of axes.
//!
//! It uses only arc tangents of two arguments: an arc sine would lose half its digits near 90 degrees. The matrix is computed
//! in `f64`, so that its small entries keep their digits.

use super::Axis;
use footwork::advanced::math::atan2;
use footwork::math::Quat;

/// Order in which a joint's rotation channels are listed; the first is outermost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RotationOrder {
    /// `Xrotation Yrotation Zrotation`.
    Xyz,
    /// `Xrotation Zrotation Yrotation`.
    Xzy,
    /// `Yrotation Xrotation Zrotation`.
    Yxz,
    /// `Yrotation Zrotation Xrotation`.
    Yzx,
    /// `Zrotation Xrotation Yrotation`.
    Zxy,
    /// `Zrotation Yrotation Xrotation`: the order of LAFAN1, and the default.
    #[default]
    Zyx,
}

impl RotationOrder {
    /// All six orders.
    pub const ALL: [Self; 6] = [Self::Xyz, Self::Xzy, Self::Yxz, Self::Yzx, Self::Zxy, Self::Zyx];

    /// Returns the axes in the listed order.
    pub const fn axes(self) -> [Axis; 3] {
        use Axis::{X, Y, Z};
        match self {
            Self::Xyz => [X, Y, Z],
            Self::Xzy => [X, Z, Y],
            Self::Yxz => [Y, X, Z],
            Self::Yzx => [Y, Z, X],
            Self::Zxy => [Z, X, Y],
            Self::Zyx => [Z, Y, X],
        }
    }

    /// Returns true for X Y Z and its cyclic shifts.
    const fn is_cyclic(self) -> bool {
        matches!(self, Self::Xyz | Self::Yzx | Self::Zxy)
    }
}

/// Below this cosine of the middle angle, the outer two rotations share one axis: only their sum is defined.
const GIMBAL_LOCK: f64 = 1e-8;

/// Returns the angles in degrees, in the listed order: `q` is the product of the three rotations, the first outermost.
pub(super) fn degrees(q: Quat, order: RotationOrder) -> [f64; 3] {
    let r = matrix(q);
    let [i, j, k] = order.axes().map(Axis::at);
    let e = if order.is_cyclic() { 1.0 } else { -1.0 };
    let cos_middle = (r[i][i] * r[i][i] + r[i][j] * r[i][j]).sqrt();
    let middle = angle(e * r[i][k], cos_middle);
    if cos_middle < GIMBAL_LOCK {
        return [angle(e * r[k][j], r[j][j]), middle, 0.0];
    }
    [angle(-e * r[j][k], r[k][k]), middle, angle(-e * r[i][j], r[i][i])]
}

fn angle(sin: f64, cos: f64) -> f64 {
    f64::from(atan2(sin as f32, cos as f32)) * (180.0 / std::f64::consts::PI)
}

/// Returns `[row][column]`: column c is the image of axis c.
fn matrix(q: Quat) -> [[f64; 3]; 3] {
    let [x, y, z, w] = q.to_array().map(f64::from);
    let s = 2.0 / (x * x + y * y + z * z + w * w).max(f64::MIN_POSITIVE);
    [
        [1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
        [s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w)],
        [s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y)],
    ]
}

#[cfg(test)]
mod tests {
    use super::super::convert::about;
    use super::*;
    use glam::Vec3;
    use proptest::prelude::*;

    fn rebuilt(q: Quat, order: RotationOrder) -> Quat {
        let angles = degrees(q, order);
        let [a, b, c] = [0, 1, 2].map(|i| about(order.axes()[i], angles[i].to_radians() as f32));
        (a * b * c).normalize()
    }

    fn off_degrees(q: Quat, order: RotationOrder) -> f32 {
        rebuilt(q, order).angle_between(q).to_degrees()
    }

    #[test]
    fn angles_rebuild_the_rotation_in_the_lock_and_beside_it() {
        for order in RotationOrder::ALL {
            let [_, middle, last] = order.axes();
            for quarter in [90.0f32, -90.0] {
                for beside in [0.0f32, 1e-5, -1e-4, 1e-3, -0.1] {
                    let q = about(order.axes()[0], 0.7) * about(middle, (quarter + beside).to_radians());
                    let q = (q * about(last, -1.9)).normalize();
                    assert!(off_degrees(q, order) < 1e-4, "{order:?} {quarter} {beside}: {}", off_degrees(q, order));
                }
            }
        }
    }

    #[test]
    fn a_single_turn_is_one_angle() {
        for order in RotationOrder::ALL {
            for (n, axis) in order.axes().into_iter().enumerate() {
                let mut expected = [0.0; 3];
                expected[n] = 40.0;
                let found = degrees(about(axis, 40.0f32.to_radians()), order);
                assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4), "{order:?} {axis:?} {found:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn angles_rebuild_any_rotation(x in -4.0f32..4.0, y in -4.0f32..4.0, z in -4.0f32..4.0) {
            let q = Quat::from_rotation_vector(Vec3::new(x, y, z));
            for order in RotationOrder::ALL {
                prop_assert!(off_degrees(q, order) < 1e-4, "{order:?}");
            }
        }
    }
}
