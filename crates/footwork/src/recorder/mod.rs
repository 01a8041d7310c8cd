//! The flight recorder: a recording of all data needed to replay a character, in memory of a fixed size; its file format; the
//! replay.
//!
//! A [`Recorder`] records the updates of one character: inputs, time steps, results of hooks, the whole state at key frames, and
//! the choices of the playing clip. Poses, costs and candidates are not recorded, because a [`Replay`] recomputes them bit for
//! bit. A [`Trace`] is a copy of a recording, in memory or as a `.fwtrace` file.
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
//! // Inspect the character at 3 s and explain its search.
//! let trace = Arc::new(recorder.trace());
//! let mut replay = Replay::new(trace.clone(), character, None)?;
//! replay.seek(trace.update_at(3.0))?;
//! let why = replay.matcher().explain(5);
//! # assert!(why.is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod bytes;
pub(crate) mod data_id;
mod file;
mod input_groups;
mod key_frame;
pub(crate) mod piece;
pub(crate) mod record;
pub(crate) mod replay;
mod replay_error;
mod ring;
mod segment;
pub(crate) mod trace;

pub use crate::container::{FileError, FileFault};
pub use record::{Recorder, RecorderConfig};
pub use replay::Replay;
pub use replay_error::ReplayError;
pub use trace::Trace;
