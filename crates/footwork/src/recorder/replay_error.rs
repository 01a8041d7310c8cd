//! Reasons why a recording cannot be replayed.

use super::data_id::DataId;
use crate::error::{cut_quotes, quoted};
use crate::input::InputError;
use crate::machine::MachineError;
use crate::matcher::ConfigError;

/// Reason why a trace cannot be replayed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The character uses other data than the recorded one.
    #[error(
        "the trace is of other data: expected {recorded}, found {found}; give it the data that it was recorded with"
    )]
    OtherData {
        /// Data of the trace.
        recorded: DataId,
        /// Data of the character.
        found: DataId,
    },
    /// The trace was recorded on a named ground, whose results are not recorded.
    #[error(
        "the trace was recorded on the ground `{name}`, whose answers are not in it; give that ground",
        name = quoted(.name)
    )]
    NoGround {
        /// Name of the ground.
        name: String,
    },
    /// The trace has no updates.
    #[error("the trace has no updates: expected at least one")]
    Empty,
    /// A piece of a recording is damaged, or does not follow the previous one.
    #[error("the recording cannot go on: {detail}", detail = cut_quotes(.detail))]
    Damaged {
        /// Cause.
        detail: String,
    },
    /// The update does not exist.
    #[error("update {update}: expected one of {updates} updates")]
    NoUpdate {
        /// The requested index.
        update: usize,
        /// Number of updates of the trace.
        updates: usize,
    },
    /// Settings of the trace do not fit the character.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The state machine of the trace does not fit the character.
    #[error("the trace's state machine: {0}")]
    Machine(#[from] MachineError),
    /// A state or an input of the trace does not fit the character.
    #[error("update {update} at {time_s:.2} s: {error}")]
    Input {
        /// Index of the update.
        update: usize,
        /// Its end, in seconds.
        time_s: f64,
        /// Cause.
        error: InputError,
    },
    /// The character behaves differently from the recorded one.
    #[error(
        "update {update} at {time_s:.2} s: expected {what} as recorded, found another; replay it with the version of footwork \
         that recorded it"
    )]
    Diverged {
        /// Index of the update.
        update: usize,
        /// Its end, in seconds.
        time_s: f64,
        /// The value that differs from the recording.
        what: &'static str,
    },
}
