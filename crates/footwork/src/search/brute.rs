//! The oracle: every candidate, in database order. Slow, obvious, right. A cost that overflows is no match.

use super::cost::{ColumnCost, ColumnOrder, row_cost};
use super::{Match, SearchQuery};
use crate::database::Database;
use crate::frames::RowIndex;

/// Looks at all rows; replaces `best` where a row is strictly cheaper, so that the first of equals stays.
pub fn pass(
    db: &Database,
    query: &SearchQuery,
    order: &impl ColumnOrder,
    costs: &impl ColumnCost,
    mirrored: bool,
    best: &mut Option<Match>,
) {
    for clip in 0..db.clips.len() {
        for row in query.candidates.clip_rows(db, clip) {
            if !query.candidates.allow(db, row, mirrored) {
                continue;
            }
            let row = RowIndex::new(row);
            let sum = row_cost(query.features, query.multipliers, db.features.row(row), order, costs);
            let cost = sum + query.transition_cost;
            if cost < best.map_or(f32::INFINITY, |b| b.cost) {
                *best = Some(Match { row, mirrored, cost, continuing: false });
            }
        }
    }
}
