//! The types of most games: `use footwork::prelude::*;`. All have their own modules, too.

#[cfg(feature = "build")]
pub use crate::build::{BuildConfig, BuildOptions, build};
pub use crate::database::{Database, TagCost};
pub use crate::input::{Gait, Goal, GroundPoint, HandTarget, InputError, Later, MotionInput, Stick, TrajectoryPoint};
pub use crate::machine::{Machine, MontageCalls, PlayMontage};
pub use crate::matcher::{Character, MatcherConfig, MatcherState, MotionMatcher};
pub use crate::math::{Facing, Transform};
pub use crate::pose::Pose;
