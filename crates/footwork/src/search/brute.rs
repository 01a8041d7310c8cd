//! The reference search: every candidate, in database order. Slow and simple. A cost that overflows is not a match.

use super::cost::{ColumnCost, ColumnOrder, row_cost};
use super::matched::Match;
use super::visit::Visit;
use crate::frames::RowIndex;

/// Offers all rows.
pub(super) fn visit(visit: &mut Visit<impl ColumnOrder, impl ColumnCost>) {
    let (db, query, mirrored) = (visit.db, visit.query, visit.mirrored);
    for clip in 0..db.clips.len() {
        for row in query.candidates.clip_rows(db, clip) {
            if !query.candidates.allow(db, row, mirrored) {
                continue;
            }
            let extra = query.extra_cost(db, row, mirrored);
            let row = RowIndex::new(row);
            let sum = row_cost(query.features, query.multipliers, db.features.row(row), visit.order, visit.costs);
            visit.best.offer(Match { row, mirrored, cost: sum + extra, continuing: false });
        }
    }
}
