//! Build of a database from clips. For offline use: it allocates, and may use several threads. The result has the same
//! bytes with any number of threads.

mod annotations;
pub(crate) mod blend_space;
mod by_role;
mod chain;
pub(crate) mod clip_report;
mod codec;
pub(crate) mod config;
mod contacts;
mod error;
pub(crate) mod glitches;
mod kinds;
pub(crate) mod loops;
pub(crate) mod multiply;
pub(crate) mod normalize;
mod options;
mod pipeline;
mod pool;
mod prepare;
pub(crate) mod prune;
pub(crate) mod report;
pub mod retarget;
pub(crate) mod root_motion;
mod rooted;
mod rows;
mod rules;
mod sink;
mod speeds;
mod standing;
mod summary;
mod track;
mod treadmill;
mod usable;

pub use crate::roles::{Assigned, JointRoles, RoleError};
pub use config::{
    BlendPoint, BlendSpace, BuildConfig, ClipRule, CodecConfig, ContactConfig, ContactSpec, CostSpec, CurveSpec,
    EventSpec, GlitchConfig, Multiply, MultiplyConfig, PruneConfig, RootMotion, RootMotionConfig, SchemaConfig,
    TagRule, TagSpec,
};
pub use error::BuildError;
pub use glitches::GlitchMend;
pub(crate) use normalize::NormalizeError;
pub use options::BuildOptions;
pub use report::BuildReport;
pub(crate) use root_motion::RootError;

use crate::clip::RawClip;
use crate::database::Database;
use std::borrow::Cow;

/// Builds a database from clips, given as a slice or, to save memory, as a vector: each clip is then freed as soon as it is read.
///
/// # Errors
/// Returns [`BuildError`] with the name of the invalid clip, joint, frame, channel or key.
pub fn build<'a>(
    clips: impl Into<Cow<'a, [RawClip]>>,
    config: &BuildConfig,
    options: &BuildOptions,
) -> Result<(Database, BuildReport), BuildError> {
    let clips = clips.into();
    if !config.prune.enabled {
        return pipeline::run(clips, config, options);
    }
    let (all, report) = pipeline::run(Cow::Borrowed(&clips), config, options)?;
    let mut found = prune::find(&all, &config.prune);
    // Pruning skips parts of clips cut before, and clips that others build upon.
    found.retain(|p| clips.iter().any(|c| c.name == p.clip) && !config.builds_upon(&p.clip));
    if found.is_empty() {
        return Ok((all, report));
    }
    drop(all);
    let left = prune::without(&clips, &found);
    let mut config = config.clone();
    config.clips.retain(|r| left.iter().any(|c| config::matches_pattern(&r.name, &c.name)));
    let (db, report) = pipeline::run(left.into(), &config, options)?;
    Ok((db, BuildReport { pruned: found, ..report }))
}
