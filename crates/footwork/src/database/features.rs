//! The feature matrix, and flags of its rows.

use crate::frames::RowIndex;

/// The feature matrix: normalised values that include the weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Features {
    /// Number of columns.
    pub columns: usize,
    /// `[rows x columns]`: (raw - offset) / scale.
    pub values: Vec<f32>,
    /// `[columns]`.
    pub offset: Vec<f32>,
    /// `[columns]`, positive: standard deviation divided by weight.
    pub scale: Vec<f32>,
}

impl Features {
    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.values.len() / self.columns.max(1)
    }

    /// Returns one row, `[columns]`.
    pub fn row(&self, row: RowIndex) -> &[f32] {
        &self.values[row.at() * self.columns..][..self.columns]
    }

    /// Normalises raw values in place.
    pub fn normalize(&self, raw: &mut [f32]) {
        for (v, (o, s)) in raw.iter_mut().zip(self.offset.iter().zip(&self.scale)) {
            *v = (*v - o) / s;
        }
    }

    /// Returns the raw value of a normalised one.
    pub fn denormalize(&self, column: usize, value: f32) -> f32 {
        value * self.scale[column] + self.offset[column]
    }
}

/// Flags of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct RowFlags(pub u8);

impl RowFlags {
    /// Transitions to this row are blocked.
    pub const NO_ENTRY: u8 = 1;
    /// Part of the future (or past) trajectory is outside the clip and was extrapolated.
    pub const EXTRAPOLATED: u8 = 2;

    /// Returns true if transitions to this row are blocked.
    pub fn no_entry(self) -> bool {
        self.0 & Self::NO_ENTRY != 0
    }

    /// Returns true if the trajectory was extrapolated.
    pub fn extrapolated(self) -> bool {
        self.0 & Self::EXTRAPOLATED != 0
    }
}
