//! Descent of a search through the tree.

use super::super::cost::{ColumnCost, ColumnOrder, row_cost, row_cost_within};
use super::super::kernels::{Block, LANES, Runnable, Sums, prefetch};
use super::super::matched::Match;
use super::super::visit::Visit;
use super::grid::{Grid, Of, Question};
use super::nodes::Nodes;
use crate::database::SetBits;
use crate::frames::RowIndex;

/// Maximum number of levels above the leaves: 16^7 leaves of 16 rows exceed the range of row numbers.
const MOST_LEVELS: usize = 7;
/// Size of the stack of children to visit: at most 15 per level, plus the next one.
const STACK: usize = MOST_LEVELS * LANES;

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

/// A node to be visited. Sorts by bound, then by position.
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

/// State of a search in the tree.
pub(super) struct Walk<'v, 'a, 'b, O, C> {
    kernel: Runnable,
    grid: &'v Grid,
    nodes: &'v Nodes,
    visit: &'v mut Visit<'a, 'b, O, C>,
    question: Question,
    /// Lower bound of the extra cost of all rows of the tree.
    least_extra: f32,
    limits: Limits,
    /// Whether tags affect this query.
    tagged: bool,
}

impl<'v, 'a, 'b, O: ColumnOrder, C: ColumnCost> Walk<'v, 'a, 'b, O, C> {
    pub fn new(
        kernel: Runnable,
        grid: &'v Grid,
        nodes: &'v Nodes,
        sets: SetBits,
        visit: &'v mut Visit<'a, 'b, O, C>,
    ) -> Self {
        let query = visit.query;
        let question = Question::new(grid, query, visit.order, visit.costs);
        let least_extra = query.least_extra_cost_among(sets);
        let limits = Limits::new(&question, visit.best.limit(), least_extra);
        let tagged = !query.candidates.tags.is_open() || query.tag_costs.is_some_and(|costs| !costs.is_empty());
        Self { kernel, grid, nodes, visit, question, least_extra, limits, tagged }
    }

    /// Visits the tree depth first, the nearest node first.
    pub fn run(&mut self) {
        let mut stack = [Waiting::default(); STACK];
        stack[0] = Waiting::new(0, self.nodes.levels.len() - 1, 0);
        let mut len = 1;
        while len > 0 {
            len -= 1;
            let next = stack[len];
            if next.bound() > self.limits.node {
                continue;
            }
            if next.level() == 0 {
                // It arrives in the cache while the current leaf is visited.
                if let Some(after) = stack[..len].last().filter(|after| after.level() == 0) {
                    self.nodes.prefetch(0, after.index());
                }
                self.leaf(next.index());
            } else {
                len += self.node(next.level(), next.index(), &mut stack[len..]);
            }
        }
    }

    /// Writes the children that may hold a match to `out`, the nearest last; returns their number.
    fn node(&self, level: usize, index: usize, out: &mut [Waiting]) -> usize {
        let below = &self.nodes.levels[level - 1];
        let sums = self.sums::<true>(self.nodes.levels[level].node(index), self.limits.node);
        let first = index * LANES;
        let children = below.nodes() - first;
        self.visit.order.touch(children.min(LANES));
        let within = sums.within & lowest_bits(children);
        let mut len = 0;
        for lane in lanes(within) {
            let mut bound = sums.sums[lane];
            if self.tagged {
                match self.with_tags(bound, below.tags[first + lane]) {
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
            self.nodes.prefetch(level - 1, next.index());
        }
        len
    }

    /// Returns a child's bound including the least cost of its tags; `None` if no row below has the requested tags.
    fn with_tags(&self, bound: i32, tags: SetBits) -> Option<i32> {
        if !self.visit.query.candidates.tags.may_accept(tags) {
            return None;
        }
        let least = self.visit.query.least_extra_cost_among(tags);
        let bound = bound.saturating_add(self.question.bounds.more_by_tags(self.least_extra, least));
        (bound <= self.limits.node).then_some(bound)
    }

    /// Compares the rows whose bounds allow a match.
    fn leaf(&mut self, index: usize) {
        let sums = self.sums::<false>(self.nodes.levels[0].node(index), self.limits.row);
        let first = index * LANES;
        let within = sums.within & lowest_bits(self.nodes.count - first);
        let rows = &self.nodes.rows[first..];
        // The rows are spread over memory: prefetched together, they arrive while the first is compared.
        lanes(within).for_each(|lane| prefetch(self.visit.db.features.row(RowIndex(rows[lane]))));
        lanes(within).for_each(|lane| self.row(first + lane));
        if self.visit.best.limit() != self.limits.cost {
            self.limits = Limits::new(&self.question, self.visit.best.limit(), self.least_extra);
        }
    }

    fn row(&mut self, position: usize) {
        let (row, candidates) = (self.nodes.rows[position] as usize, &self.visit.query.candidates);
        let ends = self.nodes.left_in_clip[position] as usize <= candidates.end_exclusion_rows;
        if ends || candidates.is_near(row, self.visit.mirrored) {
            return;
        }
        if self.tagged && !self.visit.db.accepts(&candidates.tags, row) {
            return;
        }
        if candidates.ahead.is_some_and(|ahead| !ahead.holds(self.visit.db, row)) {
            return;
        }
        let Visit { db, query: q, order, costs, mirrored, .. } = *self.visit;
        let open = q.extra_cost_in_the_open(db, row, mirrored);
        let (limit, values) = (self.visit.best.limit(), db.features.row(RowIndex::new(row)));
        let Some(mut cost) = row_cost_within(q.features, q.multipliers, values, order, costs, (open, limit)) else {
            return;
        };
        if q.blocked.is_some() {
            // Few rows come so far, and obstacles cost more time than features.
            let sum = row_cost(q.features, q.multipliers, values, order, costs);
            cost = sum + q.with_obstacles(db, row, mirrored, open);
        }
        self.visit.best.offer(Match { row: RowIndex::new(row), mirrored, cost, continuing: false });
    }

    /// Returns the distances of 16 boxes or rows.
    #[inline]
    fn sums<const BOXES: bool>(&self, blocks: &[Block], limit: i32) -> Sums {
        let (kernel, grid, question) = (self.kernel, self.grid, &self.question);
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

/// Iterates over the lanes whose bits are set, ascending.
fn lanes(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

/// Returns a mask of the first `n` of 16 lanes.
fn lowest_bits(n: usize) -> u32 {
    (1u32 << n.min(LANES)) - 1
}
