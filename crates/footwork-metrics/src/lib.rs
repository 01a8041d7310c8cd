//! How good is the motion? One function per metric, on motion sampled at 60 Hz, and an evaluation that drives a character
//! over six scripted courses and sets it beside the motion capture that it plays.
//!
//! ```text
//!  courses --MotionMatcher--> Recording --+
//!                                         +--> Motion --metrics--> Samples --METRICS--> Row (one per variant) --> Gate
//!  Database --------------------> Source -+
//! ```
//!
//! Captured motion and a character's motion are measured by the same functions, so the rows `mocap` (all of the database)
//! and `mocap_played` (its frames as often as they were played) say what the data alone would give.
//!
//! [`eval::METRICS`] lists every metric by its key; [`gate::Gate`] holds a variant to bounds on them.
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
//! // Straight ahead, once; `courses::COURSES` and four runs for the whole of it.
//! let evaluation = Evaluation::new(Arc::new(database), &["a"], 1);
//! let variant = Variant { name: "mine".into(), config: MatcherConfig::default(), mover: Default::default() };
//! let evaluated = evaluation.run(&variant, &|| ())?;
//! assert!(evaluated.row.values["path_error_m"].mean < 0.1);
//!
//! let gate = Gate::parse("[mine.times.mocap]\njerk_root = 5", &["mine"])?;
//! assert!(gate.broken(&[evaluated.row, evaluation.mocap()]).is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod analysis;
pub mod courses;
pub mod eval;
pub mod gate;
pub mod ground;
pub mod learned;
pub mod machine_log;
pub mod measure;
pub mod metrics;
pub mod motion;
pub mod query_sets;
pub mod recording;
pub mod rest;
pub mod samples;
pub mod source;
pub mod stances;
pub mod update_times;

use footwork::database::{Database, TagMask, TagQuery};
use footwork::frames::ClipIndex;

/// All metrics are measured at this rate: differences of positions depend on it.
pub const RATE_HZ: f32 = 60.0;

/// Tags of motion that has no place on level ground.
const UNEVEN_TAGS: [&str; 2] = ["slope", "stairs"];

/// Motion that has its place on level ground, where all courses lie: nothing of slopes and stairs.
pub fn level_tags(db: &Database) -> TagQuery {
    let uneven = UNEVEN_TAGS.iter().filter_map(|tag| db.tag_mask(tag).ok()).fold(TagMask::default(), |a, b| a | b);
    TagQuery::none_of(uneven).unwrap_or_default()
}

/// True for a clip that plain queries leave out: [`Database::NO_LOCOMOTION`].
pub(crate) fn is_aside(db: &Database, clip: ClipIndex) -> bool {
    let plain = db.accepted(&TagQuery::default());
    let rows = db.clips[clip.at()].row_range();
    !rows.is_empty() && rows.into_iter().all(|row| !db.accepts(&plain, row))
}
