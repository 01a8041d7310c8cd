//! Pose adjustments: operations that fit a pose to root, speed, ground and targets after playback.
//!
//! Each adjustment works on a [`crate::pose::Pose`] from any animation graph, and has settings, a state of plain floats,
//! `update` to advance the state in time, and `apply` to change the pose. None allocates. Order: orientation and stride warp,
//! feet, ground, look-at, hands.

pub mod feet;
pub mod ground;
pub mod hands;
pub mod look_at;
pub mod lower_body;
pub mod orientation_warp;
pub mod play_rate;
pub mod root;
pub mod stride_warp;
pub(crate) mod two_bone_ik;
