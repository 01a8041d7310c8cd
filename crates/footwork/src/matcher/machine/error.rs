//! Why a machine cannot be made.

use crate::error::unknown;
use crate::expression::ExpressionError;

/// Why a machine cannot be made, or a warning about one: where in its specification, and what to do.
#[derive(Clone, Debug, PartialEq, serde::Serialize, thiserror::Error)]
#[error("{at}: {what}")]
pub struct MachineError {
    /// The part at fault, such as ``states.`low`.clip``.
    pub at: String,
    /// What is wrong and what to do.
    pub what: String,
}

impl MachineError {
    pub(crate) fn new(at: impl Into<String>, what: impl Into<String>) -> Self {
        Self { at: at.into(), what: what.into() }
    }

    pub(crate) fn unknown<'a>(at: String, kind: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        Self { at, what: unknown(kind, name, known) }
    }

    pub(crate) fn expression(at: String, e: &ExpressionError) -> Self {
        Self { at, what: e.to_string() }
    }
}
