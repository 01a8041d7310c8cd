//! Errors of machines.

use crate::error::unknown;
use crate::expression::ExpressionError;

/// An error or a warning about the specification of a machine: its location, and how to fix it.
#[derive(Clone, Debug, PartialEq, serde::Serialize, thiserror::Error)]
#[error("{at}: {what}")]
pub struct MachineError {
    /// Location in the specification, such as ``states.`low`.clip``.
    pub at: String,
    /// The problem and how to fix it.
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
