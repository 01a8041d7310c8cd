//! The boxes of the structure `boxes`, laid out for the compiler to vectorise: struct of arrays, 16 large boxes at once, all
//! their bounds first, then the boxes from the nearest on. Exact.
//!
//! Source: the boxes are those of D. Holden et al., "Learned Motion Matching" (2020); sorting boxes by their bound before
//! looking into them is the usual order of branch and bound (N. Roussopoulos et al., "Nearest Neighbor Queries", 1995).
//!
//! Trade-off: about four times the speed of the boxes at the same memory, under all multipliers, and no tree to build. But
//! every search still computes the bound of every large box, which takes nearly all of its time, so its time is proportional
//! to the size of the database; a tree's is not. A far query (which separates few boxes) gains least.

use super::rows::{Passes, variances};
use crate::database::{Database, SetBits};
use crate::frames::RowIndex;
use crate::search::cost::{ColumnCost, ColumnOrder};
use crate::search::visit::Visit;
use serde::{Deserialize, Serialize};

/// Number of boxes whose bounds are computed at once.
const LANES: usize = 16;
/// Number of small boxes in a large one.
const SMALLS: usize = 4;
/// Large boxes that are sorted together: their bounds live on the stack (32 KiB). A larger database (more than 262 144
/// rows with boxes of 64) is searched group by group, with the same result.
const GROUP: usize = 4096;

/// Settings of the boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Rows of a small box, 1 to 256; a large one has four times as many. Default: 16, as published. Values outside the range
    /// are clamped.
    pub small_rows: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { small_rows: 16 }
    }
}

/// Rows of one large box.
#[derive(Clone, Copy, Debug, Default)]
struct Large {
    clip: u32,
    start: u32,
    end: u32,
    /// The sets of tags of its rows.
    tags: SetBits,
}

/// Boxes over all rows.
#[derive(Debug)]
pub(crate) struct Flat {
    small_rows: usize,
    columns: usize,
    /// Columns in the order in which bounds add them: the widest first, so that most sums stop early.
    by_variance: Vec<u32>,
    larges: Vec<Large>,
    /// `[blocks of 16 large boxes x columns]` smallest and largest values.
    large: Vec<[[f32; LANES]; 2]>,
    /// `[large boxes x columns]` the same of its four small boxes.
    small: Vec<[[f32; SMALLS]; 2]>,
    /// Factor on bounds. They are summed in another order than costs; with it they never exceed them.
    shrink: f32,
}

/// An empty box, infinitely far from every query.
const NOTHING: [f32; 2] = [f32::INFINITY, f32::NEG_INFINITY];

impl Flat {
    /// Builds the boxes over the rows of each clip.
    pub fn build(db: &Database, settings: &Settings) -> Self {
        let columns = db.features.columns;
        let small_rows = settings.small_rows.clamp(1, 256);
        let large_rows = small_rows * SMALLS;
        let mut larges = Vec::new();
        for (clip, c) in db.clips.iter().enumerate() {
            let rows = c.row_range();
            for start in rows.clone().step_by(large_rows) {
                let end = (start + large_rows).min(rows.end) as u32;
                let tags = SetBits::all_of((start..end as usize).map(|row| db.row_set_bits(row)));
                larges.push(Large { clip: clip as u32, start: start as u32, end, tags });
            }
        }
        let mut large = vec![NOTHING.map(|v| [v; LANES]); larges.len().div_ceil(LANES) * columns];
        let mut small = vec![NOTHING.map(|v| [v; SMALLS]); larges.len() * columns];
        for (i, l) in larges.iter().enumerate() {
            for row in l.start..l.end {
                let s = (row - l.start) as usize / small_rows;
                for (c, v) in db.features.row(RowIndex(row)).iter().enumerate() {
                    let [min, max] = &mut large[i / LANES * columns + c];
                    (min[i % LANES], max[i % LANES]) = (min[i % LANES].min(*v), max[i % LANES].max(*v));
                    let [min, max] = &mut small[i * columns + c];
                    (min[s], max[s]) = (min[s].min(*v), max[s].max(*v));
                }
            }
        }
        let variance = variances(db);
        let mut by_variance: Vec<u32> = (0..columns as u32).collect();
        by_variance.sort_by(|a, b| variance[*b as usize].total_cmp(&variance[*a as usize]));
        // n additions each have a rounding error of at most half of EPSILON, in the bound and in the cost.
        let shrink = 1.0 - (columns + 4) as f32 * f32::EPSILON;
        Self { small_rows, columns, by_variance, larges, large, small, shrink }
    }

    /// Returns the memory of the structure, bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.large.as_slice())
            + size_of_val(self.small.as_slice())
            + size_of_val(self.larges.as_slice())
            + size_of_val(self.by_variance.as_slice())
    }

    /// Returns lower bounds of the cost of the rows of `N` boxes; NaN if none of them can hold a match.
    #[inline]
    fn bounds<const N: usize>(
        &self,
        boxes: &[[[f32; N]; 2]],
        visit: &Visit<impl ColumnOrder, impl ColumnCost>,
    ) -> [f32; N] {
        let mut sums = [0.0f32; N];
        for columns in self.by_variance.chunks(8) {
            for c in columns {
                let c = *c as usize;
                // In the mirror image the query's column corresponds to another one of the box, possibly with the opposite sign.
                let (stored, q) = if visit.mirrored {
                    let m = visit.db.mirror_columns[c];
                    (m.column, m.sign * visit.query.features[c])
                } else {
                    (c, visit.query.features[c])
                };
                let multiplier = visit.query.multipliers[c];
                let [min, max] = &boxes[stored];
                for i in 0..N {
                    let (below, above) = (min[i] - q, q - max[i]);
                    let d = if below > above { below } else { above };
                    let d = if d > 0.0 { d } else { 0.0 };
                    sums[i] += visit.costs.cost(c, d, multiplier);
                }
            }
            if !sums.iter().any(|s| visit.worth(self.shrunk(*s))) {
                return [f32::NAN; N];
            }
        }
        sums.map(|s| self.shrunk(s))
    }

    /// Converts a sum to a bound. A row whose bound overflows may have a finite cost.
    #[inline]
    fn shrunk(&self, sum: f32) -> f32 {
        if sum == f32::INFINITY { f32::MAX } else { sum * self.shrink }
    }

    fn look_into(&self, large: usize, visit: &mut Visit<impl ColumnOrder, impl ColumnCost>) {
        let l = &self.larges[large];
        if !visit.query.candidates.tags.may_accept(l.tags) {
            return;
        }
        let end = visit.query.candidates.clip_rows(visit.db, l.clip as usize).end.min(l.end as usize);
        visit.order.touch(((l.end - l.start) as usize).div_ceil(self.small_rows));
        let bounds = self.bounds(&self.small[large * self.columns..][..self.columns], visit);
        for (s, bound) in bounds.iter().enumerate() {
            if visit.worth(*bound) {
                let start = l.start as usize + s * self.small_rows;
                visit.try_range(start..(start + self.small_rows).min(end));
            }
        }
    }
}

impl Passes for Flat {
    fn visit(&self, visit: &mut Visit<impl ColumnOrder, impl ColumnCost>) {
        let mut bounds = [(0.0f32, 0u32); GROUP];
        for first in (0..self.larges.len()).step_by(GROUP) {
            let count = (self.larges.len() - first).min(GROUP);
            let mut kept = 0;
            let mut nearest = 0;
            for start in (first..first + count).step_by(LANES) {
                visit.order.touch((first + count - start).min(LANES));
                let block = self.bounds(&self.large[start / LANES * self.columns..][..self.columns], visit);
                for (i, bound) in block.iter().enumerate().take(first + count - start) {
                    if visit.worth(*bound) {
                        bounds[kept] = (*bound, (start + i) as u32);
                        nearest = if *bound < bounds[nearest].0 { kept } else { nearest };
                        kept += 1;
                    }
                }
            }
            if kept == 0 {
                continue;
            }
            // The nearest first: its rows lower the limit, so that few boxes are left to sort.
            let (_, large) = bounds[nearest];
            bounds[nearest] = bounds[kept - 1];
            kept -= 1;
            self.look_into(large as usize, visit);
            let mut left = 0;
            for i in 0..kept {
                if visit.worth(bounds[i].0) {
                    bounds[left] = bounds[i];
                    left += 1;
                }
            }
            let left = &mut bounds[..left];
            left.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for (bound, large) in left.iter() {
                if !visit.worth(*bound) {
                    break;
                }
                self.look_into(*large as usize, visit);
            }
        }
    }
}
