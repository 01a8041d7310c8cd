//! The best matches so far, and the maximum cost of a row that may join them.

use super::matched::Match;
use super::moments::Moments;
use crate::frames::RowIndex;
use std::cmp::Ordering;

/// Keeps the best `k` of all offered matches. Does not allocate: the caller provides the memory.
#[derive(Debug)]
pub struct Best<'a> {
    /// The first `len` are a heap: none precedes its children, at `2 i + 1` and `2 i + 2`, so that the worst is the first.
    kept: &'a mut [Match],
    len: usize,
    limit: f32,
    /// Segments of which only the best row is kept.
    moments: Option<Moments<'a>>,
}

impl<'a> Best<'a> {
    /// Creates an empty list; matches that cost more than `max_cost`, or whose cost overflows, are not kept.
    pub fn new(room: &'a mut [Match], max_cost: f32) -> Self {
        let limit = if room.is_empty() { f32::NEG_INFINITY } else { max_cost.min(f32::MAX) };
        Self { kept: room, len: 0, limit, moments: None }
    }

    /// Keeps only the best row of each segment. The result does not depend on the order in which rows are offered: it holds the
    /// best of the best rows of all segments.
    pub(super) fn one_per_moment(self, moments: Moments<'a>) -> Self {
        Self { moments: Some(moments), ..self }
    }

    /// Returns the highest cost that may still be kept. A row with exactly this cost may win by its index alone, so a search may
    /// only skip rows that cost more.
    #[inline]
    pub fn limit(&self) -> f32 {
        self.limit
    }

    /// Keeps a match if it is among the best: by cost, then playing row, then unmirrored, then lowest row. NaN is not kept.
    pub fn offer(&mut self, new: Match) {
        if !is_within(new.cost, self.limit) {
            return;
        }
        if let Some(at) = self.same_moment(&new) {
            if precedes(&new, &self.kept[at]) {
                self.sink(at, new);
            }
        } else if self.len < self.kept.len() {
            self.len += 1;
            self.rise(self.len - 1, new);
        } else if self.kept.first().is_some_and(|worst| precedes(&new, worst)) {
            self.sink(0, new);
        }
        if self.len == self.kept.len() {
            self.limit = self.kept.first().map_or(self.limit, |worst| worst.cost);
        }
    }

    /// Puts a match into an empty place of the heap, or above it.
    fn rise(&mut self, mut at: usize, new: Match) {
        while at > 0 && precedes(&self.kept[(at - 1) / 2], &new) {
            self.kept[at] = self.kept[(at - 1) / 2];
            at = (at - 1) / 2;
        }
        self.kept[at] = new;
    }

    /// Replaces a match of the heap by a better one.
    fn sink(&mut self, mut at: usize, new: Match) {
        let kept = &mut self.kept[..self.len];
        loop {
            let mut worse = 2 * at + 1;
            if worse + 1 < kept.len() && precedes(&kept[worse], &kept[worse + 1]) {
                worse += 1;
            }
            if worse >= kept.len() || precedes(&kept[worse], &new) {
                break;
            }
            kept[at] = kept[worse];
            at = worse;
        }
        kept[at] = new;
    }

    /// Returns the index of the row that is kept of the same segment.
    #[inline]
    fn same_moment(&self, new: &Match) -> Option<usize> {
        let moments = self.moments.as_ref().filter(|_| !new.continuing)?;
        moments.position(&self.kept[..self.len], new)
    }

    /// Puts the kept matches in order, the best first, and returns their number.
    pub fn finish(self) -> usize {
        let by_cost = |a: &Match, b: &Match| a.cost.partial_cmp(&b.cost).unwrap_or(Ordering::Equal);
        self.kept[..self.len].sort_unstable_by(|a, b| by_cost(a, b).then_with(|| place(a).cmp(&place(b))));
        self.len
    }
}

/// Returns whether a cost is within a limit. False for NaN: infinity times a multiplier of 0 is not a match.
#[inline]
pub fn is_within(cost: f32, limit: f32) -> bool {
    cost <= limit
}

/// Returns what decides between matches of one cost.
fn place(m: &Match) -> (bool, bool, RowIndex) {
    (!m.continuing, m.mirrored, m.row)
}

fn precedes(a: &Match, b: &Match) -> bool {
    a.cost < b.cost || (a.cost == b.cost && place(a) < place(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    fn row(row: usize, cost: f32) -> Match {
        Match { row: RowIndex::new(row), cost, ..Match::default() }
    }

    #[test]
    fn the_best_are_kept_whatever_the_order_they_come_in() {
        let mut room = [Match::default(); 3];
        let mut best = Best::new(&mut room, 10.0);
        for m in [row(9, 2.0), row(1, 11.0), row(8, 1.0), row(2, 2.0), row(7, f32::NAN), row(3, 2.0), row(4, 5.0)] {
            best.offer(m);
        }
        assert_eq!(best.limit(), 2.0);
        assert_eq!(best.finish(), 3);
        assert_eq!(room.map(|m| m.row.0), [8, 2, 3]);
    }

    /// Random matches, many of them of one cost, against all of them sorted.
    #[test]
    fn the_best_are_those_of_a_sorted_list() {
        let mut random = Random(3);
        for _ in 0..2000 {
            let mut all: Vec<Match> = (0..random.below(40))
                .map(|row| Match {
                    row: RowIndex::new(row / 2),
                    mirrored: row % 2 == 1,
                    cost: random.below(6) as f32,
                    continuing: false,
                })
                .collect();
            if !all.is_empty() && random.below(2) == 0 {
                all[0].continuing = true;
            }
            (1..all.len()).for_each(|i| all.swap(i, random.below(i + 1)));
            let max_cost = random.below(8) as f32;
            let mut room = vec![Match::default(); random.below(30)];
            let mut best = Best::new(&mut room, max_cost);
            all.iter().for_each(|m| best.offer(*m));
            let len = best.finish();
            all.retain(|m| m.cost <= max_cost);
            all.sort_by(|a, b| {
                a.cost.total_cmp(&b.cost).then((!a.continuing, a.mirrored, a.row).cmp(&(
                    !b.continuing,
                    b.mirrored,
                    b.row,
                )))
            });
            assert_eq!(room[..len], all[..all.len().min(room.len())]);
        }
    }

    #[test]
    fn without_room_nothing_is_kept() {
        let mut best = Best::new(&mut [], f32::INFINITY);
        best.offer(row(0, 0.0));
        assert_eq!(best.finish(), 0);
    }
}
