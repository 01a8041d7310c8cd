//! The flight recorder: everything needed to replay a character, in memory of a fixed size; the file of it; the replay.
//!
//! A [`Recorder`] listens to the updates of one character. It keeps inputs, time steps, what hooks answered, the whole state at
//! key frames, and what was decided. Poses, costs and candidates are not kept: a [`Replay`] computes them again, bit for bit. A
//! [`Trace`] is a copy of what is kept, in memory or as a `.fwtrace` file.
//!
//! ```
//! use footwork::build::{BuildConfig, BuildOptions, build};
//! use footwork::input::{Gait, MotionInput, Stick};
//! use footwork::matcher::{Character, MatcherConfig, MotionMatcher};
//! use footwork::recorder::{Recorder, RecorderConfig, Replay};
//! use std::sync::Arc;
//!
//! # let clips = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() });
//! let (database, _report) = build(&clips, &BuildConfig::default(), &BuildOptions::default())?;
//! let character = Arc::new(Character::new(Arc::new(database), MatcherConfig::default())?);
//! let mut matcher = MotionMatcher::of(character.clone(), Default::default())?;
//! let mut recorder = Recorder::new(&character, RecorderConfig::default());
//! for _frame in 0..300 {
//!     let forward = MotionInput::stick(Stick::towards(glam::Vec3::Z, Gait::Walk));
//!     let _pose = recorder.update(&mut matcher, &forward, 1.0 / 60.0)?;
//! }
//!
//! // Whatever happened at 3 s: look at it again, and why.
//! let trace = Arc::new(recorder.trace());
//! let mut replay = Replay::new(trace.clone(), character, None)?;
//! replay.seek(trace.update_at(3.0))?;
//! let why = replay.matcher().explain(5);
//! # assert!(why.is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod bytes;
mod file;
mod input_groups;
mod key_frame;
mod piece;
mod record;
mod replay;
mod ring;
mod segment;
mod trace;

pub use file::TraceError;
pub use piece::{Cursor, Piece};
pub use record::{One, Recorder, RecorderConfig};
pub use replay::{NamedGround, Replay, ReplayError};
pub use trace::{DataId, Decision, Trace};
