//! The best matches so far, in order, and the maximum cost of a row that may join them.

use super::matched::Match;
use super::moments::Moments;

/// Keeps the best `k` of all offered matches. Does not allocate: the caller provides the memory.
#[derive(Debug)]
pub struct Best<'a> {
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
            if !precedes(&new, &self.kept[at]) {
                return;
            }
            self.kept[at..self.len].rotate_left(1);
            self.len -= 1;
        }
        let after = self.kept[..self.len].iter().rev().take_while(|old| precedes(&new, old)).count();
        let at = self.len - after;
        if at == self.kept.len() {
            return;
        }
        self.len = (self.len + 1).min(self.kept.len());
        self.kept[at..self.len].rotate_right(1);
        self.kept[at] = new;
        if self.len == self.kept.len() {
            self.limit = self.kept[self.len - 1].cost;
        }
    }

    /// Returns the index of the row that is kept of the same segment.
    #[inline]
    fn same_moment(&self, new: &Match) -> Option<usize> {
        let moments = self.moments.as_ref().filter(|_| !new.continuing)?;
        self.kept[..self.len].iter().position(|old| !old.continuing && moments.same(old, new))
    }

    /// Returns the number of kept matches.
    pub fn len(&self) -> usize {
        self.len
    }
}

/// Returns whether a cost is within a limit. False for NaN: infinity times a multiplier of 0 is not a match.
#[inline]
pub fn is_within(cost: f32, limit: f32) -> bool {
    cost <= limit
}

fn precedes(a: &Match, b: &Match) -> bool {
    let place = |m: &Match| (!m.continuing, m.mirrored, m.row);
    a.cost < b.cost || (a.cost == b.cost && place(a) < place(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::RowIndex;

    fn row(row: usize, cost: f32) -> Match {
        Match { row: RowIndex::new(row), cost, ..Match::default() }
    }

    #[test]
    fn the_best_stay_in_order_whatever_the_order_they_come_in() {
        let mut room = [Match::default(); 3];
        let mut best = Best::new(&mut room, 10.0);
        for m in [row(9, 2.0), row(1, 11.0), row(8, 1.0), row(2, 2.0), row(7, f32::NAN), row(3, 2.0), row(4, 5.0)] {
            best.offer(m);
        }
        assert_eq!((best.len(), best.limit()), (3, 2.0));
        assert_eq!(room.map(|m| m.row.0), [8, 2, 3]);
    }

    #[test]
    fn without_room_nothing_is_kept() {
        let mut best = Best::new(&mut [], f32::INFINITY);
        best.offer(row(0, 0.0));
        assert_eq!(best.len(), 0);
    }
}
