//! A tree of boxes, 16 wide, over rows in an order of its own: the fastest of the exact searches, and the default.
//!
//! A visit bounds 16 children at once in whole numbers (`kernels`), goes to the nearest first and drops those that
//! cannot hold a match. In a leaf the same is done with rows, and the few that are left (two or three in a search) are
//! compared, by the one formula, with the features as stored. Bounds never exceed a cost (`grid.rs` says why) and only what
//! exceeds the limit is dropped, so the match is the one that comparing every row finds, ties included.
//!
//! Any query may be asked: multipliers, mirrors, tags and exclusions are applied on the way down. It is fastest with the
//! multipliers that it was made for.
//!
//! # Data
//! Level 0 are the leaves, `[leaves x pairs]` blocks of 16 rows in codes; above, each level has `[nodes x box pairs x 2]`
//! blocks: the boxes of a node's 16 children, lowest and highest codes in turn. Each node but the last of a level is full,
//! so node `i` of a level has the children `16 i` to `16 i + 15` of the level below. Some 72 bytes per row at 27 columns.

mod build;
mod grid;

use super::Match;
use super::cost::{ColumnCost, ColumnOrder, PerColumn, row_cost_within};
use super::kernels::{Block, Kernel, LANES, Runnable, Sums, prefetch};
use super::visit::Visit;
use crate::database::{Database, TagSummary};
use crate::frames::RowIndex;
use grid::{Grid, Of, Question};

/// Above the leaves: 16^7 leaves of 16 rows are more than rows can be numbered.
const MOST_LEVELS: usize = 7;
/// Children wait here, at most 15 per level and the one that is next.
const STACK: usize = MOST_LEVELS * LANES;

/// A search tree.
#[derive(Debug)]
pub(crate) struct Tree {
    kernel: Runnable,
    grid: Grid,
    /// `[positions]` the rows in the order of the tree; the last leaf is filled up with copies of its last row.
    rows: Vec<u32>,
    /// `[positions]` rows of the clip from this one on, itself included; very many in a loop.
    left_in_clip: Vec<u32>,
    /// Rows that are not copies.
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
    /// `[nodes]`.
    tags: Vec<TagSummary>,
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
    /// A tree over all rows that may be entered, with the fastest kernel.
    pub fn build(db: &Database) -> Self {
        Self::build_for(db, &vec![1.0; db.features.columns])
    }

    /// The same, fastest for queries with these `[columns]` multipliers.
    pub(crate) fn build_for(db: &Database, multipliers: &[f32]) -> Self {
        // A column that is not asked for must lie somewhere, too.
        let weight = |m: &f32| if m.is_normal() { f64::from(m.abs()) } else { 1.0 };
        let weights: Vec<f64> = multipliers.iter().map(weight).collect();
        let mut rows: Vec<u32> = (0..db.rows()).filter(|r| !db.row_flags[*r].no_entry()).map(|r| r as u32).collect();
        let count = rows.len();
        let costs = PerColumn(&db.residuals);
        let grid = Grid::new(&db.features, &rows, &weights, |column| costs.is_absolute(column));
        build::arrange(&db.features, &weights, &mut rows);
        rows.resize(count.next_multiple_of(LANES), rows.last().copied().unwrap_or_default());
        let left_in_clip = rows.iter().take(count.next_multiple_of(LANES)).map(|row| left_in_clip(db, *row)).collect();
        let levels = if count == 0 { Vec::new() } else { levels(db, &grid, &rows) };
        let kernel = Runnable::new(Kernel::fastest()).expect("the fastest available kernel is available");
        Self { kernel, grid, rows, left_in_clip, count, levels }
    }

    /// The same tree with another kernel; `None` where this processor cannot run it. The matches are the same.
    pub fn with_kernel(self, kernel: Kernel) -> Option<Self> {
        Some(Self { kernel: Runnable::new(kernel)?, ..self })
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let level = |l: &Level| size_of_val(l.blocks.as_slice()) + size_of_val(l.tags.as_slice());
        let rows = size_of_val(self.rows.as_slice()) + size_of_val(self.left_in_clip.as_slice());
        rows + self.levels.iter().map(level).sum::<usize>()
    }

    /// Offers every row that could be among the best.
    pub(super) fn visit(&self, visit: &mut Visit<impl ColumnOrder, impl ColumnCost>) {
        let Some(root) = self.levels.last() else { return };
        let query = visit.query;
        let question = Question::new(&self.grid, query, visit.order, visit.costs);
        let least_extra = query.least_extra_cost_among(&root.tags[0]);
        let limits = Limits::new(&question, visit.best.limit(), least_extra);
        let tagged = !query.candidates.tags.is_open() || !query.tag_costs.is_empty();
        Walk { tree: self, visit, question, least_extra, limits, tagged }.run();
    }
}

/// Rows of the clip from this one on.
fn left_in_clip(db: &Database, row: u32) -> u32 {
    let clip = &db.clips[db.row_clips[row as usize].at()];
    if clip.looping() { u32::MAX } else { clip.row_range().end as u32 - row }
}

/// From the leaves to the root.
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
        let tags = leaf.iter().map(|row| TagSummary::row(db.row_tags(*row as usize)));
        leaves.tags.push(TagSummary::of(tags));
    }
    let mut levels = vec![leaves];
    while levels[levels.len() - 1].nodes() > 1 {
        let (level, above) = parents(grid, &boxes, &levels[levels.len() - 1].tags);
        levels.push(level);
        boxes = above;
    }
    levels
}

/// The level above nodes with these boxes and tags, and its boxes.
fn parents(grid: &Grid, boxes: &[(u16, u16)], tags: &[TagSummary]) -> (Level, Vec<(u16, u16)>) {
    let lanes = 2 * grid.pairs();
    let pairs = grid.box_pairs();
    let mut level = Level { blocks_per_node: 2 * pairs.len(), ..Level::default() };
    let mut above = Vec::new();
    for (node, tags) in tags.chunks(LANES).enumerate() {
        level.tags.push(TagSummary::of(tags.iter().copied()));
        // What would lie beyond the last child is a copy of it, and left out by count.
        let child = |i: usize, lane: usize| boxes[(node * LANES + i.min(tags.len() - 1)) * lanes + lane];
        for pair in pairs.clone() {
            level.blocks.push(Block(std::array::from_fn(|i| child(i / 2, 2 * pair + i % 2).0)));
            level.blocks.push(Block(std::array::from_fn(|i| child(i / 2, 2 * pair + i % 2).1)));
        }
        above.extend((0..lanes).map(|lane| around((0..tags.len()).map(|i| child(i, lane)))));
    }
    (level, above)
}

/// From the lowest to the highest.
fn around(all: impl Iterator<Item = (u16, u16)>) -> (u16, u16) {
    all.fold((u16::MAX, 0), |(low, high), (a, b)| (low.min(a), high.max(b)))
}

/// The highest sums of codes that can still be a match.
#[derive(Clone, Copy, Debug)]
struct Limits {
    cost: f32,
    row: i32,
    node: i32,
}

impl Limits {
    fn new(question: &Question, cost: f32, least_extra: f32) -> Self {
        let limit = |of| question.bounds.limit(of, cost, least_extra);
        Self { cost, row: limit(Of::Row), node: limit(Of::Box) }
    }
}

/// A node that waits to be visited. Sorts by bound, then by place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting(u64);

impl Waiting {
    fn new(bound: i32, level: usize, index: usize) -> Self {
        // Bounds are sums of distances and never negative.
        Self((bound as u64) << 32 | (level as u64) << 28 | index as u64)
    }

    fn bound(self) -> i32 {
        (self.0 >> 32) as i32
    }

    fn level(self) -> usize {
        (self.0 >> 28) as usize & 0xf
    }

    fn index(self) -> usize {
        self.0 as usize & 0xfff_ffff
    }
}

/// One search on its way down.
struct Walk<'v, 'a, 'b, O, C> {
    tree: &'v Tree,
    visit: &'v mut Visit<'a, 'b, O, C>,
    question: Question,
    /// What no row of the tree pays less of beside its distance.
    least_extra: f32,
    limits: Limits,
    /// Whether tags matter to this query.
    tagged: bool,
}

impl<O: ColumnOrder, C: ColumnCost> Walk<'_, '_, '_, O, C> {
    /// Depth first, the nearest first.
    fn run(&mut self) {
        let mut stack = [Waiting::default(); STACK];
        stack[0] = Waiting::new(0, self.tree.levels.len() - 1, 0);
        let mut len = 1;
        while len > 0 {
            len -= 1;
            let next = stack[len];
            if next.bound() > self.limits.node {
                continue;
            }
            if next.level() == 0 {
                // By the time that it is visited, the one after is there.
                if let Some(after) = stack[..len].last().filter(|after| after.level() == 0) {
                    prefetch(self.tree.levels[0].node(after.index()));
                }
                self.leaf(next.index());
            } else {
                len += self.node(next.level(), next.index(), &mut stack[len..]);
            }
        }
    }

    /// Puts the children worth a visit into `out`, the nearest last; returns how many there are.
    fn node(&self, level: usize, index: usize, out: &mut [Waiting]) -> usize {
        let below = &self.tree.levels[level - 1];
        let sums = self.sums::<true>(self.tree.levels[level].node(index), self.limits.node);
        let first = index * LANES;
        let children = below.nodes() - first;
        self.visit.order.touch(children.min(LANES));
        let within = sums.within & lowest_bits(children);
        let mut len = 0;
        for lane in lanes(within) {
            let mut bound = sums.sums[lane];
            if self.tagged {
                match self.with_tags(bound, &below.tags[first + lane]) {
                    Some(more) => bound = more,
                    None => continue,
                }
            }
            let new = Waiting::new(bound, level - 1, first + lane);
            // Few survive: insertion is the fastest sort.
            let mut at = len;
            while at > 0 && out[at - 1] < new {
                out[at] = out[at - 1];
                at -= 1;
            }
            out[at] = new;
            len += 1;
        }
        if let Some(next) = out[..len].last() {
            prefetch(below.node(next.index()));
        }
        len
    }

    /// A child's bound with what its tags cost at least; `None` where no row below has the tags that are asked for.
    fn with_tags(&self, bound: i32, tags: &TagSummary) -> Option<i32> {
        if !self.visit.query.candidates.tags.may_allow(tags) {
            return None;
        }
        let least = self.visit.query.least_extra_cost_among(tags);
        let bound = bound.saturating_add(self.question.bounds.more_by_tags(self.least_extra, least));
        (bound <= self.limits.node).then_some(bound)
    }

    /// Compares the rows whose bounds leave it open.
    fn leaf(&mut self, index: usize) {
        let sums = self.sums::<false>(self.tree.levels[0].node(index), self.limits.row);
        let first = index * LANES;
        let within = sums.within & lowest_bits(self.tree.count - first);
        let rows = &self.tree.rows[first..];
        // They lie anywhere: asked for at once, they arrive while the first is compared.
        lanes(within).for_each(|lane| prefetch(self.visit.db.features.row(RowIndex(rows[lane]))));
        lanes(within).for_each(|lane| self.row(first + lane));
        if self.visit.best.limit() != self.limits.cost {
            self.limits = Limits::new(&self.question, self.visit.best.limit(), self.least_extra);
        }
    }

    fn row(&mut self, position: usize) {
        let (row, candidates) = (self.tree.rows[position] as usize, &self.visit.query.candidates);
        let ends = self.tree.left_in_clip[position] as usize <= candidates.end_exclusion_rows;
        if ends || candidates.is_near(row, self.visit.mirrored) {
            return;
        }
        if self.tagged && !candidates.tags.allows(self.visit.db.row_tags(row)) {
            return;
        }
        let within = (self.visit.query.extra_cost(self.visit.db, row, self.visit.mirrored), self.visit.best.limit());
        let (q, row) = (self.visit.query, RowIndex::new(row));
        let values = self.visit.db.features.row(row);
        let cost = row_cost_within(q.features, q.multipliers, values, self.visit.order, self.visit.costs, within);
        if let Some(cost) = cost {
            self.visit.best.offer(Match { row, mirrored: self.visit.mirrored, cost, continuing: false });
        }
    }

    /// The distances of 16 boxes or rows.
    #[inline]
    fn sums<const BOXES: bool>(&self, blocks: &[Block], limit: i32) -> Sums {
        let (kernel, grid, question) = (self.tree.kernel, &self.tree.grid, &self.question);
        let codes = |squared| if BOXES { question.boxes(squared) } else { question.rows(squared) };
        if grid.squared_pairs() == grid.pairs() {
            return kernel.sums::<BOXES, true>(blocks, &codes(true), limit);
        }
        let of = if BOXES { Of::Box } else { Of::Row };
        let (squared, absolute) = blocks.split_at(grid.squared_pairs() * if BOXES { 2 } else { 1 });
        let squared = kernel.sums::<BOXES, true>(squared, &codes(true), i32::MAX).sums;
        let absolute = kernel.sums::<BOXES, false>(absolute, &codes(false), i32::MAX).sums;
        Sums::new(std::array::from_fn(|i| question.bounds.combined(of, squared[i], absolute[i])), limit)
    }
}

/// The lanes whose bits are set, rising.
fn lanes(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

/// A bit for each of the first `n` of 16.
fn lowest_bits(n: usize) -> u32 {
    (1u32 << n.min(LANES)) - 1
}
