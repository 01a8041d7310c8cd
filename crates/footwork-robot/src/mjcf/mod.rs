//! MJCF, the model format of MuJoCo, as far as kinematics and the soles of feet need it.
//!
//! Read: bodies, hinge joints (several per body, with anchors, axes, ranges, reference angles), the free joint of the root, frames,
//! shapes (sphere, capsule, box, cylinder, ellipsoid), default classes, compiler settings and included files. Everything else
//! (meshes, actuators, sensors, inertia, visuals) is skipped. The format: <https://mujoco.readthedocs.io/en/stable/XMLreference.html>.

mod attributes;
mod defaults;
mod element;
mod orientation;
mod read;
mod shapes;
