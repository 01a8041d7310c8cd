//! The one formula: the sum over columns, in order, of ((q - x) * m) squared (or absolute), multiply then add.

use super::best::is_within;
use crate::schema::{MirrorColumn, Residual};

/// In which order and with which signs a row's columns meet the query's.
pub trait ColumnOrder {
    /// The row's value for a column of the query.
    fn value(&self, row: &[f32], column: usize) -> f32;
    /// The smallest and largest such value in a box.
    fn bounds(&self, min: &[f32], max: &[f32], column: usize) -> (f32, f32);
    /// The row's column that meets a column of the query, and the sign it comes with.
    fn source(&self, column: usize) -> (usize, f32);
    /// Told of nodes (boxes, branches of trees) whose bound is computed, so that a measurement can count them.
    #[inline]
    fn touch(&self, nodes: usize) {
        let _ = nodes;
    }
}

/// As stored.
#[derive(Clone, Copy, Debug)]
pub struct PlainColumns;

impl ColumnOrder for PlainColumns {
    fn value(&self, row: &[f32], column: usize) -> f32 {
        row[column]
    }
    fn bounds(&self, min: &[f32], max: &[f32], column: usize) -> (f32, f32) {
        (min[column], max[column])
    }
    fn source(&self, column: usize) -> (usize, f32) {
        (column, 1.0)
    }
}

/// As in a mirror.
#[derive(Clone, Copy, Debug)]
pub struct MirroredColumns<'a>(pub &'a [MirrorColumn]);

impl ColumnOrder for MirroredColumns<'_> {
    fn value(&self, row: &[f32], column: usize) -> f32 {
        let m = self.0[column];
        m.sign * row[m.column]
    }
    fn bounds(&self, min: &[f32], max: &[f32], column: usize) -> (f32, f32) {
        let m = self.0[column];
        if m.sign < 0.0 { (-max[m.column], -min[m.column]) } else { (min[m.column], max[m.column]) }
    }
    fn source(&self, column: usize) -> (usize, f32) {
        (self.0[column].column, self.0[column].sign)
    }
}

/// How a column's difference becomes cost. A type, not a value, so that the usual case (all columns squared) decides
/// nothing inside its loops.
pub trait ColumnCost {
    /// What a difference in one column costs.
    fn cost(&self, column: usize, difference: f32, multiplier: f32) -> f32;
    /// True when it is the absolute value, not the square.
    fn is_absolute(&self, column: usize) -> bool;
}

/// Every column squared.
#[derive(Clone, Copy, Debug)]
pub struct AllSquared;

/// Each column as its channel says.
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

/// What a row costs, before any transition cost.
#[inline]
pub fn row_cost(
    query: &[f32],
    multipliers: &[f32],
    row: &[f32],
    order: &impl ColumnOrder,
    costs: &impl ColumnCost,
) -> f32 {
    // All of one length, said once: no bounds are checked in the loop.
    let n = row.len();
    let (query, multipliers) = (&query[..n], &multipliers[..n]);
    let mut sum = 0.0;
    for c in 0..n {
        sum += costs.cost(c, query[c] - order.value(row, c), multipliers[c]);
    }
    sum
}

/// The same for a row that may not be worth its sum: `None` as soon as the sum with `extra` is more than `limit`.
#[inline]
pub fn row_cost_within(
    query: &[f32],
    multipliers: &[f32],
    row: &[f32],
    order: &impl ColumnOrder,
    costs: &impl ColumnCost,
    (extra, limit): (f32, f32),
) -> Option<f32> {
    /// Columns between looks at the limit: looking after each costs more than it saves.
    const STRIDE: usize = 8;
    let n = row.len();
    let (query, multipliers) = (&query[..n], &multipliers[..n]);
    let mut sum = 0.0;
    for start in (0..n).step_by(STRIDE) {
        for c in start..(start + STRIDE).min(n) {
            sum += costs.cost(c, query[c] - order.value(row, c), multipliers[c]);
        }
        // NaN goes too: it is no match.
        if !is_within(sum + extra, limit) {
            return None;
        }
    }
    Some(sum + extra)
}
