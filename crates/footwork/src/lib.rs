//! Motion matching: a character follows the stick. Ten times a second, it searches the captured motion for the pose that best
//! continues the current one and leads in the desired direction, and plays from there.
//!
//! ```text
//!  RawClip --build--> Database --.fwdb--> MotionMatcher::update(&input, dt_s) -> &Pose
//!            schema      |
//!                        |   trajectory: input -> desired motion -> predicted path
//!                        +-> query -> search -> play -> blend (hide the discontinuity) -> adjust (root and simulation)
//! ```
//!
//! Three calls: [`build::build`] builds a [`database::Database`] from clips (or [`database::Database::load`] reads one),
//! [`matcher::MotionMatcher::new`] creates a character, [`matcher::MotionMatcher::update`] moves it. Crowds, servers and bindings
//! use [`matcher::step`] over slices.
//!
//! ```
//! use footwork::prelude::*;
//! use std::sync::Arc;
//!
//! # let clips = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() });
//! let (database, _report) = build(&clips, &BuildConfig::default(), &BuildOptions::default())?;
//! let mut character = MotionMatcher::new(Arc::new(database), MatcherConfig::default())?;
//! let forward = MotionInput::stick(Stick::towards(glam::Vec3::Z, Gait::Walk));
//! let pose = character.update(&forward, 1.0 / 60.0)?;
//! println!("the character is at {}", pose.world_from_root().translation);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Guarantees, each with a test: searches are exact; the same input gives the same bits on every machine; updates neither
//! allocate nor lock; results do not depend on the frame rate; builds and file writes are atomic; non-finite values are rejected;
//! all state that must survive a frame is one plain struct. Conventions are in [`frames`].

pub mod actions;
pub mod adjust;
pub mod advanced;
pub mod blend;
#[cfg(feature = "build")]
pub mod build;
pub mod chooser;
pub mod clip;
pub(crate) mod container;
pub mod database;
pub(crate) mod error;
pub mod expression;
pub(crate) mod files;
pub(crate) mod foresight;
pub mod frames;
pub mod input;
pub mod learned;

pub mod machine;
mod macros;
pub mod matcher;
pub mod math;
pub(crate) mod memory;
pub mod motion;
pub mod obstacles;
pub(crate) mod parallel;
pub mod pose;
pub mod prelude;
pub mod recorder;
pub mod retarget;
pub mod rig;
pub mod roles;
pub mod schema;
pub(crate) mod search;
pub(crate) mod settings;
pub mod skeleton;
pub mod trajectory;
