//! The order of rows in the tree: every leaf, and every node above, holds similar rows.
//!
//! Rows are halved repeatedly. A half is always a whole number of children (of 16, 256, 4096, ... rows), so that every leaf
//! and every node but the last of its level is full, and the tree needs no pointers: the children of node `i` are `16 i` to
//! `16 i + 15` of the level below.

use super::super::kernels::LANES;
use crate::database::Features;
use crate::parallel;

/// Number of rows by which a split is chosen: a sample of this size distinguishes columns as well as all rows do.
const SAMPLE: usize = 192;
/// Number of columns considered for a split: those in which the sample varies most.
const CHOICES: usize = 8;
/// Least number of rows in a half for which another thread is worth it.
const SHARED: usize = 4096;

/// Sorts rows into the order of the tree, for queries with these `[columns]` weights.
pub fn arrange(features: &Features, weights: &[f64], rows: &mut [u32]) {
    arrange_by(&|_| 0, features, weights, rows);
}

/// Sorts rows into the order of the tree, divided first by a group number of each row, then by features.
pub fn arrange_by(group: &(dyn Fn(u32) -> u32 + Sync), features: &Features, weights: &[f64], rows: &mut [u32]) {
    let mut child = LANES;
    while child * LANES < rows.len() {
        child *= LANES;
    }
    Splitter::new(group, features, weights).halve(rows, child);
}

struct Splitter<'a> {
    group: &'a (dyn Fn(u32) -> u32 + Sync),
    features: &'a Features,
    weights: &'a [f64],
    // Reused buffers.
    sample: Vec<u32>,
    means: Vec<f64>,
    keys: Vec<u64>,
}

impl<'a> Splitter<'a> {
    fn new(group: &'a (dyn Fn(u32) -> u32 + Sync), features: &'a Features, weights: &'a [f64]) -> Self {
        Self { group, features, weights, sample: Vec::new(), means: Vec::new(), keys: Vec::new() }
    }

    /// Halves until parts have the size of a child, then each child until its parts have the size of its own children.
    /// Recursion ends after some thirty levels for any input.
    fn halve(&mut self, rows: &mut [u32], child: usize) {
        if rows.len() <= child {
            if child > LANES {
                self.halve(rows, child / LANES);
            }
            return;
        }
        let left = rows.len().div_ceil(child) / 2 * child;
        let (group, first) = (self.group, (self.group)(rows[0]));
        if rows.iter().any(|row| group(*row) != first) {
            self.keys.clear();
            self.keys.extend(rows.iter().map(|row| u64::from(group(*row)) << 32 | u64::from(*row)));
        } else {
            let column = self.best_column(rows, left);
            self.keys.clear();
            self.keys.extend(rows.iter().map(|row| key(self.features, *row, column)));
        }
        self.keys.select_nth_unstable(left);
        for (row, key) in rows.iter_mut().zip(&self.keys) {
            *row = *key as u32;
        }
        let (a, b) = rows.split_at_mut(left);
        if a.len() < SHARED {
            self.halve(a, child);
            self.halve(b, child);
        } else {
            let mut other = Self::new(self.group, self.features, self.weights);
            parallel::join(|| self.halve(a, child), || other.halve(b, child));
        }
    }

    /// Returns the column along which a split leaves the least variance in the halves, over all columns: the split whose
    /// halves have the most distant means.
    fn best_column(&mut self, rows: &[u32], left: usize) -> usize {
        let step = rows.len().div_ceil(SAMPLE);
        self.sample.clear();
        self.sample.extend(rows.iter().step_by(step));
        let n = self.sample.len();
        let left = (left / step).clamp(1, n - 1);
        let mut best = (f64::NEG_INFINITY, 0);
        for column in self.widest() {
            self.keys.clear();
            self.keys.extend(self.sample.iter().map(|row| key(self.features, *row, column)));
            self.keys.select_nth_unstable(left);
            let gain = self.gain(left);
            if gain > best.0 {
                best = (gain, column);
            }
        }
        best.1
    }

    /// Returns the columns in which the sample varies most; fewer if there are fewer.
    fn widest(&mut self) -> Vec<usize> {
        let columns = self.features.columns;
        let n = self.sample.len() as f64;
        let (mut sums, mut squares) = (vec![0.0; columns], vec![0.0; columns]);
        for row in &self.sample {
            for (c, v) in self.features.values[*row as usize * columns..][..columns].iter().enumerate() {
                let v = f64::from(*v);
                sums[c] += v;
                squares[c] += v * v;
            }
        }
        let variance = |c: usize| self.weights[c] * self.weights[c] * (squares[c] - sums[c] * sums[c] / n);
        let mut order: Vec<usize> = (0..columns).collect();
        order.sort_by(|a, b| variance(*b).total_cmp(&variance(*a)).then(a.cmp(b)));
        order.truncate(CHOICES);
        self.means = sums;
        order
    }

    /// Returns the squared distance of the halves' sums from that expected for equal means, over all columns.
    fn gain(&self, left: usize) -> f64 {
        let columns = self.features.columns;
        let n = self.keys.len() as f64;
        let mut sums = vec![0.0f64; columns];
        for key in &self.keys[..left] {
            let row = &self.features.values[(*key as u32) as usize * columns..][..columns];
            sums.iter_mut().zip(row).for_each(|(sum, v)| *sum += f64::from(*v));
        }
        let share = left as f64 / n;
        let apart = |((part, all), weight): ((&f64, &f64), &f64)| weight * (part - all * share);
        sums.iter().zip(&self.means).zip(self.weights).map(apart).map(|d| d * d).sum()
    }
}

/// Returns a key that sorts by value, then by row. Keys are unique, so that the halves do not depend on the algorithm.
fn key(features: &Features, row: u32, column: usize) -> u64 {
    let bits = features.values[row as usize * features.columns + column].to_bits();
    let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
    u64::from(ordered) << 32 | u64::from(row)
}

#[cfg(test)]
#[cfg(feature = "parallel")]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn any_number_of_threads_gives_one_order() {
        let mut random = Random(3);
        let values = (0..30_000 * 5).map(|_| random.normal()).collect();
        let features = Features { columns: 5, values, offset: vec![0.0; 5], scale: vec![1.0; 5] };
        let arranged = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut rows: Vec<u32> = (0..30_000).collect();
            pool.install(|| arrange_by(&|row| row / 12_000, &features, &[1.0; 5], &mut rows));
            rows
        };
        let one = arranged(1);
        assert_eq!(arranged(4), one);
        let mut sorted = one.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..30_000), "every row once");
        assert!(one.is_sorted_by_key(|row| row / 12_000), "groups one after the other");
    }
}
