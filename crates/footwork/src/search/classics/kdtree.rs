//! A kd-tree over features. With backtracking it is exact; as a broad phase that visits some leaves it is approximate.
//!
//! Sources: J. Bentley, "Multidimensional binary search trees used for associative searching" (1975); J. Friedman,
//! J. Bentley, R. Finkel, "An Algorithm for Finding Best Matches in Logarithmic Expected Time" (1977): leaves, split at
//! the median of the widest column, backtracking; S. Arya, D. Mount, "Algorithms for Fast Vector Quantization" (1993):
//! bounds that change in one column per step. In games: Unreal and Godot search exactly in theirs; O3DE's Motion Matching
//! gem (FeatureMatrix/KdTree) goes down to one leaf and compares only the rows in it ([`Settings::o3de`]).
//!
//! Trade-off: the exact search is fast where a near row exists (typical for a character in motion). Where none exists it may be
//! slower than reading every row, because its bounds are weak in 27 columns. Even at its best it hardly beats boxes in
//! database order: the rows of a leaf are spread over the database, and each visit causes cache misses. Visiting one leaf is
//! always fast and often wrong, because a row just across a split is missed; visiting enough leaves costs as much as an exact
//! search. Multipliers count exactly in its bounds. The tree takes about 11 bytes per row.

use super::rows::{Columns, Mirrored, Passes, variances};
use crate::database::Database;
use crate::frames::RowIndex;
use crate::search::cost::{ColumnCost, ColumnOrder};
use crate::search::visit::Visit;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Maximum depth of a tree, and size of a search's stack.
const DEPTH: usize = 48;
/// Maximum number of branches that a search of some leaves remembers, and so of leaves that it visits.
const PENDING: usize = 256;

/// Position at which a node is split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// At the median of the column that varies most in the node: both halves have equal size.
    #[default]
    WidestAtMedian,
    /// At the mean of one column after another, regardless of its values (O3DE).
    CyclingAtMean,
}

/// Settings of the tree and its search. Values outside their range are clamped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Columns to split. Default: all; O3DE: all but the trajectory's.
    pub columns: Columns,
    /// Position of splits. Default: the widest column's median.
    pub split: Split,
    /// Maximum number of splits between the root and a leaf, 0 to 48. Default: 48, more than a tree split at medians needs;
    /// O3DE: 20, its animation graph node 15.
    pub max_depth: usize,
    /// Minimum number of rows of a leaf, at least 1. Default: 8; O3DE: 1000.
    pub min_leaf_rows: usize,
    /// Number of leaves to visit, nearest first, 1 to 256. With 0, leaves are visited until none can hold a better row, which
    /// is exact. Default: 0; O3DE: 1. Leaves without candidates are not counted.
    pub leaves: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { columns: Columns::All, split: Split::WidestAtMedian, max_depth: DEPTH, min_leaf_rows: 8, leaves: 0 }
    }
}

impl Settings {
    /// Returns the settings of O3DE's Motion Matching gem (MotionMatchingData, 2023), with the intended split values: in the
    /// revisions known to us a node's split value is computed from its parent's rows.
    pub fn o3de() -> Self {
        Self { columns: Columns::Pose, split: Split::CyclingAtMean, max_depth: 20, min_leaf_rows: 1000, leaves: 1 }
    }
}

/// A node: a leaf if `count` is not 0.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// Dimension of the split.
    dimension: u32,
    /// The left child, followed by the right one; for a leaf its first index in [`Tree::rows`].
    first: u32,
    /// Rows of a leaf.
    count: u32,
    /// Range of the node in its dimension, with the end of its left child and the start of its right child.
    low: f32,
    left_high: f32,
    right_low: f32,
    high: f32,
}

/// Input of a tree's construction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Points<'a, V> {
    /// Number of points.
    pub rows: usize,
    /// Coordinates of each point.
    pub dimensions: usize,
    /// `value(row, dimension)`.
    pub value: &'a V,
    /// See [`Settings`].
    pub split: Split,
    /// See [`Settings`].
    pub max_depth: usize,
    /// See [`Settings`].
    pub min_leaf_rows: usize,
}

/// The tree, over points of any kind.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Rows by leaf, ascending within each.
    pub rows: Vec<u32>,
    /// `[dimensions]` smallest and largest value of all points.
    pub span: Vec<(f32, f32)>,
}

/// A search that walks through a tree.
pub(super) trait Walk {
    /// Returns a lower bound of the cost from the query to this interval of a dimension.
    fn part(&self, dimension: usize, low: f32, high: f32) -> f32;
    /// Reports a number of nodes whose bound is computed.
    fn touch(&self, nodes: usize);
    /// Returns whether a point at this bound may still be a match.
    fn worth(&self, bound: f64) -> bool;
    /// Compares the rows of a leaf, a range of [`Tree::rows`]. Returns whether one of them is a candidate.
    fn leaf(&mut self, places: Range<usize>) -> bool;
}

impl Tree {
    /// Builds a tree over points.
    pub fn build<V: Fn(usize, usize) -> f32>(points: &Points<V>) -> Self {
        let Points { rows, dimensions, value, .. } = *points;
        let mut span = vec![(f32::INFINITY, f32::NEG_INFINITY); dimensions];
        for row in 0..rows {
            for (d, s) in span.iter_mut().enumerate() {
                let v = value(row, d);
                *s = (s.0.min(v), s.1.max(v));
            }
        }
        let order: Vec<u32> = (0..rows as u32).collect();
        let mut tree = Self { nodes: vec![Node::default()], rows: order, span };
        let max_depth = points.max_depth.min(DEPTH);
        let mut todo = vec![(0usize, 0..rows, 0usize, tree.span.clone())];
        while let Some((node, places, depth, cell)) = todo.pop() {
            let cut = if depth < max_depth { tree.cut(places.clone(), depth, points) } else { None };
            let Some((dimension, middle)) = cut else {
                tree.rows[places.clone()].sort_unstable();
                tree.nodes[node] = Node { first: places.start as u32, count: places.len() as u32, ..Node::default() };
                continue;
            };
            let values = |places: Range<usize>| tree.rows[places].iter().map(|r| value(*r as usize, dimension));
            let left_high = values(places.start..middle).fold(f32::NEG_INFINITY, f32::max);
            let right_low = values(middle..places.end).fold(f32::INFINITY, f32::min);
            let first = tree.nodes.len();
            let (low, high) = cell[dimension];
            tree.nodes[node] =
                Node { dimension: dimension as u32, first: first as u32, count: 0, low, left_high, right_low, high };
            tree.nodes.extend([Node::default(); 2]);
            let (mut left, mut right) = (cell.clone(), cell);
            left[dimension].1 = left_high;
            right[dimension].0 = right_low;
            todo.push((first + 1, middle..places.end, depth + 1, right));
            todo.push((first, places.start..middle, depth + 1, left));
        }
        tree
    }

    /// Splits a range of rows; returns `None` if it stays a leaf.
    fn cut<V: Fn(usize, usize) -> f32>(
        &mut self,
        places: Range<usize>,
        depth: usize,
        points: &Points<V>,
    ) -> Option<(usize, usize)> {
        let Points { dimensions, value, split, .. } = *points;
        let min_leaf_rows = points.min_leaf_rows.max(1);
        let rows = &mut self.rows[places.clone()];
        if rows.len() / 2 < min_leaf_rows || dimensions == 0 {
            return None;
        }
        match split {
            Split::WidestAtMedian => {
                let d = widest(rows, dimensions, value);
                let half = rows.len() / 2;
                // Ordered by row among equal values, so that duplicates are split too, in a reproducible order.
                rows.select_nth_unstable_by(half, |a, b| {
                    value(*a as usize, d).total_cmp(&value(*b as usize, d)).then(a.cmp(b))
                });
                Some((d, places.start + half))
            }
            Split::CyclingAtMean => {
                let d = depth % dimensions;
                let sum: f64 = rows.iter().map(|r| f64::from(value(*r as usize, d))).sum();
                let mean = sum / rows.len() as f64;
                rows.sort_unstable_by(|a, b| value(*a as usize, d).total_cmp(&value(*b as usize, d)).then(a.cmp(b)));
                let left = rows.partition_point(|r| f64::from(value(*r as usize, d)) < mean);
                let enough = left >= min_leaf_rows && rows.len() - left >= min_leaf_rows;
                enough.then_some((d, places.start + left))
            }
        }
    }

    pub fn bytes(&self) -> usize {
        size_of_val(self.nodes.as_slice()) + size_of_val(self.rows.as_slice()) + size_of_val(self.span.as_slice())
    }

    fn root_bound(&self, walk: &impl Walk) -> f64 {
        self.span.iter().enumerate().map(|(d, (low, high))| f64::from(walk.part(d, *low, *high))).sum()
    }

    /// Descends to the nearest leaf below a node and hands over the branches that it leaves out.
    fn descend<W: Walk>(
        &self,
        walk: &W,
        mut index: u32,
        mut bound: f64,
        mut other: impl FnMut(&W, f64, u32),
    ) -> Option<Range<usize>> {
        loop {
            let n = &self.nodes[index as usize];
            if n.count > 0 {
                return Some(n.first as usize..(n.first + n.count) as usize);
            }
            walk.touch(2);
            let d = n.dimension as usize;
            let whole = walk.part(d, n.low, n.high);
            let left = walk.part(d, n.low, n.left_high);
            let right = walk.part(d, n.right_low, n.high);
            let to_left = left <= right;
            let (near, far) = if to_left { (left, right) } else { (right, left) };
            // A child is never nearer than its parent in the one dimension in which they differ.
            let far_bound = bound + (f64::from(far) - f64::from(whole));
            if walk.worth(far_bound) {
                other(walk, far_bound, n.first + u32::from(to_left));
            }
            bound += f64::from(near) - f64::from(whole);
            if !walk.worth(bound) {
                return None;
            }
            index = n.first + u32::from(!to_left);
        }
    }

    /// Visits every leaf whose bound allows a match, last branch first (mostly the nearest of those on the stack).
    pub fn all_leaves(&self, walk: &mut impl Walk) {
        let mut stack = [(0.0f64, 0u32); DEPTH + 1];
        stack[0] = (self.root_bound(walk), 0);
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let (bound, node) = stack[top];
            if !walk.worth(bound) {
                continue;
            }
            let leaf = self.descend(walk, node, bound, |_, bound, node| {
                stack[top] = (bound, node);
                top += 1;
            });
            if let Some(places) = leaf {
                walk.leaf(places);
            }
        }
    }

    /// Visits this many leaves, the nearest branch first. Returns whether one of them held a candidate.
    pub fn some_leaves(&self, leaves: usize, walk: &mut impl Walk) -> bool {
        let leaves = leaves.clamp(1, PENDING);
        // Descending, so that the nearest is the last.
        let mut pending = [(0.0f64, 0u32); PENDING];
        pending[0] = (self.root_bound(walk), 0);
        let (mut count, mut visited) = (1, 0);
        while count > 0 && visited < leaves {
            count -= 1;
            let (bound, node) = pending[count];
            if !walk.worth(bound) {
                break;
            }
            let leaf = self.descend(walk, node, bound, |_, bound, node| {
                let place = pending[..count].partition_point(|p| p.0 > bound);
                if count < PENDING {
                    pending.copy_within(place..count, place + 1);
                    pending[place] = (bound, node);
                    count += 1;
                } else if place > 0 {
                    // The farthest is dropped.
                    pending.copy_within(1..place, 0);
                    pending[place - 1] = (bound, node);
                }
            });
            if let Some(places) = leaf {
                visited += usize::from(walk.leaf(places));
            }
        }
        visited > 0
    }
}

/// Returns the dimension in which these rows vary most.
fn widest(rows: &[u32], dimensions: usize, value: &impl Fn(usize, usize) -> f32) -> usize {
    // A sample of the rows is enough.
    let step = rows.len().div_ceil(1024);
    let count = rows.len().div_ceil(step) as f64;
    let mut best = (-1.0, 0);
    for d in 0..dimensions {
        let values = || rows.iter().step_by(step).map(|r| f64::from(value(*r as usize, d)));
        let mean = values().sum::<f64>() / count;
        let variance = values().map(|v| (v - mean) * (v - mean)).sum::<f64>();
        if variance > best.0 {
            best = (variance, d);
        }
    }
    best.1
}

/// A tree over the rows of a database.
#[derive(Debug)]
pub(crate) struct KdTree {
    settings: Settings,
    /// The column of each dimension.
    columns: Vec<u32>,
    mirrored: Mirrored,
    tree: Tree,
    /// Factor on bounds. They are summed in another order than costs; with it they never exceed them.
    shrink: f64,
}

impl KdTree {
    /// Builds the tree.
    pub fn build(db: &Database, settings: &Settings) -> Self {
        let mut columns: Vec<u32> = settings.columns.of(db).iter().map(|c| *c as u32).collect();
        if settings.split == Split::WidestAtMedian {
            let variance = variances(db);
            columns.sort_by(|a, b| variance[*b as usize].total_cmp(&variance[*a as usize]));
        }
        let value = |row: usize, d: usize| db.features.row(RowIndex::new(row))[columns[d] as usize];
        let s = settings;
        let tree = Tree::build(&Points {
            rows: db.rows(),
            dimensions: columns.len(),
            value: &value,
            split: s.split,
            max_depth: s.max_depth,
            min_leaf_rows: s.min_leaf_rows,
        });
        // n additions each have a rounding error of at most half of EPSILON, in the cost and in the conversion to f32.
        let shrink = 1.0 - (db.features.columns + 4) as f64 * f64::from(f32::EPSILON);
        Self { settings: *settings, columns, mirrored: Mirrored::new(db), tree, shrink }
    }

    /// Returns the memory of the tree, bytes.
    pub fn bytes(&self) -> usize {
        self.tree.bytes() + self.mirrored.bytes() + size_of_val(self.columns.as_slice())
    }
}

impl Passes for KdTree {
    fn visit(&self, visit: &mut Visit<impl ColumnOrder, impl ColumnCost>) {
        let mut rows = Rows { kd: self, visit };
        // If the visited leaves hold no candidate, all leaves are searched.
        if self.settings.leaves == 0 || !self.tree.some_leaves(self.settings.leaves, &mut rows) {
            self.tree.all_leaves(&mut rows);
        }
    }
}

struct Rows<'a, 'v, 'd, 'b, O, C> {
    kd: &'a KdTree,
    visit: &'v mut Visit<'d, 'b, O, C>,
}

impl<O: ColumnOrder, C: ColumnCost> Walk for Rows<'_, '_, '_, '_, O, C> {
    #[inline]
    fn part(&self, dimension: usize, low: f32, high: f32) -> f32 {
        let stored = self.kd.columns[dimension] as usize;
        let Some(met) = self.kd.mirrored.met(self.visit.mirrored, stored) else { return 0.0 };
        let q = met.value(self.visit.query);
        self.visit.costs.cost(met.column, q - q.max(low).min(high), self.visit.query.multipliers[met.column])
    }

    #[inline]
    fn touch(&self, nodes: usize) {
        self.visit.order.touch(nodes);
    }

    #[inline]
    fn worth(&self, bound: f64) -> bool {
        bound.is_finite() && self.visit.worth((bound * self.kd.shrink) as f32)
    }

    fn leaf(&mut self, places: Range<usize>) -> bool {
        let rows = &self.kd.tree.rows[places];
        self.visit.try_rows(rows);
        // Only evaluated where leaves are counted.
        self.kd.settings.leaves > 0 && rows.iter().any(|r| self.visit.allows(*r as usize))
    }
}
