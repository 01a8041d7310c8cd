//! What the structures share that look at rows in an order of their own: the order of candidates, which columns they are
//! made of, and how a query that is seen in a mirror meets what they store.

use super::best::is_within;
use super::cost::{ColumnCost, ColumnOrder};
use super::{Best, Match, SearchQuery};
use crate::database::{Database, MirrorMode};
use crate::frames::RowIndex;
use crate::schema::ChannelKind;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Which columns a structure is made of. The cost of a row always counts all of them.
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
    /// The columns meant, rising; all where the schema has none of them.
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

/// A column of a query as a stored column meets it: `sign * features[column]` is what the stored value is compared with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met {
    /// Column of the query.
    pub column: usize,
    /// 1 or -1.
    pub sign: f32,
}

impl Met {
    /// What the stored value is compared with.
    pub fn value(self, query: &SearchQuery) -> f32 {
        self.sign * query.features[self.column]
    }
}

/// For every stored column the column of a mirrored query that is compared with it; of several the first, so that a bound
/// made of them is never too high.
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

    /// Who meets a stored column.
    #[inline]
    pub fn met(&self, mirrored: bool, stored: usize) -> Option<Met> {
        if mirrored { self.0[stored] } else { Some(Met { column: stored, sign: 1.0 }) }
    }

    pub fn bytes(&self) -> usize {
        size_of_val(self.0.as_slice())
    }
}

/// Rows whose costs are added up side by side.
const SIDE_BY_SIDE: usize = 4;
/// Columns after which a sum is looked at.
const FIRST_COLUMNS: usize = 8;

/// One side of one search: rows as they are stored, or as they are seen in a mirror.
pub(super) struct Visit<'a, 'b, O, C> {
    pub db: &'a Database,
    pub query: &'a SearchQuery<'a>,
    pub order: &'a O,
    pub costs: &'a C,
    pub mirrored: bool,
    pub best: &'a mut Best<'b>,
    /// Beside its distance no row costs less.
    pub least_extra: f32,
}

impl<'a, 'b, O: ColumnOrder, C: ColumnCost> Visit<'a, 'b, O, C> {
    pub fn new(
        db: &'a Database,
        query: &'a SearchQuery<'a>,
        order: &'a O,
        costs: &'a C,
        mirrored: bool,
        best: &'a mut Best<'b>,
    ) -> Self {
        Self { db, query, order, costs, mirrored, best, least_extra: query.least_extra_cost() }
    }

    /// False when a row whose columns cost at least `bound` can neither win nor tie. False for NaN: infinity times a
    /// multiplier of 0 is no match.
    #[inline]
    pub fn worth(&self, bound: f32) -> bool {
        is_within(bound + self.least_extra, self.best.limit())
    }

    /// True when the row may be jumped to.
    #[inline]
    pub fn allows(&self, row: usize) -> bool {
        let clip = self.db.row_clips[row].at();
        self.query.candidates.clip_rows(self.db, clip).contains(&row)
            && self.query.candidates.allow(self.db, row, self.mirrored)
    }

    /// Offers rows that may be jumped to. Each sum is that of `row_cost`, given up as soon as it is too high; who may be
    /// jumped to is asked last, since few rows get so far. Several at once, since each sum must wait for its own last
    /// addition but not for those of others.
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

    /// The same of rows in database order.
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
        // All of one length, said once: no bounds are checked in the loop.
        let n = values[0].len().min(FIRST_COLUMNS);
        let first = values.map(|v| &v[..n]);
        let (features, multipliers) = (&self.query.features[..n], &self.query.multipliers[..n]);
        let mut sums = [0.0; N];
        for c in 0..n {
            for i in 0..N {
                // In a mirror the value comes from any column of the row.
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

    /// Every row; for when a broad phase has found nobody who may be jumped to.
    pub fn try_all(&mut self) {
        for clip in 0..self.db.clips.len() {
            self.try_range(self.query.candidates.clip_rows(self.db, clip));
        }
    }
}

/// A structure that looks at one side at a time.
pub(super) trait Passes {
    /// Looks at one side.
    fn visit(&self, visit: &mut Visit<impl ColumnOrder, impl ColumnCost>);
}

/// The variance of each column over all rows, `[columns]`.
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

/// A pass of its own frame: what a structure keeps on the stack must not be made room for in the passes of others.
#[inline(never)]
pub(super) fn apart(structure: &impl Passes, visit: &mut Visit<impl ColumnOrder, impl ColumnCost>) {
    structure.visit(visit);
}
