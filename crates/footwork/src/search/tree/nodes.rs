//! The nodes of a tree, level by level.

use super::super::kernels::{Block, LANES, prefetch};
use super::grid::Grid;
use crate::database::{Database, SetBits};
use crate::frames::RowIndex;
use crate::memory;
use crate::parallel;

/// The rows in the order of a tree, and the levels above.
#[derive(Debug)]
pub struct Nodes {
    /// `[positions]` the rows in the order of the tree; the last leaf is filled up with copies of its last row.
    pub rows: Vec<u32>,
    /// `[positions]` number of rows of the clip from this one on, itself included; `u32::MAX` in a loop.
    pub left_in_clip: Vec<u32>,
    /// Number of rows that are not copies.
    pub count: usize,
    /// The leaves, then level by level up to the root.
    pub levels: Vec<Level>,
}

/// The nodes of one height.
#[derive(Debug, Default)]
pub struct Level {
    /// `[nodes x blocks per node]`.
    pub blocks: Vec<Block>,
    pub blocks_per_node: usize,
    /// `[nodes]` the sets of tags of the rows below.
    pub tags: Vec<SetBits>,
}

impl Level {
    pub fn node(&self, index: usize) -> &[Block] {
        &self.blocks[index * self.blocks_per_node..][..self.blocks_per_node]
    }

    pub fn nodes(&self) -> usize {
        self.tags.len()
    }
}

impl Nodes {
    /// Builds the nodes above rows in their order.
    pub fn new(db: &Database, grid: &Grid, mut rows: Vec<u32>) -> Self {
        let count = rows.len();
        rows.resize(count.next_multiple_of(LANES), rows.last().copied().unwrap_or_default());
        let left_in_clip = rows.iter().map(|row| left_in_clip(db, *row)).collect();
        let levels = if count == 0 { Vec::new() } else { levels(db, grid, &rows) };
        Self { rows, left_in_clip, count, levels }
    }

    /// Begins to load a node, and the rows of a leaf, into the cache.
    #[inline]
    pub fn prefetch(&self, level: usize, index: usize) {
        prefetch(self.levels[level].node(index));
        if level == 0 {
            let positions = index * LANES..(index + 1) * LANES;
            prefetch(&self.rows[positions.clone()]);
            prefetch(&self.left_in_clip[positions]);
        }
    }

    pub fn bytes(&self) -> usize {
        let level = |l: &Level| size_of_val(l.blocks.as_slice()) + size_of_val(l.tags.as_slice());
        let rows = size_of_val(self.rows.as_slice()) + size_of_val(self.left_in_clip.as_slice());
        rows + self.levels.iter().map(level).sum::<usize>()
    }
}

/// Number of rows whose leaves one thread builds.
const SHARED: usize = 256 * LANES;

/// Returns the number of rows of the clip from this one on.
fn left_in_clip(db: &Database, row: u32) -> u32 {
    let clip = &db.clips[db.row_clips[row as usize].at()];
    if clip.looping() { u32::MAX } else { clip.row_range().end as u32 - row }
}

/// Builds the levels from the leaves to the root.
fn levels(db: &Database, grid: &Grid, rows: &[u32]) -> Vec<Level> {
    let parts: Vec<&[u32]> = rows.chunks(SHARED).collect();
    let blocks = memory::large_array(rows.len() / LANES * grid.pairs());
    let mut all = Level { blocks, blocks_per_node: grid.pairs(), ..Level::default() };
    // Lowest and highest codes of each node of the level, `[nodes x lanes]`.
    let mut boxes = Vec::with_capacity(rows.len() / LANES * 2 * grid.pairs());
    for (leaves, around) in parallel::map(&parts, |rows| leaves(db, grid, rows)) {
        all.blocks.extend(leaves.blocks);
        all.tags.extend(leaves.tags);
        boxes.extend(around);
    }
    let mut levels = vec![all];
    while levels[levels.len() - 1].nodes() > 1 {
        let (level, above) = parents(grid, &boxes, &levels[levels.len() - 1].tags);
        levels.push(level);
        boxes = above;
    }
    levels
}

/// Builds the leaves of some rows; also returns the lowest and highest codes of each, `[leaves x lanes]`.
fn leaves(db: &Database, grid: &Grid, rows: &[u32]) -> (Level, Vec<(u16, u16)>) {
    let mut leaves = Level { blocks_per_node: grid.pairs(), ..Level::default() };
    let mut boxes = Vec::with_capacity(rows.len() / LANES * 2 * grid.pairs());
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
    (leaves, boxes)
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
