//! The one formula: the sum over columns, in order, of ((q - x) * m) squared (or absolute), multiply then add.

use crate::database::Database;
use crate::schema::{MirrorColumn, Residual};

/// In which order and with which signs a row's columns meet the query's.
pub trait ColumnOrder {
    /// The row's value for a column of the query.
    fn value(&self, row: &[f32], column: usize) -> f32;
    /// The smallest and largest such value in a box.
    fn bounds(&self, min: &[f32], max: &[f32], column: usize) -> (f32, f32);
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
}

/// What a difference in one column costs.
#[inline]
pub fn column_cost(residual: Residual, difference: f32, multiplier: f32) -> f32 {
    let d = difference * multiplier;
    match residual {
        Residual::Squared => d * d,
        Residual::Absolute => d.abs(),
    }
}

/// What a row costs, before any transition cost.
pub fn row_cost(db: &Database, query: &[f32], multipliers: &[f32], row: &[f32], order: &impl ColumnOrder) -> f32 {
    let n = row.len();
    let (query, multipliers, residuals) = (&query[..n], &multipliers[..n], &db.residuals[..n]);
    let mut sum = 0.0;
    for c in 0..n {
        sum += column_cost(residuals[c], query[c] - order.value(row, c), multipliers[c]);
    }
    sum
}
