//! Two levels of axis-aligned boxes in database order, with early-out: the field's usual baseline.
//!
//! Source: D. Holden et al., "Learned Motion Matching" (2020) and its reference code: boxes of 16 and 64 rows, scalar,
//! linear over the large boxes. Kept as published, except that boxes never cross a clip's border. It is the baseline of the
//! other structures: improve those instead.

use super::rows::bounds;
use crate::database::Database;
use crate::frames::RowIndex;
use crate::search::best::is_within;
use crate::search::cost::{ColumnCost, ColumnOrder};
use crate::search::visit::Visit;
use crate::search::{Match, SearchQuery};
use std::ops::Range;

const SMALL: usize = 16;
const LARGE: usize = 64;

/// The smallest and largest value of each column, per box.
#[derive(Debug, Default)]
struct Level {
    columns: usize,
    /// `[boxes x columns]`.
    min: Vec<f32>,
    /// `[boxes x columns]`.
    max: Vec<f32>,
}

impl Level {
    fn push(&mut self, db: &Database, rows: Range<usize>) {
        let start = self.min.len();
        self.min.extend_from_slice(db.features.row(RowIndex::new(rows.start)));
        self.max.extend_from_slice(db.features.row(RowIndex::new(rows.start)));
        for row in rows.skip(1) {
            for (c, v) in db.features.row(RowIndex::new(row)).iter().enumerate() {
                self.min[start + c] = self.min[start + c].min(*v);
                self.max[start + c] = self.max[start + c].max(*v);
            }
        }
    }

    fn count(&self) -> usize {
        self.min.len() / self.columns.max(1)
    }

    /// Returns true if no row in the box can cost as little as `limit`. Each column's part is at most the same column's part
    /// of any row inside, and rounding preserves that order, so no such row is lost.
    fn beats(
        &self,
        index: usize,
        query: &SearchQuery,
        order: &impl ColumnOrder,
        costs: &impl ColumnCost,
        (least_extra, limit): (f32, f32),
    ) -> bool {
        order.touch(1);
        // Slices of equal length let the compiler omit bounds checks in the loop.
        let n = self.columns;
        let (min, max) = (&self.min[index * n..][..n], &self.max[index * n..][..n]);
        let (features, multipliers) = (&query.features[..n], &query.multipliers[..n]);
        let mut sum = 0.0;
        for c in 0..n {
            let q = features[c];
            let (low, high) = bounds(order, min, max, c);
            sum += costs.cost(c, q - q.max(low).min(high), multipliers[c]);
            if !is_within(sum + least_extra, limit) {
                return true;
            }
        }
        false
    }
}

/// Boxes over all rows.
#[derive(Debug)]
pub struct Boxes {
    small: Level,
    large: Level,
    /// `[clips]` first small and first large box of each clip.
    first: Vec<(usize, usize)>,
}

impl Boxes {
    /// Builds the boxes over the rows of each clip.
    pub fn build(db: &Database) -> Self {
        let level = || Level { columns: db.features.columns, ..Level::default() };
        let mut boxes = Self { small: level(), large: level(), first: Vec::with_capacity(db.clips.len()) };
        for clip in &db.clips {
            boxes.first.push((boxes.small.count(), boxes.large.count()));
            for (level, size) in [(&mut boxes.small, SMALL), (&mut boxes.large, LARGE)] {
                for start in clip.row_range().step_by(size) {
                    level.push(db, start..(start + size).min(clip.row_range().end));
                }
            }
        }
        boxes
    }

    /// Returns the memory of the boxes, bytes.
    pub fn bytes(&self) -> usize {
        [&self.small, &self.large].iter().map(|l| size_of_val(l.min.as_slice()) * 2).sum()
    }

    /// Visits the boxes in database order.
    pub(super) fn visit(&self, visit: &mut Visit<impl ColumnOrder, impl ColumnCost>) {
        let (db, query, order, costs) = (visit.db, visit.query, visit.order, visit.costs);
        let least_extra = visit.least_extra;
        for (clip, (first_small, first_large)) in self.first.iter().enumerate() {
            let start = db.clips[clip].row_range().start;
            let end = query.candidates.clip_rows(db, clip).end;
            for large_start in (start..end).step_by(LARGE) {
                let large = first_large + (large_start - start) / LARGE;
                if self.large.beats(large, query, order, costs, (least_extra, visit.best.limit())) {
                    continue;
                }
                let large_end = (large_start + LARGE).min(end);
                for small_start in (large_start..large_end).step_by(SMALL) {
                    let small = first_small + (small_start - start) / SMALL;
                    if self.small.beats(small, query, order, costs, (least_extra, visit.best.limit())) {
                        continue;
                    }
                    for row in small_start..(small_start + SMALL).min(end) {
                        if query.candidates.allow(db, row, visit.mirrored) {
                            try_row(visit, RowIndex::new(row));
                        }
                    }
                }
            }
        }
    }
}

/// Offers the row; stops summing as soon as it costs too much.
fn try_row(visit: &mut Visit<impl ColumnOrder, impl ColumnCost>, row: RowIndex) {
    let (query, mirrored) = (visit.query, visit.mirrored);
    let values = visit.db.features.row(row);
    let (extra, limit) = (query.extra_cost(visit.db, row.at(), mirrored), visit.best.limit());
    let n = values.len();
    let (features, multipliers) = (&query.features[..n], &query.multipliers[..n]);
    let mut sum = 0.0;
    for c in 0..n {
        sum += visit.costs.cost(c, features[c] - visit.order.value(values, c), multipliers[c]);
        if !is_within(sum + extra, limit) {
            return;
        }
    }
    visit.best.offer(Match { row, mirrored, cost: sum + extra, continuing: false });
}
