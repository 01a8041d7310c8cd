//! The oracle: every candidate, in database order. Slow, obvious, right. A cost that overflows is no match.

use super::cost::{ColumnCost, ColumnOrder, row_cost};
use super::{Best, Match, SearchQuery};
use crate::database::Database;
use crate::frames::RowIndex;

/// Offers all rows.
pub fn pass(
    db: &Database,
    query: &SearchQuery,
    order: &impl ColumnOrder,
    costs: &impl ColumnCost,
    mirrored: bool,
    best: &mut Best,
) {
    for clip in 0..db.clips.len() {
        for row in query.candidates.clip_rows(db, clip) {
            if !query.candidates.allow(db, row, mirrored) {
                continue;
            }
            let extra = query.extra_cost(db, row, mirrored);
            let row = RowIndex::new(row);
            let sum = row_cost(query.features, query.multipliers, db.features.row(row), order, costs);
            best.offer(Match { row, mirrored, cost: sum + extra, continuing: false });
        }
    }
}
