//! Conversion between Bevy's and footwork's vectors, through arrays, so that the two may use different versions of glam.
//! Both are right-handed, +Y up, in metres; models and characters face +Z.

use bevy_math::{Quat, Vec3};
use bevy_transform::components::Transform;
use footwork::math;

/// Converts a vector from Bevy's world to the matcher's, which has the size of the clips' body: for a model twice as tall, it is
/// half as large.
pub(crate) fn into_matcher(v: Vec3, scale: f32) -> glam::Vec3 {
    glam::Vec3::from_array((v / scale).to_array())
}

pub(crate) fn from_matcher(v: glam::Vec3, scale: f32) -> Vec3 {
    Vec3::from_array(v.to_array()) * scale
}

pub(crate) fn into_vec(v: Vec3) -> glam::Vec3 {
    glam::Vec3::from_array(v.to_array())
}

pub(crate) fn from_vec(v: glam::Vec3) -> Vec3 {
    Vec3::from_array(v.to_array())
}

pub(crate) fn into_quat(q: Quat) -> math::Quat {
    math::Quat::from_array(q.to_array()).normalize()
}

pub(crate) fn from_quat(q: math::Quat) -> Quat {
    Quat::from_array(q.to_array())
}

pub(crate) fn into_root(t: &Transform, scale: f32) -> math::Transform {
    math::Transform::new(into_matcher(t.translation, scale), into_quat(t.rotation))
}
