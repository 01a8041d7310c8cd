//! Rows in clusters (k-means); the rows of the nearest clusters are compared. Approximate.
//!
//! Sources: G. Yi, J. Jee, "Search Space Reduction in Motion Matching by Trajectory Clustering" (SIGGRAPH Asia 2019
//! posters): a table of poses by the cluster of their trajectory; bevy_motion_matching clusters trajectories too (20
//! clusters, 150 iterations). Seeds after D. Arthur, S. Vassilvitskii, "k-means++" (2007). With several clusters visited
//! it corresponds to the inverted file of vector databases.
//!
//! Trade-off: small and simple; compared rows lie together in memory, and of the approximate structures here it reaches good
//! results soonest. But rows just behind the border of a cluster are missed, so several clusters must be visited, most of whose
//! rows are far away; the necessary number must be found by experiment. Clusters by trajectory alone ignore differences
//! between poses, and a query whose multipliers silence the trajectory visits clusters in no useful order (use all columns
//! then). Multipliers and absolute residuals count in the choice of clusters as in the cost, but not in the clustering.
//! Takes about 5 bytes per row.

use super::rows::{Columns, Mirrored, Passes};
use crate::database::Database;
use crate::frames::RowIndex;
use crate::math::Random;
use crate::search::cost::{ColumnCost, ColumnOrder};
use crate::search::visit::Visit;
use serde::{Deserialize, Serialize};

/// Maximum number of clusters: their order lies on the stack of a search (8 KiB).
const CLUSTERS: usize = 1024;
/// Number of centroids that a search compares at once.
const LANES: usize = 8;
/// Rows whose sums are added before they are added to the total, so that sums do not depend on how chunks are distributed.
const CHUNK: usize = 1024;

/// Settings of clustering and search. Values outside their range are clamped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Columns by which rows are clustered. Default: all; Yi and Jee: the trajectory's.
    pub columns: Columns,
    /// Number of clusters, 1 to 1024 and at most the number of rows. Default: 512.
    pub clusters: usize,
    /// Number of clusters to visit, nearest first, at least 1. Default: 16. Clusters without candidates are not counted.
    pub nearest: usize,
    /// Iterations of k-means, 0 to 1000. Default: 10.
    pub iterations: usize,
    /// Rows that k-means uses, evenly spread, at least one per cluster. Default: 16384; all rows are assigned to a cluster.
    pub training_rows: usize,
    /// Seed of the random choice of the first centroids. Default: 1.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { columns: Columns::All, clusters: 512, nearest: 16, iterations: 10, training_rows: 16384, seed: 1 }
    }
}

impl Settings {
    /// Returns settings for clusters by trajectory alone, after Yi and Jee. The numbers of clusters and visits are ours.
    pub fn trajectory() -> Self {
        Self { columns: Columns::Trajectory, clusters: 256, nearest: 32, ..Self::default() }
    }
}

/// Rows by cluster.
#[derive(Debug)]
pub(crate) struct Clusters {
    nearest: usize,
    count: usize,
    columns: Vec<u32>,
    mirrored: Mirrored,
    /// `[blocks of 8 clusters x columns]`.
    centroids: Vec<[f32; LANES]>,
    /// `[clusters + 1]` start of each cluster in `rows`.
    first: Vec<u32>,
    /// Rows by cluster, ascending within each.
    rows: Vec<u32>,
}

impl Clusters {
    /// Clusters the rows.
    pub fn build(db: &Database, settings: &Settings) -> Self {
        let columns = settings.columns.of(db);
        let n = columns.len();
        let count = settings.clusters.clamp(1, CLUSTERS).min(db.rows());
        let points: Vec<f32> = (0..db.rows())
            .flat_map(|row| columns.iter().map(move |c| db.features.row(RowIndex::new(row))[*c]))
            .collect();
        let step = db.rows().div_ceil(settings.training_rows.max(count)).max(1);
        let mut training: Vec<f32> = points.chunks_exact(n).step_by(step).flatten().copied().collect();
        if training.len() < count * n {
            training.clone_from(&points);
        }
        let mut centroids = seeds(&training, n, count, settings.seed);
        for _ in 0..settings.iterations.min(1000) {
            if !improve(&training, n, &mut centroids) {
                break;
            }
        }
        let blocks = in_lanes(&centroids, n);
        let of_row: Vec<u32> = points.chunks_exact(n).map(|p| closest(&blocks, n, count, p)).collect();
        let mut first = vec![0u32; count + 1];
        of_row.iter().for_each(|c| first[*c as usize + 1] += 1);
        (0..count).for_each(|i| first[i + 1] += first[i]);
        let mut next = first.clone();
        let mut rows = vec![0u32; of_row.len()];
        for (row, c) in of_row.iter().enumerate() {
            rows[next[*c as usize] as usize] = row as u32;
            next[*c as usize] += 1;
        }
        let columns = columns.iter().map(|c| *c as u32).collect();
        let nearest = settings.nearest.max(1);
        Self { nearest, count, columns, mirrored: Mirrored::new(db), centroids: blocks, first, rows }
    }

    /// Returns the memory of the structure, bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.centroids.as_slice())
            + size_of_val(self.first.as_slice())
            + size_of_val(self.rows.as_slice())
            + size_of_val(self.columns.as_slice())
            + self.mirrored.bytes()
    }
}

impl Passes for Clusters {
    fn visit(&self, visit: &mut Visit<impl ColumnOrder, impl ColumnCost>) {
        let n = self.columns.len();
        let mut order = [(0.0f32, 0u32); CLUSTERS];
        for (b, block) in self.centroids.chunks_exact(n).enumerate() {
            let mut sums = [0.0f32; LANES];
            for (stored, centroid) in self.columns.iter().zip(block) {
                let Some(met) = self.mirrored.met(visit.mirrored, *stored as usize) else { continue };
                let (q, multiplier) = (met.value(visit.query), visit.query.multipliers[met.column]);
                for i in 0..LANES {
                    sums[i] += visit.costs.cost(met.column, q - centroid[i], multiplier);
                }
            }
            for (i, sum) in sums.iter().enumerate().take(self.count - b * LANES) {
                order[b * LANES + i] = (*sum, (b * LANES + i) as u32);
            }
        }
        let order = &mut order[..self.count];
        let by_distance = |a: &(f32, u32), b: &(f32, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if self.nearest < order.len() {
            order.select_nth_unstable_by(self.nearest, by_distance);
            order[..self.nearest].sort_unstable_by(by_distance);
        }
        let (mut visited, mut sorted) = (0, self.nearest);
        for i in 0..order.len() {
            if visited == self.nearest {
                break;
            }
            if i == sorted {
                // Some clusters held no candidate: farther ones replace them.
                order[sorted..].sort_unstable_by(by_distance);
                sorted = usize::MAX;
            }
            let cluster = order[i].1 as usize;
            let rows = &self.rows[self.first[cluster] as usize..self.first[cluster + 1] as usize];
            visit.try_rows(rows);
            visited += usize::from(rows.iter().any(|r| visit.allows(*r as usize)));
        }
    }
}

/// Returns blocks of 8 centroids, column by column; missing centroids of the last block are infinitely far away.
fn in_lanes(centroids: &[f32], n: usize) -> Vec<[f32; LANES]> {
    let mut blocks = vec![[f32::INFINITY; LANES]; (centroids.len() / n).div_ceil(LANES) * n];
    for (i, centroid) in centroids.chunks_exact(n).enumerate() {
        for (c, v) in centroid.iter().enumerate() {
            blocks[i / LANES * n + c][i % LANES] = *v;
        }
    }
    blocks
}

/// Returns the centroid nearest to a point, the first of equals.
fn closest(blocks: &[[f32; LANES]], n: usize, count: usize, point: &[f32]) -> u32 {
    let mut best = (f32::INFINITY, 0);
    for (b, block) in blocks.chunks_exact(n).enumerate() {
        let mut sums = [0.0f32; LANES];
        for (p, centroid) in point.iter().zip(block) {
            for i in 0..LANES {
                let d = p - centroid[i];
                sums[i] += d * d;
            }
        }
        for (i, sum) in sums.iter().enumerate() {
            if *sum < best.0 && b * LANES + i < count {
                best = (*sum, (b * LANES + i) as u32);
            }
        }
    }
    best.1
}

fn distance(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (f64::from(*a) - f64::from(*b)) * (f64::from(*a) - f64::from(*b))).sum()
}

/// k-means++: each next centroid is a point drawn in proportion to its squared distance from those before.
fn seeds(points: &[f32], n: usize, count: usize, seed: u64) -> Vec<f32> {
    let rows = points.len() / n;
    let at = |i: usize| &points[i * n..][..n];
    let mut random = Random(seed);
    let mut unit = || (random.bits() >> 11) as f64 / (1u64 << 53) as f64;
    let mut centroids = at(((unit() * rows as f64) as usize).min(rows - 1)).to_vec();
    let mut away = vec![f64::INFINITY; rows];
    while centroids.len() < count * n {
        let last = &centroids[centroids.len() - n..];
        for (i, a) in away.iter_mut().enumerate() {
            *a = a.min(distance(at(i), last));
        }
        let chunks: Vec<f64> = away.chunks(CHUNK).map(|c| c.iter().sum()).collect();
        let mut left = unit() * chunks.iter().sum::<f64>();
        let mut chunk = 0;
        while chunk + 1 < chunks.len() && left >= chunks[chunk] {
            left -= chunks[chunk];
            chunk += 1;
        }
        // If all distances are 0, the last of the chunk is taken: a copy of another centroid, which stays empty.
        let end = ((chunk + 1) * CHUNK).min(rows);
        let mut chosen = chunk * CHUNK;
        while chosen + 1 < end && left >= away[chosen] {
            left -= away[chosen];
            chosen += 1;
        }
        centroids.extend_from_slice(at(chosen));
    }
    centroids
}

/// Runs one iteration of k-means. Returns false if nothing changed. A centroid without points does not move.
fn improve(points: &[f32], n: usize, centroids: &mut [f32]) -> bool {
    let count = centroids.len() / n;
    let blocks = in_lanes(centroids, n);
    let (mut sums, mut members) = (vec![0.0f64; count * n], vec![0u32; count]);
    for chunk in points.chunks(CHUNK * n) {
        let mut part = vec![0.0f64; count * n];
        for p in chunk.chunks_exact(n) {
            let c = closest(&blocks, n, count, p) as usize;
            members[c] += 1;
            part[c * n..][..n].iter_mut().zip(p).for_each(|(s, v)| *s += f64::from(*v));
        }
        sums.iter_mut().zip(&part).for_each(|(s, p)| *s += p);
    }
    let mut changed = false;
    for c in (0..count).filter(|c| members[*c] > 0) {
        for (old, sum) in centroids[c * n..][..n].iter_mut().zip(&sums[c * n..][..n]) {
            let new = (sum / f64::from(members[c])) as f32;
            changed |= *old != new;
            *old = new;
        }
    }
    changed
}
