//! The cost formula: the sum over columns, in order, of ((q - x) * m) squared (or absolute), multiply then add.

use super::best::is_within;
use crate::schema::{MirrorColumn, Residual};

/// Mapping from a row's columns to the query's, with signs.
pub trait ColumnOrder {
    /// Returns the row's value for a column of the query.
    fn value(&self, row: &[f32], column: usize) -> f32;
    /// Returns the row's column that corresponds to a column of the query, and its sign.
    fn source(&self, column: usize) -> (usize, f32);
    /// Reports a number of nodes (boxes, branches of trees) whose bound is computed, so that a measurement can count them.
    #[inline]
    fn touch(&self, nodes: usize) {
        let _ = nodes;
    }
}

/// Columns as stored.
#[derive(Clone, Copy, Debug)]
pub struct PlainColumns;

impl ColumnOrder for PlainColumns {
    fn value(&self, row: &[f32], column: usize) -> f32 {
        row[column]
    }
    fn source(&self, column: usize) -> (usize, f32) {
        (column, 1.0)
    }
}

/// Columns of the mirror image.
#[derive(Clone, Copy, Debug)]
pub struct MirroredColumns<'a>(pub &'a [MirrorColumn]);

impl ColumnOrder for MirroredColumns<'_> {
    fn value(&self, row: &[f32], column: usize) -> f32 {
        let m = self.0[column];
        m.sign * row[m.column]
    }
    fn source(&self, column: usize) -> (usize, f32) {
        (self.0[column].column, self.0[column].sign)
    }
}

/// Conversion of a column's difference to cost. A type, not a value, so that the usual case (all columns squared) has no
/// branches in its loops.
pub trait ColumnCost {
    /// Returns the cost of a difference in one column.
    fn cost(&self, column: usize, difference: f32, multiplier: f32) -> f32;
    /// Returns true if the cost is the absolute value, false if it is the square.
    fn is_absolute(&self, column: usize) -> bool;
}

/// Squared cost in every column.
#[derive(Clone, Copy, Debug)]
pub struct AllSquared;

/// The cost that each column's channel defines.
#[derive(Clone, Copy, Debug)]
pub struct PerColumn<'a>(pub &'a [Residual]);

impl ColumnCost for AllSquared {
    #[inline]
    fn cost(&self, _: usize, difference: f32, multiplier: f32) -> f32 {
        let d = difference * multiplier;
        d * d
    }
    #[inline]
    fn is_absolute(&self, _: usize) -> bool {
        false
    }
}

impl ColumnCost for PerColumn<'_> {
    #[inline]
    fn cost(&self, column: usize, difference: f32, multiplier: f32) -> f32 {
        match self.0[column] {
            Residual::Squared => AllSquared.cost(column, difference, multiplier),
            Residual::Absolute => (difference * multiplier).abs(),
        }
    }
    #[inline]
    fn is_absolute(&self, column: usize) -> bool {
        self.0[column] == Residual::Absolute
    }
}

/// Returns the cost of a row without the transition cost.
#[inline]
pub fn row_cost(
    query: &[f32],
    multipliers: &[f32],
    row: &[f32],
    order: &impl ColumnOrder,
    costs: &impl ColumnCost,
) -> f32 {
    // Slices of equal length let the compiler omit bounds checks in the loop.
    let n = row.len();
    let (query, multipliers) = (&query[..n], &multipliers[..n]);
    let mut sum = 0.0;
    for c in 0..n {
        sum += costs.cost(c, query[c] - order.value(row, c), multipliers[c]);
    }
    sum
}

/// Returns the cost of a row plus `extra`, or `None` as soon as the sum exceeds `limit`.
#[inline]
pub fn row_cost_within(
    query: &[f32],
    multipliers: &[f32],
    row: &[f32],
    order: &impl ColumnOrder,
    costs: &impl ColumnCost,
    (extra, limit): (f32, f32),
) -> Option<f32> {
    /// Number of columns between comparisons with the limit: comparing after each costs more than it saves.
    const STRIDE: usize = 8;
    let n = row.len();
    let (query, multipliers) = (&query[..n], &multipliers[..n]);
    let mut sum = 0.0;
    for start in (0..n).step_by(STRIDE) {
        for c in start..(start + STRIDE).min(n) {
            sum += costs.cost(c, query[c] - order.value(row, c), multipliers[c]);
        }
        // NaN is rejected too: it is not a match.
        if !is_within(sum + extra, limit) {
            return None;
        }
    }
    Some(sum + extra)
}
