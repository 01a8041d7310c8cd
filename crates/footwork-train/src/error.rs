//! Why training fails.

use std::io;
use std::path::PathBuf;

/// Why training fails.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// Networks without what computes latent variables.
    #[error("the networks of --decompressor-of have no compressor: train them again")]
    NoCompressor,
    /// Nothing to learn from.
    #[error("the database has no motion on level ground: build it with `footwork build` from clips of locomotion")]
    NoMotion,
    /// A body that does not walk on two feet, or features that a baseline cannot be asked with.
    #[error(
        "a baseline needs a left and a right foot, and features without history, accelerations and values of your own"
    )]
    NoGait,
    /// A loss that is not a number.
    #[error("{phase}, step {step}: the loss is {loss}; first sample: clip `{clip}` at {time_s:.3} s; {advice}")]
    NotFinite {
        /// Phase.
        phase: &'static str,
        /// Step.
        step: u64,
        /// Its loss.
        loss: f32,
        /// Clip of the sample.
        clip: String,
        /// Seconds from the start of the clip.
        time_s: f64,
        /// What to do.
        advice: String,
    },
    /// The budget is used up before training starts.
    #[error(
        "the budget of {budget_s:.0} s is too short: reading {seconds:.0} s of motion took {read_s:.0} s; use --budget {advice_s:.0}s"
    )]
    Budget {
        /// Asked for, seconds.
        budget_s: f64,
        /// Motion, seconds.
        seconds: f64,
        /// Reading it, seconds.
        read_s: f64,
        /// Enough, seconds.
        advice_s: f64,
    },
    /// A device that this program was built without.
    #[error("device `{0}`: this program was built without it; build it with `--features {0}`, or use --device cpu")]
    Device(&'static str),
    /// Nothing to go on from.
    #[error("{}: no checkpoint to resume from; start without --resume", .path.display())]
    NoCheckpoint {
        /// File.
        path: PathBuf,
    },
    /// A checkpoint that cannot be used.
    #[error("{}: cannot resume: {detail}; use the same --db and sizes, or start without --resume", .path.display())]
    Checkpoint {
        /// File.
        path: PathBuf,
        /// Reason.
        detail: String,
    },
    /// A checkpoint cannot be written.
    #[error("{}: cannot write: {error}", .path.display())]
    Write {
        /// File.
        path: PathBuf,
        /// Reason.
        error: io::Error,
    },
    /// Stopped from outside.
    #[error("interrupted{}", .path.as_ref().map_or_else(String::new, |p| format!("; {} is kept: go on with --resume", p.display())))]
    Interrupted {
        /// The checkpoint.
        path: Option<PathBuf>,
    },
    /// A database that cannot be driven.
    #[error(transparent)]
    Drive(#[from] footwork_metrics::recording::RecordError),
    /// The networks do not fit each other.
    #[error(transparent)]
    Networks(#[from] footwork::learned::NetworksError),
}
