//! Errors of training.

use std::io;
use std::path::PathBuf;

/// Training failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// The networks have no compressor, which computes latent variables.
    #[error("the networks of --decompressor-of have no compressor: train them again")]
    NoCompressor,
    /// The database has no usable motion.
    #[error("the database has no motion on level ground: build it with `footwork build` from clips of locomotion")]
    NoMotion,
    /// The body does not walk on two feet, or a baseline cannot use the features as inputs.
    #[error(
        "a baseline needs a left and a right foot, and features without history, accelerations and values of your own"
    )]
    NoGait,
    /// A loss is not a number.
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
        /// Advice.
        advice: String,
    },
    /// The budget is used up before training starts.
    #[error(
        "the budget of {budget_s:.0} s is too short: reading {seconds:.0} s of motion took {read_s:.0} s; use --budget {advice_s:.0}s"
    )]
    Budget {
        /// Requested budget, seconds.
        budget_s: f64,
        /// Duration of the motion, seconds.
        seconds: f64,
        /// Time for reading it, seconds.
        read_s: f64,
        /// Sufficient budget, seconds.
        advice_s: f64,
    },
    /// The device is not part of this build.
    #[error("device `{0}`: this program was built without it; build it with `--features {0}`, or use --device cpu")]
    Device(&'static str),
    /// There is no checkpoint to resume from.
    #[error("{}: no checkpoint to resume from; start without --resume", .path.display())]
    NoCheckpoint {
        /// File.
        path: PathBuf,
    },
    /// The checkpoint is unusable.
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
    /// Training was interrupted.
    #[error("interrupted{}", .path.as_ref().map_or_else(String::new, |p| format!("; {} is kept: go on with --resume", p.display())))]
    Interrupted {
        /// The checkpoint, if one was written.
        path: Option<PathBuf>,
    },
    /// The database cannot be used for a recording.
    #[error(transparent)]
    Drive(#[from] footwork_metrics::recording::RecordError),
    /// The networks do not fit each other.
    #[error(transparent)]
    Networks(#[from] footwork::learned::NetworksError),
}
