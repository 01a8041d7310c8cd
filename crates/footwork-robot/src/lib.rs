//! Humanoid robots: models in MJCF, clips retargeted to hinge joints with limits, and files of poses.
//!
//! ```text
//!  MJCF --RobotModel--+
//!                     +--Retargeting::clip--> RobotClip --> CSV, NPZ, BVH
//!  RawClip, Reference-+                       RobotReport
//! ```
//!
//! A robot is a tree of bodies that turn about hinges with ranges. [`RobotModel::place`] computes where its bodies are.
//! [`Retargeting`] finds its limbs by names and shape, transfers a clip to a body with ball joints in their places, plants the
//! feet, and lets the hinges follow within ranges and speeds. All lengths are metres, all angles radians; robots have +Z up.

mod clip;
mod csv;
mod error;
mod feet;
mod footing;
mod kinematics;
mod map;
mod measure;
mod mjcf;
mod model;
mod npz;
mod parts;
mod retarget;
mod separate;
mod skeleton;
mod sole;
mod solver;
mod spatial;
mod stand_in;
mod targets;

pub use clip::RobotClip;
pub use csv::to_csv;
pub use error::RobotError;
pub use footing::Footing;
pub use kinematics::Placed;
pub use map::{MAX_SPEED_RAD_S, Retargeting, RobotOptions};
pub use measure::{RobotReport, RobotSummary};
pub use model::{Ball, Body, Hinge, RobotModel};
pub use npz::to_npz;
pub use parts::{Limb, Parts};
pub use skeleton::RobotSkeleton;
