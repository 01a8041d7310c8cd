//! The result of a search.

use crate::frames::RowIndex;
use serde::{Deserialize, Serialize};

/// Result of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Match {
    /// Row.
    pub row: RowIndex,
    /// True if the row is mirrored (`mirror = query`).
    pub mirrored: bool,
    /// Cost, including the transition cost.
    pub cost: f32,
    /// True for the playing row.
    pub continuing: bool,
}
