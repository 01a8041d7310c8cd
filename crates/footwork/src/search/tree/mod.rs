//! A tree of boxes, 16 wide, over rows in an order of its own: the fastest of the exact searches, and the default.
//!
//! A visit bounds 16 children at once in integers (`kernels`), visits the nearest first and drops those that cannot hold a
//! match. A leaf does the same with rows, and the few remaining rows (two or three per search) are compared, by the one
//! cost formula, with the features as stored. Bounds never exceed a cost (proof in `grid.rs`), and only nodes and rows above
//! the limit are dropped, so the match is the one that comparing every row finds, including ties.
//!
//! All queries are supported: multipliers, mirrors, tags and exclusions are applied during the descent. The tree is fastest
//! with the multipliers that it was built for.
//!
//! # Data
//! Level 0 holds the leaves, `[leaves x pairs]` blocks of 16 rows in codes. Each level above has `[nodes x box pairs x 2]`
//! blocks: the boxes of a node's 16 children, lowest and highest codes in turn. Each node but the last of a level is full, so
//! node `i` of a level has the children `16 i` to `16 i + 15` of the level below. Takes some 72 bytes per row at 27 columns;
//! twice as much where rare tags have a second tree, in which a search for them visits few other rows.

mod build;
mod grid;
mod walk;

use super::cost::{ColumnCost, ColumnOrder, PerColumn};
use super::kernels::{Block, Kernel, LANES, Runnable};
use super::visit::Visit;
use crate::database::{Database, SetBits};
use crate::frames::RowIndex;
use grid::Grid;
use walk::Walk;

/// Queries whose tags accept at most 1 / `FEW` of the rows search the tree in which rows of equal tags lie together.
const FEW: usize = 8;

/// A search tree.
#[derive(Debug)]
pub(crate) struct Tree {
    kernel: Runnable,
    grid: Grid,
    all: Nodes,
    /// The same rows, grouped by their sets of tags before their features; `None` if no set is rare.
    by_tags: Option<Nodes>,
}

/// The rows in the order of a tree, and the levels above.
#[derive(Debug)]
struct Nodes {
    /// `[positions]` the rows in the order of the tree; the last leaf is filled up with copies of its last row.
    rows: Vec<u32>,
    /// `[positions]` number of rows of the clip from this one on, itself included; `u32::MAX` in a loop.
    left_in_clip: Vec<u32>,
    /// Number of rows that are not copies.
    count: usize,
    /// The leaves, then level by level up to the root.
    levels: Vec<Level>,
}

/// The nodes of one height.
#[derive(Debug, Default)]
struct Level {
    /// `[nodes x blocks per node]`.
    blocks: Vec<Block>,
    blocks_per_node: usize,
    /// `[nodes]` the sets of tags of the rows below.
    tags: Vec<SetBits>,
}

impl Level {
    fn node(&self, index: usize) -> &[Block] {
        &self.blocks[index * self.blocks_per_node..][..self.blocks_per_node]
    }

    fn nodes(&self) -> usize {
        self.tags.len()
    }
}

impl Tree {
    /// Builds a tree over all rows that may be entered, with the fastest kernel.
    pub fn build(db: &Database) -> Self {
        Self::build_for(db, &vec![1.0; db.features.columns])
    }

    /// Builds a tree that is fastest for queries with these `[columns]` multipliers.
    pub(crate) fn build_for(db: &Database, multipliers: &[f32]) -> Self {
        // A column with multiplier 0 needs a scale, too.
        let weight = |m: &f32| if m.is_normal() { f64::from(m.abs()) } else { 1.0 };
        let weights: Vec<f64> = multipliers.iter().map(weight).collect();
        let mut rows: Vec<u32> = (0..db.rows()).filter(|r| !db.row_flags[*r].no_entry()).map(|r| r as u32).collect();
        let costs = PerColumn(&db.residuals);
        let grid = Grid::new(&db.features, &rows, &weights, |column| costs.is_absolute(column));
        let some_are_rare = rows.iter().any(|row| db.row_set(*row as usize).1 * FEW <= db.rows());
        let by_tags = some_are_rare.then(|| {
            let mut rows = rows.clone();
            build::arrange_by(&|row| db.row_set(row as usize).0, &db.features, &weights, &mut rows);
            Nodes::new(db, &grid, rows)
        });
        build::arrange(&db.features, &weights, &mut rows);
        let all = Nodes::new(db, &grid, rows);
        let kernel = Runnable::new(Kernel::fastest()).expect("the fastest available kernel is available");
        Self { kernel, grid, all, by_tags }
    }

    /// Replaces the kernel; returns `None` if this processor cannot run it. The matches are the same.
    #[cfg(feature = "classics")]
    pub fn with_kernel(self, kernel: Kernel) -> Option<Self> {
        Some(Self { kernel: Runnable::new(kernel)?, ..self })
    }

    /// Returns the memory of the tree, bytes.
    pub fn bytes(&self) -> usize {
        self.all.bytes() + self.by_tags.as_ref().map_or(0, Nodes::bytes)
    }

    /// Offers every row that could be among the best.
    pub(super) fn visit(&self, visit: &mut Visit<impl ColumnOrder, impl ColumnCost>) {
        let few = visit.query.candidates.tags.rows().saturating_mul(FEW) <= visit.db.rows();
        let nodes = self.by_tags.as_ref().filter(|_| few).unwrap_or(&self.all);
        if let Some(root) = nodes.levels.last() {
            Walk::new(self, nodes, root.tags[0], visit).run();
        }
    }
}

impl Nodes {
    /// Builds the nodes above rows in their order.
    fn new(db: &Database, grid: &Grid, mut rows: Vec<u32>) -> Self {
        let count = rows.len();
        rows.resize(count.next_multiple_of(LANES), rows.last().copied().unwrap_or_default());
        let left_in_clip = rows.iter().map(|row| left_in_clip(db, *row)).collect();
        let levels = if count == 0 { Vec::new() } else { levels(db, grid, &rows) };
        Self { rows, left_in_clip, count, levels }
    }

    fn bytes(&self) -> usize {
        let level = |l: &Level| size_of_val(l.blocks.as_slice()) + size_of_val(l.tags.as_slice());
        let rows = size_of_val(self.rows.as_slice()) + size_of_val(self.left_in_clip.as_slice());
        rows + self.levels.iter().map(level).sum::<usize>()
    }
}

/// Returns the number of rows of the clip from this one on.
fn left_in_clip(db: &Database, row: u32) -> u32 {
    let clip = &db.clips[db.row_clips[row as usize].at()];
    if clip.looping() { u32::MAX } else { clip.row_range().end as u32 - row }
}

/// Builds the levels from the leaves to the root.
fn levels(db: &Database, grid: &Grid, rows: &[u32]) -> Vec<Level> {
    let lanes = 2 * grid.pairs();
    let mut leaves = Level { blocks_per_node: grid.pairs(), ..Level::default() };
    // Lowest and highest codes of each node of the level, `[nodes x lanes]`.
    let mut boxes: Vec<(u16, u16)> = Vec::with_capacity(rows.len() / LANES * lanes);
    for leaf in rows.chunks_exact(LANES) {
        let features: [&[f32]; LANES] = std::array::from_fn(|i| db.features.row(RowIndex(leaf[i])));
        for pair in 0..grid.pairs() {
            let codes: [[u16; 3]; 2 * LANES] = std::array::from_fn(|i| grid.encode(features[i / 2], 2 * pair + i % 2));
            leaves.blocks.push(Block(codes.map(|[nearest, ..]| nearest)));
            for half in 0..2 {
                boxes.push(around(codes.iter().skip(half).step_by(2).map(|[_, below, above]| (*below, *above))));
            }
        }
        leaves.tags.push(SetBits::all_of(leaf.iter().map(|row| db.row_set_bits(*row as usize))));
    }
    let mut levels = vec![leaves];
    while levels[levels.len() - 1].nodes() > 1 {
        let (level, above) = parents(grid, &boxes, &levels[levels.len() - 1].tags);
        levels.push(level);
        boxes = above;
    }
    levels
}

/// Builds the level above nodes with these boxes and tags; also returns its boxes.
fn parents(grid: &Grid, boxes: &[(u16, u16)], tags: &[SetBits]) -> (Level, Vec<(u16, u16)>) {
    let lanes = 2 * grid.pairs();
    let pairs = grid.box_pairs();
    let mut level = Level { blocks_per_node: 2 * pairs.len(), ..Level::default() };
    let mut above = Vec::new();
    for (node, tags) in tags.chunks(LANES).enumerate() {
        level.tags.push(SetBits::all_of(tags.iter().copied()));
        // Lanes beyond the last child hold copies of it; the walk ignores them by count.
        let child = |i: usize, lane: usize| boxes[(node * LANES + i.min(tags.len() - 1)) * lanes + lane];
        for pair in pairs.clone() {
            level.blocks.push(Block(std::array::from_fn(|i| child(i / 2, 2 * pair + i % 2).0)));
            level.blocks.push(Block(std::array::from_fn(|i| child(i / 2, 2 * pair + i % 2).1)));
        }
        above.extend((0..lanes).map(|lane| around((0..tags.len()).map(|i| child(i, lane)))));
    }
    (level, above)
}

/// Returns the lowest and highest codes of all boxes.
fn around(all: impl Iterator<Item = (u16, u16)>) -> (u16, u16) {
    all.fold((u16::MAX, 0), |(low, high), (a, b)| (low.min(a), high.max(b)))
}
