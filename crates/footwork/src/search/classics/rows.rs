//! Shared parts of structures that visit rows in their own order: the order of candidates, the choice of columns, and the
//! comparison of a mirrored query with stored values.

use crate::database::{Database, MirrorMode};
use crate::frames::RowIndex;
use crate::schema::ChannelKind;
use crate::search::best::is_within;
use crate::search::cost::{ColumnCost, ColumnOrder};
use crate::search::visit::Visit;
use crate::search::{Match, SearchQuery};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Columns that a structure is built from. The cost of a row always counts all columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Columns {
    /// All.
    #[default]
    All,
    /// All but the trajectory's.
    Pose,
    /// The trajectory's.
    Trajectory,
}

impl Columns {
    /// Returns the selected columns, ascending; all columns if the schema has none of the selected ones.
    pub fn of(self, db: &Database) -> Vec<usize> {
        let trajectory = |kind: &ChannelKind| {
            matches!(
                kind,
                ChannelKind::TrajectoryPosition(_)
                    | ChannelKind::TrajectoryFacing(_)
                    | ChannelKind::TrajectoryVelocity(_)
            )
        };
        let wanted = db.schema.channels.iter().filter(|c| match self {
            Self::All => true,
            Self::Pose => !trajectory(&c.kind),
            Self::Trajectory => trajectory(&c.kind),
        });
        let columns: Vec<usize> = wanted.flat_map(|c| c.columns.clone()).collect();
        if columns.is_empty() { (0..db.features.columns).collect() } else { columns }
    }
}

/// A column of a query as compared with a stored column: the stored value is compared with `sign * features[column]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met {
    /// Column of the query.
    pub column: usize,
    /// 1 or -1.
    pub sign: f32,
}

impl Met {
    /// Returns the value that the stored value is compared with.
    pub fn value(self, query: &SearchQuery) -> f32 {
        self.sign * query.features[self.column]
    }
}

/// For every stored column, the column of a mirrored query that is compared with it. Of several, only the first counts, so
/// that a bound made of them is never too high.
#[derive(Debug)]
pub(super) struct Mirrored(Vec<Option<Met>>);

impl Mirrored {
    pub fn new(db: &Database) -> Self {
        let mut met = vec![None; if db.mirror == MirrorMode::Query { db.features.columns } else { 0 }];
        if !met.is_empty() {
            for (column, m) in db.mirror_columns.iter().enumerate().rev() {
                met[m.column] = Some(Met { column, sign: m.sign });
            }
        }
        Self(met)
    }

    /// Returns the query column compared with `stored`.
    #[inline]
    pub fn met(&self, mirrored: bool, stored: usize) -> Option<Met> {
        if mirrored { self.0[stored] } else { Some(Met { column: stored, sign: 1.0 }) }
    }

    pub fn bytes(&self) -> usize {
        size_of_val(self.0.as_slice())
    }
}

/// Number of rows whose costs are summed in parallel.
const SIDE_BY_SIDE: usize = 4;
/// Number of columns after which a sum is compared with the limit.
const FIRST_COLUMNS: usize = 8;

impl<O: ColumnOrder, C: ColumnCost> Visit<'_, '_, O, C> {
    /// Returns false if a row whose columns cost at least `bound` can neither win nor tie. False for NaN: infinity times a
    /// multiplier of 0 is not a match.
    #[inline]
    pub fn worth(&self, bound: f32) -> bool {
        is_within(bound + self.least_extra, self.best.limit())
    }

    /// Returns whether the row is a candidate.
    #[inline]
    pub fn allows(&self, row: usize) -> bool {
        let clip = self.db.row_clips[row].at();
        self.query.candidates.clip_rows(self.db, clip).contains(&row)
            && self.query.candidates.allow(self.db, row, self.mirrored)
    }

    /// Offers those of the rows that are candidates. Each sum is that of `row_cost`, stopped once it is too high. Candidacy is
    /// tested last, since few rows remain by then. Several rows are summed in parallel, since each addition depends only on the
    /// previous one of its own sum.
    #[inline]
    pub fn try_rows(&mut self, rows: &[u32]) {
        let (groups, rest) = rows.as_chunks::<SIDE_BY_SIDE>();
        for group in groups {
            self.try_some(group.map(|r| r as usize));
        }
        for row in rest {
            self.try_some([*row as usize]);
        }
    }

    /// Like `try_rows`, for rows in database order.
    #[inline]
    pub fn try_range(&mut self, rows: Range<usize>) {
        let mut row = rows.start;
        while row + SIDE_BY_SIDE <= rows.end {
            self.try_some::<SIDE_BY_SIDE>(std::array::from_fn(|i| row + i));
            row += SIDE_BY_SIDE;
        }
        while row < rows.end {
            self.try_some([row]);
            row += 1;
        }
    }

    #[inline]
    fn try_some<const N: usize>(&mut self, rows: [usize; N]) {
        let values = rows.map(|row| self.db.features.row(RowIndex::new(row)));
        // Slices of equal length let the compiler omit bounds checks in the loop.
        let n = values[0].len().min(FIRST_COLUMNS);
        let first = values.map(|v| &v[..n]);
        let (features, multipliers) = (&self.query.features[..n], &self.query.multipliers[..n]);
        let mut sums = [0.0; N];
        for c in 0..n {
            for i in 0..N {
                // In the mirror image the value comes from any column of the row.
                let value = if self.mirrored { self.order.value(values[i], c) } else { self.order.value(first[i], c) };
                sums[i] += self.costs.cost(c, features[c] - value, multipliers[c]);
            }
        }
        for i in 0..N {
            if self.worth(sums[i]) {
                self.finish(rows[i], sums[i]);
            }
        }
    }

    /// Adds the other columns.
    fn finish(&mut self, row: usize, mut sum: f32) {
        let values = self.db.features.row(RowIndex::new(row));
        let n = values.len();
        let (features, multipliers) = (&self.query.features[..n], &self.query.multipliers[..n]);
        for start in (FIRST_COLUMNS..n).step_by(FIRST_COLUMNS) {
            for c in start..(start + FIRST_COLUMNS).min(n) {
                sum += self.costs.cost(c, features[c] - self.order.value(values, c), multipliers[c]);
            }
            if !self.worth(sum) {
                return;
            }
        }
        if self.allows(row) {
            let cost = sum + self.query.extra_cost(self.db, row, self.mirrored);
            self.best.offer(Match { row: RowIndex::new(row), mirrored: self.mirrored, cost, continuing: false });
        }
    }

    /// Offers every row; for a broad phase that has found no candidate.
    pub fn try_all(&mut self) {
        for clip in 0..self.db.clips.len() {
            self.try_range(self.query.candidates.clip_rows(self.db, clip));
        }
    }
}

/// A structure that is searched one pass at a time.
pub(super) trait Passes {
    /// Runs one pass.
    fn visit(&self, visit: &mut Visit<impl ColumnOrder, impl ColumnCost>);
}

/// Returns the variance of each column over all rows, `[columns]`.
pub(super) fn variances(db: &Database) -> Vec<f64> {
    let (n, rows) = (db.features.columns, db.features.rows().max(1) as f64);
    let (mut sum, mut squares) = (vec![0.0f64; n], vec![0.0f64; n]);
    for row in db.features.values.chunks_exact(n) {
        row.iter().zip(&mut sum).for_each(|(v, s)| *s += f64::from(*v));
    }
    for row in db.features.values.chunks_exact(n) {
        for c in 0..n {
            let d = f64::from(row[c]) - sum[c] / rows;
            squares[c] += d * d;
        }
    }
    squares.iter().map(|s| s / rows).collect()
}

/// Runs a pass in a stack frame of its own, so that the passes of other structures do not reserve its stack space.
#[inline(never)]
pub(super) fn apart(structure: &impl Passes, visit: &mut Visit<impl ColumnOrder, impl ColumnCost>) {
    structure.visit(visit);
}

/// Returns the smallest and largest value of a box for a column of the query.
pub(super) fn bounds(order: &impl ColumnOrder, min: &[f32], max: &[f32], column: usize) -> (f32, f32) {
    let (column, sign) = order.source(column);
    if sign < 0.0 { (-max[column], -min[column]) } else { (min[column], max[column]) }
}
