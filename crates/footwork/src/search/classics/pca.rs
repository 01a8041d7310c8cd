//! Principal components, a kd-tree over them, and the full cost of the nearest few. Approximate.
//!
//! Source: Unreal Engine's Pose Search, search mode `PCAKDTree`: 4 components, leaves of 16, 200 neighbours
//! (UPoseSearchDatabase: `NumberOfPrincipalComponents`, `KDTreeMaxLeafSize`, `KDTreeQueryNumNeighbors`). Eigenvectors by
//! Jacobi's method (C. Jacobi, 1846; cyclic, as in Golub and Van Loan, "Matrix Computations").
//!
//! Trade-off: differences outside the components are not seen, and a player's queries (this pose, that trajectory) lie outside
//! them more than recorded motion does. With too few components the best row ranks below worse ones, which more candidates do
//! not fix cheaply; many components make the kd-tree slow. Weights that change at run time change the metric: the query is
//! projected by weighted least squares and each component is weighted accordingly, but the tree itself stays that of the
//! stored weights. Absolute residuals are ranked as if they were squared. Costs 4 bytes per component and row, and about
//! 6 bytes per row for the tree.

use super::kdtree::{Points, Split, Tree, Walk};
use super::rows::{Mirrored, Passes};
use crate::database::Database;
use crate::search::cost::{ColumnCost, ColumnOrder};
use crate::search::visit::Visit;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Maximum number of components: small matrices of a search lie on the stack.
const COMPONENTS: usize = 32;
/// Maximum number of candidates: they lie on the stack (16 KiB).
const CANDIDATES: usize = 2048;

/// Settings of the structure and its search. Values outside their range are clamped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Number of principal components, 1 to 32 and at most the number of columns. Default: 4 (Unreal's).
    pub components: usize,
    /// Number of rows whose full cost is computed: the nearest by their components, 1 to 2048. Default: 200 (Unreal's).
    pub candidates: usize,
    /// Maximum number of rows of a leaf, at least 1. Default: 16 (Unreal's).
    pub leaf_rows: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { components: 4, candidates: 200, leaf_rows: 16 }
    }
}

/// Principal components of the rows of a matrix: the directions in which rows differ most.
#[derive(Clone, Debug, PartialEq)]
pub struct Components {
    /// `[columns]` mean of the rows.
    pub mean: Vec<f32>,
    /// `[components x columns]`, orthonormal, in order of variance.
    pub axes: Vec<f32>,
    /// `[components]` share of the variance along each axis, from 0 to 1.
    pub explained: Vec<f32>,
}

impl Components {
    /// Computes the first components, at most as many as columns, of `[rows x columns]` values. Equal values give equal bits.
    pub fn of(values: &[f32], columns: usize, components: usize) -> Self {
        if columns == 0 {
            return Self { mean: Vec::new(), axes: Vec::new(), explained: Vec::new() };
        }
        let (mean, mut covariance) = covariance(values, columns);
        let (values, vectors) = eigen(&mut covariance, columns);
        let mut order: Vec<usize> = (0..columns).collect();
        order.sort_by(|a, b| values[*b].total_cmp(&values[*a]));
        order.truncate(components);
        let axis = |i: &usize| vectors.iter().skip(*i).step_by(columns).map(|v| *v as f32);
        let axes = order.iter().flat_map(axis).collect();
        let all: f64 = values.iter().map(|v| v.max(0.0)).sum();
        let share = |i: &usize| if all > 0.0 { (values[*i].max(0.0) / all) as f32 } else { 0.0 };
        let explained = order.iter().map(share).collect();
        Self { mean: mean.iter().map(|m| *m as f32).collect(), axes, explained }
    }

    /// Projects a row `[columns]` onto the components; `out` takes one value per component.
    pub fn project(&self, row: &[f32], out: &mut [f32]) {
        let columns = self.mean.len();
        for (k, o) in out.iter_mut().enumerate() {
            let axis = &self.axes[k * columns..][..columns];
            let dot: f32 = (0..columns).map(|c| (row[c] - self.mean[c]) * axis[c]).sum();
            // Rows near the limits of f32 must have finite projections, too.
            *o = if dot.is_nan() { 0.0 } else { dot.clamp(-1e15, 1e15) };
        }
    }
}

/// A tree over principal components.
#[derive(Debug)]
pub(crate) struct Pca {
    components: usize,
    candidates: usize,
    columns: usize,
    /// `[columns]`.
    mean: Vec<f32>,
    /// `[components x columns]`, orthonormal.
    axes: Vec<f32>,
    mirrored: Mirrored,
    tree: Tree,
    /// `[rows x components]` in the order of the tree's rows.
    points: Vec<f32>,
}

impl Pca {
    /// Computes the components, projects the rows and builds the tree.
    pub fn build(db: &Database, settings: &Settings) -> Self {
        let columns = db.features.columns;
        let components = settings.components.clamp(1, COMPONENTS).min(columns);
        let found = Components::of(&db.features.values, columns, components);
        let mut projected = vec![0.0f32; db.features.rows() * components];
        for (row, out) in db.features.values.chunks_exact(columns).zip(projected.chunks_exact_mut(components)) {
            found.project(row, out);
        }
        let Components { mean, axes, .. } = found;
        let value = |row: usize, d: usize| projected[row * components + d];
        let tree = Tree::build(&Points {
            rows: db.features.rows(),
            dimensions: components,
            value: &value,
            split: Split::WidestAtMedian,
            max_depth: usize::MAX,
            min_leaf_rows: settings.leaf_rows.max(1).div_ceil(2),
        });
        let points =
            tree.rows.iter().flat_map(|r| &projected[*r as usize * components..][..components]).copied().collect();
        let candidates = settings.candidates.clamp(1, CANDIDATES);
        let mirrored = Mirrored::new(db);
        Self { components, candidates, columns, mean, axes, mirrored, tree, points }
    }

    /// Returns the memory of the structure, bytes.
    pub fn bytes(&self) -> usize {
        let floats = [&self.mean, &self.axes, &self.points].map(|v| size_of_val(v.as_slice()));
        self.tree.bytes() + self.mirrored.bytes() + floats.iter().sum::<usize>()
    }

    /// Returns the query in the space of the components, and the weight of each: weighted least squares, which with weights of 1
    /// is the plain projection.
    fn project(&self, visit: &Visit<impl ColumnOrder, impl ColumnCost>) -> ([f32; COMPONENTS], [f32; COMPONENTS]) {
        let k = self.components;
        let axis = |i: usize| &self.axes[i * self.columns..][..self.columns];
        let (mut normal, mut right) = ([[0.0f64; COMPONENTS]; COMPONENTS], [0.0f64; COMPONENTS]);
        let plain = visit.query.multipliers.iter().all(|m| *m == 1.0);
        for c in 0..self.columns {
            let Some(met) = self.mirrored.met(visit.mirrored, c) else { continue };
            let m = f64::from(visit.query.multipliers[met.column]);
            let weight = m * m;
            let difference = f64::from(met.value(visit.query)) - f64::from(self.mean[c]);
            for i in 0..k {
                let a = f64::from(axis(i)[c]) * weight;
                right[i] += a * difference;
                if !plain {
                    for j in 0..=i {
                        normal[i][j] += a * f64::from(axis(j)[c]);
                    }
                }
            }
        }
        let mut weights = [1.0f32; COMPONENTS];
        if !plain {
            // Avoids a division by zero for a component without weight.
            let ridge = 1e-9 * (0..k).map(|i| normal[i][i]).fold(0.0, f64::max) + f64::MIN_POSITIVE;
            for i in 0..k {
                weights[i] = normal[i][i].sqrt() as f32;
                normal[i][i] += ridge;
            }
            solve(&mut normal, &mut right, k);
        }
        (right.map(|v| (v as f32).clamp(-1e15, 1e15)), weights)
    }
}

impl Passes for Pca {
    fn visit(&self, visit: &mut Visit<impl ColumnOrder, impl ColumnCost>) {
        let (query, weights) = self.project(visit);
        let mut nearest = Nearest { pca: self, visit, query, weights, kept: [(0.0, 0); CANDIDATES], count: 0 };
        self.tree.all_leaves(&mut nearest);
        let Nearest { visit, mut kept, count, .. } = nearest;
        if count == 0 {
            return visit.try_all();
        }
        // From the nearest on: the sooner the limit falls, the sooner the others are given up.
        kept[..count].sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for some in kept[..count].chunks(16) {
            let mut rows = [0; 16];
            rows.iter_mut().zip(some).for_each(|(row, kept)| *row = kept.1);
            visit.try_rows(&rows[..some.len()]);
        }
    }
}

/// The nearest rows so far: a heap with the farthest on top.
struct Nearest<'a, 'v, 'd, 'b, O, C> {
    pca: &'a Pca,
    visit: &'v mut Visit<'d, 'b, O, C>,
    query: [f32; COMPONENTS],
    weights: [f32; COMPONENTS],
    kept: [(f32, u32); CANDIDATES],
    count: usize,
}

impl<O, C> Nearest<'_, '_, '_, '_, O, C> {
    /// Returns whether a row at this distance is kept. While the heap is not full, every row is, even if its distance overflows.
    fn worth_a_place(&self, distance: f64) -> bool {
        self.count < self.pca.candidates || distance < f64::from(self.kept[0].0)
    }

    fn keep(&mut self, distance: f32, row: u32) {
        let heap = &mut self.kept;
        if self.count < self.pca.candidates {
            let mut i = self.count;
            self.count += 1;
            while i > 0 && heap[(i - 1) / 2].0 < distance {
                heap[i] = heap[(i - 1) / 2];
                i = (i - 1) / 2;
            }
            heap[i] = (distance, row);
            return;
        }
        let mut i = 0;
        loop {
            let mut child = 2 * i + 1;
            if child >= self.count {
                break;
            }
            if child + 1 < self.count && heap[child + 1].0 > heap[child].0 {
                child += 1;
            }
            if heap[child].0 <= distance {
                break;
            }
            heap[i] = heap[child];
            i = child;
        }
        heap[i] = (distance, row);
    }
}

impl<O: ColumnOrder, C: ColumnCost> Walk for Nearest<'_, '_, '_, '_, O, C> {
    #[inline]
    fn part(&self, dimension: usize, low: f32, high: f32) -> f32 {
        let q = self.query[dimension];
        let d = (q - q.max(low).min(high)) * self.weights[dimension];
        d * d
    }

    #[inline]
    fn touch(&self, nodes: usize) {
        self.visit.order.touch(nodes);
    }

    #[inline]
    fn worth(&self, bound: f64) -> bool {
        self.worth_a_place(bound)
    }

    fn leaf(&mut self, places: Range<usize>) -> bool {
        let k = self.pca.components;
        let points = self.pca.points[places.start * k..places.end * k].chunks_exact(k);
        for (point, row) in points.zip(&self.pca.tree.rows[places]) {
            let mut sum = 0.0;
            for (i, p) in point.iter().enumerate() {
                let d = (self.query[i] - p) * self.weights[i];
                sum += d * d;
            }
            // Only candidates are kept.
            if self.worth_a_place(f64::from(sum)) && self.visit.allows(*row as usize) {
                // Replaces NaN by infinity.
                self.keep(sum.min(f32::INFINITY), *row);
            }
        }
        true
    }
}

/// Returns means and covariances of the columns, `[columns]` and `[columns x columns]`.
fn covariance(values: &[f32], columns: usize) -> (Vec<f64>, Vec<f64>) {
    let rows = (values.len() / columns).max(1) as f64;
    let mut mean = vec![0.0f64; columns];
    for row in values.chunks_exact(columns) {
        row.iter().zip(&mut mean).for_each(|(v, m)| *m += f64::from(*v));
    }
    mean.iter_mut().for_each(|m| *m /= rows);
    let mut covariance = vec![0.0f64; columns * columns];
    let mut centred = vec![0.0f64; columns];
    for row in values.chunks_exact(columns) {
        for c in 0..columns {
            centred[c] = f64::from(row[c]) - mean[c];
        }
        for (i, out) in covariance.chunks_exact_mut(columns).enumerate() {
            for j in 0..=i {
                out[j] += centred[i] * centred[j];
            }
        }
    }
    for i in 0..columns {
        for j in 0..=i {
            let v = covariance[i * columns + j] / rows;
            covariance[i * columns + j] = v;
            covariance[j * columns + i] = v;
        }
    }
    (mean, covariance)
}

/// Returns eigenvalues and eigenvectors (columns of `[n x n]`) of a symmetric matrix: Jacobi rotations, row by row, until the
/// matrix is diagonal. Uses square roots and the four operations only, so the bits are the same everywhere.
fn eigen(a: &mut [f64], n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut v = vec![0.0f64; n * n];
    (0..n).for_each(|i| v[i * n + i] = 1.0);
    for _ in 0..40 {
        let square = |i: usize, j: usize, a: &[f64]| a[i * n + j] * a[i * n + j];
        let beside: f64 = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| square(i, j, a)).sum();
        let along: f64 = (0..n).map(|i| square(i, i, a)).sum();
        if beside <= 1e-24 * along {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                let (apq, app, aqq) = (a[p * n + q], a[p * n + p], a[q * n + q]);
                if apq == 0.0 {
                    continue;
                }
                let theta = (aqq - app) / (2.0 * apq);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..n {
                    let (x, y) = (a[k * n + p], a[k * n + q]);
                    a[k * n + p] = c * x - s * y;
                    a[k * n + q] = s * x + c * y;
                }
                for k in 0..n {
                    let (x, y) = (a[p * n + k], a[q * n + k]);
                    a[p * n + k] = c * x - s * y;
                    a[q * n + k] = s * x + c * y;
                    let (x, y) = (v[k * n + p], v[k * n + q]);
                    v[k * n + p] = c * x - s * y;
                    v[k * n + q] = s * x + c * y;
                }
            }
        }
    }
    ((0..n).map(|i| a[i * n + i]).collect(), v)
}

/// Solves for `k` unknowns in place, by Cholesky; `a` holds the lower triangle.
fn solve(a: &mut [[f64; COMPONENTS]; COMPONENTS], b: &mut [f64; COMPONENTS], k: usize) {
    for i in 0..k {
        for j in 0..=i {
            let sum = (0..j).fold(a[i][j], |s, m| s - a[i][m] * a[j][m]);
            a[i][j] = if i == j { sum.max(f64::MIN_POSITIVE).sqrt() } else { sum / a[j][j] };
        }
    }
    for i in 0..k {
        b[i] = (0..i).fold(b[i], |s, m| s - a[i][m] * b[m]) / a[i][i];
    }
    for i in (0..k).rev() {
        b[i] = (i + 1..k).fold(b[i], |s, m| s - a[m][i] * b[m]) / a[i][i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvectors_put_the_matrix_together_again() {
        let n = 6;
        let mut x = 1u64;
        let mut next = || {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (x >> 40) as f64 / f64::from(1u32 << 24) - 0.5
        };
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                a[i * n + j] = next();
                a[j * n + i] = a[i * n + j];
            }
        }
        let (values, v) = eigen(&mut a.clone(), n);
        for i in 0..n {
            for j in 0..n {
                let sum: f64 = (0..n).map(|k| v[i * n + k] * values[k] * v[j * n + k]).sum();
                assert!((sum - a[i * n + j]).abs() < 1e-12, "({i}, {j}): {sum}");
                let dot: f64 = (0..n).map(|k| v[k * n + i] * v[k * n + j]).sum();
                assert!((dot - f64::from(u8::from(i == j))).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn three_equations_are_solved() {
        let mut a = [[0.0; COMPONENTS]; COMPONENTS];
        let full = [[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 5.0]];
        for i in 0..3 {
            a[i][..=i].copy_from_slice(&full[i][..=i]);
        }
        let mut b = [0.0; COMPONENTS];
        let wanted = [1.0, -2.0, 0.5];
        for i in 0..3 {
            b[i] = (0..3).map(|j| full[i][j] * wanted[j]).sum();
        }
        solve(&mut a, &mut b, 3);
        for i in 0..3 {
            assert!((b[i] - wanted[i]).abs() < 1e-12);
        }
    }
}
