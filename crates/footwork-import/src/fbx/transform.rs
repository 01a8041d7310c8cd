//! Converts transforms of the library.

use crate::scene::{Trs, is_sheared};
use footwork::math::{Quat, Transform};
use glam::Vec3;

fn vector(v: ufbx::Vec3) -> Vec3 {
    Vec3::new(v.x as f32, v.y as f32, v.z as f32)
}

/// Returns a transform in this crate's type.
pub(super) fn trs(t: &ufbx::Transform) -> Trs {
    let r = t.rotation;
    Trs {
        translation: vector(t.translation),
        rotation: Quat::from_xyzw(r.x as f32, r.y as f32, r.z as f32, r.w as f32),
        scale: vector(t.scale),
    }
}

/// Returns translation and rotation of a matrix; `None` if it is sheared, mirrored or singular.
pub(super) fn rigid(m: &ufbx::Matrix) -> Option<Transform> {
    let columns = [(m.m00, m.m10, m.m20), (m.m01, m.m11, m.m21), (m.m02, m.m12, m.m22), (m.m03, m.m13, m.m23)];
    let [x, y, z, t] = columns.map(|(x, y, z)| Vec3::new(x as f32, y as f32, z as f32));
    let sound = x.cross(y).dot(z) > 0.0 && !is_sheared(x, y, z) && t.is_finite();
    sound.then(|| Transform::new(t, Quat::from_axes(x.normalize(), y.normalize(), z.normalize())))
}
