//! Corrections after playback: what bends a pose so that it fits root, speed, ground and targets.
//!
//! Each is a job of its own over a [`crate::pose::Pose`], whichever animation graph it comes from: settings, a state of plain
//! floats, `update` to move the state on in time, `apply` to bend the pose. None allocates. Their order: orientation and
//! stride warp, feet, ground, gaze, hands.

pub mod feet;
pub mod ground;
pub mod hands;
pub mod look_at;
pub mod lower_body;
pub mod orientation_warp;
pub mod play_rate;
pub mod root;
pub mod stride_warp;
pub mod two_bone_ik;
