//! Measures the quality of motion: one function per metric, on motion sampled at 60 Hz, and an evaluation that drives a character
//! over ten scripted courses and compares it with the motion capture that it plays.
//!
//! ```text
//!  courses --MotionMatcher--> Recording --+
//!                                         +--> Motion --metrics--> Samples --METRICS--> Row (one per variant) --> Gate
//!  Database --------------------> Source -+
//! ```
//!
//! Captured motion and a character's motion are measured by the same functions. The rows `mocap` (the whole database) and
//! `mocap_played` (its frames as often as they were played) therefore show the values of the data alone.
//!
//! [`eval::METRICS`] lists every metric by its key; [`gate::Gate`] checks a variant against bounds on them.
//!
//! ```
//! use footwork::build::{BuildConfig, BuildOptions, build};
//! use footwork::matcher::MatcherConfig;
//! use footwork_metrics::eval::{Evaluation, Variant};
//! use footwork_metrics::gate::Gate;
//! use std::sync::Arc;
//!
//! let clips = footwork_gait::clips(&Default::default());
//! let (database, _report) = build(&clips, &BuildConfig::default(), &BuildOptions::default())?;
//! // Straight ahead, one run; for the full evaluation, use `courses::COURSES` and four runs.
//! let evaluation = Evaluation::new(Arc::new(database), &["a"], 0..1);
//! let variant = Variant { name: "mine".into(), config: MatcherConfig::default(), mover: Default::default() };
//! let evaluated = evaluation.run(&variant, &|| ())?;
//! assert!(evaluated.row.values["path_error_m"].mean < 0.1);
//!
//! let gate = Gate::parse("[mine.times.mocap]\njerk_root = 5", &["mine"])?;
//! assert!(gate.broken(&[evaluated.row, evaluation.mocap()]).is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod action_log;
pub mod actions;
pub mod analysis;
pub mod codec_error;
pub mod courses;
pub mod crowd_times;
pub mod eval;
pub mod gate;
pub mod ground;
pub mod learned;
pub mod machine_log;
pub mod measure;
pub mod metrics;
pub mod motion;
mod pose_hash;
mod quantity;
pub mod query_sets;
pub mod recording;
mod response_times;
pub mod rest;
pub mod samples;
pub mod source;
pub mod stances;
pub mod update_times;

pub use pose_hash::PoseHash;

use footwork::database::{Database, TagMask, TagQuery};
use footwork::frames::ClipIndex;

/// Sample rate of all metrics, in Hz. Differences of positions depend on it.
pub const RATE_HZ: f32 = 60.0;

/// Tags of motion that does not fit level ground.
const UNEVEN_TAGS: [&str; 2] = ["slope", "stairs"];

/// Returns a query that accepts only motion for level ground, as in all courses: no slopes and stairs.
pub fn level_tags(db: &Database) -> TagQuery {
    let uneven = UNEVEN_TAGS.iter().filter_map(|tag| db.tag_mask(tag).ok()).fold(TagMask::default(), |a, b| a | b);
    TagQuery::none_of(uneven).unwrap_or_default()
}

/// True for a clip that default queries exclude: [`Database::NO_LOCOMOTION`].
pub(crate) fn is_aside(db: &Database, clip: ClipIndex) -> bool {
    let plain = db.accepted(&TagQuery::default());
    let rows = db.clips[clip.at()].row_range();
    !rows.is_empty() && rows.into_iter().all(|row| !db.accepts(&plain, row))
}
